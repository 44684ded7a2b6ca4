"""ex05, dead letters and redrive: one right answer. One place decides about a failure, one about a return."""

from dataclasses import dataclass, field, replace
from enum import StrEnum

from jobqueue import TimeSource


class StaleTokenError(RuntimeError):
    """The token that was shown is not the one of the job's current hand-out."""


class NotDeadError(RuntimeError):
    """Only a dead job can be brought back."""


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
    generation: int
    lease_until: int
    worker_id: str


@dataclass(frozen=True, slots=True)
class Attempt:
    """One hand-out of a job, as history tells it."""

    attempt: int
    generation: int
    outcome: str | None
    error: str | None


@dataclass(frozen=True, slots=True)
class JobView:
    """What anybody may see of a job."""

    id: str
    status: Status
    attempts: int
    run_at: int
    last_error: str | None
    failed_at: int | None
    dead_reason: str | None


@dataclass(slots=True)
class _Job:
    """What the queue remembers of a job. The number of attempts in its history is the generation."""

    id: str
    type: str
    payload: str
    deadline: int | None
    run_at: int
    status: Status = Status.PENDING
    attempts: int = 0
    last_error: str | None = None
    failed_at: int | None = None
    dead_reason: str | None = None
    history: list[Attempt] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class DeadLetterQueue:
    """A queue that gives up on a job in time, keeps it, and brings it back when a person says so."""

    def __init__(self, clock: TimeSource, max_attempts: int, rest_millis: int) -> None:
        self._clock = clock
        self._max_attempts = max_attempts
        self._rest_millis = rest_millis
        self._jobs: dict[str, _Job] = {}

    def submit(self, type: str, payload: str = "", deadline: int | None = None) -> str:
        """Take a new job in, and return its id."""
        job_id = f"J{len(self._jobs) + 1}"
        self._jobs[job_id] = _Job(job_id, type, payload, deadline, run_at=self._clock.now())
        return job_id

    def poll(self, worker_id: str, lease_millis: int) -> Lease | None:
        """Hand a ready job to this worker."""
        now = self._clock.now()
        ready = [job for job in self._jobs.values() if job.status is Status.PENDING and job.run_at <= now]
        if not ready:
            return None
        job = min(ready, key=lambda one: one.run_at)  # of equals min takes the first, as submitted
        job.status = Status.RUNNING
        job.attempts += 1
        generation = len(job.history) + 1
        job.history.append(Attempt(job.attempts, generation, None, None))
        token = f"{job.id}:{generation}"
        return Lease(
            job.id, token, job.type, job.payload, job.attempts, generation, now + lease_millis, worker_id
        )

    def complete(self, job_id: str, token: str) -> None:
        """Mark the job SUCCEEDED, for its holder."""
        job = self._held(job_id, token)
        job.status = Status.SUCCEEDED
        job.history[-1] = replace(job.history[-1], outcome="succeeded")

    def view(self, job_id: str) -> JobView:
        """Show a job."""
        job = self._jobs[job_id]
        dead = (job.failed_at, job.dead_reason)
        return JobView(job.id, job.status, job.attempts, job.run_at, job.last_error, *dead)

    def fail(self, job_id: str, token: str, error: str, *, permanent: bool = False) -> None:
        """End the attempt, for its holder, and retry the job or bury it."""
        job = self._held(job_id, token)
        job.last_error = error
        job.history[-1] = replace(job.history[-1], outcome="failed", error=error)
        retry_at = self._clock.now() + self._rest_millis
        reason = self._reason_to_give_up(job, retry_at, permanent=permanent)
        if reason is None:
            job.status = Status.PENDING
            job.run_at = retry_at
        else:
            job.status = Status.DEAD
            job.failed_at = self._clock.now()
            job.dead_reason = reason

    def dead_letters(self) -> list[str]:
        """Tell the ids of all dead jobs."""
        return [job.id for job in self._jobs.values() if job.status is Status.DEAD]

    def history(self, job_id: str) -> list[Attempt]:
        """Tell all attempts of a job."""
        return self._jobs[job_id].history

    def retry_dead(self, job_id: str) -> None:
        """Bring a dead job back."""
        self._revive(job_id, self._clock.now())

    def redrive(self, job_id: str, note: str) -> None:
        """Bring a dead job back, with a note."""
        self._revive(job_id, self._clock.now())
        self._jobs[job_id].notes.append(note)

    def notes(self, job_id: str) -> list[str]:
        """Tell the notes of a job."""
        return self._jobs[job_id].notes

    def redrive_many(self, job_ids: list[str], note: str, spread_millis: int = 0) -> list[tuple[str, str]]:
        """Redrive these jobs, each once, spread."""
        rows = []
        run_at = self._clock.now()
        known = [name for name in self._jobs if name in job_ids]
        for name in known:
            if self._jobs[name].status is not Status.DEAD:
                rows.append((name, "wrong_state"))
                continue
            self._revive(name, run_at)
            self._jobs[name].notes.append(note)
            rows.append((name, "done"))
            run_at += spread_millis
        unknown = [name for name in dict.fromkeys(job_ids) if name not in self._jobs]
        return rows + [(name, "unknown") for name in unknown]

    def _held(self, job_id: str, token: str) -> _Job:
        job = self._jobs[job_id]
        if job.status is not Status.RUNNING or token != f"{job.id}:{len(job.history)}":
            raise StaleTokenError(f"{token} is not the token of the current hand-out of {job_id}")
        return job

    def _reason_to_give_up(self, job: _Job, retry_at: int, *, permanent: bool) -> str | None:
        if permanent:
            return "permanent"
        if job.attempts >= self._max_attempts:
            return "attempts_exhausted"
        if job.deadline is not None and retry_at >= job.deadline:
            return "deadline"
        return None

    def _revive(self, job_id: str, run_at: int) -> None:
        job = self._jobs[job_id]
        if job.status is not Status.DEAD:
            raise NotDeadError(f"{job_id} is {job.status}")
        job.status = Status.PENDING
        job.run_at = run_at
        job.attempts = 0
        job.failed_at = None
        job.dead_reason = None
