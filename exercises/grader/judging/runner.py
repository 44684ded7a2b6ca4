"""Walks an answer through an exercise's checks and gives each its verdict.

One process serves check after check. When it dies, hangs or leaves threads behind, that check has its verdict
and a fresh process takes the next one: one broken method costs its own checks, not the others.
"""

import importlib.util
import secrets
import time
from collections.abc import Callable, Container
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from exercises.grader.errors import ExerciseError
from exercises.grader.judging.answers import LARGEST_ANSWER_BYTES
from exercises.grader.judging.case import Broken, Case, Hole, Stop, Undecided, problem_of, source_line
from exercises.grader.judging.catalogue import Exercise
from exercises.grader.judging.checking import Check
from exercises.grader.judging.diagnosis import diagnose
from exercises.grader.judging.provenance import objection
from exercises.grader.judging.records import WITHOUT_END, CheckResult, Result, SourceLine, Verdict
from exercises.grader.judging.syntax import lines_of
from exercises.grader.running import postgres_server
from exercises.grader.running.process import AnswerProcess, NoAnswer, Serve, Starved, Stopped
from exercises.grader.running.stopwatch import NET
from exercises.grader.running.workspace import Host, host

LARGEST_SEED = 1_000_000
REFUTING = {Verdict.FAIL, Verdict.STOPPED}
FREE_STARTS = 30  # an answer that leaves a thread behind each time needs a new process each time
COMES_BACK = "Every call comes back: nobody waits for ever."  # whatever else was to be seen there


class Unloadable(Exception):  # noqa: N818  a verdict, not a fault
    """The file cannot even be executed, so no check can run."""

    def __init__(self, verdict: Verdict, reason: str, line: SourceLine | None = None) -> None:
        super().__init__(reason)
        self.verdict, self.reason, self.line = verdict, reason, line


def run(
    exercise: Exercise,
    answer: bytes,
    path: Path,
    tell: Callable[[str], None] = lambda _: None,
    *,
    copies: bool = True,
    at: Host | None = None,
    seed: int | None = None,
) -> Result:
    """Check one answer.

    Args:
        exercise: What to check it against.
        answer: The file's bytes, read once: a save in the middle changes nothing.
        path: Where it came from; shown, never opened.
        tell: Called with each check's name as it begins.
        copies: Whether the kit's own right answers are refused as copied; not when the kit checks itself.
        at: Where the answer lives; for a learner's own always a place of its own.
        seed: What hidden inputs are drawn from; by default it is drawn itself, and logged.
    """
    try:
        source = _decode(answer)
        _demand_own_work(exercise, source, copies=copies)
        _demand_server(exercise)
    except Unloadable as problem:
        results = [_unloaded(check, problem) for check in exercise.checks]
    else:
        with nullcontext(at) if at else host() as place:
            drawn = secrets.randbelow(LARGEST_SEED) if seed is None else seed
            results = _Run(exercise, source, path, place, seed=drawn).all(tell)
    return Result(exercise.id, str(path), tuple(results), diagnose(results, exercise.misconceptions))


def _decode(answer: bytes) -> str:
    if len(answer) > LARGEST_ANSWER_BYTES:
        most = f"{LARGEST_ANSWER_BYTES // 1_000} KB"
        raise Unloadable(Verdict.STOPPED, f"The file has more than {most}; an answer has at most that.")
    try:
        return importlib.util.decode_source(answer)
    except (SyntaxError, LookupError, ValueError, ArithmeticError):  # a coding line may name any codec
        reason = "Python cannot read the file as text. Save it as UTF-8, without a line that names a coding."
        raise Unloadable(Verdict.FAIL, reason) from None


def up_to_a_failure(exercise: Exercise, source: str, path: Path, at: Host) -> tuple[CheckResult, ...]:
    """Run the checks up to the first that fails or stops this text."""
    return tuple(_Run(exercise, source, path, at).all(lambda _: None, enough=REFUTING))


def replay(exercise: Exercise, answer: bytes, path: Path, schedule: str) -> Result:
    """Run one check's threads once more in the way that `schedule` names, like `one_job_two_workers/AB-A93`.

    Raises:
        ExerciseError: No check has this name.
    """
    name, _, way = schedule.partition("/")
    checks = tuple(replace(check, needs=()) for check in exercise.checks if check.name == name)
    if not checks or not way:
        raise ExerciseError(f"{schedule!r} names no run of {exercise.short}; a report shows its id.")
    alone = replace(exercise, checks=checks)
    with host() as place:
        results = _Run(alone, _decode(answer), path, place, replay=way).all(lambda _: None)
    return Result(exercise.id, str(path), tuple(results))


def _demand_own_work(exercise: Exercise, source: str, *, copies: bool) -> None:
    problem = objection(exercise, source, copies=copies)
    if problem is not None:
        raise Unloadable(Verdict.NOT_ATTEMPTED, *problem)


def _demand_server(exercise: Exercise) -> None:
    """Without a server nothing can be said about the answer. To start it is not the answer's time."""
    problem = postgres_server.missing() if exercise.server else ""
    if problem:
        raise Unloadable(Verdict.INCONCLUSIVE, problem)


class _OutOfTime(Exception):  # noqa: N818  a verdict, not a fault
    """The whole check's time was over before this call's was."""


@dataclass(slots=True)
class _Run:
    """One answer's way through the checks."""

    exercise: Exercise
    source: str
    path: Path
    at: Host
    used: float = 0.0  # of the time for all checks, as a `Stopwatch` counts it
    net_at: float = 0.0  # on the wall clock
    replay: str | None = None
    seed: int = 0
    memory: dict[str, Any] = field(default_factory=dict)
    starts: int = 0

    def all(self, tell: Callable[[str], None], enough: Container[Verdict] = ()) -> list[CheckResult]:
        """Run every check in order, up to the first that ends with a verdict that is enough."""
        self.net_at = time.monotonic() + self.exercise.limits.total_seconds * NET
        results: list[CheckResult] = []
        try:
            for check in self.exercise.checks:
                tell(check.name)
                results.append(self._one(check, results))
                if results[-1].verdict in enough:
                    break
        except Unloadable as problem:
            # Executing the file fails the same way each time; repeating it would only cost the learner time.
            results += [_unloaded(check, problem) for check in self.exercise.checks[len(results) :]]
        return results

    def _one(self, check: Check, before: list[CheckResult]) -> CheckResult:
        passed = {result.name for result in before if result.verdict is Verdict.PASS}
        if missing := [need for need in check.needs if need not in passed]:
            return _result(check, Verdict.SKIPPED, f"It waits for {', '.join(missing)}.")
        if self._seconds_left() <= 0:
            return self._out_of_time(check, before)
        case = Case(self._ask, self.source, self.replay, self.seed)
        case.begin_again, case.memory = partial(self._begin_again, case), self.memory
        case.seconds_left = self._seconds_left
        try:
            self._load()
            result = self._verdict(check, case)
        except _OutOfTime:
            self.at.end()
            return self._out_of_time(check, before, case.trace)
        if case.stray_threads:
            self.at.end()  # a thread that goes on could disturb the next check
        return (
            _veiled(result, case.hidden)
            if case.hidden
            else replace(result, schedule=case.schedule, note=case.note)
        )

    def _out_of_time(self, check: Check, before: list[CheckResult], trace: tuple[str, ...] = ()) -> CheckResult:
        run = sum(result.verdict not in {Verdict.SKIPPED, Verdict.INCONCLUSIVE} for result in before)
        bound = f"The {self.exercise.limits.total_seconds:.1f} s for all checks together are used up"
        if self.used < self.exercise.limits.total_seconds:
            bound = "The machine was too busy to run your code"
        reason = f"{bound}: {run} of {len(self.exercise.checks)} checks were run."
        return _result(check, Verdict.INCONCLUSIVE, reason, trace=trace)

    def _verdict(self, check: Check, case: Case) -> CheckResult:
        try:
            check.run(case)
        except Broken as broken:
            if self.exercise.threads and broken.how.startswith(WITHOUT_END):
                check = replace(check, promise=COMES_BACK)
            details: dict[str, Any] = {"expected": broken.expected, "got": broken.got, "line": broken.line}
            details |= {
                "how": str(broken.how),
                "trace": case.trace,
                "here": case.here,
                "printed": self._printed(),
            }
            return _result(check, Verdict.FAIL, **details)
        except (Undecided, Hole) as end:
            verdict = Verdict.NOT_ATTEMPTED if isinstance(end, Hole) else Verdict.INCONCLUSIVE
            trace = () if isinstance(end, Hole) else case.trace
            return _result(check, verdict, end.reason, trace=trace, line=end.line)
        except Stop as stop:
            self.at.end()  # it may still hold all the memory that it asked for
            return _result(check, Verdict.STOPPED, stop.reason, trace=case.trace, line=stop.line)
        except Stopped as stopped:
            self.at.end()
            line = self._line_of(stopped)
            return _result(check, Verdict.STOPPED, stopped.reason, trace=case.trace, line=line)
        except (_OutOfTime, Unloadable):
            raise
        except Exception as fault:  # a broken check is our fault and must never look like the learner's
            reason = f"The check itself is broken, your answer is not to blame: {type(fault).__name__}: {fault}"
            self.at.end()
            return _result(check, Verdict.GRADER_FAULT, reason, trace=case.trace)
        return _result(check, Verdict.PASS, trace=case.trace if self.replay else ())

    def _begin_again(self, case: Case, *, anew: bool = False) -> None:
        """Load once more in the middle of a check; in a new process if this one is gone or not as it was."""
        if anew or case.stray_threads:
            self.at.end()
            case.stray_threads = False
        self._load(goes_on=True)

    def _load(self, *, goes_on: bool = False) -> None:
        """Execute the file afresh in a living process. Unless the check goes on, old output counts no more."""
        if self.at.process is not None and self.at.process.ended:
            self.at.end()  # the check before went on after it
        goes_on = goes_on and self.at.process is not None
        try:
            if self.at.process is None:
                before = time.monotonic()
                self.at.process = AnswerProcess(self.exercise.folder, self.exercise.limits, self.at.folder)
                self.starts += 1
                if self.starts > FREE_STARTS:  # before, starting Python is not the answer's time
                    self.used += time.monotonic() - before
        except Stopped as problem:
            reason = f"The grader could not start Python: {problem.reason}"
            raise Unloadable(Verdict.GRADER_FAULT, reason) from None
        try:
            if not goes_on:
                self.at.process.begin_output()
            load = {"do": "load", "source": self.source, "path": str(self.path)}
            reply = self._ask({**load, "threads": self.exercise.threads})
        except Stopped as stopped:
            reason = f"While the file was being imported: {stopped.reason}"
            raise Unloadable(Verdict.STOPPED, reason, self._line_of(stopped)) from None
        line = source_line(reply["line"], lines_of(self.source))
        problem_found = problem_of(reply, line)
        if problem_found is not None:
            verdict = Verdict.NOT_ATTEMPTED if isinstance(problem_found, Hole) else Verdict.STOPPED
            raise Unloadable(verdict, problem_found.reason, problem_found.line)
        if reply["kind"] == "raised":
            what = "read" if "SyntaxError" in reply["ancestors"] else "import"
            reason = f"Python cannot {what} the file: {reply['error']}: {reply['message']}"
            raise Unloadable(Verdict.FAIL, reason, line)

    def _ask(self, command: dict[str, Any], serve: Serve | None = None) -> dict[str, Any]:
        assert self.at.process is not None  # noqa: S101  for the type checker: _load made it
        left, call_seconds = self._seconds_left(), self.exercise.limits.call_seconds
        if left <= 0:  # a check of many quick calls ends here, too
            raise _OutOfTime
        process = self.at.process
        before = process.used_seconds
        try:
            net_seconds = self.net_at - time.monotonic()
            return process.ask(command, max(0.05, min(call_seconds, left)), serve, net_seconds)
        except NoAnswer:
            if left < call_seconds:
                raise _OutOfTime from None
            raise
        except Starved:
            raise _OutOfTime from None
        finally:
            self.used += process.used_seconds - before

    def _seconds_left(self) -> float:
        """What is left of the time for all checks; nothing once the wall clock's net is reached."""
        left = self.exercise.limits.total_seconds - self.used
        return left if time.monotonic() < self.net_at else min(left, 0.0)

    def _line_of(self, stopped: Stopped) -> SourceLine | None:
        """The innermost line of the answer's file that was running; None if the process just ended."""
        own = str(self.path).encode("ascii", "backslashreplace").decode()
        place = next(((frame.line, frame.function) for frame in stopped.frames if frame.path == own), None)
        return source_line(place, lines_of(self.source))

    def _printed(self) -> str:
        try:
            return self.at.process.printed() if self.at.process is not None else ""
        except Stopped:
            self.at.end()
            return ""


def _result(check: Check, verdict: Verdict, reason: str = "", **details: Any) -> CheckResult:
    return CheckResult(
        check.name, check.task, check.points, check.promise, verdict, check.about, reason, **details
    )


def _veiled(result: CheckResult, family_only: str) -> CheckResult:
    """What may be told of something hidden: how it ended and of which family it was, and no input.

    What is still to write was never tried.
    """
    if result.verdict in {Verdict.PASS, Verdict.NOT_ATTEMPTED}:
        return replace(result, hidden=True)
    how = "hidden" if result.verdict is Verdict.FAIL else result.how
    return replace(
        result, hidden=True, how=how, line=None, trace=(family_only,), expected="", got="", printed=""
    )


def _unloaded(check: Check, problem: Unloadable) -> CheckResult:
    return _result(check, problem.verdict, problem.reason, line=problem.line)
