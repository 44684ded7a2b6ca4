"""Strict priority: the best ready job is always next, whoever has to wait for it.

It knows no clock and no leases: the queue adds a job when it is ready and removes it when it no longer is.
"""

from collections.abc import Iterable
from typing import Any

from jobqueue.model import Job
from jobqueue.scheduling.line import Line

Rank = tuple[int, int, int]


def rank(priority: int, run_at: int, number: int) -> Rank:
    """Return a job's place among ready ones: highest priority, then earliest run_at, then submission order.

    >>> rank(5, 900, 2) < rank(0, 100, 1), rank(0, 100, 1) < rank(0, 100, 2)
    (True, True)
    """
    return (-priority, run_at, number)


class StrictPriority:
    """Ready jobs in one line per type, and a line of the types by their best job.

    Two levels, so that a poll for some types looks at those lines alone, and a poll for all types at one.
    """

    def __init__(self) -> None:
        self._lines: dict[str, Line[int]] = {}
        self._types: Line[str] = Line()

    def __len__(self) -> int:
        return sum(len(line) for line in self._lines.values())

    def add(self, job: Job) -> None:
        """Let a job that became ready join."""
        line = self._lines.setdefault(job.type, Line())
        line.put(job.number, rank(job.priority, job.run_at, job.number))
        self._refresh(job.type)

    def remove(self, job: Job) -> None:
        """Take a job out that was handed out, cancelled or is no longer ready for another reason."""
        line = self._lines.get(job.type)
        if line is not None:
            line.drop(job.number)
            self._refresh(job.type)

    def pick(self, types: Iterable[str] | None = None) -> int | None:
        """Return the number of the best ready job, left in place; None if no job of these types is ready."""
        if types is None:
            best_type = self._types.first()
            types = [] if best_type is None else [best_type[1]]
        heads = [self._lines[name].first() for name in types if name in self._lines]
        best = min((head for head in heads if head is not None), default=None)
        return None if best is None else best[1]

    def _refresh(self, name: str) -> None:
        """Keep the line of types true; a type without ready jobs leaves nothing behind."""
        head: tuple[Any, int] | None = self._lines[name].first()
        if head is None:
            del self._lines[name]
            self._types.drop(name)
        elif self._types.key_of(name) != head[0]:
            self._types.put(name, head[0])
