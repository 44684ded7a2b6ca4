"""Questions that a board asks about its own future, and their marks; the answers are the queue's own.

A question is about the queue as it is: who is next, or when a job comes back if its worker is never heard of
again. The key is computed on a copy, so asking changes nothing.
"""

import re
from dataclasses import dataclass, field
from zlib import crc32

from jobqueue import JobStatus, JobView
from jobqueue.simulation import World
from jobqueue.simulation.units import in_seconds, seconds

NEXT, AGAIN = "next", "again"
NEVER = "never"
_NUMBER = re.compile(r"[0-9]{1,9}(\.[0-9]{1,3})?")


@dataclass(frozen=True, slots=True)
class Question:
    """One question. `choices` are ids to choose from; without them a number of seconds is asked for."""

    kind: str
    key: str
    text: str
    job: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verdict:
    """How an answer was marked, and why."""

    is_right: bool
    text: str


@dataclass(slots=True)
class Predictions:
    """One learner's questions on one board.

    Attributes:
        on: whether the board asks, and hides what would give the answer away.
        asked: how many questions were answered; `right` of them rightly.
        last: the latest verdict.
    """

    on: bool = False
    asked: int = 0
    right: int = 0
    last: Verdict | None = None
    _done: set[str] = field(default_factory=set)
    _last_key: str = ""

    def switch(self, *, on: bool) -> None:
        """Begin or stop asking; the score stays."""
        self.on, self.last, self._last_key = on, None, ""

    def question(self, world: World) -> Question | None:
        """Return what can be asked now and was not answered yet; None if nothing can."""
        if not self.on or world.twin is not None:
            return None
        open_ones = [q for q in (_who_is_next(world), _when_again(world)) if q and q.key not in self._done]
        return open_ones[self.asked % len(open_ones)] if open_ones else None

    def verdict(self, world: World) -> Verdict | None:
        """Return the latest verdict while nothing has happened since."""
        return self.last if self.last is not None and self._last_key == _moment(world) else None

    def skip(self, world: World, key: str) -> None:
        """Leave a question out; it does not count."""
        question = self.question(world)
        if question is not None and question.key == key:
            self._done.add(key)
        self.last, self._last_key = None, ""

    def answer(self, world: World, key: str, given: str) -> None:
        """Mark an answer. One to a question that is no longer open is not counted."""
        question = self.question(world)
        if question is None or question.key != key:
            self.last = Verdict(is_right=False, text="The board has gone on since; this question is over.")
            self._last_key = _moment(world)
            return
        self.last = mark(world, question, given)
        self.asked += 1
        self.right += self.last.is_right
        self._done.add(key)
        self._last_key = _moment(world)


def mark(world: World, question: Question, given: str) -> Verdict:
    """Compare an answer with what the queue itself says, and explain."""
    if question.kind == NEXT:
        return _mark_next(world, given)
    return _mark_again(world, question.job, given.strip().lower())


def ready_again_at(world: World, job_id: str) -> int | None:
    """Return when a running job is ready again if nobody reports it; None if it never will be.

    A copy of the queue is led to the end of the lease, and says what it has done with the job.
    """
    until = world.queue.view(job_id).lease_until
    after = world.log.replay(until).view(job_id)
    return after.next_run_at if after.status is JobStatus.PENDING else None


def _moment(world: World) -> str:
    """Return what tells this moment from all others, those of other branches at this instant among them."""
    told = repr((world.scenario.policy, world.scenario.rules, world.seed, world.chronicle.entries))
    return f"{world.now()}-{len(world.chronicle)}-{crc32(told.encode()):08x}"


def _who_is_next(world: World) -> Question | None:
    now = world.now()
    ready = [j.id for j in world.jobs() if j.status is JobStatus.PENDING and j.next_run_at <= now]
    if len(ready) < 2 or not world.queue.next_up(1):  # noqa: PLR2004 - one alone is no question
        return None
    text = "Somebody polls now. Which job is handed out?"
    return Question(NEXT, f"{NEXT}-{_moment(world)}", text, choices=tuple(ready))


def _when_again(world: World) -> Question | None:
    running = [job for job in world.jobs() if job.status is JobStatus.RUNNING]
    if not running or world.scenario.rules.jitter is not None:
        return None
    job = min(running, key=lambda job: (job.lease_until or 0, job.id))
    text = (
        f"{job.worker_id} is never heard of again. At which second is {job.id} ready for another worker? "
        f'Or "{NEVER}"?'
    )
    return Question(AGAIN, f"{AGAIN}-{job.id}-{_moment(world)}", text, job.id)


def _mark_next(world: World, given: str) -> Verdict:
    right = world.queue.next_up(1)[0]
    if given == right:
        return Verdict(is_right=True, text=f"Yes, {right}. {_reason(world, right)}")
    about = ""
    if given in {job.id for job in world.jobs()}:
        about = f" Of {given} the queue says: {in_seconds(world.queue.why_not(given))}."
    return Verdict(is_right=False, text=f"It is {right}. {_reason(world, right)}{about}")


def _reason(world: World, job_id: str) -> str:
    """Return by what the next job was chosen."""
    job = world.queue.view(job_id)
    what = f"priority {job.priority}, due at {seconds(job.next_run_at)}, tenant {job.tenant}"
    return f"It has {what}; {_rule(world)}."


def _rule(world: World) -> str:
    cycle = getattr(world.scenario.rules.scheduler, "cycle", None)
    if cycle is None:
        return "highest priority first, then earliest due, then first submitted"
    return f"the next slot of {cycle} whose band has work, then the next tenant, then the best job"


def _mark_again(world: World, job_id: str, given: str) -> Verdict:
    job, at = world.queue.view(job_id), ready_again_at(world, job_id)
    told = NEVER if at is None else seconds(at)
    guess = round(float(given) * 1000) if _NUMBER.fullmatch(given) else None
    is_right = given == NEVER if at is None else guess == at
    return Verdict(is_right, f"{'Yes' if is_right else 'No'}, {told}. {_story(world, job, at)}")


def _story(world: World, job: JobView, at: int | None) -> str:
    until, most = job.lease_until or 0, world.scenario.policy.max_attempts
    ended = f"The lease ends at {seconds(until)}, and attempt {job.attempts} of {most} has failed then"
    if at is None:
        return f"{ended}; it is a dead letter, until somebody brings it back."
    return f"{ended}; the rest after it is {seconds(at - until)}."
