"""ex10, another right answer: a lease is a row of its own, and a job without one is not being worked on."""

import sqlite3
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from jobqueue import TimeSource

RETRY_MILLIS = 1_000
T = TypeVar("T")


class StaleLeaseError(RuntimeError):
    """The lease that was shown is not the job's current one."""


@dataclass(frozen=True, slots=True)
class Lease:
    """What a worker gets from claim."""

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
    """A queue in a SQLite file. Hand-outs are numbered over all jobs, so no generation comes twice."""

    def __init__(self, connection: sqlite3.Connection, clock: TimeSource) -> None:
        self._db, self._clock = connection, clock
        self._db.execute(
            "CREATE TABLE IF NOT EXISTS job (id INTEGER PRIMARY KEY, type, payload, due, done, error)"
        )
        self._db.execute("CREATE TABLE IF NOT EXISTS handed_out (number INTEGER PRIMARY KEY, job)")
        self._db.execute("CREATE TABLE IF NOT EXISTS lease (job INTEGER PRIMARY KEY, number, until)")

    def submit(self, type: str, payload: str = "") -> str:
        """Take a new job in and return its id."""

        def new(now: int) -> str:
            new_job = "INSERT INTO job (type, payload, due, done) VALUES (?, ?, ?, 0)"
            return f"J{self._db.execute(new_job, (type, payload, now)).lastrowid}"

        return self._alone(new)

    def claim(self, worker_id: str, lease_millis: int) -> Lease | None:
        """Hand the best ready job to this worker."""

        def take(now: int) -> Lease | None:
            self._expire(now)
            free = """
                SELECT id, type, payload FROM job LEFT JOIN lease ON lease.job = job.id
                WHERE NOT done AND due <= ? AND lease.job IS NULL ORDER BY due, id
            """
            rows = self._db.execute(free, (now,)).fetchmany(1)
            if not rows:
                return None
            job, type, payload = rows[0]
            number = self._db.execute("INSERT INTO handed_out (job) VALUES (?)", (job,)).lastrowid
            self._db.execute("INSERT INTO lease VALUES (?, ?, ?)", (job, number, now + lease_millis))
            return Lease(f"J{job}", number, type, payload, self._attempts(job), now + lease_millis, worker_id)

        return self._alone(take)

    def view(self, job_id: str) -> JobView:
        """Show a job as it is now."""

        def look(now: int) -> JobView:
            self._expire(now)
            job = int(job_id[1:])
            done, due, error = self._db.execute(
                "SELECT done, due, error FROM job WHERE id = ?", (job,)
            ).fetchone()
            held = self._db.execute("SELECT 1 FROM lease WHERE job = ?", (job,)).fetchone()
            status = "SUCCEEDED" if done else "RUNNING" if held else "PENDING"
            return JobView(job_id, status, self._attempts(job), due, error)

        return self._alone(look)

    def complete(self, job_id: str, generation: int) -> None:
        """Mark the job SUCCEEDED, for the worker that holds its current lease."""

        def end(now: int) -> None:
            self._give_back(job_id, generation, now)
            self._db.execute("UPDATE job SET done = 1 WHERE id = ?", (int(job_id[1:]),))

        self._alone(end)

    def fail(self, job_id: str, generation: int, error: str) -> None:
        """End the attempt, for the worker that holds the current lease."""

        def end(now: int) -> None:
            self._give_back(job_id, generation, now)
            rest = "UPDATE job SET due = ?, error = ? WHERE id = ?"
            self._db.execute(rest, (now + RETRY_MILLIS, error, int(job_id[1:])))

        self._alone(end)

    def sweep(self) -> int:
        """End every lease whose time is over, and return how many there were."""
        return self._alone(self._expire)

    def _give_back(self, job_id: str, generation: int, now: int) -> None:
        self._expire(now)
        mine = "DELETE FROM lease WHERE job = ? AND number = ?"
        if not self._db.execute(mine, (int(job_id[1:]), generation)).rowcount:
            raise StaleLeaseError(job_id)

    def _expire(self, now: int) -> int:
        over = self._db.execute("DELETE FROM lease WHERE until <= ? RETURNING job, until", (now,)).fetchall()
        back = [(until + RETRY_MILLIS, job) for job, until in over]
        self._db.executemany("UPDATE job SET due = ?, error = 'lease expired' WHERE id = ?", back)
        return len(over)

    def _attempts(self, job: int) -> int:
        return self._db.execute("SELECT count(*) FROM handed_out WHERE job = ?", (job,)).fetchone()[0]

    def _alone(self, act: Callable[[int], T]) -> T:
        """Do something in a transaction that has the file from its first statement on."""
        self._db.execute("BEGIN IMMEDIATE")
        with self._db:
            return act(self._clock.now())
