"""The plain rules of the exercise about dead letters, to compare an answer with."""

from dataclasses import dataclass, field

Row = tuple[str, str]


@dataclass(slots=True)
class RulesJob:
    """What the rules say of one job."""

    run_at: int
    deadline: int | None
    status: str = "PENDING"
    attempts: int = 0
    last_error: str | None = None
    failed_at: int | None = None
    dead_reason: str | None = None
    history: list[tuple[int, int, str | None, str | None]] = field(default_factory=list)


class Rules:
    """The rules of the task, so plain that reading is checking."""

    def __init__(self, max_attempts: int, rest_millis: int) -> None:
        self.jobs: dict[str, RulesJob] = {}
        self._most, self._rest = max_attempts, rest_millis

    def submit(self, now: int, deadline: int | None) -> str:
        """A new job is ready at once."""
        job_id = f"J{len(self.jobs) + 1}"
        self.jobs[job_id] = RulesJob(now, deadline)
        return job_id

    def poll(self, now: int) -> str | None:
        """The earliest run_at first, then the order of submission."""
        ready = [(job.run_at, int(name[1:])) for name, job in self.jobs.items() if job.status == "PENDING"]
        ready = sorted(one for one in ready if one[0] <= now)
        if not ready:
            return None
        job_id = f"J{ready[0][1]}"
        job = self.jobs[job_id]
        job.status, job.attempts = "RUNNING", job.attempts + 1
        job.history.append((job.attempts, len(job.history) + 1, None, None))
        return job_id

    def holds(self, job_id: str, token: str) -> bool:
        """Whether this token is the one of the current hand-out."""
        job = self.jobs[job_id]
        return job.status == "RUNNING" and token == f"{job_id}:{len(job.history)}"

    def complete(self, job_id: str) -> None:
        """Done, for good."""
        job = self.jobs[job_id]
        job.status = "SUCCEEDED"
        job.history[-1] = (*job.history[-1][:2], "succeeded", None)

    def fail(self, now: int, job_id: str, error: str, *, permanent: bool) -> None:
        """Retry or bury."""
        job, retry_at = self.jobs[job_id], now + self._rest
        job.last_error = error
        job.history[-1] = (*job.history[-1][:2], "failed", error)
        late = job.deadline is not None and retry_at >= job.deadline
        reasons = (
            ("permanent", permanent),
            ("attempts_exhausted", job.attempts == self._most),
            ("deadline", late),
        )
        reason = next((name for name, true in reasons if true), None)
        if reason:
            job.status, job.failed_at, job.dead_reason = "DEAD", now, reason
        else:
            job.status, job.run_at = "PENDING", retry_at

    def revive(self, job_id: str, run_at: int) -> bool:
        """Only a dead job comes back."""
        job = self.jobs[job_id]
        if job.status != "DEAD":
            return False
        job.status, job.run_at, job.attempts, job.failed_at, job.dead_reason = "PENDING", run_at, 0, None, None
        return True

    def revive_many(self, now: int, job_ids: list[str], spread: int) -> list[Row]:
        """Each once, in the order of submission; the unknown last."""
        rows, run_at = [], now
        for job_id in [one for one in self.jobs if one in job_ids]:
            done = self.revive(job_id, run_at)
            rows.append((job_id, "done" if done else "wrong_state"))
            run_at += spread if done else 0
        return rows + [(one, "unknown") for one in dict.fromkeys(job_ids) if one not in self.jobs]

    def seen(self, job_id: str) -> dict[str, object]:
        """What a view shows."""
        job = self.jobs[job_id]
        names = ("status", "attempts", "run_at", "last_error", "failed_at", "dead_reason")
        return {name: getattr(job, name) for name in names}
