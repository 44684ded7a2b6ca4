"""ex01, who is next: one right answer. Jobs in the order of submission, and one key that says it all."""

from dataclasses import dataclass


@dataclass(slots=True)
class _Job:
    """What is remembered of a job; its number is its place in the order of submission."""

    number: int
    priority: int
    run_at: int
    waiting: bool = True


class WaitingRoom:
    """Jobs that wait, and the answer to the question who is next."""

    def __init__(self) -> None:
        self._jobs: list[_Job] = []

    def submit(self, priority: int = 0, run_at: int = 0) -> str:
        """Take a new job in, and return its id."""
        job = _Job(len(self._jobs) + 1, priority, run_at)
        self._jobs.append(job)
        return f"J{job.number}"

    def best(self, now: int) -> str | None:
        """Tell the best job that is ready."""
        ready = [job for job in self._jobs if job.waiting and job.run_at <= now]
        chosen = min(ready, key=lambda job: (-job.priority, job.run_at, job.number), default=None)
        return None if chosen is None else f"J{chosen.number}"

    def take(self, now: int) -> str | None:
        """Hand out the best job."""
        job_id = self.best(now)
        if job_id is not None:
            self._job(job_id).waiting = False
        return job_id

    def give_back(self, job_id: str, run_at: int) -> None:
        """Let a job wait again."""
        job = self._job(job_id)
        job.waiting = True
        job.run_at = run_at

    def _job(self, job_id: str) -> _Job:
        return self._jobs[int(job_id[1:]) - 1]
