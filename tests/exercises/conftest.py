"""What must be true after every check of an answer: nothing is left of it."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from exercises.grader.running import process


@pytest.fixture(autouse=True)
def no_help_from_outside(no_board: None) -> None:
    """Reports must not depend on a board that happens to run."""


@pytest.fixture(autouse=True)
def nothing_left(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Every process that the grader started has been waited for, and its temporary folder is empty."""
    folder = tmp_path_factory.mktemp("temporary")
    started: list[subprocess.Popen[bytes]] = []
    spawn = process.spawn

    def remembering(working_folder: Path, mark: str) -> subprocess.Popen[bytes]:
        started.append(spawn(working_folder, mark))
        return started[-1]

    monkeypatch.setattr(process, "spawn", remembering)
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    yield folder
    assert [one.pid for one in started if one.returncode is None] == []
    assert list(folder.iterdir()) == []
