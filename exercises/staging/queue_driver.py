"""The stage on which the checks of queue exercises play: workers, a clock, and words for what happens.

A check says `stage.polls("A", 10_000)`; the trace then reads "t=0.0 s  A polls, lease 10 s -> J1, token J1:1".
Knows the queue's method names, but no exercise.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from exercises.grader import Case
from exercises.grader.judging.case import Broken
from exercises.grader.judging.records import How
from exercises.grader.running.wire import Record

# The ways in which a check of a queue can fail, beside those that every exercise knows.
GETS_A_JOB = "gets a job"
GETS_NOTHING = "gets nothing"
TOKEN_AGAIN = "token again"  # noqa: S105  a way to fail
TOKEN_AGAIN_FOR_ONE_WORKER = "token again for one worker"  # noqa: S105  a way to fail
TOO_LATE = "too late"  # what is reported by those whom nobody should hear


_NAME = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Hold:
    """What a worker has in hand after a poll."""

    job_id: str
    token: str
    worker_id: str
    record: Any


def seconds(millis: int) -> str:
    """Write milliseconds as seconds, with at least one decimal.

    >>> seconds(30_000), seconds(9_999)
    ('30.0', '9.999')
    """
    text = f"{millis / 1_000:.3f}".rstrip("0")
    return text + "0" if text.endswith(".") else text


class QueueStage:
    """One queue of the answer, and a clock that only the check moves."""

    def __init__(self, case: Case, kind: str, error: str, *args: Any, begins: int = 0) -> None:
        """Create the queue `kind`, whose refusals raise the error of the name `error`.

        `args` are what it is created with, after the clock; `begins` is the instant that the clock shows first.
        """
        self._case = case
        self._error = error
        self._now = begins
        self._clock = case.make("ManualClock", *(begins,) if begins else (), library=True)
        self._queue = case.make(kind, self._clock, *args)

    @property
    def now(self) -> int:
        """The instant that the clock shows."""
        return self._now

    def at(self, instant: int) -> None:
        """Let time pass until `instant`. Nobody calls the queue meanwhile."""
        untouched = "only the check moves the clock"
        self._case.call("time passes", self._clock, "advance_to", instant, expected=untouched)
        self._now = instant
        self._case.replace_last(self._words("time passes"))

    def submits(self, type: str = "mail", payload: str = "", *, gives: str) -> None:
        """Submit one job; the queue must call it `gives`."""
        got = self._call(f"submit {type}", "submit", type, payload, expected=f"the job is called {gives}")
        self._case.same("job id", gives, got)

    def polls(self, worker_id: str, lease_millis: int, *, gives: str | None) -> Hold:
        """Let a worker poll; it must get the job `gives`, or nothing."""
        words = f"{worker_id} polls, lease {lease_millis / 1_000:g} s"
        return self._polled(words, (worker_id, lease_millis), gives)

    def _polled(self, words: str, args: tuple[Any, ...], gives: str | None) -> Hold:
        worker_id = args[0]
        wanted = f"{worker_id} gets {gives or 'nothing'}"
        got = self._call(words, "poll", *args, expected=wanted, tell=lease_words)
        if gives is None:
            if got is not None:
                self._case.broken(wanted, f"{worker_id} gets {lease_words(got)}", GETS_A_JOB)
            return Hold("", "", worker_id, None)
        if got is None:
            self._case.broken(wanted, f"{worker_id} gets nothing (None)", GETS_NOTHING)
        self._is_job(gives, self._case.field(got, "job_id"))
        token = self._case.field(got, "token")
        if not isinstance(token, str) or not token:
            self._case.broken("a token that is text", f"token {token!r}", f"{How.WRONG} token")
        return Hold(gives, token, worker_id, got)

    def _is_job(self, wanted: str, got: Any) -> None:
        """Require that this is the job that was handed out."""
        self._case.same("job id", wanted, got)

    def completes(self, hold: Hold) -> None:
        """Let the holder complete its job; the queue must accept."""
        words = f"{hold.worker_id} completes {hold.job_id} with token {hold.token}"
        self._call(words, "complete", hold.job_id, hold.token, expected="accepted", tell=lambda _: "accepted")

    def fails(self, hold: Hold, error: str) -> None:
        """Let the holder report a failure; the queue must accept."""
        words = f"{hold.worker_id} fails {hold.job_id} with token {hold.token}, error {error!r}"
        how: dict[str, Any] = {"expected": "accepted", "tell": lambda _: "accepted"}
        self._call(words, "fail", hold.job_id, hold.token, error, **how)

    def refuses_complete(self, job_id: str, token: str, by: str, *, stays: str) -> None:
        """Let somebody complete a job with a token that is not good for it; the queue must refuse.

        `stays` is the job's status, before and after.
        """
        words = self._words(f"{by} completes {job_id} with token {token}")
        how: dict[str, Any] = {"error": self._error, "effect": self._effect(job_id, stays, "SUCCEEDED")}
        self._case.refuses(words, self._queue, "complete", job_id, token, **how)

    def refuses_fail(self, job_id: str, token: str, by: str, *, stays: str) -> None:
        """Let somebody fail a job with a token that is not good for it; the queue must refuse."""
        words = self._words(f"{by} fails {job_id} with token {token}")
        look = self._effect(job_id, stays, "PENDING")

        def effect() -> How:
            seen = getattr(self._case.glance(self._queue, "view", job_id), "fields", {})
            return How.ACCEPTED if seen.get("last_error") == TOO_LATE else look()

        how: dict[str, Any] = {"error": self._error, "effect": effect}
        self._case.refuses(words, self._queue, "fail", job_id, token, TOO_LATE, **how)

    def shows(self, job_id: str, **wanted: object) -> None:
        """Look at a job; each named field of the view must have this value."""
        expected = ", ".join(f"{name} {value!r}" for name, value in wanted.items())
        view = self._call(f"view {job_id}", "view", job_id, expected=expected, tell=_view_words(wanted))
        for name, value in wanted.items():
            self._case.same(name, value, self._case.field(view, name))

    def lease_has(self, hold: Hold, **wanted: object) -> None:
        """Compare fields of the lease that a poll gave."""
        for name, value in wanted.items():
            self._case.same(name, value, self._case.field(hold.record, name))

    def tokens_differ(self, *holds: Hold) -> None:
        """Require that no token appears twice."""
        for place, hold in enumerate(holds):
            same = [other for other in holds[:place] if other.token == hold.token]
            if same:
                one_worker = all(other.worker_id == hold.worker_id for other in same)
                how = TOKEN_AGAIN_FOR_ONE_WORKER if one_worker else TOKEN_AGAIN
                self._case.broken("a token that was never given before", f"token {hold.token!r} again", how)

    def _effect(self, job_id: str, stays: str, becomes: str) -> Callable[[], How]:
        """Look what a call did that raised nothing. Only afterwards: a look before it could end a lease."""

        def look() -> How:
            status = getattr(self._case.glance(self._queue, "view", job_id), "fields", {}).get("status")
            if status is None:
                return How.NO_ERROR
            if status == becomes != stays:
                return How.ACCEPTED
            # A lease that is over may still look RUNNING in a queue that notices late: that is no change.
            untouched = {stays, "RUNNING"} if stays == "PENDING" else {stays}
            return How.SILENT if status in untouched else How.CHANGED

        return look

    def _same_list(self, what: str, wanted: list[Any], got: Any, tell: Callable[[Any], str]) -> None:
        """Compare two lists, and tell of both in words."""
        if not isinstance(got, list) or got != wanted:
            found = str(got) if isinstance(got, Record) else f"{what} {tell(got)}"
            how = How.MISSING if got is None else How.WRONG
            self._case.broken(f"{what} {tell(wanted)}", found, f"{how} {what}")

    def _call(self, words: str, method: str, *args: Any, **how: Any) -> Any:
        return self._case.call(self._words(words), self._queue, method, *args, **how)

    def _words(self, words: str) -> str:
        return f"{f't={seconds(self._now)} s':<11} {words}"


@contextmanager
def broken_as(circumstance: str) -> Iterator[None]:
    """Add to how a step breaks its promise what tells it from the same breach elsewhere."""
    try:
        yield
    except Broken as broken:
        broken.how = f"{broken.how}, {circumstance}"
        raise


def in_words(got: Any) -> str:
    """Say a list of names in words, or a list of rows of names; anything else as Python shows it.

    >>> in_words(["J1", "J2"]), in_words([["J1", "done"], ["J9", "unknown"]]), in_words([])
    ('J1, J2', 'J1 done, J9 unknown', 'none')
    >>> in_words(["J1, J2"])
    "['J1, J2']"
    """
    if not isinstance(got, list):
        return repr(got)
    rows = [one if isinstance(one, list) and len(one) > 1 else [one] for one in got]
    if not all(isinstance(name, str) and _NAME.fullmatch(name) for row in rows for name in row):
        return repr(got)
    return ", ".join(map(" ".join, rows)) or "none"


def lease_words(lease: Any) -> str:
    """Say in words what a poll gave."""
    fields = getattr(lease, "fields", None)
    if fields is None:
        return "nothing" if lease is None else repr(lease)
    return f"{fields.get('job_id')}, token {fields.get('token')}"


def _view_words(wanted: dict[str, object]) -> Any:
    """Show of a view what the check looks at."""

    def words(view: Any) -> str:
        fields = getattr(view, "fields", None)
        if fields is None:
            return repr(view)
        return ", ".join(f"{name} {fields[name]!r}" for name in wanted if name in fields) or str(view)

    return words
