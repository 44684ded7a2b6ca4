"""The table of stores that the contract suite runs over, and the queues that its tests start from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from jobqueue import EventLog, JobQueue, ManualClock, RetryPolicy, TimeSource
from tests.databases import PLACES, Place

Factory = Callable[..., JobQueue]

STORES = ("memory", *PLACES)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marks of tests that run on the in-memory queue alone."""
    config.addinivalue_line("markers", "memory_only: a promise of the in-memory queue alone")
    config.addinivalue_line("markers", "shared_rule: thousands of answers of one pure rule that all stores ask")


@pytest.fixture(params=STORES)
def make_queue(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Factory]:
    """Return the constructor of one store, `(time, policy, **options)`; every queue that it makes is empty."""
    if request.param == "memory":
        yield JobQueue
        return
    if request.node.get_closest_marker("memory_only"):
        pytest.skip("promised by the in-memory queue alone")
    if request.node.get_closest_marker("shared_rule"):
        pytest.skip("one pure rule, the same for all stores, asked too often to do it over a database")
    places: list[Place] = []

    def make(time: TimeSource, policy: RetryPolicy, **options: Any) -> JobQueue:
        places.append(PLACES[request.param](tmp_path_factory.mktemp(request.param)))
        return places[-1].open(time, policy, **options)

    yield make
    for place in places:
        place.close()


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
