"""What the lessons show things with: pictures, sentences, boxes for guesses, and the board.

Nothing is computed here. The queue decides, its events are told by `jobqueue.simulation`, and this module
only chooses how a notebook shows them. Every picture has words too, for a terminal and for those who listen.
"""

import builtins
import inspect
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple
from zlib import crc32

from lesson_charts import bars
from lesson_exercise import register
from lesson_own import own
from lesson_questions import Box, Quiz, compare, predict, quiz
from lesson_setup import installed
from lesson_shown import Shown, card

from jobqueue import EventKind, EventLog, JobQueueError, RetryPolicy
from jobqueue.simulation import World, find_scenario
from jobqueue.simulation.diagram import LifeDiagram, path_of
from jobqueue.simulation.narration import Sentence, narrate
from jobqueue.simulation.picture import TimelinePicture
from jobqueue.simulation.svg import tag
from jobqueue.simulation.timeline import timeline as timeline_of
from jobqueue.simulation.units import seconds
from webui.jupyter.embed import board_address

__all__ = [
    "Box",
    "Quiz",
    "Shown",
    "attempt",
    "bars",
    "board",
    "code",
    "compare",
    "done_by",
    "facts",
    "installed",
    "life",
    "own",
    "predict",
    "quiz",
    "same",
    "scenario",
    "seconds",
    "story",
    "timeline",
]

# Python has this name only in a shell of IPython's, and only there is somebody who could use the magic.
register(getattr(builtins, "get_ipython", lambda: None)())

_BOARD_HEIGHT = 760
_CELL = "text-align:left;vertical-align:top;padding:3px 12px 3px 0"
_LISTING = "font:13px/1.45 ui-monospace,'DejaVu Sans Mono',monospace;overflow-x:auto;margin:4px 0"
_QUIET = "white-space:nowrap;opacity:.75;font-variant-numeric:tabular-nums"


class Fact(NamedTuple):
    """What must be the same wherever an event is shown."""

    seq: int
    at: int
    kind: str
    job_id: str | None
    worker_id: str | None
    attempt: int
    generation: int


def scenario(name: str, until: int | None = None) -> World:
    """Let the simulator play a scenario of the board, and return its world.

    Args:
        name: which one, such as "zombie".
        until: the instant at which to stop, in milliseconds; by default it is played to its end.
    """
    world = World(find_scenario(name))
    if until is not None:
        world.advance_to(until)
        return world
    while world.step():
        pass
    return world


def facts(source: World | EventLog) -> list[Fact]:
    """Return the events of a log, or of a world, reduced to what can be compared."""
    log = source.log if isinstance(source, World) else source
    return [Fact(e.seq, e.at, str(e.kind), e.job_id, e.worker_id, e.attempt, e.generation) for e in log]


def attempt(operation: Callable[..., object], *arguments: object) -> str:
    """Call an operation of a queue; say whether it was accepted, or why it was refused."""
    try:
        operation(*arguments)
    except JobQueueError as refusal:
        return f"refused: {refusal}"
    return "accepted"


def done_by(log: EventLog, job_id: str) -> str:
    """Return who completed a job, and when, according to the log."""
    ends = (e for e in log if e.job_id == job_id and e.kind is EventKind.COMPLETED)
    return next((f"{end.worker_id} at {seconds(end.at)}" for end in ends), "nobody")


def same(mine: World | EventLog, other: World | EventLog) -> Shown:
    """Say whether two runs tell the same events: same order, instants, jobs, workers and tokens."""
    ours, theirs = facts(mine), facts(other)
    if ours == theirs:
        words = f"The same, event for event: {len(ours)} events."
        return Shown(card([words], right=True), words)
    at = next((i for i, pair in enumerate(zip(ours, theirs, strict=False)) if pair[0] != pair[1]), None)
    where = f"{len(ours)} events here, {len(theirs)} there" if at is None else f"they part at event {at + 1}"
    words = f"Not the same: {where}. Restart the kernel and run the cells from top to bottom."
    return Shown(card([words], right=False), words)


def timeline(source: World | EventLog, now: int | None = None, zombies: Iterable[str] = ()) -> Shown:
    """Draw who held which job from when to when: the picture of the board.

    Args:
        source: a log, or a world.
        now: the instant at which to look at a log; by default that of its last event.
        zombies: tokens of those who go on working and do not know that they have lost the job.
    """
    if isinstance(source, World):
        drawn = source.timeline()
    else:
        events = source.events
        latest = events[-1].at if events else 0
        workers = dict.fromkeys(e.worker_id for e in events if e.worker_id)
        drawn = timeline_of(events, workers, latest if now is None else now, zombies)
    # Ids must differ between the pictures of a page, and be the same in every run.
    picture = TimelinePicture(drawn, standalone=True, name=f"tl{crc32(repr(drawn).encode()):08x}")
    return Shown(picture.svg(), picture.summary())


def life(source: World | EventLog, job_id: str) -> Shown:
    """Draw the states that a job can be in, and the way that this one took."""
    log = source.log if isinstance(source, World) else source
    diagram = LifeDiagram(path_of(log, job_id), job_id, standalone=True)
    return Shown(diagram.svg(), diagram.summary())


def story(source: World | EventLog, policy: RetryPolicy | None = None, last: int | None = None) -> Shown:
    """Tell what happened, in sentences.

    Args:
        source: a log, or a world, which also tells what no queue can see.
        policy: the queue's own, for "attempt 1 of 3"; a world knows it.
        last: only so many sentences, the newest.
    """
    if isinstance(source, World):
        entries, policy = source.chronicle.entries, source.scenario.policy
    elif policy is None:
        raise TypeError("story: give it the queue's policy too, as story(log, policy)")
    else:
        entries = source.events
    chosen = entries if last is None else entries[max(0, len(entries) - last) :]
    sentences = [narrate(entry, policy.max_attempts) for entry in chosen]
    return Shown(_table(sentences), "\n".join(_line(sentence) for sentence in sentences))


def code(part: Callable[..., Any]) -> Shown:
    """Show the lines of the kit's own code that do something, and where they are written."""
    lines, first = inspect.getsourcelines(part)
    where = f"{part.__module__.replace('.', '/')}.py, line {first}"
    text = inspect.cleandoc("\n" + "".join(lines))
    html = tag("small", where) + tag("pre", text, style=_LISTING)
    return Shown(html, f"{where}\n\n{text}")


def board(name: str | None = None) -> Shown:
    """Show the board right here: of one scenario, or with all of them to choose from.

    It is the one at the address in JOBKIT_BOARD, if that is set, or else one that the notebook itself serves.
    """
    path = "" if name is None else f"scenarios/{find_scenario(name).name}"
    address = board_address() + path
    frame = tag(
        "iframe",
        src=address,
        title="The board" if name is None else f"The board: {name}",
        width="100%",
        height=_BOARD_HEIGHT,
        style="border:1px solid #dcd8cc;border-radius:8px;background:#f6f5f1",
    )
    link = tag("a", "Open it in a tab of its own", href=address, target="_blank", rel="noopener")
    return Shown(f"{frame}<p><small>{link}</small></p>", f"The board: {address}")


# -- words -------------------------------------------------------------------------------------------------


def _line(sentence: Sentence) -> str:
    return f"{seconds(sentence.at):>8}  {sentence.who:<8}  {sentence.text}"


def _table(sentences: Iterable[Sentence]) -> str:
    return tag("table", raw="".join(_row(sentence) for sentence in sentences), style="margin:0")


def _row(sentence: Sentence) -> str:
    loud = "font-weight:700" if sentence.kind == "refused" else ""
    why = f"Rule: {sentence.rule.text}" if sentence.rule else ""
    cells = [
        tag("td", seconds(sentence.at), style=f"{_CELL};{_QUIET};text-align:right"),
        tag("td", raw=tag("b", sentence.who), style=_CELL),
        tag("td", sentence.text, style=f"{_CELL};{loud}", title=why),
    ]
    return tag("tr", raw="".join(cells))
