"""A queue that is obviously right: one list of jobs, scanned from end to end for every question.

It has no heaps, no index, no lock and no events. It is slow, and short enough to be checked by reading. It
shares no code with the queue that it is compared with: a mistake would have to be made twice, in two ways.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


class RefusedError(Exception):
    """The model's answer to a call that a queue refuses: the kind of error, and the reason of a stale token."""

    def __init__(self, kind: str, reason: str | None = None) -> None:
        super().__init__(kind, reason)
        self.kind = kind
        self.reason = reason


@dataclass
class NaiveJob:
    """One job with all that it has been through."""

    number: int
    type: str
    payload: str
    priority: int
    run_at: int
    tenant: str
    cost: int
    submitted_at: int
    status: str = "PENDING"
    attempts: int = 0
    era: int = 0
    lease_until: int | None = None
    last_error: str | None = None
    finished_at: int | None = None
    failed_at: int | None = None
    history: list[dict[str, Any]] = field(default_factory=list)

    @property
    def id(self) -> str:
        """The id that the queue gives to the n-th job."""
        return f"J{self.number}"

    @property
    def token(self) -> str | None:
        """The token of the latest hand-out; hand-outs are counted by the rows of the history."""
        return f"{self.id}:{len(self.history)}" if self.history else None


class NaiveQueue:
    """The rules of the queue, one after the other, over a plain list."""

    def __init__(self, max_attempts: int, base: int, cap: int, keep_finished: int | None) -> None:
        self.max_attempts, self.base, self.cap = max_attempts, base, cap
        self.keep_finished = keep_finished
        self.jobs: list[NaiveJob] = []
        self.finished: list[NaiveJob] = []
        self.submitted = 0

    def submit(
        self, now: int, type: str, payload: str, *, priority: int, run_at: int | None, tenant: str
    ) -> str:
        """Append a job; no run_at means now."""
        self.settle(now)
        self.submitted += 1
        due = now if run_at is None else run_at
        self.jobs.append(NaiveJob(self.submitted, type, payload, priority, due, tenant, 1, now))
        return self.jobs[-1].id

    def poll(self, now: int, worker: str, lease_millis: int, types: set[str] | None) -> dict[str, Any] | None:
        """Hand out the job that sorts first among those that are ready and asked for."""
        self.settle(now)
        ready = [job for job in self.jobs if job.status == "PENDING" and job.run_at <= now]
        ready = [job for job in ready if types is None or job.type in types]
        if not ready:
            return None
        best = min(ready, key=lambda job: (-job.priority, job.run_at, job.number))
        best.status = "RUNNING"
        best.attempts += 1
        best.lease_until = now + lease_millis
        row: dict[str, Any] = {"attempt": best.attempts, "generation": len(best.history) + 1, "era": best.era}
        row |= {"worker_id": worker, "started_at": now, "ended_at": None, "outcome": None, "error": None}
        best.history.append(row)
        return self.lease_of(best)

    def complete(self, now: int, job_id: str, token: str) -> None:
        """End the attempt well."""
        job = self.held(now, job_id, token)
        self.end_attempt(job, now, "succeeded", None)
        self.finish(job, now, "SUCCEEDED")

    def fail(self, now: int, job_id: str, token: str, error: str) -> None:
        """End the attempt badly."""
        self.fail_attempt(self.held(now, job_id, token), now, "failed", error)

    def renew(self, now: int, job_id: str, token: str, lease_millis: int) -> dict[str, Any]:
        """Let the lease reach at least to now + lease_millis."""
        job = self.held(now, job_id, token)
        assert job.lease_until is not None
        job.lease_until = max(job.lease_until, now + lease_millis)
        return self.lease_of(job)

    def cancel(self, now: int, job_id: str) -> None:
        """Take back a job that is PENDING."""
        job = self.found(now, job_id)
        if job.status != "PENDING":
            raise RefusedError("IllegalStateError")
        self.finish(job, now, "CANCELLED")

    def retry_dead(self, now: int, job_id: str) -> None:
        """Give a dead job all its attempts again."""
        job = self.found(now, job_id)
        if job.status != "DEAD":
            raise RefusedError("IllegalStateError")
        job.status, job.attempts, job.run_at, job.failed_at = "PENDING", 0, now, None
        job.era += 1

    def settle(self, now: int) -> int:
        """Expire every lease that is over, by the instant at which it ended, then by submission order."""
        over = [job for job in self.jobs if job.lease_until is not None and job.lease_until <= now]
        for job in sorted(over, key=lambda job: (job.lease_until, job.number)):
            assert job.lease_until is not None
            self.fail_attempt(job, job.lease_until, "expired", "lease expired")
        return len(over)

    def fail_attempt(self, job: NaiveJob, at: int, outcome: str, error: str) -> None:
        """Schedule a retry after a wait that doubles with each attempt, or bury the job."""
        self.end_attempt(job, at, outcome, error)
        job.last_error = error
        if job.attempts < self.max_attempts:
            job.status, job.run_at = "PENDING", at + min(self.cap, self.base * 2 ** (job.attempts - 1))
        else:
            job.status, job.failed_at = "DEAD", at

    def end_attempt(self, job: NaiveJob, at: int, outcome: str, error: str | None) -> None:
        """Close the last row of the history and the lease with it."""
        job.lease_until = None
        job.history[-1].update(ended_at=at, outcome=outcome, error=error)

    def finish(self, job: NaiveJob, at: int, status: str) -> None:
        """Mark the job as finished and forget those that finished too long ago."""
        job.status, job.finished_at = status, at
        self.finished.append(job)
        while self.keep_finished is not None and len(self.finished) > self.keep_finished:
            self.jobs.remove(self.finished.pop(0))

    def found(self, now: int, job_id: str) -> NaiveJob:
        """Settle, then look the job up."""
        self.settle(now)
        for job in self.jobs:
            if job.id == job_id:
                return job
        raise RefusedError("UnknownJobError")

    def held(self, now: int, job_id: str, token: str) -> NaiveJob:
        """Return the job if the token is the one of its current lease."""
        job = self.found(now, job_id)
        if job.status == "RUNNING" and token == job.token:
            return job
        raise RefusedError("StaleTokenError", self.why_stale(job, token))

    def why_stale(self, job: NaiveJob, token: str) -> str:
        """Say why a token does not hold the job."""
        earlier = [f"{job.id}:{generation}" for generation in range(1, len(job.history))]
        if job.status == "RUNNING" or token in earlier:
            return "stale_generation"
        if token == job.token and job.history[-1]["outcome"] == "expired":
            return "lease_expired"
        return "wrong_state"

    def lease_of(self, job: NaiveJob) -> dict[str, Any]:
        """Return what the holder of the job is told."""
        row = job.history[-1]
        told = {name: getattr(job, name) for name in ("token", "type", "payload", "tenant", "lease_until")}
        told |= {name: row[name] for name in ("attempt", "generation", "worker_id")}
        return told | {"job_id": job.id, "checkpoint": None}

    def view_of(self, job: NaiveJob) -> dict[str, Any]:
        """Return what anybody is told about the job."""
        kept = ("id", "type", "priority", "status", "attempts", "last_error", "tenant", "cost")
        instants = ("submitted_at", "lease_until", "finished_at", "failed_at")
        view = {name: getattr(job, name) for name in kept + instants}
        never_here = dict.fromkeys(("deadline", "request_key", "result", "hold"))
        return (
            view
            | never_here
            | {
                "next_run_at": job.run_at,
                "generation": len(job.history),
                "worker_id": job.history[-1]["worker_id"] if job.status == "RUNNING" else None,
                "dead_reason": "attempts_exhausted" if job.status == "DEAD" else None,
                "redrive_generation": job.era,
            }
        )

    def everything(self, now: int) -> dict[str, Any]:
        """Return views, payloads and histories of all jobs, None for those forgotten, and the dead letters."""
        self.settle(now)
        state: dict[str, Any] = {f"J{number}": None for number in range(1, self.submitted + 1)}
        for job in self.jobs:
            state[job.id] = (self.view_of(job), job.payload, [dict(row) for row in job.history])
        state["dead letters"] = [self.view_of(job) for job in self.jobs if job.status == "DEAD"]
        return state
