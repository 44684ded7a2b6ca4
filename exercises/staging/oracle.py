"""What the rules say: a queue so plain that reading is checking. Each exercise switches on what it asks for.

It is slow and naive on purpose. An answer is never compared with another clever queue, only with these rules.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

PENDING, RUNNING, SUCCEEDED, DEAD, CANCELLED = "PENDING", "RUNNING", "SUCCEEDED", "DEAD", "CANCELLED"
EXPIRED = "lease expired"
NO_LIMIT = 1 << 40

Row = tuple[str, str]


@dataclass(slots=True)
class Job:
    """What the rules say of one job. `hand_out` is the hand-out whose token is good now, if there is one."""

    number: int
    priority: int
    run_at: int
    deadline: int | None = None
    status: str = PENDING
    attempts: int = 0
    last_error: str | None = None
    failed_at: int | None = None
    dead_reason: str | None = None
    hand_out: Any = None
    lease_until: int = 0
    history: list[tuple[int, int, str | None, str | None]] = field(default_factory=list)
    ended_at: int = 0  # the instant at which the last attempt ended
    run_at_before: int = 0  # what run_at was before it last changed; these two tell why an answer errs

    @property
    def id(self) -> str:
        """Its name."""
        return f"J{self.number}"


class Oracle:
    """All jobs by number, from 1. The caller names each hand-out: tokens are the answer's own.

    Args:
        most: how often a job is tried.
        base: how long it rests after its first failure; twice as long after each further one.
        cap: the longest rest; None for a rest that is always the base.
        leases: whether time ends leases.
        keeps_place: whether a job that is retried keeps its place in the order of submission.
    """

    def __init__(
        self,
        most: int = NO_LIMIT,
        base: int = 0,
        cap: int | None = None,
        *,
        leases: bool = True,
        keeps_place: bool = False,
    ) -> None:
        self.most, self.base, self.cap = most, base, base if cap is None else cap
        self.jobs: dict[int, Job] = {}
        self._leases, self._keeps_place = leases, keeps_place

    def submit(
        self, now: int, priority: int = 0, run_at: int | None = None, deadline: int | None = None
    ) -> Job:
        """A new job is PENDING; the numbers have no gaps."""
        self.settle(now)
        job = Job(len(self.jobs) + 1, priority, now if run_at is None else run_at, deadline)
        self.jobs[job.number] = job
        return job

    def best(self, now: int) -> Job | None:
        """Highest priority first, then the earliest run_at, then the first submitted; ready ones only."""
        ready = [job for job in self.jobs.values() if job.status == PENDING and job.run_at <= now]
        return min(ready, key=self._place, default=None)

    def poll(self, now: int, lease_millis: int = 0, hand_out: Any = None) -> Job | None:
        """The best job is handed out."""
        self.settle(now)
        best = self.best(now)
        if best is not None:
            best.status, best.attempts = RUNNING, best.attempts + 1
            best.hand_out, best.lease_until = hand_out, now + lease_millis
            best.history.append((best.attempts, len(best.history) + 1, None, None))
        return best

    def settle(self, now: int) -> int:
        """Every lease whose end has come has failed at that end, in the order of the ends. Return how many."""
        due = [job for job in self.jobs.values() if job.status == RUNNING and job.lease_until <= now]
        due = due if self._leases else []
        for job in sorted(due, key=lambda job: (job.lease_until, job.number)):
            self._failed(job, job.lease_until, EXPIRED)
        return len(due)

    def holds(self, now: int, number: int, shown: Any) -> bool:
        """Whether this hand-out holds the job now."""
        self.settle(now)
        return shown is not None and self.jobs[number].hand_out == shown

    def complete(self, now: int, number: int, shown: Any) -> bool:
        """Only the hand-out that holds the job now may finish it. False: refused, and nothing changed."""
        return self._by_holder(now, number, shown, self._succeeded)

    def fail(self, now: int, number: int, shown: Any, error: str, *, permanent: bool = False) -> bool:
        """Likewise: a retry after its rest, or DEAD."""
        return self._by_holder(
            now, number, shown, lambda job: self._failed(job, now, error, permanent=permanent)
        )

    def renew(self, now: int, number: int, shown: Any, lease_millis: int) -> bool:
        """Likewise: leased until now + lease_millis, if that is later than it is leased anyway."""

        def longer(job: Job) -> None:
            job.lease_until = max(job.lease_until, now + lease_millis)

        return self._by_holder(now, number, shown, longer)

    def cancel(self, now: int, number: int) -> bool:
        """Only a PENDING job, also one that waits for its retry."""
        return self._from(now, number, PENDING, CANCELLED)

    def retry_dead(self, now: int, number: int, run_at: int | None = None) -> bool:
        """Only a DEAD job: PENDING and ready now, or later; its attempts are counted anew."""
        if not self._from(now, number, DEAD, PENDING):
            return False
        job = self.jobs[number]
        job.run_at_before, job.run_at = job.run_at, now if run_at is None else run_at
        job.attempts, job.failed_at, job.dead_reason = 0, None, None
        return True

    def redrive_many(self, now: int, job_ids: list[str], spread: int) -> list[Row]:
        """Each once, in the order of submission, so far apart; the unknown last."""
        rows, run_at = [], now
        for job in [job for job in self.jobs.values() if job.id in job_ids]:
            done = self.retry_dead(now, job.number, run_at)
            rows.append((job.id, "done" if done else "wrong_state"))
            run_at += spread if done else 0
        known = {job.id for job in self.jobs.values()}
        return rows + [(one, "unknown") for one in dict.fromkeys(job_ids) if one not in known]

    def dead(self, now: int) -> list[Job]:
        """The DEAD ones in the order of the numbers."""
        self.settle(now)
        return [job for job in self.jobs.values() if job.status == DEAD]

    def _place(self, job: Job) -> tuple[int, ...]:
        return (job.number,) if self._keeps_place else (-job.priority, job.run_at, job.number)

    def _from(self, now: int, number: int, before: str, after: str) -> bool:
        self.settle(now)
        job = self.jobs[number]
        if job.status != before:
            return False
        job.status = after
        return True

    def _by_holder(self, now: int, number: int, shown: Any, act: Callable[[Job], None]) -> bool:
        if not self.holds(now, number, shown):
            return False
        act(self.jobs[number])
        return True

    def _succeeded(self, job: Job) -> None:
        job.status = SUCCEEDED
        self._ended(job, "succeeded", None)

    def _failed(self, job: Job, at: int, error: str, *, permanent: bool = False) -> None:
        self._ended(job, "failed", error)
        job.last_error, job.ended_at = error, at
        retry_at = at + min(self.cap, self.base * 2 ** (job.attempts - 1))
        reasons = {
            "permanent": permanent,
            "attempts_exhausted": job.attempts >= self.most,
            "deadline": job.deadline is not None and retry_at >= job.deadline,
        }
        job.dead_reason = next((name for name, true in reasons.items() if true), None)
        if job.dead_reason:
            job.status, job.failed_at = DEAD, at
        else:
            job.status, job.run_at_before, job.run_at = PENDING, job.run_at, retry_at

    @staticmethod
    def _ended(job: Job, outcome: str, error: str | None) -> None:
        job.hand_out = None
        job.history[-1] = (*job.history[-1][:2], outcome, error)
