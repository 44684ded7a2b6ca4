"""The store in memory: jobs by id, and each in the one place where its state belongs.

It decides nothing and knows no policy; the queue calls it inside its lock.

What a call does with default options while nothing is due. Nothing is ever searched:

    submit    lock    first timer due?    push on the heap of ready jobs                            unlock
    poll      lock    first timer due?    pop from that heap, push the lease's end on the timers    unlock
    complete  lock    first timer due?    look the job up by id, drop its timer                     unlock
    view      lock    first timer due?    look the job up by id, copy it                            unlock
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from jobqueue.audit import Redrive
from jobqueue.errors import REFUSALS
from jobqueue.events import EventDispatcher
from jobqueue.lifecycle import PERMANENT, Lifecycle
from jobqueue.model import DEAD, PENDING, RUNNING, Job
from jobqueue.options import QueueOptions
from jobqueue.requests import RequestKeys
from jobqueue.retention import Retention
from jobqueue.scheduling.indexed_heap import IndexedHeap
from jobqueue.scheduling.lanes import Asked
from jobqueue.scheduling.plain import PlainSchedule
from jobqueue.statistics import Stats, stats_of
from jobqueue.store import Access, Search
from jobqueue.transitions import Changes
from jobqueue.views import Attempt, latest_attempt


class Transaction:
    """Takes the queue's one lock: between "is it free?" and "it is mine" nobody else looks.

    At its end a refusal is recorded, the lock is let go, and only then the events are delivered.
    """

    __slots__ = ("_dispatcher", "_lock", "record")

    def __init__(self, dispatcher: EventDispatcher) -> None:
        self.record: Callable[[Exception], None] = lambda _: None
        self._lock = threading.Lock()
        self._dispatcher = dispatcher

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, kind: object, fault: BaseException | None, trace: object) -> None:
        try:
            if fault is not None and isinstance(fault, REFUSALS):
                self.record(fault)
        finally:
            self._lock.release()
            if self._dispatcher.waiting:
                self._dispatcher.deliver()


class MemoryStore:
    """The jobs, the ended attempts of each, and the places where jobs wait to be found.

    A job that is ready waits in the schedule; one that time will move (a lease by its end, a delayed job by its
    run_at, a ready one by its deadline or its next age) waits among the timers. Nothing outlives its reason.
    """

    newest = None

    def __init__(self, options: QueueOptions, rules: Lifecycle, dispatcher: EventDispatcher) -> None:
        self.last_number, self.next_number = 0, 1
        self.last_batch = 0
        self.schedule = options.schedule()
        self._is_plain = isinstance(self.schedule, PlainSchedule)  # which counts nothing that runs
        self.dispatcher = dispatcher
        self._rules = rules
        self._transaction = Transaction(dispatcher)
        self._jobs: dict[str, Job] = {}
        self._keys = RequestKeys()
        self._counts_queued = options.limits.limits_submits  # only where a limit asks for it
        self._queued = Counter[str]()  # PENDING jobs by tenant
        self._waiting_retries = Counter[int]()  # PENDING jobs by the attempts that they have had, if any
        self._timers: IndexedHeap[int] = IndexedHeap()
        self._past: dict[str, list[Attempt]] = {}  # without the latest attempt, which is in the job
        self._dead: set[int] = set()
        self._retention = Retention(options.key_life_millis)
        self._redrives: dict[str, list[Redrive]] = {}
        self._is_in_instant = False

    def transaction(self, access: Access) -> Transaction:  # noqa: ARG002 - one lock for all
        """Return the one transaction, whatever it touches."""
        return self._transaction

    def on_refusal(self, record: Callable[[Exception], None]) -> None:
        """Call `record` with each refusal, before its transaction ends."""
        self._transaction.record = record

    def close(self) -> None:
        """Nothing is open outside of this process."""

    # -- finding -----------------------------------------------------------------------------------------

    def get(self, job_id: str) -> Job | None:
        """Return a job."""
        return self._jobs.get(job_id)

    def find(self, job_ids: Iterable[str]) -> list[Job]:
        """Return those of these jobs that exist, in submission order."""
        known = (self._jobs[job_id] for job_id in job_ids if job_id in self._jobs)
        return sorted(known, key=lambda job: job.number)

    def hold(self, job_ids: Iterable[str], *, waits: bool) -> list[Job]:  # noqa: ARG002 - there is one lock
        """Return those of these jobs that exist, in submission order."""
        return self.find(job_ids)

    def find_key(self, tenant: str, request_key: str) -> str | None:
        """Return the id of the job that a key stands for."""
        return self._keys.find(tenant, request_key)

    def queued(self, tenant: str | None = None) -> int:
        """Return how many jobs are PENDING, in all or of one tenant."""
        return self._queued.total() if tenant is None else self._queued[tenant]

    def attempts(self, job: Job) -> list[Attempt]:
        """Return one record for each time the job was handed out, oldest first."""
        latest = [] if job.worker_id is None else [latest_attempt(job)]
        return self._past.get(job.id, []) + latest

    def attempt(self, job: Job, generation: int) -> Attempt:
        """Return the record of one hand-out."""
        past = self._past.get(job.id, [])
        return past[generation - 1] if generation <= len(past) else latest_attempt(job)

    def dead(self) -> list[Job]:
        """Return the DEAD jobs in submission order."""
        return [self._jobs[f"J{number}"] for number in sorted(self._dead)]

    def redrives(self, job: Job) -> list[Redrive]:
        """Return the records of a job, oldest first."""
        return list(self._redrives.get(job.id, ()))

    def search(self, search: Search) -> list[Job]:
        """Return the jobs that fit, newest first."""
        return search.among(reversed(self._jobs.values()))

    # -- changing ----------------------------------------------------------------------------------------

    def add(self, job: Job, now: int) -> str:
        """Keep a new job, let it wait, and return its id."""
        job_id = f"J{job.number}"
        self._jobs[job_id] = job
        self.last_number, self.next_number = job.number, job.number + 1
        if job.request_key is not None:
            self._keys.bind(job)
        if self._counts_queued:
            self._count_queued(job.tenant, 1)
        self._wait(job, now)
        return job_id

    def put(self, job: Job, changes: Changes, now: int) -> None:  # noqa: PLR0912 - one call deep: it is on the way of all
        """Make these changes to a job, and let it wait where its new state belongs."""
        before, after = job.status, changes.get("status", job.status)
        if before is PENDING:  # what it left behind where it waited would pile up
            if self._counts_queued:
                self._count_queued(job.tenant, -1)
            if job.attempts:
                self._count_retries(job.attempts, -1)
            if job.number in self._timers.keys:
                self._timers.drop(job.number)
            self.schedule.remove(job)
        elif before is DEAD:
            self._dead.discard(job.number)
        if ("started_at" in changes or before is DEAD) and job.worker_id is not None:
            self._past.setdefault(job.id, []).append(latest_attempt(job))  # the next one takes its place
        for name, value in changes.items():
            setattr(job, name, value)
        if after is RUNNING:
            due_at = self._rules.due_at(job, None, is_ready=False)
            if due_at is not None:
                self._timers.put(job.number, (due_at, job.number))
            if before is not RUNNING:
                self.schedule.started(job)
            return
        if after is before:
            return
        if before is RUNNING:
            self._timers.drop(job.number)
            if job.outcome is not None and not self._is_plain:
                self.schedule.ended(job, job.outcome, permanent=job.dead_reason == PERMANENT)
        if after is PENDING:
            if self._counts_queued:
                self._count_queued(job.tenant, 1)
            if job.attempts:
                self._count_retries(job.attempts, 1)
            self._wait(job, now)
        elif after is DEAD:
            self._dead.add(job.number)
        else:
            self._retention.add(job, now)

    def _count_queued(self, tenant: str, step: int) -> None:
        self._queued[tenant] += step
        if not self._queued[tenant]:
            del self._queued[tenant]  # tenants come and go

    def _count_retries(self, attempts: int, step: int) -> None:
        self._waiting_retries[attempts] += step
        if not self._waiting_retries[attempts]:
            del self._waiting_retries[attempts]

    def drop(self, job: Job) -> None:
        """Forget a job that has ended, with its history and its key."""
        self._retention.drop(job.number)
        self._dead.discard(job.number)
        self._keys.forget(job)
        self._past.pop(job.id, None)
        self._redrives.pop(job.id, None)
        del self._jobs[job.id]

    def record(self, redrive: Redrive) -> None:
        """Keep the record of a redrive."""
        self._redrives.setdefault(redrive.job_id, []).append(redrive)
        self.last_batch = max(self.last_batch, redrive.batch or 0)

    def surplus(self, keep: int, now: int) -> Iterator[Job]:
        """Yield the oldest finished jobs beyond the newest `keep`; the caller drops each."""
        if len(self._retention) <= keep:
            return iter(())  # as nearly always, after a change of any job
        return (self._jobs[f"J{number}"] for number in self._retention.surplus(keep, now))

    def prunable(self, keep: int, now: int, *, dead: bool) -> Iterator[Job]:
        """Yield the surplus, and that of the DEAD jobs if asked."""
        yield from self.surplus(keep, now)
        yield from self._dead_surplus(keep, now) if dead else ()

    def _dead_surplus(self, keep: int, now: int) -> list[Job]:
        """Return the DEAD jobs beyond the `keep` that died last, but for those with a young request key."""
        by_age = sorted(self.dead(), key=lambda job: (job.failed_at or 0, job.number))
        older = by_age[: max(0, len(by_age) - keep)]
        return [job for job in older if self._retention.may_forget(job, now)]

    # -- waiting -----------------------------------------------------------------------------------------

    def due(self, now: int) -> Iterable[tuple[Job, int]]:
        """Yield each job that time has ended, and when: a lease that is over, a deadline that is missed.

        By instant, then submission order; the caller must put the changes before asking for the next job.
        Jobs that become ready or gain a band do so on the way, in the same order.
        """
        timers = self._timers.heap
        if (timers and timers[0][0][0] <= now) or self._is_in_instant:
            return self._due(now)
        return ()  # as nearly always

    def _due(self, now: int) -> Iterator[tuple[Job, int]]:
        while (first := self._timers.first()) and first[0][0] <= now:
            (instant, number), _ = first
            self._is_in_instant = True
            self.schedule.begin_instant(instant)
            job = self._jobs[f"J{number}"]
            if job.status is RUNNING or job.deadline == instant:
                yield job, instant
            else:
                # At its own instant, not at `now`: whether a tenant ever had nothing to do, and so lost its
                # credit, must not depend on when somebody looked.
                self._timers.drop(number)
                self._wait(job, instant)
        self._end_instant()

    def _end_instant(self) -> None:
        self._is_in_instant = False
        self.schedule.end_instant()

    def _wait(self, job: Job, now: int) -> None:
        """Let a PENDING job wait for its time, or, once that has come, to be handed out."""
        is_ready = self._rules.is_ready(job, now)
        if is_ready:
            self.schedule.add(job, now)
        ages = is_ready and self.schedule.aging_millis is not None
        due_at = self._rules.due_at(
            job, self.schedule.next_age_at(job, now) if ages else None, is_ready=is_ready
        )
        if due_at is not None:
            self._timers.put(job.number, (due_at, job.number))

    # -- who is next -------------------------------------------------------------------------------------

    def pick(self, types: Asked, tenants: Asked, most_attempts: int | None = None) -> Job | None:
        """Return the next job to hand out, and move the scheduler on."""
        can_be_spent = most_attempts is not None and any(n >= most_attempts for n in self._waiting_retries)
        position = self.schedule.save() if can_be_spent else None
        number = self.schedule.pick(types, tenants)
        job = None if number is None else self._jobs[f"J{number}"]
        if can_be_spent and job is not None and job.attempts >= (most_attempts or 0):
            self.schedule.load(position)
        return job

    def next_up(self, most: int, most_attempts: int) -> list[int]:
        """Return the numbers of what that many picks would hand out."""
        return self.schedule.next_up(most, self._spent(most_attempts))

    def why_not(self, job: Job, now: int, most_attempts: int) -> str | None:
        """Return what keeps a ready job back."""
        return self.schedule.why_not(job, now, self._spent(most_attempts))

    def _spent(self, most_attempts: int) -> Callable[[int], bool]:
        return lambda number: self._jobs[f"J{number}"].attempts >= most_attempts

    def hold_of(self, job: Job, now: int) -> str | None:
        """Return what keeps a ready job back for a reason of its own: its type's retry budget."""
        return "budget" if self._rules.is_ready(job, now) and self.schedule.holds_for_budget(job) else None

    def paused(self) -> list[str]:
        """Return the paused types by name."""
        return sorted(self.schedule.paused)

    def set_paused(self, type_: str, *, paused: bool) -> bool:
        """Pause or resume a type; return whether that changed anything."""
        names = self.schedule.paused
        changes = (type_ in names) is not paused
        (names.add if paused else names.discard)(type_)
        return changes

    def stats(self, counts: Mapping[str, int], now: int) -> Stats:
        """Return the figures of this instant."""
        return stats_of(self._jobs.values(), counts, self.schedule, now)
