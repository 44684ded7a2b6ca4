"""Grades the kit's own texts, several side by side; each text once, as long as nothing changes that decides."""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TypeVar

from exercises.grader.judging import runner
from exercises.grader.judging.catalogue import Exercise
from exercises.grader.judging.diagnosis import diagnose
from exercises.grader.judging.records import CheckResult, Result, SourceLine, Verdict
from exercises.grader.proving.cache import GradingCache
from exercises.grader.running.process import Limits
from exercises.grader.running.workspace import Host, host

MOST_HOSTS = 3
PATIENCE = 8  # times as long as a learner's answer may take: a busy machine is nobody's fault
MORE_PATIENCE = 4  # times, also for each call, if the text was stopped or something stayed open
SECONDS_OF_A_PROCESS = 15.0  # the system ends a process that has computed for longer than one answer may
SEED = 1  # what is found about a mutant must be the same tomorrow
OPEN = {Verdict.INCONCLUSIVE, Verdict.GRADER_FAULT}  # on another day it may end otherwise, so it isn't kept
STOPPED = OPEN | {Verdict.STOPPED}

Found = TypeVar("Found")
Run = Callable[[Exercise, str, Host], tuple[CheckResult, ...]]


def graded(exercise: Exercise, texts: Sequence[str], hosts: int | None = None) -> list[Result]:
    """Check texts as if a learner had written them. What is known of a text already is not found anew.

    The diagnosis is made each time: it is quick, and rests on the written verdicts.

    Args:
        exercise: What to check them against.
        texts: The answers.
        hosts: How many are checked side by side; see `grading_pool`.
    """
    cache = GradingCache(exercise)
    known = {text: _checks(cache.get("checks", text)) for text in texts}
    missing = [text for text, checks in known.items() if checks is None]
    if missing:
        with grading_pool(exercise, hosts) as pool:
            for text, checks in zip(missing, pool.grade(missing), strict=True):
                known[text] = checks
                if not _has(checks, OPEN):
                    cache.put("checks", text, [asdict(check) for check in checks])
    path = str(shown_path(exercise))
    found = [known[text] or () for text in texts]
    return [Result(exercise.id, path, checks, diagnose(checks, exercise.misconceptions)) for checks in found]


def refuted(exercise: Exercise, texts: Sequence[str]) -> list[bool]:
    """Whether any check fails a text or stops it; what is known of a text already is not found anew."""
    cache = GradingCache(exercise)
    known = {text: cache.get("refuted", text) for text in texts}
    missing = [text for text, found in known.items() if not isinstance(found, bool)]
    if missing:
        with grading_pool(exercise) as pool:
            for text, found in zip(missing, pool.refuted(missing), strict=True):
                known[text] = found is True
                if found is not None:
                    cache.put("refuted", text, found)
    return [known[text] for text in texts]


def _checks(kept: Any) -> tuple[CheckResult, ...] | None:
    """Read what the cache keeps; None if it is not what it should be."""
    try:
        return tuple(_check(**one) for one in kept)
    except (TypeError, ValueError):
        return None


def _has(checks: Iterable[CheckResult], verdicts: set[Verdict]) -> bool:
    return any(check.verdict in verdicts for check in checks)


def _check(*, verdict: str, trace: Sequence[str], line: dict[str, Any] | None, **others: Any) -> CheckResult:
    place = SourceLine(**line) if line is not None else None
    return CheckResult(verdict=Verdict(verdict), trace=tuple(trace), line=place, **others)


class GradingPool:
    """Some hosts that take in text after text. The kit's own texts are trusted, so they may share a process."""

    def __init__(self, exercise: Exercise, hosts: list[Host]) -> None:
        limits = exercise.limits
        patient = replace(limits, total_seconds=limits.total_seconds * PATIENCE)
        self._exercise = replace(exercise, limits=patient, misconceptions=())
        patient = Limits(
            limits.call_seconds * MORE_PATIENCE,
            patient.total_seconds * MORE_PATIENCE,
            limits.memory_megabytes,
            limits.output_kilobytes,
        )
        self._with_patience = replace(self._exercise, limits=patient)
        self._path = shown_path(exercise)
        self._hosts: SimpleQueue[Host] = SimpleQueue()
        for one in hosts:
            self._hosts.put(one)
        self._threads = ThreadPoolExecutor(len(hosts))

    def grade(self, texts: Iterable[str]) -> Iterator[tuple[CheckResult, ...]]:
        """Check texts; the results come in the order of the texts."""

        def run(exercise: Exercise, text: str, at: Host) -> tuple[CheckResult, ...]:
            return runner.run(exercise, text.encode(), self._path, copies=False, at=at, seed=SEED).checks

        return self._each(lambda text, at: self._patiently(run, text, at), texts)

    def refuted(self, texts: Iterable[str]) -> Iterator[bool | None]:
        """Whether any check fails a text or stops it; None if that stayed open."""

        def run(exercise: Exercise, text: str, at: Host) -> tuple[CheckResult, ...]:
            return runner.up_to_a_failure(exercise, text, self._path, at)

        def one(text: str, at: Host) -> bool | None:
            checks = self._patiently(run, text, at)
            return True if _has(checks, runner.REFUTING) else None if _has(checks, OPEN) else False

        return self._each(one, texts)

    def _patiently(self, run: Run, text: str, at: Host) -> tuple[CheckResult, ...]:
        """Check a text, and again with more time if it was stopped or something stayed open."""
        checks = run(self._exercise, text, at)
        for verdicts in (STOPPED, OPEN):
            if _has(checks, verdicts):
                checks = run(self._with_patience, text, at)
        return checks

    def _each(self, check: Callable[[str, Host], Found], texts: Iterable[str]) -> Iterator[Found]:
        def on_a_host(text: str) -> Found:
            at = self._hosts.get()
            before = time.monotonic()
            try:
                return check(text, at)
            finally:
                at.used_seconds += time.monotonic() - before
                if at.used_seconds > SECONDS_OF_A_PROCESS:
                    at.end()
                self._hosts.put(at)

        return self._threads.map(on_a_host, texts)

    def close(self) -> None:
        """Wait for what still runs."""
        self._threads.shutdown()


@contextmanager
def grading_pool(exercise: Exercise, hosts: int | None = None) -> Iterator[GradingPool]:
    """Give a pool with so many hosts.

    By default there is one more than there are processors, within reason: hosts wait now and then.
    """
    number = hosts or min(os.cpu_count() or 1, MOST_HOSTS) + 1
    with ExitStack() as stack:
        found = GradingPool(exercise, [stack.enter_context(host()) for _ in range(number)])
        stack.callback(found.close)
        yield found


def shown_path(exercise: Exercise) -> Path:
    """Where a learner's answer would be."""
    return Path("answers") / f"{exercise.id}.py"
