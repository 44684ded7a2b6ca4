"""Lesson 04 tells the truth: about its scenarios, in its keys, and in the numbers of its text."""

from dataclasses import replace
from typing import Any

import lesson  # type: ignore[import-not-found]
import pytest

from jobqueue import Jitter, RetryBudget, RetryPolicy
from jobqueue.simulation import find_scenario
from jobqueue.simulation import run as play
from jobqueue.simulation.scenario import Rules
from tests.notebooks.cells import prose, run
from webui.board.labs import Lab

NAME = "04_backoff_and_jitter"
KEYS = {
    "second_rest": "4.0 s",
    "tries": "6",
    "no_cap": "8",
    "together": "1000",
    "last_wait": "7.5 s",
}


@pytest.fixture(scope="module")
def in_order() -> Any:
    """The lesson, run from top to bottom."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JOBKIT_BOARD", "http://127.0.0.1:8000")
        return run(NAME)


def test_the_lesson_the_board_and_the_simulator_have_the_same_events(in_order: Any) -> None:
    """Seq, instant, kind, job, worker, attempt and generation: equal in notebook, board and World."""
    backoff, lab = find_scenario("backoff"), Lab("backoff-1", find_scenario("backoff"))
    while lab.world.next_at() is not None:
        lab.step()
    assert len(in_order.names["log"]) == 24
    assert lesson.facts(in_order.names["log"]) == lesson.facts(lesson.scenario("backoff"))
    assert lesson.facts(in_order.names["log"]) == lesson.facts(lab.world)
    assert in_order.names["policy"] == backoff.policy


def test_every_key_is_what_the_queue_says(in_order: Any) -> None:
    """The keys, recomputed, are the answers."""
    boxes = {n: b for n, b in in_order.names.items() if type(b).__name__ == "Box"}
    assert {name: str(box.key()) for name, box in boxes.items()} == KEYS


def test_the_flawed_rules_rest_wrongly_and_the_real_one_does_not(in_order: Any) -> None:
    """One doubles from the first rest on, one has no cap; after ten hours that one is eight hours late."""
    assert in_order.shown["flawed"][-1].splitlines() == [
        "DoublesTooSoon  2.0 s 4.0 s 8.0 s 8.0 s 8.0 s 8.0 s",
        "NoCap           1.0 s 2.0 s 4.0 s 8.0 s 16.0 s 32.0 s",
        "RetryPolicy     1.0 s 2.0 s 4.0 s 8.0 s 8.0 s 8.0 s",
    ]
    assert in_order.shown["no-cap-run"][-1].splitlines() == [
        "NoCap        tries again 29535.0 s after the bank is back",
        "RetryPolicy  tries again 3.0 s after the bank is back",
    ]


def test_ten_hours_with_a_cap_take_some_six_hundred_tries() -> None:
    """1 + 2 + 4 + ... + 32 s, and then a minute each: the 606th rest reaches over ten hours."""
    policy, rested, tries = RetryPolicy(1000, 1000, 60_000), 0, 0
    while rested < 36_000_000:
        tries += 1
        rested += policy.backoff_millis(tries)
    assert tries == 605
    assert "some six hundred times" in prose(NAME)


def test_only_jitter_makes_the_waves_lower(in_order: Any) -> None:
    """Without it all thousand share a second each time; the three kinds compare as the text says."""
    rows = in_order.names["rows"]
    assert [second for second, number in enumerate(rows["without jitter"]) if number] == [4, 12, 28]
    assert {name: max(row) for name, row in rows.items()} == {
        "without jitter": 1000,
        "full": 322,
        "equal": 510,
        "decorrelated": 148,
    }
    assert sum(rows["full"]) > sum(rows["without jitter"]) > sum(rows["decorrelated"])
    assert rows["full"][0] > 0 == sum(rows["equal"][:2]) == sum(rows["decorrelated"][:4])
    assert min(rows["full"]) > 0
    assert [second for second, number in enumerate(rows["equal"]) if number == 0] == [0, 1, 5, 6, 13, 14, 29]


def test_jitter_after_the_cap_breaks_it_and_hardly_spreads(in_order: Any) -> None:
    """On top of the backoff a rest exceeds the cap, and the waves fill two seconds of eight."""
    assert in_order.shown["on-top"][-1].splitlines() == [
        "OnTop   longest rest with a cap of 8.0 s: 8.987 s",
        "Jitter  longest rest with a cap of 8.0 s: 7.891 s",
    ]
    waves = in_order.names["two"]["on top"]
    assert [second for second, number in enumerate(waves) if number] == [4, 5, 13, 14, 29]


def test_a_draw_of_ones_own_is_the_queues(in_order: Any) -> None:
    """Each line shows the rest that the scenario's queue gave, and the same number drawn beside it."""
    *lines, second = in_order.shown["draws"][-1].splitlines()
    assert lines[0] == "J1 0.665 s 0.665 s"
    drawn = [line.split(" ", 1)[1] for line in lines]
    assert len(drawn) == len(set(drawn)) == 6
    assert all(pair == f"{pair[: len(pair) // 2]} {pair[: len(pair) // 2]}" for pair in drawn)
    assert find_scenario("jitter").rules.jitter == Jitter.full(seed=4)
    assert second == "after its second attempt: 3.907 s"


def test_a_budget_keeps_new_payments_from_waiting_longer_and_longer(in_order: Any) -> None:
    """Without it first tries wait 4.5 s, growing to 7.5 s; with it 3.5 s; and the end comes later."""
    assert in_order.names["waits"] == {
        "no budget": [4500, 4500, 5500, 5500, 6500, 6500, 7500, 7500],
        "with a budget": [3500] * 8,
    }
    assert in_order.shown["budget"][-1].splitlines() == [
        "J6: PENDING - hold: budget",
        "the retry budget of type payment is used up: 1 running beside 1 first tries",
        "no budget      all through at 18.0 s",
        "with a budget  all through at 23.0 s",
    ]


def test_a_higher_floor_clears_the_line_sooner() -> None:
    """Two retries at once, as many as there are workers, and the last payment is through at 18.0 s again."""
    storm = find_scenario("retry_storm_budget")
    assert play(storm).now() == 23_000
    assert play(replace(storm, rules=Rules(retry_budget=RetryBudget(percent=20, floor=2)))).now() == 18_000


def rule(attempt: Any, base: Any, cap: Any) -> Any:
    return min(cap, base * 2 ** (attempt - 1))


def doubled_too_soon(attempt: Any, base: Any, cap: Any) -> Any:
    return min(cap, base * 2**attempt)


def without_cap(attempt: Any, base: Any, cap: Any) -> Any:  # noqa: ARG001 - that is the fault
    return base * 2 ** (attempt - 1)


def growing_evenly(attempt: Any, base: Any, cap: Any) -> Any:
    return min(cap, base * attempt)


def in_fractions(attempt: Any, base: Any, cap: Any) -> Any:
    return min(cap, base * 2.0 ** (attempt - 1))


@pytest.mark.parametrize(
    ("wrong", "case"),
    [
        (doubled_too_soon, "the first rest"),
        (without_cap, "at the cap"),
        (growing_evenly, "the third"),
        (in_fractions, "the first rest"),
    ],
)
def test_wrong_rules_of_the_learner_are_told_where(in_order: Any, wrong: Any, case: Any) -> None:
    """Doubled too soon, without a cap, growing evenly, or in fractions: a case shows each of them."""
    cases, key = in_order.names["cases"], in_order.names["queue_rest"]
    assert f"“{case}”" in lesson.own(wrong, key, cases).text


def test_the_right_rule_of_the_learner_is_praised(in_order: Any) -> None:
    """One line is enough."""
    assert lesson.own(rule, in_order.names["queue_rest"], in_order.names["cases"]).text.startswith("✓ All 6")
