"""ex11, another right answer: each call is one statement, so there is no transaction to leave open."""

from dataclasses import dataclass

from psycopg import Connection


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


CLAIM = """
WITH best AS (
    SELECT number FROM jobs
    WHERE status IN ('PENDING', 'RUNNING')
      AND CASE status WHEN 'PENDING' THEN run_at ELSE lease_until END <= clock_timestamp()
    ORDER BY run_at, number LIMIT 1 FOR UPDATE SKIP LOCKED
)
UPDATE jobs
SET status = 'RUNNING', attempts = attempts + 1, generation = generation + 1,
    worker_id = %(worker)s, lease_until = clock_timestamp() + make_interval(secs => %(seconds)s)
FROM best WHERE jobs.number = best.number
RETURNING 'J' || jobs.number, generation, type, payload, attempts, worker_id
"""
END = """
UPDATE jobs SET status = %(status)s, last_error = coalesce(%(error)s, last_error),
    run_at = CASE WHEN %(status)s = 'PENDING' THEN clock_timestamp() + make_interval(secs => 1) ELSE run_at END
WHERE 'J' || number = %(job)s AND generation = %(generation)s AND status = 'RUNNING'
  AND lease_until > clock_timestamp()
"""
CANCEL = """
WITH mine AS (
    SELECT number FROM jobs
    WHERE 'J' || number = ANY(%(ids)s) AND status = 'PENDING' ORDER BY number FOR UPDATE
), done AS (
    UPDATE jobs SET status = 'CANCELLED' FROM mine WHERE jobs.number = mine.number RETURNING jobs.number
)
SELECT 'J' || number FROM done ORDER BY number
"""


class ServerQueue:
    """A queue in a PostgreSQL server."""

    def __init__(self, connection: Connection) -> None:
        self._db = connection

    def claim(self, worker_id: str, lease_millis: int) -> Lease | None:
        """Hand the best job that nobody else is taking to this worker."""
        row = self._db.execute(CLAIM, {"worker": worker_id, "seconds": lease_millis / 1_000}).fetchone()
        return Lease(*row) if row else None

    def complete(self, job_id: str, generation: int) -> None:
        """Mark the job SUCCEEDED, for the worker that holds its current lease."""
        self._end(job_id, generation, "SUCCEEDED", None)

    def fail(self, job_id: str, generation: int, error: str) -> None:
        """End the attempt, for the worker that holds the current lease."""
        self._end(job_id, generation, "PENDING", error)

    def cancel(self, job_ids: list[str]) -> list[str]:
        """Cancel those of these jobs that are PENDING."""
        return [job_id for (job_id,) in self._db.execute(CANCEL, {"ids": job_ids}).fetchall()]

    def _end(self, job_id: str, generation: int, status: str, error: str | None) -> None:
        values = {"job": job_id, "generation": generation, "status": status, "error": error}
        if not self._db.execute(END, values).rowcount:
            raise StaleLeaseError(job_id)
