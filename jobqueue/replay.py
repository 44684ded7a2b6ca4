"""Events turned back into changes: the inverse of `recorder`.

What an event says of a change is enough to make it again, through the same rules in `lifecycle`. So a log alone
rebuilds the whole queue.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence

from jobqueue.audit import Redrive
from jobqueue.clock import ManualClock
from jobqueue.events import Event, EventKind
from jobqueue.lifecycle import DEADLINE, Lifecycle
from jobqueue.model import PENDING, Job, Outcome, job_number
from jobqueue.recorder import kinds_of
from jobqueue.steps import Steps
from jobqueue.store import Store
from jobqueue.submission import JobRequest
from jobqueue.transitions import Changes


def changes_of(event: Event, job: Job, ending: Event | None, rules: Lifecycle) -> Changes | None:  # noqa: PLR0911 - one return per arrow
    """Return what an event changed of its job; None if it changed nothing by itself.

    `ending` is the event before: for a scheduled retry or a dead letter it says how the attempt ended.
    """
    at, details = event.at, event.detail
    match event.kind:
        case EventKind.LEASED:
            return rules.leased(job, at, str(event.worker_id), details["lease_until"] - at)
        case EventKind.RENEWED:
            return rules.renewed(job, at, details["lease_until"] - at, details["checkpoint"])
        case EventKind.COMPLETED:
            return rules.completed(job, at, details["result"])
        case EventKind.RELEASED if job.deadline is None or at < job.deadline:
            return rules.released(job, at)
        case EventKind.RETRY_SCHEDULED if ending:
            return rules.to_retry(job, at, *_ending(ending), run_at=details["run_at"])
        case EventKind.DEAD_LETTERED if job.status is PENDING:
            return rules.missed(job) if details["reason"] == DEADLINE else rules.exhausted(job, at)
        case EventKind.DEAD_LETTERED if ending and ending.kind is EventKind.RELEASED:
            return rules.released(job, at)
        case EventKind.DEAD_LETTERED if ending:
            return rules.to_bury(job, at, *_ending(ending), reason=details["reason"])
        case EventKind.REDRIVEN:
            run_at, payload, deadline = (details[name] for name in ("run_at", "payload", "deadline"))
            return rules.redriven(job, at, payload=payload, deadline=deadline, run_at=run_at)
        case EventKind.CANCELLED:
            return rules.cancelled(job, at)
    return None


def redrive_of(event: Event) -> Redrive:
    """Return the audit's record of the redrive that an event records."""
    details = event.detail
    return Redrive(
        job_id=str(event.job_id),
        redrive_generation=details["era"],
        at=event.at,
        run_at=details["run_at"],
        actor=details["actor"],
        note=details["note"],
        has_new_payload=details["payload"] is not None,
        deadline=details["deadline"],
        batch=details["batch"],
    )


def submitted(event: Event) -> Job:
    """Return the job whose submit an event records."""
    return JobRequest(**event.detail).job(job_number(str(event.job_id)), event.at)


def _ending(event: Event) -> tuple[str, Outcome]:
    """Return the error and the outcome of an attempt from the event of its bad end."""
    expired = event.kind is EventKind.LEASE_EXPIRED
    return event.detail["error"], Outcome.EXPIRED if expired else Outcome.FAILED


def rebuilt(
    fresh: Callable[[ManualClock], Steps], began_at: int, events: Sequence[Event], now: int | None
) -> Steps:
    """Return a queue in the state that the events lead to; see `EventLog.replay`.

    Args:
        fresh: makes an empty queue on a clock.
        began_at: where the clock of the queue that the events are from stood at first.
        events: all of them, from the first.
        now: where the new queue's clock is to stand; None for the last event's instant.
    """
    last = events[-1].at if events else began_at
    end = last if now is None else now
    clock = ManualClock(min(began_at, end))
    queue = fresh(clock)
    queue._now = _redo_all(events, queue._store, queue._rules, queue._recorder.counts) or queue._now
    clock.advance_to(max(began_at, end))
    return queue


def _redo_all(events: Iterable[Event], store: Store, rules: Lifecycle, counts: Counter[str]) -> int | None:
    """Make the changes again that events record, each at its instant; return the last instant."""
    ending = None
    for event in events:
        _redo(event, ending, store, rules, counts)
        ending = event
    if ending is not None:
        next(iter(store.due(ending.at)), None)  # the last instant is over
    return None if ending is None else ending.at


def _redo(event: Event, ending: Event | None, store: Store, rules: Lifecycle, counts: Counter[str]) -> None:
    details = event.detail
    # Jobs become ready or gain a band on the way there; what ends is recorded by events of its own.
    next(iter(store.due(event.at)), None)
    job = None if event.job_id is None else store.get(event.job_id)
    match event.kind:
        case EventKind.SUBMITTED:
            store.add(submitted(event), event.at)
            counts[event.kind] += 1
        case EventKind.LEASED:  # picked again, so that slots, turns and credits move as they did
            types, tenants = (details.get(name) for name in ("types", "tenants"))
            store.pick(types and frozenset(types), tenants and frozenset(tenants))
        case EventKind.PAUSED | EventKind.RESUMED:
            store.set_paused(details["type"], paused=event.kind is EventKind.PAUSED)
        case EventKind.DROPPED if job is not None:
            store.drop(job)
        case EventKind.REDRIVEN:
            store.record(redrive_of(event))
        case EventKind.REFUSED:
            counts["refused_tokens"] += details["token"] is not None
    changes = None if job is None else changes_of(event, job, ending, rules)
    if job is not None and changes is not None:
        before = job.status
        store.put(job, changes, event.at)
        counts.update(kinds_of(before, job))
