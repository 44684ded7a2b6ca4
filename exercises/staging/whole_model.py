"""The oracle of the whole queue: the rules of the challenge, so plain that reading is checking."""

from collections.abc import Callable
from dataclasses import dataclass

PENDING, RUNNING, SUCCEEDED, DEAD, CANCELLED = "PENDING", "RUNNING", "SUCCEEDED", "DEAD", "CANCELLED"


@dataclass(slots=True)
class WholeJob:
    """What the rules say of one job. `hand_out` is the hand-out whose token is good now, if there is one."""

    number: int
    priority: int
    run_at: int
    status: str = PENDING
    attempts: int = 0
    last_error: str | None = None
    hand_out: int | None = None
    lease_until: int = 0
    failed_at: int = 0  # the instant at which the last attempt ended
    run_at_before: int = 0  # what run_at was before it last changed; these two tell why an answer errs


class WholeModel:
    """All jobs by number, from 1; a job's backoff after its n-th attempt is min(cap, base * 2**(n-1))."""

    def __init__(self, most: int, base: int, cap: int) -> None:
        self.most, self.base, self.cap = most, base, cap
        self.jobs: dict[int, WholeJob] = {}

    def settle(self, now: int) -> None:
        """Every lease whose end has come has failed at that end, in the order of the ends."""
        due = [job for job in self.jobs.values() if job.status == RUNNING and job.lease_until <= now]
        for job in sorted(due, key=lambda job: (job.lease_until, job.number)):
            self._failed(job, job.lease_until, "lease expired")

    def submit(self, now: int, priority: int, run_at: int | None) -> int:
        """A new job is PENDING; the numbers have no gaps."""
        self.settle(now)
        number = len(self.jobs) + 1
        self.jobs[number] = WholeJob(number, priority, now if run_at is None else run_at)
        return number

    def poll(self, now: int, lease_millis: int, hand_out: int) -> WholeJob | None:
        """The best ready job is handed out: highest priority, then earliest run_at, then smallest number."""
        self.settle(now)
        ready = [job for job in self.jobs.values() if job.status == PENDING and job.run_at <= now]
        best = min(ready, key=lambda job: (-job.priority, job.run_at, job.number), default=None)
        if best is not None:
            best.status, best.attempts = RUNNING, best.attempts + 1
            best.hand_out, best.lease_until = hand_out, now + lease_millis
        return best

    def complete(self, now: int, number: int, shown: int | None) -> bool:
        """Only the hand-out that holds the job now may finish it. False: refused, and nothing changed."""
        return self._by_holder(now, number, shown, self._succeeded)

    def fail(self, now: int, number: int, shown: int | None, error: str) -> bool:
        """Likewise: a retry after its backoff, or DEAD after the last attempt."""
        return self._by_holder(now, number, shown, lambda job: self._failed(job, now, error))

    def renew(self, now: int, number: int, shown: int | None, lease_millis: int) -> bool:
        """Likewise: leased until now + lease_millis, if that is later than it is leased anyway."""

        def longer(job: WholeJob) -> None:
            job.lease_until = max(job.lease_until, now + lease_millis)

        return self._by_holder(now, number, shown, longer)

    def cancel(self, now: int, number: int) -> bool:
        """Only a PENDING job, also one that waits for its retry."""
        return self._from(now, number, PENDING, CANCELLED)

    def retry_dead(self, now: int, number: int) -> bool:
        """Only a DEAD job: PENDING and ready now, its attempts counted anew."""
        if not self._from(now, number, DEAD, PENDING):
            return False
        job = self.jobs[number]
        job.attempts, job.run_at_before, job.run_at = 0, job.run_at, now
        return True

    def dead(self, now: int) -> list[int]:
        """The DEAD ones in the order of the numbers."""
        self.settle(now)
        return [number for number, job in self.jobs.items() if job.status == DEAD]

    def _from(self, now: int, number: int, before: str, after: str) -> bool:
        self.settle(now)
        job = self.jobs[number]
        if job.status != before:
            return False
        job.status = after
        return True

    def _by_holder(self, now: int, number: int, shown: int | None, act: Callable[[WholeJob], None]) -> bool:
        self.settle(now)
        job = self.jobs[number]
        if shown is None or job.hand_out != shown:
            return False
        act(job)
        return True

    @staticmethod
    def _succeeded(job: WholeJob) -> None:
        job.status, job.hand_out = SUCCEEDED, None

    def _failed(self, job: WholeJob, at: int, error: str) -> None:
        job.last_error, job.hand_out, job.failed_at = error, None, at
        job.status = DEAD if job.attempts >= self.most else PENDING
        if job.status == PENDING:
            job.run_at_before = job.run_at
            job.run_at = at + min(self.cap, self.base * 2 ** (job.attempts - 1))
