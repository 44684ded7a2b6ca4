"""Lessons and exercises to read: what a scenario leads to, as far as it is there. They are done elsewhere."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from flask import Blueprint, abort, render_template, url_for
from markupsafe import Markup

from exercises.grader.judging.catalogue import EXERCISES
from jobqueue.simulation import Scenario
from webui.board.markdown import prose
from webui.jupyter.lab import NOTEBOOKS

texts = Blueprint("texts", __name__)


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a lesson."""

    text: str | Markup
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


@texts.get("/lessons/<name>")
def lesson(name: str) -> str:
    """Show a lesson, without running it."""
    path = _lessons().get(name)
    if path is None:
        abort(404, "There is no such lesson.")
    written = [
        ("".join(cell["source"]), cell["cell_type"] == "code")
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
    ]
    title, written[0] = _titled(written[0][0]), (_untitled(written[0][0]), written[0][1])
    cells = [
        Cell(text if is_code else prose(text, _place), is_code) for text, is_code in written if text.strip()
    ]
    return render_template("lesson.html", name=name, title=title, cells=cells)


@texts.get("/exercises/<name>")
def exercise(name: str) -> str:
    """Show the task of an exercise."""
    path = _exercises().get(name)
    if path is None:
        abort(404, "There is no such exercise.")
    text = path.read_text(encoding="utf-8")
    return render_template("exercise.html", name=name, title=_titled(text), text=prose(_untitled(text), _place))


def _titled(text: str) -> str:
    """Return the words of a text's first line, which is its heading."""
    return text.partition("\n")[0].lstrip("# ").strip()


def _untitled(text: str) -> str:
    return text.partition("\n")[2]


def _place(address: str) -> str | None:
    """Return where a link leads: to a lesson or an exercise of the site, or to an address on the web."""
    name = address.rpartition("/")[2].removesuffix(".ipynb")
    if address.startswith(("https://", "http://")):
        return address
    if name in _lessons():
        return url_for("texts.lesson", name=name)
    return url_for("texts.exercise", name=name) if name in _exercises() else None
