"""A queue and a worker on one clock that only the tests move."""

from __future__ import annotations

from typing import Any

import pytest

from jobqueue import JobQueue, Lease, ManualClock, RetryPolicy
from jobqueue.worker import Worker


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def queue(clock: ManualClock) -> JobQueue:
    return JobQueue(clock, RetryPolicy(3, 1000, 60_000))


class Told(list):  # type: ignore[type-arg]
    """What a worker told, in order; each as (word, job id)."""

    def __call__(self, word: str, lease: Lease | None, _words: str) -> None:
        self.append((word, lease and lease.job_id))

    def count_of(self, word: str) -> int:
        return sum(told[0] == word for told in self)


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def make_worker(clock: ManualClock, queue: JobQueue, told: Told) -> Any:
    """Return the constructor of a worker on `queue`, which rests no real time."""

    def make(handler: Any, of: Any = None, **options: Any) -> Worker:
        handlers = handler if isinstance(handler, dict) else {"mail": handler}
        asked = {"worker_id": "w", "lease_millis": 3000, "time": clock, "tell": told, "wait": lambda _: None}
        return Worker(queue if of is None else of, handlers, **(asked | options))  # type: ignore[arg-type]

    return make
