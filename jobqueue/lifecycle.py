"""What may happen to a job: the state machine as data, and one pure function for each arrow.

Each function takes one version of a job and returns the next; it raises, and nothing has changed, where the
table has no such arrow. No clock, lock, randomness or I/O in here, so every queue, whatever it stores its
jobs in, applies these same rules.
"""

from dataclasses import dataclass
from typing import Any

from jobqueue.arguments import LARGEST_INTEGER
from jobqueue.errors import IllegalStateError, StaleTokenError
from jobqueue.model import Job, JobStatus, Outcome
from jobqueue.retry import RetryRule

PENDING, RUNNING, SUCCEEDED, DEAD, CANCELLED = JobStatus

LEASE_EXPIRED = "lease expired"
"""The error of an attempt whose worker was not heard of again in time."""

PERMANENT, ATTEMPTS_EXHAUSTED, DEADLINE = "permanent", "attempts_exhausted", "deadline"
"""Why a job died; where several fit, the first of them."""


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
    "release": Arrow(RUNNING, PENDING, "a job given back before it was started has lost nothing but a token"),
    "bury": Arrow(
        RUNNING, DEAD, "a failure that cannot be retried makes the job a dead letter, until somebody decides"
    ),
    "miss": Arrow(
        PENDING, DEAD, "a job that nobody started before its deadline is a dead letter at that instant"
    ),
    "cancel": Arrow(PENDING, CANCELLED, "only a job that no worker holds can be cancelled"),
    "retry_dead": Arrow(DEAD, PENDING, "a dead letter gets a new set of attempts; its history stays"),
}


def follow(job: Job, verb: str, **changes: Any) -> Job:
    """Return the job after one arrow, or refuse because its state has no such arrow."""
    arrow = TRANSITIONS[verb]
    if job.status is not arrow.source:
        raise IllegalStateError(
            f"cannot {verb} {job.id}: it is {job.status}, and only a {arrow.source} job allows that",
            job_id=job.id,
            operation=verb,
            status=job.status,
        )
    return job._replace(status=arrow.target, **changes)


def leased(job: Job, now: int, worker_id: str, lease_millis: int, max_run_millis: int | None = None) -> Job:
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
        lease_until=_capped(now + lease_millis, now, max_run_millis),
        ended_at=None,
        outcome=None,
    )


def renewed(
    job: Job, now: int, lease_millis: int, checkpoint: str | None = None, max_run_millis: int | None = None
) -> Job:
    """Extend the lease to now + `lease_millis`, if that is later than it ends already.

    Counted from now and not from the old end: renewals that add up would let a worker that dies after ten
    of them keep the job for ten leases.
    """
    assert job.lease_until is not None, "a running job has a lease"  # noqa: S101 - for the type checker
    assert job.started_at is not None, "a running job has a start"  # noqa: S101 - for the type checker
    until = max(job.lease_until, _capped(now + lease_millis, job.started_at, max_run_millis))
    kept = job.checkpoint if checkpoint is None else checkpoint
    return follow(job, "renew", lease_until=until, checkpoint=kept)


def _capped(until: int, started_at: int, max_run_millis: int | None) -> int:
    """Let no lease reach past the longest run: a hung handler with a live heartbeat would keep it for ever."""
    longest = LARGEST_INTEGER if max_run_millis is None else started_at + max_run_millis
    return min(until, longest, LARGEST_INTEGER)


def completed(job: Job, now: int, result: str | None = None) -> Job:
    """End the running attempt, and the job, well."""
    return follow(job, "complete", ended_at=now, outcome=Outcome.SUCCEEDED, finished_at=now, result=result)


def failed(
    job: Job,
    at: int,
    error: str,
    rule: RetryRule,
    outcome: Outcome = Outcome.FAILED,
    *,
    permanent: bool = False,
) -> Job:
    """End the running attempt badly at the instant `at`: retry it after its backoff, or bury it.

    >>> from jobqueue.retry import RetryPolicy
    >>> job = leased(Job(1, "mail", "", 0, "default", 1, submitted_at=0, run_at=0), 0, "a", 5000)
    >>> failed(job, 700, "no route", RetryRule(RetryPolicy(2, 1000, 60_000))).run_at
    1700
    >>> failed(job, 700, "no route", RetryRule(RetryPolicy(1, 1000, 60_000))).status.value
    'DEAD'
    """
    if permanent:
        return to_bury(job, at, error, outcome, reason=PERMANENT)
    if job.attempts >= rule.policy.max_attempts:
        return to_bury(job, at, error, outcome, reason=ATTEMPTS_EXHAUSTED)
    rest = rule.delay_millis(job.id, job.attempts, job.generation, job.rest_millis)
    run_at = min(at + rest, LARGEST_INTEGER)
    if job.deadline is not None and run_at >= job.deadline:
        # It could only start too late: waiting for that would be pointless.
        return to_bury(job, at, error, outcome, reason=DEADLINE)
    return to_retry(job, at, error, outcome, run_at=run_at)


def to_retry(job: Job, at: int, error: str, outcome: Outcome, *, run_at: int) -> Job:
    """End the running attempt badly; the job may start again from `run_at` on."""
    return follow(
        job,
        "retry",
        ended_at=at,
        outcome=outcome,
        last_error=error,
        run_at=run_at,
        pending_since=at,
        rest_millis=run_at - at,
    )


def to_bury(job: Job, at: int, error: str, outcome: Outcome, *, reason: str) -> Job:
    """End the running attempt badly; the job becomes a dead letter."""
    return follow(job, "bury", ended_at=at, outcome=outcome, last_error=error, failed_at=at, dead_reason=reason)


def expired(job: Job, rule: RetryRule) -> Job:
    """End the attempt whose lease is over, as if it had failed at the very instant of the lease's end.

    That instant counts, not the one at which somebody noticed: else a queue that nobody polls would push
    every retry into the future.
    """
    assert job.lease_until is not None, "a running job has a lease"  # noqa: S101 - for the type checker
    return failed(job, job.lease_until, LEASE_EXPIRED, rule, Outcome.EXPIRED)


def released(job: Job, now: int) -> Job:
    """Give back a job that was not started: its place and its attempt come back, its token does not.

    Past its deadline there is nothing to wait for any more.
    """
    changes = {"attempts": job.attempts - 1, "ended_at": now, "outcome": Outcome.RELEASED}
    if job.deadline is not None and now >= job.deadline:
        return follow(job, "bury", **changes, failed_at=now, dead_reason=DEADLINE)
    return follow(job, "release", **changes)


def missed(job: Job) -> Job:
    """Bury a job whose deadline came while it waited; no attempt failed, so its last error stays as it was."""
    return follow(job, "miss", failed_at=job.deadline, dead_reason=DEADLINE)


def exhausted(job: Job, now: int) -> Job:
    """Bury a job that has no attempt left although it waits: the maximum was lowered since it failed last.

    >>> job = Job(1, "mail", "", 0, "default", 1, submitted_at=0, run_at=0, attempts=3, last_error="no route")
    >>> exhausted(job, 700).dead_reason, exhausted(job, 700).last_error
    ('attempts_exhausted', 'no route')
    """
    return follow(job, "miss", failed_at=now, dead_reason=ATTEMPTS_EXHAUSTED)


def cancelled(job: Job, now: int) -> Job:
    """Take back a job that no worker holds."""
    return follow(job, "cancel", finished_at=now)


def brought_back(
    job: Job,
    now: int,
    *,
    payload: str | None = None,
    deadline: int | None = None,
    run_at: int | None = None,
) -> Job:
    """Give a dead letter a new set of attempts.

    The generation goes on counting: starting again at 1 would make the tokens of its first life valid again.
    """
    return follow(
        job,
        "retry_dead",
        attempts=0,
        era=job.era + 1,
        run_at=now if run_at is None else run_at,
        pending_since=now,
        rest_millis=None,
        failed_at=None,
        dead_reason=None,
        payload=job.payload if payload is None else payload,
        deadline=job.deadline if deadline is None else deadline,
    )


def due_at(job: Job, next_age_at: int | None, *, is_ready: bool) -> int | None:
    """Return the next instant at which time alone moves a job; None if it never does.

    A lease is moved by its end, a delayed job by its run_at, a ready one by its deadline or its next age.
    """
    if job.status is RUNNING:
        return job.lease_until
    if job.status is not PENDING:
        return None
    if not is_ready:
        return job.run_at
    if next_age_at is None or job.deadline is None:
        return job.deadline if next_age_at is None else next_age_at
    return min(job.deadline, next_age_at)


def check_redrive(
    job: Job, run_at: int, *, is_corrected: bool, deadline: int | None, operation: str = "redrive"
) -> None:
    """Refuse to bring a job back where it could only die again at once."""
    found = redrive_obstacle(job, run_at, is_corrected=is_corrected, deadline=deadline)
    if found is not None:
        raise IllegalStateError(
            f"cannot {operation} {job.id}: {found[1]}", job_id=job.id, operation=operation, status=job.status
        )


def redrive_obstacle(
    job: Job, run_at: int, *, is_corrected: bool, deadline: int | None
) -> tuple[str, str] | None:
    """Return what stands against bringing a job back, as a word and as words; None if nothing does."""
    if job.status is not DEAD:
        return "wrong_state", f"it is {job.status}, and only a DEAD job can be brought back"
    if job.dead_reason == PERMANENT and not is_corrected:
        return (
            "permanent",
            "its failure was reported as permanent; give a corrected payload, or say that it goes unchanged",
        )
    until = job.deadline if deadline is None else deadline
    if until is not None and until <= run_at:
        return "deadline", f"its deadline {until} is not after {run_at}, when it would start; give a later one"
    return None


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
