"""Another right answer: whoever takes a thing out of a container has it, and no two can take the same.

`queue.PriorityQueue` has a lock of its own, and a job's state is one tuple, replaced by a single step. What
must be seen together, all states and the counts of them, moves under a semaphore.
"""

import queue
import threading
from dataclasses import dataclass
from enum import StrEnum


class StaleTokenError(RuntimeError):
    """The token that was shown is not the one of the job's current lease."""


class Status(StrEnum):
    """Where a job stands."""

    PENDING = "PENDING"
    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"


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
    """Ready numbers in a PriorityQueue, held tokens in a dict, the states beside them."""

    def __init__(self) -> None:
        self._ready: queue.PriorityQueue[int] = queue.PriorityQueue()
        self._tokens: dict[tuple[str, str], int] = {}
        self._work: list[tuple[str, str]] = []
        self._states: dict[int, tuple[Status, int, str | None]] = {}
        self._moving = threading.Semaphore(1)

    def submit(self, type: str, payload: str = "") -> str:
        """Take a new job in."""
        with self._moving:
            self._work.append((type, payload))
            number = len(self._work)
            self._states[number] = (Status.PENDING, 0, None)
            self._ready.put(number)
        return f"J{number}"

    def poll(self, worker_id: str) -> Lease | None:
        """Take the smallest ready number, if there is one."""
        with self._moving:
            try:
                number = self._ready.get_nowait()
            except queue.Empty:
                return None
            _, attempts, error = self._states[number]
            self._states[number] = (Status.RUNNING, attempts + 1, error)
            token = f"{number}/{attempts + 1}"
            self._tokens[f"J{number}", token] = number
        return Lease(f"J{number}", token, *self._work[number - 1], attempts + 1, worker_id)

    def complete(self, job_id: str, token: str) -> None:
        """Finish a job for its holder."""
        with self._moving:
            number = self._spend(job_id, token)
            _, attempts, error = self._states[number]
            self._states[number] = (Status.SUCCEEDED, attempts, error)

    def fail(self, job_id: str, token: str, error: str) -> None:
        """Give a job back for its holder."""
        with self._moving:
            number = self._spend(job_id, token)
            self._states[number] = (Status.PENDING, self._states[number][1], error)
            self._ready.put(number)

    def view(self, job_id: str) -> JobView:
        """Show a job: its state is one tuple, so one read sees all of it."""
        return JobView(job_id, *self._states[int(job_id[1:])])

    def counts(self) -> Counts:
        """Count while nothing moves."""
        with self._moving:
            states = [state for state, _, _ in self._states.values()]
        return Counts(*(states.count(status) for status in Status))

    def _spend(self, job_id: str, token: str) -> int:
        number = self._tokens.pop((job_id, token), None)
        if number is None:
            raise StaleTokenError(token)
        return number
