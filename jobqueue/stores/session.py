"""The transactions of a durable queue, one after the other: begin, look, read and write, commit.

Events wait in the dispatcher until what they record is committed; what the schedule has done is undone if it is
not.
"""

import os
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any
from weakref import WeakSet

from jobqueue.arguments import number_of
from jobqueue.errors import REFUSALS, StoreError
from jobqueue.events import EventDispatcher, EventKind, EventLog
from jobqueue.model import Job
from jobqueue.scheduling.limits import Limits
from jobqueue.scheduling.plain import PlainSchedule
from jobqueue.scheduling.schedule import LaneSchedule
from jobqueue.store import POLLING, READING, Access
from jobqueue.stores import statements
from jobqueue.stores.database import Database, DeadlockError, Row
from jobqueue.stores.rows import Kept, kept_from

Post = tuple[int, EventKind, str | None, str | None, int, int, Mapping[str, Any]]


class WaitingDispatcher(EventDispatcher):
    """An dispatcher whose events are told once what they tell of is committed."""

    def __init__(self, log: EventLog | None) -> None:
        super().__init__(log)
        self._posts: list[Post] = []

    def post(  # noqa: PLR0917 - in the order of the event's own fields
        self,
        at: int,
        kind: EventKind,
        job_id: str | None,
        worker_id: str | None,
        attempt: int,
        generation: int,
        detail: Mapping[str, Any],
    ) -> None:
        """Keep an event until the end of the transaction."""
        self._posts.append((at, kind, job_id, worker_id, attempt, generation, detail))

    def release(self, *, committed: bool) -> None:
        """Post what waits; of a step that came to nothing only that it was refused."""
        posts, self._posts = self._posts, []
        for post in posts:
            if committed or post[1] is EventKind.REFUSED:
                super().post(*post)


TRIES_AGAINST_DEADLOCK = 4
"""After the first."""

LONGEST_WAIT_FOR_A_FORK = 10.0
"""Seconds."""

_SESSIONS: "WeakSet[Session]" = WeakSet()


def _before_fork() -> None:
    for session in list(_SESSIONS):
        session.before_fork()


def _after_fork() -> None:
    for session in list(_SESSIONS):
        session.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)


class Session:
    """The one connection of a queue object, and what its present transaction has found.

    One lock lets the threads of a process take turns: where a scheduler stands, and the order of events,
    belong to the queue object. Processes, and queue objects, work side by side.
    """

    def __init__(
        self,
        database: Database,
        dispatcher: WaitingDispatcher,
        schedule: PlainSchedule | LaneSchedule,
        limits: Limits,
        *,
        asks_database_for_time: bool,
    ) -> None:
        self.database = database
        self.schedule = schedule
        self.newest: int | None = None
        self.next_due: int | None = None
        self.candidate: int | None = None
        self.has_looked = False
        self.dispatcher = dispatcher
        self.record_refusal: Callable[[Exception], None] = lambda _: None
        self._limits_submits = limits.max_queued is not None or limits.max_queued_per_tenant is not None
        self._asks_database_for_time = asks_database_for_time
        self._access = READING
        self._kept: dict[int, Kept] = {}
        self._position: object = None
        self._lock, self._process = threading.Lock(), os.getpid()
        self._is_open = False
        self._writes = False
        self._is_forking = False
        _SESSIONS.add(self)

    def on_refusal(self, record: Callable[[Exception], None]) -> None:
        """Call `record` with each refusal, before its transaction ends."""
        self.record_refusal = record

    def before_fork(self) -> None:
        """Let no transaction, and no connection that a child would spoil by having it, be there twice."""
        # Were it this very thread that is in a transaction, waiting for it would be for ever.
        self._is_forking = self._lock.acquire(timeout=LONGEST_WAIT_FOR_A_FORK)
        if self._is_forking:
            self.database.before_fork()

    def after_fork(self) -> None:
        """Go on, in the parent as in the child."""
        if self._is_forking:
            self._is_forking = False
            self._lock.release()

    @contextmanager
    def __call__(self, access: Access) -> Iterator[None]:
        """Make what is done inside one step: all of it is kept, or nothing."""
        if self._process != os.getpid():
            # After a fork: the thread that held the lock, and so will let it go, is only in the parent.
            self._lock, self._process, self._is_open = threading.Lock(), os.getpid(), False
        try:
            with self._lock:
                self._access = access
                self._begin(writes=not access.reads)
                try:
                    yield
                except BaseException as fault:
                    try:
                        if isinstance(fault, REFUSALS):
                            self.record_refusal(fault)
                    finally:
                        self._give_up()
                    raise
                self._commit()
        finally:
            self.dispatcher.deliver()

    def renew(self) -> None:
        """End a transaction, let other threads and processes in, and begin another one with the same access."""
        access = self._access
        self._commit()
        self._lock.release()
        try:
            self.database.let_others_in()
        finally:
            self._lock.acquire()
            self._access = access
        self._begin()

    def unlock(self) -> None:
        """Let go of the row that this transaction has locked, if it has; nothing has been written yet.

        Before the transaction waits for what is due: somebody who has that may wait for this row.
        """
        if self._kept and self.database.dialect.lock:
            self.renew()

    def begin_to_write(self) -> bool:
        """Return whether a turn that only meant to read begins to write; what it has read may be other now."""
        if self._writes:
            return False
        self._commit()
        self._begin()
        return True

    def _begin(self, *, writes: bool = True) -> None:
        self._forget()
        self._position = self.schedule.save()
        self._writes = writes
        (self.database.begin if writes else self.database.begin_reading)()
        self._is_open = True
        try:
            for name in self._locks() if writes else ():
                self.database.lock(name)
        except BaseException:
            self._give_up()
            raise

    def _commit(self) -> None:
        try:
            self.database.commit()
        except BaseException:
            self._give_up()
            raise
        self._is_open = False
        self._forget()
        self.dispatcher.release(committed=True)

    def _give_up(self) -> None:
        if self._is_open:
            self.database.rollback()
            self.schedule.load(self._position)
        self._is_open = False
        self._forget()
        self.dispatcher.release(committed=False)

    def _forget(self) -> None:
        """What was read is true only inside its transaction."""
        self._kept.clear()
        self.has_looked, self.candidate, self.next_due = False, None, None

    def _locks(self) -> Iterator[str]:
        """Yield what this turn must not do at the same time as another one, always in this order."""
        if self._access.request_key is not None:
            yield "key:{}:{}".format(*self._access.request_key)
        if self._access.submits and self._limits_submits:
            yield "submits"
        if self._access.polls and isinstance(self.schedule, LaneSchedule):
            yield "polls"  # counted and handed out in one step: else two would each take the last free place

    # -- statements --------------------------------------------------------------------------------------

    def read(self, text: str, /, **values: Any) -> list[Row]:
        """Return the rows of a statement."""
        return self.database.read(statements.in_words_of(self.database.dialect, text), values)

    def write(self, text: str, /, **values: Any) -> int:
        """Return how many rows a statement has changed."""
        return self.database.write(statements.in_words_of(self.database.dialect, text), values)

    def jobs(self, text: str, /, **values: Any) -> list[Job]:
        """Return the jobs of a statement that selects `COLUMNS`; they may be changed in this transaction."""
        return [self.keep(kept_from(row)) for row in self.read(text, **values)]

    def lock_jobs(self, text: str, /, **values: Any) -> list[Job]:
        """Return jobs as `jobs` does, once nobody else has locked them; nothing has been written yet."""
        return [self.keep(kept_from(row)) for row in self._read_locked(text, **values)]

    def _read_locked(self, text: str, /, **values: Any) -> list[Row]:
        """Return the rows of a statement that waits for locks; nothing has been written yet.

        Our own transactions never wait for each other in a circle. A stranger may close one, and the
        database then undoes somebody: if that is this transaction, it begins anew.
        """
        for _ in range(TRIES_AGAINST_DEADLOCK):
            with suppress(DeadlockError):
                return self.read(text, **values)
            self._give_up()
            self._begin()
        return self.read(text, **values)

    def keep(self, kept: Kept) -> Job:
        """Remember a row as it is in the database now, and return its job."""
        self._kept[kept.job.number] = kept
        return kept.job

    def kept(self, number: int) -> Kept | None:
        """Return a row that was read in this transaction."""
        return self._kept.get(number)

    def drop(self, number: int) -> None:
        """Forget a row that is no more."""
        self._kept.pop(number, None)

    # -- looking -----------------------------------------------------------------------------------------

    def can_answer(self, now: int) -> bool:
        """Return whether the answer of this turn is the same whatever else is due, which may be very much.

        So it is where the turn is about one job, which is not due itself, or adds one that nothing can refuse.
        Not so where events have to be in order, or where the order in which jobs move decides who is next.
        """
        if self.dispatcher.listening or self.schedule.depends_on_order:
            return False
        number = number_of(self._access.job_id)
        if number is None:
            return self._access.submits and not self._limits_submits and self._access.request_key is None
        kept = self._kept.get(number)
        return kept is None or kept.place.due_at is None or kept.place.due_at > now

    def look(self) -> None:
        """Read what is due next, the database's time, and what the turn is about, in one statement."""
        number = number_of(self._access.job_id)
        if number is not None:
            row = (
                self._read_locked(statements.LOOK_AT_JOB, number=number)
                if self._writes
                else self.read(statements.READ_JOB, number=number)
            )[0]
        elif self._access == POLLING and not isinstance(self.schedule, LaneSchedule):
            row = self.read(statements.LOOK_AT_NEXT)[0]
        else:
            row = self.read(statements.LOOK)[0]
        self.has_looked, self.next_due, found = True, row[0], row[2:]
        if self._asks_database_for_time:
            self.newest = row[1] if self.newest is None else max(self.newest, row[1])
        if found[0] is not None:
            kept = kept_from(found)
            self.keep(kept)
            self.candidate = kept.job.number if self._access.polls else None
            # Waiting for the lock may have shown a newer version of this job than of the others.
            known = (self.next_due, kept.place.due_at)
            self.next_due = min((due_at for due_at in known if due_at is not None), default=None)

    def time(self) -> int:
        """Return the database's time; inside a turn, that of its first look."""
        if not self._is_open:
            with self(READING):
                self.look()
        elif not self.has_looked:
            self.look()
        if self.newest is None:
            raise StoreError("the database told no time")
        return self.newest
