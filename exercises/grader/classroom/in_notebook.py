"""What an exercise notebook's cells call: check the answer's cell in a fresh process and give the points."""

import builtins
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from exercises.grader.classroom.notebook import defined, newest_answer
from exercises.grader.explaining import report
from exercises.grader.judging import runner
from exercises.grader.judging.catalogue import find


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


def _cells_run() -> list[str]:
    """The texts of this notebook's cells as they were typed; a cell that failed is among them."""
    shell: Any = getattr(builtins, "get_ipython", lambda: None)()
    return list(shell.history_manager.input_hist_raw) if shell is not None else []
