"""The queue: what producers, workers and operators call. Start reading here.

Every operation is one turn under one lock: settle what is due, look at the job, let a rule of `lifecycle`
make its next version, put that away, tell it. The queue never runs a job, never waits, and never asks the
computer for the time: it reads the clock that it was given.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from jobqueue import lifecycle, replay
from jobqueue.arguments import (
    HIGHEST_COST,
    check_integer,
    check_name,
    check_string,
    check_text,
    check_types,
    error_text,
)
from jobqueue.clock import ManualClock, TimeSource
from jobqueue.errors import IllegalStateError, StaleTokenError, UnknownJobError
from jobqueue.events import ABOUT_AN_ATTEMPT, Event, EventKind, EventLog, Outbox, Subscriber
from jobqueue.lifecycle import RUNNING
from jobqueue.model import Attempt, Job, JobView, Lease
from jobqueue.retry import RetryPolicy
from jobqueue.table import JobTable


class JobQueue:
    """A job queue in memory: each job goes to one worker at a time, and a failed one is tried again.

    Args:
        time: where "now" comes from, in milliseconds; should it ever go back, the queue's time stands still.
        policy: how often a job is attempted, and how long it rests in between.
        keep_finished: how many SUCCEEDED and CANCELLED jobs to remember, the newest; None for all of them.
        log: an `EventLog` that keeps every event; without one, and without subscribers, no event is built.

    Every operation first settles what is due: a lease that is over has failed at the instant of its end.
    """

    def __init__(
        self,
        time: TimeSource,
        policy: RetryPolicy,
        *,
        keep_finished: int | None = None,
        log: EventLog | None = None,
    ) -> None:
        if keep_finished is not None:
            check_integer("keep_finished", keep_finished, low=0)
        self._time = time
        self._policy = policy
        self._keep_finished = keep_finished
        self._now = time.now()
        self._table = JobTable()
        # One lock for everything: between "is it free?" and "it is mine" no other thread may look.
        self._lock = threading.Lock()
        self._outbox = Outbox(log)
        if log is not None:
            log.attach(self._rebuilt)

    # -- producers ---------------------------------------------------------------------------------------

    def submit(
        self,
        type: str,
        payload: str | None = "",
        priority: int = 0,
        run_at_millis: int | None = None,
        *,
        tenant: str = "default",
        cost: int = 1,
    ) -> str:
        """Add a job and return its id: J1, J2, ... in submission order.

        Args:
            type: what kind of work it is; workers may poll for some types only.
            payload: text for the worker; None is stored as "".
            priority: higher goes first; may be negative.
            run_at_millis: the instant from which on it may be handed out; None for now.
            tenant: on whose behalf.
            cost: how much of a worker's time it is worth, 1 to 1,000,000, in a unit of the caller's choice.
        """
        check_name("type", type)
        payload = check_text("payload", "" if payload is None else payload)
        check_integer("priority", priority)
        if run_at_millis is not None:
            check_integer("run_at_millis", run_at_millis)
        check_name("tenant", tenant)
        check_integer("cost", cost, low=1, high=HIGHEST_COST)
        with self._turn() as now:
            job = Job(
                number=self._table.last_number + 1,
                type=type,
                payload=payload,
                priority=priority,
                tenant=tenant,
                cost=cost,
                submitted_at=now,
                run_at=now if run_at_millis is None else run_at_millis,
            )
            self._commit(
                None,
                job,
                now,
                type=type,
                payload=payload,
                priority=priority,
                run_at_millis=run_at_millis,
                tenant=tenant,
                cost=cost,
            )
            return job.id

    def cancel(self, job_id: str) -> None:
        """Take back a PENDING job, also one that waits for a retry; any other is an `IllegalStateError`."""
        check_string("job_id", job_id)
        with self._turn() as now:
            job = self._find(job_id)
            self._commit(job, lifecycle.cancelled(job, now), now)

    # -- workers -----------------------------------------------------------------------------------------

    def poll(self, worker_id: str, lease_millis: int, *, types: Iterable[str] | None = None) -> Lease | None:
        """Hand the best ready job to this worker, or return None if nothing is ready.

        Best is the highest priority, then the earliest run_at, then submission order.

        Args:
            worker_id: who asks; it says who holds the lease and gives no rights, only the token does.
            lease_millis: for how long the job is this worker's alone, from now.
            types: ask for jobs of these types only; None for all.
        """
        check_name("worker_id", worker_id)
        check_integer("lease_millis", lease_millis, low=1)
        asked = check_types(types)
        with self._turn() as now:
            job = self._table.pick(asked)
            if job is None:
                return None
            running = lifecycle.leased(job, now, worker_id, lease_millis)
            self._commit(job, running, now)
            return lifecycle.lease_of(running)

    def complete(self, job_id: str, token: str) -> None:
        """Report success. Without the token of the current lease it is refused with `StaleTokenError`."""
        with self._held(job_id, token, "complete") as (job, now):
            self._commit(job, lifecycle.completed(job, now), now)

    def fail(self, job_id: str, token: str, error: object = None) -> None:
        """Report failure: the job is retried after its backoff, or becomes a dead letter.

        Args:
            job_id: which job.
            token: the token of its current lease.
            error: what went wrong, as text or as the exception itself; cut at 65,536 characters.
        """
        text = error_text(error)
        with self._held(job_id, token, "fail") as (job, now):
            self._commit(job, lifecycle.failed(job, now, text, self._policy), now)

    def renew(self, job_id: str, token: str, lease_millis: int) -> Lease:
        """Extend the lease to `lease_millis` from now, if that is later than it ends anyway; same token."""
        check_integer("lease_millis", lease_millis, low=1)
        with self._held(job_id, token, "renew") as (job, now):
            longer = lifecycle.renewed(job, now, lease_millis)
            self._commit(job, longer, now)
            return lifecycle.lease_of(longer)

    # -- anybody -----------------------------------------------------------------------------------------

    def view(self, job_id: str) -> JobView:
        """Return the job as it is now."""
        check_string("job_id", job_id)
        with self._turn():
            return lifecycle.view_of(self._find(job_id))

    def payload(self, job_id: str) -> str:
        """Return the job's payload."""
        check_string("job_id", job_id)
        with self._turn():
            return self._find(job_id).payload

    def history(self, job_id: str) -> list[Attempt]:
        """Return one record for each time the job was handed out, oldest first."""
        check_string("job_id", job_id)
        with self._turn():
            return self._table.attempts(self._find(job_id))

    def sweep(self) -> int:
        """Settle what is due and do nothing else; return how many leases were ended."""
        try:
            with self._lock:
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
        """Return all DEAD jobs in submission order."""
        with self._turn():
            return [lifecycle.view_of(job) for job in self._table.dead()]

    def retry_dead(self, job_id: str) -> None:
        """Bring a DEAD job back: PENDING and ready now, with a new set of attempts; its history stays."""
        check_string("job_id", job_id)
        with self._turn() as now:
            job = self._find(job_id)
            self._commit(job, lifecycle.brought_back(job, now), now)

    # -- one turn ----------------------------------------------------------------------------------------

    @contextmanager
    def _turn(self) -> Iterator[int]:
        """Take the lock, settle what is due, hand out `now`; tell the events after letting the lock go."""
        try:
            with self._lock:
                self._settle()
                try:
                    yield self._now
                except IllegalStateError as refusal:
                    self._tell_refusal(refusal)
                    raise
        finally:
            self._outbox.deliver()

    @contextmanager
    def _held(self, job_id: str, token: str, operation: str) -> Iterator[tuple[Job, int]]:
        """One turn for whoever holds the job: hand out the job and `now`, or refuse the token."""
        check_string("job_id", job_id)
        check_string("token", token)
        with self._turn() as now:
            job = self._find(job_id)
            lifecycle.check_token(job, token, operation)
            yield job, now

    def _settle(self) -> int:
        """Do what time alone decides, by instant, then submission order; return how many leases it ended."""
        # A clock that was set back must not bring a lease back to life.
        now = self._now = max(self._now, self._time.now())
        ended = 0
        for job in self._table.settle(now):
            after = lifecycle.expired(job, self._policy)
            self._commit(job, after, at=after.ended_at or 0)
            ended += 1
        return ended

    def _find(self, job_id: str) -> Job:
        job = self._table.get(job_id)
        if job is None:
            raise UnknownJobError(
                f"no job has the id {job_id[:40]!a}: {self._table.last_number} were submitted so far, "
                "and finished ones are forgotten where keep_finished says so",
                job_id=job_id,
            )
        return job

    def _commit(self, before: Job | None, after: Job, at: int, **arguments: object) -> None:
        """Put the next version of a job in the place of the last one, and tell what happened at `at`."""
        self._table.put(after, self._now)
        if self._outbox.listening:
            for kind, detail in replay.tell(before, after):
                self._post(kind, at, after, arguments | dict(detail))
        if self._keep_finished is not None:
            for dropped in self._table.retire(self._keep_finished):
                self._post(EventKind.DROPPED, at, dropped, {})

    # -- telling -----------------------------------------------------------------------------------------

    def _post(self, kind: EventKind, at: int, job: Job, detail: Mapping[str, object]) -> None:
        if self._outbox.listening:
            worker_id = job.worker_id if kind in ABOUT_AN_ATTEMPT else None
            self._outbox.post(at, kind, job.id, worker_id, job.attempts, job.generation, detail)

    def _tell_refusal(self, refusal: IllegalStateError) -> None:
        """Tell who was refused what; the attempt is the one that the token was made for, if any."""
        job = self._table.get(refusal.job_id)
        if job is None or not self._outbox.listening:
            return
        detail: dict[str, object] = {"operation": refusal.operation, "status": str(refusal.status)}
        detail |= {"token": None, "reason": "wrong_state", "message": str(refusal)}
        if job.status is RUNNING:
            detail |= {"holder": job.worker_id, "held_token": job.token, "lease_until": job.lease_until}
        worker_id, attempt, generation = None, 0, 0
        if isinstance(refusal, StaleTokenError):
            detail |= {"token": refusal.token, "reason": refusal.reason}
            generation = lifecycle.token_generation(job, refusal.token)
        if generation:
            asked = self._table.attempts(job)[generation - 1]
            worker_id, attempt = asked.worker_id, asked.attempt
            detail["ended_at"] = asked.ended_at
        self._outbox.post(self._now, EventKind.REFUSED, job.id, worker_id, attempt, generation, detail)

    def _rebuilt(self, events: Sequence[Event], now: int | None) -> "JobQueue":
        """Return a queue with these rules, in the state that the events lead to; see `EventLog.replay`."""
        begin = events[0].at if events else self._now
        end = now if now is not None else events[-1].at if events else begin
        clock = ManualClock(begin)
        queue = JobQueue(clock, self._policy, keep_finished=self._keep_finished)
        for event, (before, after) in replay.retell(events):
            queue._now = event.at
            queue._commit(before, after, event.at)
        clock.advance_to(max(begin, end))
        return queue
