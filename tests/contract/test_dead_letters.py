"""Jobs that have used up their attempts, and how they come back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import IllegalStateError, JobQueue, ManualClock, RetryPolicy, StaleTokenError
from tests.contract.observing import everything, polled, polled_ids, submit_as

if TYPE_CHECKING:
    from collections.abc import Callable


def bury(queue: JobQueue, jobs: Any) -> None:
    """Submit so many jobs to a queue with one attempt per job and fail each."""
    for _ in range(jobs):
        queue.submit("mail")
    for _ in range(jobs):
        lease = polled(queue)
        queue.fail(lease.job_id, lease.token, f"error of {lease.job_id}")


def test_with_one_attempt_the_first_failure_is_the_last(one_try: JobQueue, clock: ManualClock) -> None:
    """A limit of 1 means one hand-out and no retry."""
    one_try.submit("mail")
    clock.advance_to(40)
    one_try.fail("J1", polled(one_try).token, "x")
    view = one_try.view("J1")
    assert (view.status, view.attempts, view.last_error) == ("DEAD", 1, "x")
    assert (view.failed_at, view.dead_reason, view.next_run_at) == (40, "attempts_exhausted", 0)
    assert one_try.dead_letters() == [view]
    assert one_try.poll("w", 1000) is None


def test_a_crash_loop_ends_as_a_dead_letter(queue: JobQueue, clock: ManualClock) -> None:
    """Three workers vanish; the third lease's end is the death of the job, whenever it is noticed."""
    queue.submit("mail")
    attempts = []
    for instant in (0, 5000, 10_000, 15_000):
        clock.advance_to(instant)
        lease = queue.poll("w", 1000)
        attempts.append(lease and lease.attempt)
    assert attempts == [1, 2, 3, None]
    assert (queue.view("J1").status, queue.view("J1").failed_at) == ("DEAD", 11_000)
    assert [row.ended_at for row in queue.history("J1")] == [1000, 6000, 11_000]


def test_a_job_that_died_of_an_expiry_knows_when(one_try: JobQueue, clock: ManualClock) -> None:
    """failed_at is the end of the lease, not the instant of the sweep."""
    one_try.submit("mail")
    polled(one_try, lease_millis=5000)
    clock.advance_to(60_000)
    assert one_try.sweep() == 1
    view = one_try.view("J1")
    assert (view.failed_at, view.dead_reason, view.last_error) == (5000, "attempts_exhausted", "lease expired")


def test_dead_letters_come_in_submission_order(one_try: JobQueue) -> None:
    """J2 is listed before J10, and the order of death does not matter."""
    for priority in range(12):
        one_try.submit("mail", priority=priority)
    for _ in range(12):
        lease = polled(one_try)
        one_try.fail(lease.job_id, lease.token)
    assert [view.id for view in one_try.dead_letters()] == [f"J{n}" for n in range(1, 13)]


def test_a_few_dead_letters_among_many_jobs_come_in_submission_order(one_try: JobQueue) -> None:
    """The order is that of the numbers, however far apart they are and whoever died first."""
    for _ in range(64):
        one_try.submit("mail")
    leases = {lease.job_id: lease for lease in (polled(one_try) for _ in range(64))}
    for job_id in ("J64", "J9", "J8", "J16", "J1"):
        one_try.fail(job_id, leases[job_id].token)
    assert [view.id for view in one_try.dead_letters()] == ["J1", "J8", "J9", "J16", "J64"]


def test_dead_letters_hold_the_dead_alone(one_try: JobQueue) -> None:
    """Jobs in any other state are not listed."""
    for status in ("DEAD", "SUCCEEDED", "CANCELLED", "RUNNING", "PENDING"):
        submit_as(one_try, status)
    assert [view.id for view in one_try.dead_letters()] == ["J1"]


def test_the_list_of_dead_letters_belongs_to_the_caller(one_try: JobQueue) -> None:
    """Emptying the returned list does not empty the queue."""
    bury(one_try, 1)
    one_try.dead_letters().clear()
    assert [view.id for view in one_try.dead_letters()] == ["J1"]


def test_there_are_no_dead_letters_at_first(queue: JobQueue) -> None:
    """A new queue has none, and a job that waits for its retry is none."""
    assert queue.dead_letters() == []
    queue.submit("mail")
    queue.fail("J1", polled(queue).token)
    assert queue.dead_letters() == []


def test_retry_dead_makes_a_job_ready_now_with_fresh_attempts(one_try: Any, clock: Any) -> None:
    """The job is PENDING, due at this instant, with no attempt used; what it had been through stays."""
    one_try.submit("mail", "hello", priority=3, tenant="acme", cost=7)
    one_try.fail("J1", polled(one_try).token, "x")
    history = one_try.history("J1")
    clock.advance_to(10_000)
    assert one_try.retry_dead("J1") is None
    view = one_try.view("J1")
    assert (view.status, view.attempts, view.next_run_at) == ("PENDING", 0, 10_000)
    assert (view.failed_at, view.dead_reason, view.last_error) == (None, None, "x")
    assert (view.id, view.priority, view.tenant, view.cost, view.submitted_at) == ("J1", 3, "acme", 7, 0)
    assert (view.generation, view.redrive_generation) == (1, 1)
    assert (one_try.history("J1"), one_try.payload("J1")) == (history, "hello")
    assert one_try.dead_letters() == []


@pytest.mark.parametrize("status", ["PENDING", "RUNNING", "SUCCEEDED", "CANCELLED"])
def test_only_a_dead_job_can_be_retried(one_try: JobQueue, status: str) -> None:
    """From any other state retry_dead is refused, says what it found, and changes nothing."""
    submit_as(one_try, status)
    before = everything(one_try, submitted=1)
    with pytest.raises(IllegalStateError) as refusal:
        one_try.retry_dead("J1")
    assert not isinstance(refusal.value, StaleTokenError)
    assert [part for part in ("J1", status, "DEAD") if part not in str(refusal.value)] == []
    assert everything(one_try, submitted=1) == before


def test_a_second_redrive_of_the_same_death_is_refused(one_try: JobQueue) -> None:
    """Once brought back, the job is dead no longer."""
    bury(one_try, 1)
    one_try.retry_dead("J1")
    with pytest.raises(IllegalStateError):
        one_try.retry_dead("J1")
    assert one_try.view("J1").redrive_generation == 1


def test_redrives_bring_back_the_same_jobs_in_submission_order(one_try: JobQueue) -> None:
    """A redrive moves the job itself: no copy, no new id, and its place in submission order."""
    bury(one_try, 5)
    for job_id in ("J4", "J2", "J5", "J1", "J3"):
        one_try.retry_dead(job_id)
    assert one_try.dead_letters() == []
    assert [one_try.view(f"J{n}").status for n in range(1, 6)] == ["PENDING"] * 5
    assert polled_ids(one_try) == ["J1", "J2", "J3", "J4", "J5"]
    assert one_try.submit("mail") == "J6"


def test_a_redriven_job_goes_before_younger_jobs_that_are_due_at_the_same_instant(
    one_try: JobQueue, clock: ManualClock
) -> None:
    """Its place in submission order is the old one; its run_at is the instant of the redrive."""
    bury(one_try, 1)
    clock.advance_to(100)
    one_try.submit("mail")
    one_try.submit("mail", run_at_millis=99)
    one_try.retry_dead("J1")
    assert polled_ids(one_try) == ["J3", "J1", "J2"]


def test_a_redriven_job_has_its_full_number_of_attempts(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """Attempts and backoff start again; the history tells the eras apart."""
    queue = make_queue(clock, RetryPolicy(2, 1000, 60_000))
    queue.submit("mail")
    queue.fail("J1", polled(queue).token)
    clock.advance_to(1000)
    queue.fail("J1", polled(queue).token)
    assert queue.view("J1").status == "DEAD"
    clock.advance_to(10_000)
    queue.retry_dead("J1")
    lease = polled(queue)
    assert lease.attempt == 1
    queue.fail("J1", lease.token)
    assert (queue.view("J1").status, queue.view("J1").next_run_at) == ("PENDING", 11_000)
    rows = [(row.attempt, row.generation, row.era) for row in queue.history("J1")]
    assert rows == [(1, 1, 0), (2, 2, 0), (1, 3, 1)]


def test_a_job_can_die_and_come_back_again_and_again(one_try: JobQueue, clock: ManualClock) -> None:
    """Each death has its own failed_at; each redrive counts one era more."""
    one_try.submit("mail")
    for era in range(4):
        clock.advance_to(era * 100)
        lease = polled(one_try)
        assert lease.attempt == 1
        one_try.fail("J1", lease.token, f"era {era}")
        view = one_try.view("J1")
        assert (view.status, view.failed_at, view.last_error) == ("DEAD", era * 100, f"era {era}")
        assert view.redrive_generation == era
        one_try.retry_dead("J1")
    assert [row.era for row in one_try.history("J1")] == [0, 1, 2, 3]


def test_a_lease_that_ends_now_can_be_redriven_now(one_try: JobQueue, clock: ManualClock) -> None:
    """What is due is settled first, so at lease_until the job is dead and may come back."""
    one_try.submit("mail")
    polled(one_try, lease_millis=1000)
    clock.advance_to(999)
    with pytest.raises(IllegalStateError):
        one_try.retry_dead("J1")
    clock.advance_to(1000)
    one_try.retry_dead("J1")
    assert (one_try.view("J1").status, one_try.view("J1").next_run_at) == ("PENDING", 1000)


def test_a_dead_job_stays_dead(one_try: JobQueue, clock: ManualClock) -> None:
    """No sweep, poll or time revives it, and its clock of death does not move."""
    bury(one_try, 1)
    before = one_try.view("J1")
    for instant in (1000, 10**6, 10**12):
        clock.advance_to(instant)
        assert (one_try.sweep(), one_try.poll("w", 1000)) == (0, None)
    assert one_try.view("J1") == before
