"""ex03, tokens and zombies: your answer. The story and the rules are in ex03_tokens.md, beside this file.

Write the parts that raise NotImplementedError, in the order of the tasks. After each one:  jobkit check ex03

Times are whole milliseconds on the clock that the queue is given; `self._clock.now()` tells the present one.
"""

from dataclasses import dataclass
from enum import StrEnum

from jobqueue import TimeSource


class StaleTokenError(RuntimeError):
    """The token that was shown is not the one of the job's current lease."""


class Status(StrEnum):
    """Where a job stands."""

    PENDING = "PENDING"  # ready to be handed out
    RUNNING = "RUNNING"  # a worker holds a lease on it
    SUCCEEDED = "SUCCEEDED"  # done, for good


@dataclass(frozen=True, slots=True)
class Lease:
    """What a worker gets from poll: the job, and until when the worker may have it."""

    job_id: str
    token: str
    type: str
    payload: str
    attempt: int
    lease_until: int
    worker_id: str


@dataclass(frozen=True, slots=True)
class JobView:
    """What anybody may see of a job. The token is not in here: it is for the holder of the lease."""

    id: str
    status: Status
    attempts: int
    last_error: str | None


class TokenQueue:
    """A queue that hands each job to one worker at a time and listens to nobody else about it."""

    def __init__(self, clock: TimeSource) -> None:
        self._clock = clock
        # Add what your queue has to remember.

    def submit(self, type: str, payload: str = "") -> str:
        """Take a new job in, PENDING. Return its id: "J1" for the first, "J2" for the second, and so on."""
        raise NotImplementedError("ex03, task 1: submit")

    def poll(self, worker_id: str, lease_millis: int) -> Lease | None:
        """Hand the first PENDING job to this worker, leased until now + lease_millis.

        First is first in the order of submission, also when a job has been tried before.
        The job is RUNNING then and its attempts are one more. Every poll that hands out a job makes a new
        token, one that this queue has never given before. None if no job is PENDING.
        """
        raise NotImplementedError("ex03, task 1: poll")

    def view(self, job_id: str) -> JobView:
        """Show a job as it is now. If its lease is over it is not RUNNING, even if nobody has polled since."""
        raise NotImplementedError("ex03, task 1: view")

    def complete(self, job_id: str, token: str) -> None:
        """Mark the job SUCCEEDED, for the worker that holds its current lease. Its last_error stays.

        Raises:
            StaleTokenError: The token is not the one of the job's current lease. The job stays as it is.
        """
        raise NotImplementedError("ex03, task 3: complete")

    def fail(self, job_id: str, token: str, error: str) -> None:
        """End the attempt, for the worker that holds the current lease: PENDING at once, last_error = error.

        Raises:
            StaleTokenError: The token is not the one of the job's current lease. The job stays as it is.
        """
        raise NotImplementedError("ex03, task 4: fail")
