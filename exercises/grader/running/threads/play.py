"""Runs one story under one schedule: make the object, what comes before, the threads, the look afterwards.

Returns what each call gave, in plain values. Whether that is right is not decided here.
"""

import io
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from exercises.grader.running.threads.patched_primitives import CONTROL, LOCKS
from exercises.grader.running.threads.points import Points
from exercises.grader.running.threads.scheduler import MADE_CODE, OWN_THREADS, Abort, Deadlock, Run, Undecided
from exercises.grader.running.threads.schedules import Schedule

BEFORE, AFTER = "before", "after"
UNFINISHED = {"kind": "unfinished"}
PASSED_OVER = {"kind": "passed over"}
MOST_EVENTS = 2_000

Reply = dict[str, Any]
Story = Mapping[str, Sequence[Mapping[str, Any]]]  # calls by thread; BEFORE and AFTER are told by a single one
LOST_WAITS = 3  # of each thread; who tries more often than that will get through
Event = tuple[str, str, Any]  # what happened, to which thread, and a detail


class _Quiet(io.TextIOBase):
    """Where prints go while schedule after schedule is tried."""

    def write(self, text: str) -> int:
        """Forget it."""
        return len(text)


@dataclass(slots=True)
class Outcome:
    """What one run gave: by thread one reply per call, and how the run ended if not as it should.

    `number` counts the schedules of a search, from 1. `trails` holds the lines of each thread's steps,
    `sections` in which locked section each of them is. A run is `barren` if at its switch nobody could come in:
    all others had to wait for a lock before they touched anything. It is `timed` if somebody waited for a lock
    with a time limit, and `impatient` if the first such waits of each thread were lost.
    """

    schedule: Schedule
    calls: dict[str, list[Reply]]
    end: Reply | None = None
    trails: dict[str, list[int]] = field(default_factory=dict)
    sections: dict[str, list[int]] = field(default_factory=dict)
    barren: bool = False
    timed: bool = False
    impatient: bool = False
    events: list[Event] = field(default_factory=list)
    number: int = 0


@dataclass(slots=True)
class Play:
    """A story and everything that is needed to tell it again and again.

    Args:
        make: Makes the object that the threads share.
        story: What is called.
        points: Where threads may switch.
        value: Turns what a call returned into plain values.
        lasts: Whether a value stays as it is, so that it may be turned later.
        error: Turns what a call raised into plain values.
    """

    make: Callable[[], Any]
    story: Story
    points: Points
    value: Callable[[Any], Reply]
    lasts: Callable[[Any], bool]
    error: Callable[[BaseException], Reply]

    @property
    def names(self) -> str:
        """The threads, one letter each."""
        return "".join(name for name in self.story if name not in {BEFORE, AFTER})

    def tell(
        self, schedule: Schedule, *, trails: bool = False, watch: bool = False, impatient: bool = False
    ) -> Outcome:
        """Tell the story once.

        Args:
            schedule: Who runs when.
            trails: Whether every step of each thread is wanted, not only those up to its last switch.
            watch: Whether to keep what happens line by line; what the answer prints is seen then.
            impatient: Whether the first waits of each thread that have a time limit are lost.
        """
        for lock in list(LOCKS):
            lock.open()
        CONTROL.skipped, CONTROL.started, CONTROL.timed = 0.0, 0, False
        CONTROL.impatient = dict.fromkeys(self.names, LOST_WAITS) if impatient else {}
        outcome = Outcome(schedule, {name: [] for name in self.story})
        # A wait in what comes before has no end either, and then no thread takes a step.
        outcome.trails = {name: [] for name in self.names}
        outcome.sections = {name: [] for name in self.names}
        telling = _Telling(self, outcome, trails or watch, watch)
        try:
            with _printing(shown=watch):
                telling.run()
        except Deadlock as dead:
            outcome.end = {"kind": "deadlock", "waits": dead.waits}
        except Undecided as undecided:
            outcome.end = {"kind": "undecided", "why": str(undecided), "loop": undecided.loop}
        unseen = OWN_THREADS if CONTROL.started else MADE_CODE if CONTROL.makes_code else ""
        if unseen:
            outcome.end = {"kind": "undecided", "why": unseen, "loop": False}
        outcome.timed, outcome.impatient = CONTROL.timed, impatient
        for name, calls in self.story.items():
            outcome.calls[name] = [self._plain(one) for one in outcome.calls[name]]
            outcome.calls[name] += [UNFINISHED] * (len(calls) - len(outcome.calls[name]))
        return outcome

    def _plain(self, reply: Reply) -> Reply:
        return self.value(reply["later"]) if "later" in reply else reply


@contextmanager
def _printing(*, shown: bool) -> Iterator[None]:
    before = sys.stdout
    if not shown:
        sys.stdout = _Quiet()
    try:
        yield
    finally:
        sys.stdout = before


class _Telling:
    """One telling: the shared object, and what the calls gave so far."""

    def __init__(self, play: Play, outcome: Outcome, trails: bool, watch: bool) -> None:  # noqa: FBT001
        self._play, self.outcome, self._trails, self._watch = play, outcome, trails, watch
        self._shared: Any = None
        self._raw: dict[tuple[str, int], Any] = {}

    def run(self) -> None:
        """Let everything happen."""
        points, outcome = self._play.points, self.outcome
        Run({BEFORE: self._prepare}, (), points).alone()
        bodies = {name: self._calls_of(name) for name in outcome.schedule.order}
        watch = self._note if self._watch else None
        run = Run(bodies, outcome.schedule.switches, points, trails=self._trails, watch=watch)
        try:
            run.go()
        finally:
            outcome.trails = {thread.name: thread.steps for thread in run.threads}
            outcome.sections = {thread.name: thread.sections for thread in run.threads}
            outcome.barren = run.barren
            outcome.schedule = Schedule(outcome.schedule.order, tuple(run.interrupts))
        Run({AFTER: self._calls_of(AFTER)}, (), points).alone()

    def _prepare(self) -> None:
        self._shared = self._play.make()
        self._calls_of(BEFORE)()

    def _calls_of(self, name: str) -> Callable[[], None]:
        def act() -> None:
            for number, call in enumerate(self._play.story.get(name, ())):
                self._note("calls", name, number)
                self.outcome.calls[name].append(self._one(call, (name, number)))
                self._note("returns", name, number)

        return act

    def _one(self, call: Mapping[str, Any], place: tuple[str, int]) -> Reply:
        try:
            args = [self._resolved(arg) for arg in call["args"]]
        except LookupError:
            return PASSED_OVER
        try:
            self._raw[place] = value = getattr(self._shared, call["method"])(*args)
        except Abort:
            raise
        except BaseException as error:
            return self._unseen(self._play.error, error)
        # To describe a value while threads are traced takes most of a run's time.
        return {"later": value} if self._play.lasts(value) else self._unseen(self._play.value, value)

    def _resolved(self, arg: Any) -> Any:
        """A plain value, or a field of what an earlier call gave.

        Raises:
            LookupError: That call gave nothing of the kind.
        """
        if not isinstance(arg, dict):
            return arg
        thread, number, name = arg["take"]
        value = getattr(self._raw.get((thread, number)), name, None)
        if value is None:
            raise LookupError(name)
        return value

    @staticmethod
    def _unseen(describe: Callable[[Any], Reply], told: Any) -> Reply:
        """Describe a result. Should that run code of the answer, it takes no steps."""
        thread = CONTROL.current()
        if thread is None:
            return describe(told)
        thread.muted = True
        try:
            return describe(told)
        finally:
            thread.muted = False

    def _note(self, what: str, thread: str, detail: Any) -> None:
        """Keep what happened; also of what is told alone, which is not traced."""
        events = self.outcome.events
        if self._watch and len(events) < MOST_EVENTS and events[-1:] != [(what, thread, detail)]:
            events.append((what, thread, detail))
