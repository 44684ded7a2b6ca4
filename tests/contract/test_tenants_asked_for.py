"""A poll for some tenants: as if nobody else were there, in the scheduler's order."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import (
    DeficitRoundRobin,
    EventLog,
    JobQueue,
    Limits,
    ManualClock,
    RetryPolicy,
    StrictPriority,
    WeightedBands,
)

if TYPE_CHECKING:
    from collections.abc import Callable

SCHEDULERS = {
    "strict": (StrictPriority(), None),
    "strict with limits": (StrictPriority(), Limits(max_running_per_tenant=3)),
    "bands": (WeightedBands(), None),
    "cost": (WeightedBands(tenants=DeficitRoundRobin(10)), Limits(max_running_per_tenant=4)),
}
JOBS = [
    (random.choice("abcd"), random.randint(-1, 1), random.choice(["mail", "pdf"]), random.choice([1, 10, 500]))
    for random in [Random(7)]  # noqa: S311 - the same jobs each time
    for _ in range(60)
]


def filled(make_queue: Callable[..., JobQueue], clock: ManualClock, name: str, tenants: Any) -> Any:
    scheduler, limits = SCHEDULERS[name]
    queue = make_queue(clock, RetryPolicy(3, 0, 0), scheduler=scheduler, limits=limits)
    for number, (tenant, priority, type_, cost) in enumerate(JOBS):
        if tenant in tenants:
            queue.submit(type_, str(number), priority, tenant=tenant, cost=cost)
    return queue


@pytest.mark.parametrize("name", SCHEDULERS)
@pytest.mark.parametrize("types", [None, {"mail"}])
def test_it_is_as_if_only_those_tenants_had_jobs(
    make_queue: Callable[..., JobQueue], clock: ManualClock, name: str, types: Any
) -> None:
    """The same jobs in the same order as from a queue in which the others never submitted any."""
    alone = filled(make_queue, clock, name, "bd")
    among = filled(make_queue, clock, name, "abcd")
    expected = [lease.payload for lease in alone.poll_many("w", 1000, 99, types=types)]
    asked = [lease.payload for lease in among.poll_many("w", 1000, 99, types=types, tenants=["d", "b"])]
    assert len(expected) >= 6
    assert asked == expected


@pytest.mark.parametrize("name", SCHEDULERS)
def test_the_others_lose_nothing(make_queue: Callable[..., JobQueue], clock: ManualClock, name: str) -> None:
    """Polls for some and polls for all in turn hand out every job once, until the limits are reached."""
    queue = filled(make_queue, clock, name, "abcd")
    seen = []
    for step in range(200):
        lease = queue.poll("w", 1000, tenants=[["a"], ["b", "c"], None, ["nobody"]][step % 4])
        if lease is not None:
            seen.append(lease.payload)
            queue.complete(lease.job_id, lease.token)
    assert sorted(map(int, seen)) == list(range(60))


def test_a_paused_type_stays_paused_for_them(make_queue: Callable[..., JobQueue], clock: ManualClock) -> None:
    """A poll for a tenant finds no way around a pause."""
    queue = filled(make_queue, clock, "strict", "ab")
    queue.pause("mail")
    assert {lease.type for lease in queue.poll_many("w", 1000, 99, tenants=["a"])} == {"pdf"}


@pytest.mark.parametrize(
    ("tenants", "error"), [([], ValueError), ("acme", TypeError), ([""], ValueError), ([7], TypeError)]
)
def test_tenants_are_several_names(queue: JobQueue, tenants: Any, error: Any) -> None:
    """None of them would never be answered; one str would be read letter by letter."""
    queue.submit("mail")
    with pytest.raises(error, match="tenants"):
        queue.poll("w", 1000, tenants=tenants)
    assert queue.view("J1").status == "PENDING"


def test_a_log_of_such_polls_rebuilds_the_queue(
    make_queue: Callable[..., JobQueue], clock: ManualClock, log: EventLog
) -> None:
    """The tenants asked for are told with the hand-out, so turns and slots move as they did."""
    queue = make_queue(clock, RetryPolicy(3, 0, 0), scheduler=WeightedBands(), log=log)
    for tenant, priority, type_, cost in JOBS[:30]:
        queue.submit(type_, "", priority, tenant=tenant, cost=cost)
    queue.poll_many("w", 1000, 5, tenants=["b"])
    queue.poll_many("w", 1000, 5)
    queue.poll_many("w", 1000, 5, tenants=["c", "d"])
    again = log.replay()
    assert again.next_up(20) == queue.next_up(20)
    assert [again.view(f"J{n}") for n in range(1, 31)] == [queue.view(f"J{n}") for n in range(1, 31)]
