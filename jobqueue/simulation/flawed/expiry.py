"""Mistakes about the end of a lease. Each class changes one rule of the queue and nothing else."""

from collections.abc import Callable, Mapping
from typing import Any

from jobqueue import lifecycle
from jobqueue.lifecycle import DEAD, PENDING, RUNNING
from jobqueue.model import Job, Lease, Outcome
from jobqueue.queue import JobQueue
from jobqueue.simulation.flawed.in_memory import InMemory
from jobqueue.table import JobTable
from jobqueue.views import lease_of

Told = Callable[[], Mapping[str, Any]]


class _LateTable(JobTable):
    """Looks for leases that are over only after their end."""

    def put(self, job: Job, now: int) -> Job:
        """Put a version of a job in its place."""
        super().put(job, now)
        if job.status is RUNNING and job.lease_until is not None:
            self._timers.put(job.number, (job.lease_until + 1, job.number))  # over once now > lease_until
        return job


class LateByOne(InMemory):
    """At the instant of its end a lease still counts: `>` where `>=` belongs."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._table.__class__ = _LateTable


class SweepsOnlyInPoll(InMemory):
    """Only a poll looks for leases that are over; whoever reports or looks in between finds them alive."""

    _polls = False

    def __init__(self, *args: Any, **options: Any) -> None:
        self._over: set[str] = set()
        super().__init__(*args, **options)

    def poll(self, worker_id: str, lease_millis: int, **options: Any) -> Lease | None:
        """Sweep, then hand out."""
        for job in filter(None, map(self._table.get, self._over)):
            if job.status is RUNNING:  # then it is to be found among the timers again
                self._table._timers.put(job.number, (job.lease_until, job.number))  # noqa: SLF001
        self._over, self._polls = set(), True
        try:
            return super().poll(worker_id, lease_millis, **options)
        finally:
            self._polls = False

    def _commit(self, before: Job | None, after: Job, at: int, told: Told = dict) -> Job:
        if (
            before is None
            or after.outcome is not Outcome.EXPIRED
            or before.status is not RUNNING
            or self._polls
        ):
            return super()._commit(before, after, at, told)
        self._over.add(before.id)  # a poll will see to it
        self._table._timers.drop(before.number)  # noqa: SLF001 - the right queue has no such way to forget
        return before


class DatesByTheSweep(SweepsOnlyInPoll):
    """A poll finds that a lease is over, and takes the moment of finding for the end."""

    def _commit(self, before: Job | None, after: Job, at: int, told: Told = dict) -> Job:
        if before is not None and before.status is RUNNING and after.outcome is Outcome.EXPIRED:
            at = self._now  # as if it had failed just now
            after = lifecycle.failed(before, at, lifecycle.LEASE_EXPIRED, self._rule, Outcome.EXPIRED)
        return super()._commit(before, after, at, told)


class LeavesTheLastRunning(InMemory):
    """An expiry leads back to PENDING, and where no attempt is left, nowhere."""

    def _commit(self, before: Job | None, after: Job, at: int, told: Told = dict) -> Job:
        if before is not None and after.outcome is Outcome.EXPIRED and after.status is DEAD:
            self._table._timers.drop(before.number)  # noqa: SLF001 - the right queue has no such way to forget
            return before
        return super()._commit(before, after, at, told)


class CountsAtTheEnd(InMemory):
    """An attempt counts when its report comes in, so one whose worker died was none."""

    def _commit(self, before: Job | None, after: Job, at: int, told: Told = dict) -> Job:
        after = super()._commit(before, after, at, told)
        if before is not None and before.status is RUNNING and after.outcome is Outcome.EXPIRED:
            self._table._jobs[after.id] = after._replace(attempts=after.attempts - 1)  # noqa: SLF001 - behind the table's back
        return after


class RenewalsAddUp(JobQueue):
    """A renewal is added to the old end, so that renewals pile up."""

    def renew(self, job_id: str, token: str, lease_millis: int, checkpoint: str | None = None) -> Lease:
        """Extend the lease by its whole length."""
        with self._turn() as now:
            job = self._held(job_id, token, "renew")
            until = (job.lease_until or now) + lease_millis
            longer = lifecycle.follow(job, "renew", lease_until=until, checkpoint=checkpoint or job.checkpoint)
            self._commit(job, longer, now)
            return lease_of(longer)


class RenewsAfterTheEnd(JobQueue):
    """A renewal asks whether the token is the latest one, not whether its lease still runs."""

    def renew(self, job_id: str, token: str, lease_millis: int, checkpoint: str | None = None) -> Lease:
        """Extend the lease, or bring it back to life."""
        with self._turn() as now:
            job = self._find(job_id)
            if token != job.token or job.status not in {RUNNING, PENDING}:
                lifecycle.check_token(job, token, "renew")
            alive = job._replace(status=RUNNING, outcome=None, ended_at=None)
            if job.status is PENDING:
                self._table.put(alive, now)
            longer = lifecycle.renewed(alive, now, lease_millis, checkpoint)
            self._commit(alive, longer, now)
            return lease_of(longer)
