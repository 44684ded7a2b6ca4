"""Whether an answer is the learner's own: what the text gives away, and what is not mistaken for it."""

import re

import pytest

from exercises.grader.explaining import report
from exercises.grader.judging import runner
from exercises.grader.judging.provenance import objection
from exercises.grader.judging.records import Result, Verdict
from tests.exercises import newcomers
from tests.exercises.grading import EXERCISE, OWN_ANSWER, SHOWN_PATH, SOLUTION

BUILD = "Build it yourself: only TimeSource may be imported from jobqueue."
OWN_FILES = "The answer opens the exercise's own files. Write your own; the hints help."
COPIED = "This is the kit's own solution, perhaps with other names. Write your own; the hints help."
WRAPPER = """
from jobqueue import JobQueue, RetryPolicy, TimeSource

class TokenQueue:
    def __init__(self, clock):
        self._queue = JobQueue(clock, RetryPolicy(9, 0, 0))
"""


def checked(text: str) -> Result:
    """The text as a learner hands it in."""
    return runner.run(EXERCISE, text.encode(), SHOWN_PATH)


def test_a_wrapper_around_the_library_is_refused_in_one_plain_line() -> None:
    """No check runs, no point is earned, the line is shown."""
    result = checked(WRAPPER)
    assert {check.verdict for check in result.checks} == {Verdict.NOT_ATTEMPTED}
    assert {check.reason for check in result.checks} == {BUILD}
    text = report.plain(result, EXERCISE)
    assert f"  {BUILD}" in text.splitlines()
    assert "answers/ex03_tokens.py:2" in text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("import jobqueue", BUILD),
        ("import jobqueue.queue as q", BUILD),
        ("from jobqueue import *", BUILD),
        ("from jobqueue import TimeSource, ManualClock", BUILD),
        ("from jobqueue.core import TimeSource", BUILD),
        ("def f():\n    from jobqueue import JobQueue", BUILD),
        ("kind = __import__('jobqueue').JobQueue", BUILD),
        ("import importlib\nimportlib.import_module('jobqueue')", BUILD),
        ("import sys\nkind = sys.modules['jobqueue'].JobQueue", BUILD),
        ("import sys\nkind = sys.modules.get('jobqueue.queue').JobQueue", BUILD),
        ("from exercises.staging import queue_driver", OWN_FILES),
        ("import exercises.staging.oracle", OWN_FILES),
    ],
)
def test_an_import_that_does_the_work_is_refused_wherever_it_stands(text: str, says: str) -> None:
    """Only what the starter imports may come from the library, and nothing from the exercises."""
    found = objection(EXERCISE, text)
    assert found is not None
    assert found[0] == says
    assert found[1] is not None


@pytest.mark.parametrize(
    "text",
    [
        SOLUTION,
        newcomers.BY_TABLE,
        newcomers.ON_READ,
        "# all mine\n" + SOLUTION.replace('"""', "'''"),
        re.sub(r"\bjob\b", "task", re.sub(r"\b_held\b", "_mine", SOLUTION)),
        re.sub(r'^ {8}"""[^"]*"""\n', "", SOLUTION, flags=re.MULTILINE).replace(" -> _Job", ""),
    ],
    ids=["solution", "by table", "on read", "other comments", "other names", "no docstrings"],
)
def test_the_kits_own_answer_is_called_what_it_is(text: str) -> None:
    """Also under other names: it is not attempted, and earns nothing."""
    result = checked(text)
    assert {(check.verdict, check.reason) for check in result.checks} == {(Verdict.NOT_ATTEMPTED, COPIED)}
    assert result.points == 0


@pytest.mark.parametrize(
    "text",
    [
        OWN_ANSWER,
        SOLUTION.replace("now >= job", "now > job"),
        EXERCISE.text("starter.py"),
        "from jobqueue import TimeSource",
        "import jobqueues, json",
        "print('import jobqueue')",
        "",
    ],
    ids=["other words", "other comparison", "starter", "allowed", "alike", "in a text", "empty"],
)
def test_what_a_learner_may_write_meets_no_objection(text: str) -> None:
    """One place that differs is enough to be somebody's own work."""
    assert objection(EXERCISE, text) is None


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "text",
    ["def f(:", "a\0b", "(" * 50_000, "-" * 50_000 + "1", "x" + ".a" * 20_000, "x = '\\d'"],
    ids=["syntax", "NUL", "brackets", "signs", "dots", "doubtful backslash"],
)
def test_a_text_that_cannot_be_looked_at_is_left_to_the_run(text: str) -> None:
    """Reading must neither raise, nor crash, nor warn in the grader's own process."""
    assert objection(EXERCISE, text) is None
