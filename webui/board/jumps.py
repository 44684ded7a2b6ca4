"""Where a board can jump to: the next event of some kind, told from all others by looking at each in turn."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from jobqueue.events import EventKind
from jobqueue.simulation import World
from jobqueue.simulation.chronicle import Entry
from jobqueue.simulation.playback import Found


@dataclass(frozen=True, slots=True)
class Jump:
    """A kind of event to jump to.

    Args:
        label: what the button says.
        none: what is said when there is none, before the word "ahead".
        begin: returns what is asked at every stop from the beginning on, in order: so it may keep count of what
            it has seen.
    """

    label: str
    none: str
    begin: Callable[[], Found]


def _comes(kind: EventKind) -> Found:
    return lambda _, entries: any(entry.kind == kind for entry in entries)


def _breaks() -> Found:
    """Return what counts the broken invariants: some are seen by an event, some only by a look at all jobs."""
    before = 0

    def breaks(world: World, _: Sequence[Entry]) -> bool:
        nonlocal before
        known, before = before, len(world.watch.violations)
        return before > known

    return breaks


JUMPS = {
    "expiry": Jump("next expiry", "No lease runs out", lambda: _comes(EventKind.LEASE_EXPIRED)),
    "refusal": Jump("next refusal", "Nothing is refused", lambda: _comes(EventKind.REFUSED)),
    "violation": Jump("next violation", "Nothing breaks", _breaks),
}
"""The jumps by their names in addresses; one more is one more line."""
