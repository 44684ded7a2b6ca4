"""Lessons and exercises to read: what a scenario leads to, as far as it is there. They are done elsewhere."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from flask import Blueprint, abort, render_template

from exercises.grader.catalogue import EXERCISES
from jobqueue.simulation import Scenario
from webui.jupyter_server import NOTEBOOKS

reading = Blueprint("reading", __name__)


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a lesson."""

    text: str
    is_code: bool


@dataclass(frozen=True, slots=True)
class Further:
    """What a scenario leads to; empty where there is nothing yet."""

    lesson: str
    exercise: str


def further_of(scenario: Scenario) -> Further:
    """Return the lesson and the exercise of a scenario, by the names that their pages have."""
    lesson = scenario.lesson if scenario.lesson in _lessons() else ""
    return Further(lesson, scenario.exercise if scenario.exercise in _exercises() else "")


@cache
def _lessons() -> dict[str, Path]:
    return {path.stem: path for path in sorted(NOTEBOOKS.glob("*.ipynb"))}


@cache
def _exercises() -> dict[str, Path]:
    return {path.parent.name.partition("_")[0]: path for path in sorted(EXERCISES.glob("ex*_*/task.md"))}


@reading.get("/lessons/<name>")
def lesson(name: str) -> str:
    """Show a lesson, without running it."""
    path = _lessons().get(name)
    if path is None:
        abort(404, "There is no such lesson.")
    cells = [
        Cell("".join(cell["source"]), cell["cell_type"] == "code")
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
    ]
    return render_template("lesson.html", name=name, cells=[cell for cell in cells if cell.text.strip()])


@reading.get("/exercises/<name>")
def exercise(name: str) -> str:
    """Show the task of an exercise."""
    path = _exercises().get(name)
    if path is None:
        abort(404, "There is no such exercise.")
    return render_template("exercise.html", name=name, text=path.read_text(encoding="utf-8"))
