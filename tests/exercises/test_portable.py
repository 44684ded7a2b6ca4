"""Progress that travels: the best of both, all or nothing."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from exercises.grader.explaining.exercise_progress import ExerciseProgress
from exercises.grader.explaining.progress import VERSION, Progress
from webui.cli import main

MINE = ExerciseProgress(points=39, best=39, possible=39, passed=True, answer="here", hints={"late in here": 3})
THEIRS = ExerciseProgress(
    points=5, best=20, possible=39, answer="there", hints={"late in here": 2, "early in there": 4}
)
FILE = Path("elsewhere.json")


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each learner works in a folder of their own."""
    monkeypatch.chdir(tmp_path)


def jobkit(*words: str) -> Result:
    return CliRunner().invoke(main, words, catch_exceptions=False)


def reached(last: str | None = None, **standings: ExerciseProgress) -> None:
    """Write down what was reached here."""
    progress = Progress.read(Path())
    progress.last, progress.exercises = last, standings
    progress.write()


def told(**standings: Any) -> dict[str, Any]:
    exercises = {
        name: asdict(one) if isinstance(one, ExerciseProgress) else one for name, one in standings.items()
    }
    return {"version": VERSION, "last": None, "exercises": exercises}


def elsewhere(content: Any) -> None:
    FILE.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")


def test_progress_goes_out_and_comes_back_whole() -> None:
    """What one folder exports, an empty one takes in, with hints and the last exercise."""
    reached("ex03_tokens", ex03_tokens=THEIRS)
    before = Path("answers/progress.json").read_bytes()
    assert f"Written: {FILE}" in jobkit("progress", "--export", str(FILE)).output
    Path("answers/progress.json").unlink()
    said = jobkit("progress", "--import", str(FILE))
    assert said.output.startswith(f"Taken from {FILE}: 1 new, 0 better, 0 as before.\n")
    assert Path("answers/progress.json").read_bytes() == before


def test_of_two_results_the_better_counts_and_nothing_is_lost() -> None:
    """What the last check found here stays, as it speaks of the file here; hints of both are counted."""
    reached("ex03_tokens", ex03_tokens=MINE, ex04_backoff=THEIRS)
    elsewhere(told(ex03_tokens=THEIRS, ex04_backoff=MINE, ex99_unknown=THEIRS))
    said = jobkit("progress", "--import", str(FILE))
    assert "1 new, 1 better, 1 as before." in said.output
    found = Progress.read(Path())
    assert found.last == "ex03_tokens"
    first, second, third = (found.exercises[name] for name in ("ex03_tokens", "ex04_backoff", "ex99_unknown"))
    assert (first.best, first.points, first.answer, first.passed) == (39, 39, "here", True)
    assert first.hints == {"late in here": 3, "early in there": 4}
    assert (second.best, second.points, second.answer) == (39, 5, "there")
    assert third == THEIRS


def test_taking_in_twice_changes_nothing_more() -> None:
    """The best of both is the same whichever way it is asked."""
    reached(ex03_tokens=THEIRS)
    elsewhere(told(ex03_tokens=MINE))
    jobkit("progress", "--import", str(FILE))
    once = Path("answers/progress.json").read_bytes()
    jobkit("progress", "--import", str(FILE))
    assert Path("answers/progress.json").read_bytes() == once


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "is no progress that jobkit wrote"),
        ("{", "is no progress that jobkit wrote"),
        ("[" * 100_000, "is no progress that jobkit wrote"),
        ("\0\0", "is no progress that jobkit wrote"),
        ([], "it has no version"),
        ({"version": VERSION, "last": None}, "Wrong: exercises."),
        ({**told(), "version": VERSION + 1}, "comes from a newer jobkit"),
        (told(ex03_tokens={**asdict(THEIRS), "points": -1}), "Wrong: points of ex03_tokens."),
        (told(ex03_tokens={**asdict(THEIRS), "hints": {"a": "b"}}), "Wrong: hints of ex03_tokens."),
        (told(ex03_tokens={**asdict(THEIRS), "best": 40}), "Wrong: 40 of 39 points of ex03_tokens."),
        (told(ex03_tokens={**asdict(THEIRS), "points": 21}), "the best result of ex03_tokens is not the best"),
        (told(**{"../../etc/passwd": THEIRS}), "Wrong: the name '../../etc/passwd'."),
        (told(**{"ex03\x1b[2J": THEIRS}), r"Wrong: the name 'ex03\x1b[2J'."),
        ({**told(ex03_tokens=MINE), "last": "x\n"}, r"Wrong: the name 'x\n'."),
    ],
    ids=lambda one: str(one)[:40],
)
def test_a_broken_or_made_up_file_is_refused_whole(content: Any, says: str) -> None:
    """One line, code 2, and what is here stays byte for byte."""
    reached("ex03_tokens", ex03_tokens=THEIRS)
    before = Path("answers/progress.json").read_bytes()
    elsewhere(content)
    said = jobkit("progress", "--import", str(FILE))
    assert said.exit_code == 2
    assert len(said.output.splitlines()) == 1
    assert says in said.output
    assert "\x1b" not in said.output
    assert Path("answers/progress.json").read_bytes() == before


def test_a_file_that_is_not_there_or_a_folder_is_refused() -> None:
    """Nothing is made of it."""
    Path("folder").mkdir()
    for name in ("nowhere.json", "folder"):
        said = jobkit("progress", "--import", name)
        assert (said.exit_code, said.output) == (2, f"Error: There is no file {name}.\n")
    assert not Path("answers").exists()


def test_an_export_writes_over_nothing() -> None:
    """Neither over a file, nor where there is no progress yet."""
    said = jobkit("progress", "--export", str(FILE))
    assert (said.exit_code, FILE.exists()) == (2, False)
    reached(ex03_tokens=MINE)
    FILE.write_text("mine", encoding="utf-8")
    said = jobkit("progress", "--export", str(FILE))
    assert (said.exit_code, said.output) == (
        2,
        f"Error: {FILE} is there already and stays as it is. Choose another name.\n",
    )
    assert FILE.read_text(encoding="utf-8") == "mine"


def test_a_damaged_file_here_is_kept_when_another_is_taken_in() -> None:
    """It may be all that the learner has."""
    Path("answers").mkdir()
    Path("answers/progress.json").write_text("{", encoding="utf-8")
    elsewhere(told(ex03_tokens=MINE))
    said = jobkit("progress", "--import", str(FILE))
    assert said.exit_code == 0
    assert Path("answers/progress.broken-1.json").read_text(encoding="utf-8") == "{"
    assert Progress.read(Path()).exercises["ex03_tokens"].best == 39
