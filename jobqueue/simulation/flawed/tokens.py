"""Mistakes about tokens: whose report is believed, and how new a new token is."""

from collections.abc import Callable, Mapping
from typing import Any

from jobqueue import lifecycle, replay
from jobqueue.events import EventKind
from jobqueue.lifecycle import DEAD, PENDING, RUNNING, SUCCEEDED
from jobqueue.model import Job, Outcome
from jobqueue.queue import JobQueue
from jobqueue.simulation.flawed.in_memory import InMemory

Told = Callable[[], Mapping[str, Any]]


class _Credulous(JobQueue):
    """Believes a report that the right queue refuses, and tells it under the name of whoever made it."""

    def _post(
        self, kind: EventKind, at: int, before: Job | None, after: Job, detail: Mapping[str, Any]
    ) -> None:
        shown = lifecycle.token_generation(after, str(detail.get("token")))
        if kind is not EventKind.COMPLETED or shown in {0, after.generation}:
            super()._post(kind, at, before, after, detail)
            return
        made_by = self._table.attempt(after, shown)
        self._outbox.post(at, kind, after.id, made_by.worker_id, made_by.attempt, shown, detail)


class BelievesAnybody(_Credulous):
    """A report is believed for the job's id alone."""

    def complete(self, job_id: str, token: str, result: str | None = None) -> None:
        """Report success."""
        with self._turn() as now:
            job = self._find(job_id)
            done = lifecycle.completed(job._replace(status=RUNNING), now, result)
            if job.status is RUNNING:
                self._commit(job, done, now, lambda: {"token": token})
                return
            if job.status is not SUCCEEDED:
                self._table.put(done, now)
            detail = {**replay.detail(EventKind.COMPLETED, done), "token": token}
            self._post(EventKind.COMPLETED, now, job._replace(status=RUNNING), done, detail)


class BelievesWhileRunning(_Credulous):
    """A report is believed while the job is RUNNING, whoever runs it."""

    def complete(self, job_id: str, token: str, result: str | None = None) -> None:
        """Report success."""
        with self._turn() as now:
            job = self._find(job_id)
            if job.status is not RUNNING:
                lifecycle.check_token(job, token, "complete")
            self._commit(job, lifecycle.completed(job, now, result), now, lambda: {"token": token})


class CountsTokensAnew(InMemory):
    """Each retry begins to count tokens anew, so the next worker gets the token of the last one."""

    def _commit(self, before: Job | None, after: Job, at: int, told: Told = dict) -> Job:
        after = super()._commit(before, after, at, told)
        if after.status is PENDING and after.outcome in {Outcome.FAILED, Outcome.EXPIRED}:
            self._table._jobs[after.id] = after._replace(generation=0)  # noqa: SLF001 - behind the table's back
        return after


class CountsTokensAnewAfterRedrive(InMemory):
    """A redrive begins to count tokens anew, together with the attempts."""

    def _commit(self, before: Job | None, after: Job, at: int, told: Told = dict) -> Job:
        after = super()._commit(before, after, at, told)
        if before is not None and before.status is DEAD:
            self._table._jobs[after.id] = after._replace(generation=0)  # noqa: SLF001 - behind the table's back
        return after
