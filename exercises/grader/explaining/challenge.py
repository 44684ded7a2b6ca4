"""The clock of a timed challenge: started if wanted, never in the way. It counts and takes nothing away."""

from exercises.grader.errors import ExerciseError
from exercises.grader.explaining.exercise_progress import ExerciseProgress
from exercises.grader.judging.catalogue import Exercise
from exercises.grader.judging.records import Result

MINUTE = 60


def start(state: ExerciseProgress, exercise: Exercise, now: int) -> None:
    """Start the clock, anew if it ran already.

    Args:
        state: Whose clock it is.
        exercise: What is timed.
        now: Seconds since the epoch.

    Raises:
        ExerciseError: The exercise has no time of its own.
    """
    if not exercise.minutes:
        raise ExerciseError(f"{exercise.short} has no clock: take all the time you like.")
    state.clock, state.in_time, state.took = now, 0, None


def note(state: ExerciseProgress, exercise: Exercise, result: Result, now: int) -> None:
    """Take in a check while the clock runs: points count as in time up to its end; a pass stops it."""
    if state.clock is None:
        return
    spent = max(0, now - state.clock)  # the system's clock may have been set back
    if spent <= exercise.minutes * MINUTE:
        state.in_time = max(state.in_time, result.points)
    if result.passed:
        state.took, state.clock = spent, None


def words(state: ExerciseProgress, exercise: Exercise, now: int) -> str:
    """Say how the time stands; empty if no clock was started.

    >>> from types import SimpleNamespace
    >>> challenge = SimpleNamespace(minutes=45, points=42)
    >>> words(ExerciseProgress(clock=1_000), challenge, 1_000 + 12 * 60)
    'The clock: 12 of 45 minutes.'
    >>> words(ExerciseProgress(clock=1_000, in_time=20), challenge, 1_000 + 46 * 60)
    'The clock: the 45 minutes are over, with 20 of 42 points in time. Go on as long as you like.'
    >>> words(ExerciseProgress(took=38 * 60, in_time=42), challenge, 0)
    'The clock: all of it in 38 of 45 minutes.'
    """
    if state.took is not None:
        spent = state.took // MINUTE
        if state.took <= exercise.minutes * MINUTE:
            return f"The clock: all of it in {spent} of {exercise.minutes} minutes."
        reached = f"{_points(state, exercise)} in the first {exercise.minutes}"
        return f"The clock: all of it in {spent} minutes; {reached}."
    if state.clock is None:
        return ""
    spent = max(0, now - state.clock) // MINUTE
    if spent < exercise.minutes:
        return f"The clock: {spent} of {exercise.minutes} minutes."
    over = f"The clock: the {exercise.minutes} minutes are over, with {_points(state, exercise)} in time."
    return f"{over} Go on as long as you like."


def _points(state: ExerciseProgress, exercise: Exercise) -> str:
    return f"{state.in_time} of {exercise.points} points"
