"""How many jobs of a type may run, found out by trying."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import DispatchLimit, JobQueue, ManualClock, RetryPolicy
from tests.contract.observing import polled

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def make_limited(make_queue: Callable[..., JobQueue], clock: ManualClock) -> Any:
    """Return the constructor of a queue with a dispatch limit and 40 jobs of one type ready."""

    def make(ceiling: Any = 8, floor: Any = 1) -> Any:
        limit = DispatchLimit(ceiling, floor)
        queue = make_queue(clock, RetryPolicy(50, 0, 0), dispatch_limit=limit)
        for _ in range(40):
            queue.submit("mail")
        return queue

    return make


def filled(queue: JobQueue, lease_millis: Any = 60_000) -> Any:
    """Hand out all that may run and return the leases."""
    return queue.poll_many("w", lease_millis, 100)


def succeed(queue: JobQueue, leases: Any) -> None:
    """Complete each."""
    for lease in leases:
        queue.complete(lease.job_id, lease.token)


def fail(queue: JobQueue, leases: Any) -> None:
    """Fail each."""
    for lease in leases:
        queue.fail(lease.job_id, lease.token)


def test_it_starts_at_the_ceiling(make_limited: Any) -> None:
    """Nothing is known yet, so as many run as may."""
    queue = make_limited(ceiling=8)
    assert len(filled(queue)) == 8
    assert queue.poll("w", 1000) is None


def test_failures_of_one_moment_halve_once(make_limited: Any) -> None:
    """All eight were handed out before the first halving, so the other seven tell nothing new."""
    queue = make_limited(ceiling=8)
    fail(queue, filled(queue))
    assert len(filled(queue)) == 4


def test_each_later_failure_halves_again_down_to_the_floor(make_limited: Any) -> None:
    """8, 4, 2, and then the floor, which odd numbers round down to."""
    queue = make_limited(ceiling=9, floor=2)
    sizes = []
    for _ in range(5):
        leases = filled(queue)
        sizes.append(len(leases))
        fail(queue, leases)
    assert sizes == [9, 4, 2, 2, 2]


def test_an_expired_attempt_halves_like_a_failed_one(make_limited: Any, clock: ManualClock) -> None:
    """A worker that is not heard of is the plainest sign of too much."""
    queue = make_limited(ceiling=8)
    filled(queue, lease_millis=1000)
    clock.advance_to(1000)
    assert len(filled(queue)) == 4


def test_a_failure_handed_out_after_the_halving_halves_again(make_limited: Any) -> None:
    """Handed out after the first halving, its failure is news."""
    queue = make_limited(ceiling=4)
    old = filled(queue)
    fail(queue, old[:1])
    for lease in old[1:3]:  # then one of four is left, at a limit of two
        queue.release(lease.job_id, lease.token)
    fresh = filled(queue)
    assert len(fresh) == 1
    fail(queue, fresh)
    queue.release(old[3].job_id, old[3].token)
    assert len(filled(queue)) == 1


@pytest.mark.parametrize("end", ["permanent", "release"])
def test_what_says_nothing_of_the_load_does_not_halve(make_limited: Any, end: Any) -> None:
    """A permanent failure is the job's own, and a job that was given back was not tried."""
    queue = make_limited(ceiling=8)
    for lease in filled(queue):
        if end == "permanent":
            queue.fail(lease.job_id, lease.token, permanent=True)
        else:
            queue.release(lease.job_id, lease.token)
    assert len(filled(queue)) == 8


def test_as_many_successes_in_a_row_as_the_limit_add_one(make_limited: Any) -> None:
    """At a limit of 4: three successes are not enough, the fourth makes it 5."""
    queue = make_limited(ceiling=8)
    fail(queue, filled(queue))
    leases = filled(queue)
    succeed(queue, leases[:3])
    assert len(filled(queue)) == 3
    succeed(queue, leases[3:])
    assert len(filled(queue)) == 2


def test_a_failure_breaks_the_row_even_if_it_does_not_halve(make_limited: Any) -> None:
    """An old failure is no news for the limit, but a row with it in between is none."""
    queue = make_limited(ceiling=8)
    old = filled(queue)
    fail(queue, old[:1])
    succeed(queue, old[1:4])
    fail(queue, old[4:5])
    succeed(queue, old[5:8])
    assert len(filled(queue)) == 4
    assert queue.poll("w", 1000) is None


def test_the_limit_never_grows_past_the_ceiling(make_limited: Any) -> None:
    """However long the row."""
    queue = make_limited(ceiling=2)
    for _ in range(8):
        leases = filled(queue)
        assert len(leases) == 2
        succeed(queue, leases)


def test_each_type_finds_its_own_limit(make_limited: Any) -> None:
    """The failures of one type say nothing of another."""
    queue = make_limited(ceiling=4)
    fail(queue, filled(queue))
    for _ in range(6):
        queue.submit("fax", priority=5)
    types = [lease.type for lease in filled(queue)]
    assert (types.count("fax"), types.count("mail")) == (4, 2)


def test_the_limit_is_local_to_one_queue_object(make_limited: Any) -> None:
    """Another queue with the same options starts at its ceiling."""
    first = make_limited(ceiling=4)
    fail(first, filled(first))
    assert (len(filled(make_limited(ceiling=4))), len(filled(first))) == (4, 2)


def test_a_job_beyond_the_limit_is_not_lost(make_limited: Any) -> None:
    """It waits, and why_not says for what."""
    queue = make_limited(ceiling=1)
    lease = polled(queue)
    assert queue.view("J2").status == "PENDING"
    assert "mail" in queue.why_not("J2")
    assert "1 of 1 running" in queue.why_not("J2")
    queue.complete(lease.job_id, lease.token)
    assert polled(queue).job_id == "J2"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [((0,), ValueError), ((4, 0), ValueError), ((4, 5), ValueError), ((True,), TypeError), ((2.5,), TypeError)],
)
def test_a_dispatch_limit_is_checked(arguments: Any, error: Any) -> None:
    """A floor above the ceiling or below 1 makes no sense."""
    with pytest.raises(error):
        DispatchLimit(*arguments)
