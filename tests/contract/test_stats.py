"""The figures of one instant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jobqueue import EventLog, JobQueue, ManualClock, RetryPolicy, WeightedBands
from tests.contract.observing import outcome, polled
from tests.contract.scheduling import banded, fill
from tests.contract.together import run_together

if TYPE_CHECKING:
    from collections.abc import Callable


def test_an_empty_queue_has_figures(queue: JobQueue) -> None:
    """Every status is named, and nothing is divided by zero."""
    stats = queue.stats()
    assert stats.by_status == dict.fromkeys(["PENDING", "RUNNING", "SUCCEEDED", "DEAD", "CANCELLED"], 0)
    assert (stats.running, stats.attempts_started, stats.attempt_amplification) == (0, 0, None)
    assert (stats.dead_ages_millis, stats.refused_tokens) == ((), 0)


def test_jobs_are_counted_by_status_band_tenant_and_type(one_try: JobQueue) -> None:
    """The last three count what is yet to be done: what waits and what runs."""
    for priority, tenant, type_ in ((2, "a", "mail"), (1, "a", "fax"), (0, "b", "mail"), (-1, "b", "mail")):
        one_try.submit(type_, priority=priority, tenant=tenant)
    one_try.complete("J1", polled(one_try).token)
    polled(one_try)
    one_try.cancel("J4")
    stats = one_try.stats()
    assert {status: n for status, n in stats.by_status.items() if n} == {
        "SUCCEEDED": 1,
        "RUNNING": 1,
        "PENDING": 1,
        "CANCELLED": 1,
    }
    assert stats.by_band == {"H": 1, "N": 1, "L": 0}
    assert (stats.by_tenant, stats.by_type) == ({"a": 1, "b": 1}, {"fax": 1, "mail": 1})
    assert stats.running == 1


def test_the_oldest_ready_age_counts_from_being_ready(queue: JobQueue, clock: ManualClock) -> None:
    """By band and tenant; what is not due yet, or runs, is not ready."""
    queue.submit("mail", priority=1, tenant="a", run_at_millis=-500)
    clock.advance_to(100)
    queue.submit("mail", priority=1, tenant="b", run_at_millis=300)
    queue.submit("mail", tenant="b", run_at_millis=9000)
    clock.advance_to(1000)
    stats = queue.stats()
    assert (stats.at, stats.oldest_ready_millis_by_band) == (1000, {"H": 1000})
    assert stats.oldest_ready_millis_by_tenant == {"a": 1000, "b": 700}
    polled(queue)
    assert queue.stats().oldest_ready_millis_by_tenant == {"b": 700}


def test_attempts_are_counted_by_how_they_went(queue: JobQueue, clock: ManualClock) -> None:
    """Two succeed at once, a third fails twice first: five started, three succeeded, two failed."""
    for _ in range(3):
        queue.submit("mail")
    for job_id in ("J1", "J2"):
        queue.complete(job_id, polled(queue).token)
    for instant in (0, 1000):
        clock.advance_to(instant)
        queue.fail("J3", polled(queue).token)
    clock.advance_to(3000)
    queue.complete("J3", polled(queue).token)
    stats = queue.stats()
    assert (stats.attempts_started, stats.attempts_succeeded) == (5, 3)
    assert (stats.attempts_failed, stats.attempts_expired) == (2, 0)
    assert stats.attempt_amplification == 5 / 3
    assert queue.stats() == stats


def test_expiries_are_counted(queue: JobQueue, clock: ManualClock) -> None:
    """Three jobs expire twice and one completes: seven attempts, six expiries."""
    for _ in range(3):
        queue.submit("mail")
    for instant in (0, 2000):
        clock.advance_to(instant)
        assert len(queue.poll_many("w", 1000, 9)) == 3
    clock.advance_to(5000)
    queue.complete("J1", polled(queue).token)
    stats = queue.stats()
    assert (stats.attempts_started, stats.attempts_expired, stats.attempts_succeeded) == (7, 6, 1)


def test_dead_jobs_have_an_age(one_try: JobQueue, clock: ManualClock) -> None:
    """The longest dead first."""
    for instant in (0, 300):
        clock.advance_to(instant)
        one_try.submit("mail")
        lease = polled(one_try)
        one_try.fail(lease.job_id, lease.token)
    clock.advance_to(1000)
    assert one_try.stats().dead_ages_millis == (1000, 700)


def test_refused_tokens_are_counted_and_other_refusals_are_not(queue: JobQueue, clock: ManualClock) -> None:
    """A zombie's report is one, a cancel of a running job is none; a replay counts the same."""
    queue.submit("mail")
    polled(queue, lease_millis=1000)
    outcome(queue.cancel, "J1")
    clock.advance_to(1000)
    outcome(queue.complete, "J1", "J1:1")
    outcome(queue.fail, "J1", "junk")
    assert queue.stats().refused_tokens == 2


def test_a_replay_has_the_same_figures(queue: JobQueue, clock: ManualClock, log: EventLog) -> None:
    """Also those that no job shows any more."""
    queue.submit("mail")
    queue.renew("J1", polled(queue, lease_millis=1000).token, 1500)
    clock.advance_to(2500)
    outcome(queue.complete, "J1", "J1:1")
    polled(queue)
    assert log.replay().stats() == queue.stats()


def test_promised_and_actual_shares_stand_side_by_side(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """The cycle promises 3, 2 and 1 of 6; with the high band empty, normal and low share what there is."""
    queue = banded(make_queue, clock)
    fill(queue, N=6, L=6)
    assert queue.stats().actual_share == {}
    queue.poll_many("w", 1000, 6)
    stats = queue.stats()
    assert stats.promised_share == {"H": 1 / 2, "N": 1 / 3, "L": 1 / 6}
    assert stats.actual_share == {"H": 0, "N": 4 / 6, "L": 2 / 6}


def test_strict_priority_promises_no_share(queue: JobQueue) -> None:
    """It gives everything to the best, and says so."""
    queue.submit("mail", priority=4)
    polled(queue)
    assert (queue.stats().promised_share, queue.stats().actual_share) == ({}, {"H": 1, "N": 0, "L": 0})


def test_an_aged_job_counts_in_the_share_of_the_band_that_it_was_served_in(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """It took that band's slot."""
    queue = banded(make_queue, clock, WeightedBands(aging_millis=1000))
    fill(queue, L=1)
    clock.advance_to(1000)
    polled(queue)
    assert queue.stats().actual_share == {"H": 0, "N": 1, "L": 0}


def test_a_snapshot_is_of_one_instant(make_queue: Any, clock: Any) -> None:
    """While others work, the jobs in it always add up."""
    queue = make_queue(clock, RetryPolicy(3, 0, 0))

    def work(number: Any) -> Any:
        if number < 3:
            for _ in range(60):
                queue.submit("mail")
                lease = queue.poll("w", 1000)
                queue.complete(lease.job_id, lease.token)
            return []
        return [queue.stats() for _ in range(60)]

    snapshots = [stats for answers in run_together(4, work) for stats in answers]
    assert len(snapshots) == 60
    for stats in snapshots:
        assert stats.attempts_started - stats.attempts_succeeded == stats.running == stats.by_status["RUNNING"]
        assert stats.by_status["SUCCEEDED"] == stats.attempts_succeeded
