"""A learner's queue in a story of the board: simulated workers poll it, through the grader's pipe.

The clock over there follows the one here. Whatever goes wrong over there ends the story with a plain sentence.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from exercises.grader.judging.case import Asks, problem_of, source_line
from exercises.grader.judging.syntax import lines_of
from exercises.grader.running.wire import Record, unpack
from exercises.playback.events import EventWriter
from exercises.playback.interfaces import Interface
from jobqueue import IllegalStateError, JobStatus, JobView, Lease, ManualClock, RetryPolicy, StaleTokenError
from jobqueue.arguments import LARGEST_INTEGER
from jobqueue.events import Event

_STATES = tuple(str(status) for status in JobStatus)


class AnswerEndedError(Exception):
    """The answer cannot go on; the message says why, for its author."""


@dataclass(slots=True)
class AnswerQueue:
    """The operations that a simulated worker and a board need, each asked of the answer.

    Args:
        ask: sends one command to the answer's process.
        clock: the story's clock.
        interface: the names that the exercise uses.
        source: the answer's text, to quote the line that went wrong.
        policy: what the queue is to promise of retries.
    """

    ask: Asks
    clock: ManualClock
    interface: Interface
    source: str
    policy: RetryPolicy
    writer: EventWriter = field(init=False)
    _listeners: list[Callable[[Event], object]] = field(default_factory=list)
    _now: int = 0
    _submitted: int = 0
    _views: dict[str, JobView] = field(default_factory=dict)
    _types: dict[str, str] = field(default_factory=dict)
    _payloads: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Make the clock and the queue over there."""
        self.writer = EventWriter(self._tell, self.policy, leases_end=self.interface.leases_end)
        self._command(
            {"do": "make", "name": "ManualClock", "handle": "clock", "args": [], "from_library": True}
        )
        args = [{"handle": "clock"}, *self.interface.args(self.policy)]
        make = {
            "do": "make",
            "name": self.interface.kind,
            "handle": "queue",
            "args": args,
            "from_library": False,
        }
        self._command(make)

    def subscribe(self, listener: Callable[[Event], object]) -> Callable[[], None]:
        """Hand every event to a listener."""
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    # -- what workers and producers call -----------------------------------------------------------------

    def submit(
        self, type_: str, payload: str = "", priority: int = 0, run_at: int | None = None, **_: Any
    ) -> str:
        """Submit a job, with as much of what is said about it as the exercise knows."""
        told = {"priority": priority, "run_at_millis": run_at}
        more = (
            {name: told.get(name) for name in self.interface.submits} if priority or run_at is not None else {}
        )
        job_id = self._call("submit", type_, payload, *more.values())
        if not isinstance(job_id, str) or job_id != f"J{self._submitted + 1}":
            raise AnswerEndedError(f"submit returned {job_id!r}, and the job should be J{self._submitted + 1}.")
        self._submitted += 1
        self._types[job_id], self._payloads[job_id] = type_, payload
        self.writer.submitted(self.clock.now(), job_id, type_, payload, **more)
        return job_id

    def poll(self, worker_id: str, lease_millis: int) -> Lease | None:
        """Ask for a job."""
        got = self._call("poll", worker_id, lease_millis)
        if got is None:
            return None
        job_id, token = _text(got, "job_id"), _text(got, "token")
        until, attempt = _number(got, "lease_until"), _number(got, "attempt")
        if job_id not in self._types:
            raise AnswerEndedError(f"poll handed out {job_id}, and no such job was submitted.")
        now = self.clock.now()
        generation = self.writer.leased(now, job_id, worker_id, token, until=until, attempt=attempt)
        kind, payload = self._types[job_id], self._payloads[job_id]
        return Lease(job_id, token, kind, payload, attempt, until, generation, worker_id)

    def complete(self, job_id: str, token: str) -> None:
        """Report success."""
        self._report("complete", job_id, token)
        self.writer.completed(self.clock.now(), job_id, token)

    def fail(self, job_id: str, token: str, error: object = None) -> None:
        """Report failure."""
        self._report("fail", job_id, token, str(error))
        self.writer.failed(self.clock.now(), job_id, token, str(error))

    def renew(self, job_id: str, token: str, lease_millis: int) -> None:
        """Ask for more time; the answer returns the new end, or the lease that has it."""
        got = self._report("renew", job_id, token, lease_millis)
        lease = got if isinstance(got, Record) else Record("renewed lease", {"lease_until": got})
        until = _number(lease, "lease_until")
        self.writer.renewed(self.clock.now(), job_id, token, until=until)

    def redrive(self, job_id: str, *, actor: str, note: str) -> None:
        """Bring a dead job back; `actor` is not part of it."""
        del actor
        method, takes_note = self.interface.redrive
        self._change(method, job_id, *([note] if takes_note else []))
        self.writer.redriven(self.clock.now(), job_id, self.clock.now())

    def cancel(self, job_id: str) -> None:
        """Take a job back."""
        self._change("cancel", job_id)
        self.writer.cancelled(self.clock.now(), job_id)

    # -- what a world looks at ---------------------------------------------------------------------------

    def view(self, job_id: str) -> JobView:
        """Return a job as the answer shows it, with what its hand-outs told of who holds it."""
        self._follow_clock()
        if job_id not in self._views:
            seen = self._call("view", job_id)
            status = _text(seen, "status")
            if status not in _STATES:
                raise AnswerEndedError(
                    f"view shows {job_id} as {status!r}; the states are {', '.join(_STATES)}."
                )
            self.writer.seen(self.clock.now(), job_id, status, seen.fields)
            self._views[job_id] = self._view_of(job_id, JobStatus(status), seen)
        return self._views[job_id]

    def next_up(self, most: int) -> list[str]:
        """Return the jobs that wait and are due, in their order."""
        jobs = [self.view(f"J{number}") for number in range(1, self._submitted + 1)]
        now = self.clock.now()
        return [job.id for job in jobs if job.status is JobStatus.PENDING and job.next_run_at <= now][:most]

    def sweep(self) -> int:
        """Do nothing: the answer has to notice by itself."""
        return 0

    # -- asking ------------------------------------------------------------------------------------------

    def _view_of(self, job_id: str, status: JobStatus, seen: Any) -> JobView:
        name = next((name for name in ("run_at", "next_run_at") if name in seen.fields), None)
        run_at = _number(seen, name) if name and status is JobStatus.PENDING else self.clock.now()
        holder = self.writer.holder(job_id) if status is JobStatus.RUNNING else None
        worker, until = holder or (None, None)
        return JobView(
            job_id,
            self._types[job_id],
            0,
            status,
            _number(seen, "attempts"),
            run_at,
            None,
            worker_id=worker,
            lease_until=until,
            generation=self.writer.generation(job_id),
        )

    def _report(self, method: str, job_id: str, token: str, *more: str | int) -> Any:
        reply = self._reply(method, job_id, token, *more)
        if reply["kind"] == "raised" and self.interface.error in reply["ancestors"]:
            self.writer.refused(self.clock.now(), method, job_id, token, reply["message"])
            raise StaleTokenError(reply["message"] or "refused", job_id=job_id, operation=method, token=token)
        return self._value(reply)

    def _change(self, method: str, job_id: str, *more: str) -> None:
        reply = self._reply(method, job_id, *more)
        if reply["kind"] == "raised" and self.interface.state_error in reply["ancestors"]:
            self.writer.refused(self.clock.now(), method, job_id, None, reply["message"])
            raise IllegalStateError(reply["message"] or "refused", job_id=job_id, operation=method)
        self._value(reply)

    def _call(self, method: str, *args: Any) -> Any:
        return self._value(self._reply(method, *args))

    def _reply(self, method: str, *args: Any) -> dict[str, Any]:
        self._follow_clock()
        if method != "view":
            self._views.clear()
        command = {"do": "call", "handle": "queue", "method": method, "args": list(args), "options": {}}
        return self.ask(command)

    def _follow_clock(self) -> None:
        now = self.clock.now()
        if now != self._now:
            self._now = now
            self._views.clear()
            command = {"do": "call", "handle": "clock", "method": "advance_to", "args": [now], "options": {}}
            self._command(command)

    def _command(self, command: dict[str, Any]) -> None:
        self._value(self.ask(command))

    def _value(self, reply: dict[str, Any]) -> Any:
        """Return what was returned; anything else ends the story."""
        if reply["kind"] == "value":
            return unpack(reply["value"])
        line = source_line(reply.get("line"), lines_of(self.source))
        problem = problem_of(reply, line)
        where = f" Line {line.number}: {line.text}" if line else ""
        if problem is not None:
            raise AnswerEndedError(problem.reason + where)
        raise AnswerEndedError(f"Your code raised {reply['error']}: {reply['message']}.{where}")

    def _tell(self, event: Event) -> None:
        for listener in self._listeners:
            listener(event)


def _text(record: Any, name: str) -> str:
    value = record.fields.get(name) if isinstance(record, Record) else None
    if not isinstance(value, str) or not value:
        raise AnswerEndedError(f"A record with a text {name!r} was expected, and {record} came.")
    return value


def _number(record: Any, name: str) -> int:
    value = record.fields.get(name) if isinstance(record, Record) else None
    if type(value) is not int:
        raise AnswerEndedError(f"A record with a whole number {name!r} was expected, and {record} came.")
    if not 0 <= value <= LARGEST_INTEGER:
        raise AnswerEndedError(f"{name!r} is a number that no queue has: less than 0, or more than 2**53.")
    return value
