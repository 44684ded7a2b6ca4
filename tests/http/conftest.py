"""A queue behind its API, asked without a network, on a clock that only the tests move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import JobQueue, ManualClock, RetryPolicy, WeightedBands
from tests.databases import sqlite_place
from tests.http.asking import Api

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


def pytest_configure(config: pytest.Config) -> None:
    """Register the mark of what the store behind the API could change."""
    config.addinivalue_line(
        "markers", "stores_behind: the answers come out of the store, so over SQLite as well"
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Ask the API of a queue in memory; where the store could make a difference, of one in SQLite as well."""
    if "make_store" in metafunc.fixturenames:
        is_both = metafunc.definition.get_closest_marker("stores_behind")
        metafunc.parametrize("make_store", ["memory", "sqlite"] if is_both else ["memory"], indirect=True)


@pytest.fixture
def make_store(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[..., JobQueue]]:
    """Return the constructor of the queues behind the API, each of them empty."""
    if request.param == "memory":
        yield JobQueue
        return
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
