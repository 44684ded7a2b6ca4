"""Mistakes about the end of a lease."""

from typing import Any

from jobqueue.lifecycle import LEASE_EXPIRED, Lifecycle
from jobqueue.model import PENDING, RUNNING, Job, Lease, Outcome
from jobqueue.simulation.flawed.queue import FlawedQueue
from jobqueue.transitions import Changes


class _LateByOne(Lifecycle):
    def due_at(self, job: Job, next_age_at: int | None, *, is_ready: bool) -> int | None:
        due_at = super().due_at(job, next_age_at, is_ready=is_ready)
        if job.status is RUNNING and due_at is not None:
            return due_at + 1  # over once now > lease_until
        return due_at


class LateByOne(FlawedQueue):
    """At the instant of its end a lease still counts: `>` where `>=` belongs."""

    rules = _LateByOne


class SweepsOnlyInPoll(FlawedQueue):
    """Only a poll looks for expired leases; whoever reports or looks in between finds them alive.

    The flaw is in the machinery, not in a rule: here not every operation expires what is due first.
    """

    rules = Lifecycle
    _polls = False

    def poll(self, worker_id: str, lease_millis: int, **options: Any) -> Lease | None:
        """Expire what is due, then hand out."""
        self._polls = True
        try:
            return super().poll(worker_id, lease_millis, **options)
        finally:
            self._polls = False

    def _end_what_is_due(self) -> int:
        if self._polls:
            return super()._end_what_is_due()
        self._now = max(self._now, self._time.now())
        return 0


class _DatesByTheSweep(Lifecycle):
    def expired(self, job: Job, now: int) -> Changes:
        return self.failed(job, now, LEASE_EXPIRED, Outcome.EXPIRED)  # as if it had failed just now


class DatesByTheSweep(SweepsOnlyInPoll):
    """A poll finds that a lease is over, and takes the moment of finding for the end."""

    rules = _DatesByTheSweep


class _LeavesTheLastRunning(Lifecycle):
    def due_at(self, job: Job, next_age_at: int | None, *, is_ready: bool) -> int | None:
        if job.status is RUNNING and job.attempts >= self.retry.policy.max_attempts:
            return None  # there is no retry to go to
        return super().due_at(job, next_age_at, is_ready=is_ready)


class LeavesTheLastRunning(FlawedQueue):
    """An expiry leads back to PENDING, and where no attempt is left, nowhere."""

    rules = _LeavesTheLastRunning


class _CountsAtTheEnd(Lifecycle):
    def leased(self, job: Job, now: int, worker_id: str, lease_millis: int) -> Changes:
        changes = super().leased(job, now, worker_id, lease_millis)
        if job.outcome is Outcome.EXPIRED:
            changes["attempts"] = job.attempts  # nobody reported the last one, so it was none
        return changes


class CountsAtTheEnd(FlawedQueue):
    """An attempt counts when its report comes in, so one whose worker died was none."""

    rules = _CountsAtTheEnd


class _RenewalsAddUp(Lifecycle):
    def renewed(self, job: Job, now: int, lease_millis: int, checkpoint: str | None = None) -> Changes:
        return {
            "lease_until": (job.lease_until or now) + lease_millis,
            "checkpoint": checkpoint or job.checkpoint,
        }


class RenewalsAddUp(FlawedQueue):
    """A renewal is added to the old end, so that renewals pile up."""

    rules = _RenewalsAddUp


class _RenewsAfterTheEnd(Lifecycle):
    def check_token(self, job: Job, token: str, operation: str) -> None:
        if operation == "renew" and token == job.token and job.status in {RUNNING, PENDING}:
            return  # it is the latest one
        super().check_token(job, token, operation)

    def renewed(self, job: Job, now: int, lease_millis: int, checkpoint: str | None = None) -> Changes:
        until = self.lease_until(job.started_at or now, now, lease_millis)
        alive: Changes = {"status": RUNNING, "outcome": None, "ended_at": None}
        return {**alive, "lease_until": until, "checkpoint": checkpoint or job.checkpoint}


class RenewsAfterTheEnd(FlawedQueue):
    """A renewal asks whether the token is the latest one, not whether its lease still runs."""

    rules = _RenewsAfterTheEnd
