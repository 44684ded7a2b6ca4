"""Another right answer: every public method is wrapped in one RLock, so that they may call each other."""

import functools
import itertools
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any


class StaleTokenError(RuntimeError):
    """The token that was shown is not the one of the job's current lease."""


class Status(StrEnum):
    """Where a job stands."""

    PENDING = "PENDING"
    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"


@dataclass(frozen=True)
class Lease:
    """What a worker gets from poll."""

    job_id: str
    token: str
    type: str
    payload: str
    attempt: int
    worker_id: str


@dataclass(frozen=True)
class JobView:
    """What anybody may see of a job."""

    id: str
    status: Status = Status.PENDING
    attempts: int = 0
    last_error: str | None = None


@dataclass
class Counts:
    """How many jobs there are of each kind, at one instant."""

    pending: int
    running: int
    succeeded: int


def alone(method: Callable[..., Any]) -> Callable[..., Any]:
    """Let one thread at a time into this method and all others that are wrapped so."""

    @functools.wraps(method)
    def guarded(self: Any, *args: Any) -> Any:
        with self.gate:
            return method(self, *args)

    return guarded


class SharedQueue:
    """Views that are replaced as a whole, and the tokens that are good now."""

    def __init__(self) -> None:
        self.gate = threading.RLock()
        self.views: dict[str, JobView] = {}
        self.work: dict[str, tuple[str, str]] = {}
        self.good: dict[str, str] = {}
        self.numbers = itertools.count()

    @alone
    def submit(self, type: str, payload: str = "") -> str:
        """Take a new job in."""
        job_id = f"J{len(self.views) + 1}"
        self.work[job_id] = (type, payload)
        self.views[job_id] = JobView(job_id)
        return job_id

    @alone
    def poll(self, worker_id: str) -> Lease | None:
        """Hand out the first job that waits."""
        for job_id in self.views:
            if self.view(job_id).status is Status.PENDING:
                attempt = self.view(job_id).attempts + 1
                token = f"{worker_id}-{next(self.numbers)}"
                self.good[job_id] = token
                self._change(job_id, status=Status.RUNNING, attempts=attempt)
                return Lease(job_id, token, *self.work[job_id], attempt, worker_id)
        return None

    @alone
    def complete(self, job_id: str, token: str) -> None:
        """Finish a job for its holder."""
        self._spend(job_id, token)
        self._change(job_id, status=Status.SUCCEEDED)

    @alone
    def fail(self, job_id: str, token: str, error: str) -> None:
        """Give a job back for its holder."""
        self._spend(job_id, token)
        self._change(job_id, status=Status.PENDING, last_error=error)

    @alone
    def view(self, job_id: str) -> JobView:
        """Show a job."""
        return self.views[job_id]

    @alone
    def counts(self) -> Counts:
        """Count by looking at each job."""
        states = Counter(self.view(job_id).status for job_id in self.views)
        return Counts(states[Status.PENDING], states[Status.RUNNING], states[Status.SUCCEEDED])

    def _spend(self, job_id: str, token: str) -> None:
        if self.good.get(job_id) != token:
            raise StaleTokenError(token)
        del self.good[job_id]

    def _change(self, job_id: str, **changes: Any) -> None:
        self.views[job_id] = replace(self.views[job_id], **changes)
