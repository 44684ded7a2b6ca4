"""What the learner has reached: one portable JSON file beside the answers, with scores and hints only."""

import hashlib
import json
import secrets
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Self

from exercises.grader.errors import ExerciseError
from exercises.grader.explaining.exercise_progress import ALL, SCORES, ExerciseProgress, read_progress
from exercises.grader.judging.answers import FOLDER, read_regular
from exercises.grader.judging.catalogue import Exercise
from exercises.grader.judging.records import Result

FILE = "progress.json"
VERSION = 2
MOST_BYTES = 2_000_000  # of a larger file one byte more is read, and that is no JSON any more
LONGEST_ID = 100
MOST_NAMED = 5
MOST_VERSIONS = 1_000_000

__all__ = ["ExerciseProgress", "Progress", "mark"]


def mark(answer: bytes) -> str:
    """A short mark of an answer's text, to know it again."""
    return hashlib.sha256(answer).hexdigest()[:12]


@dataclass(slots=True)
class Progress:
    """All standings by exercise id, and the exercise that was touched last.

    `ignored` names what could not be read; the file is then kept under another name before it is replaced,
    `kept`. `newer` is the version of a file that a later jobkit wrote: it is read as far as possible, but
    never replaced.
    """

    path: Path
    last: str | None = None
    exercises: dict[str, ExerciseProgress] = field(default_factory=dict)
    ignored: list[str] = field(default_factory=list)
    newer: int | None = None
    kept: Path | None = None

    @classmethod
    def read(cls, below: Path) -> Self:
        """Read the file as far as it makes sense; a missing one is an empty beginning."""
        return cls.read_file(below / FOLDER / FILE)

    @classmethod
    def read_file(cls, path: Path) -> Self:
        """Read this very file in the same way."""
        found = cls(path)
        try:
            found._take(json.loads(read_regular(found.path, MOST_BYTES)))
        except FileNotFoundError:
            return found
        except (OSError, ValueError, RecursionError) as problem:
            found.ignored.append(f"all ({getattr(problem, 'strerror', None) or problem})")
        return found

    @property
    def warning(self) -> str | None:
        """One line about what was ignored and where the old file is; None if all was read."""
        if not self.ignored:
            return None
        named = ", ".join(self.ignored[:MOST_NAMED]) + (", ..." if len(self.ignored) > MOST_NAMED else "")
        kept = f" The old file is kept as {self.kept}." if self.kept else ""
        return f"{self.path} is damaged. Ignored: {named}.{kept}"

    def told(self) -> dict[str, Any]:
        """Everything as plain values: what the file holds."""
        exercises = {name: asdict(state) for name, state in sorted(self.exercises.items())}
        return {"version": VERSION, "last": self.last, "exercises": exercises}

    def write(self) -> None:
        """Write the file in one piece: whoever reads meanwhile finds the old one or the new one whole.

        Raises:
            ExerciseError: A later version of jobkit wrote the file that is there.
            OSError: The system does not allow it.
        """
        if self.newer is not None:
            raise ExerciseError(f"{self.path} comes from a newer jobkit (version {self.newer}); it stays.")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        fresh = self.path.with_name(f"{FILE}.{secrets.token_hex(8)}.new")  # two checks may write at one time
        try:
            fresh.write_text(json.dumps(self.told(), indent=2) + "\n", encoding="utf-8")
            if self.ignored and self.kept is None and self.path.is_file():
                self.kept = self._move_away()
            fresh.replace(self.path)
        finally:
            fresh.unlink(missing_ok=True)

    def _move_away(self) -> Path:
        number = 1
        while (beside := self.path.with_name(f"{self.path.stem}.broken-{number}.json")).exists():
            number += 1
        return self.path.rename(beside)

    def _take(self, told: Any) -> None:
        version = told.get("version") if isinstance(told, dict) else None
        if type(version) is not int or not 1 <= version <= MOST_VERSIONS:
            raise ValueError("it has no version")
        self.newer = version if version > VERSION else None
        self.last = self._sound("last", told.get("last"), str, type(None))
        for name, fields in (self._sound("exercises", told.get("exercises"), dict) or {}).items():
            if len(name) > LONGEST_ID:
                self.ignored.append("an exercise with a long name")
                continue
            # Of a file that another version wrote only the scores are certain.
            state, ignored = read_progress(fields, ALL if version == VERSION else SCORES)
            self.exercises[name] = state
            self.ignored += [f"{one} of {name}" for one in ignored]

    def _sound(self, name: str, told: Any, *kinds: type) -> Any:
        if type(told) in kinds and not (isinstance(told, str) and len(told) > LONGEST_ID):
            return told
        self.ignored.append(name)
        return None

    def of(self, exercise: str) -> ExerciseProgress:
        """The state of one exercise, begun if need be."""
        return self.exercises.setdefault(exercise, ExerciseProgress())

    def note_started(self, exercise: str) -> None:
        """Remember which exercise the learner works on."""
        self.last = exercise
        self.of(exercise)

    def note_reset(self, exercise: str) -> None:
        """Begin anew; what was reached stays, and a clock goes on."""
        self.last = exercise
        old = self.of(exercise)
        fresh = ExerciseProgress(best=old.best, possible=old.possible)
        self.exercises[exercise] = replace(fresh, clock=old.clock, in_time=old.in_time, took=old.took)

    def note_result(self, result: Result, answer: bytes) -> None:
        """Take in one check of this answer. An answer without a sure diagnosis has no hints."""
        self.last = result.exercise
        state = self.of(result.exercise)
        state.points, state.possible, state.passed = result.points, result.possible, result.passed
        state.best = max(state.best, result.points)
        state.answer, state.finding = mark(answer), list(result.finding)
        told, found = result.told_first, result.diagnosis
        state.check, state.verdict = (told.name, str(told.verdict)) if told else (None, "")
        state.misconception = found.misconception if found and not found.rivals else None

    def next_open(self, exercises: Sequence[Exercise], after: Exercise) -> Exercise | None:
        """The first exercise that is not done, from the one after `after` on, then from the beginning."""
        place = next(number for number, one in enumerate(exercises) if one.id == after.id)
        for one in (*exercises[place + 1 :], *exercises[:place]):
            if self.exercises.get(one.id, ExerciseProgress()).best < one.points:
                return one
        return None

    def next_hint(self, exercise: Exercise) -> ExerciseProgress:
        """Show the next hint; one step past the last one, all has been said."""
        state = self.exercises.get(exercise.id, ExerciseProgress())
        known = next((wrong for wrong in exercise.misconceptions if wrong.id == state.misconception), None)
        if known is not None:
            state.show_next(len(known.hints) + 1)
        return state
