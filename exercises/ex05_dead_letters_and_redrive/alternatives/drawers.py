"""Another right answer: a dead job lies in a drawer of its own, and so does each that waits or runs."""

from dataclasses import dataclass
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


class Job:
    """One job; where it lies says what it is."""

    def __init__(self, number: int, type: str, payload: str, deadline: int | None, run_at: int) -> None:
        self.number, self.type, self.payload, self.deadline, self.run_at = (
            number,
            type,
            payload,
            deadline,
            run_at,
        )
        self.name = f"J{number}"
        self.attempts = 0
        self.error: str | None = None
        self.past: list[tuple[int, str | None, str | None]] = []
        self.remarks: list[str] = []

    @property
    def token(self) -> str:
        """The token of the latest hand-out."""
        return f"{self.name}:{len(self.past)}"


class DeadLetterQueue:
    """Four drawers."""

    def __init__(self, clock: TimeSource, max_attempts: int, rest_millis: int) -> None:
        self._now = clock.now
        self._max_attempts = max_attempts
        self._rest_millis = rest_millis
        self._all: dict[str, Job] = {}
        self._waiting: dict[str, Job] = {}
        self._running: dict[str, Job] = {}
        self._dead: dict[str, tuple[int, str]] = {}

    def submit(self, type: str, payload: str = "", deadline: int | None = None) -> str:
        """Put a job into the first drawer."""
        job = Job(len(self._all) + 1, type, payload, deadline, self._now())
        self._all[job.name] = self._waiting[job.name] = job
        return job.name

    def poll(self, worker_id: str, lease_millis: int) -> Lease | None:
        """Move a job from the first drawer into the second."""
        job = min(self._waiting.values(), key=lambda one: (one.run_at, one.number), default=None)
        if job is None or self._now() < job.run_at:
            return None
        self._running[job.name] = self._waiting.pop(job.name)
        job.attempts += 1
        job.past.append((job.attempts, None, None))
        return Lease(
            job.name,
            job.token,
            job.type,
            job.payload,
            job.attempts,
            len(job.past),
            self._now() + lease_millis,
            worker_id,
        )

    def complete(self, job_id: str, token: str) -> None:
        """Take a job out of the second drawer."""
        job = self._take(job_id, token)
        job.past[-1] = (job.attempts, "succeeded", None)

    def view(self, job_id: str) -> JobView:
        """Look where the job lies."""
        job = self._all[job_id]
        status = Status.SUCCEEDED
        for drawer, name in ((self._waiting, "PENDING"), (self._running, "RUNNING"), (self._dead, "DEAD")):
            if job_id in drawer:
                status = Status(name)
        death = self._dead.get(job_id, (None, None))
        return JobView(job_id, status, job.attempts, job.run_at, job.error, *death)

    def fail(self, job_id: str, token: str, error: str, *, permanent: bool = False) -> None:
        """Move a job into the first drawer or the third."""
        job = self._take(job_id, token)
        job.error = error
        job.past[-1] = (job.attempts, "failed", error)
        retry_at = self._now() + self._rest_millis
        if permanent:
            self._dead[job_id] = (self._now(), "permanent")
        elif job.attempts == self._max_attempts:
            self._dead[job_id] = (self._now(), "attempts_exhausted")
        elif job.deadline is not None and job.deadline <= retry_at:
            self._dead[job_id] = (self._now(), "deadline")
        else:
            job.run_at = retry_at
            self._waiting[job_id] = job

    def dead_letters(self) -> list[str]:
        """Sort the third drawer by number."""
        return sorted(self._dead, key=lambda name: self._all[name].number)

    def history(self, job_id: str) -> list[Attempt]:
        """Write the past down."""
        past = self._all[job_id].past
        return [
            Attempt(attempt, n, outcome, error) for n, (attempt, outcome, error) in enumerate(past, start=1)
        ]

    def retry_dead(self, job_id: str) -> None:
        """Move a job from the third drawer into the first."""
        if self._dead.pop(job_id, None) is None:
            raise NotDeadError(job_id)
        job = self._waiting[job_id] = self._all[job_id]
        job.attempts, job.run_at = 0, self._now()

    def redrive(self, job_id: str, note: str) -> None:
        """The same, with a note."""
        self.retry_dead(job_id)
        self._all[job_id].remarks.append(note)

    def notes(self, job_id: str) -> list[str]:
        """Tell the notes."""
        return self._all[job_id].remarks

    def redrive_many(self, job_ids: list[str], note: str, spread_millis: int = 0) -> list[tuple[str, str]]:
        """Decide about all rows first, then act."""
        rows = {name: "done" if name in self._dead else "wrong_state" for name in self._all if name in job_ids}
        done = [name for name, outcome in rows.items() if outcome == "done"]
        for place, name in enumerate(done):
            self.redrive(name, note)
            self._all[name].run_at += place * spread_millis
        rows |= {name: "unknown" for name in job_ids if name not in self._all}
        return list(rows.items())

    def _take(self, job_id: str, token: str) -> Job:
        job = self._running.get(job_id)
        if job is None or job.token != token:
            raise StaleTokenError(job_id)
        return self._running.pop(job_id)
