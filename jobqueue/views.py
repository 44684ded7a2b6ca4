"""What callers see of a job: frozen copies of the queue's own record."""

from dataclasses import dataclass

from jobqueue.model import RUNNING, Job, JobStatus, Outcome


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


def latest_attempt(job: Job) -> Attempt:
    """Return the record of a job's latest attempt, running or ended."""
    assert job.started_at is not None and job.worker_id is not None  # noqa: S101, PT018 - for the type checker
    return Attempt(
        job.attempts + (job.outcome is Outcome.RELEASED),  # a release took the attempt off the count
        job.generation,
        job.worker_id,
        job.started_at,
        job.ended_at,
        job.outcome,
        job.last_error if job.outcome in {Outcome.FAILED, Outcome.EXPIRED} else None,
        job.era,
    )


def view_of(job: Job, hold: str | None = None) -> JobView:
    """Return what anybody sees of a job; `hold` says what keeps it back although it is ready."""
    is_running = job.status is RUNNING
    return JobView(
        id=job.id,
        type=job.type,
        priority=job.priority,
        status=job.status,
        attempts=job.attempts,
        next_run_at=job.run_at,
        last_error=job.last_error,
        tenant=job.tenant,
        cost=job.cost,
        deadline=job.deadline,
        request_key=job.request_key,
        submitted_at=job.submitted_at,
        generation=job.generation,
        worker_id=job.worker_id if is_running else None,
        lease_until=job.lease_until if is_running else None,
        finished_at=job.finished_at,
        failed_at=job.failed_at,
        dead_reason=job.dead_reason,
        redrive_generation=job.era,
        result=job.result,
        hold=hold,
    )
