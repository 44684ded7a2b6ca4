"""ex07, the whole queue: one right answer. Every call takes the lock, settles what is due, then looks."""

import threading
from dataclasses import dataclass

from jobqueue import TimeSource


class UnknownJobError(LookupError):
    """No job has this id."""


class IllegalStateError(RuntimeError):
    """The job is not in a state in which this can be done."""


class StaleTokenError(IllegalStateError):
    """The token is not the one of the job's current lease."""


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
    status: str
    attempts: int
    priority: int
    next_run_at: int
    last_error: str | None


@dataclass(slots=True)
class _Job:
    """What the queue remembers of a job."""

    number: int
    type: str
    payload: str
    priority: int
    run_at: int
    status: str = "PENDING"
    attempts: int = 0
    generation: int = 0
    lease_until: int = 0
    worker_id: str = ""
    last_error: str | None = None

    @property
    def id(self) -> str:
        return f"J{self.number}"

    @property
    def token(self) -> str:
        return f"{self.id}:{self.generation}"

    def lease(self) -> Lease:
        return Lease(
            self.id, self.token, self.type, self.payload, self.attempts, self.lease_until, self.worker_id
        )

    def view(self) -> JobView:
        return JobView(self.id, self.status, self.attempts, self.priority, self.run_at, self.last_error)


class JobQueue:
    """A queue with leases, retries and dead letters."""

    def __init__(self, clock: TimeSource, max_attempts: int, base_backoff: int, max_backoff: int) -> None:
        self._clock = clock
        self._max_attempts = max_attempts
        self._base_backoff = base_backoff
        self._max_backoff = max_backoff
        self._jobs: dict[str, _Job] = {}
        self._lock = threading.Lock()

    def submit(self, type: str, payload: str = "", priority: int = 0, run_at_millis: int | None = None) -> str:
        """Take a new job in and return its id."""
        with self._lock:
            run_at = self._clock.now() if run_at_millis is None else run_at_millis
            job = _Job(len(self._jobs) + 1, type, payload, priority, run_at)
            self._jobs[job.id] = job
            return job.id

    def poll(self, worker_id: str, lease_millis: int) -> Lease | None:
        """Hand the best ready job to this worker."""
        with self._lock:
            now = self._settle()
            ready = [job for job in self._jobs.values() if job.status == "PENDING" and job.run_at <= now]
            if not ready:
                return None
            job = min(ready, key=lambda job: (-job.priority, job.run_at, job.number))
            job.status = "RUNNING"
            job.attempts += 1
            job.generation += 1
            job.lease_until = now + lease_millis
            job.worker_id = worker_id
            return job.lease()

    def complete(self, job_id: str, token: str) -> None:
        """Mark the job SUCCEEDED, for its holder."""
        with self._lock:
            job, _ = self._held(job_id, token)
            job.status = "SUCCEEDED"

    def fail(self, job_id: str, token: str, error: str) -> None:
        """End the attempt, for its holder."""
        with self._lock:
            job, now = self._held(job_id, token)
            self._end_attempt(job, now, error)

    def renew(self, job_id: str, token: str, lease_millis: int) -> Lease:
        """Make the lease longer, for its holder; never shorter."""
        with self._lock:
            job, now = self._held(job_id, token)
            job.lease_until = max(job.lease_until, now + lease_millis)
            return job.lease()

    def cancel(self, job_id: str) -> None:
        """Take back a PENDING job."""
        with self._lock:
            self._in_state(job_id, "PENDING").status = "CANCELLED"

    def retry_dead(self, job_id: str) -> None:
        """Bring a DEAD job back: ready now, its attempts counted anew."""
        with self._lock:
            job = self._in_state(job_id, "DEAD")
            job.status = "PENDING"
            job.attempts = 0
            job.run_at = self._clock.now()

    def view(self, job_id: str) -> JobView:
        """Show a job as it is now."""
        with self._lock:
            return self._find(job_id).view()

    def dead_letters(self) -> list[JobView]:
        """Show all DEAD jobs, in the order of submission."""
        with self._lock:
            self._settle()
            return [job.view() for job in self._jobs.values() if job.status == "DEAD"]

    # Whoever calls what follows has the lock.

    def _settle(self) -> int:
        """End every lease that is over, as of the instant of its end; return now."""
        now = self._clock.now()
        for job in self._jobs.values():
            if job.status == "RUNNING" and now >= job.lease_until:
                self._end_attempt(job, job.lease_until, "lease expired")
        return now

    def _end_attempt(self, job: _Job, at: int, error: str) -> None:
        job.last_error = error
        if job.attempts >= self._max_attempts:
            job.status = "DEAD"
            return
        job.status = "PENDING"
        job.run_at = at + min(self._max_backoff, self._base_backoff * 2 ** (job.attempts - 1))

    def _find(self, job_id: str) -> _Job:
        self._settle()
        if job_id not in self._jobs:
            raise UnknownJobError(f"no job has the id {job_id}")
        return self._jobs[job_id]

    def _held(self, job_id: str, token: str) -> tuple[_Job, int]:
        job = self._find(job_id)
        if job.status != "RUNNING" or token != job.token:
            raise StaleTokenError(f"{token} is not the token of a current lease on {job_id}")
        return job, self._clock.now()

    def _in_state(self, job_id: str, status: str) -> _Job:
        job = self._find(job_id)
        if job.status != status:
            raise IllegalStateError(f"{job_id} is {job.status}, not {status}")
        return job
