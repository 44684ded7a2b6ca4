"""The stage of the whole queue: each call goes to the answer and to the model, and the two must agree.

Examples that anybody may read and hidden stories are told with the same few words.
"""

import random
from typing import Any

from exercises.grader import Case
from exercises.grader.records import How
from exercises.queue_stage import Hold, QueueStage
from exercises.whole_model import WholeModel

KIND, STALE, ILLEGAL, UNKNOWN = "JobQueue", "StaleTokenError", "IllegalStateError", "UnknownJobError"
MADE_UP = "a made-up token"


class WholeStage(QueueStage):
    """One queue of the answer, with its limits: attempts, first and longest backoff."""

    def __init__(self, case: Case, most: int = 3, base: int = 1_000, cap: int = 60_000) -> None:
        """Create the queue at t=0."""
        self._case, self._error, self._now = case, STALE, 0
        self._clock = case.make("ManualClock", library=True)
        self._queue = case.make(KIND, self._clock, most, base, cap)
        self._model = WholeModel(most, base, cap)
        self._holds: list[Hold] = []

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
        hold = self.polls(worker_id, lease_millis, gives=None if job is None else f"J{job.number}")
        if job is not None:
            self.tokens_differ(*self._holds, hold)
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
            refuse(job_id, hold.token, by=hold.worker_id, stays=self._model.jobs[on].status)
        self.looks(on)

    def renews(self, hold: Hold, lease_millis: int) -> None:
        """Let somebody renew a lease."""
        number = int(hold.job_id[1:])
        words = f"{hold.worker_id} renews {hold.job_id} for {lease_millis / 1_000:g} s"
        args = (hold.job_id, hold.token, lease_millis)
        if not self._model.renew(self._now, number, self._shown(hold), lease_millis):
            self._refused(words, "renew", *args, error=STALE)
            return
        got = self._call(words, "renew", *args, expected="accepted", tell=lambda _: "accepted")
        self._case.same(
            "lease_until", self._model.jobs[number].lease_until, self._case.field(got, "lease_until")
        )
        self._case.same("token", hold.token, self._case.field(got, "token"))

    def cancels(self, number: int) -> None:
        """Cancel a job."""
        self._changes("cancel", number, accepted=self._model.cancel(self._now, number))

    def revives(self, number: int) -> None:
        """Bring a dead job back."""
        self._changes("retry_dead", number, accepted=self._model.retry_dead(self._now, number))

    def looks(self, *numbers: int) -> None:
        """View jobs."""
        self._model.settle(self._now)
        for number in numbers:
            job = self._model.jobs[number]
            self.shows(f"J{number}", status=job.status, attempts=job.attempts, last_error=job.last_error)

    def looks_when(self, number: int) -> None:
        """View when a PENDING job may run."""
        self._model.settle(self._now)
        self.shows(f"J{number}", next_run_at=self._model.jobs[number].run_at)

    def counts_the_dead(self) -> None:
        """List the dead letters."""
        wanted = [f"J{number}" for number in self._model.dead(self._now)]
        got = self._call("dead letters", "dead_letters", expected=f"dead letters {wanted}", tell=_ids)
        ids = [self._case.field(view, "id") for view in got] if isinstance(got, list) else got
        self._case.same("dead letters", wanted, ids)

    def does_not_know(self, method: str, *args: Any) -> None:
        """Call with an id that no job has."""
        self._refused(f"{method} J404", method, "J404", *args, error=UNKNOWN)

    def _changes(self, method: str, number: int, *, accepted: bool) -> None:
        words = f"{method} J{number}"
        if accepted:
            self._call(words, method, f"J{number}", expected="accepted", tell=lambda _: "accepted")
        else:
            self._refused(words, method, f"J{number}", error=ILLEGAL)
        self.looks(number)

    def _refused(self, words: str, method: str, *args: Any, error: str) -> None:
        told = self._words(words)
        self._case.refuses(told, self._queue, method, *args, error=error, effect=lambda: How.ACCEPTED)

    def _shown(self, hold: Hold) -> int | None:
        return self._holds.index(hold) if hold in self._holds else None


def made_up(number: int) -> Hold:
    """A token that no poll gave."""
    return Hold(f"J{number}", MADE_UP, "somebody", None)


def _ids(views: Any) -> str:
    found = views if isinstance(views, list) else []
    return ", ".join(str(getattr(view, "fields", {}).get("id")) for view in found) or "none"


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
