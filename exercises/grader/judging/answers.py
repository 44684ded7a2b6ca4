"""The learner's own files, in `answers/` below the current folder. Overwrites nothing that somebody wrote."""

import errno
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from exercises.grader.errors import ExerciseError
from exercises.grader.judging.catalogue import Exercise

FOLDER = "answers"
LARGEST_ANSWER_BYTES = 256_000
NEVER_WAIT = getattr(os, "O_NONBLOCK", 0)  # opening a pipe would wait for its other end
AS_IT_IS = getattr(os, "O_BINARY", 0)  # Windows would translate line ends


@dataclass(frozen=True, slots=True)
class AnswerFile:
    """Where the answer to one exercise lies, and the task's text beside it."""

    path: Path
    task: Path

    @classmethod
    def of(cls, exercise: Exercise, below: Path) -> Self:
        """Name the files for an exercise; `below` is the folder in which the learner works."""
        folder = below / FOLDER
        return cls(folder / f"{exercise.id}.py", folder / f"{exercise.id}.md")

    @property
    def whole_path(self) -> str:
        """Where the answer lies on this machine; a page and a report that mean one file say the same."""
        return str(self.path.resolve()).encode("utf-8", "backslashreplace").decode()

    def start(self, exercise: Exercise) -> bool:
        """Write the starter and the task. Return False if an answer is there already; it stays untouched.

        Raises:
            ExerciseError: Something else lies where the folder belongs, or a link that leads nowhere.
        """
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            advice = "Move it away, or work in another folder."
            raise ExerciseError(f"{self.path.parent} is there and is no folder. {advice}") from None
        _write_new(self.task, exercise.text("task.md"))
        return _write_new(self.path, exercise.text("starter.py"))

    def reset(self, exercise: Exercise) -> Path | None:
        """Begin anew. Return where the old answer was moved to; None if there was none."""
        backup = self.keep() if self.path.exists() else None
        self.start(exercise)
        return backup

    def read(self, exercise: Exercise) -> bytes:
        """Read the answer.

        Raises:
            ExerciseError: There is none yet, or it cannot be read.
        """
        try:
            return read_regular(self.path, LARGEST_ANSWER_BYTES)
        except FileNotFoundError:
            if self.path.is_symlink():
                advice = "Remove it, then: jobkit start"
                raise ExerciseError(
                    f"{self.path} is a link that leads nowhere. {advice} {exercise.short}"
                ) from None
            advice = f"Begin with: jobkit start {exercise.short}"
            raise ExerciseError(f"There is no {self.path} yet. {advice}") from None
        except OSError as problem:
            raise ExerciseError(f"{self.path} cannot be read: {problem.strerror}") from problem

    def keep(self) -> Path:
        """Move the answer that is there to another name, with a number, and return where it is now."""
        number = 1
        while (backup := self.path.with_name(f"{self.path.stem}.backup-{number}.py")).exists():
            number += 1
        return self.path.rename(backup)


def _write_new(path: Path, text: str) -> bool:
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        return False
    return True


def read_regular(path: Path, most_bytes: int) -> bytes:
    """Read a file, but one byte more than `most_bytes` at most: enough to see that it is too large.

    Raises:
        FileNotFoundError: There is none.
        OSError: It cannot be read, or it is a folder, a pipe or a device.
    """
    descriptor = os.open(path, os.O_RDONLY | NEVER_WAIT | AS_IT_IS)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is no regular file")
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(most_bytes + 1)
    finally:
        os.close(descriptor)
