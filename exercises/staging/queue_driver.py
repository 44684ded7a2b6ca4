"""Drives a queue of the answer: workers, a clock, and words for what happens.

A story says `poll A 10_000 -> J1`; the trace then reads "t=0.0 s  A polls, lease 10 s -> J1, token J1:1".
Knows all methods that the exercises' queues have, but no exercise.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from exercises.grader import Case
from exercises.grader.judging.case import Broken
from exercises.grader.judging.records import How
from exercises.grader.running.wire import Record
from exercises.staging.driver import Driver, field_words, seconds
from exercises.staging.queue_words import (
    attempt_of,
    attempts_in_words,
    in_words,
    lease_words,
    like,
    quoted,
    several,
    until_in_words,
)

# The ways in which a check of a queue can fail, beside those that every exercise knows.
GETS_A_JOB = "gets a job"
GETS_NOTHING = "gets nothing"
TOKEN_AGAIN = "token again"  # noqa: S105  a way to fail
TOKEN_AGAIN_FOR_ONE_WORKER = "token again for one worker"  # noqa: S105  a way to fail
TOO_LATE = "too late"  # what is reported by those whom nobody should hear
A_NEW_END = "a new end"  # a renewal that must be refused tells one
DEAD_ALREADY = "dead"  # where the job has attempts left

MADE_UP = "please"  # the token of somebody to whom no job was handed out
ACCEPTED: dict[str, Any] = {"expected": "accepted", "tell": lambda _: "accepted"}
ATTEMPT = ("attempt", "generation", "outcome", "error")


@dataclass(frozen=True, slots=True)
class Hold:
    """What a worker has in hand after a poll."""

    job_id: str
    token: str
    worker_id: str
    record: Any = None


class QueueDriver(Driver):
    """One queue of the answer. A call that must be refused gives "refused" and the status, which stays.

    A hold is named after its worker, or as the poll says.
    """

    def __init__(self, case: Case, kind: str, error: str, *args: Any, clock: bool = True, **how: Any) -> None:
        """Create the queue `kind`, whose refusals of reports raise the error of the name `error`."""
        super().__init__(case, kind, *args, clock=clock, **how)
        self._error = error
        self.lease_millis = 10_000 if clock else None  # where there is no clock, leases have no length
        self.holds = {"somebody": Hold("J1", MADE_UP, "somebody")}
        self._submitted: dict[str, dict[str, str]] = {}  # what a lease must say of its job

    # -- the life of a job ---------------------------------------------------------------------------------

    def submit(self, type: str = "mail", payload: str = "", *, gives: Any, **more: Any) -> None:
        """Submit a job, or one after the other; the queue must call them so."""
        until = more.get("deadline")
        words = f"submit {type}" + (f", deadline {seconds(until)} s" if until is not None else "")
        for name in several(gives):
            wanted = f"the job is called {name}"
            got = self.call(words, "submit", type, payload, *more.values(), expected=wanted)
            self.case.same("job id", name, got)
            self._submitted[name] = {"type": type, "payload": payload}

    def poll(self, worker_id: str, lease: int = 0, /, *, gives: Any, hold: str = "", **fields: Any) -> Hold:
        """Let a worker poll, or poll again and again; it must get the job `gives`, or nothing.

        The lease must have these fields. Its length is 10 s if nothing is said of it.
        """
        for name in several(gives):
            held = self._poll(worker_id, lease or self.lease_millis, name)
            if name is not None:
                self.holds[hold or worker_id] = held
                self.has(held.record, {**fields, **self._submitted.get(name, {}), "worker_id": worker_id})
        return held

    def _poll(self, worker_id: str, lease_millis: int | None, gives: str | None) -> Hold:
        wanted = f"{worker_id} gets {gives or 'nothing'}"
        got = self.poll_whatever(worker_id, lease_millis, wanted)
        if gives is None:
            if got is not None:
                self.case.broken(wanted, f"{worker_id} gets {lease_words(got)}", GETS_A_JOB)
            return Hold("", "", worker_id)
        if got is None:
            self.case.broken(wanted, f"{worker_id} gets nothing (None)", GETS_NOTHING)
        self._is_job(gives, self.case.field(got, "job_id"))
        token = self.case.field(got, "token")
        if not isinstance(token, str) or not token:
            self.case.broken("a token that is text", f"token {token!r}", f"{How.WRONG} token")
        return Hold(gives, token, worker_id, got)

    def poll_whatever(self, worker_id: str, lease_millis: int | None, expected: str = "an answer") -> Any:
        """Let a worker poll, whatever comes of it."""
        length = "" if lease_millis is None else f", lease {lease_millis / 1_000:g} s"
        args = (worker_id,) if lease_millis is None else (worker_id, lease_millis)
        return self.call(f"{worker_id} polls{length}", "poll", *args, expected=expected, tell=lease_words)

    def _is_job(self, wanted: str, got: Any) -> None:
        """Require that this is the job that was handed out."""
        self.case.same("job id", wanted, got)

    def lease(self, hold: str, **wanted: Any) -> None:
        """Compare fields of the lease that a poll gave."""
        self.has(self.find(hold).record, wanted)

    def differ(self, *holds: str | Hold) -> None:
        """Require that no token appears twice."""
        found = [self.find(one) for one in holds]
        for place, hold in enumerate(found):
            same = [other for other in found[:place] if other.token == hold.token]
            if same:
                one_worker = all(other.worker_id == hold.worker_id for other in same)
                how = TOKEN_AGAIN_FOR_ONE_WORKER if one_worker else TOKEN_AGAIN
                self.case.broken("a token that was never given before", f"token {hold.token!r} again", how)

    def complete(self, hold: str | Hold, job: str = "", by: str = "", *, gives: Any = "accepted") -> None:
        """Let the holder complete its job, or somebody else another one."""
        hold, job_id, words = self._report("completes", hold, job, by)
        if gives == "accepted":
            self.call(words, "complete", job_id, hold.token, **ACCEPTED)
        else:
            effect = self._effect(job_id, gives[1], "SUCCEEDED")
            self.refuses(words, "complete", job_id, hold.token, error=self._error, effect=effect)

    def forged(self, hold: str | Hold, *, parts: bool = True, gives: Any) -> None:
        """Let somebody complete a job with tokens that are only like the one of this hold, or are none.

        Without `parts` those are left out that begin or end as it does: a report that looks only at a part of
        a token has a story of its own.
        """
        hold = self.find(hold)
        for token in like(hold.token):
            if parts or (hold.token[:1] != token[:1] and hold.token[-1:] != token[-1:]) or not token:
                self.complete(Hold(hold.job_id, token, hold.worker_id), gives=gives)

    def fail(
        self, hold: str | Hold, error: str = TOO_LATE, *, job: str = "", gives: Any = "accepted", **more: bool
    ) -> None:
        """Let the holder report a failure, or somebody else."""
        hold, job_id, words = self._report("fails", hold, job)
        if gives == "accepted":
            words += f", error {error!r}" + (", permanent" if more.get("permanent") else "")
            self.call(words, "fail", job_id, hold.token, error, **ACCEPTED, **more)
            return
        look = self._effect(job_id, gives[1], "PENDING")

        def effect() -> How:
            heard = self.glance("view", job_id).get("last_error") == TOO_LATE
            return How.ACCEPTED if heard else look()

        self.refuses(words, "fail", job_id, hold.token, TOO_LATE, error=self._error, effect=effect)

    def renew(self, hold: str | Hold, lease_millis: int, *, job: str = "", gives: Any = "whatever") -> None:
        """Let the holder renew its lease, which must end at `gives` then; or somebody else."""
        hold, job_id, words = self._report("renews", hold, job)
        words += f", {lease_millis / 1_000:g} s"
        args = ("renew", job_id, hold.token, lease_millis)
        if isinstance(gives, int):
            got = self.call(words, *args, expected=f"leased until {seconds(gives)} s", tell=until_in_words)
            self.case.same("new end", gives, got)
        elif gives == "whatever":
            self.call(words, *args, expected="accepted", tell=repr)
        else:
            self._refuse_renewal(words, args, gives[1])

    def _refuse_renewal(self, words: str, args: tuple[Any, ...], stays: str) -> None:
        def effect() -> How:
            status = self.glance("view", args[1]).get("status")
            if status == stays:
                return How.NO_ERROR  # a lease that was made longer does not show in the view
            return How.ACCEPTED if status == "RUNNING" else How.CHANGED

        try:
            self.refuses(words, *args, error=self._error, effect=effect)
        except Broken as broken:
            if broken.how == How.NO_ERROR and "(it returned" in broken.got:
                broken.how = A_NEW_END
            raise

    def sweep(self, *, gives: int) -> None:
        """Sweep; so many leases must have ended."""
        got = self.call("sweep", "sweep", expected=f"{gives} leases ended", tell=repr)
        self.case.same("leases ended", gives, got)

    # -- looking -------------------------------------------------------------------------------------------

    def view(self, job_id: str, **wanted: Any) -> None:
        """Look at a job; each named field of the view must have this value."""
        expected = ", ".join(f"{name} {value!r}" for name, value in wanted.items())
        view = self.call(f"view {job_id}", "view", job_id, expected=expected, tell=field_words(*wanted))
        self.has(view, {**wanted, "id": job_id})

    def history(self, job_id: str, *, gives: Any) -> None:
        """Ask for the history: attempt, generation, outcome and error of each, as text with a / between."""
        attempts = [attempt_of(one) if isinstance(one, str) else one for one in several(gives)]
        expected = f"history of {len(attempts)} attempts"
        got = self.call(f"history {job_id}", "history", job_id, expected=expected, tell=attempts_in_words)
        self.case.same("number of attempts", len(attempts), len(got) if isinstance(got, list) else got)
        for number, (wanted, one) in enumerate(zip(attempts, got, strict=True), start=1):
            for name, value in zip(ATTEMPT, wanted, strict=True):
                which = "the last attempt" if number == len(attempts) else "an old attempt"
                self.case.same(f"{name} of {which}", value, self.case.field(one, name))

    def dead(self, *, gives: Any) -> None:
        """Ask for the dead letters."""
        wanted = list(several(gives))
        expected = f"dead letters {in_words(wanted)}"
        got = self.call("dead letters", "dead_letters", expected=expected, tell=in_words)
        self._same_in_order("dead letters", wanted, got)

    # -- what operators do -----------------------------------------------------------------------------------

    def retry_dead(self, job_id: str, *, gives: Any = "accepted") -> None:
        """Bring a dead job back. Where it is refused, its attempts stay, too."""
        self._redrive(f"retry_dead {job_id}", "retry_dead", job_id, gives=gives)

    def redrive(self, job_id: str, note: str, *, gives: Any = "accepted") -> None:
        """Bring a dead job back with a note."""
        told = f", note {note!r}" if gives == "accepted" else ""
        self._redrive(f"redrive {job_id}{told}", "redrive", job_id, note, gives=gives)

    def _redrive(self, words: str, method: str, job_id: str, *args: str, gives: Any) -> None:
        if gives == "accepted":
            self.call(words, method, job_id, *args, **ACCEPTED)
            return

        def effect() -> How:
            fields = self.glance("view", job_id)
            same = (fields.get("status"), fields.get("attempts")) == gives[1:]
            return How.SILENT if same else How.ACCEPTED

        self.refuses(words, method, job_id, *args, error="NotDeadError", effect=effect)

    def redrive_many(self, *job_ids: str, spread: int = 0, gives: Any) -> None:
        """Redrive some; these rows must come back, each an id and what became of it, with a : between."""
        wanted = [one.split(":") if isinstance(one, str) else list(one) for one in several(gives)]
        words = f"redrive_many {', '.join(job_ids)}, spread {seconds(spread)} s"
        args = ([*job_ids], "mended", *([spread] if spread else []))
        got = self.call(words, "redrive_many", *args, expected=f"rows {in_words(wanted)}", tell=in_words)
        self._same_in_order("rows", wanted, got)

    def notes(self, job_id: str, *, gives: Any) -> None:
        """Ask for the notes of a job."""
        wanted = list(several(gives))
        told = f"notes {quoted(wanted)}"
        got = self.call(f"notes {job_id}", "notes", job_id, expected=told, tell=quoted)
        self.same_list("notes", wanted, got, quoted)

    # -- how the parts work -----------------------------------------------------------------------------------

    def find(self, hold: str | Hold) -> Hold:
        """Return what somebody has in hand."""
        return self.holds[hold] if isinstance(hold, str) else hold

    def _report(self, verb: str, hold: str | Hold, job: str, by: str = "") -> tuple[Hold, str, str]:
        """Who reports on which job, and in words."""
        hold = self.find(hold)
        job_id = job or hold.job_id
        return hold, job_id, f"{by or hold.worker_id} {verb} {job_id} with token {hold.token}"

    def _effect(self, job_id: str, stays: str, becomes: str) -> Callable[[], How]:
        """Look what a call did that raised nothing. Only afterwards: a look before it could end a lease."""

        def look() -> How:
            status = self.glance("view", job_id).get("status")
            if status is None:
                return How.NO_ERROR
            if status == becomes != stays:
                return How.ACCEPTED
            # A lease that is over may still look RUNNING in a queue that notices late: that is no change.
            untouched = {stays, "RUNNING"} if stays == "PENDING" else {stays}
            return How.SILENT if status in untouched else How.CHANGED

        return look

    def _same_in_order(self, what: str, wanted: list[Any], got: Any) -> None:
        """Compare two lists, and note whether it is the order, or something is there that should not be."""
        if isinstance(got, list) and got != wanted:
            left = [one for one in got if one in wanted]
            told = f"{what} {in_words(wanted)}", f"{what} {in_words(got)}"
            if sorted(map(repr, got)) == sorted(map(repr, wanted)):
                self.case.broken(*told, f"{what} in another order")
            if len(got) > len(wanted) and left[: len(wanted)] == wanted:
                self.case.broken(*told, f"too many {what}")
        self.same_list(what, wanted, got, in_words)

    def same_list(self, what: str, wanted: list[Any], got: Any, tell: Callable[[Any], str]) -> None:
        """Compare two lists, and tell of both in words."""
        if not isinstance(got, list) or got != wanted:
            found = str(got) if isinstance(got, Record) else f"{what} {tell(got)}"
            how = How.MISSING if got is None else How.WRONG
            self.case.broken(f"{what} {tell(wanted)}", found, f"{how} {what}")
