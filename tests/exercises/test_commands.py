"""The loop as a learner walks through it, through the commands themselves."""

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from exercises.grader.explaining.hints import shown_hints
from exercises.grader.explaining.progress import ExerciseProgress
from exercises.grader.judging import catalogue
from exercises.grader.judging.misconceptions import Misconception
from tests.exercises import newcomers
from tests.exercises.grading import EXERCISE, OWN_ANSWER, SOLUTION, with_fail
from webui.cli.exercises import COMMANDS

JOBKIT = click.Group("jobkit", commands={str(command.name): command for command in COMMANDS})
ANSWER = Path("answers/ex03_tokens.py")


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Each learner works in a folder of their own, with a space and an umlaut in its name."""
    folder = tmp_path / "my löve of queues"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


def jobkit(*words: str) -> Result:
    return CliRunner().invoke(JOBKIT, words, catch_exceptions=False)


def row(name: str = "ex03") -> str:
    """One exercise's row in the table of progress."""
    return next(line for line in jobkit("progress").output.splitlines() if line.startswith(name))


def mutant(name: str) -> str:
    return next(wrong for wrong in EXERCISE.misconceptions if wrong.id == name).applied_to(SOLUTION)


def test_start_writes_the_starter_and_says_what_comes_next() -> None:
    """The file, the task beside it, and the next command."""
    said = jobkit("start", "ex03")
    assert said.exit_code == 0
    assert ANSWER.read_text(encoding="utf-8") == EXERCISE.text("starter.py")
    assert Path("answers/ex03_tokens.md").read_text(encoding="utf-8") == EXERCISE.text("task.md")
    for words in (str(ANSWER), "Task 1: submit, poll and view", "jobkit check ex03"):
        assert words in said.output


def test_start_never_overwrites_an_answer() -> None:
    """The second start says so and leaves the file."""
    jobkit("start", "ex03")
    ANSWER.write_text("# mine", encoding="utf-8")
    said = jobkit("start", "ex03")
    assert "stays as it is" in said.output
    assert ANSWER.read_text(encoding="utf-8") == "# mine"


def test_check_is_green_only_for_a_right_answer() -> None:
    """Exit code 1 for the starter, 0 for a learner's own right answer."""
    jobkit("start", "ex03")
    assert jobkit("check", "ex03").exit_code == 1
    ANSWER.write_text(OWN_ANSWER, encoding="utf-8")
    said = jobkit("check", "ex03")
    assert (said.exit_code, said.output.splitlines()[0]) == (0, "All 39 checks pass. Tokens and zombies: done.")


@pytest.mark.parametrize("name", ["ex03", "03", "3", "ex03_tokens", "tokens", "EX03", "answers/ex03_tokens.py"])
def test_any_form_of_the_name_will_do(name: str) -> None:
    """All of them mean the same exercise."""
    assert catalogue.find(name).id == "ex03_tokens"


def test_without_a_name_the_last_exercise_is_meant() -> None:
    """Nobody wants to type it again."""
    jobkit("start", "ex03")
    assert "Next: task 1" in jobkit("check").output
    assert "Task 1." in jobkit("hint").output


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("check",), "Error: Which exercise? `jobkit list` shows all, `jobkit start ex03` begins one.\n"),
        (("start", "ex3_token"), "Error: There is no exercise 'ex3_token'. Did you mean ex03_tokens?\n"),
        (("start", "ex99"), "Error: There is no exercise 'ex99'. There are ex01 to ex13.\n"),
        (("start", "zebra"), "Error: There is no exercise 'zebra'. `jobkit list` shows all.\n"),
    ],
)
def test_a_mistake_is_answered_in_one_line(words: tuple[str, ...], says: str) -> None:
    """Exit code 2, no traceback, and what to do instead."""
    said = jobkit(*words)
    assert (said.exit_code, said.output) == (2, says)


def test_check_before_start_says_how_to_begin() -> None:
    """No file yet is no failure."""
    said = jobkit("check", "ex03")
    assert said.exit_code == 2
    assert said.output.endswith("Begin with: jobkit start ex03\n")


def test_hints_come_one_by_one_and_end() -> None:
    """The report gives the first, hint the second and third, then says that this is all."""
    jobkit("start", "ex03")
    ANSWER.write_text(mutant("late_by_one"), encoding="utf-8")
    assert "Hint 1 of 3" in jobkit("check").output
    second, third, last = (jobkit("hint").output for _ in range(3))
    assert "Hint 2 of 3" in second
    assert "Hint 3 of 3" not in second
    assert "Hint 3 of 3" in third
    assert "That is all there is" not in third
    assert "That is all there is" in last
    assert jobkit("hint").output == last


def test_without_a_known_misconception_the_hint_says_what_the_story_is_about() -> None:
    """Where nothing is diagnosed, the check's own words are the hint; for a hole the task's first step."""
    jobkit("start", "ex03")
    assert "First: jobkit check ex03" in jobkit("hint").output
    jobkit("check")
    assert "Let submit remember a job" in jobkit("hint").output
    ANSWER.write_text(SOLUTION.replace("job.attempts += 1", "job.attempts += 2"), encoding="utf-8")
    assert "fits no single mistake" in jobkit("check").output
    said = jobkit("hint").output
    assert "This promise is broken: A poll hands the job out under a token" in said
    assert "expected attempt 1, got attempt 2" in said
    assert "Submit, poll, view: the least that a queue can do." in said


def test_a_new_misconception_begins_at_the_first_hint() -> None:
    """Hints that were shown for another mistake don't count."""
    jobkit("start", "ex03")
    ANSWER.write_text(mutant("late_by_one"), encoding="utf-8")
    jobkit("check")
    jobkit("hint")
    ANSWER.write_text(mutant("fail_unchecked"), encoding="utf-8")
    jobkit("check")
    said = jobkit("hint").output
    assert "A failure that comes too late still counts." in said
    assert "Hint 2 of 3" in said
    assert "Hint 3 of 3" not in said


def test_another_faulty_version_begins_at_the_first_hint() -> None:
    """Hints are counted for each answer, and an answer that comes back finds its own count again."""
    jobkit("start", "ex03")
    first, second = mutant("late_by_one"), mutant("late_by_one") + "# another try\n"
    for text, newest in ((first, 2), (second, 2), (first, 3)):
        ANSWER.write_text(text, encoding="utf-8")
        jobkit("check")
        said = jobkit("hint").output
        assert said.count("Hint ") == newest
        assert f"Hint {newest} of 3" in said


def test_a_hint_before_the_start_says_how_to_start_and_writes_nothing() -> None:
    """Asking is not beginning."""
    said = jobkit("hint", "ex03")
    assert said.exit_code == 2
    assert said.output == f"Error: There is no {ANSWER} yet. Begin with: jobkit start ex03\n"
    assert not Path("answers").exists()
    assert row().split()[-1] == "-"


def test_a_hint_before_the_first_check_writes_nothing_either() -> None:
    """There is nothing to remember yet."""
    jobkit("start", "ex03")
    before = Path("answers/progress.json").read_bytes()
    assert jobkit("hint").output == "Hints follow from what a check finds. First: jobkit check ex03\n"
    assert Path("answers/progress.json").read_bytes() == before


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (SOLUTION + "\ndef broken(:\n", ["Python cannot read the file: SyntaxError", ":122: def broken(:"]),
        (SOLUTION + "\n1 / 0\n", ["Python cannot import the file: ZeroDivisionError", ":122: 1 / 0"]),
        (
            newcomers.CRASH,
            ["AttributeError: 'Lease' object has no attribute 'jobid'", "lease.jobid != job_id:"],
        ),
        (with_fail("import os\nos._exit(3)"), ["ended the Python process itself (exit code 3)"]),
    ],
    ids=["syntax error", "import error", "crash", "exit"],
)
def test_a_hint_repeats_what_the_check_found(text: str, says: list[str]) -> None:
    """Where no misconception is known the hint speaks of the same fault as the report, and of no story."""
    jobkit("start", "ex03")
    ANSWER.write_text(text, encoding="utf-8")
    report = " ".join(jobkit("check").output.split())
    said = " ".join(jobkit("hint").output.split())
    for words in says:
        assert words in said
        assert words.partition(": ")[2] in report
    assert "What the story is about" not in said


def test_a_hint_says_that_the_file_has_changed_since_the_check() -> None:
    """What was found may be mended already."""
    jobkit("start", "ex03")
    ANSWER.write_text(mutant("late_by_one"), encoding="utf-8")
    jobkit("check")
    assert "has changed since" not in jobkit("hint").output
    ANSWER.write_text(OWN_ANSWER, encoding="utf-8")
    assert "Your file has changed since the last check" in jobkit("hint").output


@pytest.mark.parametrize("wrong", EXERCISE.misconceptions, ids=lambda wrong: wrong.id)
def test_no_line_of_a_hint_is_wider_than_a_report(wrong: Misconception) -> None:
    """All three hints at once, broken into lines like the report."""
    state = ExerciseProgress(check=wrong.killed_by, misconception=wrong.id)
    state.show_next(3)
    state.show_next(3)
    said = [line.text for line in shown_hints(EXERCISE, state, changed=False)]
    assert max(len(text) for text in said) <= 100
    hints = [f"Hint {number} of 3: {text}" for number, text in enumerate(wrong.hints, 1)]
    assert " ".join(said) == " ".join([f"The mistake seems to be: {wrong.title}.", *hints])


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_the_list_of_commands_shows_each_summary_in_full(command: click.Command) -> None:
    """The first sentence is short enough for a line, so it does not end in dots."""
    first = str(command.help).partition("\n\n")[0].partition(". ")[0].rstrip(".")
    assert len(first) < 60
    assert f" {first}" in jobkit("--help").output
    assert "..." not in jobkit("--help").output.partition("Commands:")[2]


def test_progress_of_another_version_keeps_its_scores() -> None:
    """Hints and findings of an older file may mean something else; points do not."""
    jobkit("start", "ex03")
    file = Path("answers/progress.json")
    scores = {"points": 3, "best": 9, "possible": 24, "passed": False}
    old = {"version": 1, "last": "ex03_tokens", "exercises": {"ex03_tokens": {**scores, "hints": 2}}}
    file.write_text(json.dumps(old), encoding="utf-8")
    assert row().split()[-4:] == ["3", "9", "39", "begun"]


@pytest.mark.parametrize("kind", ["file", "dangling link"])
def test_something_else_where_the_answers_belong_is_named(kind: str) -> None:
    """With what to do about it."""
    if kind == "file":
        Path("answers").write_text("x")
    else:
        Path("answers").symlink_to("nowhere")
    told = jobkit("start", "ex03")
    assert told.exit_code == 2
    assert "answers is there and is no folder. Move it away" in told.output


def test_reset_keeps_every_old_answer_under_a_number() -> None:
    """Nothing that somebody wrote is lost."""
    jobkit("start", "ex03")
    for words in ("# first", "# second"):
        ANSWER.write_text(words, encoding="utf-8")
        assert jobkit("reset", "ex03").exit_code == 0
    assert Path("answers/ex03_tokens.backup-1.py").read_text(encoding="utf-8") == "# first"
    assert Path("answers/ex03_tokens.backup-2.py").read_text(encoding="utf-8") == "# second"
    assert ANSWER.read_text(encoding="utf-8") == EXERCISE.text("starter.py")


def test_progress_counts_the_best_result() -> None:
    """A later mistake does not take away what was reached."""
    jobkit("start", "ex03")
    ANSWER.write_text(OWN_ANSWER, encoding="utf-8")
    jobkit("check")
    ANSWER.write_text(EXERCISE.text("starter.py"), encoding="utf-8")
    jobkit("check")
    told = json.loads(Path("answers/progress.json").read_text(encoding="utf-8"))
    state = told["exercises"]["ex03_tokens"]
    assert (state["points"], state["best"]) == (0, 39)
    assert (
        jobkit("progress").output.splitlines()[-1]
        == f"39 of {sum(one.points for one in catalogue.catalogue())} points."
    )


def test_after_a_reset_hints_begin_anew_but_the_best_result_stays() -> None:
    """The starter has no mistakes yet, and what was reached is not taken away."""
    jobkit("start", "ex03")
    ANSWER.write_text(OWN_ANSWER, encoding="utf-8")
    jobkit("check")
    jobkit("reset")
    assert "First: jobkit check ex03" in jobkit("hint").output
    told = row()
    assert told.split()[-4:] == ["0", "39", "39", "done"]


def test_a_broken_progress_file_is_kept_under_another_name() -> None:
    """It may be all that the learner has; the report is given all the same."""
    jobkit("start", "ex03")
    file = Path("answers/progress.json")
    file.write_text("{", encoding="utf-8")
    said = jobkit("check", "ex03")
    assert said.exit_code == 1
    assert "Next: task 1" in said.output
    assert "progress.json is damaged" in said.output
    assert Path("answers/progress.broken-1.json").read_text(encoding="utf-8") == "{"


def test_check_speaks_json_on_request() -> None:
    """The output is one JSON text and nothing else."""
    jobkit("start", "ex03")
    told = json.loads(jobkit("check", "ex03", "--json").output)
    assert (told["exercise"], told["passed"], told["possible"]) == ("ex03_tokens", False, 39)


def test_no_colour_when_it_is_not_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    """NO_COLOR wins over a terminal that could show it; without it the same terminal gets colour."""
    jobkit("start", "ex03")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" in CliRunner().invoke(JOBKIT, ["check", "ex03"], color=True).output
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in CliRunner().invoke(JOBKIT, ["check", "ex03"], color=True).output


def test_help_says_that_this_is_no_sandbox() -> None:
    """Nobody should take the limits for a protection."""
    assert "no sandbox" in " ".join(jobkit("check", "--help").output.split())


def test_list_names_every_exercise() -> None:
    """With its points."""
    assert "ex03  Tokens and zombies, 39 points" in jobkit("list").output
