"""What a learner's queue does, told as the events that the board draws. It listens to calls and replies.

Nobody asks the answer how it works: an expiry is told when it shows, in the state of a job or in a hand-out.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from jobqueue.events import Event, EventKind

EXPIRED = "lease expired"


@dataclass(slots=True)
class _Held:
    """One job: its latest hand-out, which `is_open` until its end was told."""

    generation: int = 0
    attempt: int = 0
    worker: str = ""
    token: str = ""
    until: int = 0
    is_open: bool = False


class Teller:
    """Turns calls into events, in the order of the calls.

    Args:
        tell: gets each event.
    """

    def __init__(self, tell: Callable[[Event], object]) -> None:
        self._tell = tell
        self._seq = 0
        self._jobs: dict[str, _Held] = {}
        self._owners: dict[tuple[str, str], _Held] = {}

    def submitted(self, at: int, job_id: str, type_: str, payload: str) -> None:
        """A job came in."""
        self._jobs[job_id] = _Held()
        detail = {"type": type_, "payload": payload, "priority": 0, "run_at_millis": None, "tenant": "default"}
        self._post(at, EventKind.SUBMITTED, job_id, None, {**detail, "cost": 1, "deadline_millis": None})

    def leased(self, at: int, job_id: str, worker: str, token: str, *, until: int, attempt: int) -> int:
        """A poll handed a job out; return the how-manieth hand-out of the job it is."""
        job = self._jobs.setdefault(job_id, _Held())
        if job.is_open and at >= job.until:
            self._expired(job_id, job, job.until)  # nobody has shown it, but it must have been noticed
        held = _Held(job.generation + 1, attempt, worker, token, until, is_open=True)
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
        self._post(at, EventKind.RETRY_SCHEDULED, job_id, owner, {"run_at": at})

    def refused(self, at: int, operation: str, job_id: str, token: str, message: str) -> None:
        """A report was refused."""
        job, owner = self._jobs.get(job_id, _Held()), self._owner(job_id, token)
        detail: dict[str, Any] = {"operation": operation, "token": token, "message": message}
        detail |= {"status": "RUNNING" if job.is_open else "not RUNNING", "reason": "wrong_state"}
        if job.is_open and job.token != token:
            detail |= {"holder": job.worker, "held_token": job.token, "lease_until": job.until}
        self._post(at, EventKind.REFUSED, job_id, owner, detail)

    def seen(self, at: int, job_id: str, status: str) -> None:
        """Somebody looked at a job: if it is RUNNING no more and nobody has reported, its lease is over."""
        job = self._jobs.get(job_id)
        if job is not None and job.is_open and status != "RUNNING":
            self._expired(job_id, job, min(job.until, at))

    def holder(self, job_id: str) -> tuple[str, int] | None:
        """Return who has a job and until when; None if nobody has."""
        job = self._jobs.get(job_id)
        return (job.worker, job.until) if job is not None and job.is_open else None

    def _expired(self, job_id: str, job: _Held, at: int) -> None:
        job.is_open = False
        self._post(at, EventKind.LEASE_EXPIRED, job_id, job, {"token": job.token, "error": EXPIRED})
        self._post(at, EventKind.RETRY_SCHEDULED, job_id, job, {"run_at": at})

    def _end(self, job_id: str) -> None:
        if job_id in self._jobs:
            self._jobs[job_id].is_open = False

    def _owner(self, job_id: str, token: str) -> _Held | None:
        return self._owners.get((job_id, token))

    def _post(self, at: int, kind: EventKind, job_id: str, held: _Held | None, detail: dict[str, Any]) -> None:
        self._seq += 1
        worker, attempt, generation = (held.worker, held.attempt, held.generation) if held else (None, 0, 0)
        self._tell(Event(self._seq, at, kind, job_id, worker, attempt, generation, detail))
