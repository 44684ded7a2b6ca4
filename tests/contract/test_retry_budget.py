"""How many retries may run beside first attempts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import JobQueue, ManualClock, RetryBudget, RetryPolicy
from tests.contract.observing import polled

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def make_budgeted(make_queue: Callable[..., JobQueue], clock: ManualClock) -> Any:
    """Return the constructor of a queue with a budget and retries at once."""

    def make(percent: Any = 20, floor: Any = 1, attempts: Any = 5) -> Any:
        return make_queue(clock, RetryPolicy(attempts, 0, 0), retry_budget=RetryBudget(percent, floor))

    return make


def failed_once(queue: JobQueue, jobs: Any, type_: Any = "mail") -> Any:
    """Submit jobs and fail each once, so that all of them wait for their first retry."""
    ids = [queue.submit(type_) for _ in range(jobs)]
    for lease in queue.poll_many("w", 1000, jobs, types=[type_]):
        queue.fail(lease.job_id, lease.token)
    return ids


def run_first_attempts(queue: JobQueue, jobs: Any, type_: Any = "mail") -> Any:
    """Submit jobs and start them; a higher priority lets them go before any retry."""
    for _ in range(jobs):
        queue.submit(type_, priority=9)
    return [polled(queue, lease_millis=60_000) for _ in range(jobs)]


def drained(queue: JobQueue) -> Any:
    """Return the ids of all that is handed out until nothing more is."""
    return [lease.job_id for lease in queue.poll_many("w", 60_000, 100)]


@pytest.mark.parametrize(
    ("firsts", "percent", "floor", "retries"),
    [(0, 20, 1, 1), (4, 20, 1, 1), (5, 20, 1, 2), (9, 20, 1, 2), (10, 20, 1, 3), (3, 50, 2, 3), (6, 0, 2, 2)],
)
def test_retries_run_up_to_floor_and_percent(
    make_budgeted: Any, firsts: Any, percent: Any, floor: Any, retries: Any
) -> None:
    """Floor + running first attempts * percent // 100, and not one more."""
    queue = make_budgeted(percent, floor)
    ids = failed_once(queue, 8)
    run_first_attempts(queue, firsts)
    assert drained(queue) == ids[:retries]
    assert [queue.view(job_id).hold for job_id in ids] == [None] * retries + ["budget"] * (8 - retries)


def test_a_held_job_is_pending_and_neither_lost_nor_dead_of_it(make_budgeted: Any) -> None:
    """It waits, attempts untouched, and goes when a retry ends."""
    queue = make_budgeted()
    failed_once(queue, 2)
    running = polled(queue)
    held = queue.view("J2")
    assert (held.status, held.attempts, held.hold, queue.poll("w", 1000)) == ("PENDING", 1, "budget", None)
    queue.complete(running.job_id, running.token)
    assert queue.view("J2").hold is None
    assert polled(queue).job_id == "J2"


def test_first_attempts_are_never_held(make_budgeted: Any) -> None:
    """The budget is for retries; new work passes those that wait."""
    queue = make_budgeted()
    failed_once(queue, 3)
    assert drained(queue) == ["J1"]
    queue.submit("mail")
    assert drained(queue) == ["J4"]


def test_a_crashed_workers_retry_counts_until_its_lease_ends(make_budgeted: Any, clock: ManualClock) -> None:
    """A worker that is gone without a word holds its part of the budget for as long as its lease."""
    queue = make_budgeted()
    failed_once(queue, 2)
    polled(queue, lease_millis=1000)
    clock.advance_to(999)
    assert queue.poll("w", 1000) is None
    clock.advance_to(1000)
    assert polled(queue).job_id == "J2"
    assert queue.view("J1").hold == "budget"


def test_an_expired_first_attempt_makes_its_next_one_a_retry(make_budgeted: Any, clock: ManualClock) -> None:
    """Also who crashed comes back as a retry."""
    queue = make_budgeted()
    for _ in range(3):
        queue.submit("mail")
    queue.poll_many("w", 1000, 3)
    clock.advance_to(1000)
    assert drained(queue) == ["J1"]
    assert queue.view("J2").hold == "budget"


def test_each_type_has_its_own_budget(make_budgeted: Any) -> None:
    """The storm of one type costs another one nothing."""
    queue = make_budgeted()
    failed_once(queue, 2, "mail")
    failed_once(queue, 2, "fax")
    assert drained(queue) == ["J1", "J3"]


def test_the_first_attempt_of_a_new_era_is_no_retry(make_budgeted: Any) -> None:
    """A redriven job starts again, so the budget does not hold it."""
    queue = make_budgeted(attempts=1)
    ids = [queue.submit("mail") for _ in range(3)]
    for lease in queue.poll_many("w", 1000, 3):
        queue.fail(lease.job_id, lease.token)
    for job_id in ids:
        queue.retry_dead(job_id)
    assert drained(queue) == ids


def test_a_released_first_attempt_is_no_retry(make_budgeted: Any) -> None:
    """What was not started has not been tried."""
    queue = make_budgeted()
    for _ in range(3):
        queue.submit("mail")
    for lease in queue.poll_many("w", 1000, 3):
        queue.release(lease.job_id, lease.token)
    assert drained(queue) == ["J1", "J2", "J3"]


def test_a_deadline_applies_to_a_held_job(make_queue: Callable[..., JobQueue], clock: ManualClock) -> None:
    """Waiting for the budget is waiting, and the deadline ends it."""
    queue = make_queue(clock, RetryPolicy(5, 0, 0), retry_budget=RetryBudget())
    queue.submit("mail")
    queue.submit("mail", deadline_millis=4000)
    for lease in queue.poll_many("w", 1000, 2):
        queue.fail(lease.job_id, lease.token)
    polled(queue, lease_millis=9000)
    assert queue.view("J2").hold == "budget"
    clock.advance_to(4000)
    assert (queue.view("J2").dead_reason, queue.view("J2").hold) == ("deadline", None)


def test_a_retry_that_is_not_due_is_not_held(make_queue: Callable[..., JobQueue], clock: ManualClock) -> None:
    """Until its run_at it waits for that."""
    queue = make_queue(clock, RetryPolicy(5, 500, 500), retry_budget=RetryBudget())
    failed_once(queue, 2)
    assert [queue.view(job_id).hold for job_id in ("J1", "J2")] == [None, None]
    clock.advance_to(500)
    polled(queue)
    assert queue.view("J2").hold == "budget"


def test_without_a_budget_nothing_is_held(make_queue: Callable[..., JobQueue], clock: ManualClock) -> None:
    """It is off until asked for."""
    queue = make_queue(clock, RetryPolicy(5, 0, 0))
    assert drained(queue) == []
    assert failed_once(queue, 6) == drained(queue)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((-1, 1), ValueError),
        ((20, 0), ValueError),
        ((20, -1), ValueError),
        ((2.5, 1), TypeError),
        ((20, True), TypeError),
    ],
)
def test_a_budget_is_checked(arguments: Any, error: Any) -> None:
    """A floor of 0 would let a retry wait for ever."""
    with pytest.raises(error):
        RetryBudget(*arguments)
