"""Where the jobs of a queue in memory are: by id, and each in the one place where its state belongs.

It decides nothing and knows no clock, policy or lock; the queue calls it inside its own lock.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from jobqueue import lifecycle
from jobqueue.lifecycle import DEAD, PENDING, PERMANENT, RUNNING
from jobqueue.model import Attempt, Job, Redrive
from jobqueue.requests import RequestKeys
from jobqueue.retention import Retention
from jobqueue.scheduling.lanes import Asked
from jobqueue.scheduling.line import Line
from jobqueue.scheduling.schedule import Schedule
from jobqueue.statistics import Stats, stats_of
from jobqueue.storage import Search
from jobqueue.views import attempt_of


class JobTable:
    """The jobs, the ended attempts of each, and the places where jobs wait to be found.

    A job that is ready waits in the schedule; one that time will move (a lease by its end, a delayed job by its
    run_at, a ready one by its deadline or its next age) waits among the timers. Nothing outlives its reason.
    """

    def __init__(self, schedule: Schedule, retention: Retention) -> None:
        self.last_number = 0
        self.last_batch = 0
        self.schedule = schedule
        self.keys = RequestKeys()
        self._queued = Counter[str]()  # PENDING jobs by tenant
        self._queued_in_all = 0
        self._queued_retries = Counter[int]()  # PENDING jobs by the attempts that they have had, if any
        self._retention = retention
        self._jobs: dict[str, Job] = {}
        self._ended: dict[str, list[Attempt]] = {}
        self._timers: Line[int] = Line()
        self._dead: set[int] = set()
        self._redrives: dict[str, list[Redrive]] = {}

    @property
    def next_number(self) -> int:
        """The number for the next job."""
        return self.last_number + 1

    def get(self, job_id: str) -> Job | None:
        """Return the job's present version."""
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
        return self.keys.find(tenant, request_key)

    def queued(self, tenant: str | None = None) -> int:
        """Return how many jobs are PENDING, in all or of one tenant."""
        return self._queued_in_all if tenant is None else self._queued[tenant]

    def put(self, job: Job, now: int) -> Job:
        """Put a version of a job in the place of the one before it, and let it wait where its state says."""
        job_id = job.id
        before = self._jobs.get(job_id)
        self._jobs[job_id] = job
        if before is None:
            self.last_number = max(self.last_number, job.number)
            self.keys.bind(job)
            self._enter(job, now)
        elif job.status is not before.status:
            self._leave(before, job)
            self._enter(job, now)
        elif job.lease_until is not None:  # it runs, for longer than before
            self._timers.put(job.number, (job.lease_until, job.number))
        return job

    def settle(self, now: int) -> Iterable[tuple[Job, int]]:
        """Yield each job that time has ended, and when: a lease that is over, a deadline that is missed.

        By instant, then submission order; the caller must put the next version before asking for the next job.
        Jobs that become ready or gain a band do so on the way, in the same order.
        """
        due = self._timers.first()
        if due is not None and due[0][0] <= now:
            return self._settle(now)
        self.schedule.end_instant()
        return ()  # as nearly always

    def _settle(self, now: int) -> Iterator[tuple[Job, int]]:
        while (due := self._timers.first()) and due[0][0] <= now:
            (instant, number), _ = due
            self.schedule.begin_instant(instant)
            job = self._jobs[f"J{number}"]
            if job.status is RUNNING or job.deadline == instant:
                yield job, instant
            else:
                # At its own instant, not at `now`: whether a tenant ever had nothing to do, and so lost its
                # credit, must not depend on when somebody looked.
                self._wait(job, instant)
        self.schedule.end_instant()

    def attempts(self, job: Job) -> list[Attempt]:
        """Return one record for each time the job was handed out, oldest first."""
        running = [attempt_of(job)] if job.status is RUNNING else []
        return self._ended.get(job.id, []) + running

    def attempt(self, job: Job, generation: int) -> Attempt:
        """Return the record of one hand-out."""
        ended = self._ended.get(job.id, [])
        return ended[generation - 1] if generation <= len(ended) else attempt_of(job)

    def dead(self) -> list[Job]:
        """Return the DEAD jobs in submission order."""
        return [self._jobs[f"J{number}"] for number in sorted(self._dead)]

    def record(self, redrive: Redrive) -> None:
        """Keep the record of a job that is brought back."""
        self._redrives.setdefault(redrive.job_id, []).append(redrive)
        self.last_batch = max(self.last_batch, redrive.batch or 0)

    def redrives(self, job: Job) -> list[Redrive]:
        """Return the records of a job, oldest first."""
        return list(self._redrives.get(job.id, ()))

    def hold_of(self, job: Job, now: int) -> str | None:
        """Return what keeps a ready job back for a reason of its own: its type's retry budget."""
        is_held = job.status is PENDING and job.run_at <= now and self.schedule.holds_for_budget(job)
        return "budget" if is_held else None

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

    def drop(self, job: Job) -> None:
        """Forget a job that has ended, with its history and its key."""
        self._retention.drop(job.number)
        self._dead.discard(job.number)
        self.keys.forget(job)
        self._ended.pop(job.id, None)
        self._redrives.pop(job.id, None)
        del self._jobs[job.id]

    # -- who is next, and looking ----------------------------------------------------------------------------

    def pick(self, types: Asked, tenants: Asked, most_attempts: int | None = None) -> Job | None:
        """Return the next job to hand out and take its turn."""
        may_be_spent = most_attempts is not None and any(n >= most_attempts for n in self._queued_retries)
        position = self.schedule.save() if may_be_spent else None
        number = self.schedule.pick(types, tenants)
        job = None if number is None else self._jobs[f"J{number}"]
        if may_be_spent and job is not None and job.attempts >= (most_attempts or 0):
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

    def search(self, search: Search) -> list[Job]:
        """Return the jobs that fit, newest first."""
        return search.among(reversed(self._jobs.values()))

    # -- places ------------------------------------------------------------------------------------------

    def _leave(self, before: Job, job: Job) -> None:
        """Take a job out of where its last version waited; what it left behind would pile up."""
        if before.status is PENDING:
            self._count_queued(before, -1)
            self._timers.drop(before.number)
            self.schedule.remove(before)
        elif before.status is RUNNING:
            assert job.outcome is not None, "an attempt that ended has an outcome"  # noqa: S101
            self._timers.drop(before.number)
            self._ended.setdefault(job.id, []).append(attempt_of(job))
            self.schedule.ended(job, job.outcome, permanent=job.dead_reason == PERMANENT)
        else:
            self._dead.discard(before.number)

    def _enter(self, job: Job, now: int) -> None:
        """Let a job wait in the one place where its state belongs."""
        if job.status is PENDING:
            self._count_queued(job, 1)
            self._wait(job, now)
        elif job.status is RUNNING:
            self._timers.put(job.number, (job.lease_until, job.number))
            self.schedule.started(job)
        elif job.status is DEAD:
            self._dead.add(job.number)
        else:
            self._retention.add(job, now)

    def _wait(self, job: Job, now: int) -> None:
        """Let a PENDING job wait for its time, or, once that has come, for its turn."""
        is_ready = job.run_at <= now
        if is_ready:
            self.schedule.add(job, now)
        next_age_at = self.schedule.next_age_at(job, now) if is_ready else None
        due_at = lifecycle.due_at(job, next_age_at, is_ready=is_ready)
        if due_at is None:
            self._timers.drop(job.number)
        else:
            self._timers.put(job.number, (due_at, job.number))

    def _count_queued(self, job: Job, step: int) -> None:
        self._queued_in_all += step
        if job.attempts:
            self._queued_retries[job.attempts] += step
            if not self._queued_retries[job.attempts]:
                del self._queued_retries[job.attempts]
        tenant = job.tenant
        self._queued[tenant] += step
        if not self._queued[tenant]:
            del self._queued[tenant]  # tenants come and go
