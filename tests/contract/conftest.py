"""The table of stores that the contract suite runs over, and the queues that its tests start from."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from jobqueue import EventLog, JobQueue, ManualClock, RetryPolicy

if TYPE_CHECKING:
    from pathlib import Path

Factory = Callable[..., JobQueue]

# One line per store: given an empty folder, the constructor `(time, policy, **options)` of a fresh queue.
STORES: dict[str, Callable[[Path], Factory]] = {
    "memory": lambda _folder: JobQueue,
}


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark for the few promises that a queue on disk does not make."""
    config.addinivalue_line("markers", "memory_only: a promise of the in-memory queue alone")


@pytest.fixture(params=STORES)
def make_queue(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Factory:
    """Return the constructor of one store; every queue that it makes is empty."""
    if request.param != "memory" and request.node.get_closest_marker("memory_only"):
        pytest.skip("promised by the in-memory queue alone")

    def make(time: object, policy: RetryPolicy, **options: object) -> JobQueue:
        folder = tmp_path_factory.mktemp(request.param)
        return STORES[request.param](folder)(time, policy, **options)

    return make


@pytest.fixture
def clock() -> ManualClock:
    """Return a clock that stands at 0."""
    return ManualClock()


@pytest.fixture
def log() -> EventLog:
    """Return the log that `queue` writes to."""
    return EventLog()


@pytest.fixture
def queue(make_queue: Factory, clock: ManualClock, log: EventLog) -> JobQueue:
    """Return a queue with three attempts per job and backoffs of 1, 2, 4, ... up to 60 seconds."""
    return make_queue(clock, RetryPolicy(3, 1000, 60_000), log=log)


@pytest.fixture
def one_try(make_queue: Factory, clock: ManualClock) -> JobQueue:
    """Return a queue where the first failure of a job is its last."""
    return make_queue(clock, RetryPolicy(1, 1000, 60_000))
