"""What tests ask of the API: requests in the name of any role and tenant, and a client over the same way."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from jobqueue import JobQueue, ManualClock, RetryPolicy
from jobqueue.client import QueueClient
from tests.contract.observing import everything
from webui import create_app
from webui.auth import Access, Grant, Role
from webui.live.service import Service

if TYPE_CHECKING:
    from collections.abc import Mapping

    from werkzeug.test import TestResponse


NASTY_NAMES = (
    "/", "//", "a/b", "/pause", "pause", ".", "..", "../x", "a/../b", "x\ny", "x\r\ny", "y\n", " mail ",
    "?a=b", "#x", "&", "%2F", "50 %", "+", ";", "a,b", "\\", "\"'<b>", "\N{ZOMBIE}", "e\u0301", "\u202ex",
)  # fmt: skip
"""Names that an address, a form or a proxy might change on the way."""


class Given(Access):
    """Tokens that say what they are: `worker`, `worker:acme,bo`, `producer:acme`."""

    def __init__(self, *, is_configured: bool = True) -> None:
        super().__init__([], is_configured=is_configured)

    def find(self, token: str) -> Grant | None:
        role, _, tenants = token.partition(":")
        if role not in set(Role):
            return None
        return Grant(token, Role(role), frozenset(tenants.split(",")) if tenants else None)


class Api:
    """The API of one queue."""

    def __init__(self, store: Any, clock: Any, **options: Any) -> None:
        self.serve(store, clock, **options)
        self.app = create_app({"TESTING": True}, self.service)
        self.client = self.app.test_client()

    def serve(self, store: Any, clock: Any, **options: Any) -> None:
        """Serve another queue from now on."""
        self.store = store
        self.service = Service(store, Given(), wall=clock, **({"tick_millis": 0} | options))
        if hasattr(self, "app"):
            self.app.extensions["service"] = self.service

    def ask(self, method: str, path: str, token: str | None, **more: Any) -> TestResponse:
        """Return the answer; every answer of the API is strict JSON, and none is a fault."""
        headers = dict(more.pop("headers", {}))
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        answer = self.client.open(f"/api/v1{path}", method=method, headers=headers, **more)
        assert answer.status_code < 500 or answer.status_code == 503, answer.text
        if answer.mimetype.endswith("json"):  # type: ignore[union-attr]
            json.loads(answer.text or "null", parse_constant=_refuse)
        assert "Traceback" not in answer.text
        return answer

    def post(self, path: str, token: str, body: Any = None, **more: Any) -> TestResponse:
        """Post a body: bytes as they are, anything else as JSON."""
        sent = body if isinstance(body, bytes) else json.dumps({} if body is None else body).encode()
        return self.ask("POST", path, token, data=sent, content_type="application/json", **more)

    def get(self, path: str, token: str = "operator") -> TestResponse:  # noqa: S107 - the name of a role
        return self.ask("GET", path, token)

    def submit(self, tenant: str = "default", **asked: Any) -> str:
        answer = self.post("/jobs", f"producer:{tenant}", {"type": "mail", **asked})
        assert answer.status_code == 201, answer.text
        return str(answer.json["jobId"])  # type: ignore[index]

    def claim(self, token: str = "worker", **asked: Any) -> list[dict[str, Any]]:  # noqa: S107
        answer = self.post("/leases/claim", token, {"workerId": "w", "leaseMillis": 1000, **asked})
        assert answer.status_code == 200, answer.text
        return list(answer.json["leases"])  # type: ignore[index]

    def dump(self) -> Any:
        """Return all that can be seen of the queue."""
        jobs = [job.id for job in self.store.list_jobs(limit=1000)]
        last = max((int(job_id[1:]) for job_id in jobs), default=0)
        return everything(self.store, last), self.store.paused(), self.store.stats()

    def client_of(self, token: str) -> QueueClient:
        """Return a client that asks this API without a network."""

        def send(method: str, path: str, body: bytes | None, headers: Mapping[str, str]) -> tuple[int, bytes]:
            answer = self.client.open(path, method=method, data=body, headers=dict(headers))
            return answer.status_code, answer.data

        return QueueClient("http://test/", token, transport=send)


@cache
def shared() -> Api:
    """Return an application that many tests share, one queue after the other: to make one takes its time."""
    clock = ManualClock()
    return Api(JobQueue(clock, RetryPolicy(3, 1000, 60_000)), clock)


class Facade:
    """A queue over HTTP as the contract's tests use one: each call goes out with the token that it needs."""

    ROLES: ClassVar = {
        "worker": ("poll", "poll_many", "complete", "fail", "renew", "release"),
        "operator": (
            "redrive",
            "redrive_many",
            "pause",
            "resume",
            "paused",
            "dead_letters",
            "list_jobs",
            "cancel",
        ),
    }

    def __init__(self, api: Api, service: Service) -> None:
        self.shared, self.service = api, service

    @property
    def api(self) -> Api:
        """The application, with this queue behind it: a test may have several of them."""
        self.shared.store, self.shared.service = self.service.queue, self.service
        self.shared.app.extensions["service"] = self.service
        return self.shared

    def __getattr__(self, name: str) -> Any:
        role = next((role for role, names in self.ROLES.items() if name in names), None)
        if role is not None:
            return getattr(self.api.client_of(role), name)
        if name in {"view", "payload", "history", "redrives"}:
            return getattr(self.api.client_of("operator"), name)
        return getattr(self.api.store, name)  # what the API does not have: sweep, next_up, why_not, stats

    def submit(self, *args: Any, tenant: str = "default", **named: Any) -> str:
        return self.api.client_of(f"producer:{tenant}").submit(*args, **named)

    def submit_once(self, *args: Any, tenant: str = "default", **named: Any) -> Any:
        return self.api.client_of(f"producer:{tenant}").submit_once(*args, **named)


def served(time: Any, policy: RetryPolicy, **options: Any) -> Facade:
    """Return a queue in memory that is reached over HTTP."""
    shared().serve(JobQueue(time, policy, **options), time)
    return Facade(shared(), shared().service)


def _refuse(name: str) -> None:
    raise AssertionError(f"{name} is no JSON")
