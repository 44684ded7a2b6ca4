"""The records of a queue: the job as the queue keeps it, and the lease that a worker gets.

`Job` is the queue's own record; only a store changes it, by what a rule of `lifecycle` returned. A `Lease` is
a frozen copy for its worker; other copies are in `views`. Instants are integer milliseconds.
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


def job_number(job_id: str) -> int:
    """Return a job's place in submission order; ids compared as text would put J10 before J2.

    >>> sorted(["J10", "J2"], key=job_number)
    ['J2', 'J10']
    """
    return int(job_id[1:])
