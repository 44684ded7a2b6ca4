"""Stories that nobody thought of: drawn from a seed, told to the answer and to the oracle, cut to the shortest.

The named checks tell what an author foresaw. This finds the rest, and still shows a story that can be read.
"""

import logging
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from exercises.grader import Case
from exercises.staging.drawn_stories import tell_shortest
from exercises.staging.followed import Followed
from exercises.staging.oracle import Oracle
from exercises.staging.queue_driver import Hold, QueueDriver

LOG = logging.getLogger(__name__)
MADE_UP = "a made-up token"
LEASES = (1, 1_000, 1_000, 4_000, 10_000)
WORKERS = ("A", "B", "C")
VIEW = ("status", "attempts", "last_error")
LEASE = ("attempt", "lease_until", "type", "payload", "worker_id")
DELICATE_SHARE = 0.8  # most calls are about jobs that are held: elsewhere every report is refused


class Act(StrEnum):
    """What happens in one step."""

    SUBMIT = "submit"
    POLL = "poll"
    COMPLETE = "complete"
    FAIL = "fail"
    VIEW = "view"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a story. It keeps its meaning when others are dropped; one that has none left is passed over.

    `number` names it. `job` is the number of the step that submitted the job, as ids change when steps go;
    `shown` is the number of the poll whose token is shown, None a made-up token.
    """

    number: int
    at: int
    act: Act
    job: int | None = None
    worker: str = ""
    lease_millis: int = 0
    shown: int | None = None


QueueFor = Callable[[Case], QueueDriver]


def walk(case: Case, queue_for: QueueFor, widths: Mapping[int, int], turns: int) -> None:
    """Tell one story per seed; let the first that goes wrong end the check, as short as it gets.

    Args:
        case: The conversation with the answer.
        queue_for: Sets up an empty queue.
        widths: For each seed how many jobs are open at any time. Few jobs are handed out often, many compete.
            The seed is named in the trace, so that anybody can draw the same story again.
        turns: How many calls follow, not counting the looks between them.
    """

    def tell(case: Case, story: Sequence[Step]) -> None:
        telling = _Telling(queue_for(case))
        for step in story:
            telling.tell(step)

    for seed, width in widths.items():
        story = draw(seed, width, turns)
        LOG.info("seed %d: a story of %d steps", seed, len(story))
        tell_shortest(case, seed, story, tell)


def draw(seed: int, width: int, turns: int) -> list[Step]:
    """Draw a story. The same seed draws the same one everywhere."""
    drawing = _Drawing(random.Random(seed))  # noqa: S311  a story, no secret
    for _ in range(turns):
        while sum(job.status != "SUCCEEDED" for job in drawing.model.jobs.values()) < width:
            drawing.add(Act.SUBMIT)
        drawing.turn()
    for number in drawing.model.jobs:
        drawing.add(Act.VIEW, job=drawing.submits[number - 1])
    return drawing.story


@dataclass(slots=True)
class _Drawing:
    """A story as far as it is drawn. It follows the model, to come near to what is delicate."""

    chance: random.Random
    now: int = 0
    model: Oracle = field(default_factory=lambda: Oracle(keeps_place=True))
    story: list[Step] = field(default_factory=list)
    submits: list[int] = field(default_factory=list)
    polls: dict[int, list[int]] = field(default_factory=dict)

    def turn(self) -> None:
        """Let time pass or not, let somebody call, look at the job in question or at another one."""
        self.now = self._next_instant()
        act = self.chance.choices([Act.POLL, Act.COMPLETE, Act.FAIL, Act.VIEW], [5, 2, 3, 3])[0]
        job = self._job()
        match act:
            case Act.POLL:
                # Lengths that differ let the lease that began last end first.
                self.add(act, worker=self.chance.choice(WORKERS), lease_millis=self.chance.choice(LEASES))
            case Act.COMPLETE | Act.FAIL:
                self.add(act, job=self.submits[job - 1], shown=self._token(job))
        looked_at = self.chance.choice([job, job, *self.model.jobs])
        self.add(Act.VIEW, job=self.submits[looked_at - 1])

    def add(self, act: Act, **details: int | str | None) -> None:
        """Add one step and let the model follow."""
        step = Step(len(self.story), self.now, act, **details)  # type: ignore[arg-type]
        self.story.append(step)
        match act:
            case Act.SUBMIT:
                self.model.submit(self.now)
                self.submits.append(step.number)
            case Act.POLL:
                job = self.model.poll(step.at, step.lease_millis, step.number)
                if job is not None:
                    self.polls.setdefault(job.number, []).append(step.number)
            case Act.COMPLETE:
                self.model.complete(step.at, self._id(step), step.shown)
            case Act.FAIL:
                self.model.fail(step.at, self._id(step), step.shown, "")

    def _id(self, step: Step) -> int:
        return self.submits.index(step.job or 0) + 1

    def _next_instant(self) -> int:
        ends = [job.lease_until for job in self.model.jobs.values() if job.status == "RUNNING"]
        around = [end + shift for end in ends for shift in (-1, 0, 0, 1) if end + shift >= self.now]
        return self.chance.choice(
            [self.now, self.now, self.now + 2_000, *around, max(around, default=self.now)]
        )

    def _job(self) -> int:
        """Rather one whose lease is over and nobody has noticed yet, else one that is held, else any."""
        jobs = self.model.jobs
        held = [number for number, job in jobs.items() if job.status == "RUNNING"]
        due = [number for number in held if jobs[number].lease_until <= self.now]
        chosen = (due or held) if self.chance.random() < DELICATE_SHARE else []
        return self.chance.choice(chosen or list(jobs))

    def _token(self, job: int) -> int | None:
        """The token of the current lease, an old one of the job, one of another job, or a made-up one."""
        own = self.polls.get(job, [])
        foreign = [poll for number, polls in self.polls.items() if number != job for poll in polls]
        kinds: list[list[int]] = [own[-1:], own[-1:], own[:-1], foreign]
        chosen = self.chance.choice([*(kind for kind in kinds if kind), []])
        return self.chance.choice(chosen) if chosen else None


class _Telling:
    """One telling of a story: each step goes to the oracle and to the answer, and the two must agree."""

    def __init__(self, queue: QueueDriver) -> None:
        fields = {"view": VIEW, "lease": LEASE}
        self._queue = Followed(queue, Oracle(keeps_place=True), **fields, token_is_text=False)
        self._holds: dict[int, Hold] = {}
        self._ids: dict[int, int] = {}

    def tell(self, step: Step) -> None:
        """Take one step, unless what it speaks of was dropped from the story."""
        unknown = step.job is not None and step.job not in self._ids
        if unknown or (step.shown is not None and step.shown not in self._holds):
            return
        self._queue.at(step.at)
        number = self._ids.get(step.job or 0, 0)
        match step.act:
            case Act.SUBMIT:
                number = len(self._ids) + 1
                self._ids[step.number] = self._queue.submit(f"type-{number}", f"payload {number}").number
            case Act.POLL:
                hold = self._queue.poll(step.worker, step.lease_millis)
                self._holds |= {} if hold is None else {step.number: hold}
            case Act.VIEW:
                self._queue.view(number)
            case Act.COMPLETE | Act.FAIL:
                nobody = Hold(f"J{number}", MADE_UP, "somebody")
                hold = nobody if step.shown is None else self._holds[step.shown]
                error = () if step.act is Act.COMPLETE else (f"error {step.number}",)
                self._queue.report(step.act.value, hold, *error, number=number)
