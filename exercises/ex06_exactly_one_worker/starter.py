"""ex06, exactly one worker: your answer. Story and rules are in ex06_exactly_one_worker.md, beside this file.

Write the parts that raise NotImplementedError, in the order of the tasks. After each one:  jobkit check ex06

Nothing here depends on time: a lease ends by complete or fail only. What you wrote for ex03 will help.
"""

import threading  # noqa: F401  you will need it
from dataclasses import dataclass
from enum import StrEnum


class StaleTokenError(RuntimeError):
    """The token that was shown is not the one of the job's current lease."""


class Status(StrEnum):
    """Where a job stands."""

    PENDING = "PENDING"  # ready to be handed out
    RUNNING = "RUNNING"  # a worker holds a lease on it
    SUCCEEDED = "SUCCEEDED"  # done, for good


@dataclass(frozen=True, slots=True)
class Lease:
    """What a worker gets from poll."""

    job_id: str
    token: str
    type: str
    payload: str
    attempt: int
    worker_id: str


@dataclass(frozen=True, slots=True)
class JobView:
    """What anybody may see of a job."""

    id: str
    status: Status
    attempts: int
    last_error: str | None


@dataclass(frozen=True, slots=True)
class Counts:
    """How many jobs there are of each kind, at one instant."""

    pending: int
    running: int
    succeeded: int


class SharedQueue:
    """A queue that any number of threads may call at the same time."""

    def __init__(self) -> None:
        # Add what your queue has to remember, and what guards it.
        raise NotImplementedError("ex06, task 1: what the queue has to remember")

    def submit(self, type: str, payload: str = "") -> str:
        """Take a new job in, PENDING. Return its id: "J1" for the first, "J2" for the second, and so on."""
        raise NotImplementedError("ex06, task 1: submit")

    def poll(self, worker_id: str) -> Lease | None:
        """Hand the first PENDING job, in the order of submission, to this worker; None if none is PENDING.

        The job is RUNNING then, its attempts are one more, and the lease carries a token that this queue has
        never given before.
        """
        raise NotImplementedError("ex06, task 1: poll")

    def complete(self, job_id: str, token: str) -> None:
        """Mark the job SUCCEEDED, for the worker that holds it. Its last_error stays.

        Raises:
            StaleTokenError: The token is not the one of the job's current lease. The job stays as it is.
        """
        raise NotImplementedError("ex06, task 1: complete")

    def fail(self, job_id: str, token: str, error: str) -> None:
        """Give the job back, for the worker that holds it: PENDING at once, last_error = error.

        Raises:
            StaleTokenError: The token is not the one of the job's current lease. The job stays as it is.
        """
        raise NotImplementedError("ex06, task 1: fail")

    def view(self, job_id: str) -> JobView:
        """Show a job as it is now."""
        raise NotImplementedError("ex06, task 1: view")

    def counts(self) -> Counts:
        """Count all jobs by state. The three numbers belong to one and the same instant."""
        raise NotImplementedError("ex06, task 1: counts")
