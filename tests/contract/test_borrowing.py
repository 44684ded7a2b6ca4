"""Slots that their own band cannot use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import JobQueue, Limits, ManualClock
from tests.contract.observing import polled
from tests.contract.scheduling import PRIORITIES, banded, bands_served, fill

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize(
    ("jobs", "polls", "served"),
    [
        ({"N": 20, "L": 20}, 12, "NNLNNLNNLNNL"),
        ({"H": 20, "L": 20}, 12, "HHHLHHHLHHHL"),
        ({"H": 2, "N": 20, "L": 20}, 12, "HHNNLNNLNNLN"),
        ({"L": 20}, 4, "LLLL"),
        ({"H": 20, "N": 20}, 10, "HHHNNHHHNN"),
    ],
    ids=["H empty", "N empty", "two H only", "L only", "L empty"],
)
def test_a_slot_without_work_is_skipped_and_the_cycle_goes_on(
    make_queue: Callable[..., JobQueue], clock: ManualClock, jobs: Any, polls: Any, served: Any
) -> None:
    """The next slot that has work is served, whatever its band; not always the highest band."""
    queue = banded(make_queue, clock)
    fill(queue, **jobs)
    assert bands_served(queue, polls) == served


@pytest.mark.parametrize("before", range(6))
def test_a_poll_in_vain_moves_nothing(
    make_queue: Callable[..., JobQueue], clock: ManualClock, before: Any
) -> None:
    """However often an idle queue is polled, the cycle stands where it stood."""
    queue = banded(make_queue, clock)
    for band in "HHHNNL"[:before]:
        queue.submit("mail", priority=PRIORITIES[band])
    assert len(bands_served(queue, before)) == before
    for _ in range(5):
        assert queue.poll("w", 1000) is None
    fill(queue, H=9, N=9, L=9)
    assert bands_served(queue, 6) == ("HHHNNL" * 2)[before : before + 6]


def test_a_band_that_comes_back_finds_the_cycle_where_it_is(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """Nothing is owed to a band for the time in which it had no work."""
    queue = banded(make_queue, clock)
    fill(queue, N=20, L=20)
    assert bands_served(queue, 4) == "NNLN"
    fill(queue, H=20)
    assert bands_served(queue, 8) == "NLHHHNNL"


@pytest.mark.parametrize("reason", ["delayed", "paused", "at its limit", "of another type", "running"])
def test_a_band_with_nothing_eligible_lends_its_slots(
    make_queue: Callable[..., JobQueue], clock: ManualClock, reason: Any
) -> None:
    """Work that cannot be handed out now is no work, whatever keeps it back."""
    limits = Limits(max_running_per_band={"H": 0}) if reason == "at its limit" else None
    queue = banded(make_queue, clock, limits=limits)
    for _ in range(1 if reason == "running" else 5):
        queue.submit("fax", priority=1, run_at_millis=9000 if reason == "delayed" else None)
    fill(queue, N=9, L=9)
    if reason == "paused":
        queue.pause("fax")
    if reason == "running":
        assert polled(queue).job_id == "J1"
    types = ["mail"] if reason == "of another type" else None
    assert bands_served(queue, 6, types=types) == "NNLNNL"
