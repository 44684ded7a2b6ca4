"""Another right answer: jobs that never change. Each call replaces a job by its next version.

Nothing is settled for good until somebody looks: `_now` gives a job as time has made it meanwhile.
"""

import functools
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
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


@dataclass(frozen=True)
class Job:
    """One version of a job."""

    view: JobView
    type: str
    payload: str
    lease: Lease | None = None


def alone(method: Callable[..., Any]) -> Callable[..., Any]:
    """Let one thread at a time into this method."""

    @functools.wraps(method)
    def guarded(self: Any, *args: Any, **options: Any) -> Any:
        with self._changed:
            return method(self, *args, **options)

    return guarded


class JobQueue:
    """A list of jobs, each the newest version."""

    def __init__(self, clock: TimeSource, max_attempts: int, base_backoff: int, max_backoff: int) -> None:
        self._clock = clock
        self._limits = (max_attempts, base_backoff, max_backoff)
        self._jobs: list[Job] = []
        self._hand_outs = 0
        self._changed = threading.Condition()

    @alone
    def submit(self, type: str, payload: str = "", priority: int = 0, run_at_millis: int | None = None) -> str:
        """Take a new job in."""
        run_at = self._clock.now() if run_at_millis is None else run_at_millis
        view = JobView(f"J{len(self._jobs) + 1}", "PENDING", 0, priority, run_at, None)
        self._jobs.append(Job(view, type, payload))
        return view.id

    @alone
    def poll(self, worker_id: str, lease_millis: int) -> Lease | None:
        """Hand out the best by one comparison."""
        best: Job | None = None
        for place in range(len(self._jobs)):
            job = self._now(place)
            if job.view.status != "PENDING" or job.view.next_run_at > self._clock.now():
                continue
            if best is None or self._rank(job) < self._rank(best):
                best = job
        if best is None:
            return None
        self._hand_outs += 1
        tried, until = best.view.attempts + 1, self._clock.now() + lease_millis
        token = f"{worker_id}/{self._hand_outs}"
        lease = Lease(best.view.id, token, best.type, best.payload, tried, until, worker_id)
        running = replace(best.view, status="RUNNING", attempts=tried)
        self._put(replace(best, view=running, lease=lease))
        return lease

    @alone
    def complete(self, job_id: str, token: str) -> None:
        """Finish a job for its holder."""
        job = self._held(job_id, token)
        self._put(replace(job, view=replace(job.view, status="SUCCEEDED"), lease=None))

    @alone
    def fail(self, job_id: str, token: str, error: str) -> None:
        """End the attempt for its holder."""
        self._put(self._failed(self._held(job_id, token), self._clock.now(), error))

    @alone
    def renew(self, job_id: str, token: str, lease_millis: int) -> Lease:
        """Make the lease longer."""
        job = self._held(job_id, token)
        until = max(job.lease.lease_until, self._clock.now() + lease_millis)
        longer: Lease = replace(job.lease, lease_until=until)
        self._put(replace(job, lease=longer))
        return longer

    @alone
    def cancel(self, job_id: str) -> None:
        """Take back a job that waits."""
        self._put(self._moved(job_id, "PENDING", status="CANCELLED"))

    @alone
    def retry_dead(self, job_id: str) -> None:
        """Bring a dead job back."""
        fresh = {"status": "PENDING", "attempts": 0, "next_run_at": self._clock.now()}
        self._put(self._moved(job_id, "DEAD", **fresh))

    @alone
    def view(self, job_id: str) -> JobView:
        """Show a job."""
        return self._job(job_id).view

    @alone
    def dead_letters(self) -> list[JobView]:
        """Show the dead ones."""
        views = [self._now(place).view for place in range(len(self._jobs))]
        return [view for view in views if view.status == "DEAD"]

    @staticmethod
    def _rank(job: Job) -> tuple[int, int]:
        return -job.view.priority, job.view.next_run_at

    def _now(self, place: int) -> Job:
        job = self._jobs[place]
        if job.lease and not self._clock.now() < job.lease.lease_until:
            return self._failed(job, job.lease.lease_until, "lease expired")
        return job

    def _failed(self, job: Job, at: int, error: str) -> Job:
        most, base, cap = self._limits
        view = replace(job.view, status="DEAD", last_error=error)
        if view.attempts < most:
            wait = min(cap, base * 2 ** (view.attempts - 1))
            view = replace(view, status="PENDING", next_run_at=at + wait)
        return replace(job, view=view, lease=None)

    def _job(self, job_id: str) -> Job:
        for place, job in enumerate(self._jobs):
            if job.view.id == job_id:
                return self._now(place)
        raise UnknownJobError(job_id)

    def _held(self, job_id: str, token: str) -> Any:
        job = self._job(job_id)
        if job.lease is None or job.lease.token != token:
            raise StaleTokenError(f"{token} opens nothing")
        return job

    def _moved(self, job_id: str, before: str, **changes: Any) -> Job:
        job = self._job(job_id)
        if job.view.status != before:
            raise IllegalStateError(f"{job_id} is {job.view.status}")
        return replace(job, view=replace(job.view, **changes))

    def _put(self, job: Job) -> None:
        self._jobs[int(job.view.id[1:]) - 1] = job
