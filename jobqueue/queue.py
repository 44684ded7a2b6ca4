"""The queue: what producers and workers call. Start reading here.

Every operation shows the same four steps: take the lock, expire what is due, ask a rule of `lifecycle` what
changes, and put that away. The queue never runs a job, never waits, and never asks the computer for the time:
it reads the clock that it was given. A store keeps the jobs (`memory.py`, `stores/`).
"""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Self

from jobqueue import operator, replay
from jobqueue import redrive as dead_jobs
from jobqueue.arguments import (
    LARGEST_INTEGER,
    check_flag,
    check_integer,
    check_name,
    check_string,
    check_text,
    error_text,
)
from jobqueue.clock import ManualClock, TimeSource
from jobqueue.errors import UnknownJobError
from jobqueue.events import EventDispatcher, EventKind, EventLog, Subscriber
from jobqueue.lifecycle import Lifecycle
from jobqueue.memory import MemoryStore
from jobqueue.model import RUNNING, Job, Lease
from jobqueue.options import QueueOptions
from jobqueue.recorder import Recorder, kinds_of
from jobqueue.retry import Jitter, RetryBudget, RetryPolicy
from jobqueue.scheduling import DispatchLimit, Limits, StrictPriority
from jobqueue.scheduling.schedule import Scheduler
from jobqueue.steps import Details
from jobqueue.store import POLLING, SUBMITTING, Access, Store, access_of_poll
from jobqueue.submission import JobRequest, job_request
from jobqueue.transitions import Changes
from jobqueue.views import JobView, view_of


class JobQueue:
    """A job queue in memory: each job goes to one worker at a time, and a failed one is retried.

    Args:
        time: where "now" comes from, in milliseconds; should it ever go back, the queue's time stands still.
        policy: how often a job is attempted, and how long it backs off in between.
        log: an `EventLog` that keeps every event; without one, and without subscribers, no event is built.
        lifecycle: the rules; another class than `Lifecycle` makes a queue that is wrong in one place.

    What the other options are is said at `QueueOptions`; each costs nothing until somebody asks for it.
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
        lifecycle: type[Lifecycle] = Lifecycle,
    ) -> None:
        self._time = time
        self._options = options = QueueOptions(
            policy,
            StrictPriority() if scheduler is None else scheduler,
            Limits() if limits is None else limits,
            jitter,
            retry_budget,
            dispatch_limit,
            max_run_millis,
            keep_finished,
            key_life_millis,
            lifecycle,
        )
        self._rules = options.rules()
        self._store = self._open_store(log)
        self._dispatcher = self._store.dispatcher
        self._recorder = Recorder(self._dispatcher, self._store.get, self._store.attempt)
        self._keep_finished = options.keep_finished
        self._admits = options.limits.admit if options.limits.limits_submits else None
        self._store.on_refusal(lambda refusal: self._recorder.refused(refusal, self._now))
        self._now = self._began_at = check_integer("time.now()", time.now())
        if log is not None:
            log.attach(partial(replay.rebuilt, self._fresh, self._began_at))

    def _open_store(self, log: EventLog | None) -> Store:
        return MemoryStore(self._options, self._rules, EventDispatcher(log))

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

        What each argument means is said at `JobRequest`.

        Raises:
            ValueError: the deadline is not later than now and than run_at.
            AdmissionError: as many jobs wait as the limits allow.
        """
        request = job_request(type, payload, priority, run_at_millis, tenant, deadline_millis, cost)
        with self._store.transaction(SUBMITTING):
            now = self._expire_due()
            return self._accept(request, now)

    def cancel(self, job_id: str) -> None:
        """Cancel a PENDING job, also one that waits for a retry; any other is an `IllegalStateError`."""
        job_id = check_string("job_id", job_id)
        with self._store.transaction(Access(job_id)):
            now = self._expire_due()
            job = self._find(job_id)
            self._put(job, self._rules.cancelled(job, now), now, EventKind.CANCELLED)

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

        Best is the highest priority, then the earliest run_at, then submission order, among the `types` and
        `tenants` asked for. For `lease_millis` from now the job is this worker's alone. The worker's id says
        who holds the lease and gives no rights: only the token does.
        """
        worker_id = check_name("worker_id", worker_id)
        lease_millis = check_integer("lease_millis", lease_millis, low=1)
        access = POLLING if types is None and tenants is None else access_of_poll(types, tenants)
        with self._store.transaction(access):
            now = self._expire_due()
            return self._hand_out(worker_id, lease_millis, access, now)

    def complete(self, job_id: str, token: str, result: str | None = None) -> None:
        """Report success; a `result` is text that is kept with the job.

        Without the token of the current lease it is refused with `StaleTokenError`, like every report.
        """
        if result is not None:
            result = check_text("result", result)
        job_id, token = check_string("job_id", job_id), check_string("token", token)
        with self._store.transaction(Access(job_id)):
            now = self._expire_due()
            job = self._held(job_id, token, "complete")
            self._put(job, self._rules.completed(job, now, result), now, EventKind.COMPLETED, token=token)

    def fail(self, job_id: str, token: str, error: object = None, *, permanent: bool = False) -> None:
        """Report failure: the job is retried after its backoff, or becomes a dead letter.

        The `error` is text or the exception itself, cut at 65,536 characters. With `permanent` the job is a
        dead letter at once, because trying again would be useless.
        """
        check_flag("permanent", permanent)
        text = error_text(error)
        job_id, token = check_string("job_id", job_id), check_string("token", token)
        with self._store.transaction(Access(job_id)):
            now = self._expire_due()
            job = self._held(job_id, token, "fail")
            self._put(job, self._rules.failed(job, now, text, permanent=permanent), now, token=token)

    def renew(self, job_id: str, token: str, lease_millis: int, checkpoint: str | None = None) -> Lease:
        """Extend the lease to `lease_millis` from now, if that is later than it ends anyway; same token.

        A `checkpoint` is text that later attempts find in their lease, to go on from there.
        """
        lease_millis = check_integer("lease_millis", lease_millis, low=1)
        if checkpoint is not None:
            checkpoint = check_text("checkpoint", checkpoint)
        job_id, token = check_string("job_id", job_id), check_string("token", token)
        with self._store.transaction(Access(job_id)):
            now = self._expire_due()
            job = self._held(job_id, token, "renew")
            longer = self._rules.renewed(job, now, lease_millis, checkpoint)
            return self._put(job, longer, now, EventKind.RENEWED, token=token).lease()

    def release(self, job_id: str, token: str) -> None:
        """Give back a job that was not started: as if it had not been handed out, but for the token."""
        job_id, token = check_string("job_id", job_id), check_string("token", token)
        with self._store.transaction(Access(job_id)):
            now = self._expire_due()
            job = self._held(job_id, token, "release")
            self._put(job, self._rules.released(job, now), now, token=token)

    # -- anybody -----------------------------------------------------------------------------------------

    def view(self, job_id: str) -> JobView:
        """Return the job as it is now."""
        job_id = check_string("job_id", job_id)
        with self._store.transaction(Access(job_id, reads=True)):
            now = self._expire_due()
            job = self._find(job_id)
            return view_of(job, self._store.hold_of(job, now))

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Hand every later event to `subscriber`, outside the lock; return a function that ends that."""
        return self._dispatcher.subscribe(subscriber)

    def close(self) -> None:
        """Let go of what is open outside of this process."""
        self._store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- careful producers and operators: functions of a queue, in files of their own --------------------

    submit_once = operator.submit_once
    sweep = operator.sweep
    payload = operator.payload
    history = operator.history
    poll_many = operator.poll_many
    pause = operator.pause
    resume = operator.resume
    paused = operator.paused
    next_up = operator.next_up
    why_not = operator.why_not
    stats = operator.stats
    list_jobs = operator.list_jobs
    prune = operator.prune
    retry_dead = dead_jobs.retry_dead
    redrive = dead_jobs.redrive
    redrive_many = dead_jobs.redrive_many
    redrivable = dead_jobs.redrivable
    redrives = dead_jobs.redrives
    dead_letters = dead_jobs.dead_letters

    # -- the steps ---------------------------------------------------------------------------------------

    def _expire_due(self) -> int:
        """Do what time alone decides, and return the present instant."""
        self._end_what_is_due()
        return self._now

    def _end_what_is_due(self) -> int:
        """End leases and deadlines by instant, then submission order; return how many."""
        now = self._time.now()
        if type(now) is not int or not -LARGEST_INTEGER <= now <= LARGEST_INTEGER:
            now = check_integer("time.now()", now)  # which refuses it, or makes it plain
        self._now = max(self._now, now)  # a clock that was set back must not bring a lease back to life
        ended, until = 0, None
        while until != self._now:  # a store lets others in between: by then time may have gone on
            until = self._now
            for job, at in self._store.due(until):
                is_running = job.status is RUNNING
                changes = self._rules.expired(job, until) if is_running else self._rules.missed(job)
                self._put(job, changes, changes.get("ended_at") or at)
                ended += 1
        if self._store.newest is not None:  # the database's clock, read after every lock
            self._now = max(self._now, self._store.newest)
        return ended

    def _find(self, job_id: str) -> Job:
        job = self._store.get(job_id)
        if job is None:
            raise UnknownJobError.of(job_id, self._store.last_number)
        return job

    def _held(self, job_id: str, token: str, operation: str) -> Job:
        """Return a job to the holder of its current lease, or refuse the token."""
        job = self._find(job_id)
        self._rules.check_token(job, token, operation)
        return job

    def _accept(self, request: JobRequest, now: int) -> str:
        """Make a job of a request and return its id, unless its deadline or the limits forbid it."""
        job = request.job(self._store.next_number, now)
        if self._admits is not None:
            self._admits(request.tenant, self._store.queued)
        job_id = self._store.add(job, now)
        self._recorder.counts[EventKind.SUBMITTED] += 1
        if self._dispatcher.listening:
            self._recorder.post(job, None, (EventKind.SUBMITTED,), now, request.details)
        return job_id

    def _hand_out(self, worker_id: str, lease_millis: int, access: Access, now: int) -> Lease | None:
        """Lease the next job of the types and tenants asked for to a worker; None if none is eligible."""
        most = self._rules.retry.policy.max_attempts
        while (job := self._store.pick(access.types, access.tenants, most)) and job.attempts >= most:
            self._put(job, self._rules.exhausted(job, now), now)
        if job is None:
            return None
        changes = self._rules.leased(job, now, worker_id, lease_millis)
        return self._put(job, changes, now, EventKind.LEASED, access.details).lease()

    def _put(  # noqa: PLR0917 - what the rule said, when, and what to call it
        self,
        job: Job,
        changes: Changes,
        at: int,
        kind: EventKind | None = None,
        details: Details = dict,
        token: str | None = None,
    ) -> Job:
        """Put away what a rule changes of a job, and record what happened at `at`, with `details` if asked."""
        before = job.status
        self._store.put(job, changes, at)
        kinds = (kind,) if kind else kinds_of(before, job)
        for what in kinds:
            self._recorder.counts[what] += 1
        if self._dispatcher.listening:
            self._recorder.post(job, before, kinds, at, details, token)
        if self._keep_finished is not None:
            for surplus in self._store.surplus(self._keep_finished, at):
                self._drop(surplus, at)
        return job

    def _drop(self, job: Job, at: int) -> None:
        self._store.drop(job)
        self._recorder.dropped(job, at)

    def _fresh(self, clock: ManualClock) -> "JobQueue":
        return JobQueue(clock, **self._options.again())
