"""Changes told as events, and events turned back into changes.

The halves are each other's inverse: what `kinds` and `detail` say of a change is enough for `retell` to make it
again, through the same rules in `lifecycle`. So a log alone rebuilds every job.
"""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any

from jobqueue import lifecycle
from jobqueue.arguments import LONGEST_NAME
from jobqueue.errors import AdmissionError, IllegalStateError, StaleTokenError
from jobqueue.events import Event, EventKind
from jobqueue.lifecycle import CANCELLED, DEAD, PENDING, RUNNING, SUCCEEDED
from jobqueue.model import Job, Outcome, Redrive, job_number
from jobqueue.orders import Order

_ENDINGS = {
    Outcome.FAILED: EventKind.FAILED,
    Outcome.EXPIRED: EventKind.LEASE_EXPIRED,
    Outcome.RELEASED: EventKind.RELEASED,
}


def kinds(before: Job | None, after: Job) -> tuple[EventKind, ...]:
    """Return what the change from one version of a job to the next is called.

    A failed attempt is told in two events: how the attempt ended, then what became of the job.
    """
    if before is None:
        return (EventKind.SUBMITTED,)
    change = before.status, after.status
    if change == (RUNNING, PENDING) and after.outcome is Outcome.RELEASED:
        return (EventKind.RELEASED,)
    if change in {(RUNNING, PENDING), (RUNNING, DEAD)}:
        became = EventKind.RETRY_SCHEDULED if after.status is PENDING else EventKind.DEAD_LETTERED
        assert after.outcome is not None, "an attempt that ended has an outcome"  # noqa: S101
        return _ENDINGS[after.outcome], became
    return (_KINDS[change],)


_KINDS = {
    (PENDING, RUNNING): EventKind.LEASED,
    (RUNNING, RUNNING): EventKind.RENEWED,
    (RUNNING, SUCCEEDED): EventKind.COMPLETED,
    (PENDING, DEAD): EventKind.DEAD_LETTERED,
    (PENDING, CANCELLED): EventKind.CANCELLED,
    (DEAD, PENDING): EventKind.REDRIVEN,
}


def detail(kind: EventKind, job: Job) -> dict[str, Any]:  # noqa: PLR0911 - one return per kind
    """Return what an event tells beside who and when; a submit tells its arguments, which the job has lost."""
    match kind:
        case EventKind.LEASED:
            return {"token": job.token, "lease_until": job.lease_until}
        case EventKind.RENEWED:
            return {"token": job.token, "lease_until": job.lease_until, "checkpoint": job.checkpoint}
        case EventKind.COMPLETED:
            hashed = None if job.result is None else sha256(job.result.encode()).hexdigest()
            return {"token": job.token, "result": job.result, "result_sha256": hashed}
        case EventKind.FAILED | EventKind.LEASE_EXPIRED:
            return {"token": job.token, "error": job.last_error}
        case EventKind.RELEASED:
            return {"token": job.token}
        case EventKind.RETRY_SCHEDULED:
            return {"run_at": job.run_at}
        case EventKind.DEAD_LETTERED:
            return {"reason": job.dead_reason}
        case EventKind.REDRIVEN:
            return {"era": job.era, "run_at": job.run_at, "deadline": job.deadline}
        case _:
            return {}


def refusal_detail(refusal: IllegalStateError | AdmissionError, job: Job | None) -> dict[str, Any]:
    """Return what a refused call asked for and what stood against it."""
    found: dict[str, Any] = {"operation": "submit", "status": None, "token": None}
    found |= {"reason": "wrong_state", "message": str(refusal)}
    if isinstance(refusal, IllegalStateError):
        found |= {"operation": refusal.operation, "status": str(refusal.status)}
    else:
        found |= {"reason": "admission", "retry_after_millis": refusal.retry_after_millis}
    if job is not None and job.status is RUNNING:
        found |= {"holder": job.worker_id, "held_token": job.token, "lease_until": job.lease_until}
    if isinstance(refusal, StaleTokenError):
        found |= {"token": refusal.token[:LONGEST_NAME], "reason": refusal.reason}
    return found


def retell(events: Iterable[Event]) -> Iterator[tuple[Event, Job | None, Job | None]]:
    """Yield each event with its job before and after it; no after where the event changes no job by itself."""
    jobs: dict[str, Job] = {}
    ending = None
    for event in events:
        before = jobs.get(str(event.job_id))
        after = _submitted(event) if event.kind is EventKind.SUBMITTED else None
        if before is not None:
            after = _after(before, event, ending)
        if after is not None:
            jobs[after.id] = after
        elif event.kind is EventKind.DROPPED:
            del jobs[str(event.job_id)]
        yield event, before, after
        ending = event


def redrive_of(event: Event, job: Job) -> Redrive:
    """Return the audit's record of a job that an event tells was brought back."""
    told = event.detail
    has_new = told["payload"] is not None
    return Redrive(
        job.id, job.era, event.at, job.run_at, told["actor"], told["note"], has_new, job.deadline, told["batch"]
    )


def _after(job: Job, event: Event, ending: Event | None) -> Job | None:  # noqa: PLR0911 - one return per arrow
    """Return the version of its job that an event leads to.

    `ending` is the event before: for a scheduled retry or a dead letter it tells how the attempt ended.
    """
    at, told = event.at, event.detail
    match event.kind:
        case EventKind.LEASED:
            return lifecycle.leased(job, at, str(event.worker_id), told["lease_until"] - at)
        case EventKind.RENEWED:
            return lifecycle.renewed(job, at, told["lease_until"] - at, told["checkpoint"])
        case EventKind.COMPLETED:
            return lifecycle.completed(job, at, told["result"])
        case EventKind.RELEASED if job.deadline is None or at < job.deadline:
            return lifecycle.released(job, at)
        case EventKind.RETRY_SCHEDULED if ending:
            return lifecycle.to_retry(job, at, *_ending(ending), run_at=told["run_at"])
        case EventKind.DEAD_LETTERED if job.status is PENDING:
            is_missed = told["reason"] == lifecycle.DEADLINE
            return lifecycle.missed(job) if is_missed else lifecycle.exhausted(job, at)
        case EventKind.DEAD_LETTERED if ending and ending.kind is EventKind.RELEASED:
            return lifecycle.released(job, at)
        case EventKind.DEAD_LETTERED if ending:
            return lifecycle.to_bury(job, at, *_ending(ending), reason=told["reason"])
        case EventKind.REDRIVEN:
            return lifecycle.brought_back(
                job, at, payload=told["payload"], deadline=told["deadline"], run_at=told["run_at"]
            )
        case EventKind.CANCELLED:
            return lifecycle.cancelled(job, at)
    return None


def _ending(event: Event) -> tuple[str, Outcome]:
    """Return the error and the outcome of an attempt from the event of its bad end."""
    expired = event.kind is EventKind.LEASE_EXPIRED
    return event.detail["error"], Outcome.EXPIRED if expired else Outcome.FAILED


def _submitted(event: Event) -> Job:
    return Order(**event.detail).job(job_number(str(event.job_id)), event.at)
