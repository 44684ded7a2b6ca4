"""Is everything there? What the first lesson checks, in plain words, and what to do where something is not."""

import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

from lesson_shown import Shown, card

from jobqueue.simulation.svg import tag

_OLDEST_PYTHON = (3, 11)
_WITH_JUPYTER = "Stop Jupyter, and start it from the kit's folder with: make lab"
_AGAIN = "In the kit's folder, run: make clean, then: make lab"


class Finding(NamedTuple):
    """One thing that was looked for. `found` is None where it is missing, and then `advice` helps."""

    what: str
    needed_for: str
    found: str | None
    advice: str


def installed() -> Shown:
    """Look for everything that the lessons need, and say what to do about what is missing."""
    findings = look()
    missing = [finding for finding in findings if finding.found is None]
    ending = "Everything is here." if not missing else f"{len(missing)} of {len(findings)} missing: see above."
    text = "\n".join([*map(_line, findings), ending])
    rows = tag("table", raw="".join(map(_row, findings)), style="margin:0")
    return Shown(card([rows, tag("b", ending)], right=not missing), text)


def look() -> list[Finding]:
    """Return what was found and what not."""
    python = f"{sys.version_info.major}.{sys.version_info.minor}"
    new_enough = sys.version_info >= _OLDEST_PYTHON
    return [
        Finding("Python", "everything", python if new_enough else None, "Install Python 3.11 or newer."),
        _package("jobkit", "the queue itself", _AGAIN),
        _package("jupyterlab", "these notebooks", _WITH_JUPYTER),
        _package("ipywidgets", "buttons; without it you type your guesses", _WITH_JUPYTER),
        _working("board", "watching a queue", lambda: import_module("webui").create_app() and "ready", _AGAIN),
        _working("exercises", "building one yourself", _exercises, _AGAIN),
    ]


def _package(name: str, needed_for: str, advice: str) -> Finding:
    try:
        return Finding(name, needed_for, version(name), advice)
    except PackageNotFoundError:
        return Finding(name, needed_for, None, advice)


def _working(what: str, needed_for: str, attempt: Callable[[], str], advice: str) -> Finding:
    try:
        return Finding(what, needed_for, attempt(), advice)
    except Exception as problem:  # whatever is broken, the learner needs a sentence and no traceback
        return Finding(what, needed_for, None, f"{advice} ({type(problem).__name__}: {problem})")


def _exercises() -> str:
    every = import_module("exercises.grader.judging.catalogue").catalogue()
    if not every:
        raise LookupError("no exercise was found")
    return ", ".join(exercise.short for exercise in every)


def _line(finding: Finding) -> str:
    mark = "ok     " if finding.found is not None else "MISSING"
    return f"{mark}  {finding.what:<11} {_state(finding)}"


def _state(finding: Finding) -> str:
    if finding.found is None:
        return f"needed for {finding.needed_for}. {finding.advice}"
    return f"{finding.found}, for {finding.needed_for}"


def _row(finding: Finding) -> str:
    mark = "✓" if finding.found is not None else "✗ missing"
    cells: Iterable[str] = (mark, finding.what, _state(finding))
    style = "text-align:left;vertical-align:top;padding:2px 14px 2px 0"
    return tag("tr", raw="".join(tag("td", cell, style=style) for cell in cells))
