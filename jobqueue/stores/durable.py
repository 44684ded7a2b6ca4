"""The durable queue: `JobQueue` over tables in a database."""

from typing import Any

from jobqueue.clock import ManualClock, SystemClock, TimeSource
from jobqueue.errors import StoreError
from jobqueue.events import EventLog
from jobqueue.queue import JobQueue
from jobqueue.retry import RetryPolicy
from jobqueue.scheduling.schedule import LaneSchedule
from jobqueue.store import CHANGING, READING, Store
from jobqueue.stores import statements
from jobqueue.stores.database import Database
from jobqueue.stores.picker import LanePicker, Picker, PlainPicker
from jobqueue.stores.session import Session, WaitingDispatcher
from jobqueue.stores.table import DurableStore


class StoreClock:
    """The database's clock, which is the same for all that use the database."""

    def __init__(self) -> None:
        self.session: Session | None = None

    def now(self) -> int:
        """Return the database's time in milliseconds since the epoch."""
        if self.session is None:
            raise StoreError("no database to ask for the time")
        return self.session.time()


class DurableQueue(JobQueue):
    """A queue whose jobs outlive the process: same operations, same answers; `open_queue` makes one.

    Jobs, attempts, audit and pauses are in the database. Events are not: a log knows what this object did
    since it was opened. The scheduler's place in its cycle, turns, credits, and what a dispatch limit has
    learnt belong to this object and begin anew with it: with several processes, shares hold for what each of
    them hands out. Limits and budgets count what runs in the database, and hold for all together, if all are
    opened with the same options.

    An object may be used by many threads, which take turns, and by a child after a fork, which connects anew.
    """

    def __init__(self, database: Database, time: TimeSource, policy: RetryPolicy, **options: Any) -> None:
        self._database = database
        self._asks_database = database.dialect.clock != "NULL" and isinstance(time, SystemClock)
        self._clock = StoreClock()
        try:
            super().__init__(self._clock if self._asks_database else time, policy, **options)
            self._begin_where_the_store_is()
        except BaseException:
            database.close()
            raise

    def _open_store(self, log: EventLog | None) -> Store:
        """Return tables in the database, and its transactions."""
        self._database.open()  # here, when all arguments have been checked
        options, schedule = self._options, self._options.schedule()
        if options.limits.limits_submits:
            self._database.count_queued()
        session = Session(
            self._database,
            WaitingDispatcher(log),
            schedule,
            options.limits,
            asks_database_for_time=self._asks_database,
        )
        picker: Picker = (
            LanePicker(session, schedule)
            if isinstance(schedule, LaneSchedule)
            else PlainPicker(session, schedule)
        )
        self._session = self._clock.session = session
        return DurableStore(session, picker, self._rules, options.key_life_millis)

    def _begin_where_the_store_is(self) -> None:
        """Take over the newest instant that the store tells of, and place ready jobs anew for another aging."""
        aging_millis = self._session.schedule.aging_millis
        with self._session(READING):  # it reads every job, and holds nobody up
            (newest,) = self._session.read(statements.NEWEST)[0]
            ((known_aging,),) = self._session.read(statements.AGING)
        if newest is not None:
            self._now = max(self._now, newest)
        self._had_jobs = newest is not None
        if known_aging != aging_millis:
            with self._session(CHANGING):
                self._session.write(statements.PLACE_ANEW)
                # Last: others need the row.
                self._session.write(statements.REMEMBER_AGING, aging_millis=aging_millis)

    def _fresh(self, clock: ManualClock) -> JobQueue:
        if self._had_jobs:
            raise ValueError("replay: the store had jobs before this log began, so the log cannot rebuild them")
        return super()._fresh(clock)
