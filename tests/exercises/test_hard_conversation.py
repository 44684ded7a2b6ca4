"""The conversation with a hostile answer: whatever comes back is a verdict, and the other checks are scored."""

import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from exercises.grader.judging import runner
from exercises.grader.judging.records import Result, Verdict
from exercises.grader.running.process import Limits
from exercises.grader.running.wire import read_reply
from exercises.grader.running.workspace import host
from tests.exercises.grading import (
    EXERCISE,
    LAST_TASK,
    OWN_ANSWER,
    SHOWN_PATH,
    SOLUTION,
    WAITING,
    named,
    verdicts,
    with_fail,
)

LONGEST_SECONDS = 10.0  # an answer ends within 5 s on a machine that is not busy with other tests
unix_only = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals")


def bounded(answer: str | bytes) -> Result:
    """Check an answer, and look that this ends in time."""
    before = time.monotonic()
    text = answer.encode() if isinstance(answer, str) else answer
    result = runner.run(EXERCISE, text, SHOWN_PATH)
    assert time.monotonic() - before < LONGEST_SECONDS
    return result


@pytest.mark.parametrize("coding", ["rot13", "hex", "undefined", "punycode", "utf-16", "nope"])
def test_a_coding_line_that_gives_no_text_is_a_verdict(coding: str) -> None:
    """Any codec that Python knows, or none, can be named in the first line."""
    result = bounded(f"# coding: {coding}\n".encode() + SOLUTION.encode())
    assert {check.verdict for check in result.checks} == {Verdict.FAIL}
    assert "Python cannot read the file as text" in result.checks[0].reason


FORGED = """
import os, sys
frame = sys._getframe()
while frame:
    channel = frame.f_locals.get("channel")
    if channel is not None:
        os.write(channel._replies, ("\\n" + channel._nonce + " %s\\n").encode())
    frame = frame.f_back
""".strip()


@dataclass(frozen=True, slots=True)
class Trick:
    """Code for the body of `fail`, the verdict of the checks that call it, and what is said about it."""

    code: str
    verdict: Verdict
    says: str


TRICKS = {
    "real-time signal": Trick("import os\nos.kill(os.getpid(), 40)", Verdict.STOPPED, "(signal 40)"),
    "giant reply": Trick("return [['x' * 9_000] * 300]", Verdict.STOPPED, "too large to be looked at"),
    "reply that multiplies": Trick(
        "a = [1] * 1000\nfor _ in range(4):\n    a = [a] * 1000\nreturn a", Verdict.STOPPED, "too large"
    ),
    "forged list": Trick(FORGED % "[1]", Verdict.STOPPED, "wrote into the grader's own pipe"),
    "forged no JSON": Trick(FORGED % "{{{", Verdict.STOPPED, "wrote into the grader's own pipe"),
    "forged depth": Trick(FORGED % ("[" * 100_000), Verdict.STOPPED, "wrote into the grader's own pipe"),
    "error with a giant name": Trick("raise type('N' * 3_000_000, (Exception,), {})", Verdict.FAIL, ""),
    "error that cannot be read": Trick(
        "class E(Exception):\n    def __str__(self): raise KeyboardInterrupt\nraise E", Verdict.FAIL, ""
    ),
    "error whose class lies": Trick(
        "class M(type):\n    __name__ = __mro__ = property(lambda c: 1 / 0)\n"
        "class E(Exception, metaclass=M): pass\nraise E",
        Verdict.FAIL,
        "",
    ),
}


@unix_only
@pytest.mark.parametrize("name", TRICKS)
def test_whatever_an_answer_sends_costs_only_the_checks_that_asked(name: str) -> None:
    """The last task has the trick's verdict, everything else passes."""
    trick = TRICKS[name]
    result = bounded(with_fail(trick.code))
    found = verdicts(result)
    assert {found.pop(name) for name in LAST_TASK} == {trick.verdict}
    assert {found.pop(name) for name in WAITING} == {Verdict.SKIPPED}
    assert set(found.values()) == {Verdict.PASS}
    assert trick.says in named(result, "zombie_fails").reason


@unix_only
def test_a_real_time_signal_while_importing_is_a_verdict() -> None:
    """It has a number but no name."""
    result = bounded(SOLUTION + "\nimport os\nos.kill(os.getpid(), 40)\n")
    assert {check.verdict for check in result.checks} == {Verdict.STOPPED}
    assert result.checks[0].reason.endswith("Your code crashed Python (signal 40).")


PATCHES = {
    "sys.modules poisoned": "import sys\nfor name in list(sys.modules):\n    sys.modules[name] = None",
    "sys.modules emptied": "import sys\nsys.modules.clear()",
    "thread count": "import threading\nthreading.active_count = lambda: 1 / 0\nthreading._active = 5",
    "os.write": "import os\nos.write = lambda *args: 0",
    "isinstance": "import builtins\nbuiltins.isinstance = lambda *args: True",
    "getattr and len": "import builtins\nbuiltins.len = lambda *a: 0\nbuiltins.getattr = lambda *a: 1",
    "recursion limit": "import sys\nsys.setrecursionlimit(60)",
    "folder left": "import os\nos.mkdir('inner')\nos.chdir('inner')\nos.rmdir('../inner')",
}


@pytest.mark.parametrize("name", PATCHES)
def test_a_right_answer_stays_right_whatever_it_patches(name: str) -> None:
    """What the grader uses on the answer's side was bound before the answer came."""
    if name == "folder left" and sys.platform == "win32":
        pytest.skip("Windows keeps a folder that somebody works in")
    assert set(verdicts(bounded(f"{SOLUTION}\n{PATCHES[name]}\n")).values()) == {Verdict.PASS}


@pytest.mark.parametrize(
    "lie", ["property(lambda self: float)", "property(lambda self: 1 / 0)"], ids=["float", "raises"]
)
def test_a_value_is_what_its_type_is_whatever_its_class_claims(lie: str) -> None:
    """A lie about `__class__` is a wrong value and no crash."""
    lying = f"\nclass Lie:\n    __class__ = {lie}\n"
    first = bounded(SOLUTION.replace("        return job_id\n", "        return Lie()\n") + lying).checks[0]
    assert (first.verdict, first.got) == (Verdict.FAIL, "Lie()")


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="no system that tells how much is reserved")
def test_the_memory_is_the_answers_and_not_the_graders() -> None:
    """What the limit counts is small before the answer asks for anything, however busy the machine is."""
    with host() as place:
        result = runner.run(EXERCISE, OWN_ANSWER.encode(), SHOWN_PATH, at=place)
        assert result.passed
        assert place.process is not None
        status = Path(f"/proc/{place.process._process.pid}/status").read_text(encoding="utf-8")
    most_kilobytes = int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmPeak")))
    assert most_kilobytes < 100_000


@pytest.mark.long
def test_a_large_module_is_let_go_before_the_next_one_comes() -> None:
    """Two of them would not fit into the memory that an answer may use."""
    roomy = replace(EXERCISE, limits=Limits(call_seconds=20.0, total_seconds=60.0, memory_megabytes=512))
    result = runner.run(roomy, f"{SOLUTION}\nkeep = bytearray(300_000_000)\n".encode(), SHOWN_PATH)
    assert [(check.name, check.reason) for check in result.checks if check.verdict is not Verdict.PASS] == []


def test_time_for_all_checks_that_ends_inside_a_call_is_named_as_such() -> None:
    """The call had its second left, so its checks are inconclusive and nobody says that it gave no answer."""
    hasty = replace(EXERCISE, limits=Limits(call_seconds=5.0, total_seconds=1.0))
    result = runner.run(hasty, with_fail("while True:\n    pass").encode(), SHOWN_PATH)
    found = named(result, "failed_and_ready")
    assert found.verdict is Verdict.INCONCLUSIVE
    ran = sum(check.verdict is Verdict.PASS for check in result.checks)
    assert found.reason.startswith("The 1.0 s for all checks together are used up: ")
    assert found.reason.endswith(f"{ran} of {len(result.checks)} checks were run.")
    assert "no answer within" not in "".join(check.reason for check in result.checks)


@unix_only
def test_a_copy_that_holds_the_pipe_does_not_hide_that_the_answer_has_gone() -> None:
    """The end of a process is told as such, though its fork keeps every pipe open."""
    code = "import os, signal\nif os.fork() == 0:\n    signal.pause()\nos._exit(3)"
    result = bounded(with_fail(code))
    assert "ended the Python process itself (exit code 3)" in named(result, "zombie_fails").reason


@unix_only
def test_folders_nested_deeper_than_python_recurses_are_cleared_away() -> None:
    """The fixture looks whether anything is left."""
    nest = "import os\nfor _ in range(1_100):\n    os.mkdir('d')\n    os.chdir('d')\n"
    hasty = replace(EXERCISE, limits=Limits(call_seconds=5.0, total_seconds=10.0))
    result = runner.run(hasty, (SOLUTION + nest).encode(), SHOWN_PATH)
    assert result.checks[0].verdict is Verdict.PASS


@pytest.mark.parametrize(
    "line",
    [
        b"[1]",
        b"{{{",
        b'{"number": 1}',
        b'{"number": "1", "kind": "value", "value": 1}',
        b'{"number": 1, "kind": "value"}',
        b'{"number": 1, "kind": "raised", "error": 5, "message": "", "ancestors": []}',
        b'{"number": 1, "kind": "raised", "error": "E", "message": "", "ancestors": [1]}',
        b'{"number": 1, "kind": "value", "value": {"record": "R", "fields": 5}}',
        b'{"number": 1, "kind": "value", "value": {"pairs": [1]}}',
        b'{"number": 1, "kind": "value", "value": 1, "line": ["a", 2]}',
        b'{"number": 1, "kind": "value", "value": 1, "strange": 2}',
        b'{"number": 1, "kind": [], "value": 1}',
        b"[" * 100_000,
    ],
    ids=lambda line: line[:60].decode(),
)
def test_a_reply_of_another_form_is_refused(line: bytes) -> None:
    """What relies on replies need not look again."""
    with pytest.raises(ValueError, match=r"."):
        read_reply(line)


def test_a_sound_reply_is_taken() -> None:
    """With the line and the number of threads filled in where they were not told."""
    reply = read_reply(b'{"number": 1, "kind": "value", "value": [1]}')
    assert reply == {"number": 1, "kind": "value", "value": [1], "threads": 1, "line": None}
