"""Reading notebooks, and running their cells in this process, in any order."""

import ast
import contextlib
import io
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import nbformat

ROOT = Path(__file__).parents[2]
NOTEBOOKS = ROOT / "notebooks"
NAMES = sorted(path.stem for path in NOTEBOOKS.glob("*.ipynb"))
LESSONS = [name for name in NAMES if not name.startswith("00")]


def read(name: str) -> Any:
    """Return a notebook."""
    return nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)  # type: ignore[no-untyped-call]


def code_cells(name: str) -> Any:
    """Return the sources of the code cells by their ids, top to bottom."""
    return {cell.id: cell.source for cell in read(name).cells if cell.cell_type == "code"}


def prose(name: str) -> Any:
    """Return all text between the code cells."""
    return "\n\n".join(cell.source for cell in read(name).cells if cell.cell_type == "markdown")


@dataclass
class Session:
    """What a kernel is: names, and for each cell that was run what it showed, or how it failed."""

    names: dict[str, Any] = field(default_factory=dict)
    shown: dict[str, list[Any]] = field(default_factory=dict)
    failed: dict[str, Exception] = field(default_factory=dict)

    def run(self, cell_id: Any, source: Any) -> None:
        """Run a cell; an exception is kept, as a kernel does, and the next cell may be run all the same."""
        shown = self.shown[cell_id] = []
        self.names["display"] = shown.append
        *statements, last = ast.parse(source).body
        try:
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                if isinstance(last, ast.Expr):
                    exec(compile(ast.Module(statements, []), cell_id, "exec"), self.names)  # noqa: S102
                    shown.append(eval(compile(ast.Expression(last.value), cell_id, "eval"), self.names))  # noqa: S307
                else:
                    exec(compile(ast.Module([*statements, last], []), cell_id, "exec"), self.names)  # noqa: S102
        except Exception as error:
            self.failed[cell_id] = error
        shown.append(printed.getvalue())

    def text(self, cell_id: Any) -> Any:
        """Return everything that a cell showed, as text."""
        return "\n".join(map(str, self.shown[cell_id]))


def run(name: str, order: Any = None) -> Any:
    """Run a notebook's cells, from top to bottom or in a given order of their ids."""
    cells, session = code_cells(name), Session()
    for cell_id in order or cells:
        session.run(cell_id, cells[cell_id])
    return session
