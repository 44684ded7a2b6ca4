"""Weighted bands: each hand-out takes a slot of the cycle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import JobQueue, ManualClock, WeightedBands
from tests.contract.observing import polled_ids
from tests.contract.scheduling import banded, bands_served, fill

if TYPE_CHECKING:
    from collections.abc import Callable


def test_each_band_gets_its_slots(make_queue: Callable[..., JobQueue], clock: ManualClock) -> None:
    """All bands full, twelve polls: six H, four N, two L, in the order of the cycle."""
    queue = banded(make_queue, clock)
    fill(queue, H=20, N=20, L=20)
    assert bands_served(queue, 12) == "HHHNNLHHHNNL"


@pytest.mark.parametrize(("priority", "first"), [(1, "H"), (9, "H"), (0, "N"), (-1, "L"), (-9, "L")])
def test_a_band_is_the_sign_of_the_priority(
    make_queue: Callable[..., JobQueue], clock: ManualClock, priority: Any, first: Any
) -> None:
    """Above zero is high, zero is normal, below is low; each in a cycle that begins with it."""
    other = {"H": -1, "N": 1, "L": 1}[first]
    queue = banded(make_queue, clock, WeightedBands(first + "HNL".replace(first, "")))
    queue.submit("mail", priority=other)
    queue.submit("mail", priority=priority)
    assert polled_ids(queue) == ["J2", "J1"]


def test_inside_a_band_the_best_goes_first(make_queue: Callable[..., JobQueue], clock: ManualClock) -> None:
    """Priority, then run_at, then submission order, as without bands."""
    queue = banded(make_queue, clock)
    clock.advance_to(100)
    for priority, run_at in ((1, 50), (5, 90), (5, 80), (1, 50)):
        queue.submit("mail", priority=priority, run_at_millis=run_at)
    assert polled_ids(queue) == ["J3", "J2", "J1", "J4"]


@pytest.mark.parametrize(
    ("weights", "cycle"),
    [
        ({"H": 3, "N": 2, "L": 1}, "HHHNNL"),
        ({"H": 7, "N": 3}, "HHHHHHHNNN"),
        ({"H": 6, "N": 4, "L": 2}, "HHHNNL"),
        ({"L": 4, "N": 2}, "NLL"),
        ({"N": 5}, "N"),
        ({"H": 0, "L": 9}, "L"),
    ],
)
def test_weights_make_a_cycle(weights: Any, cycle: Any) -> None:
    """Divided by their greatest common divisor, one block for each band, highest first."""
    assert WeightedBands.from_weights(**weights).cycle == cycle
    assert WeightedBands().cycle == "HHHNNL"


@pytest.mark.parametrize("cycle", ["HN", "HL"])
def test_equal_weights_are_equal_shares_at_any_moment(make_queue: Any, clock: Any, cycle: Any) -> None:
    """In every beginning of the sequence the counts differ by one at most."""
    queue = banded(make_queue, clock, WeightedBands.from_weights(**dict.fromkeys(cycle, 5)))  # type: ignore[arg-type]
    fill(queue, **dict.fromkeys(cycle, 10))
    served = bands_served(queue, 20)
    differences = {abs(served[:n].count(cycle[0]) - served[:n].count(cycle[1])) for n in range(21)}
    assert (len(served), differences) == (20, {0, 1})


def test_a_band_without_a_slot_is_served_when_no_other_can_be(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """Lowest of all, but not lost; and it moves nothing."""
    queue = banded(make_queue, clock, WeightedBands("NNH"))
    fill(queue, L=3, N=1, H=1)
    assert bands_served(queue, 3) == "NHL"
    fill(queue, N=3, H=1)
    assert bands_served(queue, 6) == "NNHNLL"


def test_of_two_bands_without_a_slot_the_higher_goes_first(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """Among those that nothing was promised to, order is by band."""
    queue = banded(make_queue, clock, WeightedBands("N"))
    fill(queue, L=2, H=2)
    assert bands_served(queue, 4) == "HHLL"


@pytest.mark.parametrize(
    ("cycle", "error"),
    [
        ("", ValueError),
        ("HXN", ValueError),
        ("hn", ValueError),
        ("H N", ValueError),
        (None, TypeError),
        (3, TypeError),
    ],
)
def test_a_cycle_is_checked(cycle: Any, error: Any) -> None:
    """Letters of H, N and L, at least one."""
    with pytest.raises(error, match="cycle"):
        WeightedBands(cycle)


@pytest.mark.parametrize(
    ("weights", "error"),
    [
        ({"H": -1, "N": 3}, ValueError),
        ({}, ValueError),
        ({"H": 0}, ValueError),
        ({"X": 1}, ValueError),
        ({"H": 1.5}, TypeError),
        ({"H": True}, TypeError),
    ],
)
def test_weights_are_checked(weights: Any, error: Any) -> None:
    """Known bands, no negative number, and something must be left to serve."""
    with pytest.raises(error):
        WeightedBands.from_weights(**weights)


def test_each_queue_has_its_own_place_in_the_cycle(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """One scheduler given to two queues is a description, not a position."""
    bands = WeightedBands()
    first, second = (banded(make_queue, clock, bands) for _ in range(2))
    for queue in (first, second):
        fill(queue, H=6, N=6, L=6)
    assert (bands_served(first, 4), bands_served(second, 6), bands_served(first, 2)) == ("HHHN", "HHHNNL", "NL")


def test_a_retry_stays_in_its_band(make_queue: Any, clock: Any) -> None:
    """Failing makes nobody more or less important."""
    queue = banded(make_queue, clock, WeightedBands("HL"))
    fill(queue, H=1, L=2)
    lease = queue.poll("w", 1000)
    queue.fail(lease.job_id, lease.token)  # type: ignore[union-attr]
    assert bands_served(queue, 3) == "LHL"
