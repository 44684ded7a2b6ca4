"""Looking ahead without moving anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import (
    DeficitRoundRobin,
    DispatchLimit,
    EventLog,
    JobQueue,
    Limits,
    ManualClock,
    RetryBudget,
    RetryPolicy,
    WeightedBands,
)
from tests.contract.observing import everything, polled, polled_ids
from tests.contract.scheduling import banded, bands_served, fill

if TYPE_CHECKING:
    from collections.abc import Callable

OPTIONS: dict[str, Any] = {
    "strict": {},
    "bands": {"scheduler": WeightedBands()},
    "cost": {"scheduler": WeightedBands(tenants=DeficitRoundRobin(quantum=3))},
    "aging": {"scheduler": WeightedBands(aging_millis=500)},
    "tenant limit": {"scheduler": WeightedBands(), "limits": Limits(max_running_per_tenant=4)},
    "band limit": {"scheduler": WeightedBands(), "limits": Limits(max_running_per_band={"H": 3, "L": 1})},
    "strict with limit": {"limits": Limits(max_running_per_tenant=3)},
    "budget": {"scheduler": WeightedBands(), "retry_budget": RetryBudget(20, 2)},
    "dispatch limit": {"scheduler": WeightedBands(), "dispatch_limit": DispatchLimit(6)},
    "everything": {
        "scheduler": WeightedBands(tenants=DeficitRoundRobin(quantum=3), aging_millis=500),
        "limits": Limits(max_running_per_tenant=5, max_running_per_band={"H": 6}),
        "retry_budget": RetryBudget(50, 2),
        "dispatch_limit": DispatchLimit(9),
    },
}


def in_full_swing(queue: JobQueue, clock: ManualClock) -> None:
    """Let a queue have jobs of all bands, tenants, types, costs and ages, some running, some retried."""
    for number in range(30):
        clock.advance_to(number * 40)
        queue.submit(
            "fax" if number % 4 else "mail",
            priority=number % 5 - 2,
            tenant="abc"[number % 3],
            cost=number % 7 + 1,
        )
    leases = queue.poll_many("w", 100_000, 9)
    for number, lease in enumerate(leases):
        (queue.complete, queue.fail, queue.release, lambda *_: None)[number % 4](lease.job_id, lease.token)
    clock.advance_to(2000)


@pytest.fixture(params=OPTIONS.values(), ids=OPTIONS.keys())  # type: ignore[call-overload, untyped-decorator]
def busy(request: Any, make_queue: Any, clock: Any) -> Any:
    """Return a queue in full swing, with each kind of option."""
    queue = make_queue(clock, RetryPolicy(9, 0, 0), **request.param)
    in_full_swing(queue, clock)
    return queue


def test_it_names_what_the_next_polls_hand_out(busy: JobQueue) -> None:
    """The same ids in the same order, for as many as there are, and as many as limits allow."""
    for polls in (1, 3, 20):
        coming = busy.next_up(polls)
        assert [lease.job_id for lease in busy.poll_many("w", 100_000, polls)] == coming
        assert coming or not busy.next_up(1)


def test_each_ahead_counts_against_the_limits(busy: JobQueue) -> None:
    """Asking for more than may run names no more than a batch would hand out."""
    coming = busy.next_up(1000)
    assert 0 < len(coming) < 30
    assert [lease.job_id for lease in busy.poll_many("w", 100_000, 1000)] == coming
    assert busy.next_up(1000) == []


def test_it_changes_nothing(
    busy: JobQueue, request: pytest.FixtureRequest, make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """Views, turns, slots and credits are as in a twin that nobody asked."""
    option = request.node.callspec.params["busy"]
    before = everything(busy, submitted=30)
    for n in (1, 7, 0, 1000):
        busy.next_up(n)
        busy.why_not("J30")
    assert everything(busy, submitted=30) == before
    twin_clock = type(clock)()
    twin = make_queue(twin_clock, RetryPolicy(9, 0, 0), **option)
    in_full_swing(twin, twin_clock)
    assert polled_ids(busy) == polled_ids(twin)


def test_it_is_no_event(queue: JobQueue, log: EventLog) -> None:
    """Nobody did anything."""
    queue.submit("mail")
    assert queue.next_up(3) == ["J1"]
    assert [event.kind for event in log.events] == ["submitted"]


def test_it_leaves_out_what_is_not_due_paused_or_held(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """Polls of this instant would not hand it out."""
    queue = make_queue(clock, RetryPolicy(5, 0, 0), retry_budget=RetryBudget())
    queue.submit("mail", run_at_millis=1)
    queue.submit("fax")
    queue.submit("sms")
    queue.submit("sms")
    queue.pause("fax")
    for lease in queue.poll_many("w", 1000, 2):
        queue.fail(lease.job_id, lease.token)
    assert queue.next_up(9) == ["J3"]
    clock.advance_to(1)
    assert queue.next_up(9) == ["J1", "J3"] or queue.next_up(9) == ["J3", "J1"]


def test_it_settles_what_is_due_first(queue: JobQueue, clock: ManualClock) -> None:
    """A lease that is over and a job that is due are seen like by a poll."""
    queue.submit("mail")
    polled(queue, lease_millis=1000)
    queue.submit("mail", run_at_millis=2500)
    clock.advance_to(2500)
    assert queue.next_up(9) == ["J1", "J2"]


def test_the_cycle_goes_on_after_a_look(make_queue: Callable[..., JobQueue], clock: ManualClock) -> None:
    """A look far ahead is not twelve hand-outs."""
    queue = banded(make_queue, clock)
    fill(queue, H=9, N=9, L=9)
    assert len(queue.next_up(13)) == 13
    assert bands_served(queue, 12) == "HHHNNLHHHNNL"


@pytest.mark.parametrize(
    ("n", "error"), [(-1, ValueError), (True, TypeError), (None, TypeError), ("3", TypeError)]
)
def test_the_number_is_checked(queue: JobQueue, n: Any, error: Any) -> None:
    """None, or as many as one likes."""
    assert queue.next_up(0) == []
    with pytest.raises(error):
        queue.next_up(n)
