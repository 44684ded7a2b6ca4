"""The cell magic `%%exercise`: the same file and the same verdict as in a terminal."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from exercises.grader.judging.catalogue import find
from tests.notebooks.cells import NOTEBOOKS, ROOT

EX03 = find("ex03")
OWN = EX03.text("solution.py").replace("is not the token of a current lease on", "does not open")
WRONG = OWN.replace("now >= job.lease_until", "now > job.lease_until")


pytestmark = pytest.mark.usefixtures("no_board")


@pytest.fixture
def lessons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A folder with one lesson in it, beside which the answers will lie; Jupyter's own files elsewhere."""
    for folder in ("CONFIG", "DATA", "RUNTIME"):
        monkeypatch.setenv(f"JUPYTER_{folder}_DIR", str(tmp_path / folder.lower()))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), str(NOTEBOOKS)]))
    folder = tmp_path / "lessons"  # type: ignore[assignment]
    folder.mkdir()  # type: ignore[attr-defined]
    (folder / "lesson.ipynb").write_text("{}", encoding="utf-8")  # type: ignore[operator]
    return folder


def shown(lessons: Any, *cells: Any) -> Any:
    """What each cell shows as text, in a fresh kernel."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])  # type: ignore[no-untyped-call]
    resources = {"metadata": {"path": str(lessons)}}
    NotebookClient(
        notebook, timeout=120, kernel_name="python3", shutdown_kernel="immediate", resources=resources
    ).execute()
    told = [[output["data"]["text/plain"] for output in cell.outputs] for cell in notebook.cells]
    return ["".join(one).rstrip() for one in told]


def in_a_terminal(lessons: Any) -> Any:
    """What `jobkit check ex03` says beside the lessons."""
    command = [sys.executable, "-m", "webui.cli", "check", "ex03"]
    done = subprocess.run(command, cwd=lessons.parent, capture_output=True, encoding="utf-8", check=False)
    return done.stdout.rstrip(), done.returncode


@pytest.mark.long
def test_the_verdict_is_the_same_as_in_the_terminal(lessons: Any) -> None:
    """Word for word, for a wrong answer and then for a right one; the file holds the cell."""
    file = lessons.parent / "answers" / "ex03_tokens.py"
    _, wrong = shown(lessons, "import lesson", f"%%exercise ex03\n{WRONG}")
    assert wrong.startswith("At the very instant of its end a lease is over")
    assert file.read_text(encoding="utf-8").strip() == WRONG.strip()
    assert in_a_terminal(lessons) == (wrong, 1)
    _, right, twice = shown(lessons, "import lesson", *[f"%%exercise ex03\n{OWN}"] * 2)
    assert right.startswith("What was in ex03_tokens.py is now in ex03_tokens.backup-1.py.")
    assert twice.startswith("All 39 checks pass.")
    assert in_a_terminal(lessons) == (twice, 0)
    assert sorted(path.name for path in file.parent.glob("*.py")) == [
        "ex03_tokens.backup-1.py",
        "ex03_tokens.py",
    ]


def test_an_unknown_name_is_answered_in_one_line_and_nothing_is_written(lessons: Any) -> None:
    """As in the terminal, with a suggestion."""
    _, said = shown(lessons, "%load_ext lesson_exercise", "%%exercise ex99_nothing\npass")
    assert said.startswith("There is no exercise 'ex99_nothing'.")
    assert not (lessons.parent / "answers").exists()


def test_in_the_lab_the_answer_lies_where_the_terminal_looks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lab's copies of the lessons are in answers/lessons; a second `answers` in there would help nobody."""
    monkeypatch.syspath_prepend(str(NOTEBOOKS))
    from lesson_exercise import folder  # type: ignore[import-not-found]  # noqa: PLC0415  it stands beside the lessons

    for below, expected in (
        ("answers/lessons", tmp_path),
        ("answers", tmp_path),
        ("elsewhere", tmp_path / "elsewhere"),
    ):
        (tmp_path / below).mkdir(parents=True, exist_ok=True)
        monkeypatch.chdir(tmp_path / below)
        assert folder() == expected
