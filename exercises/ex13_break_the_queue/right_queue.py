"""The right queue that the tests of ex13 are about. Each flawed one is this text with one place changed.

It keeps every rule of task.md, in the plainest way: a list of jobs, gone through from the beginning.
"""

from dataclasses import dataclass
from enum import StrEnum

from jobqueue import IllegalStateError, ManualClock, StaleTokenError


class Status(StrEnum):
    """Where a job stands."""

    PENDING = "PENDING"
    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"
    DEAD = "DEAD"


@dataclass(frozen=True, slots=True)
class Lease:
    """What a worker gets from poll and renew."""

    job_id: str
    token: str
    type: str
    payload: str
    attempt: int
    lease_until: int


@dataclass(frozen=True, slots=True)
class JobView:
    """What anybody may see of a job."""

    id: str
    status: Status
    attempts: int
    next_run_at: int
    last_error: str | None


@dataclass(slots=True)
class _Job:
    """What the queue remembers of a job."""

    number: int
    type: str
    payload: str
    priority: int
    next_run_at: int
    status: Status = Status.PENDING
    attempts: int = 0
    generation: int = 0
    token: str = ""
    lease_until: int = 0
    last_error: str | None = None

    @property
    def id(self) -> str:
        return f"J{self.number}"


class Queue:
    """A queue with leases, tokens, retries and dead letters."""

    def __init__(self, clock: ManualClock, max_attempts: int, base: int, cap: int) -> None:
        self._clock = clock
        self._max_attempts, self._base, self._cap = max_attempts, base, cap
        self._jobs: dict[str, _Job] = {}

    def submit(self, type: str, payload: str = "", priority: int = 0) -> str:
        """Take a job in and return its id."""
        job = _Job(len(self._jobs) + 1, type, payload, priority, self._clock.now())
        self._jobs[job.id] = job
        return job.id

    def poll(self, worker_id: str, lease_millis: int) -> Lease | None:
        """Hand the best ready job to this worker."""
        now = self._settle()
        ready = [job for job in self._jobs.values() if job.status is Status.PENDING and job.next_run_at <= now]
        if not ready:
            return None
        job = min(ready, key=lambda job: (-job.priority, job.next_run_at, job.number))
        job.status = Status.RUNNING
        job.attempts += 1
        job.generation += 1
        job.token = f"{job.id}:{job.generation}"
        job.lease_until = now + lease_millis
        return self._lease(job)

    def renew(self, job_id: str, token: str, lease_millis: int) -> Lease:
        """Move the end of the current lease, never to an earlier instant."""
        job = self._held(job_id, token)
        job.lease_until = max(job.lease_until, self._clock.now() + lease_millis)
        return self._lease(job)

    def complete(self, job_id: str, token: str) -> None:
        """Report that the job is done."""
        job = self._held(job_id, token)
        job.status = Status.SUCCEEDED

    def fail(self, job_id: str, token: str, error: str) -> None:
        """Report that the attempt has failed."""
        now, job = self._clock.now(), self._held(job_id, token)
        self._end_attempt(job, now, error)

    def view(self, job_id: str) -> JobView:
        """Show a job as it is now."""
        self._settle()
        return self._view(self._jobs[job_id])

    def dead_letters(self) -> list[JobView]:
        """Show all dead jobs in the order of submission."""
        self._settle()
        return [self._view(job) for job in self._jobs.values() if job.status is Status.DEAD]

    def retry_dead(self, job_id: str) -> None:
        """Give a dead job a new set of attempts."""
        now, job = self._settle(), self._jobs[job_id]
        if job.status is not Status.DEAD:
            raise IllegalStateError(f"cannot retry {job_id}: it is {job.status}, not DEAD")
        job.status = Status.PENDING
        job.attempts = 0
        job.next_run_at = now

    def _held(self, job_id: str, token: str) -> _Job:
        """Return the job if this token is the one of its current lease."""
        self._settle()
        job = self._jobs[job_id]
        if job.status is not Status.RUNNING or token != job.token:
            raise StaleTokenError(f"{token} is not the token of a current lease on {job_id}")
        return job

    def _settle(self) -> int:
        """End every lease whose time is over, before anybody looks. Return the present instant."""
        now = self._clock.now()
        for job in self._jobs.values():
            if job.status is Status.RUNNING and now >= job.lease_until:
                self._end_attempt(job, job.lease_until, "lease expired")
        return now

    def _end_attempt(self, job: _Job, at: int, error: str) -> None:
        """Note a failure of this instant: the job rests and is tried again, or it is dead."""
        job.last_error = error
        if job.attempts >= self._max_attempts:
            job.status = Status.DEAD
            return
        job.status = Status.PENDING
        job.next_run_at = at + min(self._cap, self._base * 2 ** (job.attempts - 1))

    @staticmethod
    def _lease(job: _Job) -> Lease:
        return Lease(job.id, job.token, job.type, job.payload, job.attempts, job.lease_until)

    @staticmethod
    def _view(job: _Job) -> JobView:
        return JobView(job.id, job.status, job.attempts, job.next_run_at, job.last_error)


def make_queue(
    max_attempts: int = 3, base_backoff_millis: int = 1_000, max_backoff_millis: int = 60_000
) -> tuple[Queue, ManualClock]:
    """Make an empty queue and the clock that it reads, at 0."""
    clock = ManualClock()
    return Queue(clock, max_attempts, base_backoff_millis, max_backoff_millis), clock
