"""What the SQLite store does when its files are deleted, moved, replaced or overwritten under it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import ManualClock, StoreError, open_queue
from jobqueue.stores.sqlite import SqliteDatabase
from tests.durable.conftest import POLICY

if TYPE_CHECKING:
    from tests.databases import Place


def taken_away(file: Any) -> None:
    """Delete a file."""
    file.unlink()


def replaced(file: Any) -> None:
    """Put another file of the same content in the place of a file."""
    copy = file.with_suffix(".copy")
    shutil.copy(file, copy)
    copy.replace(file)


def moved_behind_a_link(file: Any) -> None:
    """Move a file, and put a link to it in its place."""
    file.rename(file.with_suffix(".moved"))
    file.symlink_to(file.with_suffix(".moved"))


@pytest.mark.skipif(os.name == "nt", reason="Windows lets nobody delete a file that is in use")
@pytest.mark.parametrize("part", ["", "-wal", "-shm"])
@pytest.mark.parametrize("harm", [taken_away, replaced, moved_behind_a_link])
def test_a_file_that_is_no_longer_there_acknowledges_nothing(
    sqlite: Place, clock: ManualClock, harm: Any, part: Any
) -> None:
    """A deleted file can still be written to, and all of it is lost: submit and view are refused instead."""
    queue = sqlite.open(clock, POLICY)
    queue.submit("mail")
    harm(Path(sqlite.url.removeprefix("sqlite:///") + part))
    for call in (lambda: queue.submit("mail"), lambda: queue.view("J1"), lambda: queue.poll("w", 1000)):
        with pytest.raises(StoreError, match=r"cannot begin .* was (deleted|replaced) .*; stop every program"):
            call()


@pytest.mark.skipif(os.name == "nt", reason="Windows lets nobody delete a file that is in use")
@pytest.mark.parametrize("harm", [taken_away, replaced])
def test_a_file_that_goes_before_its_commit_is_missed_at_that_commit(sqlite: Place, harm: Any) -> None:
    """The commit worked, but into a file that nobody will find: the answer is that it may have been done."""
    path = Path(sqlite.url.removeprefix("sqlite:///"))
    database = SqliteDatabase(str(path))
    database.open()
    database.begin()
    database.write("CREATE TABLE written (number)", {})
    harm(path)
    with pytest.raises(StoreError, match=r"cannot commit .* was (deleted|replaced) .*; it may have been done"):
        database.commit()
    database.close()


def test_a_file_that_was_overwritten_by_a_smaller_one_acknowledges_nothing(
    sqlite: Place, clock: ManualClock
) -> None:
    """SQLite goes on with the pages that it remembers, and would mix them with those of the backup."""
    path = Path(sqlite.url.removeprefix("sqlite:///"))
    sqlite.open(clock, POLICY).close()
    backup = path.read_bytes()
    with sqlite.open(clock, POLICY) as queue:
        queue.submit("mail", "x" * 100_000)
    queue = sqlite.open(clock, POLICY)
    queue.submit("mail")
    path.write_bytes(backup)
    for call in (lambda: queue.submit("mail"), lambda: queue.view("J1"), lambda: queue.poll("w", 1000)):
        with pytest.raises(StoreError, match=r"cannot begin .* was overwritten .*; stop every program"):
            call()


@pytest.mark.skipif(os.name == "nt", reason="Windows lets nobody move a folder that is in use")
def test_a_folder_that_was_moved_is_missed_until_it_is_back(tmp_path: Path, clock: ManualClock) -> None:
    """Nothing is acknowledged and no file is made until then; once the folder is back, all goes on."""
    home, away = tmp_path / "home", tmp_path / "away"
    home.mkdir()
    with open_queue(f"sqlite:///{home}/queue.db", clock, POLICY) as queue:
        queue.submit("mail")
        home.rename(away)
        with pytest.raises(StoreError, match="deleted or moved"):
            queue.submit("mail")
        queue.close()
        with pytest.raises(StoreError, match="deleted or moved"):
            queue.submit("mail")
        assert not home.exists()
        away.rename(home)
        assert queue.submit("mail") == "J2"


def test_a_relative_path_is_meant_from_where_it_was_opened(
    tmp_path: Path, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who changes folders, and connects anew, as after a fork, still has the same file."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    with open_queue("sqlite:///queue.db", clock, POLICY) as queue:
        queue.submit("mail")
        monkeypatch.chdir(tmp_path / "elsewhere")
        queue.close()
        assert queue.submit("mail") == "J2"
        assert list((tmp_path / "elsewhere").iterdir()) == []
