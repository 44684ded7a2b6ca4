"""Listens to the conversation of a check, and tells the commands and the answer's replies as events.

It asks the answer nothing: one question more could be the one that lets a lazy queue notice something.
"""

from dataclasses import replace
from typing import Any

from exercises.grader.judging.case import NO_REPLY, Case
from exercises.grader.running.wire import Record, unpack
from exercises.playback.events import EventWriter, instant
from exercises.playback.interfaces import AT_ONCE, Interface
from exercises.playback.recording import Recorder
from jobqueue import Event, RetryPolicy
from jobqueue.simulation.promises import Promises
from jobqueue.simulation.watch import Watch

UNSEEN = "failed, and not looked at since"
_REPORTS = ("complete", "fail", "renew")
_CHANGES = ("retry_dead", "redrive", "cancel")


class Listener:
    """Hears the commands of a check and the replies. Of several stories in a check, each has a recorder."""

    def __init__(self, interface: Interface) -> None:
        self._interface = interface
        self._recorders: list[tuple[Recorder, list[str]]] = []
        self._before = 0
        self._begin(0)

    @property
    def recorder(self) -> Recorder:
        """The telling that is shown."""
        return self._shown

    def heard(self, command: dict[str, Any], reply: dict[str, Any], case: Case) -> None:
        """Note one command and its reply."""
        steps = len(case.trace)
        if command["do"] == "make" and command["from_library"]:
            self._begin(steps)  # of several tellings each has a queue of its own
        elif command["do"] == "make" and command["name"] == self._interface.kind:
            self._promise(self._interface.policy(command["args"][1:]))
        elif command["do"] == "call" and steps > self._before + len(self._steps):
            self._steps.append(case.trace[-1].removesuffix(f" -> {NO_REPLY}"))
            if command["method"] == "advance_to":
                self._now = command["args"][0]
            else:
                self._told(command["method"], command["args"], reply)
            self._shown.frame(self._now, "", self._statuses)

    def settle(self, case: Case) -> None:
        """Choose the telling that the check has shown in the end, and give its frames their words."""
        fitting = [
            (len(steps), n) for n, (_, steps) in enumerate(self._recorders) if _ends_with(case.trace, steps)
        ]
        self._shown, steps = self._recorders[max(fitting)[1]] if fitting else self._recorders[-1]
        words = case.trace[len(case.trace) - len(steps) :] if fitting else ()
        self._shown.frames = [
            replace(frame, words=words[place] if place < len(words) else "")
            for place, frame in enumerate(self._shown.frames)
        ]

    def _begin(self, before: int) -> None:
        self._now, self._before = 0, before
        self._statuses: dict[str, str] = {}
        self._steps: list[str] = []
        self._shown = Recorder(Watch(Promises(policy=AT_ONCE)))
        self._recorders.append((self._shown, self._steps))
        self._writer = EventWriter(self._hear)

    def _promise(self, policy: RetryPolicy) -> None:
        leases_end = self._interface.leases_end
        self._shown.watch = Watch(Promises(policy=policy, leases_end=leases_end))
        self._writer = EventWriter(self._hear, policy, leases_end=leases_end)

    def _hear(self, event: Event) -> None:
        self._shown.add(event)
        self._shown.watch.see(event)

    def _told(self, method: str, args: list[Any], reply: dict[str, Any]) -> None:
        if reply["kind"] == "raised" and self._interface.error in reply["ancestors"] and method in _REPORTS:
            self._writer.refused(self._now, method, args[0], args[1], reply["message"])
        if (
            reply["kind"] == "raised"
            and self._interface.state_error in reply["ancestors"]
            and method in _CHANGES
        ):
            self._writer.refused(self._now, method, args[0], None, reply["message"])
        if reply["kind"] != "value":
            return
        got = unpack(reply["value"])
        match method:
            case "submit" if isinstance(got, str):
                more = dict(zip(self._interface.submits, args[2:], strict=False))
                self._writer.submitted(self._now, got, args[0], args[1] if len(args) > 1 else "", **more)
                self._statuses[got] = "PENDING"
            case "poll" if isinstance(got, Record):
                self._leased(args[0], got.fields)
            case "complete":
                self._writer.completed(self._now, args[0], args[1])
                self._statuses[args[0]] = "SUCCEEDED"
            case "fail":
                self._writer.failed(self._now, args[0], args[1], str(args[2]))
                self._statuses[args[0]] = UNSEEN if self._writer.waits(args[0]) else "PENDING"
            case "renew":
                self._renewed(args[0], args[1], got)
            case "retry_dead" | "redrive":
                self._redriven(args[0], self._now)
            case "cancel":
                self._writer.cancelled(self._now, args[0])
                self._statuses[args[0]] = "CANCELLED"
            case "redrive_many" if isinstance(got, list):
                self._redriven_many(got, args[2] if len(args) > 2 else 0)  # noqa: PLR2004
            case "view" if isinstance(got, Record):
                self._seen(args[0], got.fields)

    def _leased(self, worker: str, fields: dict[str, Any]) -> None:
        job_id, token = str(fields.get("job_id")), str(fields.get("token"))
        until, attempt = instant(fields.get("lease_until"), self._now), instant(fields.get("attempt"), 0)
        self._writer.leased(self._now, job_id, worker, token, until=until, attempt=attempt)
        self._statuses[job_id] = "RUNNING"

    def _renewed(self, job_id: str, token: str, got: Any) -> None:
        until = got.fields.get("lease_until") if isinstance(got, Record) else got
        self._writer.renewed(self._now, job_id, token, until=instant(until, self._now))
        self._statuses[job_id] = "RUNNING"

    def _redriven(self, job_id: str, run_at: int) -> None:
        self._writer.redriven(self._now, job_id, run_at)
        self._statuses[job_id] = "PENDING"

    def _redriven_many(self, rows: list[Any], spread: int) -> None:
        """Believe the rows; when each may run is what was asked for."""
        run_at = self._now
        for row in rows:
            match row:
                case [str(job_id), "done"] if job_id in self._statuses:
                    self._redriven(job_id, run_at)
                    run_at += spread

    def _seen(self, job_id: str, fields: dict[str, Any]) -> None:
        status = str(fields.get("status"))
        self._writer.seen(self._now, job_id, status, fields)
        self._statuses[job_id] = status
        # Only this one is known now; of the others, the last that was heard of them.
        self._shown.watch.glance(self._now, job_id, status)


def _ends_with(trace: tuple[str, ...], steps: list[str]) -> bool:
    """Return whether these steps are the last of a trace. In there they have their outcomes, and more words."""
    return len(steps) <= len(trace) and all(
        step in line for step, line in zip(steps, trace[len(trace) - len(steps) :], strict=True)
    )
