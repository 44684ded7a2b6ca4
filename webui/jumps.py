"""Where a board can jump to: the next event of some kind, told from all others by looking at each in turn."""

from collections.abc import Callable
from dataclasses import dataclass

from jobqueue.events import EventKind
from jobqueue.simulation import Scenario
from jobqueue.simulation.chronicle import Entry


@dataclass(frozen=True, slots=True)
class Jump:
    """A kind of event to jump to.

    Args:
        label: what the button says.
        none: what is said when there is none, before the word "ahead".
        begin: returns, for a story, what is asked about every entry from the beginning on, in order: so it may
            keep count of what it has seen.
    """

    label: str
    none: str
    begin: Callable[[Scenario], Callable[[Entry], bool]]


JUMPS = {
    "expiry": Jump("next expiry", "No lease runs out", lambda _: lambda e: e.kind == EventKind.LEASE_EXPIRED),
    "refusal": Jump("next refusal", "Nothing is refused", lambda _: lambda e: e.kind == EventKind.REFUSED),
}
"""The jumps by their names in addresses; one more is one more line."""
