"""A table in a PostgreSQL server, several connections to it, time that can pass, and rows that others hold.

Runs in the answer's process. Other connections act between two statements of one: see `interleaving`. Nobody
waits long for a lock: its holder goes on only when we are back.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import psycopg
from psycopg import sql
from psycopg.errors import LockNotAvailable
from psycopg.pq import TransactionStatus

from exercises.staging.interleaving import Interleaving

WRITES = re.compile(r"\bupdate\s+\S*jobs\b", re.IGNORECASE)
LOCK_MILLIS = 30
PATIENT_MILLIS = 3_000  # whoever was cut off may need a moment to let go
HOLDER = "somebody else"
LINGER_SECONDS = 0.02
TABLE = """
CREATE TABLE jobs (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    type text NOT NULL,
    payload text NOT NULL,
    status text NOT NULL DEFAULT 'PENDING',
    attempts integer NOT NULL DEFAULT 0,
    generation integer NOT NULL DEFAULT 0,
    run_at timestamptz NOT NULL,
    lease_until timestamptz,
    worker_id text,
    last_error text
)
"""
EMPTY = "TRUNCATE jobs RESTART IDENTITY"
SUBMIT = """
INSERT INTO jobs (type, payload, run_at)
VALUES (%s, %s, clock_timestamp() + %s * interval '1 millisecond')
"""
SHIFT = """
UPDATE jobs
SET run_at = run_at - %(by)s * interval '1 millisecond',
    lease_until = lease_until - %(by)s * interval '1 millisecond'
"""
LOOK = """
SELECT status, attempts, last_error, worker_id,
    round(extract(epoch FROM run_at - clock_timestamp()) * 1000)::bigint,
    round(extract(epoch FROM lease_until) * 1000)::bigint
FROM jobs WHERE number = %s
"""
NOW = "SELECT round(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

_admins: dict[str, psycopg.Connection[Any]] = {}
_opened: dict[str, "Watched"] = {}


class WatchedCursor(psycopg.Cursor[Any]):
    """Tells of each statement before it is sent, and of each wait that was in vain."""

    def execute(self, query: Any, *args: Any, **options: Any) -> Any:
        """Run a statement."""
        connection: Any = self.connection
        text = query if isinstance(query, str) else str(query)
        connection.told(text)
        try:
            return super().execute(query, *args, **options)
        except LockNotAvailable:
            connection.waited()
            raise


class Watched(psycopg.Connection[Any]):
    """A connection whose statements are told, also those that psycopg sends itself."""

    database: "Database | None" = None
    name = ""

    def told(self, text: str) -> None:
        """Tell of a statement."""
        if self.database is not None:
            self.database.statement(self.name, text)

    def waited(self) -> None:
        """Tell that a lock was not to be had."""
        if self.database is not None:
            self.database.waited()

    def commit(self) -> None:
        """Commit."""
        self.told("COMMIT")
        super().commit()

    @contextmanager
    def transaction(self, *args: Any, **options: Any) -> Iterator[psycopg.Transaction]:
        """Begin a transaction, and end it."""
        self.told("BEGIN")
        with super().transaction(*args, **options) as begun:
            yield begun
            self.told("COMMIT")


class Database(Interleaving):
    """One empty table. There is one database at a time in a schema: a new one takes over from the old one."""

    def __init__(self, url: str, schema: str) -> None:
        super().__init__()
        self._url, self._schema = url, schema
        for connection in _opened.values():
            if not connection.closed:
                with suppress(psycopg.Error):
                    connection.rollback()
        self._admin = _admins.get(schema) or self._first_admin()
        self._held_before: set[int] = set()
        self._held: list[str] = []
        self._has_waited = self._writes = False
        self._run(EMPTY)

    def connection(self, name: str) -> Watched:
        """Give the connection of this name, without a transaction: every statement stands for itself."""
        found = _opened.get(name)
        if found is None or found.closed or not found.autocommit:
            found = _opened[name] = self._connect(Watched)
            found.cursor_factory = WatchedCursor
        found.database, found.name = self, name
        return found

    def submit(self, type: str, payload: str, due_millis: int) -> str:
        """Add a job that is ready in so many milliseconds, as some other process does; 0 or less is now."""
        self._run(SUBMIT, (type, payload, due_millis))
        ((number,),) = self._run("SELECT max(number) FROM jobs")
        return f"J{number}"

    def let_pass(self, millis: int) -> None:
        """Let time pass: all that is written in the table lies further back."""
        self._run(SHIFT, {"by": millis})

    def linger(self) -> int:
        """Let a moment really pass. Return the server's time afterwards, in milliseconds."""
        self._run("SELECT pg_sleep(%s)", (LINGER_SECONDS,))
        return int(self._run(NOW)[0][0])

    def look(self, job_id: str) -> list[Any]:
        """Return what is committed: status, attempts, error, worker, run_at from now, end of the lease."""
        rows = self._run(LOOK, (int(job_id[1:]),))
        return list(rows[0]) if rows else []

    def hold(self, job_id: str) -> None:
        """Lock a row, as a worker does in the middle of its claim."""
        holder = self.connection(HOLDER)
        holder.execute("BEGIN")
        holder.execute("SELECT 1 FROM jobs WHERE number = %s FOR UPDATE", (int(job_id[1:]),))

    def statuses(self) -> list[str]:
        """Return what is committed of all jobs' statuses, by number."""
        return [status for (status,) in self._run("SELECT status FROM jobs ORDER BY number")]

    def let_go(self) -> None:
        """Let the row go, unchanged."""
        _opened[HOLDER].rollback()

    def is_open(self, name: str) -> bool:
        """Whether this connection has left a transaction open."""
        return _opened[name].info.transaction_status is not TransactionStatus.IDLE

    def lose(self, name: str) -> None:
        """Cut a connection: what it did not commit is undone."""
        pid = _opened[name].info.backend_pid
        _opened.pop(name).close()
        gone = "SELECT count(*) FROM pg_stat_activity WHERE pid = %s"
        while self._run(gone, (pid,))[0][0]:  # the server notices; the call's time bounds it
            continue

    def writes_after(self) -> bool:
        """Whether the caller has written to the table after the others had acted."""
        return self._writes

    def held_while_waiting(self) -> list[str]:
        """The jobs that somebody held while waiting in vain for another one."""
        return self._held

    def waited(self) -> None:
        """Note that a lock was not to be had. The error undoes all: what was held is noted before."""
        self._has_waited = True

    def statement(self, caller: str, text: str) -> None:
        """Note a statement that is about to run, and let the others act if it is the one."""
        if self._acting and not self._has_waited:
            self._held = [f"J{number}" for number in sorted(self._locked() - self._held_before)]
        if self._is_next(caller):
            self._held_before, self._held, self._has_waited = self._locked(), [], False
            self._writes = False
        super().statement(caller, text)
        if caller == self._caller and self._number >= self._place and WRITES.search(text):
            self._writes = True

    def is_waiting(self, error: BaseException) -> bool:
        """Whether an error means that somebody else holds the lock."""
        return isinstance(error, LockNotAvailable)

    def _locked(self) -> set[int]:
        every = {number for (number,) in self._run("SELECT number FROM jobs")}
        return every - {number for (number,) in self._run("SELECT number FROM jobs FOR UPDATE SKIP LOCKED")}

    def _run(self, statement: str, values: Any = None) -> list[Any]:
        cursor = self._admin.execute(statement, values)  # type: ignore[call-overload]
        return cursor.fetchall() if cursor.description else []

    def _first_admin(self) -> psycopg.Connection[Any]:
        """Connect, take the schema away from whoever was there before, and make the table."""
        self._admin = _admins[self._schema] = self._connect(psycopg.Connection, PATIENT_MILLIS)
        others = (
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = %s AND pid <> %s"
        )
        while self._run(others, (self._schema, self._admin.info.backend_pid)):
            continue
        name = sql.Identifier(self._schema)
        self._admin.execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(name))
        self._admin.execute(sql.SQL("CREATE SCHEMA {}").format(name))
        self._run(TABLE)
        return self._admin

    def _connect(self, kind: type[Any], lock_millis: int = LOCK_MILLIS) -> Any:
        opened = kind.connect(self._url, autocommit=True, application_name=self._schema, connect_timeout=5)
        opened.execute(f"SET search_path TO {self._schema}; SET lock_timeout = {lock_millis}")
        return opened


def open_connection(database: Database, name: str) -> Watched:
    """Give the connection of this name."""
    return database.connection(name)
