"""ex02, leases and expiry: one right answer. Every method begins with the settling of what is due."""

from dataclasses import dataclass
from enum import StrEnum

from jobqueue import TimeSource


class LeaseOverError(RuntimeError):
    """Whoever called does not hold the job, or does not hold it any more."""


class Status(StrEnum):
    """Where a job stands."""

    PENDING = "PENDING"
    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"
    DEAD = "DEAD"


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
    run_at: int
    last_error: str | None
    failed_at: int | None


@dataclass(slots=True)
class _Job:
    """What the queue remembers of a job."""

    id: str
    type: str
    payload: str
    run_at: int
    status: Status = Status.PENDING
    attempts: int = 0
    token: str | None = None
    lease_until: int = 0
    last_error: str | None = None
    failed_at: int | None = None


class LeaseQueue:
    """A queue that takes a job back from whoever is not heard of until the end of the lease."""

    def __init__(self, clock: TimeSource, max_attempts: int, rest_millis: int) -> None:
        self._clock = clock
        self._max_attempts = max_attempts
        self._rest_millis = rest_millis
        self._jobs: dict[str, _Job] = {}

    def submit(self, type: str, payload: str = "") -> str:
        """Take a new job in, and return its id."""
        job_id = f"J{len(self._jobs) + 1}"
        self._jobs[job_id] = _Job(job_id, type, payload, run_at=self._clock.now())
        return job_id

    def poll(self, worker_id: str, lease_millis: int) -> Lease | None:
        """Hand a ready job to this worker."""
        self.sweep()
        now = self._clock.now()
        ready = [job for job in self._jobs.values() if job.status is Status.PENDING and job.run_at <= now]
        if not ready:
            return None
        job = min(ready, key=lambda ready: ready.run_at)  # of equals min takes the first, as submitted
        job.status = Status.RUNNING
        job.attempts += 1
        job.token = f"{job.id}:{job.attempts}"
        job.lease_until = now + lease_millis
        return Lease(job.id, job.token, job.type, job.payload, job.attempts, job.lease_until, worker_id)

    def complete(self, job_id: str, token: str) -> None:
        """Mark the job SUCCEEDED, for its holder."""
        job = self._held(job_id, token)
        job.status = Status.SUCCEEDED

    def view(self, job_id: str) -> JobView:
        """Show a job as it is now."""
        self.sweep()
        job = self._jobs[job_id]
        return JobView(job.id, job.status, job.attempts, job.run_at, job.last_error, job.failed_at)

    def sweep(self) -> int:
        """End every lease whose time is over, and return how many that were."""
        now = self._clock.now()
        due = [job for job in self._jobs.values() if job.status is Status.RUNNING and now >= job.lease_until]
        for job in due:
            self._expire(job, job.lease_until)
        return len(due)

    def renew(self, job_id: str, token: str, lease_millis: int) -> int:
        """Give the lease its new end, for its holder, and return it."""
        job = self._held(job_id, token)
        job.lease_until = max(job.lease_until, self._clock.now() + lease_millis)
        return job.lease_until

    def _held(self, job_id: str, token: str) -> _Job:
        """Return the job if this token is the one of its current lease."""
        self.sweep()
        job = self._jobs[job_id]
        if job.status is not Status.RUNNING or token != job.token:
            raise LeaseOverError(f"{token} is not the token of a current lease on {job_id}")
        return job

    def _expire(self, job: _Job, ended_at: int) -> None:
        """Let the attempt fail as of `ended_at`, whenever that is noticed."""
        job.last_error = "lease expired"
        if job.attempts < self._max_attempts:
            job.status = Status.PENDING
            job.run_at = ended_at + self._rest_millis
        else:
            job.status = Status.DEAD
            job.failed_at = ended_at
