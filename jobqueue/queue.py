"""The queue: what producers, workers and operators call. Start reading here.

Every operation is one turn under one lock: settle what is due, look at the job, let a rule of `lifecycle`
make its next version, put that away, tell it (`turn.py` has these steps). The queue never runs a job, never
waits, and never asks the computer for the time: it reads the clock that it was given.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from types import NoneType
from typing import Self

from jobqueue import lifecycle, replay
from jobqueue.arguments import (
    check_flag,
    check_instance,
    check_integer,
    check_name,
    check_string,
    check_text,
    error_text,
)
from jobqueue.clock import ManualClock, TimeSource
from jobqueue.events import Event, EventLog, Outbox, Subscriber
from jobqueue.model import Attempt, JobView, Lease
from jobqueue.operations import Operations
from jobqueue.orders import order
from jobqueue.retention import Retention
from jobqueue.retry import Jitter, RetryBudget, RetryPolicy, RetryRule
from jobqueue.scheduling import DispatchLimit, Limits, StrictPriority, WeightedBands
from jobqueue.scheduling.limits import ActiveLimits
from jobqueue.scheduling.schedule import Schedule, Scheduler, schedule_for
from jobqueue.storage import CHANGING, LOOKING, SUBMITTING, Aim, Table, Transaction, one_lock, to_poll
from jobqueue.table import JobTable
from jobqueue.views import lease_of


class JobQueue(Operations):
    """A job queue in memory: each job goes to one worker at a time, and a failed one is tried again.

    The core is below; request keys, redrives, pauses and looking ahead are in `operations.py`. Every operation
    first settles what is due: a lease that is over has failed at the instant of its end.

    Args:
        time: where "now" comes from, in milliseconds; should it ever go back, the queue's time stands still.
        policy: how often a job is attempted, and how long it rests in between.
        scheduler: who is next; by default the best ready job, by priority, run_at and submission order.
        limits: how much may wait and run; by default as much as there is.
        jitter: what spreads the retries; by default nothing.
        retry_budget: how many retries may run beside first attempts; by default all.
        dispatch_limit: how many jobs of a type may run, found out by trying; by default all.
        max_run_millis: how long one attempt may take, however often it is renewed; None for ever.
        keep_finished: how many SUCCEEDED and CANCELLED jobs to remember, the newest; None for all of them.
        key_life_millis: for how long a request key keeps its job from being forgotten.
        log: an `EventLog` that keeps every event; without one, and without subscribers, no event is built.
    """

    def __init__(
        self,
        time: TimeSource,
        policy: RetryPolicy,
        *,
        scheduler: Scheduler | None = None,
        limits: Limits | None = None,
        jitter: Jitter | None = None,
        retry_budget: RetryBudget | None = None,
        dispatch_limit: DispatchLimit | None = None,
        max_run_millis: int | None = None,
        keep_finished: int | None = None,
        key_life_millis: int = 86_400_000,
        log: EventLog | None = None,
    ) -> None:
        limits = Limits() if limits is None else limits
        scheduler = StrictPriority() if scheduler is None else scheduler
        for name, value, *kinds in (
            ("policy", policy, RetryPolicy),
            ("scheduler", scheduler, StrictPriority, WeightedBands),
            ("limits", limits, Limits),
            ("jitter", jitter, Jitter, NoneType),
            ("retry_budget", retry_budget, RetryBudget, NoneType),
            ("dispatch_limit", dispatch_limit, DispatchLimit, NoneType),
            ("log", log, EventLog, NoneType),
        ):
            check_instance(name, value, *kinds)
        if keep_finished is not None:
            keep_finished = check_integer("keep_finished", keep_finished, low=0)
        if max_run_millis is not None:
            max_run_millis = check_integer("max_run_millis", max_run_millis, low=1)
        key_life_millis = check_integer("key_life_millis", key_life_millis, low=0)
        schedule = schedule_for(scheduler, ActiveLimits(limits, retry_budget, dispatch_limit))
        rule = RetryRule(policy, jitter)
        table, transaction, outbox = self._places(schedule, limits, key_life_millis, log)
        super().__init__(time, table, transaction, outbox, rule, limits, max_run_millis, keep_finished)
        self._again = partial(
            JobQueue,
            policy=policy,
            scheduler=scheduler,
            limits=limits,
            jitter=jitter,
            retry_budget=retry_budget,
            dispatch_limit=dispatch_limit,
            max_run_millis=max_run_millis,
            keep_finished=keep_finished,
            key_life_millis=key_life_millis,
        )
        if log is not None:
            log.attach(self._rebuilt)

    def _places(
        self, schedule: Schedule, limits: Limits, key_life_millis: int, log: EventLog | None
    ) -> tuple[Table, Transaction, Outbox]:
        """Return where the jobs are, what makes a turn one step, and where its events go: here, in memory."""
        del limits
        return JobTable(schedule, Retention(key_life_millis)), one_lock(), Outbox(log)

    def close(self) -> None:
        """Let go of what is open outside of this process: in memory, nothing."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- producers ---------------------------------------------------------------------------------------

    def submit(
        self,
        type: str,
        payload: str | None = "",
        priority: int = 0,
        run_at_millis: int | None = None,
        *,
        tenant: str = "default",
        deadline_millis: int | None = None,
        cost: int = 1,
    ) -> str:
        """Add a job and return its id: J1, J2, ... in submission order.

        Args:
            type: what kind of work it is; workers may poll for some types only.
            payload: text for the worker; None is stored as "".
            priority: higher goes first; may be negative.
            run_at_millis: the instant from which on it may be handed out; None for now.
            tenant: on whose behalf.
            deadline_millis: the instant at which it is given up if nobody has started it; None for never.
            cost: how much of a worker's time it is worth, 1 to 1,000,000, in a unit of the caller's choice.

        Raises:
            ValueError: the deadline is not later than now and than run_at.
            AdmissionError: as many jobs wait as the limits allow.
        """
        asked = order(
            type, payload, priority, run_at_millis, tenant=tenant, deadline_millis=deadline_millis, cost=cost
        )
        with self._turn(SUBMITTING) as now:
            return self._accept(asked, now)

    def cancel(self, job_id: str) -> None:
        """Take back a PENDING job, also one that waits for a retry; any other is an `IllegalStateError`."""
        job_id = check_string("job_id", job_id)
        with self._turn(Aim(job_id)) as now:
            job = self._find(job_id)
            self._commit(job, lifecycle.cancelled(job, now), now)

    # -- workers -----------------------------------------------------------------------------------------

    def poll(
        self,
        worker_id: str,
        lease_millis: int,
        *,
        types: Iterable[str] | None = None,
        tenants: Iterable[str] | None = None,
    ) -> Lease | None:
        """Hand the best ready job to this worker, or return None if nothing is ready.

        Best is the highest priority, then the earliest run_at, then submission order.

        Args:
            worker_id: who asks; it says who holds the lease and gives no rights, only the token does.
            lease_millis: for how long the job is this worker's alone, from now.
            types: ask for jobs of these types only; None for all.
            tenants: ask for jobs of these tenants only, in the same order; None for all.
        """
        worker_id = check_name("worker_id", worker_id)
        lease_millis = check_integer("lease_millis", lease_millis, low=1)
        aim = to_poll(types, tenants)
        with self._turn(aim) as now:
            return self._hand_out(worker_id, lease_millis, aim, now)

    def complete(self, job_id: str, token: str, result: str | None = None) -> None:
        """Report success. Without the token of the current lease it is refused with `StaleTokenError`.

        Args:
            job_id: which job.
            token: the token of its current lease.
            result: text to be kept with the job.
        """
        if result is not None:
            result = check_text("result", result)
        job_id, token = check_string("job_id", job_id), check_string("token", token)
        with self._turn(Aim(job_id)) as now:
            job = self._held(job_id, token, "complete")
            self._commit(job, lifecycle.completed(job, now, result), now)

    def fail(self, job_id: str, token: str, error: object = None, *, permanent: bool = False) -> None:
        """Report failure: the job is retried after its backoff, or becomes a dead letter.

        Args:
            job_id: which job.
            token: the token of its current lease.
            error: what went wrong, as text or as the exception itself; cut at 65,536 characters.
            permanent: trying again would be useless, so the job is a dead letter at once.
        """
        check_flag("permanent", permanent)
        text = error_text(error)
        job_id, token = check_string("job_id", job_id), check_string("token", token)
        with self._turn(Aim(job_id)) as now:
            job = self._held(job_id, token, "fail")
            self._commit(job, lifecycle.failed(job, now, text, self._rule, permanent=permanent), now)

    def renew(self, job_id: str, token: str, lease_millis: int, checkpoint: str | None = None) -> Lease:
        """Extend the lease to `lease_millis` from now, if that is later than it ends anyway; same token.

        A `checkpoint` is text that later attempts find in their lease, to go on from there.
        """
        lease_millis = check_integer("lease_millis", lease_millis, low=1)
        if checkpoint is not None:
            checkpoint = check_text("checkpoint", checkpoint)
        job_id, token = check_string("job_id", job_id), check_string("token", token)
        with self._turn(Aim(job_id)) as now:
            job = self._held(job_id, token, "renew")
            longer = lifecycle.renewed(job, now, lease_millis, checkpoint, self._max_run_millis)
            self._commit(job, longer, now)
            return lease_of(longer)

    def release(self, job_id: str, token: str) -> None:
        """Give back a job that was not started: as if it had not been handed out, but for the token."""
        job_id, token = check_string("job_id", job_id), check_string("token", token)
        with self._turn(Aim(job_id)) as now:
            job = self._held(job_id, token, "release")
            self._commit(job, lifecycle.released(job, now), now)

    # -- anybody -----------------------------------------------------------------------------------------

    def view(self, job_id: str) -> JobView:
        """Return the job as it is now."""
        job_id = check_string("job_id", job_id)
        with self._turn(Aim(job_id, reads=True)):
            return self._seen(self._find(job_id))

    def payload(self, job_id: str) -> str:
        """Return the job's payload."""
        job_id = check_string("job_id", job_id)
        with self._turn(Aim(job_id, reads=True)):
            return self._find(job_id).payload

    def history(self, job_id: str) -> list[Attempt]:
        """Return one record for each time the job was handed out, oldest first."""
        job_id = check_string("job_id", job_id)
        with self._turn(Aim(job_id, reads=True)):
            return self._table.attempts(self._find(job_id))

    def sweep(self) -> int:
        """Settle what is due and do nothing else; return how many leases and deadlines ended."""
        try:
            with self._transaction(CHANGING):
                return self._settle()
        finally:
            self._outbox.deliver()

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Hand every event from now on to `subscriber`, after the change and outside the lock, in order.

        Returns:
            A function that ends the subscription. A subscriber that raises is logged and disturbs nobody.
        """
        return self._outbox.subscribe(subscriber)

    # -- operators ---------------------------------------------------------------------------------------

    def dead_letters(self) -> list[JobView]:
        """Return all DEAD jobs in submission order; `retry_dead` and `redrive` bring them back."""
        with self._turn(LOOKING):
            return [self._seen(job) for job in self._table.dead()]

    def _rebuilt(self, events: Sequence[Event], now: int | None) -> "JobQueue":
        """Return a queue with these rules, in the state that the events lead to; see `EventLog.replay`."""
        last = events[-1].at if events else self._began_at
        end = last if now is None else now
        begin = min(self._began_at, end)
        clock = ManualClock(begin)
        queue = self._again(clock)
        for event, before, after in replay.retell(events):
            queue._redo(event, before, after)  # noqa: SLF001 - another object, the same class
        next(iter(queue._table.settle(queue._now)), None)  # noqa: SLF001 - the last instant is over
        clock.advance_to(max(begin, end))
        return queue
