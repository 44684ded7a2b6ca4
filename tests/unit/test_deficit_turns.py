"""Turns by cost that are worked out, against turns that are walked one by one."""

from __future__ import annotations

import random
from typing import Any

import pytest

from jobqueue import DeficitRoundRobin, JobQueue, ManualClock, RetryPolicy, WeightedBands
from jobqueue.scheduling import deficit

TENANTS = [f"tenant {number:02}" for number in range(50)]


class Walk:
    """The rule as it is told: a turn adds the quantum, and is over when the next job cannot be paid."""

    def __init__(self, quantum: int) -> None:
        self.quantum = quantum
        self.turn = ""
        self.credit: dict[str, int] = {}
        self.jobs: dict[str, list[tuple[str, int]]] = {tenant: [] for tenant in TENANTS}

    def next(self, types: set[str]) -> str | None:
        """Return who is served, and take its first job of these types."""
        heads = {
            tenant: next((job for job in jobs if job[0] in types), None) for tenant, jobs in self.jobs.items()
        }
        eligible = [tenant for tenant in TENANTS if heads[tenant]]
        if not eligible:
            return None
        while self.turn not in eligible or self.credit.get(self.turn, 0) < heads[self.turn][1]:  # type: ignore[index]
            self.turn = min([t for t in eligible if t > self.turn] or eligible)
            self.credit[self.turn] = self.credit.get(self.turn, 0) + self.quantum
        self.credit[self.turn] -= heads[self.turn][1]  # type: ignore[index]
        self.jobs[self.turn].remove(heads[self.turn])  # type: ignore[arg-type]
        if not self.jobs[self.turn]:
            del self.credit[self.turn]
        return self.turn


@pytest.mark.parametrize("few", [0, 10, 1000])
@pytest.mark.parametrize("longest_walk", [0, 1, 32])
@pytest.mark.parametrize("costliest", [10, 400])
def test_working_turns_out_gives_the_order_of_walking_them(
    monkeypatch: pytest.MonkeyPatch, few: Any, longest_walk: Any, costliest: Any
) -> None:
    """Whatever is submitted and asked for in between: the same tenants in the same order."""
    monkeypatch.setattr(deficit, "LONGEST_WALK", longest_walk)
    monkeypatch.setattr(deficit, "FEW_TENANTS", few)
    dice = random.Random(costliest + few + longest_walk)  # noqa: S311 - the same disorder each time
    bands = WeightedBands("N", tenants=DeficitRoundRobin(quantum=5))
    queue, walk = JobQueue(ManualClock(), RetryPolicy(1, 0, 0), scheduler=bands), Walk(quantum=5)
    served = 0
    for _ in range(700):
        if dice.random() < 0.5:
            job = dice.choice("aab"), dice.randint(1, costliest)
            tenant = dice.choice(TENANTS)
            queue.submit(job[0], tenant=tenant, cost=job[1])
            walk.jobs[tenant].append(job)
        else:
            types = dice.choice([{"a", "b"}, {"a", "b"}, {"a", "b"}, {"a"}, {"b"}])
            lease = queue.poll("w", 1000, types=types)
            assert (lease and lease.tenant) == walk.next(types)
            served += lease is not None
        if dice.random() < 0.1:
            queue.next_up(3)
    assert served > 200
