"""Several polls at one instant, and polls for some types only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import JobQueue, Limits, ManualClock, RetryPolicy
from tests.contract.observing import polled
from tests.contract.scheduling import banded, bands_served, fill, fill_tenants

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.over_http


def test_it_hands_out_what_so_many_polls_would(make_queue: Callable[..., JobQueue], clock: ManualClock) -> None:
    """The same jobs, in the same order, with the same leases as single polls of a twin."""
    many, single = (banded(make_queue, clock) for _ in range(2))
    for queue in (many, single):
        fill(queue, H=4, N=4, L=4)
    assert many.poll_many("w", 1000, 9) == [single.poll("w", 1000) for _ in range(9)]
    assert many.poll_many("w", 1000, 9) == [single.poll("w", 1000) for _ in range(3)]
    assert many.poll_many("w", 1000, 9) == []


@pytest.mark.parametrize(("limit", "expected"), [(1, 1), (3, 3)])
def test_a_running_limit_counts_within_the_batch(
    make_queue: Callable[..., JobQueue], clock: ManualClock, limit: Any, expected: Any
) -> None:
    """Ten are asked for and the tenant may have so many: the second sees what the first took."""
    queue = make_queue(clock, RetryPolicy(3, 0, 0), limits=Limits(max_running_per_tenant=limit))
    fill_tenants(queue, a=10)
    assert len(queue.poll_many("w", 1000, 10)) == expected


def test_each_tenant_has_its_own_count_within_the_batch(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """Two tenants at a limit of two: four of ten."""
    queue = banded(make_queue, clock, limits=Limits(max_running_per_tenant=2))
    fill_tenants(queue, a=10, b=10)
    assert [lease.tenant for lease in queue.poll_many("w", 1000, 10)] == ["a", "b", "a", "b"]


@pytest.mark.not_over_http("the API itself says how much is enough")
def test_a_batch_ends_where_its_payloads_are_enough(make_queue: Any, clock: Any) -> None:
    """Checkpoints count, too; what is not handed out is as it was."""
    queue = make_queue(clock, RetryPolicy(3, 0, 0))
    for length in (4, 4, 4, 4):
        queue.submit("mail", "x" * length)
    lease = queue.poll("w", 1000)
    queue.renew("J1", lease.token, 1000, "half")
    queue.fail("J1", lease.token)
    assert [lease.job_id for lease in queue.poll_many("w", 1000, 9, enough_characters=9)] == ["J1", "J2"]
    assert queue.view("J3").attempts == 0
    assert [lease.job_id for lease in queue.poll_many("w", 1000, 9, enough_characters=1)] == ["J3"]


@pytest.mark.parametrize(
    ("limit", "error"),
    [(0, ValueError), (-1, ValueError), (True, TypeError), (None, TypeError), ("3", TypeError)],
)
def test_the_number_is_checked(queue: JobQueue, limit: Any, error: Any) -> None:
    """At least one, and a number."""
    queue.submit("mail")
    with pytest.raises(error, match="limit"):
        queue.poll_many("w", 1000, limit)
    assert queue.view("J1").status == "PENDING"


@pytest.mark.parametrize("call", ["poll", "poll_many"])
@pytest.mark.parametrize(
    ("types", "error"),
    [
        ([], ValueError),
        (set(), ValueError),
        ("mail", TypeError),
        ([""], ValueError),
        ([7], TypeError),
        (["a\0"], ValueError),
    ],
)
def test_types_are_several_names(queue: JobQueue, call: Any, types: Any, error: Any) -> None:
    """None of them would never be answered; one str would be read letter by letter."""
    queue.submit("mail")
    limit = [3] if call == "poll_many" else []
    with pytest.raises(error, match="types"):
        getattr(queue, call)("w", 1000, *limit, types=types)
    assert queue.view("J1").status == "PENDING"


def test_types_count_for_each_poll_of_the_batch(queue: JobQueue) -> None:
    """Only those asked for, in their order."""
    for type_ in ("mail", "fax", "mail", "sms", "fax"):
        queue.submit(type_)
    leases = queue.poll_many("w", 1000, 10, types=iter(["fax", "sms"]))
    assert [lease.job_id for lease in leases] == ["J2", "J4", "J5"]


def test_the_slots_of_types_not_asked_for_are_lent(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """For this poll the high band has nothing eligible, so the cycle goes on with the others."""
    queue = banded(make_queue, clock)
    for priority, type_ in ((1, "fax"), (0, "mail"), (-1, "mail")):
        for _ in range(6):
            queue.submit(type_, priority=priority)
    assert bands_served(queue, 6, types=["mail"]) == "NNLNNL"
    assert bands_served(queue, 3) == "HHH"


def test_a_tenant_without_a_job_of_these_types_is_passed_over(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """Its turn is not used up by work that was not asked for."""
    queue = banded(make_queue, clock)
    queue.submit("fax", tenant="a")
    queue.submit("mail", tenant="b")
    queue.submit("mail", tenant="c")
    assert polled_for(queue, "mail") == ["b", "c"]
    assert polled(queue).tenant == "a"


def polled_for(queue: JobQueue, type_: Any) -> Any:
    """Return the tenants that are served until no job of a type is left."""
    return [lease.tenant for lease in queue.poll_many("w", 1000, 10, types=[type_])]
