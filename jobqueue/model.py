"""The records that a queue keeps and shows. All are frozen: a change is a new record.

`Job` is the queue's own record; `JobView`, `Lease` and `Attempt` are what callers get to see. Instants are
integer milliseconds on the queue's clock.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class JobStatus(StrEnum):
    """Where a job is in its life."""

    PENDING = "PENDING"
    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"
    DEAD = "DEAD"
    CANCELLED = "CANCELLED"


FINISHED = frozenset({JobStatus.SUCCEEDED, JobStatus.CANCELLED})
"""The ends from which nothing leads on; a DEAD job is not among them, for it can be retried."""


class Outcome(StrEnum):
    """How an attempt ended."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    EXPIRED = "expired"
    RELEASED = "released"


class Job(NamedTuple):
    """Everything that the queue remembers of a job; the rules in `lifecycle` turn one version into the next.

    A tuple, because each change makes a new version, and of all frozen records a tuple is made the fastest.

    Worker, start and lease are those of the latest attempt, also after it has ended: `outcome` is None while
    it runs, then says how it ended. `era` counts how often the job was brought back from the dead,
    `rest_millis` is the last rest between two attempts of this era, and `pending_since` the instant of the last
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
    status: JobStatus = JobStatus.PENDING
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
    def ready_since(self) -> int:
        """Since when it is ready, if it is: its run_at, or when it became PENDING, if that was later."""
        return max(self.run_at, self.pending_since)

    @property
    def id(self) -> str:
        """The job's id: the letter J and its place in submission order."""
        return f"J{self.number}"

    @property
    def token(self) -> str:
        """The token of the latest hand-out, readable on purpose: it fences, it is no secret."""
        return f"J{self.number}:{self.generation}"


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
    """A job as anyone may see it, at one instant.

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


@dataclass(frozen=True, slots=True)
class Submission:
    """What `submit_once` says: the job, and whether it was there already."""

    job_id: str
    replayed: bool


@dataclass(frozen=True, slots=True)
class Redrive:
    """One time that a job was brought back from the dead: the audit's record.

    `redrive_generation` counts them for each job from 1; `batch` is the same for all of one `redrive_many`.
    """

    job_id: str
    redrive_generation: int
    at: int
    run_at: int
    actor: str | None
    note: str | None
    has_new_payload: bool = False
    deadline: int | None = None
    batch: int | None = None


@dataclass(frozen=True, slots=True)
class RedriveRow:
    """What became of one id in a `redrive_many`.

    `outcome` is `done` or `skipped`; a skipped one has a `reason`: unknown, wrong_state, deadline or permanent.
    """

    job_id: str
    outcome: str
    reason: str | None = None
    redrive: Redrive | None = None


class Redrivable(NamedTuple):
    """Whether `redrive_many` would redrive a job: `reason` is None if so, else that of the skipped row."""

    job_id: str
    reason: str | None


def job_number(job_id: str) -> int:
    """Return a job's place in submission order; ids compared as text would put J10 before J2.

    >>> sorted(["J10", "J2"], key=job_number)
    ['J2', 'J10']
    """
    return int(job_id[1:])
