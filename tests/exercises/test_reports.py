"""What a learner reads of ex03, in its other ends than the misconceptions: those are in verdicts.toml.

After a wanted change of words: pytest --rewrite tests/exercises, and read the difference.
"""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from exercises.grader.explaining import report
from exercises.grader.judging.records import Verdict
from tests.exercises.grading import EXERCISE, LAST_TASK, SOLUTION, grade, named, with_fail

GOLDEN = Path(__file__).parent / "golden" / "ex03"
WRONG = EXERCISE.misconceptions
LOST_AT_THE_THIRD = """job = self._held(job_id, token)
self._end_attempt(job, error if job.attempts != 3 else None)"""


def golden(name: str, text: str, *, rewrite: bool) -> str:
    """The words as they were agreed on; rewritten only by the explicit flag."""
    path = GOLDEN / f"{name}.txt"
    if rewrite:
        path.write_text(text, encoding="utf-8")
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("starter", EXERCISE.text("starter.py")),
        ("solution", SOLUTION),
        ("empty", ""),
        ("syntax_error", "def broken(:\n"),
        ("endless_loop", with_fail("while True: pass")),
        ("unforeseen", with_fail(LOST_AT_THE_THIRD)),
        ("wrapper", "from jobqueue import JobQueue\n"),
    ],
)
def test_the_other_ends_are_told_in_the_agreed_words(name: str, text: str, rewrite: bool) -> None:
    """Nothing written, nothing that Python reads, nothing that ends, nothing that is known, not one's own."""
    told = report.plain(grade(text), EXERCISE)
    assert told == golden(f"_{name}", told, rewrite=rewrite)


def test_an_error_is_shown_by_its_deepest_own_line() -> None:
    """Of all lines that an error passed through, the innermost of the learner's file is named."""
    result = grade(SOLUTION.replace("        return self._jobs[job_id]", "        return {}[job_id]"))
    check = named(result, "handed_out")
    assert check.line is not None
    assert (check.line.function, check.line.text) == ("_job", "return {}[job_id]")
    assert check.got == "KeyError: 'J1'"
    assert check.trace[-1].endswith("view J1 -> raised KeyError")


def test_what_the_answer_printed_stands_in_the_report() -> None:
    """Whoever debugs with print finds it again."""
    text = report.plain(grade(with_fail("print('here I am')")), EXERCISE)
    assert "    here I am" in text.splitlines()


def test_each_check_shows_only_what_was_printed_during_it() -> None:
    """Checks share a process, but not their output."""
    result = grade(with_fail("print('fail', job_id, error)"))
    printed = [named(result, name).printed for name in LAST_TASK]
    assert printed == ["fail J1 disk full\n", "fail J1 too late\n", "fail J1 disk full\n"]


def test_an_answer_that_closes_its_output_is_judged_all_the_same() -> None:
    """Nothing printed is no reason to wait or to stumble."""
    result = grade(with_fail("import os\nos.close(1)\nos.close(2)"))
    assert set(result.named(Verdict.FAIL)) == set(LAST_TASK)
    assert [named(result, name).printed for name in LAST_TASK] == ["", "", ""]


def test_the_json_form_holds_the_same_record() -> None:
    """It survives the way through text, and its numbers are those of the record."""
    result = grade(WRONG[0].applied_to(SOLUTION))
    told = json.loads(json.dumps(result.as_json()))
    assert (told["points"], told["possible"], told["passed"]) == (result.points, 39, False)
    assert told["diagnosis"]["misconception"] == WRONG[0].id
    assert [check["verdict"] for check in told["checks"]] == [str(check.verdict) for check in result.checks]


def test_partial_points_are_given_for_each_check_that_passes() -> None:
    """Without task 4 everything else counts."""
    result = grade(with_fail("raise NotImplementedError('ex03, task 4: fail')"))
    assert (result.points, result.possible) == (29, 39)
    assert result.told_first is named(result, "failed_and_ready")
    assert named(result, "failed_and_ready").verdict is Verdict.NOT_ATTEMPTED


def test_not_attempted_and_skipped_are_explained_where_they_occur() -> None:
    """One line says what the words mean; a report without them does not speak of them."""
    both = report.plain(grade(EXERCISE.text("starter.py")), EXERCISE)
    explained = "(not attempted = this part is still to write; skipped = a check that it builds on"
    assert both.count(explained) == 1
    assert "skipped" not in report.plain(grade(SOLUTION), EXERCISE)


def test_several_possible_misconceptions_are_all_told_and_none_of_them_is_hinted_at() -> None:
    """Where what is written cannot tell them apart, neither can the report."""
    result = grade(WRONG[0].applied_to(SOLUTION))
    assert result.diagnosis is not None
    torn = replace(result, diagnosis=replace(result.diagnosis, exact=False, rivals=("Another. So it is.",)))
    text = report.plain(torn, EXERCISE)
    assert "It is one of these. What is written so far cannot tell which:" in text
    assert f"  - {WRONG[0].title}." in text
    assert "  - Another. So it is." in text
    assert "Hint 1" not in text
    assert "jobkit hint" not in text


def test_what_speaks_against_a_diagnosis_is_told() -> None:
    """A check that passes although the named mistake would break it."""
    result = grade(WRONG[0].applied_to(SOLUTION))
    assert result.diagnosis is not None
    unsure = replace(result, diagnosis=replace(result.diagnosis, exact=False, against=("zombie_fails",)))
    words = " ".join(report.plain(unsure, EXERCISE).split())
    assert f"It looks like this: {WRONG[0].title}." in words
    assert "this mistake would also break what passes here: zombie fails." in words
