"""Grades one submission in a process of its own: standard input brings the command, output takes the grade.

Apart from the others, so that nothing that goes wrong here (a grader out of memory, a check that hangs) touches
them. What the answer itself prints never comes here: it runs in yet another process.
"""

import json
import sys
from dataclasses import asdict, replace
from pathlib import Path, PurePath, PurePosixPath
from typing import cast

from exercises.grader.classroom.notebook import LARGEST_NOTEBOOK_BYTES, BadNotebookError, answer_in
from exercises.grader.classroom.record import Grade, graded, ungraded
from exercises.grader.judging import runner
from exercises.grader.judging.answers import LARGEST_ANSWER_BYTES, read_regular
from exercises.grader.judging.catalogue import Exercise, load


def grade(folder: Path, file: PurePath, exercise_folder: Path, patience: int) -> Grade:
    """Grade the file that lies there in the folder of submissions, with so many times the exercise's time."""
    exercise = patient(load(exercise_folder), patience)
    shown = file.as_posix()  # the same record on every system
    try:
        text = _answer(exercise, folder / file)
    except OSError as problem:
        return ungraded(exercise, shown, f"The file cannot be read: {problem.strerror}")
    except BadNotebookError as problem:
        return ungraded(exercise, shown, str(problem))
    where = cast("Path", PurePosixPath(shown))  # the runner shows it and never opens it
    return graded(runner.run(exercise, text, where), exercise)


def patient(exercise: Exercise, times: int) -> Exercise:
    """The exercise with so many times the time for all checks together; a single call has no more."""
    return replace(
        exercise, limits=replace(exercise.limits, total_seconds=exercise.limits.total_seconds * times)
    )


def _answer(exercise: Exercise, path: Path) -> bytes:
    if path.suffix.lower() == ".ipynb":
        return answer_in(exercise, read_regular(path, LARGEST_NOTEBOOK_BYTES)).encode("utf-8", "replace")
    return read_regular(path, LARGEST_ANSWER_BYTES)


def main() -> None:
    """Read one command, write one grade."""
    told = json.loads(sys.stdin.buffer.read())
    made = grade(Path(told["folder"]), PurePath(told["file"]), Path(told["exercise"]), told["patience"])
    sys.stdout.buffer.write(json.dumps(asdict(made)).encode())


if __name__ == "__main__":
    main()
