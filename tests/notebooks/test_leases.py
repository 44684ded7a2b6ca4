"""Lesson 02 tells the truth: about the scenario, in its keys, and about the queues that it breaks."""

from typing import Any

import lesson  # type: ignore[import-not-found]
import pytest

from jobqueue import JobQueue, ManualClock
from jobqueue.simulation import find_scenario
from tests.notebooks.cells import run
from tests.notebooks.test_orders import boxes, key_facts

NAME = "02_leases_and_expiry"
KEYS = {
    "due": "6.0 s",
    "instant": "refused",
    "noticing": "120.0 s",
    "renewal": "7.0 s",
    "stacked": "30.0 s",
}


@pytest.fixture(scope="module")
def in_order() -> Any:
    """The lesson, run from top to bottom."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JOBKIT_BOARD", "http://127.0.0.1:8000")
        return run(NAME)


def printed(in_order: Any, cell_id: Any) -> Any:
    return in_order.shown[cell_id][-1].splitlines()


def test_the_lesson_and_the_simulator_have_the_same_events(in_order: Any) -> None:
    """Seq, instant, kind, job, worker, attempt and generation: equal in notebook and World."""
    assert len(in_order.names["log"]) == 6
    assert key_facts(in_order.names["log"]) == key_facts(lesson.scenario("late_poll").log)
    assert in_order.names["policy"] == find_scenario("late_poll").policy


def test_every_key_is_what_the_queue_says(in_order: Any) -> None:
    """The keys, recomputed, are the answers."""
    assert {name: str(box.key()) for name, box in boxes(in_order).items()} == KEYS


def test_a_report_is_in_time_until_the_instant_before_the_end(in_order: Any) -> None:
    """A millisecond before the lease's end a report is accepted, at the end it is refused."""
    assert printed(in_order, "instant-run") == [
        "4.999 s accepted",
        (
            "5.0 s refused: cannot complete J1: token J1:1 is stale, its lease ran out at 5000, "
            "and the job is PENDING"
        ),
    ]


def test_a_worker_that_counts_the_last_instant_shares_it(in_order: Any) -> None:
    """With `<=` two workers believe at 5.0 s that the job is theirs, with `<` one does at each instant."""
    assert printed(in_order, "believers") == [
        "4.999 s  with <= A        with < A",
        "  5.0 s  with <= A and B  with < B",
        "5.001 s  with <= B        with < B",
    ]


def test_the_two_flawed_toys_are_late(in_order: Any) -> None:
    """`>` for `>=` loses an instant, dating from the notice a minute, and `Right` nothing."""
    assert printed(in_order, "noticing-run") == [
        "Right         polls once a minute: 60.0 s   no rest, polls at the end: 5.0 s",
        "TooLong       polls once a minute: 60.0 s   no rest, polls at the end: 5.001 s",
        "FromNoticing  polls once a minute: 120.0 s  no rest, polls at the end: 5.0 s",
    ]


@pytest.mark.parametrize("polls", [[5000, 6000], [5999, 6000], [60_000, 120_000], [4999, 5000, 5001, 7000]])
def test_the_right_toy_is_right(in_order: Any, polls: Any) -> None:
    """Over several nights `Right` hands its job out when the kit's queue does."""
    clock = ManualClock()
    queue = JobQueue(clock, in_order.names["policy"])
    queue.submit("invoice")
    queue.poll("A", 5000)
    for at in polls:
        clock.advance_to(at)
        if queue.poll("B", 5000):
            break
    assert in_order.names["b_gets_it"](in_order.names["Right"], 1000, polls) == lesson.seconds(at)


def test_renewals_reach_from_now(in_order: Any) -> None:
    """Five seconds from the last renewal with the kit's rule, an hour and a half with leases that stack."""
    assert printed(in_order, "renewal-run") == [
        "renewed at 2.0 s, until 7.0 s",
        "renewed at 10.0 s, until 15.0 s",
        "and for 1.0 s only, until 15.0 s",
    ]
    assert printed(in_order, "stacked-run") == [
        "JobQueue last renewal   10.0 s, free at 15.0 s",
        "Stacks   last renewal   10.0 s, free at 30.0 s",
        "JobQueue last renewal 3600.0 s, free at 3605.0 s",
        "Stacks   last renewal 3600.0 s, free at 9005.0 s",
    ]


def test_a_hung_handler_loses_its_job(in_order: Any) -> None:
    """A worker that renews for ever is refused once its attempt has taken max_run_millis."""
    first, second = printed(in_order, "hung")
    assert first == "renewed at 28.0 s, until 30.0 s"
    assert second.startswith("refused: cannot renew J1: token J1:1 is stale, its lease ran out at 30000")


def test_the_questions_at_the_end_are_answered_by_a_queue(in_order: Any) -> None:
    """The quizzes about looking, reviving and shorter renewals have typed answers; a queue gives the same."""
    look, revive, shorter, _ = in_order.names["questions"]
    clock = ManualClock()
    queue = JobQueue(clock, in_order.names["policy"])
    queue.submit("mail")
    token = queue.poll("A", 5000).token  # type: ignore[union-attr]
    clock.advance_to(5001)
    assert revive.key() == "It is refused"
    assert lesson.attempt(queue.renew, "J1", token, 5000).startswith("refused")
    clock.advance_to(9000)
    seen = queue.view("J1")
    assert look.key() == f"{seen.status}, run_at {lesson.seconds(seen.next_run_at)}"
    token = queue.poll("B", 11_000).token  # type: ignore[union-attr]
    clock.advance_to(12_000)
    assert shorter.key() == lesson.seconds(queue.renew("J1", token, 5000).lease_until)


def right(started_at: Any, lease_until: Any, now: Any, lease_millis: Any, most: Any) -> Any:
    if now >= lease_until:
        return "refused"
    return max(lease_until, min(now + lease_millis, started_at + most))


def stacking(started_at: Any, lease_until: Any, now: Any, lease_millis: Any, most: Any) -> Any:
    return "refused" if now >= lease_until else min(lease_until + lease_millis, started_at + most)


def shortening(started_at: Any, lease_until: Any, now: Any, lease_millis: Any, most: Any) -> Any:
    return "refused" if now >= lease_until else min(now + lease_millis, started_at + most)


def too_long(started_at: Any, lease_until: Any, now: Any, lease_millis: Any, most: Any) -> Any:
    return "refused" if now > lease_until else reviving(started_at, lease_until, now, lease_millis, most)


def reviving(started_at: Any, lease_until: Any, now: Any, lease_millis: Any, most: Any) -> Any:
    return max(lease_until, min(now + lease_millis, started_at + most))


def without_cap(_started_at: Any, lease_until: Any, now: Any, lease_millis: Any, _most: Any) -> Any:
    return "refused" if now >= lease_until else max(lease_until, now + lease_millis)


def capped_from_zero(_started_at: Any, lease_until: Any, now: Any, lease_millis: Any, most: Any) -> Any:
    return "refused" if now >= lease_until else max(lease_until, min(now + lease_millis, most))


def checked(in_order: Any, answer: Any) -> Any:
    return lesson.own(answer, in_order.names["the_queue_says"], in_order.names["cases"]).text


def test_what_the_learner_writes_is_checked(in_order: Any) -> None:
    """Empty it is not written yet; right it is praised."""
    assert in_order.text("own").startswith("Not written yet.")
    assert checked(in_order, right) == "✓ All 7 cases are as the queue says. Well done."


@pytest.mark.parametrize(
    ("answer", "case"),
    [
        (stacking, "in the middle"),
        (shortening, "for less than is left"),
        (too_long, "the very instant of the end"),
        (reviving, "the very instant of the end"),
        (without_cap, "further than the longest run"),
        (capped_from_zero, "a start that is not 0"),
    ],
)
def test_each_misconception_has_its_case(answer: Any, case: Any, in_order: Any) -> None:
    """Stacked, shortened, one instant too long, revived, not capped, capped from 0: each is caught."""
    assert checked(in_order, answer).splitlines()[0] == f"✗ Not yet. Case “{case}”:"
