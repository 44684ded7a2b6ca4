"""ex11, SKIP LOCKED: your answer. The table and the rules are in ex11_skip_locked.md, beside this file.

Write the parts that raise NotImplementedError, in the order of the tasks. After each one:  jobkit check ex11
"""

from dataclasses import dataclass

from psycopg import Connection

RETRY_MILLIS = 1_000  # how long a job rests after an attempt that failed


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
        # The connection has autocommit: a statement outside `with connection.transaction():` is one of its own.
        self._connection = connection

    def claim(self, worker_id: str, lease_millis: int) -> Lease | None:
        """Hand the best job that nobody else is taking to this worker; None if there is none."""
        raise NotImplementedError("ex11, task 1: claim")

    def complete(self, job_id: str, generation: int) -> None:
        """Mark the job SUCCEEDED, for the worker that holds its current lease.

        Raises:
            StaleLeaseError: This generation is not in force. Nothing changes, and no transaction stays open.
        """
        raise NotImplementedError("ex11, task 3: complete")

    def fail(self, job_id: str, generation: int, error: str) -> None:
        """End the attempt, for the holder of the current lease; the job is ready again after RETRY_MILLIS.

        Raises:
            StaleLeaseError: This generation is not in force. Nothing changes, and no transaction stays open.
        """
        raise NotImplementedError("ex11, task 3: fail")

    def cancel(self, job_ids: list[str]) -> list[str]:
        """Cancel those of these jobs that are PENDING, all at once. Return their ids in order of number."""
        raise NotImplementedError("ex11, task 4: cancel")
