"""ex03, tokens and zombies: one right answer. One place decides who holds a job, one place ends a lease."""

from dataclasses import dataclass
from enum import StrEnum

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
    """What a worker gets from poll: the job, and until when the worker may have it."""

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


@dataclass(slots=True)
class _Job:
    """What the queue remembers of a job. The token is the one of the latest lease, over or not."""

    id: str
    type: str
    payload: str
    status: Status = Status.PENDING
    attempts: int = 0
    generation: int = 0
    token: str = ""
    lease_until: int = 0
    last_error: str | None = None


class TokenQueue:
    """A queue that hands each job to one worker at a time and listens to nobody else about it."""

    def __init__(self, clock: TimeSource) -> None:
        self._clock = clock
        self._jobs: dict[str, _Job] = {}

    def submit(self, type: str, payload: str = "") -> str:
        """Take a new job in, PENDING, and return its id."""
        job_id = f"J{len(self._jobs) + 1}"
        self._jobs[job_id] = _Job(job_id, type, payload)
        return job_id

    def poll(self, worker_id: str, lease_millis: int) -> Lease | None:
        """Hand the first PENDING job to this worker, under a token that was never given before."""
        self._settle()
        job = next((job for job in self._jobs.values() if job.status is Status.PENDING), None)
        if job is None:
            return None
        job.status = Status.RUNNING
        job.attempts += 1
        job.generation += 1
        job.token = f"{job.id}:{job.generation}"
        job.lease_until = self._clock.now() + lease_millis
        return Lease(job.id, job.token, job.type, job.payload, job.attempts, job.lease_until, worker_id)

    def view(self, job_id: str) -> JobView:
        """Show a job as it is now."""
        job = self._job(job_id)
        return JobView(job.id, job.status, job.attempts, job.last_error)

    def complete(self, job_id: str, token: str) -> None:
        """Mark the job SUCCEEDED, for the worker that holds its current lease."""
        job = self._held(job_id, token)
        job.status = Status.SUCCEEDED

    def fail(self, job_id: str, token: str, error: str) -> None:
        """End the attempt, for the worker that holds the current lease."""
        job = self._held(job_id, token)
        self._end_attempt(job, error)

    def _held(self, job_id: str, token: str) -> _Job:
        """Return the job if this token is the one of its current lease."""
        job = self._job(job_id)
        if job.status is not Status.RUNNING or token != job.token:
            raise StaleTokenError(f"{token} is not the token of a current lease on {job_id}")
        return job

    def _job(self, job_id: str) -> _Job:
        self._settle()
        return self._jobs[job_id]

    def _settle(self) -> None:
        """End every lease whose time is over, before anybody looks."""
        now = self._clock.now()
        for job in self._jobs.values():
            if job.status is Status.RUNNING and now >= job.lease_until:
                self._end_attempt(job, "lease expired")

    def _end_attempt(self, job: _Job, error: str) -> None:
        job.status = Status.PENDING
        job.last_error = error
