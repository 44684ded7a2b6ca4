"""Jobs that were ready for long count as more important."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import JobQueue, Limits, ManualClock, StrictPriority, WeightedBands
from tests.contract.observing import polled, polled_ids
from tests.contract.scheduling import banded

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture
def ageing(make_queue: Callable[..., JobQueue], clock: ManualClock) -> Any:
    """Return a queue where the best band is always served first, and a job gains one each minute."""
    return banded(make_queue, clock, WeightedBands("H", aging_millis=60_000))


def first(queue: JobQueue) -> Any:
    """Return the job that is next, and leave it."""
    return queue.next_up(1)[0]


@pytest.mark.parametrize(
    ("priority", "instant"), [(0, 60_000), (-1, 120_000)], ids=["normal to high", "low to high"]
)
def test_a_job_gains_a_band_at_the_very_instant(
    ageing: Any, clock: ManualClock, priority: Any, instant: Any
) -> None:
    """One millisecond before a full minute it has not; at the minute it has, without anybody's sweep."""
    ageing.submit("mail", priority=priority)
    clock.advance_to(instant - 1)
    ageing.submit("mail", priority=1)
    assert first(ageing) == "J2"
    clock.advance_to(instant)
    assert first(ageing) == "J1"


def test_a_low_job_passes_a_normal_one_after_a_minute(ageing: Any, clock: ManualClock) -> None:
    """First it is as good as normal, and the longest ready there."""
    ageing.submit("mail", priority=-1)
    clock.advance_to(59_999)
    ageing.submit("mail")
    assert first(ageing) == "J2"
    clock.advance_to(60_000)
    assert first(ageing) == "J1"


def test_ready_time_counts_from_run_at_and_not_from_the_submit(ageing: Any, clock: ManualClock) -> None:
    """A job that was submitted long ago and is due now is young."""
    ageing.submit("mail", run_at_millis=100_000)
    clock.advance_to(159_999)
    ageing.submit("mail", priority=1)
    assert first(ageing) == "J2"
    clock.advance_to(160_000)
    assert first(ageing) == "J1"


def test_ready_time_counts_from_the_submit_if_run_at_was_before(ageing: Any, clock: ManualClock) -> None:
    """A run_at in the past gives nobody a lead."""
    clock.advance_to(50_000)
    ageing.submit("mail", run_at_millis=-500_000)
    clock.advance_to(109_999)
    ageing.submit("mail", priority=1)
    assert first(ageing) == "J2"
    clock.advance_to(110_000)
    assert first(ageing) == "J1"


@pytest.mark.parametrize("how", ["retry", "redrive"])
def test_a_retry_and_a_redrive_start_the_time_again(
    make_queue: Callable[..., JobQueue], clock: ManualClock, how: Any
) -> None:
    """It became PENDING anew, so what it waited before is past."""
    queue = banded(make_queue, clock, WeightedBands("H", aging_millis=60_000))
    queue.submit("mail")
    clock.advance_to(59_000)
    queue.fail("J1", polled(queue).token, permanent=how == "redrive")
    if how == "redrive":
        queue.redrive("J1", actor="ann", note="", unchanged=True)
    clock.advance_to(118_999)
    queue.submit("mail", priority=1)
    assert first(queue) == "J2"
    clock.advance_to(119_000)
    assert first(queue) == "J1"


def test_an_aged_job_counts_in_its_new_band_only(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """It takes a slot of the normal band, and the low one has nothing any more."""
    queue = banded(make_queue, clock, WeightedBands("NL", aging_millis=60_000))
    for _ in range(2):
        queue.submit("mail", priority=-1)
    clock.advance_to(60_000)
    for _ in range(2):
        queue.submit("mail", priority=-1)
    assert polled_ids(queue) == ["J1", "J3", "J2", "J4"]


def test_aged_jobs_come_before_their_own_tenants_flood(ageing: Any, clock: ManualClock) -> None:
    """The longest ready first, whatever the priority of those that were always in the band."""
    ageing.submit("mail", priority=0)
    clock.advance_to(10)
    ageing.submit("mail", priority=-1)
    ageing.submit("mail", priority=0)
    clock.advance_to(120_010)
    for priority in (9, 5, 9):
        ageing.submit("mail", priority=priority)
    assert polled_ids(ageing) == ["J1", "J2", "J3", "J4", "J6", "J5"]


def test_a_steady_flood_does_not_starve_a_low_job(make_queue: Any, clock: Any) -> None:
    """One new high job for each poll: the low one runs at the first poll at or after two minutes."""
    served: dict[Any, Any] = {}
    for name, bands in (("strict", StrictPriority()), ("ageing", WeightedBands("H", aging_millis=60_000))):
        queue = banded(make_queue, type(clock)(), bands)
        queue.submit("mail", priority=-1)
        served[name] = []
        for instant in range(0, 200_000, 7000):
            queue._time.advance_to(instant)  # type: ignore[attr-defined]
            queue.submit("mail", priority=1)
            lease = polled(queue)
            queue.complete(lease.job_id, lease.token)
            served[name] += [instant] if lease.job_id == "J1" else []
    assert served == {"strict": [], "ageing": [126_000]}


def test_an_aged_job_is_still_under_its_tenants_limit(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """Age opens no door that the tenant's limit closes."""
    bands = WeightedBands(aging_millis=60_000)
    queue = banded(make_queue, clock, bands, limits=Limits(max_running_per_tenant=1))
    queue.submit("mail", priority=1, tenant="a")
    queue.submit("mail", priority=-1, tenant="a")
    polled(queue, lease_millis=900_000)
    clock.advance_to(120_000)
    queue.submit("mail", priority=-1, tenant="b")
    assert polled_ids(queue) == ["J3"]


def test_an_aged_job_is_shown_as_such(make_queue: Callable[..., JobQueue], clock: ManualClock) -> None:
    """It keeps its priority; why it is not next names both bands."""
    queue = banded(make_queue, clock, WeightedBands(aging_millis=60_000))
    queue.submit("mail", priority=-1)
    queue.submit("mail", priority=-1)
    clock.advance_to(120_000)
    polled(queue)
    for _ in range(2):
        queue.submit("mail", priority=0)
        queue.submit("mail", priority=1, tenant="aa")
    assert "L, aged to H" in queue.why_not("J2")
    assert queue.view("J2").priority == -1


def test_nobody_gains_more_than_the_highest_band(ageing: Any, clock: ManualClock) -> None:
    """An old high job is a high job; one that aged into the band goes before it, being the older claim."""
    ageing.submit("mail", priority=1)
    ageing.submit("mail", priority=0)
    clock.advance_to(900_000)
    assert polled_ids(ageing) == ["J2", "J1"]


def test_without_aging_nobody_gains(make_queue: Callable[..., JobQueue], clock: ManualClock) -> None:
    """It is off until asked for."""
    queue = banded(make_queue, clock, WeightedBands("H"))
    queue.submit("mail", priority=-1)
    clock.advance_to(10**12)
    queue.submit("mail", priority=1)
    assert polled_ids(queue) == ["J2", "J1"]


@pytest.mark.parametrize(
    ("aging", "error"), [(0, ValueError), (-1, ValueError), (True, TypeError), (0.5, TypeError)]
)
def test_the_time_to_gain_a_band_is_checked(aging: Any, error: Any) -> None:
    """At least a millisecond."""
    with pytest.raises(error, match="aging_millis"):
        WeightedBands(aging_millis=aging)
