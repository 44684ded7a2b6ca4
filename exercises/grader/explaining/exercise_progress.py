"""A learner's progress in one exercise, and how to read it from a file that anybody can have written."""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any

MOST_POINTS = 100_000
MOST_SECONDS = 2**40
MOST_HINTED = 50  # else there would be one entry for each text that was ever checked
MOST_WORDS = 20
LONGEST_WORDS = 20_000


@dataclass(slots=True)
class ExerciseProgress:
    """What a learner has reached in one exercise.

    `answer` is the mark of the text that was checked last, `check` the check that its report told about,
    `verdict` how that ended, `finding` what it found in short, `misconception` what it was diagnosed as.
    `hints` counts the hints shown, for each misconception in each text: a new text is a new try. Of a timed
    challenge, `clock` is when it was started, in seconds since the epoch; `in_time` the points reached before
    its time was over, `took` the seconds up to the pass.
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
    clock: int | None = None
    in_time: int = 0
    took: int | None = None

    @property
    def shown(self) -> int:
        """How many hints were shown for what the last check found; its report shows the first."""
        return self.hints.get(self._hinted, 1)

    def show_next(self, top: int) -> None:
        """Show one hint more, up to `top`."""
        self.hints[self._hinted] = min(self.shown + 1, top)
        for oldest in list(self.hints)[:-MOST_HINTED]:
            del self.hints[oldest]

    @property
    def _hinted(self) -> str:
        return f"{self.misconception} in {self.answer}"


def read_progress(told: Any, wanted: tuple[str, ...]) -> tuple[ExerciseProgress, list[str]]:
    """Take over the wanted fields, each only if it is what it should be; name the others.

    >>> state, ignored = read_progress({"points": 3, "best": "x"}, ("points", "best"))
    >>> state.points, state.best, ignored
    (3, 0, ['best'])
    """
    if not isinstance(told, dict):
        return ExerciseProgress(), ["all"]
    sound = {name: told[name] for name in wanted if name in told and SOUND[name](told[name])}
    return ExerciseProgress(**sound), [
        name for name in wanted if name not in sound and (name in told or name not in LATER)
    ]


def _points(told: Any) -> bool:
    return type(told) is int and 0 <= told <= MOST_POINTS


def _seconds(told: Any) -> bool:
    return told is None or (type(told) is int and 0 <= told <= MOST_SECONDS)


def _words(told: Any) -> bool:
    return isinstance(told, str) and len(told) <= LONGEST_WORDS


def _words_or_none(told: Any) -> bool:
    return told is None or _words(told)


def _finding(told: Any) -> bool:
    return isinstance(told, list) and len(told) <= MOST_WORDS and all(_words(one) for one in told)


def _hints(told: Any) -> bool:
    countable = isinstance(told, dict) and len(told) <= MOST_HINTED
    return countable and all(type(shown) is int and 1 <= shown <= MOST_WORDS for shown in told.values())


SOUND: dict[str, Callable[[Any], bool]] = {
    "points": _points,
    "best": _points,
    "possible": _points,
    "passed": lambda told: isinstance(told, bool),
    "answer": _words,
    "check": _words_or_none,
    "verdict": _words,
    "finding": _finding,
    "misconception": _words_or_none,
    "hints": _hints,
    "clock": _seconds,
    "in_time": _points,
    "took": _seconds,
}
LATER = {"clock", "in_time", "took"}  # files of the first versions lack them
SCORES = ("points", "best", "possible", "passed")
ALL = tuple(one.name for one in fields(ExerciseProgress))
