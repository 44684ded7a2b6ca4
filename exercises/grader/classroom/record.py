"""What is known of one learner after grading: the one record behind every format. It knows no format.

What a learner may not see never enters a record: of a hidden check there is the name, the verdict, the points.
"""

from dataclasses import asdict, dataclass
from typing import Any, Self

from exercises.grader.explaining import report
from exercises.grader.explaining.page import Line
from exercises.grader.judging.catalogue import Exercise
from exercises.grader.judging.records import CheckResult, Result, SourceLine, Verdict

VERSION = 1
UNDECIDED = {Verdict.INCONCLUSIVE, Verdict.GRADER_FAULT}


@dataclass(frozen=True, slots=True)
class CheckMark:
    """One check: what it promises, how it ended, what it found in a line or two; `earned` of `points`."""

    name: str
    task: int
    promise: str
    verdict: str
    earned: int
    points: int
    finding: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Grade:
    """One exercise of one learner. `problem` says why it could not be graded; then there is nothing but it.

    `report` holds the lines that `jobkit check` would print, each with its tone.
    """

    exercise: str
    title: str
    file: str
    points: int
    possible: int
    passed: bool
    problem: str = ""
    misconception: str = ""
    checks: tuple[CheckMark, ...] = ()
    report: tuple[tuple[str, str], ...] = ()

    @property
    def short(self) -> str:
        """The short name, like ex03."""
        return self.exercise.partition("_")[0]

    @property
    def undecided(self) -> str:
        """What could not be decided, in words; empty if everything was."""
        open_checks = [check for check in self.checks if check.verdict in UNDECIDED]
        if not open_checks:
            return ""
        points = sum(check.points for check in open_checks)
        names = ", ".join(check.name for check in open_checks)
        return f"{points} of {self.possible} points undecided ({names}): {open_checks[0].finding[0]}"

    @classmethod
    def read(cls, told: dict[str, Any]) -> Self:
        """Make it from plain values, as `as_json` gives them."""
        checks = tuple(CheckMark(**{**one, "finding": tuple(one["finding"])}) for one in told["checks"])
        lines = tuple((text, tone) for text, tone in told["report"])
        return cls(**{**told, "checks": checks, "report": lines})


@dataclass(frozen=True, slots=True)
class Record:
    """One learner with all grades, in the exercises' order."""

    learner: str
    grades: tuple[Grade, ...]
    older: tuple[str, ...] = ()  # further answers to the same exercises, which do not count

    @property
    def points(self) -> int:
        """The points earned."""
        return sum(grade.points for grade in self.grades)

    @property
    def possible(self) -> int:
        """The points that the submitted exercises give."""
        return sum(grade.possible for grade in self.grades)

    @property
    def undecided(self) -> list[Grade]:
        """The grades in which something could not be decided."""
        return [grade for grade in self.grades if grade.undecided]

    @property
    def problems(self) -> list[Grade]:
        """The grades that could not be given."""
        return [grade for grade in self.grades if grade.problem]

    def as_json(self) -> dict[str, Any]:
        """The record as plain values."""
        sums = {"points": self.points, "possible": self.possible}
        return {
            "version": VERSION,
            "learner": self.learner,
            **sums,
            "grades": [asdict(one) for one in self.grades],
            "older": list(self.older),
        }

    @classmethod
    def read(cls, told: dict[str, Any]) -> Self:
        """Make it from plain values, as `as_json` gives them."""
        return cls(told["learner"], tuple(Grade.read(one) for one in told["grades"]), tuple(told["older"]))


def graded(result: Result, exercise: Exercise) -> Grade:
    """Put a result into a grade, without what a learner may not see."""
    seen = without_hidden(result, exercise)
    return Grade(
        exercise=exercise.id,
        title=exercise.title,
        file=result.path,
        points=result.points,
        possible=result.possible,
        passed=result.passed,
        misconception=seen.diagnosis.title if seen.diagnosis and not seen.diagnosis.rivals else "",
        checks=tuple(_mark(check, result.path) for check in seen.checks),
        report=tuple((line.text, line.tone) for line in report.lines(seen, exercise)),
    )


def ungraded(exercise: Exercise, file: str, problem: str) -> Grade:
    """A grade that could not be given, and why."""
    return Grade(exercise.id, exercise.title, file, 0, exercise.points, passed=False, problem=problem)


def without_hidden(result: Result, exercise: Exercise) -> Result:
    """The result as a learner may see it: a hidden check keeps its name, its promise and how it ended.

    A check is hidden if it names a family, by `hidden`.
    """
    hidden = {check.name: check.hidden for check in exercise.checks if check.hidden}
    if not hidden:
        return result
    checks = tuple(_closed(one, hidden[one.name]) if one.name in hidden else one for one in result.checks)
    diagnosis = result.diagnosis if result.diagnosis and result.diagnosis.check not in hidden else None
    return Result(result.exercise, result.path, checks, diagnosis)


def _closed(check: CheckResult, family: str) -> CheckResult:
    failed = check.verdict in {Verdict.FAIL, Verdict.STOPPED}
    reason = f"The hidden family {family!r} fails." if failed else check.reason
    return CheckResult(check.name, check.task, check.points, check.promise, check.verdict, check.about, reason)


def _mark(check: CheckResult, path: str) -> CheckMark:
    earned = check.points if check.verdict is Verdict.PASS else 0
    finding = _finding(check, path) if check.verdict is not Verdict.PASS else ()
    return CheckMark(check.name, check.task, check.promise, str(check.verdict), earned, check.points, finding)


def _finding(check: CheckResult, path: str) -> tuple[str, ...]:
    found = [check.reason or check.promise]
    if check.expected:
        found.append(f"expected {check.expected}, got {check.got}")
    if isinstance(check.line, SourceLine):
        found.append(f"{path}:{check.line.number}: {check.line.text}")
    return tuple(Line(words).text for words in found)  # whatever it quotes, it is a visible line
