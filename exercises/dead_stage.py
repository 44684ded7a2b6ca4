"""The stage and the plain rules of the exercise about dead letters: what its files of checks share."""

from dataclasses import dataclass, field
from typing import Any

from exercises.grader import Case
from exercises.grader.records import How
from exercises.queue_stage import Hold, QueueStage, seconds

REST = 3_000
Row = tuple[str, str]


class DeadStage(QueueStage):
    """A queue that buries jobs and brings them back."""

    def __init__(self, case: Case, max_attempts: int, rest_millis: int = REST) -> None:
        super().__init__(case, "DeadLetterQueue", "StaleTokenError", max_attempts, rest_millis)

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
        got = self._call("dead letters", "dead_letters", expected=f"{list(job_ids)}", tell=repr)
        self._same_in_order("dead letters", list(job_ids), got)

    def tells(self, job_id: str, *attempts: tuple[int, int, str | None, str | None]) -> None:
        """Ask for the history: attempt, generation, outcome and error of each."""
        expected = f"history of {len(attempts)} attempts"
        got = self._call(f"history {job_id}", "history", job_id, expected=expected, tell=_count)
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
        got = self._call(f"notes {job_id}", "notes", job_id, expected=f"{list(notes)}", tell=repr)
        self._case.same("notes", list(notes), got)

    def redrives_many(self, job_ids: list[str], spread: int, gives: list[Row], note: str = "mended") -> None:
        """Redrive some; these rows must come back."""
        wanted = [list(row) for row in gives]
        words = f"redrive_many {', '.join(job_ids)}, spread {seconds(spread)} s"
        how: dict[str, Any] = {"expected": f"the rows {wanted}", "tell": repr}
        spreads = (spread,) if spread else ()
        got = self._call(words, "redrive_many", job_ids, note, *spreads, **how)
        self._same_in_order("rows", wanted, got)

    def _same_in_order(self, what: str, wanted: list[Any], got: Any) -> None:
        """Compare two lists, and note whether it is the order, or something is there that should not be."""
        if isinstance(got, list) and got != wanted:
            left = [one for one in got if one in wanted]
            if sorted(map(repr, got)) == sorted(map(repr, wanted)):
                self._case.broken(f"{what} {wanted!r}", f"{what} {got!r}", f"{what} in another order")
            if len(got) > len(wanted) and left[: len(wanted)] == wanted:
                self._case.broken(f"{what} {wanted!r}", f"{what} {got!r}", f"too many {what}")
        self._case.same(what, wanted, got)


def _count(history: Any) -> str:
    return f"{len(history)} attempts" if isinstance(history, list) else repr(history)


@dataclass(slots=True)
class RulesJob:
    """What the rules say of one job."""

    run_at: int
    deadline: int | None
    status: str = "PENDING"
    attempts: int = 0
    last_error: str | None = None
    failed_at: int | None = None
    dead_reason: str | None = None
    history: list[tuple[int, int, str | None, str | None]] = field(default_factory=list)


class Rules:
    """The rules of the task, so plain that reading is checking."""

    def __init__(self, max_attempts: int, rest_millis: int) -> None:
        self.jobs: dict[str, RulesJob] = {}
        self._most, self._rest = max_attempts, rest_millis

    def submit(self, now: int, deadline: int | None) -> str:
        """A new job is ready at once."""
        job_id = f"J{len(self.jobs) + 1}"
        self.jobs[job_id] = RulesJob(now, deadline)
        return job_id

    def poll(self, now: int) -> str | None:
        """The earliest run_at first, then the order of submission."""
        ready = [(job.run_at, int(name[1:])) for name, job in self.jobs.items() if job.status == "PENDING"]
        ready = sorted(one for one in ready if one[0] <= now)
        if not ready:
            return None
        job_id = f"J{ready[0][1]}"
        job = self.jobs[job_id]
        job.status, job.attempts = "RUNNING", job.attempts + 1
        job.history.append((job.attempts, len(job.history) + 1, None, None))
        return job_id

    def holds(self, job_id: str, token: str) -> bool:
        """Whether this token is the one of the current hand-out."""
        job = self.jobs[job_id]
        return job.status == "RUNNING" and token == f"{job_id}:{len(job.history)}"

    def complete(self, job_id: str) -> None:
        """Done, for good."""
        job = self.jobs[job_id]
        job.status = "SUCCEEDED"
        job.history[-1] = (*job.history[-1][:2], "succeeded", None)

    def fail(self, now: int, job_id: str, error: str, *, permanent: bool) -> None:
        """Retry or bury."""
        job, retry_at = self.jobs[job_id], now + self._rest
        job.last_error = error
        job.history[-1] = (*job.history[-1][:2], "failed", error)
        late = job.deadline is not None and retry_at >= job.deadline
        reasons = (
            ("permanent", permanent),
            ("attempts_exhausted", job.attempts == self._most),
            ("deadline", late),
        )
        reason = next((name for name, true in reasons if true), None)
        if reason:
            job.status, job.failed_at, job.dead_reason = "DEAD", now, reason
        else:
            job.status, job.run_at = "PENDING", retry_at

    def revive(self, job_id: str, run_at: int) -> bool:
        """Only a dead job comes back."""
        job = self.jobs[job_id]
        if job.status != "DEAD":
            return False
        job.status, job.run_at, job.attempts, job.failed_at, job.dead_reason = "PENDING", run_at, 0, None, None
        return True

    def revive_many(self, now: int, job_ids: list[str], spread: int) -> list[Row]:
        """Each once, in the order of submission; the unknown last."""
        rows, run_at = [], now
        for job_id in [one for one in self.jobs if one in job_ids]:
            done = self.revive(job_id, run_at)
            rows.append((job_id, "done" if done else "wrong_state"))
            run_at += spread if done else 0
        return rows + [(one, "unknown") for one in dict.fromkeys(job_ids) if one not in self.jobs]

    def seen(self, job_id: str) -> dict[str, object]:
        """What a view shows."""
        job = self.jobs[job_id]
        names = ("status", "attempts", "run_at", "last_error", "failed_at", "dead_reason")
        return {name: getattr(job, name) for name in names}
