"""One turn of the queue: take the lock, settle what is due, let a rule make the next version of a job, tell it.

Every operation of the queue is made of these few steps; what the operations are is said elsewhere.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from typing import Any

from jobqueue import lifecycle, replay
from jobqueue.arguments import LARGEST_INTEGER, check_integer
from jobqueue.clock import TimeSource
from jobqueue.errors import AdmissionError, IllegalStateError, StaleTokenError, UnknownJobError
from jobqueue.events import Event, EventKind, Outbox
from jobqueue.lifecycle import RUNNING
from jobqueue.model import Job, JobView, Lease, Outcome
from jobqueue.orders import Order
from jobqueue.retry import RetryRule
from jobqueue.scheduling.limits import Limits
from jobqueue.storage import CHANGING, Aim, Table, Transaction
from jobqueue.views import lease_of, view_of

Step = AbstractContextManager[object]
Fault = BaseException | None

RETRY_AFTER_MILLIS = 1000
"""After what time a producer that was refused may try again; how soon there is room, nobody knows."""


class Turn:
    """One turn, for `with`; a class, because a generator would cost an operation more than its rule does."""

    __slots__ = ("_begin", "_end", "_step")

    def __init__(self, step: Step, begin: Callable[[Step], int], end: Callable[[Step, Fault], None]) -> None:
        self._step = step
        self._begin = begin
        self._end = end

    def __enter__(self) -> int:
        return self._begin(self._step)

    def __exit__(self, kind: object, fault: BaseException | None, trace: object) -> None:
        self._end(self._step, fault)


class Turns:
    """The state of a queue, and the steps of a turn."""

    def __init__(  # noqa: PLR0917 - the parts of a queue, one by one
        self,
        time: TimeSource,
        table: Table,
        transaction: Transaction,
        outbox: Outbox,
        rule: RetryRule,
        limits: Limits,
        max_run_millis: int | None,
        keep_finished: int | None,
    ) -> None:
        self._time = time
        self._table = table
        self._transaction = transaction
        self._outbox = outbox
        self._rule = rule
        self._limits = limits
        self._max_run_millis = max_run_millis
        self._keep_finished = keep_finished
        self._now = self._began_at = check_integer("time.now()", time.now())
        self._counts = Counter[str]()

    def _turn(self, aim: Aim = CHANGING) -> Turn:
        """Take the lock, settle what is due, hand out `now`; tell the events after letting the lock go."""
        return Turn(self._transaction(aim), self._begin, self._end)

    def _begin(self, step: Step) -> int:
        """Begin the step and settle what is due; return `now`."""
        step.__enter__()
        try:
            self._settle()
        except BaseException as fault:
            self._end(step, fault)
            raise
        return self._now

    def _end(self, step: Step, fault: Fault) -> None:
        """Note who was refused, end the step, and only then tell what happened."""
        try:
            if isinstance(fault, (IllegalStateError, AdmissionError)):
                self._tell_refusal(fault)
        finally:
            try:
                step.__exit__(None if fault is None else type(fault), fault, None)
            finally:
                self._outbox.deliver()

    def _settle(self) -> int:
        """Do what time alone decides, by instant, then submission order; return how many jobs it settled."""
        # A clock that was set back must not bring a lease back to life.
        told = self._time.now()
        if type(told) is not int or not -LARGEST_INTEGER <= told <= LARGEST_INTEGER:
            told = check_integer("time.now()", told)  # which refuses it, or makes it plain
        now = self._now = max(self._now, told)
        settled, until = 0, None
        while until != now:  # a store lets others in between: by then time may have gone on
            until = now
            for job, at in self._table.settle(now):
                after = lifecycle.expired(job, self._rule) if job.status is RUNNING else lifecycle.missed(job)
                self._commit(job, after, at)
                settled += 1
            now = self._now
        return settled

    # -- what operations are made of ---------------------------------------------------------------------

    def _find(self, job_id: str) -> Job:
        job = self._table.get(job_id)
        if job is None:
            raise UnknownJobError(
                f"no job has the id {job_id[:40]!a}: {self._table.last_number} were submitted so far, "
                "and finished ones are forgotten where keep_finished says so",
                job_id=job_id,
            )
        return job

    def _held(self, job_id: str, token: str, operation: str) -> Job:
        """Return the job to whoever holds it, or refuse the token."""
        job = self._find(job_id)
        lifecycle.check_token(job, token, operation)
        return job

    def _seen(self, job: Job) -> JobView:
        return view_of(job, self._table.hold_of(job, self._now))

    def _accept(self, order: Order, now: int) -> str:
        """Make a job of an order, unless its deadline or the limits forbid it."""
        job = order.job(self._table.next_number, now)
        self._admit(order.tenant)
        return self._commit(None, job, now, order.told).id

    def _admit(self, tenant: str) -> None:
        most = self._limits.max_queued
        if most is not None and (queued := self._table.queued()) >= most:
            self._turn_away(f"the queue has {queued} jobs waiting, of {most} allowed")
        most = self._limits.max_queued_per_tenant
        if most is not None and (queued := self._table.queued(tenant)) >= most:
            self._turn_away(f"tenant {tenant} has {queued} jobs waiting, of {most} allowed")

    def _turn_away(self, found: str) -> None:
        raise AdmissionError(f"cannot submit: {found}; try again later", retry_after_millis=RETRY_AFTER_MILLIS)

    def _hand_out(self, worker_id: str, lease_millis: int, aim: Aim, now: int) -> Lease | None:
        """Lease the next job of the types and tenants asked for to a worker; None if none is eligible."""
        most = self._rule.policy.max_attempts
        while (job := self._table.pick(aim.types, aim.tenants, most)) is not None and job.attempts >= most:
            self._commit(job, lifecycle.exhausted(job, now), now)
        if job is None:
            return None
        running = lifecycle.leased(job, now, worker_id, lease_millis, self._max_run_millis)
        self._commit(job, running, now, lambda: _told_of(aim))
        return lease_of(running)

    def _redo(self, event: Event, before: Job | None, after: Job | None) -> None:
        """Make the change again that an event tells of, at its instant."""
        self._now, told = event.at, event.detail
        # Jobs become ready or gain a band on the way there; what ends is told by events of its own.
        next(iter(self._table.settle(event.at)), None)
        match event.kind:
            case EventKind.LEASED:  # picked again, so that slots, turns and credits move as they did
                types, tenants = (told.get(name) for name in ("types", "tenants"))
                self._table.pick(types and frozenset(types), tenants and frozenset(tenants))
            case EventKind.PAUSED | EventKind.RESUMED:
                self._table.set_paused(told["type"], paused=event.kind is EventKind.PAUSED)
            case EventKind.DROPPED if before is not None:
                self._table.drop(before)
            case EventKind.REDRIVEN if after is not None:
                self._table.record(replay.redrive_of(event, after))
            case EventKind.REFUSED:
                self._counts["refused_tokens"] += told["token"] is not None
        if after is not None:
            self._put(before, after, event.at)

    # -- putting away and telling ------------------------------------------------------------------------

    def _commit(
        self, before: Job | None, after: Job, at: int, told: Callable[[], Mapping[str, Any]] = dict
    ) -> Job:
        """Put the next version of a job in the place of the last one, and tell what happened at `at`.

        What is `told` beyond the change itself is asked for only where somebody listens.
        """
        after, kinds = self._put(before, after, at)
        if self._outbox.listening:
            for kind in kinds:
                self._post(kind, at, before, after, {**replay.detail(kind, after), **told()})
        if self._keep_finished is not None:
            for job in self._table.surplus(self._keep_finished, at):
                self._drop(job, at)
        return after

    def _put(self, before: Job | None, after: Job, at: int) -> tuple[Job, tuple[EventKind, ...]]:
        """Put the next version of a job in the place of the last one, and count what it is called."""
        after = self._table.put(after, at)
        kinds = replay.kinds(before, after)
        for kind in kinds:
            self._counts[kind] += 1
        return after, kinds

    def _drop(self, job: Job, at: int) -> None:
        self._table.drop(job)
        if self._outbox.listening:
            self._outbox.post(at, EventKind.DROPPED, job.id, None, job.attempts, job.generation, {})

    def _post(
        self, kind: EventKind, at: int, before: Job | None, after: Job, detail: Mapping[str, Any]
    ) -> None:
        # Only a step from or to RUNNING is about an attempt; a deadline missed in waiting is nobody's doing.
        is_about_attempt = RUNNING in {before and before.status, after.status}
        worker_id = after.worker_id if is_about_attempt else None
        given_back = is_about_attempt and after.outcome is Outcome.RELEASED
        self._outbox.post(at, kind, after.id, worker_id, after.attempts + given_back, after.generation, detail)

    def _tell_refusal(self, refusal: IllegalStateError | AdmissionError) -> None:
        """Tell who was refused what; the attempt is the one that the token was made for, if any."""
        self._counts["refused_tokens"] += isinstance(refusal, StaleTokenError)
        if not self._outbox.listening:
            return
        job = self._table.get(getattr(refusal, "job_id", ""))
        worker_id, attempt, generation = None, 0, 0
        detail = replay.refusal_detail(refusal, job)
        if job is not None and isinstance(refusal, StaleTokenError):
            generation = lifecycle.token_generation(job, refusal.token)
        if job is not None and generation:
            asked = self._table.attempt(job, generation)
            worker_id, attempt = asked.worker_id, asked.attempt
            detail["ended_at"] = asked.ended_at
        job_id = None if job is None else job.id
        self._outbox.post(self._now, EventKind.REFUSED, job_id, worker_id, attempt, generation, detail)


def _told_of(aim: Aim) -> dict[str, Any]:
    """Return what an event tells of the poll that it answers."""
    told: dict[str, Any] = {"types": None if aim.types is None else tuple(sorted(aim.types))}
    return told if aim.tenants is None else {**told, "tenants": tuple(sorted(aim.tenants))}
