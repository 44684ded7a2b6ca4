"""ex10, another right answer: one statement decides and writes, and Python sees the outcome."""

import sqlite3
from dataclasses import dataclass
from typing import Any

from jobqueue import TimeSource

RETRY_MILLIS = 1_000

TABLE = """
CREATE TABLE IF NOT EXISTS work (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    type TEXT,
    payload TEXT,
    state TEXT,
    run_at INTEGER,
    ends INTEGER,
    tries INTEGER,
    note TEXT
)
"""


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


EXPIRE = """
UPDATE work SET state = 'PENDING', run_at = ends + :rest, note = 'lease expired'
WHERE state = 'RUNNING' AND ends <= :now
"""
CLAIM = """
UPDATE work SET state = 'RUNNING', tries = tries + 1, ends = :now + :millis
WHERE id = (SELECT id FROM work WHERE state = 'PENDING' AND run_at <= :now ORDER BY run_at, id LIMIT 1)
RETURNING id, tries, type, payload, ends
"""
HELD = "id = :id AND tries = :generation AND state = 'RUNNING'"


class DurableQueue:
    """A queue in a SQLite file. Nothing resets the number of tries here, so it is the generation as well."""

    def __init__(self, connection: sqlite3.Connection, clock: TimeSource) -> None:
        self._db, self._clock = connection, clock
        self._db.execute(TABLE)

    def submit(self, type: str, payload: str = "") -> str:
        """Take a new job in and return its id."""
        new = "INSERT INTO work VALUES (NULL, :type, :payload, 'PENDING', :now, 0, 0, NULL) RETURNING id"
        ((number,),) = self._do(new, type=type, payload=payload)
        return f"J{number}"

    def claim(self, worker_id: str, lease_millis: int) -> Lease | None:
        """Hand the best ready job to this worker."""
        for number, tries, type, payload, ends in self._do(CLAIM, millis=lease_millis):
            return Lease(f"J{number}", tries, type, payload, tries, ends, worker_id)
        return None

    def view(self, job_id: str) -> JobView:
        """Show a job as it is now."""
        (row,) = self._do("SELECT state, tries, run_at, note FROM work WHERE id = :id", id=_number(job_id))
        return JobView(job_id, *row)

    def complete(self, job_id: str, generation: int) -> None:
        """Mark the job SUCCEEDED, for the worker that holds its current lease."""
        self._end(job_id, generation, "state = 'SUCCEEDED'")

    def fail(self, job_id: str, generation: int, error: str) -> None:
        """End the attempt, for the worker that holds the current lease."""
        self._end(job_id, generation, "state = 'PENDING', run_at = :now + :rest, note = :error", error=error)

    def sweep(self) -> int:
        """End every lease whose time is over, and return how many there were."""
        return self._do("SELECT changes()")[0][0]

    def _end(self, job_id: str, generation: int, how: str, **values: Any) -> None:
        update = f"UPDATE work SET {how} WHERE {HELD} RETURNING id"  # noqa: S608  our own words
        if not self._do(update, id=_number(job_id), generation=generation, **values):
            raise StaleLeaseError(f"{job_id} is not held by generation {generation}")

    def _do(self, sql: str, **values: Any) -> list[tuple[Any, ...]]:
        """End what is over, run one statement, commit; give its rows."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            values |= {"now": self._clock.now(), "rest": RETRY_MILLIS}
            self._db.execute(EXPIRE, values)
            rows = self._db.execute(sql, values).fetchall()
            self._db.execute("COMMIT")
        finally:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
        return rows


def _number(job_id: str) -> int:
    return int(job_id.removeprefix("J"))
