"""Answers that hang, flood, crash or cheat: each gets its own verdict in time, and costs no other check."""

import os
import select
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from exercises.grader.judging import runner
from exercises.grader.judging.records import Verdict
from exercises.grader.running.process import Limits
from tests.exercises.grading import (
    EXERCISE,
    LAST_TASK,
    SHOWN_PATH,
    SOLUTION,
    WAITING,
    grade,
    named,
    verdicts,
    with_fail,
)

LONGEST_SECONDS = 60.0  # on a busy machine; what an answer may compute is counted apart from it

unix_only = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows has no fork and no named pipes in folders"
)


@dataclass(frozen=True, slots=True)
class Trick:
    """Code that takes the place of the body of `fail`, the verdict it deserves, and a part of the reason."""

    name: str
    code: str
    verdict: Verdict
    says: str


SWALLOWING = """
while True:
    try:
        while True:
            pass
    except BaseException:
        pass
""".strip()

CLOSING = """
import os
os.closerange(0, 256)
"""

FORGING = """
import os
for number in range(3, 64):
    try:
        os.write(number, b'{"number": 1, "kind": "value", "value": null}\\n')
    except OSError:
        pass
"""

TRICKS = [
    Trick("endless loop", "while True: pass", Verdict.STOPPED, "no answer within 1.0 s"),
    Trick("loop that swallows everything", SWALLOWING, Verdict.STOPPED, "no answer within 1.0 s"),
    Trick("print flood", "while True:\n    print('x' * 1000)", Verdict.STOPPED, "printed more than 256 KB"),
    Trick(
        "os._exit(0)",
        "import os\nos._exit(0)",
        Verdict.STOPPED,
        "ended the Python process itself (exit code 0)",
    ),
    Trick("sys.exit(0)", "import sys\nsys.exit(0)", Verdict.STOPPED, "asked Python to exit"),
    Trick("all pipes closed", CLOSING, Verdict.STOPPED, "cut the pipe to the grader"),
    Trick(
        "hole", "raise NotImplementedError('ex03, task 4: fail')", Verdict.NOT_ATTEMPTED, "ex03, task 4: fail"
    ),
]

WRONG_ANSWERS = [
    Trick("printed 'passed'", "print('passed')", Verdict.FAIL, ""),
    Trick("forged replies on every pipe", FORGING, Verdict.FAIL, ""),
    Trick("input()", "input('your name? ')", Verdict.FAIL, "EOFError"),
    Trick("deep recursion", "self.fail(job_id, token, error)", Verdict.FAIL, "RecursionError"),
    Trick("return None", "return None", Verdict.FAIL, ""),
    Trick("sys.stdout closed", "import sys\nsys.stdout.close()\nprint('x')", Verdict.FAIL, "ValueError"),
    Trick("KeyboardInterrupt", "raise KeyboardInterrupt", Verdict.FAIL, "KeyboardInterrupt"),
]


def names(tricks: list[Trick]) -> list[str]:
    return [trick.name for trick in tricks]


@pytest.mark.parametrize("trick", TRICKS, ids=names(TRICKS))
def test_a_trick_in_one_method_costs_only_the_checks_that_call_it(trick: Trick) -> None:
    """The checks of the last task get the trick's verdict, all others pass, within the time."""
    before = time.monotonic()
    result = grade(with_fail(trick.code))
    assert time.monotonic() - before < LONGEST_SECONDS
    found = verdicts(result)
    assert {found.pop(name) for name in LAST_TASK} == {trick.verdict}
    assert {found.pop(name) for name in WAITING} == {Verdict.SKIPPED}
    assert set(found.values()) == {Verdict.PASS}
    assert trick.says in named(result, "zombie_fails").reason


@pytest.mark.parametrize("path", ["answers/ex03_tokens.py", "an answer/ü 答え.py"])
def test_a_loop_is_shown_by_the_line_in_which_it_runs(path: str) -> None:
    """Whoever wrote an endless loop wants to know where."""
    text = with_fail("while True:\n    self._clock.now()")
    one_loop_is_enough = replace(EXERCISE, limits=Limits(call_seconds=0.5, total_seconds=3.0))
    hung = named(runner.run(one_loop_is_enough, text.encode(), Path(path)), "failed_and_ready").line
    assert hung is not None
    assert hung.function == "fail"
    assert hung.text in {"while True:", "self._clock.now()"}


@pytest.mark.parametrize("trick", WRONG_ANSWERS, ids=names(WRONG_ANSWERS))
def test_a_wrong_answer_stays_wrong_whatever_it_does_around_it(trick: Trick) -> None:
    """What an answer prints, writes or raises never becomes a pass."""
    result = grade(with_fail(trick.code))
    found = verdicts(result)
    assert {found.pop(name) for name in LAST_TASK} == {trick.verdict}
    assert {found.pop(name) for name in WAITING} == {Verdict.SKIPPED}
    assert set(found.values()) == {Verdict.PASS}
    assert trick.says in named(result, "failed_and_ready").got


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds a process to its memory limit")
@pytest.mark.parametrize("code", ["x = [0] * 10**10", "x = []\nwhile True:\n    x.append(' ' * 10**6)"])
def test_a_memory_hog_is_stopped_for_its_memory(code: str) -> None:
    """One giant allocation and many small ones end alike, and the machine does not notice."""
    result = grade(with_fail(code))
    found = verdicts(result)
    assert {found.pop(name) for name in LAST_TASK} == {Verdict.STOPPED}
    assert {found.pop(name) for name in WAITING} == {Verdict.SKIPPED}
    assert set(found.values()) == {Verdict.PASS}
    assert "memory" in named(result, "zombie_fails").reason


LOADING = [
    ("empty file", "", Verdict.NOT_ATTEMPTED, "There is no TokenQueue in the file yet."),
    ("everything commented out", "# " + SOLUTION.replace("\n", "\n# "), Verdict.NOT_ATTEMPTED, "no TokenQueue"),
    ("wrong name", "class Tokenqueue:\n    pass\n", Verdict.NOT_ATTEMPTED, "There is Tokenqueue."),
    ("syntax error", SOLUTION + "\ndef broken(:\n", Verdict.FAIL, "Python cannot read the file: SyntaxError"),
    ("NUL in the text", SOLUTION + "\n\0\n", Verdict.FAIL, "Python cannot read the file"),
    (
        "error while importing",
        SOLUTION + "\n1 / 0\n",
        Verdict.FAIL,
        "Python cannot import the file: ZeroDivisionError",
    ),
    (
        "loop while importing",
        SOLUTION + "\nwhile True:\n    pass\n",
        Verdict.STOPPED,
        "While the file was being imported",
    ),
    ("exit while importing", SOLUTION + "\nraise SystemExit(0)\n", Verdict.STOPPED, "asked Python to exit"),
    ("os._exit while importing", SOLUTION + "\nimport os\nos._exit(0)\n", Verdict.STOPPED, "exit code 0"),
    (
        "flood while importing",
        "while True:\n    print('x' * 1000)\n",
        Verdict.STOPPED,
        "printed more than 256 KB",
    ),
    ("giant file", "#" * 300_000, Verdict.STOPPED, "The file has more than 256 KB"),
]


@pytest.mark.parametrize(
    ("text", "verdict", "says"), [case[1:] for case in LOADING], ids=[c[0] for c in LOADING]
)
def test_a_file_that_cannot_be_used_is_told_once_for_all_checks(text: str, verdict: Verdict, says: str) -> None:
    """Nothing passes, nothing is repeated check by check, and the reason is said in plain words."""
    before = time.monotonic()
    result = grade(text)
    assert time.monotonic() - before < LONGEST_SECONDS
    assert result.points == 0
    assert set(verdicts(result).values()) <= {verdict, Verdict.SKIPPED}
    assert says in result.checks[0].reason


def test_return_none_everywhere_is_a_wrong_answer_not_a_hole() -> None:
    """An answer that does nothing is told what was expected and what came."""
    methods = "".join(
        f"    def {n}(self, *args): return None\n" for n in ("submit", "poll", "view", "complete", "fail")
    )
    result = grade(f"class TokenQueue:\n    def __init__(self, clock): pass\n{methods}")
    first = result.checks[0]
    assert (first.verdict, first.expected, first.got) == (Verdict.FAIL, "job id 'J1'", "job id None")
    assert result.points == 0


@pytest.mark.parametrize(
    "peek",
    [
        "from exercises.ex03_tokens.solution import TokenQueue",
        f"exec(open({str(EXERCISE.folder / 'solution.py')!r}).read())",
        f"import sys; sys.path.insert(0, {str(EXERCISE.folder)!r}); from solution import TokenQueue",
        f"import os; os.symlink({str(EXERCISE.folder)!r}, 's'); exec(open('s/solution.py').read())",
        f"exec(open({'/proc/self/root' + str(EXERCISE.folder / 'solution.py')!r}).read())",
        f"import os; os.open('{EXERCISE.id}/task.md', 0, dir_fd=os.open({str(EXERCISE.folder.parent)!r}, 0))",
        f"import subprocess; subprocess.run(['cat', {str(EXERCISE.folder / 'solution.py')!r}])",
    ],
    ids=["import", "open", "path", "link", "proc", "folder", "program"],
)
def test_the_solution_opened_is_not_an_attempt(peek: str) -> None:
    """Whichever way an answer gets at the kit's own files, it is not the learner's work."""
    result = grade(peek + "\n")
    assert {check.verdict for check in result.checks} == {Verdict.NOT_ATTEMPTED}
    assert "Write your own" in result.checks[0].reason


PATCHES = """
import builtins, json, random, sys, time
json.dumps = json.loads = lambda *args, **kwargs: '{"verdict": "pass"}'
time.time = time.monotonic = lambda: 0
random.random = lambda: 0.5
builtins.print = lambda *args: None
sys.setprofile = sys.settrace = lambda *args: None
"""


def test_patched_modules_neither_help_nor_harm() -> None:
    """Patches act in the answer's process; the verdict is formed in another one."""
    assert grade(SOLUTION + PATCHES).passed
    broken = grade(with_fail("return None", before=PATCHES))
    assert set(broken.named(Verdict.FAIL)) == set(LAST_TASK)


EQUAL_TO_ALL = """
class Yes(str):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __hash__(self): return 0
"""


def test_a_value_that_claims_to_equal_everything_is_compared_by_what_it_is() -> None:
    """Only plain values cross the pipe."""
    result = grade(SOLUTION.replace("        return job_id\n", "        return Yes('J9')\n") + EQUAL_TO_ALL)
    assert named(result, "handed_out").got == "job id 'J9'"


def test_a_temporary_folder_of_its_own_goes_with_the_answer(nothing_left: Path) -> None:
    """Whatever Python would have chosen for it."""
    code = "import tempfile\nraise KeyError(tempfile.mkdtemp())"
    told = named(grade(with_fail(code)), LAST_TASK[0]).got
    assert str(nothing_left) in told


def test_leftover_threads_do_not_keep_the_grader_waiting_or_spoil_the_next_check() -> None:
    """A thread that never ends dies with its process; a right answer stays right."""
    small = "import threading\nthreading.stack_size(262_144)\n"  # many fit into the memory limit
    thread = small + "threading.Thread(target=threading.Event().wait).start()\n"
    before = time.monotonic()
    result = grade(with_fail(f"{thread}job = self._held(job_id, token)\nself._end_attempt(job, error)"))
    assert time.monotonic() - before < LONGEST_SECONDS
    assert result.passed


@unix_only
def test_a_fork_speaks_with_one_voice() -> None:
    """Of an answer that forks only the first process is heard, and the other one ends."""
    assert grade(
        SOLUTION.replace(
            "        self._settle()\n", "        import os\n        os.fork()\n        self._settle()\n", 1
        )
    ).passed


@unix_only
def test_processes_that_an_answer_starts_end_with_it(tmp_path: Path) -> None:
    """A sleeping child of the answer is killed with it: the pipe that it holds open comes to its end."""
    pipe = tmp_path / "held"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    start = f"""
import os, subprocess, sys
held = os.open({str(pipe)!r}, os.O_WRONLY)
subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"], pass_fds=[held])
"""
    assert grade(SOLUTION + start).passed
    readable, _, _ = select.select([reader], [], [], LONGEST_SECONDS)
    assert readable == [reader]
    assert os.read(reader, 1) == b""
    os.close(reader)


def test_files_that_an_answer_writes_go_away_with_it(nothing_left: Path, tmp_path: Path) -> None:
    """An answer works in a temporary folder; the fixture looks whether it is gone."""
    note = tmp_path / "where"
    write = f"""
import pathlib
pathlib.Path("litter.txt").write_text("x")
pathlib.Path({str(note)!r}).write_text(str(pathlib.Path.cwd()))
"""
    assert grade(SOLUTION + write).passed
    assert Path(note.read_text()).parent.resolve() == nothing_left.resolve()


def test_a_file_beside_the_answer_that_is_named_like_a_module_breaks_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The learner's folder is not on the import path."""
    (tmp_path / "json.py").write_text("raise RuntimeError('not this one')", encoding="utf-8")
    (tmp_path / "exercises").mkdir()
    monkeypatch.chdir(tmp_path)
    assert grade(SOLUTION).passed


def test_time_that_is_used_up_makes_the_rest_inconclusive() -> None:
    """A bound that is reached says how far the grader came; it does not call the rest wrong."""
    hasty = replace(EXERCISE, limits=Limits(call_seconds=1.0, total_seconds=1.5))
    result = runner.run(hasty, with_fail("while True:\n    pass").encode(), SHOWN_PATH)
    last = named(result, "token_after_failure")
    assert last.verdict is Verdict.INCONCLUSIVE
    assert last.reason == "The 1.5 s for all checks together are used up: 30 of 39 checks were run."


@pytest.mark.parametrize("path", ["an answer/ex03 ü.py", "答え.py"])
def test_any_path_will_do(path: str) -> None:
    """Spaces and letters of any script in the path change nothing."""
    result = runner.run(EXERCISE, with_fail("return None").encode(), Path(path))
    line = named(result, "failed_and_ready").line
    assert result.path == str(Path(path))
    assert line is not None
    assert line.function == "view"


@unix_only
@pytest.mark.parametrize(
    ("seconds", "says"), [(0.0, "crashed Python (SIGSEGV)"), (0.45, "gave no answer within 0.5 s")]
)
def test_a_crash_behind_the_watchdog_is_no_crash_of_the_answer(seconds: float, says: str) -> None:
    """The watchdog reads the frames of a call that takes too long, and once in a while that crashes Python."""
    code = f"import os, signal, time\ntime.sleep({seconds})\nos.kill(os.getpid(), signal.SIGSEGV)"
    brief = replace(EXERCISE, limits=Limits(call_seconds=0.5, total_seconds=30.0))
    result = runner.run(brief, with_fail(code).encode(), SHOWN_PATH)
    assert says in named(result, "zombie_fails").reason
