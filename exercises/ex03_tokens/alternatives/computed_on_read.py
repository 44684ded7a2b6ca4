"""Another right answer: nothing is ever settled. Whether a lease is over is computed when somebody asks.

Tokens are counted for the whole queue, not per job. A job has a lease or has none; there is no status to keep.
"""

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from jobqueue import TimeSource


class StaleTokenError(RuntimeError):
    """The token that was shown is not the one of the job's current lease."""


class Status(StrEnum):
    """Where a job stands."""

    PENDING = "PENDING"
    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"


@dataclass(frozen=True, slots=True)
class Lease:
    """What a worker gets from poll."""

    job_id: str
    token: str
    type: str
    payload: str
    attempt: int
    lease_until: int
    worker_id: str


@dataclass(frozen=True, slots=True)
class JobView:
    """What anybody may see of a job."""

    id: str
    status: Status
    attempts: int
    last_error: str | None


@dataclass(frozen=True)
class Job:
    """A job's whole past, replaced as a whole by each change."""

    type: str
    payload: str
    attempts: int = 0
    lease: Lease | None = None
    error: str | None = None
    done: bool = False


class TokenQueue:
    """A queue over a list of immutable jobs."""

    def __init__(self, clock: TimeSource) -> None:
        self._clock = clock
        self._jobs: list[Job] = []
        self._tokens = 0

    def submit(self, type: str, payload: str = "") -> str:
        """Take a new job in."""
        self._jobs.append(Job(type, payload))
        return f"J{len(self._jobs)}"

    def poll(self, worker_id: str, lease_millis: int) -> Lease | None:
        """Hand out the first job that nobody holds."""
        for index in range(len(self._jobs)):
            job = self._seen(index)
            if job.done or job.lease:
                continue
            self._tokens += 1
            until = self._clock.now() + lease_millis
            token = f"{worker_id} #{self._tokens}"
            lease = Lease(f"J{index + 1}", token, job.type, job.payload, job.attempts + 1, until, worker_id)
            self._jobs[index] = replace(job, attempts=lease.attempt, lease=lease)
            return lease
        return None

    def view(self, job_id: str) -> JobView:
        """Show a job."""
        job = self._seen(self._index(job_id))
        status = Status.SUCCEEDED if job.done else Status.RUNNING if job.lease else Status.PENDING
        return JobView(job_id, status, job.attempts, job.error)

    def complete(self, job_id: str, token: str) -> None:
        """Finish a job for its holder."""
        self._finish(job_id, token, done=True)

    def fail(self, job_id: str, token: str, error: str) -> None:
        """Give a job back for its holder."""
        self._finish(job_id, token, error=error)

    def _finish(self, job_id: str, token: str, **changes: Any) -> None:
        index = self._index(job_id)
        job = self._seen(index)
        if job.lease is None or job.lease.token != token:
            raise StaleTokenError(token)
        self._jobs[index] = replace(job, lease=None, **changes)

    def _seen(self, index: int) -> Job:
        job = self._jobs[index]
        if job.lease and job.lease.lease_until <= self._clock.now():
            return replace(job, lease=None, error="lease expired")
        return job

    @staticmethod
    def _index(job_id: str) -> int:
        return int(job_id.removeprefix("J")) - 1
