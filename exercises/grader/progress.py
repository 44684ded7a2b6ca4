"""What the learner has reached: one portable JSON file beside the answers.

It holds scores, how many hints were shown, and in a few lines what the last check found.
"""

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

from exercises.grader.answers import FOLDER
from exercises.grader.catalogue import Exercise
from exercises.grader.errors import ExerciseError
from exercises.grader.records import Result

FILE = "progress.json"
VERSION = 2
SCORES = ("points", "best", "possible", "passed")
MOST_LADDERS = 50  # a ladder for each text that was ever checked would grow for ever


@dataclass(slots=True)
class Standing:
    """One exercise's standing.

    `answer` is the mark of the text that was checked last, `check` the check that its report told about,
    `verdict` how that ended, `finding` what it found in short, `misconception` what it was diagnosed as.
    `hints` counts the hints shown, for each misconception in each text: a new text is a new try.
    """

    points: int = 0
    best: int = 0
    possible: int = 0
    passed: bool = False
    answer: str = ""
    check: str | None = None
    verdict: str = ""
    finding: list[str] = field(default_factory=list)
    misconception: str | None = None
    hints: dict[str, int] = field(default_factory=dict)

    @property
    def shown(self) -> int:
        """How many hints were shown for what the last check found; its report shows the first."""
        return self.hints.get(self._ladder, 1)

    def climb(self, top: int) -> None:
        """Show one hint more, up to `top`."""
        self.hints[self._ladder] = min(self.shown + 1, top)
        for oldest in list(self.hints)[:-MOST_LADDERS]:
            del self.hints[oldest]

    @property
    def _ladder(self) -> str:
        return f"{self.misconception} in {self.answer}"


def _standing(fields: dict[str, Any], *, current: bool) -> Standing:
    """Read one standing. Of a file that another version wrote only the scores are certain."""
    return Standing(**(fields if current else {name: fields[name] for name in SCORES}))


def mark(answer: bytes) -> str:
    """A short mark of an answer's text, to know it again."""
    return hashlib.sha256(answer).hexdigest()[:12]


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
            current = told["version"] == VERSION
            standings = {name: _standing(fields, current=current) for name, fields in told["exercises"].items()}
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

    def note_result(self, result: Result, answer: bytes) -> None:
        """Take in one check of this answer. An answer of which nothing is sure has no ladder."""
        self.last = result.exercise
        standing = self.of(result.exercise)
        standing.points, standing.possible, standing.passed = result.points, result.possible, result.passed
        standing.best = max(standing.best, result.points)
        standing.answer, standing.finding = mark(answer), list(result.finding)
        told, found = result.told_first, result.diagnosis
        standing.check, standing.verdict = (told.name, str(told.verdict)) if told else (None, "")
        standing.misconception = found.misconception if found and not found.rivals else None

    def next_hint(self, exercise: Exercise) -> Standing:
        """Go one step up the ladder, which ends one step past the last hint: then all is said."""
        standing = self.exercises.get(exercise.id, Standing())
        known = next((wrong for wrong in exercise.misconceptions if wrong.id == standing.misconception), None)
        if known is not None:
            standing.climb(len(known.hints) + 1)
        return standing
