"""Mistakes about tokens: whose report is believed, and how new a new token is."""

from jobqueue.lifecycle import Lifecycle
from jobqueue.model import RUNNING, SUCCEEDED, Job, Outcome
from jobqueue.simulation.flawed.queue import FlawedQueue
from jobqueue.transitions import Changes


class _BelievesAnybody(Lifecycle):
    def check_token(self, job: Job, token: str, operation: str) -> None:
        if operation != "complete":
            super().check_token(job, token, operation)

    def completed(self, job: Job, now: int, result: str | None = None) -> Changes:
        if job.status is SUCCEEDED:
            return {}  # believed once more
        done: Changes = {"status": SUCCEEDED, "ended_at": now, "outcome": Outcome.SUCCEEDED}
        return {**done, "finished_at": now, "result": result}


class BelievesAnybody(FlawedQueue):
    """A report is believed for the job's id alone."""

    rules = _BelievesAnybody


class _BelievesWhileRunning(Lifecycle):
    def check_token(self, job: Job, token: str, operation: str) -> None:
        if operation != "complete" or job.status is not RUNNING:
            super().check_token(job, token, operation)


class BelievesWhileRunning(FlawedQueue):
    """A report is believed while the job is RUNNING, whoever runs it."""

    rules = _BelievesWhileRunning


class _CountsTokensAnew(Lifecycle):
    def leased(self, job: Job, now: int, worker_id: str, lease_millis: int) -> Changes:
        return {**super().leased(job, now, worker_id, lease_millis), "generation": 1}


class CountsTokensAnew(FlawedQueue):
    """Each retry begins to count tokens anew, so the next worker gets the token of the last one."""

    rules = _CountsTokensAnew


class _CountsTokensAnewAfterRedrive(Lifecycle):
    def leased(self, job: Job, now: int, worker_id: str, lease_millis: int) -> Changes:
        changes = super().leased(job, now, worker_id, lease_millis)
        if job.attempts == 0:
            changes["generation"] = 1  # a new set of attempts, a new set of tokens
        return changes


class CountsTokensAnewAfterRedrive(FlawedQueue):
    """A redrive begins to count tokens anew, together with the attempts."""

    rules = _CountsTokensAnewAfterRedrive
