"""The stage and the plain rules of the exercise about leases: what its two files of checks share."""

from dataclasses import dataclass
from typing import Any

from exercises.grader import Case
from exercises.grader.judging.case import Broken
from exercises.grader.judging.records import How
from exercises.staging.queue_driver import Hold, QueueStage, lease_words, seconds

REST = 3_000
# The ways in which a check can fail here, beside those that every exercise and every queue knows.
A_NEW_END = "a new end"  # a renewal that must be refused tells one
DEAD_ALREADY = "dead"  # where the job has attempts left


class LeaseStage(QueueStage):
    """A queue whose leases can be renewed and swept."""

    def __init__(self, case: Case, max_attempts: int, rest_millis: int) -> None:
        super().__init__(case, "LeaseQueue", "LeaseOverError", max_attempts, rest_millis)

    def sweeps(self, gives: int) -> None:
        """Sweep; so many leases must have ended."""
        got = self._call("sweep", "sweep", expected=f"{gives} leases ended", tell=repr)
        self._case.same("leases ended", gives, got)

    def shows(self, job_id: str, **wanted: object) -> None:
        """Look at a job; each named field of the view must have this value."""
        try:
            super().shows(job_id, **wanted)
        except Broken as broken:
            if broken.got == "status 'DEAD'":
                broken.how = DEAD_ALREADY
            raise

    def tries(self, worker_id: str, lease_millis: int) -> None:
        """Let a worker poll, whatever comes of it."""
        words = f"{worker_id} polls, lease {lease_millis / 1_000:g} s"
        self._call(words, "poll", worker_id, lease_millis, tell=lease_words)

    def renews(self, hold: Hold, lease_millis: int, *, gives: int) -> None:
        """Let the holder renew its lease; it must end at `gives` then."""
        words = f"{hold.worker_id} renews {hold.job_id} with token {hold.token}, {lease_millis / 1_000:g} s"
        how: dict[str, Any] = {"expected": f"leased until {seconds(gives)} s", "tell": _until}
        got = self._call(words, "renew", hold.job_id, hold.token, lease_millis, **how)
        self._case.same("new end", gives, got)

    def asks_to_renew(self, hold: Hold, lease_millis: int) -> None:
        """Let the holder renew its lease, whatever the queue tells."""
        words = f"{hold.worker_id} renews {hold.job_id} with token {hold.token}, {lease_millis / 1_000:g} s"
        self._call(words, "renew", hold.job_id, hold.token, lease_millis, expected="accepted", tell=repr)

    def refuses_renew(self, job_id: str, token: str, by: str, *, stays: str) -> None:
        """Let somebody renew with a token that is not good for it; the queue must refuse."""
        words = self._words(f"{by} renews {job_id} with token {token}, 10 s")

        def effect() -> How:
            status = getattr(self._case.glance(self._queue, "view", job_id), "fields", {}).get("status")
            if status == stays:
                return How.NO_ERROR  # a lease that was made longer does not show in the view
            return How.ACCEPTED if status == "RUNNING" else How.CHANGED

        how: dict[str, Any] = {"error": self._error, "effect": effect}
        try:
            self._case.refuses(words, self._queue, "renew", job_id, token, 10_000, **how)
        except Broken as broken:
            if broken.how == How.NO_ERROR and "(it returned" in broken.got:
                broken.how = A_NEW_END
            raise


def stage_for(case: Case) -> LeaseStage:
    """Set up an empty queue at t=0: two attempts, and three seconds of rest."""
    return LeaseStage(case, 2, REST)


def leased(case: Case) -> tuple[LeaseStage, Hold]:
    """Begin as most stories do: J1 is submitted and A leases it until 10.0 s."""
    stage = stage_for(case)
    stage.submits(gives="J1")
    return stage, stage.polls("A", 10_000, gives="J1")


@dataclass(slots=True)
class RulesJob:
    """What the rules say of one job."""

    run_at: int
    status: str = "PENDING"
    attempts: int = 0
    lease_until: int = 0
    last_error: str | None = None
    failed_at: int | None = None


class Rules:
    """The rules of the task, so plain that reading is checking."""

    def __init__(self, max_attempts: int, rest_millis: int) -> None:
        self.jobs: dict[str, RulesJob] = {}
        self._max_attempts, self._rest = max_attempts, rest_millis

    def submit(self, now: int) -> str:
        """A new job is ready at once."""
        job_id = f"J{len(self.jobs) + 1}"
        self.jobs[job_id] = RulesJob(now)
        return job_id

    def poll(self, now: int, lease_millis: int) -> str | None:
        """The earliest run_at first, then the order of submission."""
        self.sweep(now)
        ready = [(job.run_at, int(name[1:])) for name, job in self.jobs.items() if job.status == "PENDING"]
        ready = sorted(one for one in ready if one[0] <= now)
        if not ready:
            return None
        job_id = f"J{ready[0][1]}"
        job = self.jobs[job_id]
        job.status, job.attempts, job.lease_until = "RUNNING", job.attempts + 1, now + lease_millis
        return job_id

    def sweep(self, now: int) -> int:
        """Every lease whose end has come is over since that end."""
        due = [job for job in self.jobs.values() if job.status == "RUNNING" and job.lease_until <= now]
        for job in due:
            job.last_error = "lease expired"
            if job.attempts < self._max_attempts:
                job.status, job.run_at = "PENDING", job.lease_until + self._rest
            else:
                job.status, job.failed_at = "DEAD", job.lease_until
        return len(due)

    def holds(self, job_id: str, token: str) -> bool:
        """Whether this token is the one of the current lease."""
        job = self.jobs[job_id]
        return job.status == "RUNNING" and token == f"{job_id}:{job.attempts}"

    def seen(self, job_id: str) -> dict[str, object]:
        """What a view shows."""
        job = self.jobs[job_id]
        names = ("status", "attempts", "run_at", "last_error", "failed_at")
        return {name: getattr(job, name) for name in names}


def _until(end: object) -> str:
    """Return the end that a renewal gave as people read it; what is no instant, as it is."""
    return f"until {seconds(end)} s" if type(end) is int else f"until {end!r}"
