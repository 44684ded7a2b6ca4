"""How the grader's tests grade a text: as if a learner had written it."""

import os
import tempfile
from functools import cache
from pathlib import PurePosixPath

from exercises.grader.judging import catalogue, runner
from exercises.grader.judging.catalogue import Exercise
from exercises.grader.judging.records import CheckResult, Result, Verdict
from tests.databases import need_postgres

EXERCISE = catalogue.find("ex03")
SOLUTION = EXERCISE.text("solution.py")
SHOWN_PATH = PurePosixPath("answers/ex03_tokens.py")  # the agreed words are the same on every system
OWN_ANSWER = SOLUTION.replace("is not the token of a current lease on", "does not open")
LAST_TASK = ("failed_and_ready", "zombie_fails", "token_after_failure")  # they call `fail` whatever it does
# These call `fail` too, but only if the ones before have passed.
WAITING = (
    "failure_counts_nothing",
    "no_time_between",
    "fails_in_time",
    "fails_too_late",
    "fails_for_nobody_else",
    "ended_once",
    "any_story",
)
FAIL_BODY = """        job = self._held(job_id, token)
        self._end_attempt(job, error)"""


def need_server_for(exercise: Exercise) -> None:
    """Skip a test of an exercise that needs a server where there is none; where CI is set, fail."""
    if exercise.server and "JOBKIT_PG_DSN" not in os.environ:
        of_this_test, tempfile.tempdir = tempfile.tempdir, None  # the server outlives the test that starts it
        try:
            os.environ["JOBKIT_PG_DSN"] = need_postgres()  # the tests' own server serves the grader as well
        finally:
            tempfile.tempdir = of_this_test


@cache
def grade(text: str) -> Result:
    """Check one text against ex03; a text that several tests look at is run once."""
    return runner.run(EXERCISE, text.encode(), SHOWN_PATH, copies=False)


def named(result: Result, name: str) -> CheckResult:
    """The outcome of one check."""
    return next(check for check in result.checks if check.name == name)


def verdicts(result: Result) -> dict[str, Verdict]:
    """All outcomes by check."""
    return {check.name: check.verdict for check in result.checks}


def with_fail(code: str, before: str = "") -> str:
    """The solution with other code in `fail`, which only the checks of the last task call."""
    assert SOLUTION.count(FAIL_BODY) == 1
    indented = "\n".join(f"        {line}" for line in code.splitlines())
    return SOLUTION.replace(FAIL_BODY, indented).replace('"""\n', f'"""\n{before}\n', 1)
