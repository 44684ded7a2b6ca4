"""Exports progress to a file and imports it on another machine; the better of both scores counts.

A file that comes from somewhere else is taken whole or not at all: what is half understood could be anything.
"""

import json
from dataclasses import dataclass
from pathlib import Path

from exercises.grader.errors import ExerciseError
from exercises.grader.explaining.exercise_progress import MOST_HINTED, ExerciseProgress
from exercises.grader.explaining.progress import Progress
from exercises.grader.judging.catalogue import FOLDER_NAME

MOST_EXERCISES = 1_000


@dataclass(frozen=True, slots=True)
class Merged:
    """What taking in a file has changed: exercises that are new here, better now, and those that stay."""

    new: tuple[str, ...]
    better: tuple[str, ...]
    same: tuple[str, ...]


def export(progress: Progress, to: Path) -> None:
    """Write the progress to a file of its own.

    Raises:
        ExerciseError: There is nothing to write yet, or something lies there already.
        OSError: The system does not allow it.
    """
    if not progress.exercises:
        raise ExerciseError("There is no progress to export yet. Begin with: jobkit start ex03")
    text = json.dumps(progress.told(), indent=2) + "\n"
    try:
        with to.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise ExerciseError(f"{to} is there already and stays as it is. Choose another name.") from None


def take_in(progress: Progress, source: Path) -> Merged:
    """Merge a file into the progress: for each exercise the better result of both counts.

    Raises:
        ExerciseError: The file is not what `export` writes; nothing of it was taken.
    """
    other = _read(source)
    new: list[str] = []
    better: list[str] = []
    same: list[str] = []
    for name, theirs in sorted(other.exercises.items()):
        mine = progress.exercises.get(name)
        if mine is None:
            progress.exercises[name] = theirs
            new.append(name)
            continue
        (better if theirs.best > mine.best else same).append(name)
        _merge(mine, theirs)
    progress.last = progress.last or other.last
    return Merged(tuple(new), tuple(better), tuple(same))


def _merge(mine: ExerciseProgress, theirs: ExerciseProgress) -> None:
    """Take the best of both into mine. What the last check found here stays: it speaks of the file here."""
    mine.best = max(mine.best, theirs.best)
    mine.possible = mine.possible or theirs.possible
    for hinted, shown in theirs.hints.items():
        if hinted in mine.hints or len(mine.hints) < MOST_HINTED:
            mine.hints[hinted] = max(shown, mine.hints.get(hinted, 0))


def _read(source: Path) -> Progress:
    if not source.is_file():
        raise ExerciseError(f"There is no file {source}.")
    other = Progress.read_file(source)
    if other.newer is not None:
        raise ExerciseError(
            f"{source} comes from a newer jobkit (version {other.newer}). Update this one first."
        )
    problems = other.ignored or list(_contradictions(other))
    if problems:
        raise ExerciseError(
            f"{source} is no progress that jobkit wrote; nothing was taken. Wrong: {problems[0]}."
        )
    return other


def _contradictions(other: Progress) -> list[str]:
    """Everything in a file that is readable and still cannot be."""
    if len(other.exercises) > MOST_EXERCISES:
        return [f"{len(other.exercises)} exercises"]
    names = [*other.exercises, *([other.last] if other.last else [])]
    found = [f"the name {name!r}" for name in names if not FOLDER_NAME.fullmatch(name)]
    for name, state in other.exercises.items():
        if max(state.points, state.best) > state.possible and state.best > 0:
            found.append(f"{state.best} of {state.possible} points of {name}")
        elif state.points > state.best:
            found.append(f"the best result of {name} is not the best")
    return found
