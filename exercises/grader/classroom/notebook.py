"""An exercise as a notebook that nbgrader knows: the task, a cell for the answer, a locked one for the points.

nbgrader takes the number that a test cell shows as the points earned, so partial points count there too. It is
written as plain values: making one needs neither Jupyter nor nbgrader.
Source: the notebook format 4.5, and nbgrader's cell metadata, schema version 3.
"""

import ast
import importlib
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from exercises.grader.errors import ExerciseError
from exercises.grader.judging.catalogue import Exercise
from exercises.grader.judging.syntax import parse

HOLE = re.compile(r"^([ \t]*)raise NotImplementedError\(.*\)$", re.MULTILINE)
MAGIC = re.compile(
    r"get_ipython\(\)\.(run_line_magic|run_cell_magic|getoutput|system)\(.*\)$", re.MULTILINE
)  # what IPython makes of one
LARGEST_NOTEBOOK_BYTES = 10_000_000  # with pictures in it
HOW = """\
Write your whole answer into the next cell, imports too, and run it; then run the one after it, which checks
the cell's text in a fresh process. It needs jobkit where this notebook's kernel runs. Cells of your own are
good for trying things out; they are not graded. Where the text says `jobkit check`, run the last cell."""

TEST = """\
try:
    from exercises.grader.classroom.in_notebook import points
except ImportError:
    raise SystemError("Not graded: jobkit isn't installed where this kernel runs. Install it there.") from None

points("{short}")"""


class BadNotebookError(ExerciseError):
    """A notebook that was handed in holds no answer."""


def notebook(exercise: Exercise, *, source: bool = False) -> dict[str, Any]:
    """Make the notebook.

    Args:
        exercise: What it asks.
        source: Whether nbgrader's marks stand around each hole, for `nbgrader generate_assignment`. Without
            them it is what learners get.
    """
    starter = exercise.text("starter.py").rstrip("\n")
    cells = [
        _cell("task", exercise.text("task.md").rstrip("\n"), "markdown", locked=True),
        _cell("how", HOW, "markdown", locked=True),
        _cell("answer", with_marks(starter) if source else starter, "code", solution=True),
        _cell("points", _test(exercise), "code", locked=True, points=exercise.points),
    ]
    for cell in cells:
        cell["metadata"]["nbgrader"]["grade_id"] = f"{exercise.id}_{cell['id']}"
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}


def with_marks(starter: str) -> str:
    r"""Put nbgrader's marks around each hole.

    >>> print(with_marks("def f():\n    raise NotImplementedError('f')"))
    def f():
        ### BEGIN SOLUTION
        raise NotImplementedError('f')
        ### END SOLUTION
    """
    return HOLE.sub(r"\1### BEGIN SOLUTION\n\g<0>\n\1### END SOLUTION", starter)


def write_notebook(exercise: Exercise, path: Path, *, source: bool = False, replace: bool = False) -> None:
    """Write the notebook to a file.

    Raises:
        ExerciseError: Something lies there already.
        OSError: The system does not allow it.
    """
    if path.is_dir():
        raise ExerciseError(f"{path} is a folder. Name a file in it, like {path / exercise.short}.ipynb.")
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(notebook(exercise, source=source), indent=1, ensure_ascii=False) + "\n"
    try:
        with path.open("w" if replace else "x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise ExerciseError(
            f"{path} is there already and stays as it is. Another name, or --replace?"
        ) from None


def answer_in(exercise: Exercise, content: bytes) -> str:
    """Take the answer out of a notebook that was handed in: the last cell that defines what is asked for.

    Raises:
        BadNotebookError: It is no notebook, or none of its cells is an answer.
    """
    try:
        cells = json.loads(content)["cells"]
        codes = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise BadNotebookError("It is no notebook that can be read.") from None
    answer = newest_answer(exercise, codes)
    if answer is None:
        raise BadNotebookError(f"No cell of the notebook defines {', '.join(defined(exercise))}.")
    return answer


def newest_answer(exercise: Exercise, cells: Sequence[str]) -> str | None:
    """Find the newest cell that defines what the starter leaves to write, whether Python can read it or not."""
    wanted = [re.compile(rf"^(?:async )?(?:def|class) {name}\b", re.MULTILINE) for name in defined(exercise)]
    for cell in reversed(cells):
        if wanted and all(pattern.search(cell) for pattern in wanted):
            return as_python(cell)
    return None


def as_python(cell: str) -> str:
    r"""Read a cell as Jupyter does, line by line: of its magics and shell commands only Python is left.

    >>> as_python("%%exercise ex03\n%load_ext webui.jupyter\nx = !ls\n")
    '\nNone\nx = None\n'
    """
    first, newline, rest = cell.partition("\n")
    if first.startswith("%%"):
        return newline + as_python(rest)
    try:
        transform = importlib.import_module("IPython.core.inputtransformer2").TransformerManager()

        read: str = transform.transform_cell(cell)
    except (ImportError, SyntaxError, ValueError):
        return cell
    return cell if read.rstrip("\n") == cell.rstrip("\n") else MAGIC.sub("None", read)


def defined(exercise: Exercise) -> list[str]:
    """The names at the top of the starter in which something is to write; all of them if there is no hole."""
    tree = parse(exercise.text("starter.py"))
    parts = [one for one in tree.body if isinstance(one, ast.ClassDef | ast.FunctionDef)]
    return [one.name for one in parts if "NotImplementedError" in ast.unparse(one)] or [
        one.name for one in parts
    ]


def _test(exercise: Exercise) -> str:
    return TEST.format(short=exercise.short)


def _cell(
    name: str, text: str, kind: str, *, solution: bool = False, locked: bool = False, points: int | None = None
) -> dict[str, Any]:
    meta: dict[str, Any] = {"schema_version": 3, "grade": points is not None, "solution": solution}
    meta |= {"locked": locked, "task": False}
    if points is not None:
        meta["points"] = points
    cell: dict[str, Any] = {"id": name, "cell_type": kind, "source": text.splitlines(keepends=True)}
    cell["metadata"] = {"nbgrader": meta}
    if locked:
        cell["metadata"] |= {"deletable": False, "editable": False}
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    return cell
