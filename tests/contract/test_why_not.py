"""One sentence on why a job is not handed out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import JobQueue, Limits, ManualClock, RetryBudget, RetryPolicy, UnknownJobError, WeightedBands
from tests.contract.observing import polled, submit_as
from tests.contract.scheduling import banded, fill, fill_tenants

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    ("status", "parts"),
    [
        ("RUNNING", ["it is RUNNING: ", " w ", "1000000"]),
        ("SUCCEEDED", ["it is SUCCEEDED: "]),
        ("DEAD", ["it is DEAD: ", "attempts_exhausted"]),
        ("CANCELLED", ["it is CANCELLED: "]),
    ],
)
def test_a_job_that_does_not_wait_is_told_by_its_state(one_try: JobQueue, status: str, parts: Any) -> None:
    """With what is most worth knowing of it."""
    submit_as(one_try, status)
    answer = one_try.why_not("J1")
    assert answer.startswith(parts[0])
    assert [part for part in parts if part not in answer] == []


def test_the_next_job_is_told_so(queue: JobQueue) -> None:
    """And only that one."""
    queue.submit("mail")
    queue.submit("mail")
    assert queue.why_not("J1") == "it is next"
    assert queue.why_not("J2") != "it is next"
    assert "1 job" in queue.why_not("J2")


def test_a_delayed_job_is_due_in_so_many_milliseconds(queue: JobQueue, clock: ManualClock) -> None:
    """Counted from now."""
    queue.submit("mail", run_at_millis=5000)
    clock.advance_to(2000)
    assert queue.why_not("J1") == "due in 3000 ms"
    clock.advance_to(4999)
    assert queue.why_not("J1") == "due in 1 ms"
    clock.advance_to(5000)
    assert queue.why_not("J1") == "it is next"


def test_a_tenant_at_its_limit_is_named_with_the_figures(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """How many run, of how many."""
    queue = banded(make_queue, clock, limits=Limits(max_running_per_tenant=5))
    fill_tenants(queue, acme=6)
    assert len(queue.poll_many("w", 1000, 9)) == 5
    assert queue.why_not("J6") == "tenant acme is at its limit, 5 of 5 running"


def test_a_band_that_has_to_wait_says_how_many_slots(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """After one of six hand-outs, the low band's slot is four away."""
    queue = banded(make_queue, clock)
    fill(queue, H=9, N=9, L=9)
    polled(queue)
    assert queue.why_not("J19") == "band L: 4 slots away"
    queue.poll_many("w", 1000, 3)
    assert queue.why_not("J19") == "band L: 1 slot away"
    polled(queue)
    assert queue.why_not("J19") == "it is next"


def test_slots_that_would_be_skipped_are_not_counted(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """With the high band empty, only the two normal ones come before."""
    queue = banded(make_queue, clock)
    fill(queue, N=9, L=9)
    assert queue.why_not("J10") == "band L: 2 slots away"


def test_a_band_without_a_slot_is_told_so(make_queue: Callable[..., JobQueue], clock: ManualClock) -> None:
    """It waits for the others to have nothing, which no number of slots tells."""
    queue = banded(make_queue, clock, WeightedBands("HN"))
    fill(queue, H=3, L=1)
    assert queue.why_not("J4") == "band L has no slot, and others have work"


def test_a_paused_type_is_named(queue: JobQueue) -> None:
    """Whatever else holds."""
    queue.submit("mail")
    queue.pause("mail")
    assert queue.why_not("J1") == "type mail is paused"


def test_a_job_held_by_the_budget_is_told_so(make_queue: Callable[..., JobQueue], clock: ManualClock) -> None:
    """With the type and the figures."""
    queue = make_queue(clock, RetryPolicy(5, 0, 0), retry_budget=RetryBudget())
    for _ in range(2):
        queue.submit("mail")
    for lease in queue.poll_many("w", 1000, 2):
        queue.fail(lease.job_id, lease.token)
    polled(queue)
    assert "budget" in queue.why_not("J2")
    assert "mail" in queue.why_not("J2")


def test_a_band_at_its_limit_is_named(make_queue: Callable[..., JobQueue], clock: ManualClock) -> None:
    """With the figures."""
    queue = banded(make_queue, clock, limits=Limits(max_running_per_band={"L": 1}))
    fill(queue, L=2)
    polled(queue)
    assert queue.why_not("J2") == "band L is at its limit, 1 of 1 running"


def test_the_turn_of_others_and_the_own_line_are_told(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """Other tenants first, or other jobs of the same tenant first."""
    queue = banded(make_queue, clock)
    fill_tenants(queue, a=2, b=2)
    assert "turn" in queue.why_not("J3")
    assert "1 job of tenant b" in queue.why_not("J4")


def test_it_is_one_sentence_always(make_queue: Callable[..., JobQueue], clock: ManualClock) -> None:
    """One line of text, for any job in any state."""
    queue = banded(
        make_queue, clock, WeightedBands("NH", aging_millis=1000), limits=Limits(max_running_per_tenant=2)
    )
    for number in range(12):
        queue.submit("mail", priority=number % 3 - 1, tenant="ab"[number % 2], run_at_millis=number * 200)
    clock.advance_to(1700)
    queue.poll_many("w", 5000, 3)
    answers = [queue.why_not(f"J{number}") for number in range(1, 13)]
    assert [answer for answer in answers if not answer.strip() or "\n" in answer or len(answer) > 200] == []


def test_an_unknown_job_is_unknown(queue: JobQueue) -> None:
    """There is nothing to say of it."""
    with pytest.raises(UnknownJobError):
        queue.why_not("J1")
