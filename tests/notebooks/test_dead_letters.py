"""Lesson 05 tells the truth: about its scenarios, in its keys, and in what its queues do."""

from typing import Any

import lesson  # type: ignore[import-not-found]
import pytest

from jobqueue.simulation import find_scenario
from tests.notebooks.cells import run
from webui.board.labs import Lab

NAME = "05_dead_letters_and_redrive"
KEYS = {
    "token": "attempt 1, token J1:4",
    "believed": "A accepted, B refused",
    "stuck": "RUNNING",
    "deadline": "J1 and J4",
    "parcels": "2",
}


@pytest.fixture(scope="module")
def in_order() -> Any:
    """The lesson, run from top to bottom."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JOBKIT_BOARD", "http://127.0.0.1:8000")
        return run(NAME)


def test_the_lesson_the_board_and_the_simulator_have_the_same_events(in_order: Any) -> None:
    """Seq, instant, kind, job, worker, attempt and generation: equal in notebook, board and World."""
    redrive, lab = find_scenario("redrive"), Lab("redrive-1", find_scenario("redrive"))
    while lab.world.next_at() is not None:
        lab.step()
    assert len(in_order.names["log"]) == 16
    assert lesson.facts(in_order.names["log"]) == lesson.facts(lesson.scenario("redrive"))
    assert lesson.facts(in_order.names["log"]) == lesson.facts(lab.world)
    assert in_order.names["policy"] == redrive.policy


def test_every_key_is_what_the_queue_says(in_order: Any) -> None:
    """The keys, recomputed, are the answers."""
    boxes = {n: b for n, b in in_order.names.items() if type(b).__name__ == "Box"}
    assert {name: str(box.key()) for name, box in boxes.items()} == KEYS


def test_the_history_shows_two_eras(in_order: Any) -> None:
    """Attempts begin again in era 1, the generation does not; and the audit says who and why."""
    assert in_order.shown["history"][-1].splitlines() == [
        "era  attempt  generation  outcome",
        "0    1        1           failed",
        "0    2        2           failed",
        "0    3        3           failed",
        "1    1        4           succeeded",
        "brought back at 20.0 s by operator: the archive is repaired",
    ]


def test_the_zombie_wins_where_tokens_are_counted_anew(in_order: Any) -> None:
    """The flawed queue believes the token of the first life; the queue itself does not."""
    assert in_order.shown["believed-run"][-1].splitlines() == [
        "StartsOver A accepted, B refused",
        "JobQueue   A refused, B accepted",
    ]


def test_the_queue_does_what_the_toy_forgets(in_order: Any) -> None:
    """Three leases end, at 1.0, 6.0 and 11.0 s, and the third leaves a dead letter; as in `crash_loop`."""
    assert in_order.shown["crash-loop"][-1].splitlines() == [
        "0.0 s attempt 1",
        "5.0 s attempt 2",
        "10.0 s attempt 3",
        "15.0 s attempt None",
        "leases ended at 1.0 s 6.0 s 11.0 s",
        "DEAD | attempts_exhausted | lease expired",
    ]
    looping, world = in_order.names["looping"], lesson.scenario("crash_loop")
    assert looping.history("J1") == world.queue.history("J1")


def test_each_reason_to_die_is_met(in_order: Any) -> None:
    """Attempts used up, deadline in waiting and after a failure, permanent; as the text tells them."""
    assert in_order.shown["waits"][-1] == "J1 | attempts_exhausted | 4.5 s | the archive is down\n"
    assert in_order.shown["deadline-run"][-1].splitlines() == [
        "J1 | deadline | 2.5 s | mail server says: try later",
        "J4 | deadline | 6.0 s | None",
    ]
    died, refused, payload = in_order.shown["permanent"][-1].splitlines()
    assert died == "DEAD permanent after attempt 1"
    assert refused.startswith("refused: cannot redrive J1: its failure was reported as permanent; give a ")
    assert payload == "ada@example.org"


def test_many_come_back_one_after_another(in_order: Any) -> None:
    """Starts are two seconds apart, and each job that cannot come back has its reason."""
    assert in_order.shown["many"][-1].splitlines() == [
        "J1 done starts at 8.0 s",
        "J2 done starts at 10.0 s",
        "J3 done starts at 12.0 s",
        "J4 skipped permanent",
        "J5 skipped wrong_state",
        "J6 skipped deadline",
        "J9 skipped unknown",
    ]


def test_only_a_kept_id_tells_a_repetition(in_order: Any) -> None:
    """Retry and redrive keep the id, so one effect is counted once; a new job is a new id."""
    assert in_order.shown["receivers"][-1].splitlines() == [
        "effect_then_crash  2 times for whoever counts calls, 1 for whoever keeps ids",
        "uncertain_redrive  2 times for whoever counts calls, 1 for whoever keeps ids",
        "submitted anew     2 times for whoever counts calls, 2 for whoever keeps ids",
    ]


def rule(attempts: Any, most: Any, is_permanent: Any, run_at: Any, deadline: Any) -> Any:
    if is_permanent:
        return "permanent"
    if attempts >= most:
        return "attempts_exhausted"
    return "retried" if deadline is None or run_at < deadline else "deadline"


def permanent_last(attempts: Any, most: Any, is_permanent: Any, run_at: Any, deadline: Any) -> Any:
    found = rule(attempts, most, False, run_at, deadline)
    return "permanent" if is_permanent and found == "retried" else found


def one_too_many(attempts: Any, most: Any, is_permanent: Any, run_at: Any, deadline: Any) -> Any:
    return rule(attempts - 1, most, is_permanent, run_at, deadline)


def at_the_deadline(attempts: Any, most: Any, is_permanent: Any, run_at: Any, deadline: Any) -> Any:
    return rule(attempts, most, is_permanent, run_at, deadline and deadline + 1)


def deadline_first(attempts: Any, most: Any, is_permanent: Any, run_at: Any, deadline: Any) -> Any:
    return "deadline" if deadline and run_at >= deadline else rule(attempts, most, is_permanent, run_at, None)


@pytest.mark.parametrize(
    ("wrong", "case"),
    [
        (permanent_last, "useless, and the last"),
        (one_too_many, "the last of three"),
        (at_the_deadline, "a retry at the deadline"),
        (deadline_first, "the last, and too late"),
    ],
)
def test_wrong_fates_of_the_learner_are_told_where(in_order: Any, wrong: Any, case: Any) -> None:
    """The wrong order, one attempt too many, too late by one instant: a case shows each of them."""
    assert f"“{case}”" in lesson.own(wrong, in_order.names["queue_fate"], in_order.names["cases"]).text


def test_the_right_fate_of_the_learner_is_praised(in_order: Any) -> None:
    """Three questions in the right order."""
    assert lesson.own(rule, in_order.names["queue_fate"], in_order.names["cases"]).text.startswith("✓ All 7")
