"""A queue behind its API, asked without a network, on a clock that only the tests move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import JobQueue, ManualClock, RetryPolicy, WeightedBands
from tests.databases import sqlite_place
from tests.http.asking import Api, Facade, shared

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture(params=["memory", "sqlite"])
def make_store(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., JobQueue]]:
    """Return the constructor of the queues behind the API, each of them empty."""
    if request.param == "memory":
        yield JobQueue
        return
    if request.node.get_closest_marker("memory_only"):
        pytest.skip("promised by the in-memory queue alone")
    if request.node.get_closest_marker("shared_rule"):
        pytest.skip("one pure rule, the same for all stores, asked too often to do it over a database")
    places = []

    def make(time: Any, policy: RetryPolicy, **options: Any) -> JobQueue:
        places.append(sqlite_place(tmp_path_factory.mktemp("sqlite")))
        return places[-1].open(time, policy, **options)

    yield make
    for place in places:
        place.close()


@pytest.fixture
def store(make_store: Callable[..., JobQueue], clock: ManualClock) -> JobQueue:
    """Return the queue behind the API."""
    return make_store(clock, RetryPolicy(3, 1000, 60_000), scheduler=WeightedBands())


@pytest.fixture
def api(store: JobQueue, clock: ManualClock) -> Api:
    return Api(store, clock)


@pytest.fixture
def make_queue(make_store: Callable[..., JobQueue]) -> Callable[..., Facade]:
    """Return the constructor of queues that are reached over HTTP, for the contract's tests."""

    def make(time: Any, policy: RetryPolicy, **options: Any) -> Facade:
        shared().serve(make_store(time, policy, **options), time)
        return Facade(shared(), shared().service)

    return make


@pytest.fixture
def queue(make_queue: Any, clock: ManualClock) -> Facade:
    return make_queue(clock, RetryPolicy(3, 1000, 60_000))


@pytest.fixture
def one_try(make_queue: Any, clock: ManualClock) -> Facade:
    return make_queue(clock, RetryPolicy(1, 1000, 60_000))
