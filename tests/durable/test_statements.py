"""How many statements a turn takes: few, and no more of them when there are more jobs or tenants."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import (
    DeficitRoundRobin,
    DispatchLimit,
    Limits,
    ManualClock,
    RetryBudget,
    RetryPolicy,
    WeightedBands,
)
from tests.contract.observing import polled
from tests.durable.conftest import POLICY

if TYPE_CHECKING:
    from tests.databases import Place

MOST = {"sqlite": 3, "postgresql": 2}


def statements(queue: Any, call: Any) -> Any:
    """Return the statements of a call, but for BEGIN and COMMIT.

    Each step of a trigger is told as a comment, or as the statement that set it off once more.
    """
    told: list[Any] = []
    queue._database.trace(told.append)
    try:
        call()
    finally:
        queue._database.trace(None)
    told = [text for text, _ in groupby(told)]
    begins = [text for text in told if text.split()[0] in {"BEGIN", "COMMIT"}]
    assert [text.split()[0] for text in begins] == ["BEGIN", "COMMIT"], "one transaction"
    return [text for text in told if text not in begins and not text.startswith("--")]


@pytest.fixture
def most(place: Place) -> Any:
    """Return how many statements a turn may take."""
    return MOST[place.url.partition(":")[0]]


def test_a_turn_with_default_options_takes_few_statements(place: Place, clock: ManualClock, most: Any) -> None:
    """Submit, poll, poll in vain, renew, release, fail and complete."""
    queue = place.open(clock, POLICY)
    counts = {"submit": len(statements(queue, lambda: queue.submit("mail")))}
    counts["poll"] = len(statements(queue, lambda: queue.poll("w", 1000)))
    counts["poll in vain"] = len(statements(queue, lambda: queue.poll("w", 1000)))
    counts["renew"] = len(statements(queue, lambda: queue.renew("J1", "J1:1", 2000, "half")))
    counts["release"] = len(statements(queue, lambda: queue.release("J1", "J1:1")))
    queue.poll("w", 1000)
    counts["fail"] = len(statements(queue, lambda: queue.fail("J1", "J1:2", "boom")))
    clock.advance(1000)
    queue.poll("w", 1000)
    counts["complete"] = len(statements(queue, lambda: queue.complete("J1", "J1:3", "done")))
    assert {name: count for name, count in counts.items() if count > most} == {}
    assert min(counts.values()) >= 1


OPTIONS = {
    "types": {},
    "tenants": {},
    "tenants in bands": {"scheduler": WeightedBands()},
    "bands": {"scheduler": WeightedBands()},
    "credit": {"scheduler": WeightedBands(tenants=DeficitRoundRobin())},
    "limits": {"limits": Limits(max_queued=10**6, max_queued_per_tenant=10**6, max_running_per_tenant=2)},
    "budget": {"retry_budget": RetryBudget()},
    "dispatch": {"dispatch_limit": DispatchLimit(4)},
    "retention": {"keep_finished": 10},
    "everything": {
        "scheduler": WeightedBands(tenants=DeficitRoundRobin(), aging_millis=10**9),
        "limits": Limits(10**6, 10**6, 2, {"H": 5}),
        "retry_budget": RetryBudget(),
        "dispatch_limit": DispatchLimit(4),
        "keep_finished": 10,
    },
}


ASKED = {
    "types": {"types": ["mail", "fax"]},
    "tenants": {"tenants": ["a", "b", "t1"]},
    "tenants in bands": {"tenants": ["a", "b", "t1"]},
}


@pytest.mark.parametrize("name", OPTIONS)
def test_more_jobs_and_tenants_take_no_more_statements(place: Any, clock: Any, name: Any) -> None:
    """An option adds a fixed number of statements, whatever has to be passed over."""
    queue = place.open(clock, RetryPolicy(3, 1000, 60_000), **OPTIONS[name])  # type: ignore[arg-type]
    asked = ASKED.get(name, {})

    def cycle() -> Any:
        texts = statements(queue, lambda: queue.submit("mail", tenant="a"))
        leases = []
        texts += statements(queue, lambda: leases.append(queue.poll("w", 10**6, **asked)))
        return len(texts + statements(queue, lambda: queue.complete(leases[0].job_id, leases[0].token)))

    queue.submit("mail", tenant="b")
    polled(queue, lease_millis=10**6)
    few = cycle()
    for number in range(60):
        queue.submit("fax" if number % 2 else "mail", tenant=f"t{number % 20}", priority=number % 3 - 1)
    assert cycle() == few <= 20
