"""The records of a check of an answer; every form of a report is made from these alone."""

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class Verdict(StrEnum):
    """How one check ended. Never mixed: an endless loop is no wrong answer, a hole is no mistake."""

    PASS = "pass"  # noqa: S105  a verdict
    FAIL = "fail"
    NOT_ATTEMPTED = "not attempted"
    STOPPED = "stopped"
    INCONCLUSIVE = "inconclusive"
    SKIPPED = "skipped"
    GRADER_FAULT = "grader fault"


class How(StrEnum):
    """How a check failed, as far as every exercise knows it. A stage may know more ways of its own."""

    ACCEPTED = "accepted"  # a call that must be refused took effect
    SILENT = "silent"  # it changed nothing, but it raised nothing either
    CHANGED = "changed"  # it raised nothing, and did something else than what it is there for
    NO_ERROR = "no error"  # it raised nothing; what it did cannot be seen
    OTHER_ERROR = "other error"  # it was refused, but not with the agreed error
    RAISED = "raised"  # a call that must work was refused
    CRASHED = "crashed"  # the code broke off by an error that no queue means to raise
    WRONG = "wrong"  # a value is not the promised one; followed by the value's name
    MISSING = "missing"  # the value is None where there should be one; followed by its name
    WAITS = "waits for ever"  # a lock that nobody will give back
    OWN_LOCK = "waits for its own lock"  # one that the same call has taken already
    DEADLOCK = "deadlock"  # threads wait for each other
    LEFT_HELD = "lock left held"  # by a thread that is done
    NEVER_WOKEN = "never woken"  # a thread waits to be notified
    NO_RECORD = "no record"  # what came back lacks a field


WITHOUT_END = (How.WAITS, How.OWN_LOCK, How.DEADLOCK, How.LEFT_HELD, How.NEVER_WOKEN)

TOLD_FIRST = (
    Verdict.GRADER_FAULT,
    Verdict.FAIL,
    Verdict.STOPPED,
    Verdict.NOT_ATTEMPTED,
    Verdict.INCONCLUSIVE,
    Verdict.SKIPPED,
)


@dataclass(frozen=True, slots=True)
class SourceLine:
    """One line of the learner's file."""

    number: int
    function: str
    text: str


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What one check found.

    `reason` says in one sentence why it did not pass; `trace` is the story up to the broken step, unless `here`
    is that step's place in it; `how` names the way in which it broke the promise, in a word or two. Where
    threads meet, `schedule` is the id of the run that is shown, and `note` says what was searched. `hidden`
    inputs are drawn anew each time.
    """

    name: str
    task: int
    points: int
    promise: str
    verdict: Verdict
    about: str = ""
    reason: str = ""
    trace: tuple[str, ...] = ()
    here: int | None = None
    expected: str = ""
    got: str = ""
    how: str = ""
    line: SourceLine | None = None
    printed: str = ""
    schedule: str = ""
    note: str = ""
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The misconception that the failures point to.

    `exact` when it fits in every check. `against` names the checks that passed although it would fail them;
    `rivals` are the others that fit as well, when nothing seen so far can tell them apart. `scenario` names a
    story of the board that shows the same mistake.
    """

    misconception: str
    title: str
    sentence: str
    check: str
    hints: tuple[str, ...]
    exact: bool
    against: tuple[str, ...] = ()
    rivals: tuple[str, ...] = ()
    scenario: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """Everything that one check of one answer found."""

    exercise: str
    path: str
    checks: tuple[CheckResult, ...]
    diagnosis: Diagnosis | None = None

    @property
    def points(self) -> int:
        """The points earned."""
        return sum(check.points for check in self.checks if check.verdict is Verdict.PASS)

    @property
    def possible(self) -> int:
        """The points there are."""
        return sum(check.points for check in self.checks)

    @property
    def passed(self) -> bool:
        """Whether every check passed; an exercise without checks proves nothing."""
        return bool(self.checks) and all(check.verdict is Verdict.PASS for check in self.checks)

    @property
    def told_first(self) -> CheckResult | None:
        """The check to tell about: the one of the diagnosis, else the first failure, else what is not green."""
        if self.diagnosis:
            return next(check for check in self.checks if check.name == self.diagnosis.check)
        order = {verdict: place for place, verdict in enumerate(TOLD_FIRST)}
        return min(
            (check for check in self.checks if check.verdict in order),
            key=lambda c: order[c.verdict],
            default=None,
        )

    @property
    def finding(self) -> tuple[str, ...]:
        """What the check to tell about found, in short: for whoever asks again later."""
        check = self.told_first
        if check is None:
            return ()
        found = [check.reason or f"This promise is broken: {check.promise}"]
        if check.expected:
            found.append(f"expected {check.expected}, got {check.got}")
        if check.line:
            found.append(f"your line {self.path}:{check.line.number}: {check.line.text}")
        if check.expected and check.how != How.CRASHED:
            found.append(f"What the story is about: {check.about}")
        return tuple(found)

    def named(self, verdict: Verdict) -> list[str]:
        """The names of the checks that ended with this verdict."""
        return [check.name for check in self.checks if check.verdict is verdict]

    def as_json(self) -> dict[str, Any]:
        """The same record as plain values, for machines."""
        return {"points": self.points, "possible": self.possible, "passed": self.passed, **asdict(self)}
