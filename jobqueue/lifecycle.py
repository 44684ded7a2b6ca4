"""What may happen to a job: one method of `Lifecycle` for each arrow of the table in `transitions`.

A rule looks at a job and returns what changes, or raises, and then nothing has changed. No clock, lock,
randomness or I/O in here, and no rule changes a job itself: so every queue, whatever it keeps its jobs in,
applies the same rules, and a queue with another rule is a `Lifecycle` with one method overridden.
"""

from jobqueue.arguments import LARGEST_INTEGER
from jobqueue.errors import IllegalStateError
from jobqueue.model import CANCELLED, DEAD, PENDING, RUNNING, SUCCEEDED, Job, JobStatus, Outcome
from jobqueue.retry import RetryRule
from jobqueue.tokens import stale_token
from jobqueue.transitions import Changes

LEASE_EXPIRED = "lease expired"
"""The error of an attempt whose worker did not report or renew in time."""

PERMANENT, ATTEMPTS_EXHAUSTED, DEADLINE = "permanent", "attempts_exhausted", "deadline"
"""Why a job died; where several fit, the first of them."""


class Lifecycle:
    """The rules of one queue.

    Args:
        retry: how often a job is attempted, and how long it backs off.
        max_run_millis: how long one attempt may take, however often it is renewed; None for no bound.
    """

    __slots__ = ("max_run_millis", "retry")

    def __init__(self, retry: RetryRule, max_run_millis: int | None = None) -> None:
        self.retry = retry
        self.max_run_millis = max_run_millis

    # -- time --------------------------------------------------------------------------------------------

    def is_ready(self, job: Job, now: int) -> bool:
        """Return whether a worker may have the job now."""
        return job.status is PENDING and job.run_at <= now

    def due_at(self, job: Job, next_age_at: int | None, *, is_ready: bool) -> int | None:
        """Return the next instant at which time alone moves a job; None if it never does.

        A lease expires at its end, the first instant at which it no longer counts. A delayed job becomes ready
        at its run_at; a ready one dies at its deadline, and gains a band at its next age.
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

    # -- workers -----------------------------------------------------------------------------------------

    def leased(self, job: Job, now: int, worker_id: str, lease_millis: int) -> Changes:
        """Hand a pending job to a worker.

        The attempt counts now, before any work: a worker that is killed has used it up all the same.

        >>> from jobqueue.retry import RetryPolicy
        >>> rules = Lifecycle(RetryRule(RetryPolicy(3, 1000, 60_000)))
        >>> job = Job(1, "mail", "", 0, "default", 1, submitted_at=0, run_at=0)
        >>> rules.leased(job, 0, "worker-a", 5000)["lease_until"]
        5000
        """
        _check_status(job, PENDING, "poll")
        return {
            "status": RUNNING,
            "attempts": job.attempts + 1,
            "generation": job.generation + 1,
            "worker_id": worker_id,
            "started_at": now,
            "lease_until": self.lease_until(now, now, lease_millis),
            "ended_at": None,
            "outcome": None,
        }

    def lease_until(self, started_at: int, now: int, lease_millis: int) -> int:
        """Return when a lease from now ends: no lease reaches past the longest run.

        Without that bound a hung handler with a live heartbeat would keep its job forever.
        """
        until = now + lease_millis
        if self.max_run_millis is not None:
            until = min(until, started_at + self.max_run_millis)
        return min(until, LARGEST_INTEGER)

    def renewed(self, job: Job, now: int, lease_millis: int, checkpoint: str | None = None) -> Changes:
        """Extend the lease to now + `lease_millis`, if that is later than it ends already.

        Counted from now and not from the old end: renewals that add up would let a worker that dies after ten
        of them keep the job for ten leases.
        """
        _check_status(job, RUNNING, "renew")
        assert job.lease_until is not None and job.started_at is not None  # noqa: S101, PT018 - for the type checker
        until = max(job.lease_until, self.lease_until(job.started_at, now, lease_millis))
        return {"lease_until": until, "checkpoint": job.checkpoint if checkpoint is None else checkpoint}

    def completed(self, job: Job, now: int, result: str | None = None) -> Changes:
        """End the running attempt, and the job, well."""
        _check_status(job, RUNNING, "complete")
        return {
            "status": SUCCEEDED,
            "ended_at": now,
            "outcome": Outcome.SUCCEEDED,
            "finished_at": now,
            "result": result,
        }

    def failed(
        self, job: Job, at: int, error: str, outcome: Outcome = Outcome.FAILED, *, permanent: bool = False
    ) -> Changes:
        """End the running attempt badly at the instant `at`: retry it after its backoff, or bury it.

        >>> from jobqueue.retry import RetryPolicy
        >>> job = Job(1, "mail", "", 0, "default", 1, 0, 0, RUNNING, attempts=1)
        >>> Lifecycle(RetryRule(RetryPolicy(2, 1000, 60_000))).failed(job, 700, "no route")["run_at"]
        1700
        >>> Lifecycle(RetryRule(RetryPolicy(1, 1000, 60_000))).failed(job, 700, "no route")["dead_reason"]
        'attempts_exhausted'
        """
        if permanent:
            return self.to_bury(job, at, error, outcome, reason=PERMANENT)
        if job.attempts >= self.retry.policy.max_attempts:
            return self.to_bury(job, at, error, outcome, reason=ATTEMPTS_EXHAUSTED)
        run_at = min(at + self.backoff_millis(job), LARGEST_INTEGER)
        if job.deadline is not None and run_at >= job.deadline:
            # It could only start too late: waiting for that would be pointless.
            return self.to_bury(job, at, error, outcome, reason=DEADLINE)
        return self.to_retry(job, at, error, outcome, run_at=run_at)

    def backoff_millis(self, job: Job) -> int:
        """Return for how long a job backs off after the failure of its latest attempt."""
        return self.retry.delay_millis(job.id, job.attempts, job.generation, job.rest_millis)

    def to_retry(self, job: Job, at: int, error: str, outcome: Outcome, *, run_at: int) -> Changes:
        """End the running attempt badly; the job can be retried from `run_at` on."""
        _check_status(job, RUNNING, "retry")
        return {
            "status": PENDING,
            "ended_at": at,
            "outcome": outcome,
            "last_error": error,
            "run_at": run_at,
            "pending_since": at,
            "rest_millis": run_at - at,
        }

    def to_bury(self, job: Job, at: int, error: str, outcome: Outcome, *, reason: str) -> Changes:
        """End the running attempt badly; the job becomes a dead letter."""
        _check_status(job, RUNNING, "bury")
        return {
            "status": DEAD,
            "ended_at": at,
            "outcome": outcome,
            "last_error": error,
            "failed_at": at,
            "dead_reason": reason,
        }

    def expired(self, job: Job, now: int) -> Changes:  # noqa: ARG002 - what matters is when it ended
        """End the attempt whose lease is over, as if it had failed at the very instant of the lease's end.

        That instant counts, not `now`, when somebody noticed: else a queue that nobody polls would push every
        retry into the future.
        """
        assert job.lease_until is not None  # noqa: S101 - for the type checker
        return self.failed(job, job.lease_until, LEASE_EXPIRED, Outcome.EXPIRED)

    def released(self, job: Job, now: int) -> Changes:
        """Give back a job that was not started: its place and its attempt come back, its token does not.

        Past its deadline there is nothing left to wait for.
        """
        _check_status(job, RUNNING, "release")
        changes: Changes = {"attempts": job.attempts - 1, "ended_at": now, "outcome": Outcome.RELEASED}
        if job.deadline is not None and now >= job.deadline:
            return {"status": DEAD, "failed_at": now, "dead_reason": DEADLINE, **changes}
        return {"status": PENDING, **changes}

    # -- while it waits ----------------------------------------------------------------------------------

    def missed(self, job: Job) -> Changes:
        """Bury a job whose deadline came while it waited; no attempt failed, so its last error stays."""
        _check_status(job, PENDING, "miss")
        return {"status": DEAD, "failed_at": job.deadline, "dead_reason": DEADLINE}

    def exhausted(self, job: Job, now: int) -> Changes:
        """Bury a job that waits with no attempt left: the maximum was lowered since it failed last."""
        _check_status(job, PENDING, "miss")
        return {"status": DEAD, "failed_at": now, "dead_reason": ATTEMPTS_EXHAUSTED}

    def cancelled(self, job: Job, now: int) -> Changes:
        """Cancel a job that no worker holds."""
        _check_status(job, PENDING, "cancel")
        return {"status": CANCELLED, "finished_at": now}

    def redriven(
        self,
        job: Job,
        now: int,
        *,
        payload: str | None = None,
        deadline: int | None = None,
        run_at: int | None = None,
    ) -> Changes:
        """Give a dead letter a new set of attempts.

        The generation goes on counting: from 1 again, the tokens of its first life would be valid again.
        """
        _check_status(job, DEAD, "retry_dead")
        return {
            "status": PENDING,
            "attempts": 0,
            "era": job.era + 1,
            "worker_id": None,  # the attempt of its last life is history
            "run_at": now if run_at is None else run_at,
            "pending_since": now,
            "rest_millis": None,
            "failed_at": None,
            "dead_reason": None,
            "payload": job.payload if payload is None else payload,
            "deadline": job.deadline if deadline is None else deadline,
        }

    # -- tokens ------------------------------------------------------------------------------------------

    def check_token(self, job: Job, token: str, operation: str) -> None:
        """Refuse a token that is not the one of the job's current lease.

        Whoever holds an older token had the job once and lost it. Accepting its report because the job is
        RUNNING, or because the worker's name fits, would let the dead overwrite the living.
        """
        if job.status is RUNNING and token == job.token:
            return
        raise stale_token(job, token, operation)


def _check_status(job: Job, status: JobStatus, verb: str) -> None:
    """Refuse an arrow that does not begin at the job's state."""
    if job.status is not status:
        raise IllegalStateError(
            f"cannot {verb} {job.id}: it is {job.status}, and only a {status} job allows that",
            job_id=job.id,
            operation=verb,
            status=job.status,
        )
