"""The cell magic `%%exercise ex03`: writes the cell into the answer file and checks it, as in a terminal.

It only carries: the file is the one that `jobkit start` makes, and the words are those of `jobkit check`, run
in a process of its own. So the verdict is the same, whatever the notebook's kernel has been through.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any

from lesson_shown import Shown, card

from exercises.grader.errors import ExerciseError
from exercises.grader.judging.answers import FOLDER, AnswerFile
from exercises.grader.judging.catalogue import find
from jobqueue.simulation.svg import tag

_PRE = "font:13px/1.45 ui-monospace,'DejaVu Sans Mono',monospace;white-space:pre-wrap;margin:4px 0"
_WRITTEN: dict[Path, str] = {}
"""What cells of this kernel wrote: only that may be overwritten without keeping it."""


def exercise(line: str, cell: str) -> Shown:
    """Write a cell into the answer file of the exercise named behind `%%exercise`, and check it."""
    try:
        found = find(line)
        answer = AnswerFile.of(found, folder())
        kept = _write(answer, cell, found.text("starter.py"))
    except (ExerciseError, OSError) as problem:
        return _shown(str(problem), right=False)
    command = [sys.executable, "-m", "webui.cli", "check", found.short]
    done = subprocess.run(  # noqa: S603 - our own command
        command, cwd=folder(), capture_output=True, encoding="utf-8", check=False
    )
    return _shown(kept + done.stdout + done.stderr, right=done.returncode == 0)


def folder() -> Path:
    """Where `answers/` lies: around the copies of the lessons, beside other lessons, else here."""
    here = Path.cwd()
    around = next((one for one in (here, *here.parents) if one.name == FOLDER), None)
    if around is not None:
        return around.parent
    return here.parent if any(here.glob("*.ipynb")) else here


def register(shell: Any) -> None:
    """Make the magic known to a notebook's shell; elsewhere there is none, and nothing happens."""
    if shell is not None:
        shell.register_magic_function(exercise, magic_kind="cell", magic_name="exercise")


def load_ipython_extension(shell: Any) -> None:
    """Serve `%load_ext lesson_exercise`, for notebooks that are no lessons."""
    register(shell)


def _write(answer: AnswerFile, cell: str, starter: str) -> str:
    """Write the cell. What somebody else wrote there is kept under another name, and said so."""
    kept = ""
    old = answer.path.read_text(encoding="utf-8") if answer.path.exists() else starter
    if old not in {starter, cell, _WRITTEN.get(answer.path)}:
        backup = answer.keep()
        kept = f"What was in {answer.path.name} is now in {backup.name}.\n\n"
    answer.path.parent.mkdir(parents=True, exist_ok=True)
    answer.path.write_text(cell, encoding="utf-8")
    _WRITTEN[answer.path] = cell
    return kept


def _shown(text: str, *, right: bool) -> Shown:
    return Shown(card([tag("pre", text, style=_PRE)], right=right), text)
