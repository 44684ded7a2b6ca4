"""What a learner reads, word for word: the report of every misconception of every exercise.

After a wanted change of words, write them anew with JOBKIT_WRITE_GOLDEN=1 and read the difference.
"""

import os
from functools import cache
from pathlib import Path, PurePosixPath

import pytest

from exercises.grader import report, runner
from exercises.grader.catalogue import Exercise, Misconception, catalogue
from exercises.grader.records import Result
from tests.exercises.grading import need_server_for, wrong_results
from webui.board_link import watch_line

GOLDEN = Path(__file__).parent / "golden"
# Where threads meet, the listing has two columns and the inputs are drawn: test_shared_queues.py has those.
EXERCISES = [exercise for exercise in catalogue() if not exercise.threads]
WRONG = [(exercise, wrong) for exercise in EXERCISES for wrong in exercise.misconceptions]
ENDS = [(exercise, name) for exercise in EXERCISES for name in ("starter.py", "solution.py")]
FEWEST = 8
SEED = 1  # what is drawn is the same each time


def agreed(exercise: Exercise, name: str, text: str) -> str:
    """The words as they were agreed on; rewritten only by the explicit flag."""
    path = GOLDEN / exercise.short / f"{name}.txt"
    if os.environ.get("JOBKIT_WRITE_GOLDEN"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return path.read_text(encoding="utf-8")


@cache
def graded(exercise_id: str, text: str) -> Result:
    """Check a text as if a learner had written it."""
    exercise = next(one for one in EXERCISES if one.id == exercise_id)
    need_server_for(exercise)
    path = PurePosixPath(f"answers/{exercise_id}.py")
    return runner.run(exercise, text.encode(), path, copies=False, seed=SEED)


@pytest.mark.parametrize(("exercise", "wrong"), WRONG, ids=[f"{one.short}-{wrong.id}" for one, wrong in WRONG])
def test_each_misconception_is_told_in_the_agreed_words(exercise: Exercise, wrong: Misconception) -> None:
    """The promise comes first, then trace, expected and got, the own line, the idea, hint 1 of 3, the board."""
    result = wrong_results(exercise.id)[wrong.id]
    text = report.plain(result, exercise, watch_line(exercise, result))
    assert text == agreed(exercise, wrong.id, text)
    first = text.splitlines()[0]
    assert first == next(check.promise for check in result.checks if check.name == wrong.killed_by)
    assert len(first) <= 120
    told = result.told_first
    assert told is not None
    # A test that nobody wrote has no line.
    own_line = [f"your line  answers/{exercise.id}.py:"] if told.line or exercise.kind == "code" else []
    order = ["<-- here", "expected ", "got ", *own_line, wrong.title, "Hint 1 of 3", " on the board: "]
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert "Traceback" not in text


@pytest.mark.parametrize(("exercise", "name"), ENDS, ids=[f"{one.short}-{name}" for one, name in ENDS])
def test_the_starter_and_the_solution_are_told_in_the_agreed_words(exercise: Exercise, name: str) -> None:
    """A hole is met with a first step, a right answer with the reason why it works."""
    text = report.plain(graded(exercise.id, exercise.text(name)), exercise)
    assert text == agreed(exercise, f"_{name.removesuffix('.py')}", text)
    assert ("Why it works" in text) == (name == "solution.py")
    assert ("A first step: " in text) == (name == "starter.py")


@pytest.mark.parametrize("exercise", catalogue(), ids=lambda exercise: exercise.short)
def test_every_exercise_knows_enough_misconceptions_and_right_answers(exercise: Exercise) -> None:
    """Eight wrong ideas at least, each with a sentence of its own, and a right answer built otherwise."""
    assert len(exercise.misconceptions) >= FEWEST
    assert len({wrong.sentence for wrong in exercise.misconceptions}) == len(exercise.misconceptions)
    assert len(exercise.alternatives()) >= 2


def test_no_golden_file_outlives_what_it_shows() -> None:
    """Each file belongs to a misconception, to one of the two ends, or to a test of ex03's other ends."""
    others = {"ex03": {"_empty", "_syntax_error", "_endless_loop", "_unforeseen", "_wrapper"}}
    for exercise in EXERCISES:
        known = {wrong.id for wrong in exercise.misconceptions} | {"_starter", "_solution"}
        there = {path.stem for path in (GOLDEN / exercise.short).iterdir()}
        assert there == known | others.get(exercise.short, set())
    assert {path.name for path in GOLDEN.iterdir()} == {exercise.short for exercise in EXERCISES}
