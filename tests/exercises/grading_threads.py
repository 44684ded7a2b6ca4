"""How tests grade answers that many threads share: with patience, as a busy machine says nothing about them."""

from dataclasses import replace
from functools import cache
from pathlib import PurePosixPath

from exercises.grader.judging import catalogue, runner
from exercises.grader.judging.catalogue import Exercise
from exercises.grader.judging.records import Result

SHARED, WHOLE = catalogue.find("ex06"), catalogue.find("ex07")
WRONG = [(exercise, wrong) for exercise in (SHARED, WHOLE) for wrong in exercise.misconceptions]
SEED = 1


@cache
def grade(exercise_id: str, text: str, seed: int = SEED) -> Result:
    """Check one text, with patience; a text that several tests look at is run once."""
    path = PurePosixPath(f"answers/{exercise_id}.py")
    return runner.run(patient(catalogue.find(exercise_id)), text.encode(), path, copies=False, seed=seed)


def built(exercise: Exercise, name: str) -> str:
    """The solution with one misconception built in."""
    wrong = next(one for one in exercise.misconceptions if one.id == name)
    return wrong.applied_to(exercise.text("solution.py"))


def patient(exercise: Exercise) -> Exercise:
    """The exercise with more time for everything."""
    return replace(exercise, limits=replace(exercise.limits, call_seconds=20.0, total_seconds=60.0))
