"""What is written of each known mistake is what learners are told; a few of each exercise are graded to see it.

`jobkit verify` compares all of it with what the mistakes do.
"""

import tomllib
from pathlib import Path

import pytest

from exercises.grader.explaining import report
from exercises.grader.judging.catalogue import Exercise, catalogue
from exercises.grader.judging.diagnosis import diagnose
from exercises.grader.judging.misconceptions import Misconception
from exercises.grader.judging.records import WITHOUT_END, CheckResult, Verdict
from exercises.grader.judging.runner import COMES_BACK
from exercises.grader.judging.verdicts import Written, as_text, read_verdicts
from exercises.grader.proving.grading import graded
from tests.exercises.grading import need_server_for

EXERCISES = catalogue()
every = pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.short)


def one_for_each_task(exercise: Exercise) -> list[Misconception]:
    """The first mistake that each task's checks kill."""
    tasks = {check.name: check.task for check in exercise.checks}
    return list({tasks[wrong.killed_by]: wrong for wrong in reversed(exercise.misconceptions)}.values())


def as_written(exercise: Exercise, fails: dict[str, str]) -> list[CheckResult]:
    """Results in which just these checks failed, in just this way."""
    return [
        CheckResult(check.name, check.task, check.points, check.promise, Verdict.FAIL, how=fails[check.name])
        if check.name in fails
        else CheckResult(check.name, check.task, check.points, check.promise, Verdict.PASS)
        for check in exercise.checks
    ]


@every
def test_some_mistakes_of_each_exercise_do_what_is_written(exercise: Exercise) -> None:
    """They fail these checks in these ways, are diagnosed as themselves, and are told in these words."""
    need_server_for(exercise)
    some = one_for_each_task(exercise)
    solution = exercise.text("solution.py")
    results = graded(exercise, [wrong.applied_to(solution) for wrong in some], 1)  # tests run side by side
    for wrong, result in zip(some, results, strict=True):
        failed = {check.name: check.how for check in result.checks if check.verdict is Verdict.FAIL}
        assert failed == wrong.forms[0].fails
        assert result.diagnosis is not None
        assert (result.diagnosis.misconception, result.diagnosis.exact) == (wrong.id, True)
        assert report.head(result) == wrong.forms[0].written.report


@every
def test_each_form_of_a_mistake_is_diagnosed_as_that_mistake(exercise: Exercise) -> None:
    """Nothing else fits what it fails, and nothing speaks against it."""
    for wrong in exercise.misconceptions:
        for form in wrong.forms:
            found = diagnose(as_written(exercise, dict(form.fails)), exercise.misconceptions)
            assert found is not None
            assert (found.misconception, found.exact, found.check) == (wrong.id, True, form.killed_by)


@every
def test_each_report_begins_with_the_promise_and_tells_its_story_in_order(exercise: Exercise) -> None:
    """The promise in one line, the broken step, expected and got, the own line; no traceback."""
    promises = {check.name: check.promise for check in exercise.checks}
    for wrong in exercise.misconceptions:
        written, how = wrong.forms[0].written, wrong.forms[0].fails[wrong.killed_by]
        first = written.report.splitlines()[0]
        waits = exercise.threads and how.startswith(WITHOUT_END)
        assert first == (COMES_BACK if waits else promises[wrong.killed_by])
        assert len(first) <= 120
        parts = ["   <-- here"]
        if how != "hidden":
            parts += ["  expected   ", "  got        "]
            # A test that nobody wrote has no line.
            parts += [f"  your line  answers/{exercise.id}.py:"] if exercise.kind == "code" else []
        places = [written.report.index(part) for part in parts]
        assert places == sorted(places)
        assert "Traceback" not in written.report


def test_words_are_written_once() -> None:
    """Each mistake has a sentence of its own in its exercise; words of several are in misconceptions.toml."""
    home: dict[tuple[str, str, tuple[str, ...]], str] = {}
    for exercise in EXERCISES:
        sentences = [wrong.sentence for wrong in exercise.misconceptions]
        assert len({*sentences}) == len(sentences)
        for entry in tomllib.loads(exercise.text("mutants.toml"))["mutant"]:
            if "words" not in entry:
                words = (entry["title"], entry["sentence"], tuple(entry["hints"]))
                assert home.setdefault(words, exercise.id) == exercise.id, words


def test_what_is_written_can_be_read_back(tmp_path: Path) -> None:
    """Whatever a report holds, and in whatever way a check fails."""
    verdicts = {
        "short": [Written({"a": "accepted", "b": "wrong J1's run_at"}, "One.\n\n  two   <-- here\n")],
        "long": [Written({f"check_number_{n}": "accepted" for n in range(9)}, "It's '''.\n"), Written({})],
        "odd": [Written({"a": 'says "no"'}, "a \x1b and a back\\slash\n")],
    }
    (tmp_path / "verdicts.toml").write_text(as_text("ex99", verdicts), encoding="utf-8")
    assert read_verdicts(tmp_path) == verdicts
    assert read_verdicts(tmp_path / "nowhere") == {}
