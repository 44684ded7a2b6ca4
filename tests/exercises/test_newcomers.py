"""What a learner is told about answers that no author of the exercise wrote: the truth, or nothing."""

import pytest

from exercises.grader.explaining import report
from exercises.grader.judging.records import Result, Verdict
from tests.exercises import newcomers
from tests.exercises.grading import EXERCISE, grade, named


def told(text: str) -> tuple[Result, str]:
    """The result and the words about it, without the breaks of lines."""
    result = grade(text)
    return result, " ".join(report.plain(result, EXERCISE).split())


@pytest.mark.parametrize(
    ("text", "misconception"),
    [
        (newcomers.ASSERTION, "another_error"),
        (newcomers.VALUE_ERROR_IN_COMPLETE, "another_error"),
        (newcomers.KEY_ERROR, "another_error"),
        (newcomers.SILENT_COMPLETE, "nothing_raised"),
        (newcomers.SILENT_EVERYWHERE, "nothing_raised"),
        (newcomers.CLOCK_TOKEN, "token_from_the_clock"),
        (newcomers.NAME_AND_CLOCK_TOKEN, "token_from_the_clock"),
        (newcomers.NO_REASON, "expiry_without_reason"),
        (newcomers.OTHER_REASON, "expiry_in_other_words"),
        (newcomers.NAMES_TABLE, "name_behind_the_token"),
        (newcomers.ONE_MILLISECOND_EARLY, "early_by_one"),
        (newcomers.RESET_AT_EXPIRY, "one_token_per_job"),
    ],
)
def test_a_mistake_in_foreign_code_is_named_without_doubt(text: str, misconception: str) -> None:
    """The diagnosis rests on what the answer does, not on how it is built."""
    found = grade(text).diagnosis
    assert found is not None
    assert (found.misconception, found.exact, found.against) == (misconception, True, ())


def test_a_right_refusal_with_another_error_is_called_a_refusal() -> None:
    """Not "it believes whoever calls": the call was refused."""
    _, words = told(newcomers.ASSERTION)
    assert "got AssertionError: not yours" in words
    assert "Your queue refuses the call, and that is right. But it raises another error" in words
    assert "believes" not in words


def test_a_silent_refusal_is_told_as_nothing_raised_and_nothing_changed() -> None:
    """The job is as it was, and the words say so."""
    result, words = told(newcomers.SILENT_COMPLETE)
    assert named(result, "zombie_completes").trace[-1].endswith("-> no error, and nothing changed")
    assert "changes nothing for a wrong token, and that is right. But nothing is raised" in words
    assert "-> accepted <-- here" not in words


def test_a_token_made_from_the_time_is_not_called_a_counter() -> None:
    """There is none: the clock stood still."""
    _, words = told(newcomers.CLOCK_TOKEN)
    assert "two of them can fall into one millisecond" in words
    assert "counter" not in words


def test_a_forgotten_reason_costs_only_the_checks_for_the_reason() -> None:
    """The leases end as they should, so every other check is reached and passes, but for the last, over all."""
    result, words = told(newcomers.NO_REASON)
    assert result.named(Verdict.FAIL) == ["says_why", "reason_at_once"]
    assert result.named(Verdict.SKIPPED) == ["success_leaves_traces", "any_story"]
    assert (result.points, result.possible) == (35, 39)
    assert "takes the job back from A and hands it to B, as it should" in words


@pytest.mark.parametrize(
    ("text", "misconception", "title"),
    [
        (newcomers.ONE_TOKEN_SO_FAR, "one_token_per_job", "The next hand-out gets the old token again"),
        (newcomers.NAME_SO_FAR, "by_worker_name", "The worker's name as token"),
    ],
)
def test_a_repeated_token_is_named_while_half_of_the_tasks_is_unwritten(
    text: str, misconception: str, title: str
) -> None:
    """That is when a learner makes this mistake; which hand-outs share the token tells the two ideas apart."""
    result, words = told(text)
    found = result.diagnosis
    assert found is not None
    assert (found.misconception, found.exact, found.against, found.rivals) == (misconception, False, (), ())
    assert result.named(Verdict.FAIL) == ["new_token_each_time"]
    assert f"It looks like this: {title}." in words


def test_a_crash_is_told_as_a_crash() -> None:
    """A slip of the pen is no misconception about tokens."""
    result, words = told(newcomers.CRASH)
    assert result.diagnosis is None
    assert named(result, "happy_path").how == "crashed"
    assert "Your code broke off here by an error. Begin with that line of yours." in words


@pytest.mark.parametrize(
    ("error", "how"), [("KeyError", "crashed"), ("ValueError", "raised"), ("StaleTokenError", "raised")]
)
def test_an_error_where_none_is_due_is_a_crash_unless_it_may_be_a_refusal(error: str, how: str) -> None:
    """Nobody refuses the holder by KeyError; a ValueError may be meant."""
    text = newcomers.changed(
        newcomers.ON_READ,
        ("        self._finish(job_id, token, done=True)", f"        raise {error}(job_id)"),
    )
    assert named(grade(text), "happy_path").how == how


def test_a_queue_that_hangs_when_looked_at_is_stopped_after_the_call_that_came_back() -> None:
    """The call that raised nothing stands in the trace as what it was; the look behind it did not end."""
    text = newcomers.changed(
        newcomers.SILENT_COMPLETE,
        (
            "        return self._views[job_id]",
            """        while job_id == "J1" and self._clock.now() == 14_000:
            pass
        return self._views[job_id]""",
        ),
    )
    check = named(grade(text), "refusal_changes_nothing")
    assert check.verdict is Verdict.STOPPED
    assert check.trace[-1].endswith("A completes J1 with token J1 for A, attempt 1 -> no error")


def test_what_a_wrongly_silent_call_returned_is_shown() -> None:
    """Whoever returns False instead of raising finds it again."""
    text = newcomers.changed(
        newcomers.SILENT_EVERYWHERE,
        ("            return\n", "            return False\n"),
        (
            "        self._finish(job_id, token, done=True)",
            "        return self._finish(job_id, token, done=True)",
        ),
    )
    assert named(grade(text), "made_up_token").got == "no error, and nothing changed (it returned False)"
