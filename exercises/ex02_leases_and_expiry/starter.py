"""ex02, leases and expiry: your answer. Story and rules are in ex02_leases_and_expiry.md, beside this file.

Write the parts that raise NotImplementedError, in the order of the tasks. After each one:  jobkit check ex02

Times are whole milliseconds on the clock that the queue is given; `self._clock.now()` tells the present one.
"""

from dataclasses import dataclass
from enum import StrEnum

from jobqueue import TimeSource


class LeaseOverError(RuntimeError):
    """Whoever called does not hold the job, or does not hold it any more."""


class Status(StrEnum):
    """Where a job stands."""

    PENDING = "PENDING"  # waits, perhaps for its run_at
    RUNNING = "RUNNING"  # a worker holds a lease on it
    SUCCEEDED = "SUCCEEDED"  # done, for good
    DEAD = "DEAD"  # all attempts are used up


@dataclass(frozen=True, slots=True)
class Lease:
    """What a worker gets from poll: the job, and until when the worker may have it."""

    job_id: str
    token: str  # "J1:2" for the second attempt of J1
    type: str
    payload: str
    attempt: int
    lease_until: int
    worker_id: str


@dataclass(frozen=True, slots=True)
class JobView:
    """What anybody may see of a job."""

    id: str
    status: Status
    attempts: int
    run_at: int  # of the last time that it was PENDING
    last_error: str | None
    failed_at: int | None  # only while it is DEAD


class LeaseQueue:
    """A queue that takes a job back from whoever is not heard of until the end of the lease."""

    def __init__(self, clock: TimeSource, max_attempts: int, rest_millis: int) -> None:
        self._clock = clock
        self._max_attempts = max_attempts
        self._rest_millis = rest_millis
        # Add what your queue has to remember.

    def submit(self, type: str, payload: str = "") -> str:
        """Take a new job in, PENDING and ready at once. Return its id: "J1" for the first, and so on."""
        raise NotImplementedError("ex02, task 1: submit")

    def poll(self, worker_id: str, lease_millis: int) -> Lease | None:
        """Hand a ready job to this worker, leased until now + lease_millis. None if none is ready.

        Of several the one with the earliest run_at, then the one submitted first. It is RUNNING then,
        and its attempts are one more.
        """
        raise NotImplementedError("ex02, task 1: poll")

    def complete(self, job_id: str, token: str) -> None:
        """Mark the job SUCCEEDED, for the worker that holds its current lease.

        Raises:
            LeaseOverError: The token is not the one of the job's current lease. Nothing changes.
        """
        raise NotImplementedError("ex02, task 1: complete")

    def view(self, job_id: str) -> JobView:
        """Show a job as it is now."""
        raise NotImplementedError("ex02, task 1: view")

    def sweep(self) -> int:
        """End every lease whose time is over, and return how many that were. Do nothing else."""
        raise NotImplementedError("ex02, task 2: sweep")

    def renew(self, job_id: str, token: str, lease_millis: int) -> int:
        """Give the lease its new end, now + lease_millis but never earlier than the old one. Return it.

        Raises:
            LeaseOverError: The token is not the one of the job's current lease. Nothing changes.
        """
        raise NotImplementedError("ex02, task 4: renew")
