"""What happened in a queue: counted, and built into events where somebody listens."""

from collections import Counter
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any

from jobqueue.arguments import LONGEST_NAME
from jobqueue.errors import IllegalStateError, StaleTokenError
from jobqueue.events import EventDispatcher, EventKind
from jobqueue.model import CANCELLED, DEAD, PENDING, RUNNING, SUCCEEDED, Job, JobStatus, Outcome
from jobqueue.tokens import token_generation
from jobqueue.views import Attempt


class Recorder:
    """The counts of one queue object, and the events on their way to its dispatcher.

    Args:
        dispatcher: where the events go.
        find: finds a job by its id.
        attempt_of: finds the record of one hand-out of a job, by its generation.
    """

    def __init__(
        self,
        dispatcher: EventDispatcher,
        find: Callable[[str], Job | None],
        attempt_of: Callable[[Job, int], Attempt],
    ) -> None:
        self.dispatcher = dispatcher
        self.counts = Counter[str]()
        self._find, self._attempt_of = find, attempt_of

    def post(  # noqa: PLR0917 - what happened, to which job, when
        self,
        job: Job,
        before: JobStatus | None,
        kinds: tuple[EventKind, ...],
        at: int,
        details: Callable[[], Mapping[str, Any]],
        token: str | None = None,
    ) -> None:
        """Build the events of one change; a report is about the attempt that its token was made for."""
        # Else only a change from or to RUNNING is about one: a deadline missed in waiting is nobody's doing.
        is_about_attempt = token is not None or RUNNING in {before, job.status}
        worker_id = job.worker_id if is_about_attempt else None
        attempt = job.attempts + (is_about_attempt and job.outcome is Outcome.RELEASED)
        generation = job.generation
        more = dict(details())
        if token is not None and (made_for := token_generation(job, token)) not in {0, generation}:
            of_token, generation, more["token"] = self._attempt_of(job, made_for), made_for, token
            worker_id, attempt = of_token.worker_id, of_token.attempt
        for kind in kinds:
            detail = {**detail_of(kind, job), **more}
            self.dispatcher.post(at, kind, job.id, worker_id, attempt, generation, detail)

    def dropped(self, job: Job, at: int) -> None:
        """Record that a job was forgotten."""
        if self.dispatcher.listening:
            self.dispatcher.post(at, EventKind.DROPPED, job.id, None, job.attempts, job.generation, {})

    def paused(self, type_: str, at: int, kind: EventKind) -> None:
        """Record that a type was paused or resumed."""
        if self.dispatcher.listening:
            self.dispatcher.post(at, kind, None, None, 0, 0, {"type": type_})

    def refused(self, refusal: Exception, at: int) -> None:
        """Record who was refused what; the attempt is the one that the token was made for, if any."""
        self.counts["refused_tokens"] += isinstance(refusal, StaleTokenError)
        if not self.dispatcher.listening:
            return
        job = self._find(getattr(refusal, "job_id", ""))
        worker_id, attempt, generation = None, 0, 0
        detail = _refusal_detail(refusal, job)
        if job is not None and isinstance(refusal, StaleTokenError):
            generation = token_generation(job, refusal.token)
        if job is not None and generation:
            asked = self._attempt_of(job, generation)
            worker_id, attempt = asked.worker_id, asked.attempt
            detail["ended_at"] = asked.ended_at
        job_id = None if job is None else job.id
        self.dispatcher.post(at, EventKind.REFUSED, job_id, worker_id, attempt, generation, detail)


_ENDINGS = {
    Outcome.FAILED: EventKind.FAILED,
    Outcome.EXPIRED: EventKind.LEASE_EXPIRED,
    Outcome.RELEASED: EventKind.RELEASED,
}


def kinds_of(before: JobStatus, after: Job) -> tuple[EventKind, ...]:
    """Return what a change of a job is called, given its status before and the job as it is now.

    A failed attempt is recorded as two events: how the attempt ended, then what became of the job.
    """
    change = before, after.status
    if change == (RUNNING, PENDING) and after.outcome is Outcome.RELEASED:
        return (EventKind.RELEASED,)
    if change in {(RUNNING, PENDING), (RUNNING, DEAD)}:
        became = EventKind.RETRY_SCHEDULED if after.status is PENDING else EventKind.DEAD_LETTERED
        assert after.outcome is not None, "an attempt that ended has an outcome"  # noqa: S101
        return _ENDINGS[after.outcome], became
    return (_KINDS[change],)


_KINDS = {
    (PENDING, RUNNING): EventKind.LEASED,
    (RUNNING, RUNNING): EventKind.RENEWED,
    (RUNNING, SUCCEEDED): EventKind.COMPLETED,
    (PENDING, DEAD): EventKind.DEAD_LETTERED,
    (PENDING, CANCELLED): EventKind.CANCELLED,
    (DEAD, PENDING): EventKind.REDRIVEN,
}


def detail_of(kind: EventKind, job: Job) -> dict[str, Any]:  # noqa: PLR0911 - one return per kind
    """Return what an event tells beside who and when; a submit tells its arguments, which the job has lost."""
    match kind:
        case EventKind.LEASED:
            return {"token": job.token, "lease_until": job.lease_until}
        case EventKind.RENEWED:
            return {"token": job.token, "lease_until": job.lease_until, "checkpoint": job.checkpoint}
        case EventKind.COMPLETED:
            hashed = None if job.result is None else sha256(job.result.encode()).hexdigest()
            return {"token": job.token, "result": job.result, "result_sha256": hashed}
        case EventKind.FAILED | EventKind.LEASE_EXPIRED:
            return {"token": job.token, "error": job.last_error}
        case EventKind.RELEASED:
            return {"token": job.token}
        case EventKind.RETRY_SCHEDULED:
            return {"run_at": job.run_at}
        case EventKind.DEAD_LETTERED:
            return {"reason": job.dead_reason}
        case EventKind.REDRIVEN:
            return {"era": job.era, "run_at": job.run_at, "deadline": job.deadline}
        case _:
            return {}


def _refusal_detail(refusal: Exception, job: Job | None) -> dict[str, Any]:
    """Return what a refused call asked for and what stood against it."""
    found: dict[str, Any] = {"operation": "submit", "status": None, "token": None}
    found |= {"reason": "wrong_state", "message": str(refusal)}
    if isinstance(refusal, IllegalStateError):
        found |= {"operation": refusal.operation, "status": str(refusal.status)}
    else:
        found |= {"reason": "admission", "retry_after_millis": getattr(refusal, "retry_after_millis", 0)}
    if job is not None and job.status is RUNNING:
        found |= {"holder": job.worker_id, "held_token": job.token, "lease_until": job.lease_until}
    if isinstance(refusal, StaleTokenError):
        found |= {"token": refusal.token[:LONGEST_NAME], "reason": refusal.reason}
    return found
