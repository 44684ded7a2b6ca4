"""ex10, a durable claim: one right answer. Each call is a short transaction that has the file to itself."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from jobqueue import TimeSource

RETRY_MILLIS = 1_000

TABLE = """
CREATE TABLE IF NOT EXISTS jobs (
    number INTEGER PRIMARY KEY,
    type TEXT NOT NULL,
    payload TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'PENDING',
    attempts INTEGER NOT NULL DEFAULT 0,
    generation INTEGER NOT NULL DEFAULT 0,
    run_at INTEGER NOT NULL,
    lease_until INTEGER,
    last_error TEXT
)
"""


class StaleLeaseError(RuntimeError):
    """The lease that was shown is not the job's current one."""


@dataclass(frozen=True, slots=True)
class Lease:
    """What a worker gets from claim. The generation proves that the lease is its own."""

    job_id: str
    generation: int
    type: str
    payload: str
    attempt: int
    lease_until: int
    worker_id: str


@dataclass(frozen=True, slots=True)
class JobView:
    """What anybody may see of a job."""

    id: str
    status: str
    attempts: int
    run_at: int
    last_error: str | None


class DurableQueue:
    """A queue in a SQLite file, which other processes have open as well."""

    def __init__(self, connection: sqlite3.Connection, clock: TimeSource) -> None:
        self._connection = connection
        self._clock = clock
        connection.execute(TABLE)

    def submit(self, type: str, payload: str = "") -> str:
        """Take a new job in, PENDING and ready now, and return its id."""
        with self._transaction() as now:
            inserted = self._connection.execute(
                "INSERT INTO jobs (type, payload, run_at) VALUES (?, ?, ?)", (type, payload, now)
            )
        return f"J{inserted.lastrowid}"

    def claim(self, worker_id: str, lease_millis: int) -> Lease | None:
        """Hand the best ready job to this worker; None if nothing is ready."""
        with self._transaction() as now:
            self._settle(now)
            best = self._connection.execute(
                """
                SELECT number FROM jobs WHERE status = 'PENDING' AND run_at <= ?
                ORDER BY run_at, number LIMIT 1
                """,
                (now,),
            ).fetchone()
            if best is None:
                return None
            until = now + lease_millis
            rows = self._connection.execute(
                """
                UPDATE jobs
                SET status = 'RUNNING', attempts = attempts + 1, generation = generation + 1, lease_until = ?
                WHERE number = ?
                RETURNING number, generation, type, payload, attempts
                """,
                (until, best[0]),
            ).fetchall()
        number, generation, type, payload, attempt = rows[0]
        return Lease(f"J{number}", generation, type, payload, attempt, until, worker_id)

    def complete(self, job_id: str, generation: int) -> None:
        """Mark the job SUCCEEDED, for the worker that holds its current lease."""
        with self._transaction() as now:
            self._settle(now)
            changed = self._connection.execute(
                """
                UPDATE jobs SET status = 'SUCCEEDED'
                WHERE number = ? AND generation = ? AND status = 'RUNNING'
                """,
                (int(job_id[1:]), generation),
            )
            self._demand_one(changed, job_id, generation)

    def fail(self, job_id: str, generation: int, error: str) -> None:
        """End the attempt, for the worker that holds the current lease; the job is ready again after a rest."""
        with self._transaction() as now:
            self._settle(now)
            failed = self._connection.execute(
                """
                UPDATE jobs SET status = 'PENDING', run_at = ?, last_error = ?
                WHERE number = ? AND status = 'RUNNING' AND generation = ?
                """,
                (now + RETRY_MILLIS, error, int(job_id[1:]), generation),
            )
            self._demand_one(failed, job_id, generation)

    def sweep(self) -> int:
        """End every lease whose time is over, and return how many there were."""
        with self._transaction() as now:
            return self._settle(now)

    def view(self, job_id: str) -> JobView:
        """Show a job as it is now."""
        with self._transaction() as now:
            self._settle(now)
            row = self._connection.execute(
                "SELECT status, attempts, run_at, last_error FROM jobs WHERE number = ?", (int(job_id[1:]),)
            ).fetchone()
        return JobView(job_id, *row)

    @contextmanager
    def _transaction(self) -> Iterator[int]:
        """Have the file alone for a few statements; all of them count, or none. Give the present instant."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield self._clock.now()
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def _settle(self, now: int) -> int:
        due = self._connection.execute(
            "SELECT number, lease_until FROM jobs WHERE status = 'RUNNING' AND lease_until <= ?", (now,)
        ).fetchall()
        for number, ended_at in due:
            self._connection.execute(
                "UPDATE jobs SET status = 'PENDING', run_at = ?, last_error = 'lease expired' WHERE number = ?",
                (ended_at + RETRY_MILLIS, number),
            )
        return len(due)

    @staticmethod
    def _demand_one(changed: sqlite3.Cursor, job_id: str, generation: int) -> None:
        if changed.rowcount != 1:
            raise StaleLeaseError(f"generation {generation} is not the current lease on {job_id}")
