"""What the API answers with, as records: the answers and their description are both made of these."""

from dataclasses import dataclass

from jobqueue import Attempt, JobView, Lease, Redrive, RedriveRow, Stats
from jobqueue.wire import reference_of


@dataclass(frozen=True, slots=True)
class Submitted:
    """The answer to a submit."""

    job_id: str
    replayed: bool


@dataclass(frozen=True, slots=True)
class JobPage:
    """One page of jobs, newest first; `next` is the `after` of the page that follows, if one does."""

    jobs: list[JobView]
    next: str | None


@dataclass(frozen=True, slots=True)
class JobDetail:
    """Everything about one job. A payload that is elsewhere is empty, and `payload_ref` says where."""

    job: JobView
    payload: str
    payload_ref: str | None
    history: list[Attempt]
    redrives: list[Redrive]


@dataclass(frozen=True, slots=True)
class HandedOut(Lease):
    """A lease, with where the payload is if it is elsewhere."""

    payload_ref: str | None = None


@dataclass(frozen=True, slots=True)
class Claimed:
    """The answer to a claim."""

    leases: list[HandedOut]


@dataclass(frozen=True, slots=True)
class Completed:
    """The answer to a completion; `replayed` says that the same one was accepted before."""

    job_id: str
    replayed: bool


@dataclass(frozen=True, slots=True)
class JobAnswer:
    """The job as it is after what was done to it."""

    job: JobView


@dataclass(frozen=True, slots=True)
class RedriveAnswer:
    """The record of one redrive."""

    redrive: Redrive


@dataclass(frozen=True, slots=True)
class RedriveRows:
    """What became of each id."""

    rows: list[RedriveRow]


@dataclass(frozen=True, slots=True)
class PausedTypes:
    """The types that are paused."""

    paused: list[str]


@dataclass(frozen=True, slots=True)
class Figures:
    """The queue at one instant."""

    stats: Stats
    paused: list[str]


@dataclass(frozen=True, slots=True)
class HealthAnswer:
    """Whether the queue is well, and what is wrong."""

    ok: bool
    problems: list[str]


def handed_out(lease: Lease) -> HandedOut:
    """Return a lease as the API hands it out."""
    where = reference_of(lease.payload)
    return HandedOut(
        job_id=lease.job_id,
        token=lease.token,
        type=lease.type,
        payload=lease.payload if where is None else "",
        attempt=lease.attempt,
        lease_until=lease.lease_until,
        generation=lease.generation,
        worker_id=lease.worker_id,
        tenant=lease.tenant,
        checkpoint=lease.checkpoint,
        payload_ref=where,
    )
