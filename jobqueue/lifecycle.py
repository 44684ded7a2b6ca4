"""What may happen to a job: the state machine as data, and one pure function for each arrow.

Each function takes one version of a job and returns the next; it raises, and nothing has changed, where the
table has no such arrow. No clock, lock, randomness or I/O in here, so every queue, whatever it stores its
jobs in, applies these same rules.
"""

from dataclasses import dataclass, replace

from jobqueue.errors import IllegalStateError, StaleTokenError
from jobqueue.model import Attempt, Job, JobStatus, JobView, Lease, Outcome
from jobqueue.retry import RetryPolicy

PENDING, RUNNING, SUCCEEDED, DEAD, CANCELLED = JobStatus

LEASE_EXPIRED = "lease expired"
"""The error of an attempt whose worker was not heard of again in time."""

ATTEMPTS_EXHAUSTED = "attempts_exhausted"


@dataclass(frozen=True, slots=True)
class Arrow:
    """One arrow of the state diagram. `rule` is the promise behind it, in one sentence."""

    source: JobStatus | None
    target: JobStatus
    rule: str


TRANSITIONS = {
    "submit": Arrow(None, PENDING, "an acknowledged job is kept until it ends"),
    "poll": Arrow(PENDING, RUNNING, "a ready job goes to one worker, with a new token and a lease"),
    "renew": Arrow(RUNNING, RUNNING, "a lease is extended to now + its length, and never shortened"),
    "complete": Arrow(RUNNING, SUCCEEDED, "only the token of the current lease counts"),
    "retry": Arrow(RUNNING, PENDING, "a failed or expired attempt rests for its backoff, then is tried again"),
    "bury": Arrow(RUNNING, DEAD, "the last attempt failed: the job is a dead letter until somebody decides"),
    "cancel": Arrow(PENDING, CANCELLED, "only a job that no worker holds can be cancelled"),
    "retry_dead": Arrow(DEAD, PENDING, "a dead letter gets a new set of attempts, at once; its history stays"),
}


def follow(job: Job, verb: str, **changes: object) -> Job:
    """Return the job after one arrow, or refuse because its state has no such arrow."""
    arrow = TRANSITIONS[verb]
    if job.status is not arrow.source:
        raise IllegalStateError(
            f"cannot {verb} {job.id}: it is {job.status}, and only a {arrow.source} job allows that",
            job_id=job.id,
            operation=verb,
            status=job.status,
        )
    return replace(job, status=arrow.target, **changes)  # type: ignore[arg-type]


def leased(job: Job, now: int, worker_id: str, lease_millis: int) -> Job:
    """Hand a pending job to a worker.

    The attempt is counted now, before any work: a worker that is killed has used it up all the same.

    >>> job = Job(1, "mail", "", 0, "default", 1, submitted_at=0, run_at=0)
    >>> leased(job, 0, "worker-a", 5000).token
    'J1:1'
    """
    return follow(
        job,
        "poll",
        attempts=job.attempts + 1,
        generation=job.generation + 1,
        worker_id=worker_id,
        started_at=now,
        lease_until=now + lease_millis,
        ended_at=None,
        outcome=None,
    )


def renewed(job: Job, now: int, lease_millis: int) -> Job:
    """Extend the lease to now + `lease_millis`, if that is later than it ends already.

    Counted from now and not from the old end: renewals that add up would let a worker that dies after ten
    of them keep the job for ten leases.
    """
    assert job.lease_until is not None, "a running job has a lease"  # noqa: S101 - for the type checker
    return follow(job, "renew", lease_until=max(job.lease_until, now + lease_millis))


def completed(job: Job, now: int) -> Job:
    """End the running attempt, and the job, well."""
    return follow(job, "complete", ended_at=now, outcome=Outcome.SUCCEEDED, finished_at=now)


def failed(job: Job, at: int, error: str, policy: RetryPolicy, outcome: Outcome = Outcome.FAILED) -> Job:
    """End the running attempt badly at the instant `at`: retry it after its backoff, or bury it.

    >>> job = leased(Job(1, "mail", "", 0, "default", 1, submitted_at=0, run_at=0), 0, "a", 5000)
    >>> failed(job, 700, "no route", RetryPolicy(2, 1000, 60_000)).run_at
    1700
    >>> failed(job, 700, "no route", RetryPolicy(1, 1000, 60_000)).status.value
    'DEAD'
    """
    if job.attempts < policy.max_attempts:
        return to_retry(job, at, error, outcome, run_at=at + policy.backoff_millis(job.attempts))
    return to_bury(job, at, error, outcome, reason=ATTEMPTS_EXHAUSTED)


def to_retry(job: Job, at: int, error: str, outcome: Outcome, *, run_at: int) -> Job:
    """End the running attempt badly; the job may start again from `run_at` on."""
    return follow(job, "retry", ended_at=at, outcome=outcome, last_error=error, run_at=run_at)


def to_bury(job: Job, at: int, error: str, outcome: Outcome, *, reason: str) -> Job:
    """End the running attempt badly; the job becomes a dead letter."""
    return follow(job, "bury", ended_at=at, outcome=outcome, last_error=error, failed_at=at, dead_reason=reason)


def expired(job: Job, policy: RetryPolicy) -> Job:
    """End the attempt whose lease is over, as if it had failed at the very instant of the lease's end.

    That instant counts, not the one at which somebody noticed: else a queue that nobody polls would push
    every retry into the future.
    """
    assert job.lease_until is not None, "a running job has a lease"  # noqa: S101 - for the type checker
    return failed(job, job.lease_until, LEASE_EXPIRED, policy, Outcome.EXPIRED)


def cancelled(job: Job, now: int) -> Job:
    """Take back a job that no worker holds."""
    return follow(job, "cancel", finished_at=now)


def brought_back(job: Job, now: int) -> Job:
    """Give a dead letter a new set of attempts.

    The generation goes on counting: starting again at 1 would make the tokens of its first life valid again.
    """
    return follow(job, "retry_dead", attempts=0, era=job.era + 1, run_at=now, failed_at=None, dead_reason=None)


def check_token(job: Job, token: str, operation: str) -> None:
    """Refuse a token that is not the one of the job's current lease.

    Whoever holds an older token had the job once and lost it. Accepting its report because the job is
    RUNNING, or because the worker's name fits, would let the dead overwrite the living.
    """
    if job.status is RUNNING and token == job.token:
        return
    reason, found = _staleness(job, token)
    raise StaleTokenError(
        f"cannot {operation} {job.id}: token {_quoted(token)} is stale, {found}",
        job_id=job.id,
        operation=operation,
        status=job.status,
        token=token,
        reason=reason,
    )


def _staleness(job: Job, token: str) -> tuple[str, str]:
    """Return why a token is refused: the reason as a word, and what was found instead."""
    if job.status is RUNNING:
        holder = f"the current lease is {job.token}, held by {job.worker_id} until {job.lease_until}"
        return "stale_generation", holder
    generation = token_generation(job, token)
    if generation and generation < job.generation:
        return "stale_generation", f"the latest one was {job.token}, and the job is {job.status}"
    if generation and job.outcome is Outcome.EXPIRED:
        return "lease_expired", f"its lease ran out at {job.ended_at}, and the job is {job.status}"
    if generation:
        return "wrong_state", f"its attempt already ended ({job.outcome}), and the job is {job.status}"
    return "wrong_state", f"it never was a token of this job, and the job is {job.status}"


def token_generation(job: Job, token: str) -> int:
    """Return which hand-out of this job a token was made for, counted from 1; 0 if for none.

    >>> job = Job(4, "mail", "", 0, "default", 1, submitted_at=0, run_at=0, generation=2)
    >>> token_generation(job, "J4:2"), token_generation(job, "J4:3"), token_generation(job, "J1:2")
    (2, 0, 0)
    """
    prefix, _, digits = token.partition(":")
    # Shorter than any honest counter: int() of a text of a million digits takes its time.
    if prefix != job.id or not (digits.isascii() and digits.isdigit() and len(digits) <= 16):  # noqa: PLR2004
        return 0
    generation = int(digits)
    # "J1:01" reads as 1 and is no token that was ever handed out.
    return generation if str(generation) == digits and generation <= job.generation else 0


def _quoted(token: str) -> str:
    """Return a token as a message shows it: an honest one bare, any other text quoted and cut."""
    honest = token.replace(":", "").isalnum() and token.isascii() and len(token) <= 40  # noqa: PLR2004
    return token if honest else ascii(token[:40])


def attempt_of(job: Job) -> Attempt:
    """Return the record of the job's latest attempt, running or just ended."""
    assert job.worker_id is not None, "only a job that was handed out has an attempt"  # noqa: S101
    assert job.started_at is not None, "only a job that was handed out has an attempt"  # noqa: S101
    return Attempt(
        attempt=job.attempts,
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
    )


def view_of(job: Job) -> JobView:
    """Return what anybody gets to see of a job."""
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
        submitted_at=job.submitted_at,
        generation=job.generation,
        worker_id=job.worker_id if running else None,
        lease_until=job.lease_until if running else None,
        finished_at=job.finished_at,
        failed_at=job.failed_at,
        dead_reason=job.dead_reason,
        redrive_generation=job.era,
    )
