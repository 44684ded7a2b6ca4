"""ex06, exactly one worker: one right answer. One lock, held from the question to the end of the change."""

import threading
from dataclasses import dataclass
from enum import StrEnum


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
    worker_id: str


@dataclass(frozen=True, slots=True)
class JobView:
    """What anybody may see of a job."""

    id: str
    status: Status
    attempts: int
    last_error: str | None


@dataclass(frozen=True, slots=True)
class Counts:
    """How many jobs there are of each kind, at one instant."""

    pending: int
    running: int
    succeeded: int


@dataclass(slots=True)
class _Job:
    """What the queue remembers of a job."""

    id: str
    type: str
    payload: str
    status: Status = Status.PENDING
    attempts: int = 0
    token: str = ""
    last_error: str | None = None


class SharedQueue:
    """A queue that any number of threads may call at the same time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()  # for everything below: nobody looks while somebody changes
        self._jobs: dict[str, _Job] = {}
        self._tokens = 0

    def submit(self, type: str, payload: str = "") -> str:
        """Take a new job in, PENDING, and return its id."""
        with self._lock:
            job_id = f"J{len(self._jobs) + 1}"
            self._jobs[job_id] = _Job(job_id, type, payload)
            return job_id

    def poll(self, worker_id: str) -> Lease | None:
        """Hand the first PENDING job to this worker, under a new token."""
        with self._lock:
            job = next((job for job in self._jobs.values() if job.status is Status.PENDING), None)
            if job is None:
                return None
            job.status = Status.RUNNING
            job.attempts += 1
            job.token = self._new_token()
            return Lease(job.id, job.token, job.type, job.payload, job.attempts, worker_id)

    def complete(self, job_id: str, token: str) -> None:
        """Mark the job SUCCEEDED, for the worker that holds it."""
        with self._lock:
            job = self._held(job_id, token)
            job.status = Status.SUCCEEDED

    def fail(self, job_id: str, token: str, error: str) -> None:
        """Give the job back, for the worker that holds it."""
        with self._lock:
            job = self._held(job_id, token)
            job.status = Status.PENDING
            job.last_error = error

    def view(self, job_id: str) -> JobView:
        """Show a job as it is now."""
        with self._lock:
            job = self._jobs[job_id]
            return JobView(job.id, job.status, job.attempts, job.last_error)

    def counts(self) -> Counts:
        """Count all jobs by state, all at one instant."""
        with self._lock:
            states = [job.status for job in self._jobs.values()]
            return Counts(*map(states.count, Status))

    # Whoever calls what follows has the lock.

    def _new_token(self) -> str:
        self._tokens += 1
        return f"token-{self._tokens}"

    def _held(self, job_id: str, token: str) -> _Job:
        job = self._jobs[job_id]
        if job.status is not Status.RUNNING or token != job.token:
            raise StaleTokenError(f"{token} is not the token of a current lease on {job_id}")
        return job
