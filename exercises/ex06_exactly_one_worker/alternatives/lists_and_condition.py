"""Another right answer: three tables, one for each state, guarded by a Condition that nobody waits on.

A job is in exactly one table. To be handed out, done or given back is to move from one to another, and whoever
holds the condition is alone with all three.
"""

import heapq
from dataclasses import dataclass
from enum import StrEnum
from threading import Condition


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
    """Numbers of ready jobs in a heap, leases by number, numbers of done jobs in a set."""

    def __init__(self) -> None:
        self._alone = Condition()
        self._work: list[tuple[str, str]] = []
        self._ready: list[int] = []
        self._leases: dict[int, Lease] = {}
        self._done: set[int] = set()
        self._attempts: list[int] = []
        self._errors: dict[int, str] = {}

    def submit(self, type: str, payload: str = "") -> str:
        """Take a new job in."""
        with self._alone:
            self._work.append((type, payload))
            self._attempts.append(0)
            heapq.heappush(self._ready, len(self._work))
            return f"J{len(self._work)}"

    def poll(self, worker_id: str) -> Lease | None:
        """Hand out the ready job with the smallest number."""
        with self._alone:
            if not self._ready:
                return None
            number = heapq.heappop(self._ready)
            self._attempts[number - 1] += 1
            attempt = self._attempts[number - 1]
            token = f"J{number}:{attempt}"
            lease = Lease(f"J{number}", token, *self._work[number - 1], attempt, worker_id)
            self._leases[number] = lease
            return lease

    def complete(self, job_id: str, token: str) -> None:
        """Finish a job for its holder."""
        with self._alone:
            self._done.add(self._take_back(job_id, token))

    def fail(self, job_id: str, token: str, error: str) -> None:
        """Give a job back for its holder."""
        with self._alone:
            number = self._take_back(job_id, token)
            self._errors[number] = error
            heapq.heappush(self._ready, number)

    def view(self, job_id: str) -> JobView:
        """Show a job."""
        with self._alone:
            number = int(job_id[1:])
            done = Status.SUCCEEDED if number in self._done else Status.PENDING
            status = Status.RUNNING if number in self._leases else done
            return JobView(job_id, status, self._attempts[number - 1], self._errors.get(number))

    def counts(self) -> Counts:
        """Count the jobs in each table."""
        with self._alone:
            return Counts(len(self._ready), len(self._leases), len(self._done))

    def _take_back(self, job_id: str, token: str) -> int:
        number = int(job_id[1:])
        lease = self._leases.get(number)
        if lease is None or lease.token != token:
            raise StaleTokenError(f"nobody holds {job_id} with the token {token}")
        del self._leases[number]
        return number
