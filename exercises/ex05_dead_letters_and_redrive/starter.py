"""ex05, dead letters and redrive: your answer. Rules: ex05_dead_letters_and_redrive.md, beside this file.

Write the parts that raise NotImplementedError, in the order of the tasks. After each one:  jobkit check ex05

Times are whole milliseconds on the clock that the queue is given; `self._clock.now()` tells the present one.
"""

from dataclasses import dataclass
from enum import StrEnum

from jobqueue import TimeSource


class StaleTokenError(RuntimeError):
    """The token that was shown is not the one of the job's current hand-out."""


class NotDeadError(RuntimeError):
    """Only a dead job can be brought back."""


class Status(StrEnum):
    """Where a job stands."""

    PENDING = "PENDING"  # waits, perhaps for its run_at
    RUNNING = "RUNNING"  # a worker has it
    SUCCEEDED = "SUCCEEDED"  # done, for good
    DEAD = "DEAD"  # a person has to decide


@dataclass(frozen=True, slots=True)
class Lease:
    """What a worker gets from poll."""

    job_id: str
    token: str  # "J1:2" for the second hand-out of J1
    type: str
    payload: str
    attempt: int
    generation: int
    lease_until: int
    worker_id: str


@dataclass(frozen=True, slots=True)
class Attempt:
    """One hand-out of a job, as history tells it."""

    attempt: int
    generation: int
    outcome: str | None  # "succeeded", "failed", or None while it runs
    error: str | None  # of an attempt that failed


@dataclass(frozen=True, slots=True)
class JobView:
    """What anybody may see of a job."""

    id: str
    status: Status
    attempts: int
    run_at: int  # of the last time that it was PENDING
    last_error: str | None
    failed_at: int | None  # only while it is DEAD
    dead_reason: str | None  # only while it is DEAD


class DeadLetterQueue:
    """A queue that gives up on a job in time, keeps it, and brings it back when a person says so."""

    def __init__(self, clock: TimeSource, max_attempts: int, rest_millis: int) -> None:
        self._clock = clock
        self._max_attempts = max_attempts
        self._rest_millis = rest_millis
        # Add what your queue has to remember.

    def submit(self, type: str, payload: str = "", deadline: int | None = None) -> str:
        """Take a new job in, PENDING and ready at once. Return its id: "J1" for the first, and so on."""
        raise NotImplementedError("ex05, task 1: submit")

    def poll(self, worker_id: str, lease_millis: int) -> Lease | None:
        """Hand a ready job to this worker: RUNNING, attempts + 1, generation + 1. None if none is ready.

        Of several the one with the earliest run_at, then the one submitted first. The lease is until
        now + lease_millis, but in this exercise nobody is ever late.
        """
        raise NotImplementedError("ex05, task 1: poll")

    def complete(self, job_id: str, token: str) -> None:
        """Mark the job SUCCEEDED, for its holder. Its last_error stays.

        Raises:
            StaleTokenError: The token is not the one of the job's current hand-out. Nothing changes.
        """
        raise NotImplementedError("ex05, task 1: complete")

    def view(self, job_id: str) -> JobView:
        """Show a job."""
        raise NotImplementedError("ex05, task 1: view")

    def fail(self, job_id: str, token: str, error: str, *, permanent: bool = False) -> None:
        """End the attempt, for its holder, and retry the job or bury it.

        Raises:
            StaleTokenError: The token is not the one of the job's current hand-out. Nothing changes.
        """
        raise NotImplementedError("ex05, task 2: fail")

    def dead_letters(self) -> list[str]:
        """Tell the ids of all dead jobs in the order of submission."""
        raise NotImplementedError("ex05, task 2: dead_letters")

    def history(self, job_id: str) -> list[Attempt]:
        """Tell all attempts of a job, oldest first."""
        raise NotImplementedError("ex05, task 2: history")

    def retry_dead(self, job_id: str) -> None:
        """Bring a dead job back: PENDING, ready now, attempts 0. What is known of its past stays.

        Raises:
            NotDeadError: It is not dead. Nothing changes.
        """
        raise NotImplementedError("ex05, task 3: retry_dead")

    def redrive(self, job_id: str, note: str) -> None:
        """Bring a dead job back, and keep the note that says why.

        Raises:
            NotDeadError: It is not dead. Nothing changes, and no note is kept.
        """
        raise NotImplementedError("ex05, task 4: redrive")

    def notes(self, job_id: str) -> list[str]:
        """Tell the notes with which a job was redriven, oldest first."""
        raise NotImplementedError("ex05, task 4: notes")

    def redrive_many(self, job_ids: list[str], note: str, spread_millis: int = 0) -> list[tuple[str, str]]:
        """Redrive these jobs, each once, in the order of submission, and space them by spread_millis.

        Return a row for each: its id, and "done", "wrong_state" or "unknown". Those unknown come last.
        """
        raise NotImplementedError("ex05, task 4: redrive_many")
