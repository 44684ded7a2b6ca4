"""Forgetting what is over, on request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import EventLog, JobQueue, ManualClock, RetryPolicy, UnknownJobError
from tests.contract.observing import everything, polled

if TYPE_CHECKING:
    from collections.abc import Callable


def remembered(queue: JobQueue, submitted: Any) -> Any:
    """Return the numbers of the jobs that the queue still knows."""
    seen = everything(queue, submitted)
    return [number for number in range(1, submitted + 1) if seen[f"J{number}"] is not None]


def test_the_oldest_finished_jobs_are_removed(queue: JobQueue, log: EventLog) -> None:
    """By the order in which they finished, succeeded and cancelled alike; the newest stay."""
    for _ in range(5):
        queue.submit("mail")
    for job_id in ("J3", "J1"):
        queue.cancel(job_id)
    queue.complete("J2", polled(queue).token)
    queue.cancel("J5")
    assert queue.prune(keep=2) == 2
    assert remembered(queue, submitted=5) == [2, 4, 5]
    assert [event.job_id for event in log.events if event.kind == "dropped"] == ["J3", "J1"]
    assert queue.prune(keep=2) == 0


def test_what_is_not_finished_stays(one_try: JobQueue) -> None:
    """Waiting, running and dead jobs are nobody's to forget unasked."""
    one_try.submit("mail")
    one_try.fail("J1", polled(one_try).token)
    one_try.submit("mail")
    polled(one_try)
    one_try.submit("mail")
    assert one_try.prune(keep=0) == 0
    assert remembered(one_try, submitted=3) == [1, 2, 3]


def test_dead_jobs_go_if_asked(make_queue: Callable[..., JobQueue], clock: ManualClock) -> None:
    """Those that died first, beyond the newest; finished ones are counted apart."""
    queue = make_queue(clock, RetryPolicy(1, 0, 0))
    for instant, priority in ((0, 0), (10, 0), (20, 0)):
        clock.advance_to(instant)
        queue.submit("mail", priority=priority)
        lease = polled(queue)
        queue.fail(lease.job_id, lease.token)
    queue.cancel(queue.submit("mail"))
    assert queue.prune(keep=1, dead=True) == 2
    assert remembered(queue, submitted=4) == [3, 4]
    assert [view.id for view in queue.dead_letters()] == ["J3"]
    assert queue.prune(keep=0, dead=True) == 2
    assert remembered(queue, submitted=4) == []


def test_a_removed_number_is_not_used_again(queue: JobQueue) -> None:
    """Ids go on counting, so an old id never names a new job."""
    queue.cancel(queue.submit("mail"))
    assert queue.prune(keep=0) == 1
    assert queue.submit("mail") == "J2"


@pytest.mark.parametrize("dead", [False, True])
def test_jobs_with_a_young_key_are_passed_over(
    make_queue: Callable[..., JobQueue], clock: ManualClock, dead: Any
) -> None:
    """A repeat of the request would make a second job; at 1000 the key is old enough."""
    queue = make_queue(clock, RetryPolicy(1, 0, 0), key_life_millis=1000)
    queue.submit_once("k", "mail")
    token = polled(queue).token
    if dead:
        queue.fail("J1", token)
    else:
        queue.complete("J1", token)
    clock.advance_to(999)
    assert queue.prune(keep=0, dead=True) == 0
    clock.advance_to(1000)
    assert queue.prune(keep=0, dead=True) == 1
    for call in (queue.view, queue.history, queue.redrives, queue.payload):
        with pytest.raises(UnknownJobError):
            call("J1")
    assert (queue.submit_once("k", "mail").job_id, queue.dead_letters()) == ("J2", [])


def test_those_passed_over_do_not_take_the_place_of_the_newest(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """Of three old jobs with keys and three new ones without, the two newest stay beside those with keys."""
    queue = make_queue(clock, RetryPolicy(1, 0, 0))
    for key in "abc":
        queue.cancel(queue.submit_once(key, "mail").job_id)
    for _ in range(3):
        queue.cancel(queue.submit("mail"))
    assert queue.prune(keep=2) == 1
    assert remembered(queue, submitted=6) == [1, 2, 3, 5, 6]


@pytest.mark.parametrize(
    ("keep", "error"), [(-1, ValueError), (True, TypeError), (None, TypeError), (1.0, TypeError)]
)
def test_the_number_to_keep_is_checked(queue: JobQueue, keep: Any, error: Any) -> None:
    """None would mean everything, which needs no call."""
    with pytest.raises(error, match="keep"):
        queue.prune(keep=keep)


def test_a_job_that_nobody_asked_about_is_dropped_at_an_instant_in_order(
    make_queue: Callable[..., JobQueue], clock: ManualClock, log: EventLog
) -> None:
    """A key grows old at 1000; leases that ended before are told before, however late anybody looks."""
    queue = make_queue(clock, RetryPolicy(1, 0, 0), keep_finished=0, key_life_millis=1000, log=log)
    queue.cancel(queue.submit_once("k", "mail").job_id)
    for _ in range(3):
        queue.submit("mail")
    for lease_millis in (500, 700, 1200):
        polled(queue, lease_millis=lease_millis)
    clock.advance_to(5000)
    queue.sweep()
    instants = [event.at for event in log.events]
    assert instants == sorted(instants)
    assert [(event.at, event.job_id) for event in log.events if event.kind == "dropped"] == [(1200, "J1")]
