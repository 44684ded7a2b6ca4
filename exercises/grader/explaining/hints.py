"""What `jobkit hint` says: the next hint, or what the last check found."""

from collections.abc import Iterator

from exercises.grader.explaining.page import Line, wrapped
from exercises.grader.explaining.progress import ExerciseProgress
from exercises.grader.judging.catalogue import Exercise
from exercises.grader.judging.records import Verdict


def hint_line(number: int, hints: tuple[str, ...]) -> str:
    """One hint with its number.

    >>> hint_line(2, ("Look.", "Think.", "Compare."))
    'Hint 2 of 3: Think.'
    """
    return f"Hint {number} of {len(hints)}: {hints[number - 1]}"


def shown_hints(exercise: Exercise, state: ExerciseProgress, *, changed: bool) -> list[Line]:
    """All hints that the learner has asked for so far, the newest last.

    Args:
        exercise: The exercise.
        state: What its last check found.
        changed: Whether the answer is another one since that check.
    """
    known = next((wrong for wrong in exercise.misconceptions if wrong.id == state.misconception), None)
    if state.passed:
        said = [Line(f"{exercise.short} is done: all checks pass.", "good")]
    elif state.check is None:
        return [Line(f"Hints follow from what a check finds. First: jobkit check {exercise.short}")]
    elif known is None:
        said = list(_without_hints(exercise, state))
    else:
        said = [
            *wrapped(f"The mistake seems to be: {known.title}.", "strong"),
            *_hints_so_far(exercise, known.hints, state.shown),
        ]
    if changed:
        words = "Your file has changed since the last check; this is about what that one found."
        said.append(Line(words, "quiet"))
    return said


def _hints_so_far(exercise: Exercise, hints: tuple[str, ...], shown: int) -> Iterator[Line]:
    for number in range(1, min(shown, len(hints)) + 1):
        yield from wrapped(hint_line(number, hints))
    if shown > len(hints):
        yield Line(f"That is all there is. The trace shows the rest: jobkit check {exercise.short}", "quiet")


def _without_hints(exercise: Exercise, state: ExerciseProgress) -> Iterator[Line]:
    """Where no misconception is known: how the task begins, or what the check found."""
    task = next((one.task for one in exercise.checks if one.name == state.check), None)
    if state.verdict == Verdict.NOT_ATTEMPTED and task is not None:
        first_step = next(one.first_step for one in exercise.tasks if one.number == task)
        yield from wrapped(f"Task {task}. {first_step}")
    else:
        yield Line("There are no hints for this one. What the last check found:", "strong")
        for words in state.finding:
            yield from wrapped(words)
    yield Line(f"For a closer look: jobkit check {exercise.short}", "quiet")
