"""Giving a job back that was not started."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import JobQueue, Limits, ManualClock, RetryPolicy, StaleTokenError, WeightedBands
from tests.contract.observing import polled, polled_ids

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.over_http


def test_a_released_job_has_lost_nothing_but_a_token(queue: Any, clock: Any) -> None:
    """PENDING with the attempt and the run_at that it had; the generation stays used, and history tells it."""
    queue.submit("mail", run_at_millis=-700)
    lease = polled(queue, "a")
    clock.advance_to(300)
    assert queue.release("J1", lease.token) is None
    view = queue.view("J1")
    assert (view.status, view.attempts, view.next_run_at, view.generation) == ("PENDING", 0, -700, 1)
    assert (view.worker_id, view.lease_until, view.last_error) == (None, None, None)
    row = queue.history("J1")[0]
    assert (row.attempt, row.generation, row.ended_at, row.outcome, row.error) == (1, 1, 300, "released", None)
    again = polled(queue)
    assert (again.attempt, again.generation, again.token) == (1, 2, "J1:2")


def test_a_released_job_keeps_its_place_in_line(queue: JobQueue) -> None:
    """Given back, it is again before those that came after it."""
    for _ in range(4):
        queue.submit("mail")
    queue.release("J1", polled(queue).token)
    assert polled_ids(queue) == ["J1", "J2", "J3", "J4"]


def test_a_released_retry_is_the_same_retry(queue: JobQueue, clock: ManualClock) -> None:
    """The second attempt, given back, is again the second, with its run_at and the last error."""
    queue.submit("mail")
    queue.fail("J1", polled(queue).token, "boom")
    clock.advance_to(1500)
    queue.release("J1", polled(queue).token)
    view = queue.view("J1")
    assert (view.attempts, view.next_run_at, view.last_error) == (1, 1000, "boom")
    queue.fail("J1", polled(queue).token, "again")
    assert queue.view("J1").next_run_at == 3500


def test_releases_never_use_up_attempts(one_try: JobQueue) -> None:
    """However often a job is given back, its one attempt is still before it."""
    one_try.submit("mail")
    for _ in range(20):
        one_try.release("J1", polled(one_try).token)
    lease = polled(one_try)
    assert (lease.attempt, lease.generation) == (1, 21)
    one_try.complete("J1", lease.token)
    assert [row.outcome for row in one_try.history("J1")] == ["released"] * 20 + ["succeeded"]


def test_a_released_token_is_over(queue: JobQueue) -> None:
    """Who gave the job back cannot report on it any more."""
    queue.submit("mail")
    token = polled(queue).token
    queue.release("J1", token)
    with pytest.raises(StaleTokenError) as refusal:
        queue.complete("J1", token)
    assert refusal.value.reason == "wrong_state"
    polled(queue)
    with pytest.raises(StaleTokenError) as refusal:
        queue.release("J1", token)
    assert refusal.value.reason == "stale_generation"


def test_only_the_holder_can_release(queue: JobQueue, clock: ManualClock) -> None:
    """At the lease's end it is too late: the attempt has failed, and counts."""
    queue.submit("mail")
    token = polled(queue, lease_millis=1000).token
    clock.advance_to(1000)
    with pytest.raises(StaleTokenError) as refusal:
        queue.release("J1", token)
    assert refusal.value.reason == "lease_expired"
    assert (queue.view("J1").attempts, queue.view("J1").next_run_at) == (1, 2000)


def test_a_release_does_not_give_the_slot_back(make_queue: Callable[..., JobQueue], clock: ManualClock) -> None:
    """The cycle goes on after the slot that was used: H H H, and the fourth slot is N's."""
    queue = make_queue(clock, RetryPolicy(3, 1000, 60_000), scheduler=WeightedBands())
    for priority in (1, 1, 1, 0):
        queue.submit("mail", priority=priority)
    for _ in range(3):
        queue.release("J1", polled(queue).token)
    assert polled(queue).job_id == "J4"


def test_a_release_does_not_give_the_turn_back(make_queue: Callable[..., JobQueue], clock: ManualClock) -> None:
    """After A's turn it is B's, also if A gave its job back."""
    queue = make_queue(clock, RetryPolicy(3, 1000, 60_000), scheduler=WeightedBands())
    queue.submit("mail", tenant="A")
    queue.submit("mail", tenant="B")
    queue.release("J1", polled(queue).token)
    assert polled_ids(queue) == ["J2", "J1"]


def test_a_release_goes_on_ageing_from_where_it_was(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """The time of being ready is the same as before, so the job gains its band at the old instant."""
    bands = WeightedBands(aging_millis=60_000)
    queue = make_queue(clock, RetryPolicy(3, 1000, 60_000), scheduler=bands)
    queue.submit("mail", priority=-1)
    token = polled(queue, lease_millis=60_000).token
    clock.advance_to(59_999)
    queue.release("J1", token)
    queue.submit("mail", priority=-1, run_at_millis=-1)
    clock.advance_to(60_000)
    assert queue.why_not("J1") == "it is next"


def test_a_released_job_is_never_refused_by_limits(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """Limits refuse submits only: a queue that is full takes its own job back."""
    queue = make_queue(clock, RetryPolicy(3, 1000, 60_000), limits=Limits(max_queued=1))
    queue.submit("mail")
    token = polled(queue).token
    queue.submit("mail")
    queue.release("J1", token)
    assert queue.stats().by_status["PENDING"] == 2


@pytest.mark.not_over_http("over HTTP the exact repeat of a completion is answered once more")
def test_a_double_release_frees_one_place_only(make_queue: Callable[..., JobQueue], clock: ManualClock) -> None:
    """At a limit of one, whatever is reported twice, one job runs."""
    queue = make_queue(clock, RetryPolicy(3, 0, 0), limits=Limits(max_running_per_tenant=1))
    queue.submit("mail")
    token = polled(queue).token
    queue.complete("J1", token)
    for call in (queue.complete, queue.fail, queue.release):
        with pytest.raises(StaleTokenError):
            call("J1", token)
    assert queue.sweep() == 0
    for _ in range(5):
        queue.submit("mail")
    leases = queue.poll_many("w", 1000, 5)
    assert [lease.job_id for lease in leases] == ["J2"]
    queue.release("J2", leases[0].token)
    with pytest.raises(StaleTokenError):
        queue.release("J2", leases[0].token)
    assert [lease.job_id for lease in queue.poll_many("w", 1000, 5)] == ["J2"]
