"""What the learner has reached: one portable JSON file beside the answers, with scores and hints only."""

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from exercises.grader.answers import FOLDER
from exercises.grader.catalogue import Exercise, ExerciseError
from exercises.grader.records import Result, Verdict

FILE = "progress.json"
VERSION = 1


@dataclass(slots=True)
class Standing:
    """One exercise's standing.

    `misconception` is what the last check diagnosed, `hints` how many of its hints were shown. `check` is
    the one that the report told about, `failed` whether it failed (and not, say, waits to be written).
    """

    points: int = 0
    best: int = 0
    possible: int = 0
    passed: bool = False
    check: str | None = None
    failed: bool = False
    misconception: str | None = None
    hints: int = 0


@dataclass(slots=True)
class Progress:
    """All standings by exercise id, and the exercise that was touched last."""

    path: Path
    last: str | None = None
    exercises: dict[str, Standing] = field(default_factory=dict)

    @classmethod
    def read(cls, below: Path) -> Self:
        """Read the file; a missing one is an empty beginning.

        Raises:
            ExerciseError: It is there but not readable. It is left alone: it may be all that the learner has.
        """
        path = below / FOLDER / FILE
        if not path.exists():
            return cls(path)
        try:
            told = json.loads(path.read_text(encoding="utf-8"))
            standings = {name: Standing(**fields) for name, fields in told["exercises"].items()}
            return cls(path, told["last"], standings)
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as problem:
            raise ExerciseError(
                f"{path} cannot be read ({problem}). Move it away to begin a new one."
            ) from problem

    def write(self) -> None:
        """Write the file in one piece: whoever reads meanwhile finds the old one or the new one whole."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        told: dict[str, Any] = {
            "version": VERSION,
            "last": self.last,
            "exercises": {name: asdict(standing) for name, standing in sorted(self.exercises.items())},
        }
        fresh = self.path.with_name(FILE + ".new")
        fresh.write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
        fresh.replace(self.path)

    def of(self, exercise: str) -> Standing:
        """The standing of one exercise, begun if need be."""
        return self.exercises.setdefault(exercise, Standing())

    def note_started(self, exercise: str) -> None:
        """Remember which exercise the learner works on."""
        self.last = exercise
        self.of(exercise)

    def note_reset(self, exercise: str) -> None:
        """Begin anew; what was reached stays."""
        self.last = exercise
        old = self.of(exercise)
        self.exercises[exercise] = Standing(best=old.best, possible=old.possible)

    def note_result(self, result: Result) -> None:
        """Take in one check. Its report shows hint 1, so a new misconception begins its ladder there."""
        self.last = result.exercise
        standing = self.of(result.exercise)
        standing.points, standing.possible, standing.passed = result.points, result.possible, result.passed
        standing.best = max(standing.best, result.points)
        told = result.told_first
        standing.check = told.name if told else None
        standing.failed = told is not None and told.verdict is Verdict.FAIL
        found = result.diagnosis.misconception if result.diagnosis else None
        if found != standing.misconception:
            standing.misconception, standing.hints = found, 1 if found else 0

    def next_hint(self, exercise: Exercise) -> Standing:
        """Go one step up the ladder, which ends one step past the last hint: then all is said."""
        standing = self.of(exercise.id)
        known = next((wrong for wrong in exercise.misconceptions if wrong.id == standing.misconception), None)
        if known is not None:
            standing.hints = min(standing.hints + 1, len(known.hints) + 1)
        return standing
