"""Which finished jobs are remembered, and how long a request key keeps its job."""

from collections.abc import Iterator
from itertools import count

from jobqueue.model import Job
from jobqueue.scheduling.line import Line


class Retention:
    """Finished jobs in the order in which they finished; those with a young request key cannot be forgotten yet.

    Forgetting the job would forget its key, and a producer that repeats its request would get a second job.
    """

    def __init__(self, key_life_millis: int) -> None:
        self._key_life_millis = key_life_millis
        self._order = count()
        self._free: Line[int] = Line()  # may be forgotten, oldest first
        self._bound: Line[int] = Line()  # may not yet, by the instant at which they may
        self._finished_as: dict[int, int] = {}  # job number -> place in the order of finishing

    def __len__(self) -> int:
        return len(self._finished_as)

    def add(self, job: Job, now: int) -> None:
        """Remember a job that has finished."""
        self._finished_as[job.number] = next(self._order)
        free_at = job.submitted_at + self._key_life_millis
        if job.request_key is not None and free_at > now:
            self._bound.put(job.number, (free_at, job.number))
        else:
            self._free.put(job.number, self._finished_as[job.number])

    def drop(self, number: int) -> None:
        """Forget a job."""
        if self._finished_as.pop(number, None) is not None:
            self._free.drop(number)
            self._bound.drop(number)

    def surplus(self, keep: int, now: int) -> Iterator[int]:
        """Yield the oldest jobs beyond the newest `keep` that may be forgotten; the caller drops each."""
        while (bound := self._bound.first()) and bound[0][0] <= now:
            self._bound.drop(bound[1])
            self._free.put(bound[1], self._finished_as[bound[1]])
        while len(self) > keep and (oldest := self._free.first()):
            yield oldest[1]
