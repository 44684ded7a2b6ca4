"""The live pages of a queue on a clock that only the tests move."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from jobqueue import JobQueue, ManualClock, RetryPolicy, WeightedBands
from tests.http.asking import Api, Given
from webui import create_app
from webui.auth import Access
from webui.live.service import Service

BEGIN = 1_627_824_019_000


@cache
def shared_app() -> Any:
    """Return an application for all tests: to make one, and compile its templates, takes longer than a test."""
    clock = ManualClock()
    return create_app({"TESTING": True}, Service(JobQueue(clock, RetryPolicy(1, 0, 0)), Given(), wall=clock))


class Live:
    """The pages, asked as a browser without scripts does."""

    def __init__(self, store: Any, clock: Any, *, with_tokens: bool = False, **options: Any) -> None:
        self.store, self.clock = store, clock
        access = Given() if with_tokens else Access([], is_configured=False)
        self.service = Service(store, access, wall=clock, **({"tick_millis": 0} | options))
        self.app = shared_app()
        self._client = self.app.test_client()

    @property
    def client(self) -> Any:
        """Whoever asks finds this queue behind the pages: several of these share one application."""
        self.app.extensions["service"] = self.service
        return self._client

    def page(self, path: str = "/", status: int = 200, **more: Any) -> str:
        answer = self.client.get(f"/live{path}", **more)
        assert answer.status_code == status, answer.text[:500]
        return answer.text  # type: ignore[no-any-return]

    def act(self, path: str, **form: Any) -> str:
        """Send a form, follow to the page that it leads to, and return that."""
        answer = self.client.post(f"/live{path}", data=form)
        assert answer.status_code == 303, answer.text[:500]
        return self.client.get(answer.headers["Location"]).text  # type: ignore[no-any-return]

    def dead(self, count: int, **order: Any) -> list[str]:
        """Let so many jobs die; return their ids."""
        ids = [self.store.submit("mail", **order) for _ in range(count)]
        for lease in self.store.poll_many("w", 1000, count):
            self.store.fail(lease.job_id, lease.token, "no route to host")
        return ids


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(BEGIN)


@pytest.fixture
def store(clock: ManualClock) -> JobQueue:
    return JobQueue(clock, RetryPolicy(1, 1000, 60_000), scheduler=WeightedBands())


@pytest.fixture
def live(store: JobQueue, clock: ManualClock) -> Live:
    return Live(store, clock)


@pytest.fixture
def api(clock: ManualClock) -> Api:
    """Return the API of a queue with three attempts per job, on a clock of its own beginning."""
    return Api(JobQueue(clock, RetryPolicy(3, 1000, 60_000), scheduler=WeightedBands()), clock)
