"""Changes told as events, and events turned back into changes.

The two halves are each other's inverse: what `tell` writes of a change is enough for `retell` to make it
again, through the same rules in `lifecycle`. So a log alone rebuilds every job.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from jobqueue import lifecycle
from jobqueue.events import Event, EventKind
from jobqueue.model import Job, Outcome, job_number

Telling = tuple[EventKind, Mapping[str, Any]]


def tell(before: Job | None, after: Job) -> Iterator[Telling]:
    """Yield what the change from one version of a job to the next is called, each with its detail.

    A failed attempt is told in two events: how the attempt ended, then what became of the job.
    """
    match (before and before.status, after.status):
        case (None, _):
            yield EventKind.SUBMITTED, {}
        case (lifecycle.PENDING, lifecycle.RUNNING):
            yield EventKind.LEASED, {"token": after.token, "lease_until": after.lease_until}
        case (lifecycle.RUNNING, lifecycle.RUNNING):
            yield EventKind.RENEWED, {"token": after.token, "lease_until": after.lease_until}
        case (lifecycle.RUNNING, lifecycle.SUCCEEDED):
            yield EventKind.COMPLETED, {"token": after.token}
        case (lifecycle.RUNNING, _):
            ending = EventKind.LEASE_EXPIRED if after.outcome is Outcome.EXPIRED else EventKind.FAILED
            yield ending, {"token": after.token, "error": after.last_error}
            if after.status is lifecycle.PENDING:
                yield EventKind.RETRY_SCHEDULED, {"run_at": after.run_at}
            else:
                yield EventKind.DEAD_LETTERED, {"reason": after.dead_reason}
        case (lifecycle.DEAD, _):
            yield EventKind.REDRIVEN, {"era": after.era, "run_at": after.run_at}
        case _:
            yield EventKind.CANCELLED, {}


def retell(events: Iterable[Event]) -> Iterator[tuple[Event, tuple[Job | None, Job]]]:
    """Yield each change that the events tell of: the event, with the job before and after it."""
    jobs: dict[str, Job] = {}
    ending = None
    for event in events:
        after = _after(jobs, event, ending)
        if after is not None:
            yield event, (jobs.get(after.id), after)
            jobs[after.id] = after
        elif event.kind is EventKind.DROPPED:
            del jobs[str(event.job_id)]
        ending = event


def _after(jobs: Mapping[str, Job], event: Event, ending: Event | None) -> Job | None:  # noqa: PLR0911 - one per arrow
    """Return the version of its job that an event leads to; None where it changes no job by itself.

    `ending` is the event before: for a scheduled retry or a dead letter it tells how the attempt ended.
    """
    at, detail = event.at, event.detail
    if event.kind is EventKind.SUBMITTED:
        return _submitted(event)
    job = jobs[str(event.job_id)]
    match event.kind:
        case EventKind.LEASED:
            return lifecycle.leased(job, at, str(event.worker_id), detail["lease_until"] - at)
        case EventKind.RENEWED:
            return lifecycle.renewed(job, at, detail["lease_until"] - at)
        case EventKind.COMPLETED:
            return lifecycle.completed(job, at)
        case EventKind.RETRY_SCHEDULED if ending:
            return lifecycle.to_retry(job, at, *_ending(ending), run_at=detail["run_at"])
        case EventKind.DEAD_LETTERED if ending:
            return lifecycle.to_bury(job, at, *_ending(ending), reason=detail["reason"])
        case EventKind.REDRIVEN:
            return lifecycle.brought_back(job, at)
        case EventKind.CANCELLED:
            return lifecycle.cancelled(job, at)
    return None


def _ending(event: Event) -> tuple[str, Outcome]:
    """Return the error and the outcome of an attempt from the event of its bad end."""
    expired = event.kind is EventKind.LEASE_EXPIRED
    return event.detail["error"], Outcome.EXPIRED if expired else Outcome.FAILED


def _submitted(event: Event) -> Job:
    detail = event.detail
    asked = detail["run_at_millis"]
    return Job(
        number=job_number(event.job_id or ""),
        type=detail["type"],
        payload=detail["payload"],
        priority=detail["priority"],
        tenant=detail["tenant"],
        cost=detail["cost"],
        submitted_at=event.at,
        run_at=event.at if asked is None else asked,
    )
