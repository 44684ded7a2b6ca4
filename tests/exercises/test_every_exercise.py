"""What is true of every exercise: hapless answers get a verdict of their own, and all words are there."""

import re
from pathlib import PurePosixPath

import pytest

from exercises.grader.judging import runner
from exercises.grader.judging.catalogue import Exercise, catalogue
from exercises.grader.judging.records import Result, Verdict
from tests.exercises.grading import need_server_for

EXERCISES = catalogue()
every = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.short)


def grade(exercise: Exercise, text: str) -> Result:
    """Check a text as a learner's own, with the tests' own server where it needs one."""
    need_server_for(exercise)
    return runner.run(exercise, text.encode(), PurePosixPath(f"answers/{exercise.id}.py"))


def commented(text: str) -> str:
    """Every line behind a #."""
    return "".join(f"# {line}\n" for line in text.splitlines())


@every
def test_nothing_written_is_nothing_attempted(exercise: Exercise) -> None:
    """An empty file, one in which everything is commented out, and the starter."""
    for text in ("", commented(exercise.text("solution.py")), exercise.text("starter.py")):
        result = grade(exercise, text)
        assert {check.verdict for check in result.checks} <= {Verdict.NOT_ATTEMPTED, Verdict.SKIPPED}
        assert (result.points, result.passed) == (0, False)


@every
def test_the_kits_own_answers_are_nobodys_work(exercise: Exercise) -> None:
    """Copied, with other comments, they earn nothing."""
    for path in [exercise.folder / "solution.py", *exercise.alternatives()]:
        result = grade(exercise, "# my own\n" + path.read_text(encoding="utf-8"))
        assert {check.verdict for check in result.checks} == {Verdict.NOT_ATTEMPTED}
        assert "the kit's own solution" in result.checks[0].reason


@every
def test_what_python_cannot_read_is_told_as_that(exercise: Exercise) -> None:
    """Once, with the line."""
    result = grade(exercise, "def broken(:\n")
    assert {check.verdict for check in result.checks} == {Verdict.FAIL}
    assert "Python cannot read the file" in result.checks[0].reason
    assert result.diagnosis is None


@every
def test_methods_that_return_none_earn_little_and_are_told_what_was_expected(exercise: Exercise) -> None:
    """The holes are filled with nothing: failures, no crash of the grader."""
    text = re.sub(r"raise NotImplementedError\(.*\)", "return None", exercise.text("starter.py"))
    result = grade(exercise, text)
    assert Verdict.GRADER_FAULT not in {check.verdict for check in result.checks}
    assert result.points <= exercise.points // 3
    told = result.told_first
    assert told is not None
    if told.verdict is Verdict.FAIL:
        assert told.expected
        assert told.got
    else:  # a starter without classes: there was nothing to fill
        assert told.verdict is Verdict.NOT_ATTEMPTED


@every
def test_the_task_has_a_story_an_example_and_its_limits(exercise: Exercise) -> None:
    """And the answer's own words name the exercise."""
    task = exercise.text("task.md")
    for part in (f"# {exercise.short}: ", "## A worked example", "## Tasks", "## Out of scope"):
        assert part in task
    assert exercise.why
    assert exercise.summary.endswith(".")
    assert all(task.first_step for task in exercise.tasks)


@every
def test_points_of_half_an_answer_are_points(exercise: Exercise) -> None:
    """Whoever breaks one promise keeps what the others earn."""
    wrong = exercise.misconceptions[-1]
    result = grade(exercise, wrong.applied_to(exercise.text("solution.py")))
    assert 0 < result.points < exercise.points
