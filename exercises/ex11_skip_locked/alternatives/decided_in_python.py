"""ex11, another right answer: lock the row, decide in Python, write what was decided."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from psycopg import Connection
from psycopg.rows import dict_row

RETRY_MILLIS = 1_000


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
    worker_id: str


class ServerQueue:
    """A queue in a PostgreSQL server."""

    def __init__(self, connection: Connection) -> None:
        self._db = connection

    def claim(self, worker_id: str, lease_millis: int) -> Lease | None:
        """Hand the best job that nobody else is taking to this worker."""
        with self._db.transaction():
            jobs = self._rows(
                "SELECT * FROM jobs WHERE status IN ('PENDING', 'RUNNING')"
                " AND greatest(run_at, CASE status WHEN 'RUNNING' THEN lease_until END) <= clock_timestamp()"
                " ORDER BY run_at, number LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED"
            )
            if not jobs:
                return None
            (job,) = jobs
            lease = timedelta(milliseconds=lease_millis)
            taken = job["attempts"] + 1, job["generation"] + 1, worker_id, lease, job["number"]
            self._db.execute(
                "UPDATE jobs SET (status, attempts, generation, worker_id, lease_until)"
                " = ('RUNNING', %s, %s, %s, clock_timestamp() + %s) WHERE number = %s",
                taken,
            )
        return Lease(f"J{job['number']}", taken[1], job["type"], job["payload"], taken[0], worker_id)

    def complete(self, job_id: str, generation: int) -> None:
        """Mark the job SUCCEEDED, for the worker that holds its current lease."""
        with self._held(job_id, generation) as number:
            self._db.execute("UPDATE jobs SET status = 'SUCCEEDED' WHERE number = %s", (number,))

    def fail(self, job_id: str, generation: int, error: str) -> None:
        """End the attempt, for the worker that holds the current lease."""
        with self._held(job_id, generation) as number:
            ready = self._time() + timedelta(milliseconds=RETRY_MILLIS)
            changed = "UPDATE jobs SET status = 'PENDING', last_error = %s, run_at = %s WHERE number = %s"
            self._db.execute(changed, (error, ready, number))

    def cancel(self, job_ids: list[str]) -> list[str]:
        """Cancel those of these jobs that are PENDING."""
        numbers = [int(job_id[1:]) for job_id in job_ids]
        with self._db.transaction():
            rows = self._rows("SELECT * FROM jobs WHERE number = ANY(%s) ORDER BY number FOR UPDATE", numbers)
            found = [row["number"] for row in rows if row["status"] == "PENDING"]
            self._db.execute("UPDATE jobs SET status = 'CANCELLED' WHERE number = ANY(%s)", (found,))
        return [f"J{number}" for number in found]

    @contextmanager
    def _held(self, job_id: str, generation: int) -> Iterator[int]:
        """Lock the row of a job whose lease is in force, and let the caller end the attempt."""
        number = int(job_id[1:])
        with self._db.transaction():
            job = self._rows("SELECT * FROM jobs WHERE number = %s FOR UPDATE", number)[0]
            if (job["status"], job["generation"]) != ("RUNNING", generation) or job[
                "lease_until"
            ] <= self._time():
                raise StaleLeaseError(f"{job_id} is not held under generation {generation}")
            yield number

    def _time(self) -> datetime:
        return self._db.execute("SELECT clock_timestamp()").fetchone()[0]

    def _rows(self, statement: str, *values: Any) -> list[dict[str, Any]]:
        return self._db.cursor(row_factory=dict_row).execute(statement, values or None).fetchall()
