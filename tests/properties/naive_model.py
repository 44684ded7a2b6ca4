"""A queue that is obviously right: one list of jobs, scanned from end to end for every question.

It has no heaps, no index, no lock and no events. It is slow, and short enough to be checked by reading. It
shares no rule with the queue that it is compared with: a mistake would have to be made twice, in two ways.
What it shows of itself is in `naive_views.py`, who is next in `naive_turns.py`.
"""

from __future__ import annotations

import copy
import pickle
from collections import Counter
from typing import TYPE_CHECKING, Any

from tests.properties.naive_turns import NaiveTurns
from tests.properties.naive_views import NaiveJob, NaiveViews

if TYPE_CHECKING:
    from tests.properties.naive_rules import Rules


class RefusedError(Exception):
    """The model's answer to a call that a queue refuses: the kind of error, and the reason of a stale token."""

    def __init__(self, kind: str, reason: str | None = None) -> None:
        super().__init__(kind, reason)
        self.kind = kind
        self.reason = reason


class NaiveQueue(NaiveViews):
    """The rules of the queue, one after the other, over a plain list."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.turns = NaiveTurns(rules)
        self.jobs: list[NaiveJob] = []
        self.finished: list[NaiveJob] = []
        self.submitted = 0
        self.batches = 0
        self.is_amid_an_instant = False
        self.counts = Counter[str]()

    # -- producers ----------------------------------------------------------------------------------------

    def submit(self, now: int, run_at: int | None, deadline: int | None, **order: Any) -> str:
        """Append a job; no run_at means now."""
        self.settle(now)
        return self.accept(now, run_at, deadline, order)

    def submit_once(
        self, now: int, key: str, run_at: int | None, deadline: int | None, **order: Any
    ) -> dict[str, Any]:
        """Find the job of a key, or append one."""
        self.settle(now)
        content = {**order, "run_at": run_at, "deadline": deadline}
        for job in self.jobs:
            if (job.tenant, job.request_key) == (order["tenant"], key):
                if job.content != content:
                    raise RefusedError("RequestKeyConflictError")
                return {"job_id": job.id, "replayed": True}
        job_id = self.accept(now, run_at, deadline, order)
        self.jobs[-1].request_key, self.jobs[-1].content = key, content
        return {"job_id": job_id, "replayed": False}

    def accept(self, now: int, run_at: int | None, deadline: int | None, order: dict[str, Any]) -> str:
        """Append a job if it has time left to start, and the queue has room."""
        due = now if run_at is None else run_at
        if deadline is not None and deadline <= max(now, due):
            raise RefusedError("ValueError")
        waiting = [job.tenant for job in self.jobs if job.status == "PENDING"]
        of_tenant, rules = waiting.count(order["tenant"]), self.rules
        if rules.max_queued is not None and len(waiting) >= rules.max_queued:
            raise RefusedError("AdmissionError")
        if rules.max_queued_per_tenant is not None and of_tenant >= rules.max_queued_per_tenant:
            raise RefusedError("AdmissionError")
        self.submitted += 1
        self.jobs.append(NaiveJob(self.submitted, **order, run_at=due, deadline=deadline, submitted_at=now))
        self.jobs[-1].pending_since = now
        self.changed(self.jobs[-1], now)
        return self.jobs[-1].id

    def cancel(self, now: int, job_id: str) -> None:
        """Take back a job that is PENDING."""
        job = self.found(now, job_id)
        if job.status != "PENDING":
            raise RefusedError("IllegalStateError")
        self.finish(job, now, "CANCELLED")

    # -- workers ------------------------------------------------------------------------------------------

    def poll(self, now: int, worker: str, lease_millis: int, types: set[str] | None) -> dict[str, Any] | None:
        """Hand out the next job of those that are ready, open and asked for."""
        self.settle(now)
        while True:
            ready = [job for job in self.jobs if job.band is not None]
            eligible = [job for job in ready if self.turns.may_run(job, self.jobs, types)]
            if not eligible:
                return None
            before = copy.deepcopy(self.turns)
            best = self.turns.pick(eligible)
            if best.attempts < self.rules.max_attempts:
                break
            self.turns = before
            best.status, best.failed_at, best.dead_reason = "DEAD", now, "attempts_exhausted"
            self.changed(best, now)
        best.status, best.held_in = "RUNNING", best.band
        best.attempts += 1
        best.lease_until = self.rules.latest_end(now, now + lease_millis)
        row: dict[str, Any] = {"attempt": best.attempts, "generation": len(best.history) + 1, "era": best.era}
        row |= {"worker_id": worker, "started_at": now, "ended_at": None, "outcome": None, "error": None}
        best.history.append(row)
        self.turns.started(best)
        self.counts["started"] += 1
        self.changed(best, now)
        return self.lease_of(best)

    def poll_many(self, now: int, limit: int, types: set[str] | None) -> list[dict[str, Any]]:
        """Poll again and again."""
        leases = (self.poll(now, "many", 1000, types) for _ in range(limit))
        return [lease for lease in leases if lease is not None]

    def complete(self, now: int, job_id: str, token: str, result: str | None) -> None:
        """End the attempt well."""
        job = self.held(now, job_id, token)
        job.result = result
        self.end_attempt(job, now, "succeeded", None)
        self.finish(job, now, "SUCCEEDED")

    def fail(self, now: int, job_id: str, token: str, error: str, *, permanent: bool) -> None:
        """End the attempt badly."""
        self.fail_attempt(self.held(now, job_id, token), now, "failed", error, permanent=permanent)

    def renew(
        self, now: int, job_id: str, token: str, lease_millis: int, checkpoint: str | None
    ) -> dict[str, Any]:
        """Let the lease reach at least to now + lease_millis, as far as the longest run allows."""
        job = self.held(now, job_id, token)
        assert job.lease_until is not None
        until = self.rules.latest_end(job.history[-1]["started_at"], now + lease_millis)
        job.lease_until = max(job.lease_until, until)
        job.checkpoint = job.checkpoint if checkpoint is None else checkpoint
        self.changed(job, now)
        return self.lease_of(job)

    def release(self, now: int, job_id: str, token: str) -> None:
        """Put a job back where it was, unless its deadline has passed meanwhile."""
        job = self.held(now, job_id, token)
        job.attempts -= 1
        self.end_attempt(job, now, "released", None)
        job.status = "PENDING"
        if job.deadline is not None and job.deadline <= now:
            job.status, job.failed_at, job.dead_reason = "DEAD", now, "deadline"
        self.changed(job, now)

    # -- operators ----------------------------------------------------------------------------------------

    def retry_dead(self, now: int, job_id: str) -> None:
        """Give a dead job all its attempts again."""
        self.redrive(now, job_id, actor=None, note=None)

    def redrive(
        self,
        now: int,
        job_id: str,
        *,
        actor: str | None,
        note: str | None,
        payload: str | None = None,
        deadline: int | None = None,
        unchanged: bool = False,
    ) -> dict[str, Any]:
        """Give a dead job all its attempts again, and write down who did it."""
        job = self.found(now, job_id)
        if deadline is not None and deadline <= now and job.status == "DEAD":
            raise RefusedError("ValueError")
        if self.obstacle(job, now, deadline, corrected=unchanged or payload is not None):
            raise RefusedError("IllegalStateError")
        job.payload = job.payload if payload is None else payload
        job.deadline = job.deadline if deadline is None else deadline
        told = {"actor": actor, "note": note, "has_new_payload": payload is not None, "batch": None}
        return self.bring_back(job, now, now, told)

    def redrive_many(self, now: int, ids: list[str], spread: int) -> list[dict[str, Any]]:
        """Bring back each of these jobs once, spaced by `spread`, and say what became of each."""
        self.settle(now)
        rows, run_at, batch = [], now, self.batches + 1
        known = [job for job in self.jobs if job.id in ids]
        for job in known:
            reason = self.obstacle(job, run_at, None, corrected=False)
            row = {"job_id": job.id, "outcome": "skipped", "reason": reason, "redrive": None}
            if reason is None:
                told = {"actor": "op", "note": "", "has_new_payload": False, "batch": batch}
                row |= {"outcome": "done", "redrive": self.bring_back(job, now, run_at, told)}  # type: ignore[dict-item]
                self.batches = batch
                run_at += spread
            rows.append(row)
        unknown = [job_id for job_id in dict.fromkeys(ids) if job_id not in [job.id for job in known]]
        skipped = {"outcome": "skipped", "reason": "unknown", "redrive": None}
        return rows + [{"job_id": job_id, **skipped} for job_id in unknown]

    def obstacle(self, job: NaiveJob, run_at: int, deadline: int | None, *, corrected: bool) -> str | None:
        """Say what stands against bringing a job back."""
        if job.status != "DEAD":
            return "wrong_state"
        if job.dead_reason == "permanent" and not corrected:
            return "permanent"
        until = job.deadline if deadline is None else deadline
        return "deadline" if until is not None and until <= run_at else None

    def bring_back(self, job: NaiveJob, now: int, run_at: int, told: dict[str, Any]) -> dict[str, Any]:
        """Let a dead job wait again, with a new set of attempts."""
        job.status, job.attempts, job.run_at, job.pending_since = "PENDING", 0, run_at, now
        job.failed_at = job.dead_reason = job.last_rest = None
        job.era += 1
        self.counts["redriven"] += 1
        record = {"job_id": job.id, "redrive_generation": job.era, "at": now, "run_at": run_at}
        job.redrives.append(record | told | {"deadline": job.deadline})
        self.changed(job, now)
        return dict(job.redrives[-1])

    def prune(self, now: int, keep: int, *, dead: bool) -> int:
        """Forget finished jobs beyond the newest, and dead ones too if asked."""
        self.settle(now)
        before = len(self.jobs)
        self.forget_finished(now, keep)
        if dead:
            corpses = [job for job in self.jobs if job.status == "DEAD"]
            corpses.sort(key=lambda job: (job.failed_at, job.number))
            for job in corpses[: max(0, len(corpses) - keep)]:
                if not self.key_is_young(job, now):
                    self.jobs.remove(job)
        return before - len(self.jobs)

    def next_up(self, now: int, n: int) -> list[str]:
        """Say what n polls would hand out, by making them on a copy."""
        twin = pickle.loads(pickle.dumps(self))
        return [lease["job_id"] for lease in twin.poll_many(now, n, None)]

    # -- what time does -----------------------------------------------------------------------------------

    def settle(self, now: int) -> int:
        """Take one step after the other, by instant, then by submission order; count what ended."""
        ended = 0
        while True:
            steps = [(at, job.number, job) for job in self.jobs if (at := self.next_step(job)) is not None]
            steps = [step for step in steps if step[0] <= now]
            if not steps:
                return ended
            at, _, job = min(steps, key=lambda step: step[:2])
            self.is_amid_an_instant = True
            if job.status == "RUNNING":
                self.fail_attempt(job, at, "expired", "lease expired", permanent=False)
                ended += 1
            elif job.deadline == at:
                job.status, job.failed_at, job.dead_reason = "DEAD", at, "deadline"
                self.changed(job, at)
                ended += 1
            else:
                self.place(job, at)
            if not any(self.next_step(other) == at for other in self.jobs):
                self.is_amid_an_instant = False
                self.turns.forget_credit_of_the_idle(self.jobs)

    def next_step(self, job: NaiveJob) -> int | None:
        """Return the next instant at which time alone changes something about a job."""
        if job.status == "RUNNING":
            return job.lease_until
        if job.status != "PENDING":
            return None
        if job.band is None:
            return job.run_at
        age = self.rules.next_age(job.priority, job.ready_since, job.placed_at)
        return min((at for at in (age, job.deadline) if at is not None), default=None)

    # -- parts --------------------------------------------------------------------------------------------

    def fail_attempt(self, job: NaiveJob, at: int, outcome: str, error: str, *, permanent: bool) -> None:
        """Schedule a retry after a rest, or bury the job."""
        self.end_attempt(job, at, outcome, error, permanent=permanent)
        job.last_error = error
        rest = self.rules.rest(job.id, job.attempts, len(job.history), job.last_rest)
        reasons = {
            "permanent": permanent,
            "attempts_exhausted": job.attempts >= self.rules.max_attempts,
            "deadline": job.deadline is not None and at + rest >= job.deadline,
        }
        fitting = [reason for reason, fits in reasons.items() if fits]
        if fitting:
            job.status, job.failed_at, job.dead_reason = "DEAD", at, fitting[0]
        else:
            job.status, job.run_at, job.pending_since, job.last_rest = "PENDING", at + rest, at, rest
        self.changed(job, at)

    def end_attempt(
        self, job: NaiveJob, at: int, outcome: str, error: str | None, *, permanent: bool = False
    ) -> None:
        """Close the last row of the history and the lease with it."""
        job.lease_until = job.held_in = None
        job.history[-1].update(ended_at=at, outcome=outcome, error=error)
        self.turns.ended(job, outcome, permanent=permanent)
        self.counts[outcome] += 1

    def finish(self, job: NaiveJob, at: int, status: str) -> None:
        """Mark the job as finished."""
        job.status, job.finished_at = status, at
        self.finished.append(job)
        self.changed(job, at)

    def changed(self, job: NaiveJob, at: int) -> None:
        """Put a job where it belongs, and forget what need not be remembered."""
        self.place(job, at)
        if self.rules.keep_finished is not None:
            self.forget_finished(at, self.rules.keep_finished)

    def place(self, job: NaiveJob, at: int) -> None:
        """Put a job into its band if it is ready; a band without a job of a tenant has no credit for it."""
        is_ready = job.status == "PENDING" and job.run_at <= at
        job.band = self.rules.band(job.priority, job.ready_since, at) if is_ready else None
        job.placed_at = at
        if not self.is_amid_an_instant:
            self.turns.forget_credit_of_the_idle(self.jobs)

    def forget_finished(self, at: int, keep: int) -> None:
        """Forget all but the newest finished jobs, and those whose request key is young."""
        for job in self.finished[: max(0, len(self.finished) - keep)]:
            if not self.key_is_young(job, at):
                self.finished.remove(job)
                self.jobs.remove(job)

    def key_is_young(self, job: NaiveJob, at: int) -> bool:
        """Return whether somebody might still repeat the request of a job."""
        return job.request_key is not None and at < job.submitted_at + self.rules.key_life

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
        self.counts["refused"] += 1
        raise RefusedError("StaleTokenError", self.why_stale(job, token))
