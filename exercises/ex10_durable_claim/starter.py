"""ex10, a durable claim: your answer. The rules are in ex10_durable_claim.md, beside this file.

Write the parts that raise NotImplementedError, in the order of the tasks. After each one:  jobkit check ex10

Times are whole milliseconds on the clock that the queue is given; `self._clock.now()` tells the present one.
"""

import sqlite3
from dataclasses import dataclass

from jobqueue import TimeSource

RETRY_MILLIS = 1_000  # how long a job rests after an attempt that failed

# A table that will do. You may change it, or make others.
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
    """What anybody may see of a job. Its status is PENDING, RUNNING or SUCCEEDED."""

    id: str
    status: str
    attempts: int
    run_at: int
    last_error: str | None


class DurableQueue:
    """A queue in a SQLite file, which other processes have open as well."""

    def __init__(self, connection: sqlite3.Connection, clock: TimeSource) -> None:
        # The connection has isolation_level None: Python begins no transaction, so yours are written out.
        self._connection = connection
        self._clock = clock
        connection.execute(TABLE)

    def submit(self, type: str, payload: str = "") -> str:
        """Take a new job in, PENDING and ready now. Return its id: "J1", then "J2", and so on."""
        raise NotImplementedError("ex10, task 1: submit")

    def claim(self, worker_id: str, lease_millis: int) -> Lease | None:
        """Hand the best ready job to this worker for `lease_millis`; None if nothing is ready."""
        raise NotImplementedError("ex10, task 1: claim")

    def view(self, job_id: str) -> JobView:
        """Show a job as it is now."""
        raise NotImplementedError("ex10, task 1: view")

    def complete(self, job_id: str, generation: int) -> None:
        """Mark the job SUCCEEDED, for the worker that holds its current lease.

        Raises:
            StaleLeaseError: This generation is not in force. Nothing changes, and no transaction stays open.
        """
        raise NotImplementedError("ex10, task 3: complete")

    def fail(self, job_id: str, generation: int, error: str) -> None:
        """End the attempt, for the holder of the current lease; the job is ready again after RETRY_MILLIS.

        Raises:
            StaleLeaseError: This generation is not in force. Nothing changes, and no transaction stays open.
        """
        raise NotImplementedError("ex10, task 3: fail")

    def sweep(self) -> int:
        """End every lease whose time is over, and return how many there were."""
        raise NotImplementedError("ex10, task 3: sweep")
