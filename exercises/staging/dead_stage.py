"""The stage of the exercise about dead letters: what its files of checks share."""

from typing import Any

from exercises.grader import Case
from exercises.grader.judging.records import How
from exercises.staging.dead_rules import Row
from exercises.staging.queue_driver import Hold, QueueStage, in_words, seconds

REST = 3_000


class DeadStage(QueueStage):
    """A queue that buries jobs and brings them back."""

    def __init__(self, case: Case, max_attempts: int, rest_millis: int = REST, begins: int = 0) -> None:
        kind, error = "DeadLetterQueue", "StaleTokenError"
        super().__init__(case, kind, error, max_attempts, rest_millis, begins=begins)

    def submits_until(self, deadline: int | None, *, gives: str) -> None:
        """Submit one job with a deadline, or without."""
        words = "submit mail" if deadline is None else f"submit mail, deadline {seconds(deadline)} s"
        got = self._call(words, "submit", "mail", "", deadline, expected=f"the job is called {gives}")
        self._case.same("job id", gives, got)

    def fails_for_good(self, hold: Hold, error: str) -> None:
        """Let the holder report a failure that no retry can mend."""
        words = f"{hold.worker_id} fails {hold.job_id} with token {hold.token}, error {error!r}, permanent"
        how: dict[str, Any] = {"expected": "accepted", "tell": lambda _: "accepted", "permanent": True}
        self._call(words, "fail", hold.job_id, hold.token, error, **how)

    def buries(self, job_id: str, error: str = "disk full") -> Hold:
        """Let a job fail for good: the quickest way to a dead letter."""
        hold = self.polls("A", 10_000, gives=job_id)
        self.fails_for_good(hold, error)
        return hold

    def dead_are(self, *job_ids: str) -> None:
        """Ask for the dead letters."""
        expected = f"dead letters {in_words(list(job_ids))}"
        got = self._call("dead letters", "dead_letters", expected=expected, tell=in_words)
        self._same_in_order("dead letters", list(job_ids), got)

    def tells(self, job_id: str, *attempts: tuple[int, int, str | None, str | None]) -> None:
        """Ask for the history: attempt, generation, outcome and error of each."""
        expected = f"history of {len(attempts)} attempts"
        got = self._call(f"history {job_id}", "history", job_id, expected=expected, tell=_attempts)
        self._case.same("number of attempts", len(attempts), len(got) if isinstance(got, list) else got)
        for number, (wanted, one) in enumerate(zip(attempts, got, strict=True), start=1):
            fields = ("attempt", "generation", "outcome", "error")
            for name, value in zip(fields, wanted, strict=True):
                what = f"{name} of the last attempt" if number == len(attempts) else f"{name} of an old attempt"
                self._case.same(what, value, self._case.field(one, name))

    def retries(self, job_id: str) -> None:
        """Bring a dead job back; the queue must accept."""
        self._call(f"retry_dead {job_id}", "retry_dead", job_id, expected="accepted", tell=lambda _: "accepted")

    def redrives(self, job_id: str, note: str) -> None:
        """Bring a dead job back with a note; the queue must accept."""
        words = f"redrive {job_id}, note {note!r}"
        self._call(words, "redrive", job_id, note, expected="accepted", tell=lambda _: "accepted")

    def refuses_return(self, method: str, job_id: str, *args: str, stays: str, attempts: int) -> None:
        """Let somebody bring a job back that is not dead; the queue must refuse."""

        def effect() -> How:
            fields = getattr(self._case.glance(self._queue, "view", job_id), "fields", {})
            same = (fields.get("status"), fields.get("attempts")) == (stays, attempts)
            return How.SILENT if same else How.ACCEPTED

        how: dict[str, Any] = {"error": "NotDeadError", "effect": effect}
        self._case.refuses(self._words(f"{method} {job_id}"), self._queue, method, job_id, *args, **how)

    def notes_are(self, job_id: str, *notes: str) -> None:
        """Ask for the notes of a job."""
        got = self._call(
            f"notes {job_id}", "notes", job_id, expected=f"notes {_quoted(list(notes))}", tell=_quoted
        )
        self._same_list("notes", list(notes), got, _quoted)

    def redrives_many(self, job_ids: list[str], spread: int, gives: list[Row], note: str = "mended") -> None:
        """Redrive some; these rows must come back."""
        wanted = [list(row) for row in gives]
        words = f"redrive_many {', '.join(job_ids)}, spread {seconds(spread)} s"
        how: dict[str, Any] = {"expected": f"rows {in_words(wanted)}", "tell": in_words}
        spreads = (spread,) if spread else ()
        got = self._call(words, "redrive_many", job_ids, note, *spreads, **how)
        self._same_in_order("rows", wanted, got)

    def _same_in_order(self, what: str, wanted: list[Any], got: Any) -> None:
        """Compare two lists, and note whether it is the order, or something is there that should not be."""
        if isinstance(got, list) and got != wanted:
            left = [one for one in got if one in wanted]
            told = f"{what} {in_words(wanted)}", f"{what} {in_words(got)}"
            if sorted(map(repr, got)) == sorted(map(repr, wanted)):
                self._case.broken(*told, f"{what} in another order")
            if len(got) > len(wanted) and left[: len(wanted)] == wanted:
                self._case.broken(*told, f"too many {what}")
        self._same_list(what, wanted, got, in_words)


def exhausted(case: Case) -> tuple[DeadStage, Hold]:
    """Begin as most stories do: two attempts are allowed, and J1 is dead since 5.0 s. Returns its last hold."""
    stage = DeadStage(case, 2)
    stage.submits(gives="J1")
    stage.fails(stage.polls("A", 10_000, gives="J1"), "disk full")
    stage.at(5_000)
    last = stage.polls("B", 10_000, gives="J1")
    stage.fails(last, "no network")
    return stage, last


def graveyard(case: Case, number: int) -> DeadStage:
    """So many jobs, all dead at t=0."""
    stage = DeadStage(case, 1)
    for one in range(1, number + 1):
        stage.submits(gives=f"J{one}")
    for one in range(1, number + 1):
        stage.buries(f"J{one}")
    return stage


def _attempts(history: Any) -> str:
    if not isinstance(history, list):
        return repr(history)
    return "; ".join(map(_attempt, history)) or "no attempts"


def _attempt(one: Any) -> str:
    fields = getattr(one, "fields", {})
    if not {"attempt", "generation", "outcome", "error"} <= {*fields}:
        return str(one)
    ended = "not ended" if fields["outcome"] is None else str(fields["outcome"])
    error = "" if fields["error"] is None else f", error {fields['error']!r}"
    return f"attempt {fields['attempt']}, generation {fields['generation']}, {ended}{error}"


def _quoted(notes: Any) -> str:
    return ", ".join(map(repr, notes)) or "none" if isinstance(notes, list) else repr(notes)
