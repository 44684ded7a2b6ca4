"""Answers that many threads share (ex06), and the whole queue with its hidden families (ex07).

After a wanted change of words, write the golden files anew with JOBKIT_WRITE_GOLDEN=1 and read the difference.
"""

import logging
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar

import pytest

from exercises.grader import catalogue, report, runner
from exercises.grader.catalogue import Exercise
from exercises.grader.errors import ExerciseError
from exercises.grader.lodging import Host, host
from exercises.grader.misconceptions import Misconception
from exercises.grader.process import AnswerProcess
from exercises.grader.records import CheckResult, Result, Verdict
from tests.exercises.grading import wrong_results
from webui.board_link import watch_line

GOLDEN = Path(__file__).parent / "golden_threads"
SHARED, WHOLE = catalogue.find("ex06"), catalogue.find("ex07")
WRONG = [(exercise, wrong) for exercise in (SHARED, WHOLE) for wrong in exercise.misconceptions]
LONGEST_SECONDS = 5.0
SEED = 1

Found = TypeVar("Found")


@cache
def grade(exercise_id: str, text: str, seed: int = SEED) -> Result:
    """Check one text, with patience; a text that several tests look at is run once."""
    path = PurePosixPath(f"answers/{exercise_id}.py")
    return runner.run(_patient(catalogue.find(exercise_id)), text.encode(), path, copies=False, seed=seed)


def built(exercise: Exercise, name: str) -> str:
    """The solution with one misconception built in."""
    wrong = next(one for one in exercise.misconceptions if one.id == name)
    return wrong.applied_to(exercise.text("solution.py"))


def named(result: Result, name: str) -> CheckResult:
    """The outcome of one check."""
    return next(check for check in result.checks if check.name == name)


def golden(path: Path, text: str) -> str:
    """The words as they were agreed on; rewritten only by the explicit flag."""
    if os.environ.get("JOBKIT_WRITE_GOLDEN"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("exercise", "wrong"), WRONG, ids=[f"{exercise.short} {wrong.id}" for exercise, wrong in WRONG]
)
def test_each_misconception_is_told_in_the_agreed_words(exercise: Exercise, wrong: Misconception) -> None:
    """The promise, the story, the own line, the idea, hint 1, the board: in this order, and no traceback."""
    result = wrong_results(exercise.id)[wrong.id]
    text = report.plain(result, exercise, watch_line(exercise, result))
    told = named(result, wrong.killed_by)
    first = text.splitlines()[0]
    assert first == told.promise
    assert len(first) <= 120
    line = [] if told.how == "hidden" else [f"your line  answers/{exercise.id}.py:"]
    order = ["<-- here", *line, wrong.title, "Hint 1 of 3", " on the board: "]
    places = [text.index(part) for part in order]
    assert places == sorted(places)
    assert "Traceback" not in text
    assert text == golden(GOLDEN / exercise.short / f"{wrong.id}.txt", text)


def test_no_golden_file_outlives_what_it_shows() -> None:
    """Each file belongs to a misconception."""
    there = {f"{path.parent.name} {path.stem}" for path in GOLDEN.glob("*/*.txt")}
    assert there == {f"{exercise.short} {wrong.id}" for exercise, wrong in WRONG}


def test_a_run_is_told_again_by_its_id() -> None:
    """Only that check, only that way to meet, and the same finding."""
    text = built(SHARED, "poll_without_lock")
    found = named(grade(SHARED.id, text), "one_job_two_workers")
    path = PurePosixPath(f"answers/{SHARED.id}.py")
    again = runner.replay(SHARED, text.encode(), path, f"one_job_two_workers/{found.schedule}").checks[0]
    assert (again.verdict, again.trace, again.got) == (Verdict.FAIL, found.trace, found.got)
    whole = runner.replay(SHARED, text.encode(), path, "one_job_two_workers/AB")
    assert whole.passed
    assert any("A polls" in step for step in whole.checks[0].trace)
    told = [line.text for line in report.replayed(whole)]
    assert told[0] == "In this run the promise is kept."
    assert not any("<-- here" in text for text in told)


def test_an_id_that_fits_nothing_is_explained() -> None:
    """A line to which no thread comes, and a name that no check has."""
    text, path = SHARED.text("solution.py").encode(), Path("answers/ex06_exactly_one_worker.py")
    lost = runner.replay(SHARED, text, path, "one_job_two_workers/AB-A9999").checks[0]
    assert (lost.verdict, "A9999" in lost.reason) == (Verdict.INCONCLUSIVE, True)
    with pytest.raises(ExerciseError, match="names no run of ex06"):
        runner.replay(SHARED, text, path, "nobody/AB")


def test_a_pass_says_what_was_tried_and_how_far() -> None:
    """Numbers of schedules by switches, and of how many."""
    note = named(grade(SHARED.id, SHARED.text("solution.py")), "one_job_two_workers").note
    assert note.startswith("tried ")
    assert "ways to meet: 2 without an interruption, " in note
    assert note.endswith(" and 20 drawn ones with more")


TRICK = """
import threading
MAIN = threading.get_ident()
def trick():
    if threading.get_ident() != MAIN:
        {code}
"""
TRICKS = {
    "endless loop": ("while True: pass", Verdict.INCONCLUSIVE, "does a loop never end"),
    "endless loop over lines": ("while True:\n            pass", Verdict.INCONCLUSIVE, "does a loop never end"),
    "endless prints": ("while True: print('x')", Verdict.INCONCLUSIVE, "does a loop never end"),
    "os._exit": ("import os; os._exit(0)", Verdict.STOPPED, "ended the Python process itself"),
    "sys.exit": ("import sys; sys.exit(0)", Verdict.STOPPED, "asked Python to exit"),
    "deep recursion": ("trick()", Verdict.FAIL, ""),
    "hole": ("raise NotImplementedError('later')", Verdict.NOT_ATTEMPTED, "later"),
    "memory": ("x = 'x' * 10**10", Verdict.STOPPED, "more memory"),
    "input": ("input()", Verdict.FAIL, ""),
    "a thread of its own": (
        "threading.Thread(target=threading.Event().wait, daemon=True).start()",
        Verdict.INCONCLUSIVE,
        "threads of its own",
    ),
    "waits in a pipe": (
        "import os; os.read(os.pipe()[0], 1)",
        Verdict.INCONCLUSIVE,
        "in something that no checker sees",
    ),
}


@pytest.fixture
def starts(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How long each start and end of a Python took: on a busy machine that says nothing about the answer."""
    spent: list[float] = []

    class Timed(AnswerProcess):
        def __init__(self, *args: Any) -> None:
            before = time.monotonic()
            super().__init__(*args)
            spent.append(time.monotonic() - before)

        def close(self) -> int:
            before = time.monotonic()
            try:
                return super().close()
            finally:
                spent.append(time.monotonic() - before)

    monkeypatch.setattr(runner, "AnswerProcess", Timed)
    return spent


@pytest.mark.parametrize("name", TRICKS)
def test_a_trick_that_only_threads_see_costs_only_their_checks(name: str, starts: list[float]) -> None:
    """It has a verdict of its own, in time, and everything for one thread is scored."""
    code, verdict, says = TRICKS[name]
    text = SHARED.text("solution.py")
    text = text.replace("            job = next(", "            trick()\n            job = next(", 1)
    before = time.monotonic()
    path = PurePosixPath(f"answers/{SHARED.id}.py")
    result = runner.run(SHARED, (text + TRICK.format(code=code)).encode(), path, copies=False)
    assert time.monotonic() - before - sum(starts) < LONGEST_SECONDS
    check = named(result, "one_job_two_workers")
    assert (check.verdict, says in check.reason) == (verdict, True)
    assert {one.verdict for one in result.checks if one.task == 1} == {Verdict.PASS}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
def test_a_fork_in_a_thread_speaks_with_one_voice() -> None:
    """The copy is ended; the verdict is that of the answer."""
    text = SHARED.text("solution.py").replace(
        "            job = next(", "            trick()\n            job = next(", 1
    )
    result = grade(SHARED.id, text + TRICK.format(code="import os; os.fork() or os._exit(0)"))
    assert named(result, "one_job_two_workers").verdict is Verdict.PASS


INNER = SHARED.text("solution.py").replace("class SharedQueue", "class Inner")
METHODS = ("submit", "poll", "complete", "fail", "view", "counts")
THREADED = {
    "a thread that reads a mailbox": """
import queue

class SharedQueue:
    def __init__(self):
        self._box = queue.Queue()
        self._inner = Inner()
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        while True:
            method, args, back = self._box.get()
            try:
                back.put((getattr(self._inner, method)(*args), None))
            except Exception as error:
                back.put((None, error))

    def _ask(self, method, *args):
        back = queue.Queue()
        self._box.put((method, args, back))
        value, error = back.get()
        if error:
            raise error
        return value
""",
    "an executor": """
from concurrent.futures import ThreadPoolExecutor

class SharedQueue:
    def __init__(self):
        self._inner, self._pool = Inner(), ThreadPoolExecutor(1)

    def _ask(self, method, *args):
        return self._pool.submit(getattr(self._inner, method), *args).result()
""",
    "a thread for each call": """
class SharedQueue:
    def __init__(self):
        self._inner = Inner()

    def _ask(self, method, *args):
        found = []
        def work():
            try:
                found.append((getattr(self._inner, method)(*args), None))
            except Exception as error:
                found.append((None, error))
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        value, error = found[0]
        if error:
            raise error
        return value
""",
    "a timer that gives the lock back": """
class SharedQueue:
    def __init__(self):
        self._inner, self._turn = Inner(), threading.Lock()

    def _ask(self, method, *args):
        self._turn.acquire()
        try:
            return getattr(self._inner, method)(*args)
        finally:
            threading.Timer(0.0, self._turn.release).start()
""",
}


@pytest.mark.parametrize("name", THREADED)
def test_a_right_answer_with_threads_of_its_own_is_not_failed(name: str) -> None:
    """Nobody steers them, so what is found with them is not certain."""
    calls = "".join(
        f"    def {one}(self, *args):\n        return self._ask('{one}', *args)\n" for one in METHODS
    )
    result = grade(SHARED.id, f"{INNER}\n{THREADED[name]}\n{calls}")
    assert {check.verdict for check in result.checks if check.task == 1} == {Verdict.PASS}
    check = named(result, "one_job_two_workers")
    assert check.verdict is Verdict.INCONCLUSIVE
    assert "threads of its own" in check.reason


@pytest.mark.parametrize(
    "way", ["exec(TEXT)", "exec(compile(TEXT, '<text>', 'exec'))", "poll = eval('lambda self, w: None')"]
)
def test_code_made_of_a_text_is_not_taken_for_safe(way: str) -> None:
    """Nobody sees inside it, so no race in it would be found."""
    text = built(SHARED, "poll_without_lock")
    check = named(grade(SHARED.id, f"TEXT = 'odd = 1'\n{way}\n{text}"), "one_job_two_workers")
    assert check.verdict is Verdict.INCONCLUSIVE
    assert "code out of a text" in check.reason


SPY = """        print("submitted", type, priority, run_at_millis)
        with self._lock:
            run_at"""


def test_a_hidden_family_that_fails_is_named_and_nothing_else_is_told() -> None:
    """No step of the story, no number of it, not even what the answer prints."""
    text = built(WHOLE, "renewal_may_shorten").replace("        with self._lock:\n            run_at", SPY, 1)
    result = grade(WHOLE.id, text)
    check = named(result, "renewals")
    assert check.verdict is Verdict.FAIL
    assert (check.trace, check.expected, check.got, check.printed, check.line) == (
        ("a hidden story of the family 'renewals'",),
        "",
        "",
        "",
        None,
    )
    words = report.plain(result, WHOLE)
    assert "Hidden family 'renewals'" in words
    assert "submitted" not in words
    assert "checks pass" not in words
    assert not result.passed


def test_the_numbers_of_hidden_families_are_drawn_anew_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    """Two checks have two seeds, unless somebody gives one."""
    path, text = PurePosixPath("answers/ex07_whole_queue.py"), WHOLE.text("solution.py").encode()
    with caplog.at_level(logging.INFO, logger="exercises.grader.case"):
        for seed in (None, None, 7):
            assert runner.run(_patient(WHOLE), text, path, copies=False, seed=seed).passed
    seeds = [message.rpartition(" ")[2] for message in caplog.messages if "family order" in message]
    assert len(seeds) == 3
    assert seeds[0] != seeds[1]
    assert seeds[2] == "7"


RUNS = 200
RUNS_OF_A_PROCESS = 20  # a process has a limit of its own for the time that it may use
MEETING = {check.name for check in WHOLE.checks if check.task == 3}  # where threads meet in the whole queue
RACY = [(one, wrong) for one, wrong in WRONG if one is SHARED or wrong.killed_by in MEETING]
RIGHT = [
    (exercise, path)
    for exercise in (SHARED, WHOLE)
    for path in (exercise.folder / "solution.py", *exercise.alternatives())
]


@pytest.mark.long
@pytest.mark.parametrize(("exercise", "wrong"), RACY, ids=[f"{one.short} {wrong.id}" for one, wrong in RACY])
def test_no_racy_answer_passes_once_in_many_runs(exercise: Exercise, wrong: Misconception) -> None:
    """The finding is not only made each time, it is the same each time."""
    text = wrong.applied_to(exercise.text("solution.py")).encode()
    alone = _only(exercise, {wrong.killed_by})
    found = set(_many(lambda at: _finding(alone, text, at)))
    assert len(found) == 1
    assert found.pop()[0] is Verdict.FAIL


@pytest.mark.long
@pytest.mark.parametrize(("exercise", "path"), RIGHT, ids=[f"{one.short} {path.name}" for one, path in RIGHT])
def test_no_right_answer_fails_once_in_many_runs(exercise: Exercise, path: Path) -> None:
    """Whatever it is built of."""
    text = path.read_bytes()
    meeting = _patient(exercise) if exercise is SHARED else _only(exercise, MEETING)
    for result in _many(lambda at: runner.run(meeting, text, PurePosixPath("x.py"), copies=False, at=at)):
        assert result.passed, result.finding


def _many(once: Callable[[Host], Found]) -> Iterator[Found]:
    """Do something many times; the texts are the kit's own, so one process may serve many runs."""
    for _ in range(RUNS // RUNS_OF_A_PROCESS):
        with host() as place:
            yield from (once(place) for _ in range(RUNS_OF_A_PROCESS))


@pytest.mark.parametrize("name", ["poll_without_lock", "two_locks_in_two_orders", "token_counter_unlocked"])
def test_a_second_run_finds_the_same(name: str) -> None:
    """To the letter, with the id of the run."""
    text = built(SHARED, name).encode()
    path = PurePosixPath(f"answers/{SHARED.id}.py")
    assert runner.run(_patient(SHARED), text, path, copies=False) == grade(SHARED.id, text.decode())


def _finding(exercise: Exercise, text: bytes, at: Host) -> tuple[Verdict, str, tuple[str, ...], str]:
    check = runner.run(exercise, text, PurePosixPath("answers/x.py"), copies=False, at=at).checks[0]
    return check.verdict, check.how, check.trace, check.schedule


def _only(exercise: Exercise, names: set[str]) -> Exercise:
    checks = tuple(replace(check, needs=()) for check in exercise.checks if check.name in names)
    return replace(_patient(exercise), checks=checks)


def _patient(exercise: Exercise) -> Exercise:
    return replace(exercise, limits=replace(exercise.limits, call_seconds=20.0, total_seconds=60.0))


def test_a_racy_answer_that_ends_the_tracing_is_found_all_the_same() -> None:
    """From within the method, and by a name that was imported before."""
    text = built(SHARED, "poll_without_lock")
    for line in ("sys.settrace(None)", "settrace(None)", "threading.settrace(None)"):
        head = "import sys\nfrom sys import settrace\n"
        blind = head + re.sub(r"(    def poll\(.*\n)((?:        \"\"\".*\n)?)", rf"\1\2        {line}\n", text)
        assert line in blind
        assert named(grade(SHARED.id, blind), "one_job_two_workers").verdict is Verdict.FAIL
