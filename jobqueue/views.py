"""What callers get to see of a job: its lease, its attempts, and the job itself."""

from jobqueue.lifecycle import RUNNING
from jobqueue.model import Attempt, Job, JobView, Lease, Outcome


def attempt_of(job: Job) -> Attempt:
    """Return the record of the job's latest attempt, running or just ended."""
    assert job.worker_id is not None, "only a job that was handed out has an attempt"  # noqa: S101
    assert job.started_at is not None, "only a job that was handed out has an attempt"  # noqa: S101
    given_back = job.outcome is Outcome.RELEASED  # then the count of attempts is back where it was before
    return Attempt(
        attempt=job.attempts + given_back,
        generation=job.generation,
        worker_id=job.worker_id,
        started_at=job.started_at,
        ended_at=job.ended_at,
        outcome=job.outcome,
        error=job.last_error if job.outcome in {Outcome.FAILED, Outcome.EXPIRED} else None,
        era=job.era,
    )


def lease_of(job: Job) -> Lease:
    """Return what the worker that holds a running job gets to see."""
    assert job.worker_id is not None, "a running job has a worker"  # noqa: S101 - for the type checker
    assert job.lease_until is not None, "a running job has a lease"  # noqa: S101 - for the type checker
    return Lease(
        job_id=job.id,
        token=job.token,
        type=job.type,
        payload=job.payload,
        attempt=job.attempts,
        lease_until=job.lease_until,
        generation=job.generation,
        worker_id=job.worker_id,
        tenant=job.tenant,
        checkpoint=job.checkpoint,
    )


def view_of(job: Job, hold: str | None = None) -> JobView:
    """Return what anybody gets to see of a job; `hold` says what keeps it back although it is ready."""
    running = job.status is RUNNING
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
        worker_id=job.worker_id if running else None,
        lease_until=job.lease_until if running else None,
        finished_at=job.finished_at,
        failed_at=job.failed_at,
        dead_reason=job.dead_reason,
        redrive_generation=job.era,
        result=job.result,
        hold=hold,
    )
