"""Answers that many threads share (ex06), and the whole queue with its hidden families (ex07)."""

import logging
from pathlib import Path, PurePosixPath

import pytest

from exercises.grader.errors import ExerciseError
from exercises.grader.explaining import report
from exercises.grader.judging import runner
from exercises.grader.judging.records import Verdict
from tests.exercises.grading import named
from tests.exercises.grading_threads import SHARED, WHOLE, built, grade, patient
from tests.sampling import one_in


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
    assert lost.trace == ()
    for way in ("AB-C5", "ZZ-Z1", "AB" + "-A70" * 2_000, "poll+view/AB"):
        odd = runner.replay(SHARED, text, path, f"one_job_two_workers/{way}").checks[0]
        assert (odd.verdict, "does not fit" in odd.reason) == (Verdict.INCONCLUSIVE, True), way
    unknown = runner.replay(SHARED, text, path, "no_deadlock/AB-A93").checks[0]
    assert (unknown.verdict, "names no two calls" in unknown.reason) == (Verdict.INCONCLUSIVE, True)
    with pytest.raises(ExerciseError, match="names no run of ex06"):
        runner.replay(SHARED, text, path, "nobody/AB")


def test_a_deadlock_of_any_two_methods_is_told_again_by_its_id() -> None:
    """The id begins with the circumstance and the two."""
    text = built(SHARED, "two_locks_in_two_orders")
    found = named(grade(SHARED.id, text), "no_deadlock")
    assert (found.how, found.schedule.partition("/")[0]) == ("deadlock", "busy:poll+complete")
    path = PurePosixPath(f"answers/{SHARED.id}.py")
    again = runner.replay(SHARED, text.encode(), path, f"no_deadlock/{found.schedule}").checks[0]
    assert (again.verdict, again.trace, again.got) == (Verdict.FAIL, found.trace, found.got)


@pytest.mark.long
def test_slots_make_no_right_answer_slow_and_hide_no_race() -> None:
    """What they make is a place in each object, and nothing that objects share."""
    slots = 'class SharedQueue:\n    __slots__ = ("_lock", "_jobs", "_tokens")\n'
    right = SHARED.text("solution.py").replace("class SharedQueue:\n", slots, 1)
    assert grade(SHARED.id, right).passed
    wrong = built(SHARED, "token_counter_unlocked").replace("class SharedQueue:\n", slots, 1)
    assert slots in wrong
    assert named(grade(SHARED.id, wrong), "two_jobs_two_workers").verdict is Verdict.FAIL


def test_a_pass_says_what_was_tried_and_how_far() -> None:
    """Numbers of schedules by switches, and of how many."""
    note = named(grade(SHARED.id, SHARED.text("solution.py")), "one_job_two_workers").note
    assert note.startswith("tried ")
    assert "ways to meet: 2 without an interruption, " in note
    assert note.endswith(" and 20 drawn ones with more")


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
    with caplog.at_level(logging.INFO, logger="exercises.grader.judging.case"):
        for seed in (None, None, 7):
            assert runner.run(patient(WHOLE), text, path, copies=False, seed=seed).passed
    seeds = [message.rpartition(" ")[2] for message in caplog.messages if "family order" in message]
    assert len(seeds) == 3
    assert seeds[0] != seeds[1]
    assert seeds[2] == "7"


@pytest.mark.parametrize(
    "name", one_in(3, ("poll_without_lock", "two_locks_in_two_orders", "token_counter_unlocked"))
)
def test_a_second_run_finds_the_same(name: str) -> None:
    """To the letter, with the id of the run."""
    text = built(SHARED, name).encode()
    path = PurePosixPath(f"answers/{SHARED.id}.py")
    assert runner.run(patient(SHARED), text, path, copies=False) == grade(SHARED.id, text.decode())
