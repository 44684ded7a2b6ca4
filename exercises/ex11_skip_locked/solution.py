"""ex11, SKIP LOCKED: one right answer. Short transactions; the lease, not the lock, protects the work."""

from dataclasses import dataclass

from psycopg import Connection

RETRY_MILLIS = 1_000


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
    worker_id: str


class ServerQueue:
    """A queue in a PostgreSQL server, which many workers use at once."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def claim(self, worker_id: str, lease_millis: int) -> Lease | None:
        """Hand the best job that nobody else is taking to this worker; None if there is none."""
        with self._connection.transaction():
            best = self._connection.execute(
                """
                SELECT number FROM jobs
                WHERE (status = 'PENDING' AND run_at <= clock_timestamp())
                   OR (status = 'RUNNING' AND lease_until <= clock_timestamp())
                ORDER BY run_at, number LIMIT 1
                FOR UPDATE SKIP LOCKED
                """
            ).fetchone()
            if best is None:
                return None
            row = self._connection.execute(
                """
                UPDATE jobs
                SET status = 'RUNNING', attempts = attempts + 1, generation = generation + 1, worker_id = %s,
                    lease_until = clock_timestamp() + %s * interval '1 millisecond'
                WHERE number = %s
                RETURNING number, generation, type, payload, attempts
                """,
                (worker_id, lease_millis, best[0]),
            ).fetchone()
        number, generation, type, payload, attempt = row
        return Lease(f"J{number}", generation, type, payload, attempt, worker_id)

    def complete(self, job_id: str, generation: int) -> None:
        """Mark the job SUCCEEDED, for the worker that holds its current lease."""
        changed = self._connection.execute(
            """
            UPDATE jobs SET status = 'SUCCEEDED'
            WHERE number = %s AND generation = %s AND status = 'RUNNING' AND lease_until > clock_timestamp()
            """,
            (int(job_id[1:]), generation),
        )
        if changed.rowcount != 1:
            raise StaleLeaseError(f"generation {generation} is not the current lease on {job_id}")

    def fail(self, job_id: str, generation: int, error: str) -> None:
        """End the attempt, for the worker that holds the current lease; the job is ready again after a rest."""
        changed = self._connection.execute(
            """
            UPDATE jobs SET status = 'PENDING', last_error = %s,
                run_at = clock_timestamp() + %s * interval '1 millisecond'
            WHERE number = %s AND status = 'RUNNING' AND generation = %s AND lease_until > clock_timestamp()
            """,
            (error, RETRY_MILLIS, int(job_id[1:]), generation),
        )
        if changed.rowcount != 1:
            raise StaleLeaseError(f"generation {generation} may not fail {job_id}")

    def cancel(self, job_ids: list[str]) -> list[str]:
        """Cancel those of these jobs that are PENDING, all at once. Return their ids in order of number."""
        cancelled = []
        with self._connection.transaction():
            for number in sorted(int(job_id[1:]) for job_id in job_ids):
                one = self._connection.execute(
                    "UPDATE jobs SET status = 'CANCELLED' WHERE number = %s AND status = 'PENDING'", (number,)
                )
                cancelled += [number] * one.rowcount
        return [f"J{number}" for number in sorted(cancelled)]
