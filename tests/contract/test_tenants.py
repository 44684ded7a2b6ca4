"""Whose turn it is inside a band."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import JobQueue, ManualClock, StrictPriority, WeightedBands
from tests.contract.observing import polled_ids
from tests.contract.scheduling import banded, fill_tenants, tenants_served

if TYPE_CHECKING:
    from collections.abc import Callable


def test_a_flood_of_one_tenant_does_not_hold_up_another(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """A has a thousand jobs and B has one: B's is the second hand-out."""
    queue = banded(make_queue, clock)
    fill_tenants(queue, A=1000, B=1)
    assert tenants_served(queue, 5) == "A B A A A"


def test_tenants_take_turns_by_name(make_queue: Callable[..., JobQueue], clock: ManualClock) -> None:
    """As long as each has work; who has none left is passed over."""
    queue = banded(make_queue, clock)
    fill_tenants(queue, A=10, B=2, C=3)
    assert tenants_served(queue, 15) == "A B C A B C A C A A A A A A A"


def test_names_are_ordered_by_code_point(make_queue: Any, clock: Any) -> None:
    """Not by language, nor by length, nor by submission."""
    names = ["b", "a", "B", "\u00e4", "a b", "Z", "\U0001f600", "aa", "\uffff"]
    queue = banded(make_queue, clock)
    for name in names:
        queue.submit("mail", tenant=name)
    served = [queue.poll("w", 1000).tenant for _ in names]  # type: ignore[union-attr]
    assert served == ["B", "Z", "a", "a b", "aa", "b", "\u00e4", "\uffff", "\U0001f600"]


def test_a_new_tenant_joins_at_its_name(make_queue: Callable[..., JobQueue], clock: ManualClock) -> None:
    """While C is served, F comes: before the second C, and also D and E come first."""
    queue = banded(make_queue, clock)
    fill_tenants(queue, A=4, B=4, C=4, D=4, E=4)
    assert tenants_served(queue, 8) == "A B C D E A B C"
    fill_tenants(queue, F=1)
    assert tenants_served(queue, 6) == "D E F A B C"


def test_each_band_has_its_own_turn(make_queue: Callable[..., JobQueue], clock: ManualClock) -> None:
    """A turn in the high band is none in the normal one: with one turn for all, N would begin with B."""
    queue = banded(make_queue, clock, WeightedBands("HN"))
    for priority in (1, 0):
        for tenant in "ABC":
            for _ in range(2):
                queue.submit("mail", priority=priority, tenant=tenant)
    assert tenants_served(queue, 12) == "A A B B C C A A B B C C"


def test_the_turn_goes_on_from_a_tenant_that_is_gone(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """The next by name after the last one served, also when that one has no work any more."""
    queue = banded(make_queue, clock)
    fill_tenants(queue, A=3, B=1, C=2)
    assert tenants_served(queue, 6) == "A B C A C A"


def test_inside_a_tenant_the_best_goes_first(make_queue: Callable[..., JobQueue], clock: ManualClock) -> None:
    """Priority, run_at, submission order."""
    queue = banded(make_queue, clock)
    for tenant, priority, run_at in (("A", 1, 0), ("A", 7, 0), ("B", 1, 0), ("B", 1, -5)):
        queue.submit("mail", tenant=tenant, priority=priority, run_at_millis=run_at)
    assert polled_ids(queue) == ["J2", "J4", "J1", "J3"]


def test_many_types_are_no_more_turns(make_queue: Callable[..., JobQueue], clock: ManualClock) -> None:
    """A uses ten types with ten jobs each, B one: of twenty hand-outs each has ten."""
    queue = banded(make_queue, clock)
    for type_ in range(10):
        for _ in range(10):
            queue.submit(f"type {type_}", tenant="A")
    fill_tenants(queue, B=10)
    served = tenants_served(queue, 20).split()
    assert served == ["A", "B"] * 10


@pytest.mark.parametrize("tenants", [["A", "B"], ["B", "A"]])
def test_strict_priority_ignores_tenants(
    make_queue: Callable[..., JobQueue], clock: ManualClock, tenants: Any
) -> None:
    """Submission order alone decides."""
    queue = banded(make_queue, clock, StrictPriority())
    for tenant in tenants:
        fill_tenants(queue, **{tenant: 3})
    assert tenants_served(queue, 6) == " ".join([tenants[0]] * 3 + [tenants[1]] * 3)


def test_a_turn_is_used_up_by_retries_as_by_first_attempts(make_queue: Any, clock: Any) -> None:
    """A's failing job comes back at once and still waits for B and C."""
    queue = banded(make_queue, clock)
    fill_tenants(queue, A=1, B=2, C=2)
    lease = queue.poll("w", 1000)
    queue.fail(lease.job_id, lease.token)  # type: ignore[union-attr]
    assert tenants_served(queue, 5) == "B C A B C"
