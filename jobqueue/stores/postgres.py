"""PostgreSQL: a server that many machines share. A transaction locks the rows that it changes, and no others.

What runs with default options while nothing is due (the first SELECT also says what is due next, and the time):

    submit    BEGIN    SELECT                                              INSERT INTO jobs            COMMIT
    poll      BEGIN    SELECT the best ready job FOR UPDATE SKIP LOCKED    UPDATE jobs                 COMMIT
    complete  BEGIN    SELECT this job FOR UPDATE                          UPDATE jobs with INSERT     COMMIT
    view      BEGIN    SELECT this job                                                                 COMMIT

`fail` and `release` run what `complete` does, where the INSERT into `attempts` is part of the same statement;
`renew` and `cancel` the same without it.

It needs the extra `postgres`, which brings the driver.
"""

import os
import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import lru_cache
from typing import Any

import psycopg
from psycopg import sql as composing
from psycopg.pq import TransactionStatus

from jobqueue.arguments import check_name
from jobqueue.errors import NOT_DONE, PERHAPS_DONE, StoreError
from jobqueue.stores import job_counts
from jobqueue.stores.database import POSTGRES, DeadlockError, Dialect, Row
from jobqueue.stores.schema import migrate

_INHERITED: list[psycopg.Connection[Row]] = []
"""Connections of a parent process. To close one here would end the parent's session."""

_SETTINGS = (
    # Every statement is written for its index, and walks from few rows to few. What the planner knows of a
    # table is some minutes old, and a queue may have grown from empty to full since: plans for a small table
    # read it all.
    "enable_seqscan = off",
    "enable_bitmapscan = off",
    "enable_hashjoin = off",
    "enable_mergejoin = off",
    "jit = off",
    # So a plan depends on no parameter, and need be made only once.
    "plan_cache_mode = force_generic_plan",
)
"""For the transaction: a session may be shared, and what is set in it may be reset, or read by others."""

_PARAMETER = re.compile(r":([a-z_0-9]+)")


class PostgresDatabase:
    """The connection of one process to one schema of a server; after a fork the child opens one of its own.

    A connection that was lost while nothing was going on is made anew. One that is lost in a transaction is a
    `StoreError`, and the server undoes the transaction.

    It works behind a pooler that gives each transaction any session of the server (PgBouncer's transaction
    mode), and after `DISCARD ALL` and `RESET ALL`. Each transaction sets what it needs in the message that
    begins it, and all locks end with it. Prepared statements belong to a session, so they are used only while
    they are there. Without them the same work takes several times as long: connect to the server itself if you
    can.

    Args:
        url: of the server and the database in it.
        schema: where the tables are; it is made if it is not there.
        connect_timeout_seconds: for how long to try to reach the server.
        busy_timeout_millis: for how long to wait for a lock that others hold, until it is a `StoreError`.
    """

    dialect: Dialect = POSTGRES

    def __init__(
        self,
        url: str,
        *,
        schema: str = "jobkit",
        connect_timeout_seconds: int = 10,
        busy_timeout_millis: int = 30_000,
    ) -> None:
        self._url = url
        self._schema = check_name("schema", schema)
        self._busy_timeout_millis = busy_timeout_millis
        self._sentinel = ""
        self._connect_timeout_seconds = connect_timeout_seconds
        self._connection: psycopg.Connection[Row] | None = None
        self._process = os.getpid()
        self._tracer: Callable[[str], object] | None = None

    # -- transactions ------------------------------------------------------------------------------------

    def begin(self) -> None:
        """Begin a transaction, over a new connection if the old one is gone: nothing has been done yet."""
        self.rollback()  # should an interrupt have come between an earlier begin and its end
        with self._failing("begin"):
            try:
                self._begin()
            except psycopg.OperationalError:
                if self._connection is None or not self._connection.closed:
                    raise
                self._connection = None
                self._begin()

    def _begin(self) -> None:
        """Begin a transaction with its settings, in one message; see whether prepared statements are there."""
        connection = self._connected()
        settings = (
            # Temporary tables last: those of somebody who shares the session could have our tables' names.
            f"search_path TO {composing.Identifier(self._schema).as_string(connection)}, pg_temp",
            f"lock_timeout = {max(1, self._busy_timeout_millis)}",
            *_SETTINGS,
        )
        # Read committed: each statement sees what was committed before it began, and what it waited for.
        text = "BEGIN ISOLATION LEVEL READ COMMITTED; " + "; ".join(f"SET LOCAL {name}" for name in settings)
        if self._tracer is not None:
            self._tracer(text)
        sentinel = f"; EXECUTE {self._sentinel}" if self._sentinel else ""
        try:
            connection.execute(text + sentinel, prepare=False)
        except psycopg.errors.InvalidSqlStatementName:  # it is another session, or was made empty
            self._sentinel, connection.prepare_threshold = "", None
            self.rollback()
            connection.execute(text, prepare=False)

    def begin_reading(self) -> None:
        """Begin a transaction: one that only reads waits for no lock here, and has none."""
        self.begin()

    def let_others_in(self) -> None:
        """Nothing to do: who waits for a lock stands in line, and has it before anybody who asks later."""

    def commit(self) -> None:
        """Make what was written last."""
        with self._failing("commit"):
            self._run("COMMIT", {})

    def rollback(self) -> None:
        """Undo what was written; if that fails the connection is given up, and the server does it."""
        connection = self._connection
        if connection is None or self._process != os.getpid():
            return
        try:
            if connection.info.transaction_status is not TransactionStatus.IDLE:
                self._run("ROLLBACK", {})
        except psycopg.Error:
            self._connection = None
            with suppress(psycopg.Error):
                connection.close()

    def read(self, sql: str, values: Mapping[str, Any]) -> list[Row]:
        """Return all rows of a statement."""
        with self._failing("read"):
            return self._run(sql, values).fetchall()

    def write(self, sql: str, values: Mapping[str, Any]) -> int:
        """Return how many rows were changed."""
        with self._failing("write"):
            return self._run(sql, values).rowcount

    def lock(self, name: str) -> None:
        """Wait for the lock of this name in this schema; the end of the transaction lets it go."""
        with self._failing("lock"):
            self._run(
                "SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))", {"name": f"{self._schema}:{name}"}
            )

    def trace(self, tracer: Callable[[str], object] | None) -> None:
        """Call `tracer` with each statement before it runs."""
        self._tracer = tracer

    def before_fork(self) -> None:
        """Nothing: the child leaves the parent's connection alone, and has locked nothing with it."""

    def close(self) -> None:
        """Close the connection, if it is this process's own."""
        connection, self._connection = self._connection, None
        if connection is not None and self._process == os.getpid():
            connection.close()

    # -- connecting --------------------------------------------------------------------------------------

    def _run(self, sql: str, values: Mapping[str, Any]) -> psycopg.Cursor[Row]:
        if self._tracer is not None:
            self._tracer(sql)
        return self._connected().execute(_with_named(sql), values or None)

    def _connected(self) -> psycopg.Connection[Row]:
        """Return this process's connection."""
        if self._process != os.getpid():
            if self._connection is not None:
                _INHERITED.append(self._connection)
            self._connection, self._process = None, os.getpid()
        if self._connection is None:
            self._connection = self._connect()
        return self._connection

    def _connect(self) -> psycopg.Connection[Row]:
        connection = psycopg.connect(
            self._url,
            autocommit=True,  # no hidden BEGIN: ours are written out
            connect_timeout=self._connect_timeout_seconds,
            application_name="jobkit",
            client_encoding="UTF8",
            prepare_threshold=0,
        )
        # Somebody who shares the session may have prepared statements; ours would be given the same names.
        self._sentinel = ""
        if connection.execute("SELECT 1 FROM pg_prepared_statements", prepare=False).fetchone() is None:
            self._sentinel = f"jobkit_{secrets.token_hex(8)}"
            connection.execute(f"PREPARE {self._sentinel} AS SELECT 1", prepare=False)
        else:
            connection.prepare_threshold = None
        return connection

    def count_queued(self) -> None:
        """Let what waits be counted as it changes, from now on, if it is not yet."""
        self.begin()
        try:
            self.lock("schema")
            if self.read("SELECT to_regclass('queued')", {})[0][0] is None:
                for statement in job_counts.POSTGRES_QUEUED:
                    self.write(statement, {})
            self.commit()
        except BaseException:
            self.rollback()
            raise

    def open(self) -> None:
        """Make the tables, or bring those of an older version up to date: all of it or nothing."""
        self.begin()
        try:
            self.lock("schema")
            self._check_encoding()
            with self._failing("open"):
                schema = composing.Identifier(self._schema)
                self._connected().execute(composing.SQL("CREATE SCHEMA IF NOT EXISTS {}").format(schema))
            migrate(self, f"schema {self._schema}", self._version(), self._set_version)
            self.commit()
        except BaseException:
            self.rollback()
            self.close()
            raise

    def _check_encoding(self) -> None:
        (encoding,) = self.read("SHOW server_encoding", {})[0]
        if encoding != "UTF8":
            raise StoreError(f"cannot open the database: its encoding is {encoding}, and text needs UTF8")

    def _version(self) -> int:
        """Return the version of the tables; 0 where there are none; refuse those of somebody else."""
        names = {"schema": self._schema}
        tables = [
            row[0] for row in self.read("SELECT tablename FROM pg_tables WHERE schemaname = :schema", names)
        ]
        if not tables:
            return 0
        if "jobkit_version" not in tables:
            raise StoreError(
                f"cannot open schema {self._schema}: it has tables, but not those of job queues; "
                "name another one"
            )
        return int(self.read("SELECT version FROM jobkit_version", {})[0][0])

    def _set_version(self, version: int) -> None:
        self.write("CREATE TABLE IF NOT EXISTS jobkit_version (version INTEGER NOT NULL)", {})
        self.write("DELETE FROM jobkit_version", {})
        self.write("INSERT INTO jobkit_version VALUES (:version)", {"version": version})

    @contextmanager
    def _failing(self, doing: str) -> Iterator[None]:
        """Turn what the server or the driver says into a `StoreError` that tells what was tried."""
        try:
            yield
        except psycopg.Error as error:
            kind = DeadlockError if isinstance(error, psycopg.errors.DeadlockDetected) else StoreError
            found = " ".join(str(error).split())
            if isinstance(error, psycopg.errors.LockNotAvailable):
                found += f"; others kept it locked for {self._busy_timeout_millis} ms"
            # A server that refuses a commit says so. If it says no more, it may have made it last before.
            is_open = self._connection is not None and not self._connection.closed
            known = NOT_DONE if doing != "commit" or is_open else PERHAPS_DONE
            raise kind(f"cannot {doing} in PostgreSQL: {found}; {known}") from error


@lru_cache(maxsize=1024)
def _with_named(sql: str) -> str:
    """Return a statement with its parameters as the driver writes them.

    >>> _with_named("SELECT type FROM jobs WHERE number = :number")
    'SELECT type FROM jobs WHERE number = %(number)s'
    """
    return _PARAMETER.sub(r"%(\1)s", sql)
