"""What the checker of threads cannot steer or see costs the checks concerned, and is never taken for right."""

import re
import sys
import time
from pathlib import PurePosixPath
from typing import Any

import pytest

from exercises.grader.judging import runner
from exercises.grader.judging.records import Verdict
from exercises.grader.running.process import AnswerProcess
from tests.exercises.grading import named
from tests.exercises.grading_threads import SHARED, built, grade
from tests.sampling import one_in

LONGEST_SECONDS = 60.0  # on a busy machine; what an answer may compute is counted apart from it
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


@pytest.mark.parametrize("name", one_in(5, TRICKS))
def test_a_trick_that_only_threads_see_costs_only_their_checks(name: str, starts: list[float]) -> None:
    """It has a verdict of its own, in time, and everything for one thread is scored."""
    code, verdict, says = TRICKS[name]
    text = SHARED.text("solution.py")
    text = text.replace("            job = next(", "            trick()\n            job = next(", 1)
    before = time.monotonic()
    path = PurePosixPath(f"answers/{SHARED.id}.py")
    result = runner.run(SHARED, (text + TRICK.format(code=code)).encode(), path, copies=False)
    assert time.monotonic() - before - sum(starts) < LONGEST_SECONDS
    told = result.told_first
    assert told is not None
    assert (told.verdict, says in told.reason) == (verdict, True)
    assert {one.verdict for one in result.checks if one.task == 1} == {Verdict.PASS}


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
@pytest.mark.long
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


def test_a_racy_answer_that_ends_the_tracing_is_found_all_the_same() -> None:
    """From within the method, and by a name that was imported before."""
    text = built(SHARED, "poll_without_lock")
    for line in ("sys.settrace(None)", "settrace(None)", "threading.settrace(None)"):
        head = "import sys\nfrom sys import settrace\n"
        blind = head + re.sub(r"(    def poll\(.*\n)((?:        \"\"\".*\n)?)", rf"\1\2        {line}\n", text)
        assert line in blind
        assert named(grade(SHARED.id, blind), "one_job_two_workers").verdict is Verdict.FAIL


TIMED = "got = self._lock.acquire(timeout=0.01)"


@pytest.mark.parametrize(("patient", "verdict"), [(True, Verdict.PASS), (False, Verdict.INCONCLUSIVE)])
def test_a_wait_with_a_time_limit_may_be_lost(patient: bool, verdict: Verdict) -> None:
    """Who tries again is right; who goes on without the lock cannot be called right."""
    text = SHARED.text("solution.py")
    lost = "while not self._lock.acquire(timeout=0.01):\n            pass" if patient else TIMED
    turn = f"""    @contextlib.contextmanager
    def _turn(self):
        got = True
        {lost}
        try:
            yield
        finally:
            if got:
                self._lock.release()

    def submit("""
    text = text.replace("with self._lock:", "with self._turn():").replace("    def submit(", turn, 1)
    result = grade(SHARED.id, text.replace("import threading", "import contextlib\nimport threading", 1))
    check = named(result, "one_job_two_workers")
    assert (check.verdict, "waits only so long" in check.reason) == (verdict, not patient)


COUNTED = "            states = [job.status for job in self._jobs.values()]\n"
COPIED = "            states = [job.status for job in copy.deepcopy(self._jobs).values()]\n"


@pytest.mark.parametrize(("locked", "verdict"), [(True, Verdict.PASS), (False, Verdict.FAIL)])
def test_python_s_own_code_is_no_safe_place(locked: bool, verdict: Verdict) -> None:
    """While everything is copied, part by part, others may change it."""
    text = SHARED.text("solution.py")
    assert COUNTED in text
    text = text.replace(COUNTED, COPIED).replace("import threading", "import copy\nimport threading", 1)
    if not locked:
        text = text.replace("        with self._lock:\n" + COPIED, "        if True:\n" + COPIED)
    assert named(grade(SHARED.id, text), "counts_of_one_instant").verdict is verdict


def test_a_module_that_the_answer_has_written_is_not_taken_for_a_right_one() -> None:
    """No thread is steered in it, so nothing is known of its locks."""
    lockless = SHARED.text("solution.py").replace("with self._lock:", "if True:")
    text = f"import pathlib, sys\npathlib.Path('mine.py').write_text({lockless!r})\nsys.path.insert(0, '.')\n"
    result = grade(SHARED.id, f"{text}from mine import *\n")
    assert named(result, "one_job_two_workers").verdict is Verdict.INCONCLUSIVE
