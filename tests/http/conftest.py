"""A queue behind its API, asked without a network, on a clock that only the tests move."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import JobQueue, ManualClock, RetryPolicy, WeightedBands
from tests.http.asking import Api, Facade, shared

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def store(clock: ManualClock) -> JobQueue:
    """Return the queue behind the API."""
    return JobQueue(clock, RetryPolicy(3, 1000, 60_000), scheduler=WeightedBands())


@pytest.fixture
def api(store: JobQueue, clock: ManualClock) -> Api:
    return Api(store, clock)


@pytest.fixture
def make_queue() -> Callable[..., Facade]:
    """Return the constructor of queues that are reached over HTTP, for the contract's tests."""

    def make(time: Any, policy: RetryPolicy, **options: Any) -> Facade:
        shared().serve(JobQueue(time, policy, **options), time)
        return Facade(shared(), shared().service)

    return make


@pytest.fixture
def queue(make_queue: Any, clock: ManualClock) -> Facade:
    return make_queue(clock, RetryPolicy(3, 1000, 60_000))


@pytest.fixture
def one_try(make_queue: Any, clock: ManualClock) -> Facade:
    return make_queue(clock, RetryPolicy(1, 1000, 60_000))
