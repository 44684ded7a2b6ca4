"""The learner's copies of the lessons: made once, never overwritten, and told when they are not today's."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from webui import jupyter_server
from webui.jupyter_server import copy_lessons

if TYPE_CHECKING:
    from pathlib import Path


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
    monkeypatch.setattr(jupyter_server, "NOTEBOOKS", kit)
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


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"cells": 5}', '{"cells": [{}]}', "<<<<<<< mine"])
@pytest.mark.usefixtures("kit")
def test_a_copy_that_cannot_be_read_is_named_and_stays(tmp_path: Path, text: str) -> None:
    """A half-written notebook is the learner's all the same."""
    copy_lessons(tmp_path)
    (tmp_path / "00_start.ipynb").write_text(text, encoding="utf-8")
    assert copy_lessons(tmp_path) == ["00_start.ipynb"]
    assert (tmp_path / "00_start.ipynb").read_text(encoding="utf-8") == text
