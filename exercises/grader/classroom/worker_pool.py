"""Grades many submissions, several at a time, each in a process of its own: one that fails costs no other.

A thread waits for each process. Results come in the order in which they end; who wants another one sorts them.
"""

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Generator, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from exercises.grader.classroom.record import Grade, ungraded
from exercises.grader.classroom.submissions import Submission
from exercises.grader.explaining.page import plain_text
from exercises.grader.judging.catalogue import Exercise
from exercises.grader.running.interpreter import PACKAGE_ROOT
from exercises.grader.running.stopwatch import NET
from exercises.grader.running.workspace import working_folder

GRACE_SECONDS = 60.0  # beyond the exercise's own limit: starting Python counts for nobody
PATIENCE, ALONE = 2, 4  # times as long as in `jobkit check`; the second for what is run once more, alone
ENDING_SECONDS = 5.0
COMMAND = (sys.executable, "-P", "-m", "exercises.grader.classroom.single")

Outcome = tuple[Submission, Grade]


class WorkerPool:
    """The grader processes at work; `stop` ends them, and no other begins."""

    def __init__(
        self, folder: Path, exercises: Mapping[str, Exercise], *, most_seconds: float | None = None
    ) -> None:
        self._folder, self._exercises, self._most_seconds = folder.absolute(), exercises, most_seconds
        self._running: set[subprocess.Popen[bytes]] = set()
        self._lock = threading.Lock()
        self._stopped = False

    def grade(self, submissions: Sequence[Submission], at_once: int) -> Generator[Outcome, None, None]:
        """Grade all of them; yield each as it is done. Whoever stops asking stops the workers.

        What stayed undecided is run once more at the end, when nothing else runs, and yielded then.
        """
        done: queue.SimpleQueue[Outcome | BaseException] = queue.SimpleQueue()
        with working_folder() as scratch, self._workers(at_once) as pool:
            for one in submissions:
                pool.submit(self._one, one, scratch, done)
            again: list[Submission] = []
            for _ in submissions:
                one, grade = _outcome(done)
                if grade.undecided:
                    again.append(one)
                else:
                    yield one, grade
            for one in again:
                pool.submit(self._one, one, scratch, done, ALONE)
                yield _outcome(done)

    @contextmanager
    def _workers(self, at_once: int) -> Iterator[ThreadPoolExecutor]:
        pool = ThreadPoolExecutor(at_once)
        try:
            yield pool
        finally:
            self.stop()
            pool.shutdown(wait=True, cancel_futures=True)

    def stop(self) -> None:
        """End every grader process that is at work; each ends its answer first."""
        with self._lock:
            self._stopped = True
            for process in self._running:
                process.terminate()

    def _one(
        self,
        one: Submission,
        scratch: Path,
        done: queue.SimpleQueue[Outcome | BaseException],
        patience: int = PATIENCE,
    ) -> None:
        try:
            done.put((one, self._graded(one, self._exercises[one.exercise], scratch, patience)))
        except BaseException as fault:  # whoever waits for the outcome has to learn of it
            done.put(fault)

    def _graded(self, one: Submission, exercise: Exercise, scratch: Path, patience: int) -> Grade:
        command: dict[str, Any] = {"folder": str(self._folder), "file": str(one.path)}
        command |= {"exercise": str(exercise.folder), "patience": patience}
        seconds = exercise.limits.total_seconds * patience * NET + GRACE_SECONDS
        file = one.path.as_posix()
        try:
            return self._run(json.dumps(command).encode(), scratch, self._most_seconds or seconds)
        except subprocess.TimeoutExpired as late:
            return ungraded(exercise, file, f"The grader gave no result within {late.timeout:.0f} s.")
        except _Failed as failed:
            return ungraded(exercise, file, f"The grader itself failed: {plain_text(str(failed))}")

    def _run(self, command: bytes, scratch: Path, seconds: float) -> Grade:
        process = self._begin(scratch)
        try:
            output, errors = process.communicate(command, timeout=seconds)
        except subprocess.TimeoutExpired:
            _end(process)
            raise
        finally:
            with self._lock:
                self._running.discard(process)
        if process.returncode != 0:
            last = errors.decode("utf-8", "replace").strip().rpartition("\n")[2]
            raise _Failed(f"exit code {process.returncode}: {last}")
        try:
            return Grade.read(json.loads(output))
        except (ValueError, KeyError, TypeError):
            raise _Failed("its grade cannot be read") from None

    def _begin(self, scratch: Path) -> subprocess.Popen[bytes]:
        temporary = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(scratch))
        environment = {**os.environ, "PYTHONPATH": str(PACKAGE_ROOT), "PYTHONUTF8": "1", **temporary}
        # Ctrl-C reaches every process of the terminal's group; these are ended in turn, by `stop`.
        own_group: dict[str, Any] = {"start_new_session": True}
        if sys.platform == "win32":
            own_group = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        pipe = subprocess.PIPE
        with self._lock:
            if self._stopped:
                raise _Failed("it was stopped")
            process = subprocess.Popen(  # noqa: S603  our own interpreter
                COMMAND, stdin=pipe, stdout=pipe, stderr=pipe, cwd=scratch, env=environment, **own_group
            )
            self._running.add(process)
        return process


def _outcome(done: queue.SimpleQueue[Outcome | BaseException]) -> Outcome:
    outcome = _next(done)
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome


def _next(done: queue.SimpleQueue[Outcome | BaseException]) -> Outcome | BaseException:
    """Wait for the next outcome; in short waits, as Windows lets Ctrl-C through only between them."""
    while True:
        try:
            return done.get(timeout=0.5)
        except queue.Empty:
            continue


class _Failed(Exception):  # noqa: N818  becomes a grade's problem
    """A grader process ended without a grade."""


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ask the process to end, so that it ends its answer and clears away; then make it."""
    process.terminate()
    try:
        process.communicate(timeout=ENDING_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
