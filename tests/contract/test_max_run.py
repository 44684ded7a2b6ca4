"""How long one attempt may take, however lively its heartbeat is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import JobQueue, ManualClock, RetryPolicy, StaleTokenError
from tests.contract.observing import polled

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def capped(make_queue: Callable[..., JobQueue], clock: ManualClock) -> Any:
    """Return a queue where no attempt runs for longer than 3000."""
    return make_queue(clock, RetryPolicy(3, 1000, 60_000), max_run_millis=3000)


def test_no_lease_reaches_past_the_longest_run(capped: Any, clock: ManualClock) -> None:
    """The first lease is cut, and so is each renewal, at the attempt's start + the longest run."""
    capped.submit("mail")
    clock.advance_to(100)
    lease = polled(capped, lease_millis=10_000)
    assert lease.lease_until == 3100
    clock.advance_to(2000)
    assert capped.renew("J1", lease.token, 10_000).lease_until == 3100


def test_a_shorter_lease_is_not_touched(capped: Any, clock: ManualClock) -> None:
    """Up to the cap, leases and renewals are as they were asked for."""
    capped.submit("mail")
    lease = polled(capped, lease_millis=1000)
    assert lease.lease_until == 1000
    clock.advance_to(500)
    assert capped.renew("J1", lease.token, 2499).lease_until == 2999
    assert capped.renew("J1", lease.token, 2501).lease_until == 3000


def test_a_hung_handler_with_a_live_heartbeat_expires_at_the_cap(capped: Any, clock: ManualClock) -> None:
    """However often it renews, at the cap its attempt has failed, and the job is tried again."""
    capped.submit("mail")
    token = polled(capped, lease_millis=1000).token
    for instant in (500, 1000, 1500, 2000, 2500, 2999):
        clock.advance_to(instant)
        capped.renew("J1", token, 1000)
    clock.advance_to(3000)
    with pytest.raises(StaleTokenError) as refusal:
        capped.renew("J1", token, 1000)
    assert refusal.value.reason == "lease_expired"
    view = capped.view("J1")
    assert (view.status, view.next_run_at, view.last_error) == ("PENDING", 4000, "lease expired")


def test_each_attempt_has_the_whole_time(capped: Any, clock: ManualClock) -> None:
    """The cap counts from the attempt's own start, not from the job's first."""
    capped.submit("mail")
    polled(capped, lease_millis=3000)
    clock.advance_to(5000)
    assert polled(capped, lease_millis=9000).lease_until == 8000


def test_completion_is_accepted_until_the_cap(capped: Any, clock: ManualClock) -> None:
    """One millisecond before it, the worker is in time."""
    capped.submit("mail")
    token = polled(capped, lease_millis=9000).token
    clock.advance_to(2999)
    capped.complete("J1", token)
    assert capped.view("J1").status == "SUCCEEDED"


@pytest.mark.parametrize(
    ("value", "error"), [(0, ValueError), (-1, ValueError), (True, TypeError), (1.5, TypeError)]
)
def test_the_longest_run_is_checked(
    make_queue: Callable[..., JobQueue], clock: ManualClock, value: Any, error: Any
) -> None:
    """A queue with a senseless cap cannot be made."""
    with pytest.raises(error, match="max_run_millis"):
        make_queue(clock, RetryPolicy(1, 0, 0), max_run_millis=value)


def test_renewals_never_stack(queue: JobQueue, clock: ManualClock) -> None:
    """Nine renewals leave a lease of one length from the last of them."""
    queue.submit("mail")
    token = polled(queue, lease_millis=1000).token
    for instant in range(100, 1000, 100):
        clock.advance_to(instant)
        lease = queue.renew("J1", token, 1000)
    assert lease.lease_until == 1900
    clock.advance_to(1900)
    assert queue.sweep() == 1
