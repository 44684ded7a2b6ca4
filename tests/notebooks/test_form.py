"""How notebooks are written: short cells, working links, nothing in git but what a person wrote."""

import ast
import re
import subprocess
import sys
from statistics import median
from typing import Any

import lesson  # type: ignore[import-not-found]
import nbformat
import pytest

from jobqueue.simulation import find_scenario, run
from jobqueue.simulation.trace import trace
from tests.notebooks.cells import LESSONS, NAMES, NOTEBOOKS, code_cells, prose, read
from tests.notebooks.cells import run as run_cells

LINK = re.compile(r"\[[^\]]+\]\(([^)\s]+)\)")
TIME = re.compile(r"\b(\d+\.\d+)\s(?:s\b)")
EXERCISE = re.compile(r"\b(ex\d\d)\b")
ASKING = (lesson.Box, list)
"""What a box offers was typed, the wrong answers too; all else that a cell shows comes from a queue."""

TIMES_OF = [
    ("01_life_of_a_job", "life_of_a_job", "2.087 3.087 4.544 9.992 14.5"),
    ("02_leases_and_expiry", "late_poll", "2.0 5.0 60.0 1.0"),
    ("03_zombies_and_fencing", "zombie", "30.0 31.0 35.0 41.0"),
    ("04_backoff_and_jitter", "backoff", "1.5 2.0 4.0 20.0 3.5"),
    ("05_dead_letters_and_redrive", "redrive", "4.5 15.0 20.0 20.5"),
]
"""Each lesson with its scenario, and times without which its text would not tell its story."""


@pytest.mark.parametrize("name", NAMES)
def test_git_holds_no_outputs(name: str) -> None:
    """A notebook is valid, in format 4.5, and has neither outputs nor counts nor a machine's metadata."""
    notebook = read(name)
    nbformat.validate(notebook)
    assert (notebook.nbformat, notebook.nbformat_minor) == (4, 5)
    assert set(notebook.metadata) <= {"kernelspec", "language_info"}
    assert notebook.metadata.kernelspec.name == "python3"
    assert [cell.id for cell in notebook.cells if cell.get("outputs") or cell.get("execution_count")] == []
    assert [cell.id for cell in notebook.cells if cell.metadata] == []


def test_nbstripout_has_nothing_to_take_away() -> None:
    """`nbstripout --keep-id --verify` passes."""
    files = [str(NOTEBOOKS / f"{name}.ipynb") for name in NAMES]
    command = [sys.executable, "-m", "nbstripout", "--keep-id", "--verify", *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", NAMES)
def test_cell_ids_are_names(name: str) -> None:
    """Each cell has its own id, made of words, so that a change of one cell is a change of one cell."""
    ids = [cell.id for cell in read(name).cells]
    assert len(set(ids)) == len(ids)
    assert [i for i in ids if not re.fullmatch(r"[a-z]+(-[a-z]+)*", i)] == []


@pytest.mark.parametrize("name", NAMES)
def test_the_first_code_cell_imports_the_queue_and_the_lesson(name: Any) -> None:
    """The first code cell imports from jobqueue and lesson and does nothing else; no later cell imports."""
    first, *later = code_cells(name).values()
    imported: set[Any] = set()
    for statement in ast.parse(first).body:
        assert isinstance(statement, (ast.Import, ast.ImportFrom))
        is_from = isinstance(statement, ast.ImportFrom)
        imported |= {statement.module} if is_from else {alias.name for alias in statement.names}  # type: ignore[union-attr]
    assert imported == {"jobqueue", "lesson"}
    assert not [s for s in later for n in ast.walk(ast.parse(s)) if isinstance(n, (ast.Import, ast.ImportFrom))]


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_has_a_few_short_cells(name: str) -> None:
    """A lesson has 25 to 40 cells; half of its code cells have at most 8 lines, none more than 16."""
    cells = read(name).cells
    lengths = [len(source.splitlines()) for source in code_cells(name).values()]
    assert 25 <= len(cells) <= 40
    assert median(lengths) <= 8
    assert max(lengths) <= 16
    assert max(len(cell.source) for cell in cells if cell.cell_type == "markdown") <= 1400


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_says_what_it_is(name: str) -> None:
    """The first cell names goal, time, what comes before, the exercise, and one question."""
    first = read(name).cells[0].source
    for word in ("**Goal:**", "**Time:**", "**Before this:**", "**Exercise:**", "## The question"):
        assert word in first
    assert first.count("?**") == 1


@pytest.mark.parametrize("name", NAMES)
def test_links_lead_somewhere(name: str) -> None:
    """A link points to a file that exists; nothing links to a lesson that is not written yet."""
    links = LINK.findall(prose(name))
    assert links
    assert [link for link in links if not (NOTEBOOKS / link).is_file()] == []


@pytest.mark.parametrize("name", NAMES)
def test_named_exercises_exist(name: str) -> None:
    """Every exercise that a notebook names is there; a lesson whose exercise is not written yet names none."""
    named = set(EXERCISE.findall(prose(name)))
    assert [e for e in named if not list((NOTEBOOKS.parent / "exercises").glob(f"{e}_*"))] == []


@pytest.mark.parametrize(("name", "scenario", "needed"), TIMES_OF)
def test_times_in_the_text_come_from_the_queue(name: str, scenario: Any, needed: Any) -> None:
    """Each time that the text names is one that the scenario's trace or the lesson's own cells show too."""
    session, told = run_cells(name), trace(run(find_scenario(scenario)))
    shown = [each for outputs in session.shown.values() for each in outputs if not isinstance(each, ASKING)]
    assert set(needed.split()) <= set(TIME.findall("\n".join(cell.source for cell in read(name).cells)))
    assert set(TIME.findall(prose(name))) <= set(TIME.findall("\n".join(map(str, [told, *shown]))))
