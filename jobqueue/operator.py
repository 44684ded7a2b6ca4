"""What operators and careful producers call: request keys, pauses, pruning, figures, and looking ahead.

Each is a function of a queue, which has it as a method, made of the same steps as everything else.
"""

from collections.abc import Iterable
from functools import partial
from math import inf

from jobqueue.arguments import (
    check_flag,
    check_integer,
    check_job_id,
    check_name,
    check_string,
    check_text,
)
from jobqueue.events import EventKind
from jobqueue.model import CANCELLED, DEAD, FINISHED, PENDING, RUNNING, SUCCEEDED, JobStatus, Lease
from jobqueue.requests import check_same
from jobqueue.statistics import Stats
from jobqueue.steps import Steps
from jobqueue.store import CHANGING, READING, Access, Search, access_of_poll
from jobqueue.submission import Submission, job_request
from jobqueue.views import Attempt, JobView, view_of


def submit_once(  # noqa: PLR0917 - the signature of submit, with a key before it
    queue: Steps,
    request_key: str,
    type: str,
    payload: str | None = "",
    priority: int = 0,
    run_at_millis: int | None = None,
    *,
    tenant: str = "default",
    deadline_millis: int | None = None,
    cost: int = 1,
) -> Submission:
    """Submit, or find the job that the same request made before.

    The key belongs to the tenant and is bound to the content. It lives as long as its job is remembered.

    Raises:
        RequestKeyConflictError: the key stands for other content.
    """
    request_key = check_name("request_key", request_key)
    asked = job_request(type, payload, priority, run_at_millis, tenant, deadline_millis, cost, request_key)
    with queue._store.transaction(Access(submits=True, request_key=(asked.tenant, request_key))):
        now = queue._expire_due()
        known = queue._store.find_key(asked.tenant, request_key)
        job = None if known is None else queue._store.get(known)
        if job is None:  # also if another process has pruned it since its key was found: then the key is free
            return Submission(queue._accept(asked, now), replayed=False)
        check_same(job, asked.content_hash())
        return Submission(job.id, replayed=True)


def poll_many(
    queue: Steps,
    worker_id: str,
    lease_millis: int,
    limit: int,
    *,
    types: Iterable[str] | None = None,
    tenants: Iterable[str] | None = None,
    enough_characters: int | None = None,
) -> list[Lease]:
    """Poll up to `limit` times at one instant; each poll sees what the ones before took.

    With `enough_characters` it stops once payloads and checkpoints together have so many; the last job can be
    of any length.
    """
    worker_id = check_name("worker_id", worker_id)
    lease_millis = check_integer("lease_millis", lease_millis, low=1)
    limit = check_integer("limit", limit, low=1)
    access = access_of_poll(types, tenants)
    leases: list[Lease] = []
    room = inf if enough_characters is None else enough_characters
    with queue._store.transaction(access):
        poll = partial(queue._hand_out, worker_id, lease_millis, access, queue._expire_due())
        while room > 0 and len(leases) < limit and (lease := poll()):
            leases.append(lease)
            room -= len(lease.payload) + len(lease.checkpoint or "")
    return leases


def pause(queue: Steps, type: str) -> None:
    """Hand out no jobs of a type until it is resumed; everything else about them goes on."""
    _set_paused(queue, type, paused=True)


def resume(queue: Steps, type: str) -> None:
    """Hand out jobs of a type again."""
    _set_paused(queue, type, paused=False)


def paused(queue: Steps) -> list[str]:
    """Return the paused types by name."""
    with queue._store.transaction(READING):
        queue._expire_due()
        return queue._store.paused()


def _set_paused(queue: Steps, type_: str, *, paused: bool) -> None:
    type_ = check_name("type", type_)
    with queue._store.transaction(CHANGING):
        now = queue._expire_due()
        if queue._store.set_paused(type_, paused=paused):
            queue._recorder.paused(type_, now, EventKind.PAUSED if paused else EventKind.RESUMED)


def next_up(queue: Steps, n: int) -> list[str]:
    """Return the ids that n polls of all types at this instant would hand out; it changes nothing."""
    n = check_integer("n", n, low=0)
    with queue._store.transaction(READING):
        queue._expire_due()
        return [f"J{number}" for number in queue._store.next_up(n, queue._rules.retry.policy.max_attempts)]


def why_not(queue: Steps, job_id: str) -> str:
    """Return in one sentence why a job is not being handed out, or that it is next."""
    job_id = check_string("job_id", job_id)
    with queue._store.transaction(READING):
        now = queue._expire_due()
        job = queue._find(job_id)
        if job.status is not PENDING:
            return f"it is {job.status}: {_STORIES[job.status](job)}"
        if job.run_at > now:
            return f"due in {job.run_at - now} ms"
        most = queue._rules.retry.policy.max_attempts
        if queue._store.next_up(1, most) == [job.number]:
            return "it is next"
        if job.attempts >= most:
            return f"it has had {job.attempts} of {most} attempts, and will die instead of being handed out"
        return queue._store.why_not(job, now, most) or "it is next"


def stats(queue: Steps) -> Stats:
    """Return the figures of one instant, all of the same one. In memory it looks at every job."""
    with queue._store.transaction(READING):
        now = queue._expire_due()
        return queue._store.stats(queue._recorder.counts, now)


def list_jobs(
    queue: Steps,
    *,
    status: str | None = None,
    type: str | None = None,
    tenant: str | None = None,
    q: str | None = None,
    after: str | None = None,
    limit: int = 50,
) -> list[JobView]:
    """Return one page of the jobs that fit, newest first; payloads are not even read.

    Args:
        queue: the queue.
        status: only those in this state.
        type: only those of this type.
        tenant: only those of this tenant.
        q: only those with this text in their id, type, tenant, request key, or the first 1,000 characters
            of their last error; large and small ASCII letters are the same. Only the newest 10,000 of the
            jobs that fit otherwise are searched. A whole id finds that job alone, however old it is.
        after: go on after this job, the last one of the page before; it need not exist any more.
        limit: how many at most, 1 to 1,000.
    """
    wanted = Search(
        status=None if status is None else check_status(status),
        type=None if type is None else check_name("type", type),
        tenant=None if tenant is None else check_name("tenant", tenant),
        text=None if q is None else check_text("q", q),
        before=None if after is None else check_job_id("after", after),
        limit=check_integer("limit", limit, low=1, high=1000),
    )
    with queue._store.transaction(READING):
        now = queue._expire_due()
        return [view_of(job, queue._store.hold_of(job, now)) for job in queue._store.search(wanted)]


def prune(queue: Steps, *, keep: int, dead: bool = False) -> int:
    """Forget finished jobs beyond the newest `keep`, oldest first; return how many.

    Args:
        queue: the queue.
        keep: how many to remember.
        dead: forget DEAD jobs beyond the newest `keep` of them, too.
    """
    keep = check_integer("keep", keep, low=0)
    check_flag("dead", dead)
    with queue._store.transaction(CHANGING):
        now = queue._expire_due()
        removed = 0
        for job in queue._store.prunable(keep, now, dead=dead):
            queue._drop(job, queue._now)  # a store lets others in between: by then time may have gone on
            removed += 1
        return removed


def check_status(status: str) -> JobStatus:
    """Return the state of this name."""
    if check_string("status", status) not in set(JobStatus):
        raise ValueError(f"status: {status[:40]!a} is no state, expected one of {', '.join(JobStatus)}")
    return JobStatus(status)


_STORIES = {
    RUNNING: lambda job: f"held by {job.worker_id} until {job.lease_until}",
    SUCCEEDED: lambda job: f"done at {job.finished_at}",
    CANCELLED: lambda job: f"cancelled at {job.finished_at}",
    DEAD: lambda job: f"given up at {job.failed_at}, {job.dead_reason}",
}


assert set(_STORIES) == {RUNNING, DEAD, *FINISHED}  # noqa: S101 - each state but PENDING


def payload(queue: Steps, job_id: str) -> str:
    """Return the job's payload."""
    job_id = check_string("job_id", job_id)
    with queue._store.transaction(Access(job_id, reads=True)):
        queue._expire_due()
        return queue._find(job_id).payload


def history(queue: Steps, job_id: str) -> list[Attempt]:
    """Return one record for each time the job was handed out, oldest first."""
    job_id = check_string("job_id", job_id)
    with queue._store.transaction(Access(job_id, reads=True)):
        queue._expire_due()
        return queue._store.attempts(queue._find(job_id))


def sweep(queue: Steps) -> int:
    """Expire what is due and do nothing else; return how many leases and deadlines ended."""
    with queue._store.transaction(CHANGING):
        return queue._end_what_is_due()
