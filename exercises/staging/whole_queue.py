"""The whole queue of ex07: each call goes to the answer and to the oracle, and the two must agree.

Examples that anybody may read and hidden stories are told with the same few words. Where an answer errs, the
oracle helps to say in which way: which of the known mistakes would give what it gave.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import Any

from exercises.grader import Case
from exercises.grader.judging.case import Broken
from exercises.grader.judging.records import How
from exercises.staging.driver import broken_as
from exercises.staging.oracle import EXPIRED, PENDING, RUNNING, Job, Oracle
from exercises.staging.queue_driver import ACCEPTED, GETS_NOTHING, Hold, QueueDriver
from exercises.staging.queue_words import in_words

STALE, ILLEGAL, UNKNOWN = "StaleTokenError", "IllegalStateError", "UnknownJobError"
MADE_UP = "a made-up token"


class _Queue(QueueDriver):
    """A queue whose wrong choices are named with the oracle's help."""

    def __init__(self, case: Case, oracle: Oracle) -> None:
        super().__init__(case, "JobQueue", STALE, oracle.most, oracle.base, oracle.cap)
        self.holds["somebody"] = made_up(1)
        self._oracle = oracle

    def _is_job(self, wanted: str, got: Any) -> None:
        with broken_as(_wrong_choice(self._oracle, wanted, got, self.now)):
            super()._is_job(wanted, got)


class WholeQueue:
    """One queue of the answer, with its limits: attempts, first and longest backoff."""

    def __init__(
        self, case: Case, most: int = 3, base: int = 1_000, cap: int = 60_000, *, tokens: bool = False
    ) -> None:
        """Create the queue at t=0. `tokens`: the story is about them, so each must be new."""
        self.oracle = Oracle(most, base, cap)
        self.queue = _Queue(case, self.oracle)
        self.at = self.queue.at
        self.lease = self.queue.lease
        self.handed_out: list[Hold] = []
        self._about_tokens = tokens
        self._returned = False  # whether a dead job was brought back

    @property
    def now(self) -> int:
        """The instant that the clock shows."""
        return self.queue.now

    def passes(self, millis: int) -> None:
        """Let time pass."""
        if millis:
            self.at(self.now + millis)

    def submit(
        self, type: str = "mail", payload: str = "", priority: int = 0, run_at: int | None = None
    ) -> int:
        """Submit a job; return its number."""
        number = self.oracle.submit(self.now, priority, run_at).number
        when = "" if run_at is None else f" for {run_at / 1_000:g} s"
        words = f"submit {type}, priority {priority}{when}"
        usual = not payload and priority == 0 and run_at is None  # then the defaults have to do
        args = (type,) if usual else (type, payload, priority, run_at)
        got = self.queue.call(words, "submit", *args, expected=f"the job is called J{number}")
        self.queue.case.same("job id", f"J{number}", got)
        return number

    def poll(self, worker_id: str = "A", lease_millis: int = 10_000, hold: str = "") -> Hold:
        """Let a worker poll; it must get the best ready job, or nothing."""
        job = self.oracle.poll(self.now, lease_millis, len(self.handed_out))
        gives = None if job is None else job.id
        with self._behind_nothing(gives):
            held = self.queue.poll(worker_id, lease_millis, gives=gives, hold=hold)
        if job is not None:
            if self._about_tokens:
                self._is_fresh(held)
            self.handed_out.append(held)
            fields = {"attempt": job.attempts, "lease_until": job.lease_until, "worker_id": worker_id}
            self.queue.has(held.record, fields)
        return held

    def complete(self, hold: str | Hold) -> None:
        """Let somebody complete the job that it holds, or held."""
        self.report(hold)

    def fail(self, hold: str | Hold, error: str) -> None:
        """Let somebody fail it."""
        self.report(hold, error)

    def report(self, hold: str | Hold, error: str | None = None, number: int | None = None) -> None:
        """Let somebody complete a job, or fail it: accepted or refused, as the rules say."""
        hold = self.queue.find(hold)
        on, method = number or int(hold.job_id[1:]), "complete" if error is None else "fail"
        told = () if error is None else (error,)
        accepted = getattr(self.oracle, method)(self.now, on, self._shown(hold), *told)
        job = self.oracle.jobs[on]
        gives: Any = "accepted" if accepted else ("refused", job.status)
        with nullcontext() if accepted else self._behind_acceptance(method, job):
            getattr(self.queue, method)(hold, *told if accepted else (), job=job.id, gives=gives)
        self.view(on)

    def renew(self, hold: str | Hold, lease_millis: int) -> None:
        """Let somebody renew a lease."""
        hold = self.queue.find(hold)
        job = self.oracle.jobs[int(hold.job_id[1:])]
        words = f"{hold.worker_id} renews {job.id} for {lease_millis / 1_000:g} s"
        args = ("renew", job.id, hold.token, lease_millis)
        before = job.lease_until
        if not self.oracle.renew(self.now, job.number, self._shown(hold), lease_millis):
            with self._behind_acceptance("renew", job):
                self._refused(words, *args, error=STALE)
            return
        got = self.queue.call(words, *args, **ACCEPTED)
        until = self.queue.case.field(got, "lease_until")
        with broken_as("added to the end" if until == before + lease_millis else "other"):
            self.queue.case.same("lease_until", job.lease_until, until)
        self.queue.case.same("token", hold.token, self.queue.case.field(got, "token"))

    def cancel(self, number: int) -> None:
        """Cancel a job."""
        self._changes("cancel", number, accepted=self.oracle.cancel(self.now, number))

    def retry_dead(self, number: int) -> None:
        """Bring a dead job back."""
        accepted = self.oracle.retry_dead(self.now, number)
        self._returned = self._returned or accepted
        self._changes("retry_dead", number, accepted=accepted)

    def view(self, *numbers: int) -> None:
        """View jobs."""
        self.oracle.settle(self.now)
        for number in numbers:
            job = self.oracle.jobs[number]
            seen: dict[str, object] = {"status": job.status, "attempts": job.attempts}
            seen |= {"priority": job.priority} if job.priority else {}
            with broken_as(f"when {job.status}"):
                self.queue.view(job.id, **seen, last_error=job.last_error)

    def view_run_at(self, number: int) -> None:
        """View when a PENDING job may run."""
        self.oracle.settle(self.now)
        job = self.oracle.jobs[number]
        wanted, tell = f"next_run_at {job.run_at}", lambda view: f"next_run_at {_field(view, 'next_run_at')}"
        view = self.queue.call(f"view {job.id}", "view", job.id, expected=wanted, tell=tell)
        got = self.queue.case.field(view, "next_run_at")
        with broken_as(_wrong_date(self.oracle, job, got, self.now)):
            self.queue.case.same("next_run_at", job.run_at, got)

    def dead(self) -> None:
        """List the dead letters."""
        dead = self.oracle.dead(self.now)
        wanted = [job.id for job in dead]
        told = f"dead letters {in_words(wanted)}"
        got = self.queue.call("dead letters", "dead_letters", expected=told, tell=_listed)
        ids = [self.queue.case.field(view, "id") for view in got] if isinstance(got, list) else got
        with broken_as(_wrong_letters(wanted, ids) + (" after a return" if self._returned else "")):
            self.queue.same_list("dead letters", wanted, ids, in_words)
        for job, view in zip(dead, got, strict=True):
            self.queue.has(view, {name: getattr(job, name) for name in ("status", "attempts", "last_error")})

    def complete_as_illegal(self, number: int) -> None:
        """Show a made-up token; whoever catches IllegalStateError must catch that, too."""
        words = f"complete J{number} with {MADE_UP}, except {ILLEGAL}"
        with broken_as("as IllegalStateError"):
            self._refused(words, "complete", f"J{number}", MADE_UP, error=ILLEGAL)

    def unknown(self, method: str, *args: Any) -> None:
        """Call with an id that no job has."""
        with broken_as("unknown id"):
            self._refused(f"{method} J404", method, "J404", *args, error=UNKNOWN)

    def _changes(self, method: str, number: int, *, accepted: bool) -> None:
        words, before = f"{method} J{number}", self.oracle.jobs[number].status
        with broken_as(method if accepted else f"{method} of {before}"):
            if accepted:
                self.queue.call(words, method, f"J{number}", **ACCEPTED)
            else:
                self._refused(words, method, f"J{number}", error=ILLEGAL)
        self.view(number)

    def _refused(self, words: str, method: str, *args: Any, error: str) -> None:
        self.queue.refuses(words, method, *args, error=error, effect=lambda: How.ACCEPTED)

    def _is_fresh(self, hold: Hold) -> None:
        theirs = {other.job_id for other in self.handed_out if other.token == hold.token}
        strange = bool(theirs) and hold.job_id not in theirs
        with broken_as("of another job") if strange else nullcontext():
            self.queue.differ(*self.handed_out, hold)

    @contextmanager
    def _behind_nothing(self, gives: str | None) -> Iterator[None]:
        """Whoever gets nothing where a job is ready: what the answer itself says of that job tells why."""
        try:
            yield
        except Broken as broken:
            if broken.how == GETS_NOTHING:
                broken.how = f"{broken.how}, {self.queue.glance('view', gives).get('status')}"
            raise

    @contextmanager
    def _behind_acceptance(self, method: str, job: Job) -> Iterator[None]:
        """Whoever is heard too late: had the answer ended the lease, or did nobody notice?"""
        try:
            with broken_as(f"{method} of {job.status}"):
                yield
        except Broken as broken:
            if self.queue.glance("view", job.id).get("last_error") == job.last_error == EXPIRED:
                broken.how = f"{broken.how} after its end"
            raise

    def _shown(self, hold: Hold) -> int | None:
        return self.handed_out.index(hold) if hold in self.handed_out else None


# -- in which way a wrong value is wrong; whether it is wrong, is not decided here --------------------


def _wrong_choice(oracle: Oracle, wanted: str, got: Any, now: int) -> str:
    """Say what is wrong with handing out the job `got` instead of `wanted`. The oracle has polled already."""
    jobs = {job.id: job for job in oracle.jobs.values()}
    best, other = jobs[wanted], jobs.get(got) if isinstance(got, str) else None
    if other is None:
        return "no such job"
    if other.status != PENDING:
        return f"it is {other.status}"
    if other.run_at > now:
        return "not yet ready"
    if other.priority != best.priority:
        ready = [job.priority for job in jobs.values() if job.status == PENDING and job.run_at <= now]
        return "lowest priority" if other.priority == min(ready) else "lower priority"
    return "later run_at" if other.run_at != best.run_at else "later in order"


def _wrong_date(oracle: Oracle, job: Job, got: Any, now: int) -> str:
    """Say which mistake would give `got` for the instant at which a job may run again."""
    if type(got) is not int:
        return "no whole number"
    if job.attempts == 0 and job.last_error is None and got == now > job.run_at:
        return "now instead of 0" if job.run_at == 0 else "now instead of the past"
    base, doubled = oracle.base, oracle.base * 2 ** max(job.attempts - 1, 0)
    names = {
        job.run_at_before: "as before",
        now + min(oracle.cap, doubled): "counted from now",
        job.ended_at: "no rest",
    }
    rests = {
        2 * doubled: "twice as long",
        doubled: "longer than the longest",
        base * job.attempts: "one base more each time",
        base: "always the base",
        doubled // 2: "half as long",
    }
    return names.get(got) or rests.get(got - job.ended_at) or "other"


def _wrong_letters(wanted: list[str], got: Any) -> str:
    """Say what is wrong with a list of dead letters."""
    if not isinstance(got, list):
        return "no list"
    if sorted(map(str, got)) == sorted(wanted):
        return "in another order"
    if not got:
        return "none of them"
    return "not all of them" if set(map(str, got)) < set(wanted) else "others"


def made_up(number: int) -> Hold:
    """A token that no poll gave."""
    return Hold(f"J{number}", MADE_UP, "somebody")


def _field(view: Any, name: str) -> str:
    return repr(view.fields[name]) if name in getattr(view, "fields", {}) else repr(view)


def _listed(views: Any) -> str:
    if not isinstance(views, list):
        return repr(views)
    return ", ".join(str(getattr(view, "fields", {}).get("id", repr(view))) for view in views) or "none"


def walk(queue: WholeQueue, chance: random.Random, turns: int) -> None:
    """Call whatever comes up, at and around the instants at which something is due."""
    holds: list[Hold] = []
    for _ in range(turns):
        queue.passes(_pause(queue, chance))
        jobs = list(queue.oracle.jobs)
        act = chance.choice(("submit", "poll", "poll", "poll", "report", "report", "renew", "other", "look"))
        if act == "submit" or not jobs:
            due = chance.choice((None, None, queue.now + chance.randint(0, 3_000)))
            queue.submit(priority=chance.randint(-1, 1), run_at=due)
        elif act == "poll":
            hold = queue.poll(chance.choice("AB"), chance.choice((1, 500, 1_000, 5_000)))
            holds += [hold] if hold.job_id else []
        elif act == "report" and holds:
            queue.report(chance.choice((holds[-1], chance.choice(holds))), chance.choice((None, "x", "y")))
        elif act == "renew" and holds:
            queue.renew(chance.choice(holds[-2:]), chance.choice((1, 700, 4_000)))
        elif act == "other":
            chance.choice((queue.cancel, queue.retry_dead, queue.retry_dead, queue.view))(chance.choice(jobs))
        else:
            queue.dead()
            queue.view(chance.choice(jobs))


def _pause(queue: WholeQueue, chance: random.Random) -> int:
    ends = [job.lease_until for job in queue.oracle.jobs.values() if job.status == RUNNING]
    starts = [job.run_at for job in queue.oracle.jobs.values() if job.status == PENDING]
    around = [at + shift - queue.now for at in ends + starts for shift in (-1, 0, 1) if at + shift >= queue.now]
    return chance.choice([0, 0, *around, chance.randint(1, 2_000)])
