"""What the naive queue remembers of a job, and what it shows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.properties.naive_rules import BANDS, Rules

if TYPE_CHECKING:
    from collections import Counter

    from tests.properties.naive_turns import NaiveTurns

STATUSES = ("PENDING", "RUNNING", "SUCCEEDED", "DEAD", "CANCELLED")


@dataclass
class NaiveJob:
    """One job with all that it has been through; `band` is None unless it is ready."""

    number: int
    type: str
    payload: str
    priority: int
    tenant: str
    cost: int
    run_at: int
    deadline: int | None
    submitted_at: int
    status: str = "PENDING"
    attempts: int = 0
    era: int = 0
    pending_since: int = 0
    last_rest: int | None = None
    band: str | None = None
    placed_at: int = 0
    held_in: str | None = None
    handed_out_as: int = 0
    lease_until: int | None = None
    last_error: str | None = None
    finished_at: int | None = None
    failed_at: int | None = None
    dead_reason: str | None = None
    result: str | None = None
    checkpoint: str | None = None
    request_key: str | None = None
    content: dict[str, Any] | None = None
    history: list[dict[str, Any]] = field(default_factory=list)
    redrives: list[dict[str, Any]] = field(default_factory=list)

    @property
    def id(self) -> str:
        """The id that the queue gives to the n-th job."""
        return f"J{self.number}"

    @property
    def token(self) -> str | None:
        """The token of the latest hand-out; hand-outs are counted by the rows of the history."""
        return f"{self.id}:{len(self.history)}" if self.history else None

    @property
    def ready_since(self) -> int:
        """The later of run_at and the instant at which it became PENDING."""
        return max(self.run_at, self.pending_since)


class NaiveViews:
    """Answers that change nothing."""

    rules: Rules
    turns: NaiveTurns
    jobs: list[NaiveJob]
    counts: Counter[str]
    submitted: int

    def settle(self, now: int) -> int:
        """Do what time has decided."""
        raise NotImplementedError

    def lease_of(self, job: NaiveJob) -> dict[str, Any]:
        """Return what the holder of the job is told."""
        row = job.history[-1]
        kept = ("token", "type", "payload", "tenant", "lease_until", "checkpoint")
        told = {name: getattr(job, name) for name in kept}
        told |= {name: row[name] for name in ("attempt", "generation", "worker_id")}
        return told | {"job_id": job.id}

    def view_of(self, job: NaiveJob) -> dict[str, Any]:
        """Return what anybody is told about the job."""
        kept = ("id", "type", "priority", "status", "attempts", "last_error", "tenant", "cost", "deadline")
        instants = ("submitted_at", "lease_until", "finished_at", "failed_at")
        view = {name: getattr(job, name) for name in (*kept, *instants, "request_key", "dead_reason", "result")}
        running = [other for other in self.jobs if other.status == "RUNNING"]
        is_held = job.band is not None and self.turns.held_by_budget(job, running)
        return view | {
            "next_run_at": job.run_at,
            "generation": len(job.history),
            "worker_id": job.history[-1]["worker_id"] if job.status == "RUNNING" else None,
            "redrive_generation": job.era,
            "hold": "budget" if is_held else None,
        }

    def why_stale(self, job: NaiveJob, token: str) -> str:
        """Say why a token does not hold the job."""
        earlier = [f"{job.id}:{generation}" for generation in range(1, len(job.history))]
        if job.status == "RUNNING" or token in earlier:
            return "stale_generation"
        if token == job.token and job.history[-1]["outcome"] == "expired":
            return "lease_expired"
        return "wrong_state"

    def everything(self, now: int) -> dict[str, Any]:
        """Return all that there is to see; None for jobs that are forgotten."""
        self.settle(now)
        state: dict[str, Any] = {f"J{number}": None for number in range(1, self.submitted + 1)}
        for job in self.jobs:
            history, redrives = [dict(row) for row in job.history], [dict(row) for row in job.redrives]
            state[job.id] = (self.view_of(job), job.payload, history, redrives)
        state["dead letters"] = [self.view_of(job) for job in self.jobs if job.status == "DEAD"]
        state["paused"] = sorted(self.turns.paused)
        state["stats"] = self.stats(now)
        return state

    def stats(self, now: int) -> dict[str, Any]:
        """Return the figures."""
        live = [job for job in self.jobs if job.status in {"PENDING", "RUNNING"}]
        ready = [job for job in live if job.band is not None]
        dead = [now - job.failed_at for job in self.jobs if job.failed_at is not None]
        labels = {job.number: self.rules.band(job.priority, 0, 0) for job in self.jobs}
        started, succeeded = self.counts["started"], self.counts["succeeded"]
        cycle, shares = self.rules.cycle, self.turns.shares
        return {
            "at": now,
            "by_status": {status: sum(job.status == status for job in self.jobs) for status in STATUSES},
            "by_band": {band: sum(labels[job.number] == band for job in live) for band in BANDS},
            "by_tenant": count_by(live, "tenant"),
            "by_type": count_by(live, "type"),
            "oldest_ready_millis_by_band": oldest((labels[job.number], now - job.ready_since) for job in ready),
            "oldest_ready_millis_by_tenant": oldest((job.tenant, now - job.ready_since) for job in ready),
            "running": sum(job.status == "RUNNING" for job in live),
            "attempts_started": started,
            "attempts_succeeded": succeeded,
            "attempts_failed": self.counts["failed"],
            "attempts_expired": self.counts["expired"],
            "attempt_amplification": started / succeeded if succeeded else None,
            "dead_ages_millis": tuple(sorted(dead, reverse=True)),
            "refused_tokens": self.counts["refused"],
            "promised_share": {band: cycle.count(band) / len(cycle) for band in BANDS} if cycle else {},
            "actual_share": {band: share / started for band, share in shares.items()} if started else {},
            "redrives": self.counts["redriven"],
        }


def count_by(jobs: list[NaiveJob], name: str) -> dict[str, int]:
    """Return how many jobs have each value of a field."""
    values = [getattr(job, name) for job in jobs]
    return {value: values.count(value) for value in values}


def oldest(ages: Any) -> dict[str, int]:
    """Return the largest age for each name."""
    found: dict[str, int] = {}
    for name, age in ages:
        found[name] = max(age, found.get(name, age))
    return found
