"""Another right answer: tables and a heap of timers. A job is where its state says, what is due lies on top.

Timers are never taken out early. One that is no longer true is known by the hand-out that it was made for.
"""

import heapq
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from jobqueue import TimeSource


class UnknownJobError(LookupError):
    """No job has this id."""


class IllegalStateError(RuntimeError):
    """The job is not in a state in which this can be done."""


class StaleTokenError(IllegalStateError):
    """The token is not the one of the job's current lease."""


@dataclass(frozen=True, slots=True)
class Lease:
    """What a worker gets from poll."""

    job_id: str
    token: str
    type: str
    payload: str
    attempt: int
    lease_until: int
    worker_id: str


@dataclass(frozen=True, slots=True)
class JobView:
    """What anybody may see of a job."""

    id: str
    status: str
    attempts: int
    priority: int
    next_run_at: int
    last_error: str | None


class JobQueue:
    """One dict for each thing that is known of jobs, by number."""

    def __init__(self, clock: TimeSource, max_attempts: int, base_backoff: int, max_backoff: int) -> None:
        self._now = clock.now
        self._waits = [min(max_backoff, base_backoff << n) for n in range(max_attempts)]
        self._work: list[tuple[str, str, int]] = []
        self._state: dict[int, str] = {}
        self._run_at: dict[int, int] = {}
        self._tries: dict[int, int] = {}
        self._why: dict[int, str] = {}
        self._held: dict[int, Lease] = {}
        self._timers: list[tuple[int, int, str]] = []
        self._tokens = 0
        self._gate = threading.RLock()

    @contextmanager
    def _turn(self) -> Iterator[int]:
        """Let one thread in, with everything settled that is due."""
        with self._gate:
            now = self._now()
            while self._timers and self._timers[0][0] <= now:
                at, number, token = heapq.heappop(self._timers)
                lease = self._held.get(number)
                if lease is not None and (lease.token, lease.lease_until) == (token, at):
                    self._over(number, at, "lease expired")
            yield now

    def submit(self, type: str, payload: str = "", priority: int = 0, run_at_millis: int | None = None) -> str:
        """Take a new job in."""
        with self._turn() as now:
            self._work.append((type, payload, priority))
            number = len(self._work)
            self._state[number], self._tries[number] = "PENDING", 0
            self._run_at[number] = now if run_at_millis is None else run_at_millis
            return f"J{number}"

    def poll(self, worker_id: str, lease_millis: int) -> Lease | None:
        """Hand out the first of the ready ones, sorted."""
        with self._turn() as now:
            waiting = [n for n, state in self._state.items() if state == "PENDING" and self._run_at[n] <= now]
            waiting.sort(key=lambda n: (-self._work[n - 1][2], self._run_at[n]))
            if not waiting:
                return None
            number = waiting[0]
            self._state[number] = "RUNNING"
            self._tries[number] += 1
            self._tokens += 1
            return self._lease(number, f"t{self._tokens}", now + lease_millis, worker_id)

    def complete(self, job_id: str, token: str) -> None:
        """Finish a job for its holder."""
        with self._turn():
            number = self._holder(job_id, token)
            del self._held[number]
            self._state[number] = "SUCCEEDED"

    def fail(self, job_id: str, token: str, error: str) -> None:
        """End the attempt for its holder."""
        with self._turn() as now:
            self._over(self._holder(job_id, token), now, error)

    def renew(self, job_id: str, token: str, lease_millis: int) -> Lease:
        """Replace the lease by a longer one."""
        with self._turn() as now:
            lease = self._held[self._holder(job_id, token)]
            until = max(lease.lease_until, now + lease_millis)
            return self._lease(int(job_id[1:]), token, until, lease.worker_id)

    def cancel(self, job_id: str) -> None:
        """Take back a job that waits."""
        with self._turn():
            self._move(job_id, "PENDING", "CANCELLED")

    def retry_dead(self, job_id: str) -> None:
        """Bring a dead job back."""
        with self._turn() as now:
            number = self._move(job_id, "DEAD", "PENDING")
            self._run_at[number], self._tries[number] = now, 0

    def view(self, job_id: str) -> JobView:
        """Show a job."""
        with self._turn():
            return self._view(self._number(job_id))

    def dead_letters(self) -> list[JobView]:
        """Show the dead ones."""
        with self._turn():
            return [self._view(number) for number, state in self._state.items() if state == "DEAD"]

    def _lease(self, number: int, token: str, until: int, worker_id: str) -> Lease:
        type_, payload, _ = self._work[number - 1]
        lease = Lease(f"J{number}", token, type_, payload, self._tries[number], until, worker_id)
        self._held[number] = lease
        heapq.heappush(self._timers, (until, number, token))
        return lease

    def _over(self, number: int, at: int, error: str) -> None:
        del self._held[number]
        self._why[number] = error
        tried = self._tries[number]
        self._state[number] = "PENDING" if tried < len(self._waits) else "DEAD"
        if tried < len(self._waits):
            self._run_at[number] = at + self._waits[tried - 1]

    def _number(self, job_id: str) -> int:
        number = int(job_id[1:]) if job_id[1:].isdigit() else 0
        if number not in self._state:
            raise UnknownJobError(job_id)
        return number

    def _holder(self, job_id: str, token: str) -> int:
        number = self._number(job_id)
        lease: Any = self._held.get(number)
        if lease is None or lease.token != token:
            raise StaleTokenError(token)
        return number

    def _move(self, job_id: str, before: str, after: str) -> int:
        number = self._number(job_id)
        if self._state[number] != before:
            raise IllegalStateError(f"{job_id} is {self._state[number]}")
        self._state[number] = after
        return number

    def _view(self, number: int) -> JobView:
        priority, run_at = self._work[number - 1][2], self._run_at[number]
        state, tried = self._state[number], self._tries[number]
        return JobView(f"J{number}", state, tried, priority, run_at, self._why.get(number))
