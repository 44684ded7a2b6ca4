"""The stage of the whole queue: each call goes to the answer and to the model, and the two must agree.

Examples that anybody may read and hidden stories are told with the same few words.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from exercises.grader import Case
from exercises.grader.judging.case import Broken
from exercises.grader.judging.records import How
from exercises.staging import whole_errors
from exercises.staging.queue_driver import GETS_NOTHING, Hold, QueueStage, broken_as, in_words
from exercises.staging.whole_model import WholeModel

KIND, STALE, ILLEGAL, UNKNOWN = "JobQueue", "StaleTokenError", "IllegalStateError", "UnknownJobError"
MADE_UP = "a made-up token"


class WholeStage(QueueStage):
    """One queue of the answer, with its limits: attempts, first and longest backoff."""

    def __init__(
        self, case: Case, most: int = 3, base: int = 1_000, cap: int = 60_000, *, tokens: bool = False
    ) -> None:
        """Create the queue at t=0. `tokens`: the story is about them, so each must be new."""
        self._case, self._error, self._now = case, STALE, 0
        self._clock = case.make("ManualClock", library=True)
        self._queue = case.make(KIND, self._clock, most, base, cap)
        self._model = WholeModel(most, base, cap)
        self._holds: list[Hold] = []
        self._about_tokens = tokens
        self._returned = False  # whether a dead job was brought back

    @property
    def model(self) -> WholeModel:
        """What the rules say so far."""
        return self._model

    def passes(self, millis: int) -> None:
        """Let time pass."""
        if millis:
            self.at(self._now + millis)

    def brings(
        self, type: str = "mail", payload: str = "", priority: int = 0, run_at: int | None = None
    ) -> int:
        """Submit a job; return its number."""
        number = self._model.submit(self._now, priority, run_at)
        when = "" if run_at is None else f" for {run_at / 1_000:g} s"
        words = f"submit {type}, priority {priority}{when}"
        usual = not payload and priority == 0 and run_at is None  # then the defaults have to do
        args = (type,) if usual else (type, payload, priority, run_at)
        got = self._call(words, "submit", *args, expected=f"the job is called J{number}")
        self._case.same("job id", f"J{number}", got)
        return number

    def asks(self, worker_id: str = "A", lease_millis: int = 10_000) -> Hold:
        """Let a worker poll; it must get the best ready job, or nothing."""
        job = self._model.poll(self._now, lease_millis, len(self._holds))
        gives = None if job is None else f"J{job.number}"
        with self._behind_nothing(gives):
            hold = self.polls(worker_id, lease_millis, gives=gives)
        if job is not None:
            if self._about_tokens:
                self._is_fresh(hold)
            self._holds.append(hold)
            self.lease_has(hold, attempt=job.attempts, lease_until=job.lease_until, worker_id=worker_id)
        return hold

    def reports(self, hold: Hold, error: str | None = None, number: int | None = None) -> None:
        """Let somebody complete a job, or fail it: accepted or refused, as the rules say."""
        job_id = hold.job_id if number is None else f"J{number}"
        on, shown = int(job_id[1:]), self._shown(hold)
        called = Hold(job_id, hold.token, hold.worker_id, None)
        if error is None:
            accepted = self._model.complete(self._now, on, shown)
        else:
            accepted = self._model.fail(self._now, on, shown, error)
        if accepted:
            self.completes(called) if error is None else self.fails(called, error)
        else:
            refuse = self.refuses_complete if error is None else self.refuses_fail
            stays = self._model.jobs[on].status
            with self._behind_acceptance("complete" if error is None else "fail", on):
                refuse(job_id, hold.token, by=hold.worker_id, stays=stays)
        self.looks(on)

    def renews(self, hold: Hold, lease_millis: int) -> None:
        """Let somebody renew a lease."""
        number = int(hold.job_id[1:])
        words = f"{hold.worker_id} renews {hold.job_id} for {lease_millis / 1_000:g} s"
        args = (hold.job_id, hold.token, lease_millis)
        before = self._model.jobs[number].lease_until
        if not self._model.renew(self._now, number, self._shown(hold), lease_millis):
            with self._behind_acceptance("renew", number):
                self._refused(words, "renew", *args, error=STALE)
            return
        got = self._call(words, "renew", *args, expected="accepted", tell=lambda _: "accepted")
        until, wanted = self._case.field(got, "lease_until"), self._model.jobs[number].lease_until
        with broken_as("added to the end" if until == before + lease_millis else "other"):
            self._case.same("lease_until", wanted, until)
        self._case.same("token", hold.token, self._case.field(got, "token"))

    def cancels(self, number: int) -> None:
        """Cancel a job."""
        self._changes("cancel", number, accepted=self._model.cancel(self._now, number))

    def revives(self, number: int) -> None:
        """Bring a dead job back."""
        accepted = self._model.retry_dead(self._now, number)
        self._returned = self._returned or accepted
        self._changes("retry_dead", number, accepted=accepted)

    def looks(self, *numbers: int) -> None:
        """View jobs."""
        self._model.settle(self._now)
        for number in numbers:
            job = self._model.jobs[number]
            seen: dict[str, object] = {"status": job.status, "attempts": job.attempts}
            seen |= {"priority": job.priority} if job.priority else {}
            with broken_as(f"when {job.status}"):
                self.shows(f"J{number}", **seen, last_error=job.last_error)

    def looks_when(self, number: int) -> None:
        """View when a PENDING job may run."""
        self._model.settle(self._now)
        job = self._model.jobs[number]
        wanted, tell = f"next_run_at {job.run_at}", lambda view: f"next_run_at {_field(view, 'next_run_at')}"
        view = self._call(f"view J{number}", "view", f"J{number}", expected=wanted, tell=tell)
        got = self._case.field(view, "next_run_at")
        with broken_as(whole_errors.date(self._model, job, got, self._now)):
            self._case.same("next_run_at", job.run_at, got)

    def counts_the_dead(self) -> None:
        """List the dead letters."""
        wanted = [f"J{number}" for number in self._model.dead(self._now)]
        got = self._call(
            "dead letters", "dead_letters", expected=f"dead letters {in_words(wanted)}", tell=_listed
        )
        ids = [self._case.field(view, "id") for view in got] if isinstance(got, list) else got
        with broken_as(whole_errors.letters(wanted, ids) + (" after a return" if self._returned else "")):
            self._same_list("dead letters", wanted, ids, in_words)
        for number, view in zip(self._model.dead(self._now), got, strict=True):
            job = self._model.jobs[number]
            for name in ("status", "attempts", "last_error"):
                self._case.same(name, getattr(job, name), self._case.field(view, name))

    def refuses_as_illegal(self, number: int) -> None:
        """Show a made-up token; whoever catches IllegalStateError must catch that, too."""
        words = f"complete J{number} with {MADE_UP}, except {ILLEGAL}"
        with broken_as("as IllegalStateError"):
            self._refused(words, "complete", f"J{number}", MADE_UP, error=ILLEGAL)

    def does_not_know(self, method: str, *args: Any) -> None:
        """Call with an id that no job has."""
        with broken_as("unknown id"):
            self._refused(f"{method} J404", method, "J404", *args, error=UNKNOWN)

    def _changes(self, method: str, number: int, *, accepted: bool) -> None:
        words, before = f"{method} J{number}", self._model.jobs[number].status
        with broken_as(method if accepted else f"{method} of {before}"):
            if accepted:
                self._call(words, method, f"J{number}", expected="accepted", tell=lambda _: "accepted")
            else:
                self._refused(words, method, f"J{number}", error=ILLEGAL)
        self.looks(number)

    def _refused(self, words: str, method: str, *args: Any, error: str) -> None:
        told = self._words(words)
        self._case.refuses(told, self._queue, method, *args, error=error, effect=lambda: How.ACCEPTED)

    def _is_job(self, wanted: str, got: Any) -> None:
        with broken_as(whole_errors.choice(self._model, wanted, got, self._now)):
            super()._is_job(wanted, got)

    def _is_fresh(self, hold: Hold) -> None:
        theirs = {other.job_id for other in self._holds if other.token == hold.token}
        strange = bool(theirs) and hold.job_id not in theirs
        with broken_as("of another job") if strange else nullcontext():
            self.tokens_differ(*self._holds, hold)

    @contextmanager
    def _behind_nothing(self, gives: str | None) -> Iterator[None]:
        """Whoever gets nothing where a job is ready: what the answer itself says of that job tells why."""
        try:
            yield
        except Broken as broken:
            if broken.how == GETS_NOTHING:
                view = self._case.glance(self._queue, "view", gives)
                broken.how = f"{broken.how}, {getattr(view, 'fields', {}).get('status')}"
            raise

    @contextmanager
    def _behind_acceptance(self, method: str, number: int) -> Iterator[None]:
        """Whoever is heard too late: had the answer ended the lease, or did nobody notice?"""
        job = self._model.jobs[number]
        try:
            with broken_as(f"{method} of {job.status}"):
                yield
        except Broken as broken:
            view = self._case.glance(self._queue, "view", f"J{number}")
            if getattr(view, "fields", {}).get("last_error") == job.last_error == "lease expired":
                broken.how = f"{broken.how} after its end"
            raise

    def _shown(self, hold: Hold) -> int | None:
        return self._holds.index(hold) if hold in self._holds else None


def made_up(number: int) -> Hold:
    """A token that no poll gave."""
    return Hold(f"J{number}", MADE_UP, "somebody", None)


def _field(view: Any, name: str) -> str:
    return repr(view.fields[name]) if name in getattr(view, "fields", {}) else repr(view)


def _listed(views: Any) -> str:
    if not isinstance(views, list):
        return repr(views)
    return ", ".join(str(getattr(view, "fields", {}).get("id", repr(view))) for view in views) or "none"


def walk(stage: WholeStage, chance: random.Random, turns: int) -> None:
    """Call whatever comes up, at and around the instants at which something is due."""
    holds: list[Hold] = []
    for _ in range(turns):
        stage.passes(_pause(stage, chance))
        jobs = list(stage.model.jobs)
        act = chance.choice(("submit", "poll", "poll", "poll", "report", "report", "renew", "other", "look"))
        if act == "submit" or not jobs:
            due = chance.choice((None, None, stage.now + chance.randint(0, 3_000)))
            stage.brings(priority=chance.randint(-1, 1), run_at=due)
        elif act == "poll":
            hold = stage.asks(chance.choice("AB"), chance.choice((1, 500, 1_000, 5_000)))
            holds += [hold] if hold.job_id else []
        elif act == "report" and holds:
            stage.reports(chance.choice((holds[-1], chance.choice(holds))), chance.choice((None, "x", "y")))
        elif act == "renew" and holds:
            stage.renews(chance.choice(holds[-2:]), chance.choice((1, 700, 4_000)))
        elif act == "other":
            chance.choice((stage.cancels, stage.revives, stage.revives, stage.looks))(chance.choice(jobs))
        else:
            stage.counts_the_dead()
            stage.looks(chance.choice(jobs))


def _pause(stage: WholeStage, chance: random.Random) -> int:
    ends = [job.lease_until for job in stage.model.jobs.values() if job.status == "RUNNING"]
    starts = [job.run_at for job in stage.model.jobs.values() if job.status == "PENDING"]
    around = [at + shift - stage.now for at in ends + starts for shift in (-1, 0, 1) if at + shift >= stage.now]
    return chance.choice([0, 0, *around, chance.randint(1, 2_000)])
