"""Searches the schedules of a sample program. Needs nothing but Python, so every Python here can run it."""

import types
from pathlib import Path

from exercises.grader.running.threads.patched_primitives import patched
from exercises.grader.running.threads.play import Outcome, Play
from exercises.grader.running.threads.points import Points
from exercises.grader.running.threads.schedules import Bounds
from exercises.grader.running.threads.search import Exploration, id_of
from tests.exercises import sample_programs, sample_programs_right

FILES = [Path(str(module.__file__)) for module in (sample_programs, sample_programs_right)]
CODES = {path.stem: compile(path.read_text(encoding="utf-8"), str(path), "exec") for path in FILES}
POINTS = Points(CODES.values())
WRONG = {program.__name__ for program in sample_programs.WRONG}


def play_of(name: str, threads: str = "AB") -> Play:
    """Two threads that poll a program, and a look afterwards; its file is executed anew for each run."""

    def make() -> object:
        module = types.ModuleType("sample_programs")
        exec(CODES["sample_programs" if name in WRONG else "sample_programs_right"], vars(module))  # noqa: S102  our own sample programs
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
    with patched():
        play = play_of(name, threads)
        return [id_of(play.tell(one.schedule, trails=True)) for one in wrong_among(searched(play)[0])]
