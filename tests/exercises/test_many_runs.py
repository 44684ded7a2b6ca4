"""No racy answer passes once in many runs, no right one fails once: ex06, and where threads meet in ex07."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TypeVar

import pytest

from exercises.grader.judging import runner
from exercises.grader.judging.catalogue import Exercise
from exercises.grader.judging.misconceptions import Misconception
from exercises.grader.judging.records import Verdict
from exercises.grader.running.workspace import Host, host
from tests.exercises.grading_threads import SHARED, WHOLE, WRONG, patient

Found = TypeVar("Found")
RUNS = 200
RUNS_OF_A_PROCESS = 20  # a process has a limit of its own for the time that it may use
MEETING = {check.name for check in WHOLE.checks if check.task == 3}  # where threads meet in the whole queue
RACY = [(one, wrong) for one, wrong in WRONG if one is SHARED or wrong.killed_by in MEETING]
RIGHT = [
    (exercise, path)
    for exercise in (SHARED, WHOLE)
    for path in (exercise.folder / "solution.py", *exercise.alternatives())
]


@pytest.mark.long
@pytest.mark.parametrize(("exercise", "wrong"), RACY, ids=[f"{one.short} {wrong.id}" for one, wrong in RACY])
def test_no_racy_answer_passes_once_in_many_runs(exercise: Exercise, wrong: Misconception) -> None:
    """The finding is not only made each time, it is the same each time."""
    text = wrong.applied_to(exercise.text("solution.py")).encode()
    alone = _only(exercise, {wrong.killed_by})
    found = set(_many(lambda at: _finding(alone, text, at)))
    assert len(found) == 1
    assert found.pop()[0] is Verdict.FAIL


@pytest.mark.long
@pytest.mark.parametrize(("exercise", "path"), RIGHT, ids=[f"{one.short} {path.name}" for one, path in RIGHT])
def test_no_right_answer_fails_once_in_many_runs(exercise: Exercise, path: Path) -> None:
    """Whatever it is built of."""
    text = path.read_bytes()
    meeting = patient(exercise) if exercise is SHARED else _only(exercise, MEETING)
    for result in _many(lambda at: runner.run(meeting, text, PurePosixPath("x.py"), copies=False, at=at)):
        assert result.passed, result.finding


def _many(once: Callable[[Host], Found]) -> Iterator[Found]:
    """Do something many times; the texts are the kit's own, so one process may serve many runs."""
    for _ in range(RUNS // RUNS_OF_A_PROCESS):
        with host() as place:
            yield from (once(place) for _ in range(RUNS_OF_A_PROCESS))


def _finding(exercise: Exercise, text: bytes, at: Host) -> tuple[Verdict, str, tuple[str, ...], str]:
    check = runner.run(exercise, text, PurePosixPath("answers/x.py"), copies=False, at=at).checks[0]
    return check.verdict, check.how, check.trace, check.schedule


def _only(exercise: Exercise, names: set[str]) -> Exercise:
    checks = tuple(replace(check, needs=()) for check in exercise.checks if check.name in names)
    return replace(patient(exercise), checks=checks)
