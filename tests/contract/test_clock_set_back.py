"""What the queue makes of a clock that is set back: time never goes back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import JobQueue, RetryPolicy, StaleTokenError
from tests.contract.observing import polled

if TYPE_CHECKING:
    from collections.abc import Callable


class WanderingClock:
    """A clock that shows whatever it was set to, backwards too."""

    def __init__(self) -> None:
        self.instant = 10_000

    def now(self) -> int:
        """Return the instant that was set."""
        return self.instant


@pytest.fixture
def wandering() -> Any:
    """Return a clock at 10000 that can be set back."""
    return WanderingClock()


@pytest.fixture
def queue(make_queue: Callable[..., JobQueue], wandering: Any) -> JobQueue:
    """Return a queue that lives on the wandering clock."""
    return make_queue(wandering, RetryPolicy(3, 1000, 60_000))


def test_a_job_submitted_after_the_clock_was_set_back_is_due_at_the_newest_instant(
    queue: JobQueue, wandering: Any
) -> None:
    """The queue's now is the newest instant that it has seen."""
    queue.sweep()
    wandering.instant = 4000
    queue.submit("mail")
    assert (queue.view("J1").submitted_at, queue.view("J1").next_run_at) == (10_000, 10_000)
    assert polled(queue, lease_millis=500).lease_until == 10_500


def test_a_job_that_was_ready_stays_ready(queue: JobQueue, wandering: Any) -> None:
    """A job cannot become too early again."""
    queue.submit("mail", run_at_millis=10_000)
    wandering.instant = 0
    assert polled(queue).job_id == "J1"


def test_a_lease_that_ran_out_stays_over(queue: JobQueue, wandering: Any) -> None:
    """Setting the clock back revives no lease."""
    queue.submit("mail")
    token = polled(queue, lease_millis=1000).token
    wandering.instant = 11_000
    assert queue.sweep() == 1
    wandering.instant = 10_500
    with pytest.raises(StaleTokenError) as refusal:
        queue.complete("J1", token)
    assert refusal.value.reason == "lease_expired"


def test_a_lease_does_not_last_longer_by_the_step_back(queue: JobQueue, wandering: Any) -> None:
    """While the clock catches up, time stands still; after that the lease ends where it was promised."""
    queue.submit("mail")
    polled(queue, lease_millis=1000)
    wandering.instant = 2000
    assert queue.sweep() == 0
    wandering.instant = 10_999
    assert queue.sweep() == 0
    wandering.instant = 11_000
    assert queue.sweep() == 1
    assert [row.ended_at for row in queue.history("J1")] == [11_000]


def test_a_failure_after_the_step_back_counts_from_the_newest_instant(queue: JobQueue, wandering: Any) -> None:
    """No attempt ends before it started, and no backoff begins in the past."""
    queue.submit("mail")
    token = polled(queue).token
    wandering.instant = 0
    queue.fail("J1", token)
    (row,) = queue.history("J1")
    assert (row.started_at, row.ended_at, queue.view("J1").next_run_at) == (10_000, 10_000, 11_000)
