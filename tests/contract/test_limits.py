"""How much may wait, and how much may run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import (
    AdmissionError,
    EventLog,
    JobQueue,
    Limits,
    ManualClock,
    RetryPolicy,
    StrictPriority,
    WeightedBands,
)
from tests.contract.observing import outcome, polled
from tests.contract.scheduling import banded, bands_served, fill, fill_tenants, tenants_served
from tests.contract.together import run_together

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture(params=[StrictPriority, WeightedBands])
def make_limited(
    request: pytest.FixtureRequest, make_queue: Callable[..., JobQueue], clock: ManualClock
) -> Any:
    """Return the constructor of a queue with limits, under each scheduler."""

    def make(log: Any = None, **limits: Any) -> Any:
        return banded(make_queue, clock, request.param(), limits=Limits(**limits), log=log)

    return make


# -- what may wait -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", ["max_queued", "max_queued_per_tenant"])
def test_a_submit_beyond_the_limit_is_refused(make_limited: Any, log: EventLog, limit: Any) -> None:
    """It says when to try again, uses up no id, and is told as a refusal."""
    queue = make_limited(**{limit: 2}, log=log)
    fill_tenants(queue, a=2)
    with pytest.raises(AdmissionError, match=r"2.*2") as refusal:
        queue.submit("mail", tenant="a")
    assert refusal.value.retry_after_millis > 0
    assert (log.events[-1].kind, log.events[-1].job_id) == ("refused", None)
    queue.cancel("J1")
    assert queue.submit("mail", tenant="a") == "J3"


def test_a_limit_per_tenant_is_for_each_of_them(make_limited: Any) -> None:
    """One tenant's flood closes the door to nobody else; the whole queue's limit closes it to all."""
    queue = make_limited(max_queued_per_tenant=2, max_queued=3)
    fill_tenants(queue, a=2, b=1)
    for tenant in "abc":
        assert isinstance(outcome(queue.submit, "mail", tenant=tenant), AdmissionError)


def test_delayed_jobs_wait_too(make_limited: Any) -> None:
    """Queued means PENDING, whatever it waits for; running jobs are not queued."""
    queue = make_limited(max_queued=2)
    queue.submit("mail", run_at_millis=9000)
    queue.submit("mail")
    assert isinstance(outcome(queue.submit, "mail"), AdmissionError)
    polled(queue)
    assert queue.submit("mail") == "J3"


def test_only_submits_are_refused(make_limited: Any) -> None:
    """Retries, releases and redrives come back into a full queue."""
    queue = make_limited(max_queued=1, max_queued_per_tenant=1)
    queue.submit("mail")
    retried = polled(queue)
    queue.submit("mail")
    queue.fail("J1", retried.token)
    lease = polled(queue)
    queue.release(lease.job_id, lease.token)
    assert queue.stats().by_status["PENDING"] == 2


@pytest.mark.parametrize("limit", ["max_queued", "max_queued_per_tenant"])
def test_the_waiting_limit_is_exact_for_threads(make_limited: Any, limit: Any) -> None:
    """Twenty threads at ten places: ten are accepted."""
    queue = make_limited(**{limit: 10})
    answers = run_together(20, lambda _number: outcome(queue.submit, "mail"))
    assert sorted(type(answer).__name__ for answer in answers) == ["AdmissionError"] * 10 + ["str"] * 10


# -- what may run ------------------------------------------------------------------------------------------


def test_a_tenant_at_its_limit_is_passed_over(make_limited: Any) -> None:
    """Its backlog waits; others are served, and it again when one of its leases ends."""
    queue = make_limited(max_running_per_tenant=2)
    fill_tenants(queue, a=5, b=1)
    assert sorted(tenants_served(queue, 9).split()) == ["a", "a", "b"]
    running = next(row for row in ("J1", "J2") if queue.view(row).status == "RUNNING")
    queue.complete(running, f"{running}:1")
    assert tenants_served(queue, 9) == "a"


def test_the_limit_counts_over_all_types_and_bands(make_limited: Any) -> None:
    """Ten types and three bands are still one tenant."""
    queue = make_limited(max_running_per_tenant=5)
    for number in range(30):
        queue.submit(f"type {number % 10}", priority=number % 3 - 1, tenant="a")
    assert len(queue.poll_many("w", 1000, 30)) == 5


def test_running_means_a_live_lease(make_limited: Any, clock: ManualClock) -> None:
    """A crashed worker's place comes back at lease_until, not before and not later."""
    queue = make_limited(max_running_per_tenant=1)
    fill_tenants(queue, a=2)
    polled(queue, lease_millis=1000)
    clock.advance_to(999)
    assert queue.poll("w", 1000) is None
    clock.advance_to(1000)
    assert polled(queue).tenant == "a"
    assert queue.poll("w", 1000) is None


@pytest.mark.parametrize("end", ["complete", "fail", "release"])
def test_each_end_of_a_lease_frees_its_place(make_limited: Any, end: Any) -> None:
    """However the attempt ended."""
    queue = make_limited(max_running_per_tenant=1)
    fill_tenants(queue, a=2)
    getattr(queue, end)("J1", polled(queue).token)
    assert polled(queue).tenant == "a"
    assert queue.poll("w", 1000) is None


def test_a_delayed_job_of_a_serial_tenant_keeps_nobody_waiting(make_limited: Any, clock: ManualClock) -> None:
    """J1 is due in an hour, so J2 runs; when J1 is due it waits until J2 is done."""
    queue = make_limited(max_running_per_tenant=1)
    queue.submit("mail", run_at_millis=3_600_000)
    queue.submit("mail")
    lease = polled(queue, lease_millis=9_000_000)
    assert lease.job_id == "J2"
    clock.advance_to(3_600_000)
    assert queue.poll("w", 1000) is None
    queue.complete("J2", lease.token)
    assert polled(queue).job_id == "J1"


def test_a_band_at_its_limit_lends_its_slots(make_queue: Callable[..., JobQueue], clock: ManualClock) -> None:
    """Two H may run: the third H slot goes on to N; at the limit H is skipped until one ends."""
    queue = banded(make_queue, clock, limits=Limits(max_running_per_band={"H": 2}))
    fill(queue, H=9, N=9, L=9)
    assert bands_served(queue, 6) == "HHNNLN"
    queue.complete("J1", "J1:1")
    assert bands_served(queue, 3) == "NLH"
    assert bands_served(queue, 3) == "NNL"


def test_a_band_limit_holds_under_strict_priority(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """Limits decide what is eligible under every scheduler."""
    queue = banded(make_queue, clock, StrictPriority(), limits=Limits(max_running_per_band={"H": 1, "N": 1}))
    fill(queue, L=1, N=2, H=2)
    assert bands_served(queue, 9) == "HNL"


def test_an_aged_job_counts_against_the_band_that_it_came_to(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """Served as N, it takes one of N's places, and none of L's."""
    limits = Limits(max_running_per_band={"N": 1, "L": 1})
    queue = banded(make_queue, clock, WeightedBands(aging_millis=1000), limits=limits)
    fill(queue, L=1)
    clock.advance_to(1000)
    polled(queue, lease_millis=9000)
    fill(queue, N=1, L=1)
    assert bands_served(queue, 3) == "L"


def test_a_tenant_that_was_passed_over_gets_its_turn_back(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """While A may not, B and C take turns; then A is next by name after the last one served."""
    queue = banded(make_queue, clock, limits=Limits(max_running_per_tenant=1))
    fill_tenants(queue, A=3, B=3, C=3)
    leases = queue.poll_many("w", 1000, 9)
    assert [lease.tenant for lease in leases] == ["A", "B", "C"]
    for lease in leases[1:]:
        queue.complete(lease.job_id, lease.token)
    assert tenants_served(queue, 3) == "B C"
    queue.complete(leases[0].job_id, leases[0].token)
    assert tenants_served(queue, 3) == "A"


def test_the_running_limit_is_exact_for_threads(make_limited: Any) -> None:
    """Sixteen threads poll, two tenants may run three each: six leases, three and three."""
    queue = make_limited(max_running_per_tenant=3)
    fill_tenants(queue, a=20, b=20)
    leases = [lease for lease in run_together(16, lambda _n: queue.poll("w", 60_000)) if lease]
    assert sorted(lease.tenant for lease in leases) == ["a"] * 3 + ["b"] * 3


@pytest.mark.long_over_stores
def test_a_limit_is_never_exceeded_whatever_happens(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """Two thousand calls in a fixed disorder, and never more than the limit runs."""
    limits = Limits(max_running_per_tenant=1, max_running_per_band={"N": 2})
    queue = banded(make_queue, clock, limits=limits, retry_budget=None)
    fill_tenants(queue, a=10, b=10, c=10)
    held, number, most = [], 1, 0
    for _ in range(2000):
        number = number * 48271 % (2**31 - 1)
        if number % 3 == 0 and (lease := queue.poll("w", number % 50 + 1)):
            held.append(lease)
        elif held and number % 3 == 1:
            lease = held[number % len(held)]
            outcome([queue.release, queue.fail][number % 2], lease.job_id, lease.token)
        else:
            clock.advance(number % 7)
        views = [queue.view(f"J{n}") for n in {lease.job_id[1:] for lease in held[-4:]}]
        running = [view.tenant for view in views if view.status == "RUNNING"]
        assert len(set(running)) == len(running) <= 2
        most = max(most, len(running))
        assert queue.stats().running <= 2
    assert most == 2


@pytest.mark.parametrize(
    ("limits", "error"),
    [
        ({"max_queued": -1}, ValueError),
        ({"max_queued_per_tenant": True}, TypeError),
        ({"max_running_per_tenant": 1.5}, TypeError),
        ({"max_running_per_band": {"X": 1}}, ValueError),
        ({"max_running_per_band": {"H": -1}}, ValueError),
    ],
)
def test_limits_are_checked(limits: Any, error: Any) -> None:
    """Numbers of at least zero, for bands that exist."""
    with pytest.raises(error):
        Limits(**limits)


def test_a_limit_of_zero_closes(make_queue: Callable[..., JobQueue], clock: ManualClock) -> None:
    """Nobody runs and nobody waits, which is a way to switch something off."""
    queue = make_queue(clock, RetryPolicy(1, 0, 0), limits=Limits(max_running_per_tenant=0))
    queue.submit("mail")
    assert queue.poll("w", 1000) is None
    closed = make_queue(clock, RetryPolicy(1, 0, 0), limits=Limits(max_queued=0))
    assert isinstance(outcome(closed.submit, "mail"), AdmissionError)
