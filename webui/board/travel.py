"""What a board shows of its place in time: the slider, the branches, and its link. No Flask."""

from dataclasses import dataclass

from jobqueue.simulation.comparison import Fate, compare
from jobqueue.simulation.free_lab import FREE
from jobqueue.simulation.link import LONGEST_CODE
from jobqueue.simulation.picture import TimelinePicture
from jobqueue.simulation.scenario import Task
from jobqueue.simulation.timeline import Timeline, window
from jobqueue.simulation.units import seconds
from webui.board.branches import Branch
from webui.board.jumps import JUMPS, Jump
from webui.board.labs import Lab
from webui.board.numbers import as_seconds
from webui.board.view import BoardView

MOST_FATES = 12


@dataclass(frozen=True, slots=True)
class Beside:
    """The branch that stands beside the one that is played, and what is different in it."""

    number: int
    parted: str
    here: str
    there: str
    sentences: list[str]
    more: int
    fates: tuple[Fate, ...]
    pictures: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Travel:
    """Where a board stands in time, and where it can go.

    `position` and `end` are seconds as one would type them; `code` is None if the story is too long for a link.
    """

    position: str
    end: str
    ahead: str
    jumps: dict[str, Jump]
    number: int
    branches: list[Branch]
    beside: Beside | None
    code: str | None
    longest_code: int
    is_shared: bool
    is_free: bool
    down: frozenset[str]


def travel_of(lab: Lab, view: BoardView) -> Travel:
    """Return where a lab stands in time."""
    playback, world = lab.branches.playback, view.world
    ahead = len(playback.ahead)
    many = f"{ahead} interventions ahead" if ahead > 1 else "1 intervention ahead"
    types = {job.type for job in view.jobs}
    return Travel(
        position=as_seconds(world.now()),
        end=as_seconds(max(playback.end(), world.now())),
        ahead=f"{many}: whatever else you do now makes a new branch" if ahead else "",
        jumps=JUMPS,
        number=lab.branches.number,
        branches=lab.branches.all(),
        beside=_beside_of(lab, view),
        code=lab.id if lab.is_shared else lab.code(),
        longest_code=LONGEST_CODE,
        is_shared=lab.is_shared,
        is_free=lab.scenario.name == FREE,
        down=frozenset(type for type in types if world.is_down(type)),
    )


def settings_of(lab: Lab) -> list[tuple[str, str]]:
    """Return what decides the outcome of a free lab beyond what any scenario shows, as (what, how much)."""
    if lab.scenario.name != FREE:
        return []
    rows = [(f"{task.times} x {task.type}", _task_words(task)) for task in lab.scenario.tasks]
    return [*rows, ("seed", str(lab.world.seed))]


def _task_words(task: Task) -> str:
    words = [
        f"at {seconds(task.at)}" + (f", one each {seconds(task.every_millis)}" if task.every_millis else "")
    ]
    words += [f"priority {task.priority}"] if task.priority else []
    words += [f"for {task.tenant}"] if task.tenant != "default" else []
    words += [f"cost {task.cost}"] if task.cost != 1 else []
    words += [f"due {seconds(task.delay_millis)} later"] if task.delay_millis else []
    words += [] if task.deadline_millis is None else [f"given up after {seconds(task.deadline_millis)}"]
    return ", ".join(words)


def _beside_of(lab: Lab, view: BoardView) -> Beside | None:
    there, number, here = lab.branches.beside, lab.branches.beside_number, view.world
    if there is None or number is None:
        return None
    found = compare(here, there.world)
    parted = "Up to now, the same has happened in both."
    if found.parted_at is not None:
        parted = f"The same up to {seconds(found.parted_at)}, and from there on not."
    sentences = [fate.sentence for fate in found.different]
    return Beside(
        number,
        parted,
        found.here,
        found.there,
        sentences[:MOST_FATES],
        max(0, len(sentences) - MOST_FATES),
        found.fates,
        _on_one_scale(view.timeline, there.world.timeline()),
    )


def _on_one_scale(here: Timeline, there: Timeline) -> tuple[str, str]:
    """Return pictures of two timelines in which one instant is at one place."""
    begin, end = min(here.begin, there.begin), max(here.end, there.end)
    pictures = [
        TimelinePicture(window(timeline, begin, end), name=name).svg()
        for timeline, name in ((here, "tl-here"), (there, "tl-there"))
    ]
    return pictures[0], pictures[1]
