"""The records of a queue: the job as the queue keeps it, and what callers get to see of it.

`Job` is the queue's own record; only a store changes it, by what a rule of `lifecycle` returned. `Lease`,
`Attempt` and `JobView` are frozen copies for callers. Instants are integer milliseconds on the queue's clock.
"""

from dataclasses import dataclass
from enum import StrEnum


class JobStatus(StrEnum):
    """Where a job is in its life."""

    PENDING = "PENDING"
    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"
    DEAD = "DEAD"
    CANCELLED = "CANCELLED"


PENDING, RUNNING, SUCCEEDED, DEAD, CANCELLED = JobStatus

FINISHED = frozenset({SUCCEEDED, CANCELLED})
"""The ends from which nothing leads on; a DEAD job is not among them, since it can be redriven."""


class Outcome(StrEnum):
    """How an attempt ended."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    EXPIRED = "expired"
    RELEASED = "released"


@dataclass(frozen=True, slots=True)
class Lease:
    """A job in the hands of one worker, valid while now < `lease_until`."""

    job_id: str
    token: str
    type: str
    payload: str
    attempt: int
    lease_until: int
    generation: int
    worker_id: str
    tenant: str = "default"
    checkpoint: str | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """One hand-out of a job: who had it, from when to when, and how it ended (None while it runs)."""

    attempt: int
    generation: int
    worker_id: str
    started_at: int
    ended_at: int | None = None
    outcome: Outcome | None = None
    error: str | None = None
    era: int = 0


@dataclass(frozen=True, slots=True)
class JobView:
    """A job as anybody sees it, at one instant.

    `next_run_at` is the run_at of the last time the job was PENDING; `worker_id` and `lease_until` are there
    only while it is RUNNING, `failed_at` and `dead_reason` only while it is DEAD.
    """

    id: str
    type: str
    priority: int
    status: JobStatus
    attempts: int
    next_run_at: int
    last_error: str | None
    tenant: str = "default"
    cost: int = 1
    deadline: int | None = None
    request_key: str | None = None
    submitted_at: int = 0
    generation: int = 0
    worker_id: str | None = None
    lease_until: int | None = None
    finished_at: int | None = None
    failed_at: int | None = None
    dead_reason: str | None = None
    redrive_generation: int = 0
    result: str | None = None
    hold: str | None = None


@dataclass(slots=True)
class Job:
    """Everything that the queue remembers of a job.

    Worker, start, lease, end and outcome are those of the latest attempt, also after it has ended: `outcome` is
    None while it runs. `generation` counts hand-outs and never goes back; `attempts` does, at a redrive. `era`
    counts redrives, `rest_millis` is the last backoff of this era, and `pending_since` the instant of the last
    submit, retry or redrive.
    """

    number: int
    type: str
    payload: str
    priority: int
    tenant: str
    cost: int
    submitted_at: int
    run_at: int
    status: JobStatus = PENDING
    attempts: int = 0
    generation: int = 0
    era: int = 0
    worker_id: str | None = None
    started_at: int | None = None
    lease_until: int | None = None
    ended_at: int | None = None
    outcome: Outcome | None = None
    last_error: str | None = None
    finished_at: int | None = None
    failed_at: int | None = None
    dead_reason: str | None = None
    pending_since: int = 0
    rest_millis: int | None = None
    deadline: int | None = None
    request_key: str | None = None
    content_hash: str | None = None
    checkpoint: str | None = None
    result: str | None = None

    @property
    def id(self) -> str:
        """The job's id: the letter J and its place in submission order."""
        return f"J{self.number}"

    @property
    def token(self) -> str:
        """The token of the latest hand-out, readable on purpose: it fences, it is no secret."""
        return f"J{self.number}:{self.generation}"

    @property
    def ready_since(self) -> int:
        """Since when it is ready, if it is: its run_at, or when it became PENDING, if that was later."""
        return max(self.run_at, self.pending_since)

    def lease(self) -> Lease:
        """Return what the worker that holds this RUNNING job gets to see."""
        assert self.lease_until is not None and self.worker_id is not None  # noqa: S101, PT018 - for the type checker
        job_id = f"J{self.number}"
        return Lease(
            job_id,
            f"{job_id}:{self.generation}",
            self.type,
            self.payload,
            self.attempts,
            self.lease_until,
            self.generation,
            self.worker_id,
            self.tenant,
            self.checkpoint,
        )

    def attempt(self) -> Attempt:
        """Return the record of the latest attempt, running or ended."""
        assert self.started_at is not None and self.worker_id is not None  # noqa: S101, PT018 - for the type checker
        return Attempt(
            self.attempts + (self.outcome is Outcome.RELEASED),  # a release took the attempt off the count
            self.generation,
            self.worker_id,
            self.started_at,
            self.ended_at,
            self.outcome,
            self.last_error if self.outcome in {Outcome.FAILED, Outcome.EXPIRED} else None,
            self.era,
        )

    def view(self, hold: str | None = None) -> JobView:
        """Return what anybody gets to see of it; `hold` says what keeps it back although it is ready."""
        is_running = self.status is RUNNING
        return JobView(
            id=self.id,
            type=self.type,
            priority=self.priority,
            status=self.status,
            attempts=self.attempts,
            next_run_at=self.run_at,
            last_error=self.last_error,
            tenant=self.tenant,
            cost=self.cost,
            deadline=self.deadline,
            request_key=self.request_key,
            submitted_at=self.submitted_at,
            generation=self.generation,
            worker_id=self.worker_id if is_running else None,
            lease_until=self.lease_until if is_running else None,
            finished_at=self.finished_at,
            failed_at=self.failed_at,
            dead_reason=self.dead_reason,
            redrive_generation=self.era,
            result=self.result,
            hold=hold,
        )


def job_number(job_id: str) -> int:
    """Return a job's place in submission order; ids compared as text would put J10 before J2.

    >>> sorted(["J10", "J2"], key=job_number)
    ['J2', 'J10']
    """
    return int(job_id[1:])
