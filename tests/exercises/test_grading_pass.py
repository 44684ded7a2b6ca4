"""What was found about the kit's own texts is kept, and not a moment longer than it is true."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from exercises.grader.judging.catalogue import find, load
from exercises.grader.judging.records import Verdict
from exercises.grader.proving import cache, grading
from exercises.grader.proving.cache import GradingCache, version, with_imports
from exercises.grader.proving.grading import graded, refuted
from exercises.grader.running.process import Limits

EX01 = find("ex01")
SOLUTION = EX01.text("solution.py")


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a cache that is empty yet."""
    folder = tmp_path / "cache"
    monkeypatch.setattr(cache, "cache_folder", lambda: folder)
    return folder


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The exercise's folder, to be changed."""
    return Path(shutil.copytree(EX01.folder, tmp_path / EX01.id, ignore=shutil.ignore_patterns("__pycache__")))


def nobody(*_: object) -> None:
    """Take the place of whoever would grade."""
    raise AssertionError("graded again")


def test_a_text_is_graded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also by another process; and what comes back is the same in all that a report needs."""
    texts = [SOLUTION, EX01.misconceptions[0].applied_to(SOLUTION), SOLUTION]
    first = graded(EX01, texts, 1)
    killed = refuted(EX01, texts[:2])
    monkeypatch.setattr(grading, "grading_pool", nobody)
    assert graded(EX01, texts, 1) == first
    assert refuted(EX01, texts[:2]) == killed == [False, True]
    assert [one.passed for one in first] == [True, False, True]
    assert first[1].diagnosis is not None
    with pytest.raises(AssertionError, match="graded again"):
        graded(EX01, [f"{SOLUTION}\n"])


@pytest.mark.parametrize(
    "spoilt", ["", "[]]", '"odd"', '[{"name": "x"}]', '[{"verdict": "so", "trace": [], "line": 3}]']
)
def test_an_entry_that_cannot_be_read_is_found_anew(kept: Path, spoilt: str) -> None:
    """Half a file, or one of another kind, is no finding."""
    (first,) = graded(EX01, [SOLUTION], 1)
    (entry,) = kept.rglob("*.json")
    entry.write_text(spoilt, encoding="utf-8")
    assert graded(EX01, [SOLUTION], 1) == [first]
    assert entry.read_text(encoding="utf-8") != spoilt


def test_what_stayed_open_is_not_kept(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On another day there may be time enough."""
    (right,) = graded(EX01, [SOLUTION], 1)
    shutil.rmtree(kept)
    monkeypatch.setattr(grading, "OPEN", {Verdict.PASS})
    assert graded(EX01, [SOLUTION], 1) == [right]
    assert list(kept.rglob("*.json")) == []


def test_nothing_is_lost_where_nothing_can_be_kept(kept: Path) -> None:
    """A cache is no reason to stumble."""
    kept.write_text("a file where the folder should be", encoding="utf-8")
    assert [one.passed for one in graded(EX01, [SOLUTION], 1)] == [True]


def test_a_version_is_what_decides_and_nothing_else(copy: Path) -> None:
    """Words about mistakes, tasks and answers decide nothing; checks, limits and what they import do."""
    before = version(load(copy))
    assert before == version(EX01)
    for name in ("mutants.toml", "verdicts.toml", "task.md", "solution.py"):
        with (copy / name).open("a", encoding="utf-8") as file:
            file.write("\n# A remark.\n")
    assert version(load(copy)) == before
    limited = version(replace(load(copy), limits=Limits(total_seconds=3.0)))
    found = {before, limited}
    for name in ("checks.py", "checks.toml"):
        with (copy / name).open("a", encoding="utf-8") as file:
            file.write("\n# A remark.\n")
        found.add(version(load(copy)))
    assert len(found) == 4
    roots = [find("ex03").folder / name for name in ("checks.py", "starter.py")]
    files = {path.relative_to(cache.KIT).as_posix() for path in with_imports(roots)}
    assert {
        "exercises/grader/judging/case.py",
        "exercises/staging/queue_walk.py",
        "jobqueue/clock.py",
    } <= files
    assert "exercises/staging/whole_queue.py" not in files


def test_an_installed_kit_keeps_nothing_on_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """But in memory, as long as the process runs."""
    monkeypatch.setattr(cache, "cache_folder", lambda: None)
    GradingCache(EX01).put("checks", "a text", [1])
    assert GradingCache(EX01).get("checks", "a text") == [1]
    assert GradingCache(EX01).get("checks", "another text") is None
