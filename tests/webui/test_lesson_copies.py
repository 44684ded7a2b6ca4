"""The learner's copies of the lessons: made once, never overwritten, and told when they are not today's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from webui.jupyter import lab
from webui.jupyter.lab import copy_lessons


def notebook(*sources: Any, outputs: tuple[str, ...] = ()) -> str:
    """Return a notebook as text; a source may be one text or a list of lines."""
    return json.dumps({"cells": [{"source": source, "outputs": list(outputs)} for source in sources]})


@pytest.fixture
def kit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a kit of two lessons."""
    kit = tmp_path / "kit"
    kit.mkdir()
    for name in ("00_start.ipynb", "01_life.ipynb"):
        (kit / name).write_text(notebook("one\n", "two"), encoding="utf-8")
    monkeypatch.setattr(lab, "NOTEBOOKS", kit)
    return kit


def test_all_lessons_are_copied_where_there_are_none(kit: Path, tmp_path: Path) -> None:
    """Into a folder that need not exist, byte by byte, and none is outdated."""
    folder = tmp_path / "answers" / "lessons"
    assert copy_lessons(folder) == []
    assert {path.name: path.read_bytes() for path in folder.glob("*.ipynb")} == {
        path.name: path.read_bytes() for path in kit.iterdir()
    }


@pytest.mark.usefixtures("kit")
def test_a_copy_is_never_overwritten(tmp_path: Path) -> None:
    """What the learner wrote stays, and a lesson that is missing is added."""
    copy_lessons(tmp_path)
    mine = notebook("one", "my own words")
    (tmp_path / "00_start.ipynb").write_text(mine, encoding="utf-8")
    (tmp_path / "01_life.ipynb").unlink()
    assert copy_lessons(tmp_path) == [], "what the learner has changed makes no copy outdated"
    assert (tmp_path / "00_start.ipynb").read_text(encoding="utf-8") == mine
    assert (tmp_path / "01_life.ipynb").exists()


@pytest.mark.usefixtures("kit")
def test_outputs_make_no_copy_outdated(tmp_path: Path) -> None:
    """A lesson that was only run says the same, whether its cells are kept as a text or as lines."""
    copy_lessons(tmp_path)
    run = notebook(["one\n"], ["t", "wo"], outputs=("42",))
    (tmp_path / "00_start.ipynb").write_text(run, encoding="utf-8")
    assert copy_lessons(tmp_path) == []


def test_a_lesson_that_the_kit_has_changed_is_named(kit: Path, tmp_path: Path) -> None:
    """The old copy stays, and its name is told."""
    copy_lessons(tmp_path)
    (kit / "01_life.ipynb").write_text(notebook("one", "two", "three"), encoding="utf-8")
    assert copy_lessons(tmp_path) == ["01_life.ipynb"]
    (tmp_path / "01_life.ipynb").unlink()
    assert copy_lessons(tmp_path) == []


def test_copies_run_without_jobkit_lab(tmp_path: Path) -> None:
    """VS Code, Notebook 7 and nbconvert start a Python in the copy's folder: `import lesson` works there."""
    copy_lessons(tmp_path)
    code = "import lesson; from lesson import story; print(lesson.__file__); lesson.installed()"
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()) == lab.NOTEBOOKS / "lesson.py"


def test_copies_in_a_python_without_the_kit_say_what_to_do(tmp_path: Path) -> None:
    """Not `No module named ...`: which kernel to choose."""
    copy_lessons(tmp_path)
    command = [sys.executable, "-S", "-c", "import lesson"]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert "Choose the Python of the kit's .venv" in done.stderr


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"cells": 5}', '{"cells": [{}]}', "<<<<<<< mine"])
@pytest.mark.usefixtures("kit")
def test_a_copy_that_cannot_be_read_is_named_and_stays(tmp_path: Path, text: str) -> None:
    """A half-written notebook is the learner's all the same."""
    copy_lessons(tmp_path)
    (tmp_path / "00_start.ipynb").write_text(text, encoding="utf-8")
    assert copy_lessons(tmp_path) == ["00_start.ipynb"]
    assert (tmp_path / "00_start.ipynb").read_text(encoding="utf-8") == text
