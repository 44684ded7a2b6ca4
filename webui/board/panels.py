"""What stands around the lanes of a board: lamps, one job's story, a question, the right queue beside a flaw.

A lab turned into plain records for the templates. No Flask, and no rule of the queue.
"""

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from textwrap import dedent
from typing import Any

from jobqueue import Attempt, JobStatus, JobView, StrictPriority, UnknownJobError
from jobqueue.model import job_number
from jobqueue.scheduling.aging import band_at, next_age_at
from jobqueue.scheduling.bands import band_of
from jobqueue.simulation import World
from jobqueue.simulation.comparison import Parting, differences, parting
from jobqueue.simulation.diagram import LifeDiagram, path_of
from jobqueue.simulation.picture import TimelinePicture
from jobqueue.simulation.scenario import Flaw
from jobqueue.simulation.timeline import Timeline, window
from jobqueue.simulation.units import in_seconds, seconds
from jobqueue.simulation.watch import Lamp
from webui.board.labs import Lab
from webui.board.lanes import JobCard, Lanes
from webui.board.look import Look
from webui.board.predictions import NEXT, Question, Verdict
from webui.board.view import BoardView

MOST_ATTEMPTS = 50


@dataclass(frozen=True, slots=True)
class LampCard:
    """One lamp. `state` is holds, broken or none (not promised); a broken one names event and instant."""

    name: str
    title: str
    rule: str
    state: str
    words: str
    seq: int = 0
    at: str = ""


@dataclass(frozen=True, slots=True)
class AttemptRow:
    """One attempt in the table of a job's history."""

    attempt: int
    token: str
    worker: str
    started: str
    ended: str
    outcome: str
    error: str


@dataclass(frozen=True, slots=True)
class WhyCard:
    """One job: where it is, how it got there, why it is not handed out, what time will do to it."""

    id: str
    diagram: str
    attempts: list[AttemptRow]
    older: int
    why_not: str
    coming: list[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class PredictCard:
    """The question of the moment, the last verdict, the score."""

    on: bool
    question: Question | None
    verdict: Verdict | None
    right: int
    asked: int


@dataclass(frozen=True, slots=True)
class BesideCard:
    """A flaw, and the same story with the right queue."""

    flaw: Flaw
    wrong: str
    right: str
    where: str
    right_where: str
    parts: Parting | None
    ends: list[str]
    picture: str


@dataclass(frozen=True, slots=True)
class Panels:
    """Everything beside the lanes; None for what this board has not."""

    look: Look
    lamps: list[LampCard]
    why: WhyCard | None
    predict: PredictCard | None
    beside: BesideCard | None
    picture: str | None
    span: tuple[str, str]
    ready: list[JobCard] | None


def panels_of(lab: Lab, look: Look, view: BoardView) -> Panels:
    """Return the panels of a lab for somebody who looks at something."""
    world, timeline, predict = view.world, view.timeline, _predict(lab)
    part = part_of(timeline, look)
    hides = predict is not None and predict.question is not None and predict.question.kind == NEXT
    zoomed = None if part is timeline else TimelinePicture(part).svg()
    return Panels(
        look=look,
        lamps=lamps_of(world.watch.lamps()),
        why=None if look.job is None else why_of(world, look.job, hide=hides),
        predict=predict,
        beside=_beside(world),
        picture=zoomed,
        span=(f"{part.begin / 1000:g}", f"{part.end / 1000:g}"),
        ready=_hidden_order(view) if hides else None,
    )


# -- lamps -----------------------------------------------------------------------------------------------


def lamps_of(lamps: Iterable[Lamp]) -> list[LampCard]:
    """Return the lamps as cards, the broken ones first, what is not promised last."""
    cards = []
    for lamp in lamps:
        one = lamp.invariant
        if lamp.violation is not None:
            more = f" And {lamp.times - 1} more." if lamp.times > 1 else ""
            words, found = f"{lamp.violation.sentence}.{more}", lamp.violation
            cards.append(LampCard(one.name, one.title, one.rule, "broken", words, found.seq, seconds(found.at)))
        elif lamp.is_promised:
            cards.append(LampCard(one.name, one.title, one.rule, "holds", "holds"))
        else:
            cards.append(LampCard(one.name, one.title, one.rule, "none", "not promised here"))
    order = {"broken": 0, "holds": 1, "none": 2}
    return sorted(cards, key=lambda card: order[card.state])


# -- one job ---------------------------------------------------------------------------------------------


def why_of(world: World, job_id: str, *, hide: bool = False) -> WhyCard | None:
    """Return the story of one job; None if there is none of this id.

    Args:
        world: where it is.
        job_id: which job.
        hide: leave out what would answer a question that is being asked.
    """
    try:
        job = world.queue.view(job_id)
    except UnknownJobError:
        return None
    history = world.queue.history(job_id)
    return WhyCard(
        id=job_id,
        diagram=LifeDiagram(path_of(world.chronicle.entries, job_id), job_id).svg(),
        attempts=[_row(job_id, attempt) for attempt in history[-MOST_ATTEMPTS:]],
        older=max(0, len(history) - MOST_ATTEMPTS),
        why_not="answer the question first" if hide else in_seconds(world.queue.why_not(job_id)),
        coming=_coming(world, job),
    )


def _row(job_id: str, attempt: Attempt) -> AttemptRow:
    return AttemptRow(
        attempt.attempt,
        f"{job_id}:{attempt.generation}",
        attempt.worker_id,
        seconds(attempt.started_at),
        "" if attempt.ended_at is None else seconds(attempt.ended_at),
        "running" if attempt.outcome is None else str(attempt.outcome),
        attempt.error or "",
    )


def _coming(world: World, job: JobView) -> list[tuple[str, str]]:
    """Return what time alone will do to a job, each with its instant."""
    now, coming = world.now(), list[tuple[int, str]]()
    if job.status is JobStatus.RUNNING and job.lease_until is not None:
        coming.append((job.lease_until, "its lease ends, unless it is renewed or reported before"))
    if job.status is JobStatus.PENDING:
        if job.next_run_at > now:
            coming.append((job.next_run_at, "it is ready"))
        if job.deadline is not None:
            coming.append((job.deadline, "its deadline: if nobody has started it by then, it is a dead letter"))
        coming += _next_age(world, job, now)
    return [(seconds(at), words) for at, words in sorted(coming)]


def _next_age(world: World, job: JobView, now: int) -> list[tuple[int, str]]:
    scheduler, told = world.scenario.rules.scheduler, world.watch.ledger.jobs.get(job.id)
    if isinstance(scheduler, StrictPriority) or told is None or job.next_run_at > now:
        return []
    label = band_of(job.priority)
    at = next_age_at(label, told.ready_since, now, scheduler.aging_millis)
    if at is None:
        return []
    return [(at, f"it counts as one of band {band_at(label, told.ready_since, at, scheduler.aging_millis)}")]


# -- questions -------------------------------------------------------------------------------------------


def _predict(lab: Lab) -> PredictCard | None:
    """Return the question of the moment; a flawed queue is for watching, not for guessing."""
    if lab.world.twin is not None:
        return None
    told = lab.predictions
    question = None if lab.playing else told.question(lab.world)
    return PredictCard(told.on, question, told.verdict(lab.world), told.right, told.asked)


def _hidden_order(view: BoardView) -> list[JobCard]:
    """Return the ready jobs in submission order, without what would tell who is next."""
    cards = sorted(Lanes(view.world, view.jobs).ready(), key=lambda card: job_number(card.id))
    return [replace(card, chip="ready", look="ready", why=card.why.partition(";")[0]) for card in cards]


# -- the right queue beside a flawed one -----------------------------------------------------------------


def _beside(world: World) -> BesideCard | None:
    flaw, twin = world.scenario.flaw, world.twin
    if flaw is None or twin is None:
        return None
    return BesideCard(
        flaw=flaw,
        where=_place_of(flaw.wrong),
        wrong=dedent(inspect.getsource(flaw.wrong)),
        right_where=_place_of(flaw.right),
        right=dedent(inspect.getsource(flaw.right)),
        parts=parting(world, twin),
        ends=differences(world, twin),
        picture=TimelinePicture(twin.timeline(), name="right").svg(),
    )


def _place_of(method: Callable[..., Any]) -> str:
    """Return where a method stands, as the address of a page of source code ends: file#L12."""
    _, line = inspect.getsourcelines(method)
    return f"{method.__module__.replace('.', '/')}.py#L{line}"


# -- a window of time ------------------------------------------------------------------------------------


def part_of(timeline: Timeline, look: Look) -> Timeline:
    """Return the part of a timeline that is looked at; the whole where no window is named."""
    if look.begin is None and look.end is None:
        return timeline
    begin = 0 if look.begin is None else look.begin
    end = timeline.end if look.end is None else look.end
    return window(timeline, begin, end) if end > begin else timeline
