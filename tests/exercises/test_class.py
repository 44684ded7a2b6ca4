"""`jobkit grade` over a whole class: right and wrong answers, hostile ones, and a grader that breaks."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from exercises.grader.classroom import worker_pool
from exercises.grader.classroom.grading import NOT_REACHED, Run
from exercises.grader.classroom.results import Results, file_names
from exercises.grader.classroom.submissions import files_below, sort_out
from exercises.grader.classroom.worker_pool import WorkerPool
from exercises.grader.judging import catalogue
from tests.exercises.grading import EXERCISE, OWN_ANSWER
from webui.cli.classroom import grade

ROOT = Path(__file__).parents[2]
EXERCISES = {EXERCISE.id: EXERCISE}
# A grader that breaks in the learner's way: named by the file, it ends, hangs, or gives a grade.
FAKE = """
import json, os, pathlib, signal, sys, time
told = json.load(sys.stdin)
who = told["file"].partition("_")[0]
checks = []
if who.startswith("open") and (who == "open" or told["patience"] < 4):
    checks = [{"name": "order", "task": 1, "promise": "P.", "verdict": "inconclusive", "earned": 0, "points": 6,
               "finding": ["No time."]}]
if who == "crash":
    os._exit(3)
if who == "noise":
    print("{")
    sys.exit()
if who == "ctrlc":
    until = time.monotonic() + 20
    while not list(pathlib.Path(os.environ["GRADES"]).glob("learners/ada.json")):
        assert time.monotonic() < until
        time.sleep(0.01)
    os.kill(os.getppid(), signal.SIGINT)
if who in {"hang", "ctrlc"}:
    time.sleep(60)
print(json.dumps({"exercise": "ex03_tokens", "title": "T", "file": told["file"], "points": 1, "possible": 39,
  "passed": False, "problem": "", "misconception": "", "checks": checks, "report": []}))
"""
FAKE_COMMAND = (sys.executable, "-c", FAKE)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for submissions, with a space and an umlaut in its name, beside where the teacher works."""
    folder = tmp_path / "löve of queues" / "handed in"
    folder.mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    return folder


def jobkit_grade(*words: object):
    return CliRunner().invoke(grade, [str(word) for word in words], catch_exceptions=False)


def a_run(folder: Path, *learners: str) -> Run:
    for learner in learners:
        (folder / f"{learner}_ex03.py").touch()
    found = sort_out(files_below(folder), list(EXERCISES))
    run = Run(found, EXERCISES, Results(folder.with_name("out"), file_names(found.learners)))
    run.results.prepare()
    return run


def test_a_class_is_graded_and_written_down_the_same_each_time(folder: Path):
    """A right answer, one that Python cannot read, an endless loop; in any number of processes the same."""
    (folder / "ada").mkdir()
    (folder / "ada" / "ex03_tokens.py").write_text(OWN_ANSWER, encoding="utf-8")
    (folder / "Böb_ex03.py").write_text("def broken(:\n", encoding="utf-8")
    (folder / "cy_ex03.ipynb").write_text(json.dumps({"cells": []}), encoding="utf-8")
    (folder / "eve_ex03.py").write_text("while True: pass\n", encoding="utf-8")
    (folder / "notes.txt").touch()
    said = jobkit_grade(folder, "--only", "ex03", "--jobs", 2)
    assert said.exit_code == 1
    assert "No grade: cy_ex03.ipynb: No cell of the notebook defines TokenQueue.\n" in said.output
    assert (
        "Recognised: 4 submissions of 4 learners.\n  not graded: notes.txt: no Python file and no notebook\n"
        in said.output
    )
    assert "\nada    39 of 39    ex03 39/39\n" in said.output
    assert "3 of 4 graded." in said.output
    out = folder.with_name("handed in-grades")
    written = {path.relative_to(out).as_posix(): path.read_bytes() for path in out.rglob("*") if path.is_file()}
    ada = json.loads(written["learners/ada.json"])
    assert (ada["points"], ada["grades"][0]["file"]) == (39, "ada/ex03_tokens.py")
    assert "gave no answer within" in str(json.loads(written["learners/eve.json"])["grades"][0]["report"])
    assert {"grades.csv", "junit.xml", "learners/Böb.html", "gradescope/eve/results.json"} <= set(written)
    assert not {name for name in written if name.endswith(".new")}
    again = jobkit_grade(folder, "--only", "ex03", "--jobs", 1, "--out", "again")
    assert again.exit_code == 1
    assert {
        path.relative_to("again").as_posix(): path.read_bytes()
        for path in Path("again").rglob("*")
        if path.is_file()
    } == written


def test_a_grader_that_breaks_costs_only_its_own_submission(folder: Path, monkeypatch: pytest.MonkeyPatch):
    """Crash, hang and nonsense each are a problem by name; all the others have their grades."""
    monkeypatch.setattr(worker_pool, "COMMAND", FAKE_COMMAND)
    run = a_run(folder, "ada", "crash", "hang", "noise", "zoe")
    run.go(WorkerPool(folder, EXERCISES, most_seconds=1.0), 5, lambda _: None)
    assert [record.learner for record in run.records] == ["ada", "crash", "hang", "noise", "zoe"]
    problems = {learner: grade.problem for learner, grade in run.ungraded}
    assert problems == {
        "crash": "The grader itself failed: exit code 3: ",
        "hang": "The grader gave no result within 1 s.",
        "noise": "The grader itself failed: its grade cannot be read",
    }
    assert not run.stopped


def test_what_stays_undecided_is_no_silent_zero(folder: Path, monkeypatch: pytest.MonkeyPatch):
    """It is run once more at the end; what stays open has a column, a line, a place on the page, and exit 1."""
    monkeypatch.setattr(worker_pool, "COMMAND", FAKE_COMMAND)
    for learner in ("open", "openfirst", "ada"):
        (folder / f"{learner}_ex03.py").touch()
    said = jobkit_grade(folder, "--jobs", 2)
    words = "open_ex03.py: 6 of 39 points undecided (order): No time."
    assert said.exit_code == 1
    assert f"Undecided: {words}\n" in said.output
    assert said.output.count("Undecided") == 1
    out = folder.with_name("handed in-grades")
    assert f"open,1,39,1,,{words},\nopenfirst,1,39,1,,,\n" in (out / "grades.csv").read_text(encoding="utf-8")
    assert "6 of 39 points undecided" in (out / "learners" / "open.html").read_text(encoding="utf-8")


def test_ctrl_c_leaves_what_is_done(folder: Path, monkeypatch: pytest.MonkeyPatch):
    """The rest is named as not reached, in the records too, and no grader process stays."""
    monkeypatch.setattr(worker_pool, "COMMAND", FAKE_COMMAND)
    run = a_run(folder, "ada", "hang")

    def ctrl_c(_: object) -> None:
        raise KeyboardInterrupt

    run.go(WorkerPool(folder, EXERCISES), 2, ctrl_c)
    assert run.stopped
    assert [(learner, grade.problem) for learner, grade in run.ungraded] == [("hang", NOT_REACHED)]
    assert (run.results.folder / "learners" / "ada.json").exists()
    assert not (run.results.folder / "learners" / "hang.json").exists()
    assert "hang,0,39,not graded" in (run.results.folder / "grades.csv").read_text(encoding="utf-8")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
def test_the_command_ends_at_ctrl_c_with_a_summary(folder: Path):
    """The signal itself, sent while one grader is at work: code 130, and no traceback."""
    (folder / "ada_ex03.py").touch()
    (folder / "ctrlc_ex03.py").touch()
    code = (
        "from exercises.grader.classroom import worker_pool\n"
        f"worker_pool.COMMAND = {FAKE_COMMAND!r}\n"
        "from webui.cli.classroom import grade\n"
        f"grade([{str(folder)!r}, '--jobs', '2'])\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", "GRADES": f"{folder}-grades"}
    ended = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.returncode == 130
    assert "Stopped. 1 of 2 graded." in ended.stdout
    assert "Traceback" not in ended.stdout + ended.stderr


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("nowhere",), "Error: There is no folder nowhere."),
        (("empty",), "Error: No submission in empty was recognised."),
        (("full", "--out", "full"), "Error: full holds other files. Choose an empty or new folder with --out."),
        (("full", "--only", "zebra"), "Error: There is no exercise 'zebra'."),
    ],
)
def test_a_mistake_is_answered_in_one_line(folder: Path, words: tuple[str, ...], says: str):
    """Exit code 2, what is wrong, and nothing written."""
    del folder
    Path("empty").mkdir()
    Path("full").mkdir()
    Path("full/ada_ex03.py").touch()
    said = jobkit_grade(*words)
    assert said.exit_code == 2
    assert said.output.splitlines()[-1].startswith(says)
    assert sorted(path.name for path in Path().rglob("*.*")) == ["ada_ex03.py"]


def test_a_dry_run_says_what_is_recognised_and_grades_nothing(folder: Path):
    """So names can be mended first."""
    (folder / "ada_ex03.py").touch()
    said = jobkit_grade(folder, "--dry-run")
    assert (said.exit_code, said.output) == (0, "Recognised: 1 submission of 1 learner.\n")
    assert not folder.with_name("handed in-grades").exists()


def test_what_an_earlier_run_wrote_is_named(folder: Path, monkeypatch: pytest.MonkeyPatch):
    """A learner who is gone keeps the old files; nobody should take them for new ones."""
    monkeypatch.setattr(worker_pool, "COMMAND", FAKE_COMMAND)
    for learner in ("ada", "bob"):
        (folder / f"{learner}_ex03.py").touch()
    assert jobkit_grade(folder, "--format", "csv").exit_code == 0
    (folder / "bob_ex03.py").unlink()
    said = jobkit_grade(folder, "--format", "csv")
    old = folder.with_name("handed in-grades") / "learners" / "bob.json"
    assert f"1 file in {old.parent.parent} is of an earlier run and stays, like {old}." in said.stderr


def test_every_exercise_can_be_graded():
    """The numbers by which submissions are recognised are different for each exercise."""
    ids = [one.id for one in catalogue.catalogue()]
    assert len({one[2:4] for one in ids}) == len(ids)
