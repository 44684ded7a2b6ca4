"""How the toys are put through a search. Needs nothing but Python, so that every Python here can run it."""

import types
from pathlib import Path

from exercises.grader.interleavings.exploring import Exploration, id_of
from exercises.grader.interleavings.play import Outcome, Play
from exercises.grader.interleavings.points import Points
from exercises.grader.interleavings.schedules import Bounds
from exercises.grader.interleavings.stand_ins import stand_ins
from tests.exercises import toys, toys_right

FILES = [Path(str(module.__file__)) for module in (toys, toys_right)]
CODES = {path.stem: compile(path.read_text(encoding="utf-8"), str(path), "exec") for path in FILES}
POINTS = Points(CODES.values())
WRONG = {toy.__name__ for toy in toys.WRONG}


def play_of(name: str, threads: str = "AB") -> Play:
    """Two threads that poll a toy, and a look afterwards; the toys' file is executed anew for each run."""

    def make() -> object:
        module = types.ModuleType("toys")
        exec(CODES["toys" if name in WRONG else "toys_right"], vars(module))  # noqa: S102  our own toys
        return vars(module)[name]()

    story = {one: [{"method": "poll", "args": [one]}] for one in threads}
    story["after"] = [{"method": "look", "args": []}]
    return Play(
        make,
        story,
        POINTS,
        lambda value: {"kind": "value", "value": repr(value)},
        lambda _: False,
        lambda error: {"kind": "raised", "error": type(error).__name__},
    )


def searched(play: Play, bounds: Bounds | None = None) -> tuple[list[Outcome], dict[str, int]]:
    """All outcomes that a search reports, and what it tried."""
    search, found = Exploration(play, bounds or Bounds()), list[Outcome]()
    while True:
        progress = search.more(1.0)
        found += progress.outcomes
        if progress.done:
            return found, progress.tried


def wrong_among(outcomes: list[Outcome]) -> list[Outcome]:
    """Those that no order of whole calls gives, and those that end nowhere."""
    allowed = [one.calls for one in outcomes if not one.schedule.switches]
    return [one for one in outcomes if one.end or one.calls not in allowed]


def found_ids(name: str, threads: str = "AB") -> list[str]:
    """The ids of the wrong outcomes."""
    with stand_ins():
        play = play_of(name, threads)
        return [id_of(play.tell(one.schedule, trails=True)) for one in wrong_among(searched(play)[0])]
