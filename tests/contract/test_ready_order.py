"""Which job a poll hands out: the best of those that are ready."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import JobQueue, ManualClock, RetryPolicy
from tests.contract.observing import polled, polled_ids

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.over_http


def test_ids_count_from_one_in_submission_order(queue: JobQueue) -> None:
    """Ids are J1, J2, ... whatever was submitted."""
    ids = [queue.submit("mail", priority=-n, run_at_millis=n) for n in range(1, 13)]
    assert ids == ["J1", "J2", "J3", "J4", "J5", "J6", "J7", "J8", "J9", "J10", "J11", "J12"]


def test_an_empty_queue_hands_out_nothing(queue: JobQueue) -> None:
    """A poll without a ready job returns None."""
    assert queue.poll("w", 1000) is None


def test_the_highest_priority_goes_first(queue: JobQueue) -> None:
    """Priority decides before everything else; it may be negative."""
    for priority in (0, -1, 5, 1):
        queue.submit("mail", priority=priority)
    assert polled_ids(queue) == ["J3", "J4", "J1", "J2"]


def test_among_equal_priorities_the_earliest_run_at_goes_first(queue: JobQueue, clock: ManualClock) -> None:
    """The job that has been due for longest is served first, not the one submitted first."""
    for run_at in (300, 100, 200):
        queue.submit("mail", run_at_millis=run_at)
    clock.advance_to(300)
    assert polled_ids(queue) == ["J2", "J3", "J1"]


def test_priority_beats_an_earlier_run_at(queue: JobQueue, clock: ManualClock) -> None:
    """However long a job has been due, a ready job of higher priority goes first."""
    queue.submit("mail", priority=0, run_at_millis=-1_000_000)
    queue.submit("mail", priority=1, run_at_millis=50)
    clock.advance_to(50)
    assert polled_ids(queue) == ["J2", "J1"]


def test_ties_are_broken_by_submission_order_as_numbers(queue: JobQueue) -> None:
    """J2 goes before J10: submission order is the order of the numbers, not of the texts."""
    for _ in range(12):
        queue.submit("mail")
    assert polled_ids(queue) == [f"J{n}" for n in range(1, 13)]


def test_a_job_is_ready_at_its_run_at_and_not_before(queue: JobQueue, clock: ManualClock) -> None:
    """Ready means run_at <= now."""
    queue.submit("mail", run_at_millis=1000)
    clock.advance_to(999)
    assert queue.poll("w", 1000) is None
    clock.advance_to(1000)
    assert polled(queue).job_id == "J1"


def test_a_delayed_job_of_high_priority_blocks_nobody(queue: JobQueue, clock: ManualClock) -> None:
    """A job that is not ready is not best, whatever its priority."""
    queue.submit("mail", priority=9, run_at_millis=10)
    queue.submit("mail", priority=0)
    assert polled_ids(queue) == ["J2"]
    clock.advance_to(10)
    assert polled_ids(queue) == ["J1"]


def test_a_job_that_came_due_takes_its_place_among_those_already_ready(
    queue: JobQueue, clock: ManualClock
) -> None:
    """A delayed job competes by priority as soon as it is due."""
    queue.submit("mail", priority=1, run_at_millis=10)
    queue.submit("mail", priority=0)
    queue.submit("mail", priority=2)
    clock.advance_to(10)
    assert polled_ids(queue) == ["J3", "J1", "J2"]


def test_a_run_at_in_the_past_means_ready_and_earlier(queue: JobQueue, clock: ManualClock) -> None:
    """A past run_at is kept as it was given, so the job goes before those that were due later."""
    clock.advance_to(100)
    queue.submit("mail")
    queue.submit("mail", run_at_millis=0)
    queue.submit("mail", run_at_millis=-5)
    assert [queue.view(f"J{n}").next_run_at for n in (1, 2, 3)] == [100, 0, -5]
    assert polled_ids(queue) == ["J3", "J2", "J1"]


def test_no_run_at_means_now(queue: JobQueue, clock: ManualClock) -> None:
    """run_at_millis=None is the instant of the submit; 0 is an instant like any other."""
    clock.advance_to(700)
    assert queue.view(queue.submit("mail")).next_run_at == 700
    assert queue.view(queue.submit("mail", run_at_millis=0)).next_run_at == 0


def test_a_far_job_is_leased_once_it_is_due_and_not_earlier(queue: JobQueue, clock: ManualClock) -> None:
    """A job for later is never leased ahead of time, so no lease of it can run out before it starts."""
    queue.submit("mail", run_at_millis=36_000_000)
    deliveries = []
    for hour in range(13):
        clock.advance_to(hour * 3_600_000)
        leases = [queue.poll(worker, 3_600_000) for worker in ("a", "b", "c")]
        deliveries += [(clock.now(), lease.attempt) for lease in leases if lease]
        for lease in filter(None, leases):
            queue.complete(lease.job_id, lease.token)
    assert deliveries == [(36_000_000, 1)]


def test_a_retried_job_is_ordered_by_its_new_run_at(queue: JobQueue, clock: ManualClock) -> None:
    """After a failure the job queues up at failure time + backoff, behind those that were due before."""
    queue.submit("mail")
    queue.fail("J1", polled(queue).token)
    queue.submit("mail", run_at_millis=1001)
    queue.submit("mail", run_at_millis=999)
    clock.advance_to(2000)
    assert polled_ids(queue) == ["J3", "J1", "J2"]


def test_a_retried_job_keeps_its_place_in_submission_order(queue: JobQueue, clock: ManualClock) -> None:
    """With equal run_at the retried job goes before those that were submitted after it."""
    queue.submit("mail")
    queue.submit("mail", run_at_millis=1000)
    queue.fail("J1", polled(queue).token)
    clock.advance_to(1000)
    assert polled_ids(queue) == ["J1", "J2"]


def test_a_retried_job_keeps_its_priority(queue: JobQueue, clock: ManualClock) -> None:
    """A failure changes when a job may run, never how urgent it is."""
    queue.submit("mail", priority=3)
    queue.fail("J1", polled(queue).token)
    queue.submit("mail", priority=2, run_at_millis=-9)
    clock.advance_to(1000)
    assert polled_ids(queue) == ["J1", "J2"]


def test_a_running_job_is_not_handed_out_again(queue: JobQueue) -> None:
    """While a lease is valid nobody else gets the job, not even its own worker."""
    queue.submit("mail")
    polled(queue, "w")
    assert queue.poll("w", 1000) is None
    assert queue.poll("v", 1000) is None


def test_tenant_and_cost_do_not_change_the_order(queue: JobQueue) -> None:
    """Strict order looks at priority, run_at and submission order alone."""
    queue.submit("mail", tenant="z", cost=1_000_000)
    queue.submit("mail", tenant="a", cost=1)
    queue.submit("mail", tenant="z", cost=1)
    assert polled_ids(queue) == ["J1", "J2", "J3"]


@pytest.mark.parametrize("types", [["mail"], ("mail",), {"mail"}, frozenset({"mail", "fax"}), ["mail", "mail"]])
def test_a_poll_for_some_types_sees_no_others(queue: Any, types: Any) -> None:
    """With `types`, jobs of other types are not eligible for this poll, whatever their priority."""
    queue.submit("video", priority=9)
    queue.submit("mail")
    assert queue.poll("w", 1000, types=types).job_id == "J2"
    assert queue.poll("w", 1000, types=types) is None
    assert (queue.view("J1").status, queue.view("J1").attempts) == ("PENDING", 0)


def test_a_poll_for_several_types_takes_the_best_of_all(queue: JobQueue) -> None:
    """The order holds across the asked types; it is not type by type."""
    for type_, priority in (("a", 0), ("b", 2), ("c", 9), ("a", 3), ("b", 1)):
        queue.submit(type_, priority=priority)
    found = [queue.poll("w", 1000, types=["b", "a"]) for _ in range(5)]
    assert [lease and lease.job_id for lease in found] == ["J4", "J2", "J5", "J1", None]


def test_jobs_that_were_passed_over_keep_their_order(queue: Any) -> None:
    """A filtered poll leaves the others exactly as they were."""
    for type_ in ("a", "b", "a", "b", "a"):
        queue.submit(type_)
    assert queue.poll("w", 1000, types=["b"]).job_id == "J2"
    assert polled_ids(queue) == ["J1", "J3", "J4", "J5"]


def test_a_type_matches_as_a_whole(queue: Any) -> None:
    """Neither a prefix nor another case of a type is that type."""
    queue.submit("mail")
    assert queue.poll("w", 1000, types=["mai", "mails", "MAIL", "mail "]) is None
    assert queue.poll("w", 1000, types=["mail"]).job_id == "J1"


def test_a_filter_does_not_change_when_a_job_is_ready(queue: Any, clock: Any) -> None:
    """A delayed or retried job of an asked type waits for its run_at like any other."""
    queue.submit("mail", run_at_millis=500)
    assert queue.poll("w", 1000, types=["mail"]) is None
    clock.advance_to(500)
    lease = queue.poll("w", 1000, types=["mail"])
    queue.fail("J1", lease.token)
    clock.advance_to(1499)
    assert queue.poll("w", 1000, types=["mail"]) is None
    clock.advance_to(1500)
    assert queue.poll("w", 1000, types=["mail"]).attempt == 2


def test_without_backoff_a_failed_job_is_ready_at_once(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """With a base of 0 the retry is due at the instant of the failure, in its old place."""
    queue = make_queue(clock, RetryPolicy(3, 0, 0))
    queue.submit("mail")
    queue.submit("mail")
    queue.fail("J1", polled(queue).token)
    assert polled_ids(queue) == ["J1", "J2"]
