"""What a learner's queue does, told as the events that the board draws. It listens to calls and replies.

Nobody asks the answer how it works: an expiry, a retry, a death is told when it shows, in the state of a job
or in a hand-out, and with the instants that the answer shows; where it shows none, with those it has promised.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from exercises.playback.interfaces import AT_ONCE
from jobqueue import RetryPolicy
from jobqueue.arguments import LARGEST_INTEGER
from jobqueue.events import Event, EventKind
from jobqueue.lifecycle import ATTEMPTS_EXHAUSTED, DEADLINE, PERMANENT

EXPIRED = "lease expired"


def instant(value: object, otherwise: int) -> int:
    """Return a number that an answer gave, if it is one that a queue may have; else the other one."""
    return value if type(value) is int and 0 <= value <= LARGEST_INTEGER else otherwise


@dataclass(slots=True)
class _Held:
    """One job: its latest hand-out, which `is_open` until its end was told.

    `attempt` is what the answer says, `count` what was counted. `failed_at` is there while the attempt has
    failed and nothing has shown what became of the job.
    """

    generation: int = 0
    attempt: int = 0
    count: int = 0
    failed_at: int | None = None
    worker: str = ""
    token: str = ""
    until: int = 0
    is_open: bool = False


class EventWriter:
    """Turns calls into events, in the order of the calls.

    Args:
        tell: gets each event.
        policy: what the queue has promised of retries.
        leases_end: whether it has promised that time ends leases.
    """

    def __init__(
        self, tell: Callable[[Event], object], policy: RetryPolicy = AT_ONCE, *, leases_end: bool = True
    ) -> None:
        self._tell = tell
        self._policy = policy
        self._leases_end = leases_end
        self._seq = 0
        self._jobs: dict[str, _Held] = {}
        self._owners: dict[tuple[str, str], _Held] = {}

    def submitted(self, at: int, job_id: str, type_: str, payload: str, **more: int | None) -> None:
        """A job came in; `more` is what the event says beside the usual."""
        self._jobs[job_id] = _Held()
        detail = {"type": type_, "payload": payload, "priority": 0, "run_at_millis": None, "tenant": "default"}
        self._post(
            at, EventKind.SUBMITTED, job_id, None, {**detail, "cost": 1, "deadline_millis": None, **more}
        )

    def leased(self, at: int, job_id: str, worker: str, token: str, *, until: int, attempt: int) -> int:
        """A poll handed a job out; return the how-manieth hand-out of the job it is."""
        job = self._jobs.setdefault(job_id, _Held())
        if job.is_open and at >= job.until and self._leases_end:
            self._expired(job_id, job, job.until)  # nobody has shown it, but it must have been noticed
        if job.failed_at is not None:
            self._retried(job_id, job, min(self._promised(job), at))
        held = _Held(job.generation + 1, attempt, job.count + 1, None, worker, token, until, is_open=True)
        self._jobs[job_id] = held
        self._owners.setdefault((job_id, token), held)
        self._post(at, EventKind.LEASED, job_id, held, {"token": token, "lease_until": until, "types": None})
        return held.generation

    def completed(self, at: int, job_id: str, token: str) -> None:
        """A report of success was accepted."""
        self._end(job_id)
        detail = {"token": token, "result": None, "result_sha256": None}
        self._post(at, EventKind.COMPLETED, job_id, self._owner(job_id, token), detail)

    def failed(self, at: int, job_id: str, token: str, error: str) -> None:
        """A report of failure was accepted."""
        self._end(job_id)
        owner = self._owner(job_id, token)
        self._post(at, EventKind.FAILED, job_id, owner, {"token": token, "error": error})
        if (job := self._jobs.get(job_id)) is not None:
            self._has_failed(job_id, job, at)

    def renewed(self, at: int, job_id: str, token: str, *, until: int) -> None:
        """A lease was given a new end."""
        owner = self._owner(job_id, token)
        self._post(at, EventKind.RENEWED, job_id, owner, {"token": token, "lease_until": until})
        if (job := self._jobs.get(job_id)) is not None:
            job.until, job.is_open, job.failed_at = until, True, None

    def redriven(self, at: int, job_id: str, run_at: int) -> None:
        """A dead job was brought back."""
        job = self._jobs.get(job_id)
        if job is None:
            return
        if job.failed_at is not None:  # nobody has looked; it must have died
            self._buried(job_id, job, None)
        job.count = 0
        self._post(at, EventKind.REDRIVEN, job_id, None, {"run_at": run_at})

    def cancelled(self, at: int, job_id: str) -> None:
        """A job was taken back."""
        self._post(at, EventKind.CANCELLED, job_id, None, {})

    def refused(self, at: int, operation: str, job_id: str, token: str | None, message: str) -> None:
        """A report was refused, or with no token something that the job's state does not allow."""
        job, owner = self._jobs.get(job_id, _Held()), self._owner(job_id, token)
        said = message if token is not None else f"refused: {message}"
        detail: dict[str, Any] = {"operation": operation, "token": token, "message": said}
        detail |= {"status": "RUNNING" if job.is_open else "not RUNNING", "reason": "wrong_state"}
        if job.is_open and token not in {None, job.token}:
            detail |= {"holder": job.worker, "held_token": job.token, "lease_until": job.until}
        self._post(at, EventKind.REFUSED, job_id, owner, detail)

    def seen(self, at: int, job_id: str, status: str, shown: Mapping[str, Any]) -> None:
        """Somebody looked at a job: if it is RUNNING no more and nobody has reported, its lease is over.

        Args:
            at: when.
            job_id: which.
            status: its state.
            shown: all that was shown of it.
        """
        job = self._jobs.get(job_id)
        if job is None:
            return
        if job.is_open and status != "RUNNING":
            ended = min(job.until, at)
            dated = instant(shown.get("failed_at"), ended) if status == "DEAD" else ended
            self._expired(job_id, job, dated if dated <= at else ended)
        if job.failed_at is not None and status == "PENDING":
            run_at = shown.get("run_at", shown.get("next_run_at"))
            self._retried(job_id, job, instant(run_at, self._promised(job)))
        elif job.failed_at is not None and status == "DEAD":
            self._buried(job_id, job, shown.get("dead_reason", ATTEMPTS_EXHAUSTED))

    def holder(self, job_id: str) -> tuple[str, int] | None:
        """Return who has a job and until when; None if nobody has."""
        job = self._jobs.get(job_id)
        return (job.worker, job.until) if job is not None and job.is_open else None

    def generation(self, job_id: str) -> int:
        """Return how often a job was handed out."""
        return self._jobs[job_id].generation if job_id in self._jobs else 0

    def waits(self, job_id: str) -> bool:
        """Return whether a job has failed and nothing has shown what became of it."""
        return job_id in self._jobs and self._jobs[job_id].failed_at is not None

    def _expired(self, job_id: str, job: _Held, at: int) -> None:
        job.is_open = False
        self._post(at, EventKind.LEASE_EXPIRED, job_id, job, {"token": job.token, "error": EXPIRED})
        self._has_failed(job_id, job, at)

    def _has_failed(self, job_id: str, job: _Held, at: int) -> None:
        job.failed_at = at
        if self._policy == AT_ONCE:
            self._retried(job_id, job, at)  # there is nothing else that could become of it

    def _retried(self, job_id: str, job: _Held, run_at: int) -> None:
        at, job.failed_at = job.failed_at or 0, None
        self._post(at, EventKind.RETRY_SCHEDULED, job_id, job, {"run_at": run_at})

    def _buried(self, job_id: str, job: _Held, reason: object) -> None:
        """Tell a death. Without a good reason it is one for which no number of attempts can be wrong."""
        known = str(reason) if reason in (PERMANENT, ATTEMPTS_EXHAUSTED, DEADLINE) else PERMANENT
        at, job.failed_at = job.failed_at or 0, None
        self._post(at, EventKind.DEAD_LETTERED, job_id, job, {"reason": known})

    def _promised(self, job: _Held) -> int:
        """Return when a failed job may run again, as the queue has promised."""
        return (job.failed_at or 0) + self._policy.backoff_millis(max(1, job.count))

    def _end(self, job_id: str) -> None:
        if job_id in self._jobs:
            self._jobs[job_id].is_open, self._jobs[job_id].failed_at = False, None

    def _owner(self, job_id: str, token: str | None) -> _Held | None:
        return self._owners.get((job_id, token)) if token is not None else None

    def _post(self, at: int, kind: EventKind, job_id: str, held: _Held | None, detail: dict[str, Any]) -> None:
        self._seq += 1
        worker, attempt, generation = (held.worker, held.attempt, held.generation) if held else (None, 0, 0)
        self._tell(Event(self._seq, at, kind, job_id, worker, attempt, generation, detail))
