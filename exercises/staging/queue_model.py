"""The oracle of the queue exercises: the rules of a queue with tokens, so plain that reading is checking.

It is slow and naive on purpose. An answer is never compared with another clever queue, only with these rules.
"""

from dataclasses import dataclass


@dataclass(slots=True)
class ModelJob:
    """What the rules say of one job. `handed_out` is the hand-out whose token is good now, if there is one."""

    status: str = "PENDING"
    attempts: int = 0
    last_error: str | None = None
    handed_out: int | None = None
    lease_until: int = 0


class Model:
    """All jobs by number, from 1. A hand-out is known by a number: tokens are the answer's own."""

    def __init__(self) -> None:
        self.jobs: dict[int, ModelJob] = {}

    def submit(self) -> int:
        """A new job is PENDING; the numbers have no gaps."""
        number = len(self.jobs) + 1
        self.jobs[number] = ModelJob()
        return number

    def poll(self, now: int, lease_millis: int, handed_out: int) -> int | None:
        """The first PENDING job in the order of the numbers is handed out, tried before or not."""
        self.settle(now)
        for number, job in self.jobs.items():
            if job.status == "PENDING":
                job.status, job.attempts = "RUNNING", job.attempts + 1
                job.handed_out, job.lease_until = handed_out, now + lease_millis
                return number
        return None

    def settle(self, now: int) -> None:
        """Every lease whose end has come is over, all of them at once."""
        for job in self.jobs.values():
            if job.status == "RUNNING" and now >= job.lease_until:
                job.status, job.last_error, job.handed_out = "PENDING", "lease expired", None

    def complete(self, now: int, number: int, shown: int | None) -> bool:
        """Only the hand-out that holds the job now may finish it. False: refused, and nothing changed."""
        if not self._holds(now, number, shown):
            return False
        self.jobs[number].status, self.jobs[number].handed_out = "SUCCEEDED", None
        return True

    def fail(self, now: int, number: int, shown: int | None, error: str) -> bool:
        """Likewise: the job is PENDING at once, and keeps the error."""
        if not self._holds(now, number, shown):
            return False
        job = self.jobs[number]
        job.status, job.last_error, job.handed_out = "PENDING", error, None
        return True

    def _holds(self, now: int, number: int, shown: int | None) -> bool:
        self.settle(now)
        return shown is not None and self.jobs[number].handed_out == shown
