"""Turns by cost: as much work for each tenant, not as many jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import DeficitRoundRobin, JobQueue, Limits, ManualClock, WeightedBands
from tests.contract.observing import polled_ids
from tests.contract.scheduling import banded, tenants_served

if TYPE_CHECKING:
    from collections.abc import Callable


def deficit(
    make_queue: Callable[..., JobQueue],
    clock: ManualClock,
    quantum: Any = 10,
    cycle: Any = "N",
    aging_millis: Any = None,
    **options: Any,
) -> Any:
    """Return a queue whose tenants take turns by cost."""
    tenants = DeficitRoundRobin(quantum=quantum)
    bands = WeightedBands(cycle, tenants=tenants, aging_millis=aging_millis)
    return banded(make_queue, clock, bands, **options)


def submit(queue: JobQueue, tenant: Any, *costs: Any, **options: Any) -> Any:
    """Submit one job for each cost."""
    return [queue.submit("mail", tenant=tenant, cost=cost, **options) for cost in costs]


def test_costs_are_shared_evenly(make_queue: Callable[..., JobQueue], clock: ManualClock) -> None:
    """Quantum 10, A's jobs cost 10, B's 30: three of A for one of B."""
    queue = deficit(make_queue, clock)
    submit(queue, "A", *[10] * 20)
    submit(queue, "B", *[30] * 20)
    assert tenants_served(queue, 16) == "A A A B A A A B A A A B A A A B"


def test_a_very_large_job_comes_when_it_is_paid_for(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """B's job of 1000 is hand-out 101, after a hundred of A; not the second, and not never."""
    queue = deficit(make_queue, clock)
    submit(queue, "A", *[10] * 150)
    submit(queue, "B", 1000)
    served = tenants_served(queue, 120).split()
    assert (served.index("B"), served.count("B")) == (100, 1)


def test_rounds_in_which_nobody_can_pay_are_skipped(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """With a quantum of 1 and costs of a million, the first hand-outs come at once and in the right order."""
    queue = deficit(make_queue, clock, quantum=1)
    submit(queue, "A", 1_000_000, 1)
    submit(queue, "B", 999_999, 999_999)
    submit(queue, "C", 1_000_000)
    assert tenants_served(queue, 5) == "B A C A B"


def test_equal_costs_at_the_quantum_are_plain_turns(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """Five tenants take turns; one that joins while C is served is served before the second C."""
    queue = deficit(make_queue, clock)
    for tenant in "ABCDE":
        submit(queue, tenant, 10, 10, 10)
    assert tenants_served(queue, 8) == "A B C D E A B C"
    submit(queue, "F", 10)
    assert tenants_served(queue, 4) == "D E F A"


def test_a_turn_goes_on_while_the_credit_covers_the_next_job(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """Costs of 4: two fit into ten and two are left; with the next ten it is three."""
    queue = deficit(make_queue, clock)
    submit(queue, "A", *[4] * 9)
    submit(queue, "B", *[10] * 3)
    assert tenants_served(queue, 12) == "A A B A A A B A A B A A"


def test_a_turn_adds_the_quantum_once(make_queue: Callable[..., JobQueue], clock: ManualClock) -> None:
    """A poll in the middle of a turn adds nothing: two of A's five fit, then it is B's turn."""
    queue = deficit(make_queue, clock)
    submit(queue, "A", *[5] * 6)
    submit(queue, "B", *[5] * 6)
    assert tenants_served(queue, 12) == "A A B B A A B B A A B B"


def test_who_has_no_ready_job_saves_nothing_up(make_queue: Callable[..., JobQueue], clock: ManualClock) -> None:
    """A leaves with 99 of 100 unspent; back again it has 0, as B has, and they share evenly."""
    queue = deficit(make_queue, clock, quantum=100)
    submit(queue, "A", 1)
    submit(queue, "B", *[100] * 4)
    assert tenants_served(queue, 2) == "A B"
    submit(queue, "A", *[110] * 2)
    assert tenants_served(queue, 3) == "B A B"


def test_a_job_that_is_delayed_is_not_ready(make_queue: Callable[..., JobQueue], clock: ManualClock) -> None:
    """Work that is due later keeps no credit alive."""
    queue = deficit(make_queue, clock, quantum=100)
    submit(queue, "A", 1)
    submit(queue, "A", 110, 110, run_at_millis=5000)
    submit(queue, "B", *[100] * 4)
    assert tenants_served(queue, 2) == "A B"
    clock.advance_to(5000)
    assert tenants_served(queue, 3) == "B A B"


@pytest.mark.parametrize("reason", ["paused", "limit"])
def test_who_may_not_has_no_turn_and_keeps_its_credit(
    make_queue: Callable[..., JobQueue], clock: ManualClock, reason: Any
) -> None:
    """While A's work is held back it neither earns nor loses: 95 are left of its first hundred."""
    limits = Limits(max_running_per_tenant=1) if reason == "limit" else None
    queue = deficit(make_queue, clock, quantum=100, limits=limits)
    submit(queue, "A", 5, 195)
    lease = queue.poll("w", 60_000)
    if reason == "paused":
        queue.pause("mail")
    for _ in range(5):
        job_id = queue.submit("other", tenant="B", cost=100)
        done = queue.poll("w", 60_000)
        assert done.job_id == job_id
        queue.complete(job_id, done.token)
    queue.resume("mail")
    queue.complete(lease.job_id, lease.token)
    queue.submit("other", tenant="B", cost=100)
    assert tenants_served(queue, 1) == "A"


def test_credit_is_for_each_band_and_tenant(make_queue: Callable[..., JobQueue], clock: ManualClock) -> None:
    """What A saves in the normal band pays nothing in the low one."""
    queue = deficit(make_queue, clock, quantum=100, cycle="NL")
    submit(queue, "A", 10, 90)
    submit(queue, "A", 110, 10, priority=-1)
    submit(queue, "B", 100, 100, priority=-1)
    assert polled_ids(queue) == ["J1", "J5", "J2", "J3", "J4", "J6"]


def test_a_band_that_a_tenant_has_aged_out_of_keeps_no_credit_for_it(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """A's last low job becomes normal; the low jobs that A gets later begin with nothing."""
    queue = deficit(make_queue, clock, quantum=100, cycle="L", aging_millis=1000)
    submit(queue, "A", 1, 1, priority=-1)
    assert tenants_served(queue, 1) == "A"
    clock.advance_to(1000)
    assert queue.why_not("J2") == "it is next"
    submit(queue, "A", 150, priority=-1)
    submit(queue, "B", 100, 100, priority=-1)
    assert tenants_served(queue, 3) == "B B A"


@pytest.mark.parametrize("looks_often", [True, False])
def test_credit_does_not_depend_on_when_somebody_looks(
    make_queue: Callable[..., JobQueue], clock: ManualClock, looks_often: Any
) -> None:
    """A always had something ready: J2 until 5000, J3 from 4000 on until it ages, J4 since before that."""
    queue = deficit(make_queue, clock, quantum=100, cycle="N", aging_millis=10_000)
    submit(queue, "A", 1)
    submit(queue, "A", 1, deadline_millis=5000)
    submit(queue, "A", 1, run_at_millis=4000)
    submit(queue, "A", 199, run_at_millis=8000)
    submit(queue, "B", 150, run_at_millis=8000)
    assert polled_ids(queue, limit=1) == ["J1"]
    for instant in range(0, 14_000, 500) if looks_often else [14_000]:
        clock.advance_to(instant)
        queue.sweep()
    clock.advance_to(14_000)
    assert polled_ids(queue, limit=1) == ["J4"]


@pytest.mark.parametrize("dies_first", [True, False])
def test_one_instant_has_no_order_that_could_cost_a_credit(
    make_queue: Callable[..., JobQueue], clock: ManualClock, dies_first: Any
) -> None:
    """At 50 A's one job dies and its other becomes ready: it never had nothing to do, whichever is older."""
    queue = deficit(make_queue, clock)
    options = [{"deadline_millis": 50}, {"run_at_millis": 50}]
    for option in options if dies_first else reversed(options):
        submit(queue, "A", 30, **option)
    submit(queue, "B", *[10] * 6)
    assert tenants_served(queue, 2) == "B B"
    clock.advance_to(50)
    assert tenants_served(queue, 5) == "A B B B B"


def test_the_price_is_that_of_the_job_that_is_next_in_its_tenant(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """A's cheap job is behind its dear one, so A waits for what the dear one costs."""
    queue = deficit(make_queue, clock)
    queue.submit("mail", tenant="A", cost=1)
    queue.submit("mail", tenant="A", cost=25, priority=0, run_at_millis=-5)
    submit(queue, "B", *[10] * 4)
    assert tenants_served(queue, 5) == "B B A A B"


@pytest.mark.parametrize(
    ("quantum", "error"), [(0, ValueError), (-1, ValueError), (True, TypeError), (1.5, TypeError)]
)
def test_a_quantum_is_checked(quantum: Any, error: Any) -> None:
    """With nothing added nobody could ever pay."""
    with pytest.raises(error, match="quantum"):
        DeficitRoundRobin(quantum=quantum)


@pytest.mark.parametrize("costs", [(1, 2, 3), (10, 1, 7), (100, 3, 45)])
@pytest.mark.long_over_stores
def test_in_the_long_run_each_tenant_gets_the_same_cost(
    make_queue: Callable[..., JobQueue], clock: ManualClock, costs: Any
) -> None:
    """At any moment while all have work, no two differ by more than a quantum and the largest job."""
    queue = deficit(make_queue, clock)
    for tenant, cost in zip("ABC", costs, strict=True):
        submit(queue, tenant, *[cost] * (600 // cost))
    spent = dict.fromkeys("ABC", 0)
    while max(spent.values()) < 400:
        lease = queue.poll("w", 60_000)
        spent[lease.tenant] += queue.view(lease.job_id).cost
        assert max(spent.values()) - min(spent.values()) <= 10 + 2 * max(costs)
    assert min(spent.values()) > 150
