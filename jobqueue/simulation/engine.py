"""The event loop: actions in the order of their instants, on a clock that it moves by hand.

It knows nothing of queues or workers.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count

from jobqueue.clock import ManualClock

Action = Callable[[], object]


@dataclass(order=True, slots=True)
class Planned:
    """An action at an instant; those of one instant happen in the order in which they were planned."""

    at: int
    order: int
    action: Action = field(compare=False)
    background: bool = field(compare=False)
    over: bool = field(default=False, compare=False)


class Engine:
    """Runs what is planned, earliest first.

    >>> engine = Engine(ManualClock())
    >>> _ = engine.plan(2000, lambda: print("two"))
    >>> _ = engine.plan(1000, lambda: print("one"))
    >>> engine.run_until(5000)
    one
    two
    """

    def __init__(self, clock: ManualClock) -> None:
        self._clock = clock
        self._heap: list[Planned] = []
        self._order = count()
        self.planned = 0  # how many actions ever were

    def plan(self, at: int, action: Action, *, background: bool = False) -> Planned:
        """Plan an action; it is called off by setting `over`.

        Args:
            at: the instant; one that is past already means now.
            action: what to do then.
            background: the action alone changes nothing worth stopping for, such as a poll while idle.
        """
        self.planned += 1
        planned = Planned(max(at, self._clock.now()), next(self._order), action, background)
        heappush(self._heap, planned)
        return planned

    def next_at(self, *, background: bool) -> int | None:
        """Return the instant of the next action of one sort; None if none is planned."""
        wanted = (p.at for p in self._heap if p.background is background and not p.over)
        return min(wanted, default=None)

    def run_until(self, instant: int) -> None:
        """Run everything planned up to and including `instant`, then let the clock stand there."""
        while self._heap and self._heap[0].at <= instant:
            planned = heappop(self._heap)
            if not planned.over:
                planned.over = True
                self._clock.advance_to(planned.at)
                planned.action()
        self._clock.advance_to(instant)
