"""Dead letters: looking at them, and giving them another try.

Each is a function of a queue, which has it as a method, made of the same steps as everything else.
"""

from collections.abc import Iterable
from functools import partial

from jobqueue.arguments import (
    LARGEST_INTEGER,
    check_flag,
    check_integer,
    check_name,
    check_string,
    check_text,
)
from jobqueue.audit import Redrivable, Redrive, RedriveRow
from jobqueue.bulk_redrive import by_place, each_once, partly_done, planned, redrive_obstacle
from jobqueue.errors import IllegalStateError, StoreError
from jobqueue.events import EventKind
from jobqueue.model import DEAD, Job
from jobqueue.steps import Steps
from jobqueue.store import CHANGING, READING, Access
from jobqueue.submission import check_deadline
from jobqueue.views import JobView, view_of


def retry_dead(queue: Steps, job_id: str) -> None:
    """Bring a DEAD job back: PENDING and ready now, with a new set of attempts; its history stays."""
    job_id = check_string("job_id", job_id)
    with queue._store.transaction(Access(job_id)):
        now = queue._expire_due()
        job = queue._find(job_id)
        _check_redrive(job, now, is_corrected=False, deadline=None, operation="retry_dead")
        _redrive(queue, job, now)


def redrive(
    queue: Steps,
    job_id: str,
    *,
    actor: str,
    note: str,
    payload: str | None = None,
    deadline_millis: int | None = None,
    unchanged: bool = False,
) -> Redrive:
    """Bring a DEAD job back, with a record of who did it and why.

    Args:
        queue: the queue.
        job_id: which job; it keeps its id and its request key.
        actor: who brings it back.
        note: why.
        payload: a corrected payload; None keeps the old one.
        deadline_millis: a new deadline; one that has passed must be replaced.
        unchanged: bring back a job whose failure was permanent although nothing was corrected.
    """
    job_id = check_string("job_id", job_id)
    actor = check_name("actor", actor)
    note = check_text("note", note)
    check_flag("unchanged", unchanged)
    if payload is not None:
        payload = check_text("payload", payload)
    if deadline_millis is not None:
        deadline_millis = check_integer("deadline_millis", deadline_millis)
    with queue._store.transaction(Access(job_id)):
        now = queue._expire_due()
        job = queue._find(job_id)
        if deadline_millis is not None and job.status is DEAD:
            check_deadline(deadline_millis, now, now)
        corrected = unchanged or payload is not None
        _check_redrive(job, now, is_corrected=corrected, deadline=deadline_millis)
        return _redrive(queue, job, now, actor, note, payload=payload, deadline=deadline_millis)


def redrive_many(
    queue: Steps, ids: Iterable[str], *, actor: str, note: str, spread_millis: int = 0
) -> list[RedriveRow]:
    """Redrive the given jobs, each once, in submission order; one row for each id tells the outcome.

    Args:
        queue: the queue.
        ids: which jobs. Those that others have locked in a database come last, once they are free.
        actor: who brings them back.
        note: why.
        spread_millis: how much later each starts than the one before, so that they don't storm.
    """
    asked = each_once(ids)
    actor = check_name("actor", actor)
    note = check_text("note", note)
    spread_millis = check_integer("spread_millis", spread_millis, low=0)
    rows, held = _redrive_several(queue, asked, actor, note, spread_millis, after=None)
    if held:  # by others: what is free need not wait for them
        done = [row.redrive for row in rows if row.redrive is not None]
        try:
            rows += _redrive_several(queue, held, actor, note, spread_millis, after=done)[0]
        except StoreError as error:
            raise partly_done(len(done), len(asked), held, error) from error
    return sorted(rows, key=by_place)


def _redrive_several(
    queue: Steps,
    ids: Iterable[str],
    actor: str,
    note: str,
    spread_millis: int,
    *,
    after: list[Redrive] | None,
) -> tuple[list[RedriveRow], list[str]]:
    """Redrive jobs in one step; return rows, and the ids that others hold: it waits for them if `after`."""
    rows = []
    store = queue._store
    with store.transaction(CHANGING):
        start = queue._expire_due()
        jobs = store.hold(ids, waits=after is not None)
        others = [] if after is not None else store.find(set(ids).difference(job.id for job in jobs))
        held = dict.fromkeys(job.id for job in others)
        asked = [job_id for job_id in ids if job_id not in held]
        batch = after[0].batch if after else store.last_batch + 1
        first = max(start, min(after[-1].run_at + spread_millis, LARGEST_INTEGER)) if after else start
        redrive_one = partial(_redrive, queue, now=start, actor=actor, note=note, batch=batch)
        for job_id, job, run_at, reason in planned(asked, jobs, first, spread_millis):
            done = None if job is None or reason is not None else redrive_one(job, run_at=run_at)
            rows.append(RedriveRow(job_id, "done" if done else "skipped", reason, done))
    return rows, list(held)


def redrivable(queue: Steps, ids: Iterable[str], *, spread_millis: int = 0) -> list[Redrivable]:
    """Say which of these jobs `redrive_many` would redrive at this instant; it changes nothing.

    Returns:
        One row for each id, as `redrive_many` orders them: `(job_id, reason)`. The reason is None if the
        job can be redriven, else the one for which it would be skipped.
    """
    asked = each_once(ids)
    spread_millis = check_integer("spread_millis", spread_millis, low=0)
    with queue._store.transaction(READING):
        now = queue._expire_due()
        plan = planned(asked, queue._store.find(asked), now, spread_millis)
        return [Redrivable(job_id, reason) for job_id, _, _, reason in plan]


def redrives(queue: Steps, job_id: str) -> list[Redrive]:
    """Return each time that the job was brought back, oldest first."""
    job_id = check_string("job_id", job_id)
    with queue._store.transaction(Access(job_id, reads=True)):
        queue._expire_due()
        return queue._store.redrives(queue._find(job_id))


def _redrive(
    queue: Steps,
    job: Job,
    now: int,
    actor: str | None = None,
    note: str | None = None,
    *,
    payload: str | None = None,
    deadline: int | None = None,
    run_at: int | None = None,
    batch: int | None = None,
) -> Redrive:
    changes = queue._rules.redriven(job, now, payload=payload, deadline=deadline, run_at=run_at)
    has_new = payload is not None
    era, start, until = changes["era"], changes["run_at"], changes["deadline"]
    done = Redrive(job.id, era, now, start, actor, note, has_new, until, batch)
    queue._store.record(done)
    details = {"actor": actor, "note": note, "payload": payload, "batch": batch}
    queue._put(job, changes, now, EventKind.REDRIVEN, lambda: details)
    return done


def dead_letters(queue: Steps) -> list[JobView]:
    """Return all DEAD jobs in submission order; `retry_dead` and `redrive` give them another try."""
    with queue._store.transaction(READING):
        now = queue._expire_due()
        return [view_of(job, queue._store.hold_of(job, now)) for job in queue._store.dead()]


def _check_redrive(
    job: Job, run_at: int, *, is_corrected: bool, deadline: int | None, operation: str = "redrive"
) -> None:
    """Refuse to redrive a job where it could only die again at once."""
    found = redrive_obstacle(job, run_at, is_corrected=is_corrected, deadline=deadline)
    if found is not None:
        raise IllegalStateError(
            f"cannot {operation} {job.id}: {found[1]}", job_id=job.id, operation=operation, status=job.status
        )
