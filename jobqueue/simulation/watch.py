"""Watching a queue: each event and each look is put to all invariants, and what breaks one is kept."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

from jobqueue.events import Event
from jobqueue.simulation.chronicle import Entry, Note
from jobqueue.simulation.invariants import INVARIANTS, Invariant
from jobqueue.simulation.ledger import Ledger
from jobqueue.simulation.promises import Promises
from jobqueue.simulation.scenario import Scenario

MOST_VIOLATIONS = 200
"""A queue that does nothing right is not told about for ever."""


@dataclass(frozen=True, slots=True)
class Violation:
    """An invariant was broken: by the event `seq`, or as anybody could see after it, at the instant `at`."""

    invariant: Invariant
    seq: int
    at: int
    sentence: str


@dataclass(frozen=True, slots=True)
class Lamp:
    """Where one invariant stands: it holds, it was broken (first thus), or it is not promised at all."""

    invariant: Invariant
    is_promised: bool
    violation: Violation | None = None
    times: int = 0


class Watch:
    """Listens to one queue; it costs a few comparisons for each event.

    Args:
        promises: what this queue has promised.
    """

    def __init__(self, promises: Promises) -> None:
        self.promises = promises
        self.ledger = Ledger()
        self._watched = [one for one in INVARIANTS if one.promised(promises)]
        self._violations: list[Violation] = []
        self._told: set[tuple[str, str]] = set()

    @property
    def violations(self) -> tuple[Violation, ...]:
        """All that was broken so far, oldest first."""
        return tuple(self._violations)

    def see(self, event: Event) -> None:
        """Judge an event by what was told before it, then note it."""
        for invariant in self._watched:
            if invariant.judge and (wrong := invariant.judge(self.ledger, event, self.promises)):
                self._keep(Violation(invariant, event.seq, event.at, wrong))
        self.ledger.note(event)

    def look(self, now: int, statuses: Mapping[str, str]) -> None:
        """Judge the states of all jobs as somebody sees them at an instant; the same finding is kept once."""
        self._look(self.ledger, now, statuses)

    def glance(self, now: int, job_id: str, status: str) -> None:
        """Judge the state of one job, where nobody looks at the others."""
        alone = Ledger()
        if job_id in self.ledger.jobs:
            alone.jobs, alone.submitted = {job_id: self.ledger.jobs[job_id]}, 1
        self._look(alone, now, {job_id: status})

    def _look(self, ledger: Ledger, now: int, statuses: Mapping[str, str]) -> None:
        for invariant in self._watched:
            if invariant.look is None or (wrong := invariant.look(ledger, now, statuses)) is None:
                continue
            if (invariant.name, wrong) not in self._told:
                self._told.add((invariant.name, wrong))
                self._keep(Violation(invariant, self.ledger.last_seq, now, wrong))

    def lamps(self) -> list[Lamp]:
        """Return every invariant and where it stands."""
        return lamps_after(self.promises, self._violations)

    def _keep(self, violation: Violation) -> None:
        if len(self._violations) < MOST_VIOLATIONS:
            self._violations.append(violation)


def lamps_after(promises: Promises, violations: Iterable[Violation]) -> list[Lamp]:
    """Return every invariant and where it stands after these violations, oldest first."""
    found = list(violations)
    lamps = []
    for invariant in INVARIANTS:
        broken = [violation for violation in found if violation.invariant is invariant]
        first = broken[0] if broken else None
        lamps.append(Lamp(invariant, invariant.promised(promises), first, len(broken)))
    return lamps


def breaks_something(scenario: Scenario) -> Callable[[Entry], bool]:
    """Return what tells of each entry of a chronicle, asked about in order, whether it breaks an invariant."""
    watch = Watch(Promises.of(scenario))

    def breaks(entry: Entry) -> bool:
        if isinstance(entry, Note):
            return False
        before = len(watch.violations)
        watch.see(entry)
        return len(watch.violations) > before

    return breaks


class Watched(Protocol):
    """Whatever has a watch: a world."""

    watch: Watch


def next_violation(world: Watched, after: int) -> Violation | None:
    """Return the first violation later than the instant `after` among those that a world has seen so far."""
    return next((found for found in world.watch.violations if found.at > after), None)
