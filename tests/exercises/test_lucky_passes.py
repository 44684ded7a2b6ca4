"""Wrong answers that look right, and each of them once had all points; the walk that finds the unforeseen."""

import logging
import re
from dataclasses import replace

import pytest

from exercises.grader.judging import runner
from exercises.grader.judging.records import CheckResult, Verdict
from exercises.staging.oracle import Oracle
from exercises.staging.queue_walk import draw
from tests.exercises import newcomers
from tests.exercises.grading import EXERCISE, FAIL_BODY, SHOWN_PATH, SOLUTION, grade, named
from tests.exercises.newcomers import changed
from tests.sampling import one_in

UNSETTLED_FAIL = """        job = self._jobs[job_id]
        if job.status is not Status.RUNNING or token != job.token:
            raise StaleTokenError(token)
        self._end_attempt(job, error)"""
LATE_FAIL_AT_THE_INSTANT = UNSETTLED_FAIL.replace(
    "        if", "        if self._clock.now() > job.lease_until:\n            self._settle()\n        if", 1
)
FAIL_REFUSES_ONE_TOKEN = UNSETTLED_FAIL.replace("self._jobs[job_id]", "self._job(job_id)").replace(
    "token != job.token", 'token == f"{job.id}:{job.generation - 1}"'
)
FIRST_PENDING = "next((job for job in self._jobs.values() if job.status is Status.PENDING), None)"
PENDING = "(job for job in self._jobs.values() if job.status is Status.PENDING)"
SUCCESS = "        job.status = Status.SUCCEEDED\n"
NEW_TEXT = 'f"{job.id}:{job.generation}"'
LUCKY = {
    "fail at and after the end": ((FAIL_BODY, UNSETTLED_FAIL), "fails_too_late"),
    "fail at the instant": ((FAIL_BODY, LATE_FAIL_AT_THE_INSTANT), "fails_too_late"),
    "fail refuses one token only": ((FAIL_BODY, FAIL_REFUSES_ONE_TOKEN), "fails_for_nobody_else"),
    "a refused fail leaves its error": (
        (FAIL_BODY, f"        self._job(job_id).last_error = error\n{FAIL_BODY}"),
        "fails_for_nobody_else",
    ),
    "a success clears the error": (
        (SUCCESS, SUCCESS + "        job.last_error = None\n"),
        "success_leaves_traces",
    ),
    "the third success is none": (
        (SUCCESS, "        job.status = Status.SUCCEEDED if job.attempts < 3 else Status.PENDING\n"),
        "two_zombies",
    ),
    "view is late by one": (
        (
            "        job = self._job(job_id)\n        return JobView(",
            """        job = self._jobs[job_id]
        if self._clock.now() > job.lease_until:
            self._settle()
        return JobView(""",
        ),
        "seen_at_the_instant",
    ),
    "one expiry per call": (
        (
            'self._end_attempt(job, "lease expired")',
            'self._end_attempt(job, "lease expired")\n                break',
        ),
        "all_that_are_over",
    ),
    "the fourth token is the first": ((NEW_TEXT, 'f"{job.id}:{job.generation % 4}"'), "many_hand_outs"),
    "never-tried jobs first": (
        (FIRST_PENDING, f"min({PENDING}, key=lambda one: one.attempts, default=None)"),
        "all_that_are_over",
    ),
    "the last of more than two": (
        (FIRST_PENDING, f"next(iter(list({PENDING})[:: -1 if len(self._jobs) > 2 else 1]), None)"),
        "in_order",
    ),
    "J10 before J2": ((FIRST_PENDING, f"min({PENDING}, key=lambda one: one.id, default=None)"), "in_order"),
    "no type at the second attempt": (
        ("job.token, job.type,", "job.token, job.type if job.attempts == 1 else '',"),
        "handed_out_again",
    ),
}


def walked(text: str) -> CheckResult:
    """What the walk finds when no other check speaks before it."""
    walk = replace(next(check for check in EXERCISE.checks if check.name == "any_story"), needs=())
    alone = replace(EXERCISE, checks=(walk,))
    return runner.run(alone, text.encode(), SHOWN_PATH, copies=False).checks[0]


@pytest.mark.parametrize("name", LUCKY)
def test_a_lucky_pass_is_found_by_a_named_check(name: str) -> None:
    """The check that is about the mistake fails, and the walk does not speak before it."""
    edit, check = LUCKY[name]
    result = grade(changed(SOLUTION, edit))
    assert check in result.named(Verdict.FAIL)
    assert named(result, "any_story").verdict is Verdict.SKIPPED


@pytest.mark.parametrize("name", one_in(4, LUCKY))
def test_the_walk_finds_each_lucky_pass_alone(name: str) -> None:
    """It knows none of these mistakes; so there is hope for those that nobody thought of."""
    found = walked(changed(SOLUTION, LUCKY[name][0]))
    assert found.verdict is Verdict.FAIL


@pytest.mark.parametrize(
    "text", [SOLUTION, newcomers.BY_TABLE, newcomers.ON_READ], ids=["own", "table", "read"]
)
def test_the_walk_passes_every_right_answer(text: str) -> None:
    """However it is built."""
    assert walked(text).verdict is Verdict.PASS


def test_what_the_walk_shows_is_the_shortest_story() -> None:
    """Five calls tell of a success that clears the error; no step more, and the seed stands above."""
    found = walked(changed(SOLUTION, LUCKY["a success clears the error"][0]))
    head, *steps = found.trace
    assert head == "(drawn with seed 4; of its 86 steps these 5 are enough)"
    told = " ".join(step for step in steps if "time passes" not in step)
    calls = re.findall(r"submit|polls|completes|fails|view", told)
    assert calls == ["submit", "polls", "polls", "completes", "view"]
    assert found.got == "last_error None"


def test_the_same_answer_gets_the_same_story_again() -> None:
    """Whoever runs the check once more finds the same trace."""
    text = changed(SOLUTION, LUCKY["the fourth token is the first"][0])
    assert walked(text) == walked(text)


def test_seeds_and_sizes_of_the_stories_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    """A story can be drawn again by its seed alone."""
    with caplog.at_level(logging.INFO, logger="exercises.staging.queue_walk"):
        walked(SOLUTION)
    assert [text.partition(": a story of ")[0] for text in caplog.messages] == [
        f"seed {n}" for n in range(1, 6)
    ]
    assert draw(7, 3, 40) == draw(7, 3, 40) != draw(8, 3, 40)


def test_the_drawn_stories_come_to_what_is_delicate() -> None:
    """Five hand-outs and more; real and made-up tokens for both reports; ends of leases and around them."""
    stories = [draw(seed, width, 40) for seed, width in ((1, 1), (2, 2), (3, 3), (4, 4), (5, 12))]
    assert all(sum(step.act == "poll" for step in story) >= 5 for story in stories)
    assert sum(step.act == "submit" for step in stories[-1]) >= 12
    for act in ("complete", "fail"):
        shown = [step.shown for story in stories for step in story if step.act == act]
        assert None in shown
        assert any(token is not None for token in shown)
    for story in stories:
        ends = {step.at + step.lease_millis for step in story if step.act == "poll"}
        assert any(step.at in ends for step in story)
        assert any(step.at + 1 in ends for step in story)


def test_the_model_keeps_the_worked_example_of_the_task() -> None:
    """The oracle itself is held against the times that the task text gives."""
    model = Oracle(keeps_place=True)
    job = model.submit(0)
    assert model.poll(0, 10_000, 1) is job
    model.settle(9_999)
    assert job.status == "RUNNING"
    model.settle(10_000)
    assert (job.status, job.last_error) == ("PENDING", "lease expired")
    assert model.poll(12_000, 10_000, 2) is job
    assert [model.complete(13_000, 1, 1), model.complete(14_000, 1, 2), model.complete(15_000, 1, 2)] == [
        False,
        True,
        False,
    ]
    assert (job.status, job.attempts) == ("SUCCEEDED", 2)
