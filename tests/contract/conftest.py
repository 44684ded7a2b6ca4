"""The table of stores that the contract suite runs over, and the queues that its tests start from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from jobqueue import EventLog, JobQueue, ManualClock, RetryPolicy, TimeSource
from tests.databases import PLACES, Place
from tests.http.asking import served

Factory = Callable[..., JobQueue]

STORES = ("memory", *PLACES)


def pytest_configure(config: pytest.Config) -> None:
    """Register the marks that say which stores a test runs over."""
    for mark in (
        "one_store(reason): a pure rule, or a promise of the queue in memory: no other store could differ",
        "long_over_stores: many calls, of which a few are tested over each store elsewhere: a heavy run",
        "over_http: what the queue promises here, it promises at a distance, too",
        "not_over_http(reason): the exception in a module that is `over_http`",
    ):
        config.addinivalue_line("markers", mark)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Let a test that makes queues run over every store where the store could make a difference."""
    if "make_queue" in metafunc.fixturenames:
        is_heavy = metafunc.definition.get_closest_marker("long_over_stores")
        marks = [pytest.mark.store, *([pytest.mark.long] if is_heavy else [])]
        stores = [
            store if store == "memory" else pytest.param(store, marks=marks)
            for store in stores_of(metafunc.definition)
        ]
        metafunc.parametrize("make_queue", stores, indirect=True)


def stores_of(test: pytest.Item) -> list[str]:
    """Return the stores that a test runs over."""
    stores = ["memory"] if test.get_closest_marker("one_store") else list(STORES)
    is_remote = test.get_closest_marker("over_http") and not test.get_closest_marker("not_over_http")
    return [*stores, "http"] if is_remote else stores


@pytest.fixture
def make_queue(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Factory]:
    """Return the constructor of one store, `(time, policy, **options)`; every queue that it makes is empty."""
    if request.param == "memory":
        yield JobQueue
        return
    if request.param == "http":
        yield served  # type: ignore[misc]
        return
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
