"""Strict priority: the best ready job is always next, whoever has to wait for it. It ignores tenants.

It knows no clock and no leases: the queue adds a job when it is ready and removes it when it no longer is.
"""

import heapq
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Generic, TypeVar

from jobqueue.scheduling.indexed_heap import IndexedHeap
from jobqueue.scheduling.lanes import Group, Lanes, Ticket

Rank = tuple[int, int, int]
Key = tuple[Any, ...]


def rank(priority: int, run_at: int, number: int) -> Rank:
    """Return a job's place among ready ones: highest priority, then earliest run_at, then submission order.

    >>> rank(5, 900, 2) < rank(0, 100, 1), rank(0, 100, 1) < rank(0, 100, 2)
    (True, True)
    """
    return (-priority, run_at, number)


@dataclass(frozen=True, slots=True)
class StrictPriority:
    """The scheduler of a queue that is given no other."""

    aging_millis: None = None

    def begin(self) -> "StrictTurns":
        """Return the turns of one queue."""
        return StrictTurns()

    def promised_share(self) -> Mapping[str, float]:
        """Promise nothing: the best job goes first, whatever band it is of."""
        return {}


class StrictTurns:
    """Nobody takes turns: the best job of all open groups is next."""

    def pick(self, lanes: Lanes, open_groups: Mapping[str, Sequence[Group]]) -> Ticket | None:
        """Return the best job; None if there is none."""
        groups = [group for band in open_groups.values() for group in band]
        return lanes.best(groups) if groups else None

    def emptied(self, band: str, tenant: str) -> None:
        """Nothing to forget."""

    def changed(self, band: str, tenant: str) -> None:
        """Nothing to note."""

    def save(self) -> object:
        """Return the position, of which there is none."""
        return None

    def load(self, position: object) -> None:
        """Go back to a saved position."""


Name = TypeVar("Name", bound=Hashable)


class StrictLines(Generic[Name]):
    """Strict priority without limits: ready jobs in one line per type, and a line of types by their best job.

    Two levels, so that a poll for some types looks at those lines alone, and a poll for all types at one. What
    a line is named after is the caller's choice: the type, or the tenant and the type.
    """

    def __init__(self) -> None:
        self._lines: dict[Name, IndexedHeap[int]] = {}
        self._heads: IndexedHeap[Name] = IndexedHeap()

    def __len__(self) -> int:
        return sum(len(line) for line in self._lines.values())

    def add(self, number: int, name: Name, key: Key) -> None:
        """Let a job that became ready join."""
        line = self._lines.setdefault(name, IndexedHeap())
        line.put(number, key)
        self._refresh(name)

    def remove(self, number: int, name: Name) -> None:
        """Take a job out that was handed out, cancelled or is no longer ready for another reason."""
        line = self._lines.get(name)
        if line is not None:
            line.drop(number)
            self._refresh(name)

    def names(self) -> Iterable[Name]:
        """Return the names of the lines in which a job is ready."""
        return self._lines.keys()

    def items(self) -> Iterable[tuple[Name, Key, int]]:
        """Return all ready jobs with their lines and keys, in no order."""
        return ((name, key, number) for name, line in self._lines.items() for key, number in line.items())

    def pick(self, names: Iterable[Name] | None = None) -> int | None:
        """Return the number of the best ready job, left in place; None if no job of these lines is ready."""
        if names is None:
            best = self._heads.first()
            names = [] if best is None else [best[1]]
        heads = [self._lines[name].first() for name in names if name in self._lines]
        first = min((head for head in heads if head is not None), default=None)
        return None if first is None else first[1]

    def best(self, paused: Iterable[Name]) -> Iterator[int]:
        """Yield the ready jobs of types that are not paused, best first."""
        lines = (line.ordered() for name, line in self._lines.items() if name not in paused)
        return (number for _, number in heapq.merge(*lines))

    def before(self, number: int, name: Name, paused: Iterable[Name]) -> Iterator[int]:
        """Yield the ready jobs of types that are not paused that come before one, in no order."""
        own = self._lines[name].key_of(number)
        return chain.from_iterable(
            line.before(own) for other, line in self._lines.items() if other not in paused
        )

    def _refresh(self, name: Name) -> None:
        """Keep the line of types true; a type without ready jobs leaves nothing behind."""
        head: tuple[Any, int] | None = self._lines[name].first()
        if head is None:
            del self._lines[name]
            self._heads.drop(name)
        elif self._heads.key_of(name) != head[0]:
            self._heads.put(name, head[0])
