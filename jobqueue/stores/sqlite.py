"""SQLite: one file, nothing to install. Writers take turns; a commit is on disk before it is acknowledged.

What runs with default options while nothing is due (the first SELECT also says what is due next):

    submit    BEGIN IMMEDIATE    SELECT                        INSERT INTO jobs                       COMMIT
    poll      BEGIN IMMEDIATE    SELECT the best ready job     UPDATE jobs                            COMMIT
    complete  BEGIN IMMEDIATE    SELECT this job               UPDATE jobs, INSERT INTO attempts      COMMIT
    view      BEGIN, SELECT 1    SELECT this job                                                      COMMIT

`fail` and `release` run what `complete` does; `renew` and `cancel` the same without the attempt.
"""

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from jobqueue.errors import NOT_DONE, PERHAPS_DONE, StoreError
from jobqueue.stores.database import SQLITE, Dialect, Row
from jobqueue.stores.schema import migrate

APPLICATION_ID = 0x6A6F626B
"""Marks a file as one of ours: the letters "jobk" in the place that SQLite has for it."""

SYNCHRONOUS = ("full", "normal", "off")

_TRIES_TO_OPEN = 100
_WAIT_MILLIS = 5
"""For how long SQLite waits for others by itself: it asks after 1, 2 and 2 ms."""

_PAUSE_MILLIS = 3 * _WAIT_MILLIS
_PARTS = ("", "-wal", "-shm")
"""What the names of a database's files end in."""

_NOTHING = "nothing was acknowledged"

_INHERITED: list[sqlite3.Connection] = []
"""Connections of a parent process. A child neither uses nor closes them: both would harm the parent's."""


class SqliteDatabase:
    """The connection of one process to one file; after a fork the child opens one of its own.

    Args:
        path: of the file; it is made if it does not exist.
        synchronous: "full": an acknowledged job survives a power cut. "normal": it survives a crash of the
            program, but a power cut may take the last ones. "off": not even the file is sure to.
        busy_timeout_millis: for how long to wait for others that write, until it is a `StoreError`.
    """

    dialect: Dialect = SQLITE

    def __init__(self, path: str, *, synchronous: str = "full", busy_timeout_millis: int = 30_000) -> None:
        self._path = os.fspath(path)
        self._place = os.path.abspath(path)  # noqa: PTH100 - a relative path is meant from where it was opened
        self._synchronous = synchronous
        self._busy_timeout_millis = busy_timeout_millis
        self._connection: sqlite3.Connection | None = None
        self._file: tuple[int, int, int] | None = None  # which file it was that was opened first
        self._parts: list[tuple[int, int, int] | None] | None = None  # of the present connection
        self._size = 0  # of the database file, when it was looked at last
        self._writes = False
        self._process = os.getpid()
        self._tracer: Callable[[str], object] | None = None

    # -- transactions ------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Begin a transaction that writes.

        IMMEDIATE: the lock is taken before anything is read. A transaction that reads first and then wants to
        write fails at once if somebody else has written meanwhile, however long it would have waited.
        """
        self._begin("BEGIN IMMEDIATE")
        self._writes = True

    def begin_reading(self) -> None:
        """Begin a transaction that sees the file as it is now, whatever others write meanwhile."""
        # The first look at the file fixes what is seen; it comes before anybody reads a clock.
        self._begin("BEGIN", "SELECT 1 FROM sqlite_master LIMIT 1")

    def _begin(self, *texts: str) -> None:
        self.rollback()  # should an interrupt have come between an earlier begin and its end
        self._writes = False
        with self._failing("begin"):
            for text in texts:
                self._run_when_free(text)
        self._check_files("begin", _NOTHING)

    def _run_when_free(self, text: str) -> None:
        """Run a statement as soon as nobody is in its way, or fail after as many tries as fit into the time.

        SQLite's own waiting asks again only after up to 100 ms, and misses every short moment in between.
        """
        for tries_left in reversed(range(1 + self._busy_timeout_millis // _WAIT_MILLIS)):
            try:
                self._connected().execute(text).fetchall()
            except sqlite3.OperationalError as error:
                if not _is_busy(error) or not tries_left:
                    raise
            else:
                return

    def let_others_in(self) -> None:
        """Wait for longer than those who want to write wait between two tries."""
        threading.Event().wait(_PAUSE_MILLIS / 1000)

    def commit(self) -> None:
        """Make what was written last, in files that are still where the next process will look for them."""
        with self._failing("commit"):
            self._connected().execute("COMMIT")
        if self._writes:  # whether what was written is in the files of now cannot be known
            self._check_files("commit", PERHAPS_DONE)

    def rollback(self) -> None:
        """Undo what was written; a connection for which that fails is given up, which undoes it too."""
        connection = self._connection
        if connection is None or self._process != os.getpid():
            return
        try:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        except sqlite3.Error:
            self._connection = None
            with suppress(sqlite3.Error):
                connection.close()

    def read(self, sql: str, values: Mapping[str, Any]) -> list[Row]:
        """Return all rows: those of a RETURNING too must be fetched before the commit."""
        with self._failing("read"):
            return self._connected().execute(sql, values).fetchall()

    def write(self, sql: str, values: Mapping[str, Any]) -> int:
        """Return how many rows were changed."""
        with self._failing("write"):
            return self._connected().execute(sql, values).rowcount

    def lock(self, name: str) -> None:
        """Nothing to do: whoever is in a transaction has the whole file."""

    def trace(self, tracer: Callable[[str], object] | None) -> None:
        """Call `tracer` with each statement before it runs."""
        self._tracer = tracer
        self._connected().set_trace_callback(tracer)

    def before_fork(self) -> None:
        """Close the connection; each connects anew.

        SQLite keeps what is locked for the whole process, and a child would inherit that together with the
        connection: it would take for its own what only its parent has locked, and write where the parent does.
        """
        self.close()

    def close(self) -> None:
        """Close the connection, if it is this process's own."""
        connection, self._connection = self._connection, None
        if connection is not None and self._process == os.getpid():
            connection.close()

    # -- connecting --------------------------------------------------------------------------------------

    def _connected(self) -> sqlite3.Connection:
        """Return this process's connection."""
        if self._process != os.getpid():
            if self._connection is not None:
                _INHERITED.append(self._connection)
            self._connection, self._process = None, os.getpid()
        if self._connection is None:
            self._connection = self._connect()
        return self._connection

    def _connect(self) -> sqlite3.Connection:
        if self._file is not None and _identity(self._place) != self._file:
            raise self._moved("")  # to connect would make an empty file, or take another one for ours
        self._parts = None
        connection = sqlite3.connect(
            self._place,
            timeout=self._busy_timeout_millis / 1000,
            isolation_level=None,  # no hidden BEGIN: ours are IMMEDIATE
            check_same_thread=False,  # the session's lock lets one thread at a time come here
            cached_statements=512,
        )
        try:
            self._check_it_is_ours(connection)
            self._use_wal(connection)
            connection.execute(f"PRAGMA synchronous = {self._synchronous}")
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute(f"PRAGMA busy_timeout = {min(_WAIT_MILLIS, self._busy_timeout_millis)}")
        except BaseException:
            connection.close()
            raise
        connection.set_trace_callback(self._tracer)
        return connection

    def _check_files(self, doing: str, known: str) -> None:
        """Refuse to go on with files that were deleted, moved, replaced or overwritten.

        The system lets a program use a file that was deleted: all that it writes there is gone with it. SQLite
        doesn't notice either when another file's content is copied over a database in use: it goes on with the
        pages that it remembers, and what it writes then fits neither content. While the file is in use it only
        grows, so a smaller one was overwritten. (A copy that isn't smaller can't be told from a checkpoint.)
        """
        found = [_identity(self._place + part) for part in _PARTS]
        if self._parts is None:  # the first transaction of a connection: SQLite has made them all
            self._parts, self._file, self._size = found, found[0], 0
        if found != self._parts:
            self.rollback()
            parts = zip(_PARTS, found, self._parts, strict=True)
            raise self._moved(next(part for part, now, then in parts if now != then), doing, known)
        size = _size(self._place)
        if size < self._size:
            self.rollback()
            raise self._refusal(doing, "", f"overwritten ({self._size} bytes became {size})", known)
        self._size = size

    def _moved(self, part: str, doing: str = "begin", known: str = _NOTHING) -> StoreError:
        is_there = _identity(self._place + part) is not None
        became = "replaced by another file" if is_there else "deleted or moved"
        return self._refusal(doing, part, became, known)

    def _refusal(self, doing: str, part: str, became: str, known: str) -> StoreError:
        return StoreError(
            f"cannot {doing} {self._path}: {self._place}{part} was {became} while it was open; {known}; "
            "stop every program that uses it, put the files back, then start them again"
        )

    @staticmethod
    def _use_wal(connection: sqlite3.Connection) -> None:
        """Write ahead: readers do not wait. While others open the file, the change may be refused at once."""
        for tries_left in reversed(range(_TRIES_TO_OPEN)):
            try:
                if connection.execute("PRAGMA journal_mode = WAL").fetchone()[0] == "wal":
                    return
            except sqlite3.OperationalError as error:
                if not tries_left or "locked" not in str(error):
                    raise
            threading.Event().wait(0.05)

    def _check_it_is_ours(self, connection: sqlite3.Connection) -> None:
        """Refuse a file of somebody else, before anything in it is changed."""
        # In this order: whoever makes the tables just now marks the file in the same transaction.
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        if application != APPLICATION_ID and (application or tables):
            raise StoreError(
                f"cannot open {self._path}: it is a database, but not one of job queues; name another file"
            )

    def count_queued(self) -> None:
        """Nothing: it counts by itself."""

    def open(self) -> None:
        """Make the tables, or bring those of an older version up to date: all of it or nothing."""
        self.begin()
        try:
            (version,) = self.read("PRAGMA user_version", {})[0]
            migrate(self, self._path, version, self._set_version)
            self.commit()
        except BaseException:
            self.rollback()
            self.close()
            raise

    def _set_version(self, version: int) -> None:
        self.write(f"PRAGMA application_id = {APPLICATION_ID}", {})
        self.write(f"PRAGMA user_version = {version}", {})

    @contextmanager
    def _failing(self, doing: str) -> Iterator[None]:
        """Turn what the database says into a `StoreError` that tells what was tried."""
        try:
            yield
        except sqlite3.Error as error:
            hint = ""
            if is_busy := _is_busy(error):
                hint = f"; others kept it busy for {self._busy_timeout_millis} ms"
            # A commit that failed half-way may be found whole by whoever opens the file next.
            known = PERHAPS_DONE if doing == "commit" and not is_busy else NOT_DONE
            raise StoreError(f"cannot {doing} {self._path}: {error}{hint}; {known}") from error


def _is_busy(error: sqlite3.Error) -> bool:
    return "locked" in str(error) or "busy" in str(error)


def _identity(path: str) -> tuple[int, int, int] | None:
    """Return what tells a file from every other one that has had its name; None if there is none.

    The name itself counts too: a link to where the file was moved leads to it, and others would keep their
    changes beside it under another name.
    """
    try:
        found, named = os.stat(path), os.lstat(path)  # noqa: PTH116 - at each transaction
    except OSError:
        return None
    return found.st_dev, found.st_ino, named.st_ino


def _size(path: str) -> int:
    """Return how long a file is; 0 if there is none."""
    try:
        return os.stat(path).st_size  # noqa: PTH116 - at each transaction
    except OSError:
        return 0
