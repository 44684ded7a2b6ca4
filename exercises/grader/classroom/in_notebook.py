"""What an exercise notebook's cells call: check the answer's cell in a fresh process and give the points."""

import ast
import builtins
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from exercises.grader import report, runner
from exercises.grader.catalogue import Exercise, find

HOLE = "NotImplementedError"


def points(name: str, cells: Sequence[str] | None = None) -> int:
    """Check the newest cell with an answer to this exercise; print the report and return the points.

    Nothing goes to standard error: nbgrader would take it for a failure.

    Args:
        name: The exercise.
        cells: The texts of the cells that were run, oldest first; by default those of this notebook.
    """
    exercise = find(name)
    answer = newest_answer(exercise, _cells_run() if cells is None else cells)
    if answer is None:
        wanted = ", ".join(defined(exercise))
        print(f"No cell that was run defines {wanted}. Run the cell with your answer first.")
        return 0
    result = runner.run(exercise, answer.encode(), Path(f"{exercise.id}.py"))
    print(report.plain(result, exercise))
    return result.points


def newest_answer(exercise: Exercise, cells: Sequence[str]) -> str | None:
    """Find the newest cell that defines what the starter leaves to write, whether Python can read it or not."""
    wanted = [re.compile(rf"^(?:async )?(?:def|class) {name}\b", re.MULTILINE) for name in defined(exercise)]
    for cell in reversed(cells):
        if wanted and all(pattern.search(cell) for pattern in wanted):
            return cell
    return None


def defined(exercise: Exercise) -> list[str]:
    """The names at the top of the starter in which something is to write; all of them if there is no hole."""
    tree = ast.parse(exercise.text("starter.py"))
    parts = [one for one in tree.body if isinstance(one, ast.ClassDef | ast.FunctionDef)]
    return [one.name for one in parts if HOLE in ast.unparse(one)] or [one.name for one in parts]


def _cells_run() -> list[str]:
    """The texts of this notebook's cells as they were typed; a cell that failed is among them."""
    shell: Any = getattr(builtins, "get_ipython", lambda: None)()
    return list(shell.history_manager.input_hist_raw) if shell is not None else []
