"""The jobs of a durable queue: found, changed and settled by SQL, one transaction for each turn.

It decides nothing: what may happen to a job, and where it waits, is said by the same rules as in memory.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from heapq import heappop, heappush

from jobqueue import store
from jobqueue.arguments import number_of
from jobqueue.audit import Redrive
from jobqueue.errors import NOT_DONE, StoreError
from jobqueue.lifecycle import PERMANENT, Lifecycle
from jobqueue.model import FINISHED, RUNNING, Job
from jobqueue.retention import Retention
from jobqueue.scheduling.lanes import Asked
from jobqueue.statistics import Stats
from jobqueue.store import Search
from jobqueue.stores import figures, job_counts, selection, statements
from jobqueue.stores.picker import Picker
from jobqueue.stores.rows import (
    Kept,
    Place,
    attempt_from,
    attempt_values,
    kept_from,
    numbers_of,
    place_of,
    redrive_from,
    values_of,
)
from jobqueue.stores.session import Session
from jobqueue.transitions import Changes
from jobqueue.views import Attempt, latest_attempt

Values = Mapping[str, object]


class DurableStore:
    """The jobs in a database, as the turn that goes on sees and changes them.

    With default options and nothing due, a turn is at most three statements in SQLite and two in PostgreSQL,
    BEGIN and COMMIT apart: one that looks (what is due, what the clock says, the job that the turn is about),
    one that writes the job, and one that writes the attempt that has ended (in PostgreSQL the last two are
    one). So it is for submit, poll, complete, fail, renew and release. What an option adds, whatever lies in
    the store:

    - `types` or `tenants` of a poll, or a paused type: three to a poll at most, to find the best of these and
      lock it
    - bands, tenants, limits on what runs, a retry budget or a dispatch limit: four to each pick (what runs,
      what is paused, the first job of each open lane, the lock), and one lock for each poll in PostgreSQL;
      with `DeficitRoundRobin` one more to each change of a ready job (was it its tenant's last?)
    - a retry budget: two to a view, which says whether the job is held
    - `max_queued`, `max_queued_per_tenant`: one each to a submit, and one lock and a trigger in PostgreSQL
    - `keep_finished`: one to each change of a job, and two for each job that is dropped
    - a request key: one to find it, one to read its job, and one lock in PostgreSQL
    """

    def __init__(self, session: Session, picker: Picker, rules: Lifecycle, key_life_millis: int) -> None:
        self.dispatcher, self.on_refusal = session.dispatcher, session.on_refusal
        self.transaction = session.__call__
        self.close = session.database.close  # the queue can be used on: it connects anew
        self._session = session
        self._picker = picker
        self._rules = rules
        self._retention = Retention(key_life_millis)
        self._key_life_millis = key_life_millis
        self._instant: int | None = None  # at which jobs move by themselves just now
        self._left: list[tuple[str, Place]] = []

    @property
    def newest(self) -> int | None:
        """The database's time at the last look, which came after every lock; None if it is not asked."""
        return self._session.newest

    @property
    def last_number(self) -> int:
        """The number of the newest job."""
        return int(self._session.read(statements.LAST_NUMBER)[0][0])

    @property
    def next_number(self) -> int:
        """None yet: the database gives it, in the same step that writes the job."""
        return 0

    @property
    def last_batch(self) -> int:
        """The number of the newest batch of redrives; nobody else begins one until this transaction ends."""
        return int(self._session.read(statements.LAST_BATCH)[0][0])

    # -- finding -----------------------------------------------------------------------------------------

    def get(self, job_id: str) -> Job | None:
        """Return the job's present version."""
        number = number_of(job_id)
        if number is None:
            return None
        kept = self._session.kept(number)
        if kept is not None:
            return kept.job
        return next(iter(self._session.jobs(statements.JOB, number=number)), None)

    def find(self, job_ids: Iterable[str]) -> list[Job]:
        """Return those of these jobs that exist, in submission order, without their payloads."""
        rows = self._session.read(statements.LISTED, numbers=json.dumps(sorted(numbers_of(job_ids))))
        return [kept_from(row).job for row in rows]

    def hold(self, job_ids: Iterable[str], *, waits: bool) -> list[Job]:
        """Return those of these jobs that exist, in submission order, locked: all, or all that are free."""
        numbers = json.dumps(sorted(numbers_of(job_ids)))
        if waits:
            return self._session.lock_jobs(statements.HOLD, numbers=numbers)
        return self._session.jobs(statements.HOLD_FREE, numbers=numbers)

    def find_key(self, tenant: str, request_key: str) -> str | None:
        """Return the id of the job that a key stands for."""
        found = self._session.read(statements.KEY, tenant=tenant, request_key=request_key)
        return f"J{found[0][0]}" if found else None

    def queued(self, tenant: str | None = None) -> int:
        """Return how many jobs are PENDING, in all or of one tenant."""
        text = job_counts.queued(self._session.database.dialect)
        return int(self._session.read(text, tenant=tenant or "")[0][0])

    def dead(self) -> list[Job]:
        """Return the DEAD jobs in submission order."""
        return self._session.jobs(statements.DEAD)

    def attempts(self, job: Job) -> list[Attempt]:
        """Return one record for each time the job was handed out, oldest first."""
        ended = [attempt_from(row) for row in self._session.read(statements.ATTEMPTS, number=job.number)]
        return ended + ([latest_attempt(job)] if job.status is RUNNING else [])

    def attempt(self, job: Job, generation: int) -> Attempt:
        """Return the record of one hand-out."""
        found = self._session.read(statements.ATTEMPT, number=job.number, generation=generation)
        return attempt_from(found[0]) if found else latest_attempt(job)

    # -- changing ----------------------------------------------------------------------------------------

    def add(self, job: Job, now: int) -> str:
        """Write a new job, which the database numbers, and return its id."""
        place = place_of(self._rules, job, now, self._session.schedule.aging_millis)
        ((job.number,),) = self._session.read(statements.INSERT, **values_of(job, place))
        self._session.keep(Kept(job, place))
        return job.id

    def put(self, job: Job, changes: Changes, now: int) -> None:
        """Write what changes of a job over the row that this transaction has read."""
        session = self._session
        kept = session.kept(job.number)
        assert kept is not None, "it was read in this transaction"  # noqa: S101 - for the type checker
        before = job.status
        was = _identity(job)
        changed = {name: value for name, value in changes.items() if getattr(job, name) != value}
        for name, value in changed.items():
            setattr(job, name, value)
        place = place_of(self._rules, job, now, session.schedule.aging_millis, kept.place)
        self._write(kept, place, changed, was)
        if job.status is RUNNING and before is not RUNNING:
            self._picker.started(job)
        elif before is RUNNING and job.status is not RUNNING and job.outcome is not None:
            self._picker.ended(job, job.outcome, permanent=job.dead_reason == PERMANENT)

    def _write(self, kept: Kept, place: Place, changed: Values, was: Values) -> None:
        """Write the columns that have changed of a job, and the attempt that has ended with it, if one has."""
        session, dialect = self._session, self._session.database.dialect
        job, before = kept
        ends_attempt = was["was_status"] == RUNNING and job.status is not RUNNING
        values = {name: value for name, value in place._asdict().items() if value != getattr(before, name)}
        values |= {name: getattr(value, "value", value) for name, value in changed.items()}
        if not values and not ends_attempt:
            return
        finishes = "status" in changed and job.status in FINISHED
        text = statements.update(dialect, tuple(values), finishes=finishes, ends_attempt=ends_attempt)
        values |= was
        if ends_attempt:
            values |= attempt_values(job.number, latest_attempt(job))
        if session.database.write(text, values) != 1:
            raise StoreError(f"{job.id} was changed by somebody else meanwhile; {NOT_DONE}")
        if ends_attempt and not dialect.joins_writes:
            session.database.write(statements.INSERT_ATTEMPT, values)
        session.keep(Kept(job, place))
        if before.is_ready and (place.is_ready, place.band) != (1, before.band):
            self._left.append((job.tenant, before))
            if self._instant is None:
                self._tell_who_left()

    def _tell_who_left(self) -> None:
        """Say which lanes a job has left; of those that leave by themselves at one instant, when it is over."""
        for tenant, place in self._left:
            self._picker.left(tenant, place)
        self._left.clear()

    def due(self, now: int) -> Iterator[tuple[Job, int]]:
        """Yield each job that time has ended, and when, by instant, then submission order.

        In transactions of 500 jobs at most, between which others get in. The turn goes on in one in which
        nothing is due, or after the first one, if what is due yet is nothing to it.
        """
        session, has_settled = self._session, False
        while True:
            if not session.has_looked:
                session.look()
            now = max(now, session.newest or now)
            if session.next_due is None or session.next_due > now:
                return
            if has_settled and session.can_answer(now):
                return
            if session.begin_to_write():
                continue
            session.unlock()
            yield from self._due_at_once(now)
            has_settled = True
            session.renew()

    def _due_at_once(self, now: int) -> Iterator[tuple[Job, int]]:
        session = self._session
        due = [(instant, number) for instant, number in session.read(statements.DUE, now=now)]
        # What comes after the last of a full batch has to wait for others, which are not in it.
        is_full = len(due) == statements.SETTLED_AT_ONCE
        numbers = sorted(number for _, number in due)
        session.lock_jobs(statements.HOLD_DUE, numbers=json.dumps(numbers), now=now)
        line: list[tuple[int, int]] = []
        for _, number in due:
            self._join(line, number, now)
        try:
            while line and (not is_full or line[0] <= due[-1]):
                instant, number = heappop(line)
                if instant != self._instant:
                    self._tell_who_left()
                    self._instant = instant
                yield from self._move(number, instant)
                self._join(line, number, now)
            self._tell_who_left()
        finally:
            self._instant = None
            self._left.clear()

    def _move(self, number: int, instant: int) -> Iterator[tuple[Job, int]]:
        """Do what an instant does to a job, or yield the job if that is for the caller to do."""
        kept = self._session.kept(number)
        assert kept is not None, "it was read above"  # noqa: S101 - for the type checker
        job, place = kept
        if job.status is RUNNING or job.deadline == instant:
            yield job, instant
        else:
            # It becomes ready, or gains a band, at its own instant: see `MemoryStore.due`.
            after = place_of(self._rules, job, instant, self._session.schedule.aging_millis, place)
            self._write(kept, after, {}, _identity(job))

    def _join(self, line: list[tuple[int, int]], number: int, now: int) -> None:
        """Let a job stand in the line of what is due, if it is."""
        kept = self._session.kept(number)
        if kept is not None and kept.place.due_at is not None and kept.place.due_at <= now:
            heappush(line, (kept.place.due_at, number))

    # -- dead letters and forgetting ---------------------------------------------------------------------

    def record(self, redrive: Redrive) -> None:
        """Keep the record of a job that is brought back."""
        values = {name: getattr(redrive, name) for name in Redrive.__dataclass_fields__}
        values |= {"number": number_of(redrive.job_id), "has_new_payload": int(redrive.has_new_payload)}
        self._session.write(statements.INSERT_REDRIVE, **values)
        if redrive.batch is not None:
            self._session.write(statements.REMEMBER_BATCH, batch=redrive.batch)

    def redrives(self, job: Job) -> list[Redrive]:
        """Return the records of a job, oldest first."""
        rows = self._session.read(statements.REDRIVES, number=job.number)
        return [redrive_from(job.id, row) for row in rows]

    def surplus(self, keep: int, now: int) -> Iterator[Job]:
        """Yield the oldest finished jobs beyond the newest `keep`, 500 at most; the caller drops each."""
        old_enough = now - self._key_life_millis
        values = {"keep": keep, "newer": max(0, keep - 1), "old_enough": old_enough}
        return iter(self._session.jobs(statements.SURPLUS, **values, most=statements.SETTLED_AT_ONCE))

    def prunable(self, keep: int, now: int, *, dead: bool) -> Iterator[Job]:
        """Yield the surplus, and that of the DEAD jobs if asked, in transactions of 500 jobs at most."""
        while found := list(self.surplus(keep, now)):
            yield from found
            self._session.renew()
        older = self._dead_surplus(keep, now) if dead else []
        for first in range(0, len(older), statements.SETTLED_AT_ONCE):
            may_go = {job.number: job for job in older[first : first + statements.SETTLED_AT_ONCE]}
            locked = self._session.jobs(statements.HOLD_FREE, numbers=json.dumps(sorted(may_go)))
            # Found dead, and since then perhaps redriven: only what is still as it was found may be forgotten.
            yield from sorted((job for job in locked if job == may_go[job.number]), key=_death)
            self._session.renew()

    def _dead_surplus(self, keep: int, now: int) -> list[Job]:
        """Return the DEAD jobs beyond the `keep` that died last, but for those with a young request key."""
        by_age = sorted(self.dead(), key=_death)
        older = by_age[: max(0, len(by_age) - keep)]
        return [job for job in older if self._retention.may_forget(job, now)]

    def drop(self, job: Job) -> None:
        """Forget a job that has ended, with its history and its key; its attempts still count."""
        self._session.write(statements.REMEMBER_ATTEMPTS, number=job.number)
        self._session.write(statements.DELETE, number=job.number)
        self._session.drop(job.number)

    # -- who is next, and looking ------------------------------------------------------------------------

    def pick(self, types: Asked, tenants: Asked, most_attempts: int | None = None) -> Job | None:
        """Return the next job to hand out and take its turn."""
        return self._picker.pick(types, tenants, most_attempts)

    def next_up(self, most: int, most_attempts: int) -> list[int]:
        """Return the numbers of what that many picks would hand out."""
        return self._picker.next_up(most, most_attempts) if most else []

    def why_not(self, job: Job, now: int, most_attempts: int) -> str | None:
        """Return what keeps a ready job back."""
        return self._picker.why_not(job, now, most_attempts)

    def hold_of(self, job: Job, now: int) -> str | None:
        """Return what keeps a ready job back for a reason of its own: its type's retry budget."""
        return "budget" if self._rules.is_ready(job, now) and self._picker.holds_for_budget(job) else None

    def paused(self) -> list[str]:
        """Return the paused types by name."""
        return [row[0] for row in self._session.read(selection.PAUSED)]

    def set_paused(self, type_: str, *, paused: bool) -> bool:
        """Pause or resume a type, for all who use the store; return whether that changed anything."""
        return self._session.write(selection.PAUSE if paused else selection.RESUME, type=type_) == 1

    def stats(self, counts: Mapping[str, int], now: int) -> Stats:
        """Return the figures of this instant."""
        rows = self._session.read(job_counts.stats(self._session.database.dialect))
        return figures.stats_from(rows, self._session.schedule, counts.get("refused_tokens", 0), now)

    def search(self, search: Search) -> list[Job]:
        """Return the jobs that fit, newest first, without their payloads."""
        values = figures.search_values(search)
        most = store.SEARCHED_JOBS if "text" in values else search.limit
        rows = self._session.read(statements.search(values), **values, most=search.limit, looked_at=most)
        return [kept_from(row).job for row in rows]


def _death(job: Job) -> tuple[int, int]:
    return job.failed_at or 0, job.number


def _identity(job: Job) -> Values:
    """Return what a row must still be when it is written."""
    return {"was_number": job.number, "was_generation": job.generation, "was_status": job.status.value}
