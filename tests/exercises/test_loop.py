"""Around the loop: copy, open, solution, and the help of all commands, as a learner uses them."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from exercises.grader.explaining.exercise_progress import ExerciseProgress
from exercises.grader.explaining.progress import Progress
from exercises.grader.judging.catalogue import catalogue
from tests.exercises.grading import EXERCISE, OWN_ANSWER, SOLUTION
from webui.cli import loop as loop_commands
from webui.cli import main

ANSWER = Path("answers/ex03_tokens.py")
BROKEN = "def broken(:\n"


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Each learner works in a folder of their own, with a space and an umlaut in its name."""
    folder = tmp_path / "my löve of queues"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for name in ("VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)
    return folder


def jobkit(*words: str) -> Result:
    return CliRunner().invoke(main, words, catch_exceptions=False)


def test_a_copy_has_task_starter_and_answer_and_overwrites_nothing() -> None:
    """A file of the same name and other content stops it before anything is written, unless told to."""
    ANSWER.parent.mkdir()
    ANSWER.write_text("# mine\n", encoding="utf-8")
    to = Path("copies of mine")
    assert jobkit("copy", "ex03", str(to)).exit_code == 0
    assert (to / "ex03_tokens.py").read_text(encoding="utf-8") == "# mine\n"
    assert (to / "ex03_tokens_starter.py").read_text(encoding="utf-8") == EXERCISE.text("starter.py")
    assert (to / "ex03_tokens.md").read_text(encoding="utf-8") == EXERCISE.text("task.md")
    assert jobkit("copy", "ex03", str(to)).output.count("(was there already, the same)") == 3
    (to / "ex03_tokens.py").write_text("# edited there\n", encoding="utf-8")
    (to / "ex03_tokens.md").unlink()
    said = jobkit("copy", "ex03", str(to))
    assert said.exit_code == 2
    assert said.output.startswith(f"Error: Nothing copied: {to / 'ex03_tokens.py'} would be overwritten.")
    assert (to / "ex03_tokens.py").read_text(encoding="utf-8") == "# edited there\n"
    assert not (to / "ex03_tokens.md").exists()
    assert f"{to / 'ex03_tokens.py'}  (replaced)" in jobkit("copy", "ex03", str(to), "--replace").output
    assert (to / "ex03_tokens.py").read_text(encoding="utf-8") == "# mine\n"


def test_a_copy_without_an_answer_says_so() -> None:
    """The folder is named after the exercise then; an answer is not made up."""
    said = jobkit("copy", "ex03")
    assert "Begin with: jobkit start ex03" in said.output
    assert sorted(path.name for path in Path("ex03_tokens").iterdir()) == [
        "ex03_tokens.md",
        "ex03_tokens_starter.py",
    ]


def test_open_prints_both_paths_and_never_waits_where_there_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also with an editor set: a test, a pipe or a server has nobody who could close it."""
    assert jobkit("open", "ex03").exit_code == 2
    jobkit("start", "ex03")
    paths = f"The task:     {ANSWER.with_suffix('.md')}\nYour answer:  {ANSWER}\n"
    assert jobkit("open").output == paths + "To open both at once, set $VISUAL or $EDITOR to your editor.\n"
    monkeypatch.setenv("EDITOR", f"{sys.executable} -c 'input()'")
    assert jobkit("open").output == paths


def test_on_a_terminal_open_starts_the_editor_with_both_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """$VISUAL comes first; one that is not there, or fails, is one clear line."""
    jobkit("start", "ex03")
    started: list[list[str]] = []

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[bytes]:
        started.append(command)
        return subprocess.CompletedProcess(command, len(started) - 1)

    class Terminal:
        stdin = stdout = type("Stream", (), {"isatty": lambda _: True})()

    monkeypatch.setattr(loop_commands, "sys", Terminal)
    monkeypatch.setattr(loop_commands.subprocess, "run", run)
    monkeypatch.setattr(
        loop_commands.shutil, "which", lambda name: None if name == "nothere" else f"/bin/{name}"
    )
    monkeypatch.setenv("EDITOR", "nothere")
    said = jobkit("open")
    assert said.exit_code == 2
    assert said.output.splitlines()[-1].startswith("Error: There is no editor 'nothere'. Set $VISUAL")
    monkeypatch.setenv("VISUAL", "vim -n")
    assert jobkit("open").exit_code == 0
    assert started == [["/bin/vim", "-n", "-O", str(ANSWER.with_suffix(".md")), str(ANSWER)]]
    assert jobkit("open").output.endswith("Error: vim ended with code 1.\n")
    monkeypatch.setenv("VISUAL", 'ed "')
    assert "is no command" in jobkit("open").output


def test_the_solution_is_shown_only_after_passing() -> None:
    """Before, the report of the last check and the way to the next hint."""
    said = jobkit("solution", "ex03")
    assert (said.exit_code, said.output.splitlines()[-1]) == (1, "First: jobkit check ex03")
    jobkit("start", "ex03")
    ANSWER.write_text(BROKEN, encoding="utf-8")
    jobkit("check")
    said = jobkit("solution")
    assert said.exit_code == 1
    assert said.output.startswith("The solution is shown once all checks pass: 0 of 39 points so far.\n")
    assert "Python cannot read the file" in said.output
    assert said.output.endswith("The next hint: jobkit hint ex03\n")
    assert "class TokenQueue" not in said.output


def test_after_passing_the_solution_and_the_others_can_be_read() -> None:
    """The text itself on standard output, so that it can be piped into a file."""
    progress = Progress.read(Path())
    progress.exercises["ex03_tokens"] = ExerciseProgress(points=0, best=39, possible=39)
    progress.write()
    said = jobkit("solution", "ex03")
    assert (said.exit_code, said.stdout) == (0, SOLUTION)
    assert said.stderr.startswith("Others, built differently: jobkit solution ex03 --other 1")
    assert jobkit("solution", "ex03", "--other", "1").stdout == EXERCISE.alternatives()[0].read_text(
        encoding="utf-8"
    )
    assert jobkit("solution", "ex03", "--other", "99").exit_code == 2


def test_after_passing_the_way_goes_on() -> None:
    """To the first exercise that is not done, and after the last one nowhere."""
    ANSWER.parent.mkdir()
    ANSWER.write_text(OWN_ANSWER, encoding="utf-8")
    assert jobkit("check", "ex03").stdout.endswith("Next: jobkit start ex04\n")
    progress = Progress.read(Path())
    for one in catalogue():
        progress.of(one.id).best = one.points
    progress.write()
    assert jobkit("check", "ex03").stdout.endswith("All exercises are done.\n")


def test_who_begins_again_is_told_to_go_on() -> None:
    """The first task may be written long since."""
    assert "Read the task, write task 1, then: jobkit check ex03" in jobkit("start", "ex03").output
    assert jobkit("start", "ex03").output.endswith("Go on, then: jobkit check ex03\n")


def test_a_result_is_kept_although_nobody_reads_it() -> None:
    """`jobkit check ex03 | head -1` closes the pipe after the first line."""
    ANSWER.parent.mkdir()
    ANSWER.write_text(OWN_ANSWER, encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, "-m", "webui.cli", "check", "ex03"], stdout=subprocess.PIPE
    ) as check:
        assert check.stdout is not None
        check.stdout.close()
        check.wait(60)
    assert Progress.read(Path()).of("ex03_tokens").best == EXERCISE.points


def test_titles_are_shown_whole() -> None:
    """In the table of progress every title can be read, and the columns stand below each other."""
    jobkit("start", "ex03")
    head, *rows, _ = jobkit("progress").output.splitlines()
    for row, one in zip(rows, catalogue(), strict=True):
        assert row.startswith(f"{one.short} {one.title} ")
        assert row.index(f" {one.points} ") + len(f" {one.points}") == head.index(" of ") + len(" of")


@pytest.mark.parametrize("name", sorted(main.commands))
def test_the_help_of_every_command_has_an_example(name: str) -> None:
    """One that begins with its own name, so it can be typed as it stands."""
    said = jobkit(name, "--help").output
    assert f"\n  Examples:\n    jobkit {name}" in said
    assert jobkit(name, "--no-such-option").exit_code == 2
