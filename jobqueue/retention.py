"""Which finished jobs are remembered, and how long a request key keeps its job."""

from bisect import bisect_left
from collections import deque
from collections.abc import Iterator
from itertools import count

from jobqueue.model import Job
from jobqueue.scheduling.indexed_heap import IndexedHeap


class Retention:
    """Finished jobs in the order in which they finished; those with a young request key are passed over.

    Forgetting the job would forget its key, and a producer that repeats its request would get a second job.
    """

    def __init__(self, key_life_millis: int) -> None:
        self._key_life_millis = key_life_millis
        self._order = count()
        self._finished_as: dict[int, int] = {}  # job number -> place in the order of finishing
        self._free: deque[int] = deque()  # might be forgotten at once, oldest first; some may be gone since
        self._freed: IndexedHeap[int] = IndexedHeap()  # were bound and are no more, by their places
        self._bound: IndexedHeap[int] = IndexedHeap()  # may not yet, by the instant at which they may
        self._bound_places: list[int] = []  # their places, in order

    def __len__(self) -> int:
        return len(self._finished_as)

    def may_forget(self, job: Job, now: int) -> bool:
        """Return whether no young request key keeps a job."""
        return job.request_key is None or self._free_at(job) <= now

    def add(self, job: Job, now: int) -> None:
        """Remember a job that has finished."""
        place = self._finished_as[job.number] = next(self._order)
        if job.request_key is None or self.may_forget(job, now):
            self._free.append(job.number)
        else:
            self._bound.put(job.number, (self._free_at(job), job.number))
            self._bound_places.append(place)

    def drop(self, number: int) -> None:
        """Forget a job; a replay does so without having asked whether its key is still young."""
        if number in self._finished_as:
            self._unbind(number)
            self._freed.drop(number)
            del self._finished_as[number]

    def surplus(self, keep: int, now: int) -> Iterator[int]:
        """Yield the oldest jobs beyond the newest `keep` that may be forgotten; the caller drops each."""
        while (bound := self._bound.first()) and bound[0][0] <= now:
            self._unbind(bound[1])
            self._freed.put(bound[1], self._finished_as[bound[1]])
        while (oldest := self._oldest()) is not None and self._newer_than(self._finished_as[oldest]) >= keep:
            yield oldest

    def _oldest(self) -> int | None:
        """Return the job that finished first of those that may be forgotten."""
        while self._free and self._free[0] not in self._finished_as:
            self._free.popleft()
        free, freed = self._free[0] if self._free else None, self._freed.first()
        if free is None or freed is None:
            return free if freed is None else freed[1]
        return min(free, freed[1], key=self._finished_as.__getitem__)

    def _free_at(self, job: Job) -> int:
        return job.submitted_at + self._key_life_millis

    def _unbind(self, number: int) -> None:
        if self._bound.key_of(number) is not None:
            self._bound.drop(number)
            del self._bound_places[bisect_left(self._bound_places, self._finished_as[number])]

    def _newer_than(self, place: int) -> int:
        """Return how many jobs finished after the oldest free one: all that are older are bound.

        Were it all beyond `keep`, a crowd of old jobs that their keys hold would push out the new ones.
        """
        return len(self) - 1 - bisect_left(self._bound_places, place)
