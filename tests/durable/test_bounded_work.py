"""What a call costs does not grow with the jobs that wait: counted in steps of SQLite's machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import DeficitRoundRobin, Limits, WeightedBands
from tests.databases import sqlite_place
from tests.durable.conftest import POLICY, fill

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from jobqueue import ManualClock

FEW, MANY = 500, 10_000


def steps_of(queue: Any, call: Callable[[], object]) -> int:
    """Return how many steps SQLite takes for a call, in tens; a plan calls a walk SEARCH, too."""
    connection, tens = queue._database._connected(), []
    connection.set_progress_handler(lambda: tens.append(1), 10)
    try:
        call()
    finally:
        connection.set_progress_handler(None, 0)
    return len(tens)


def costs(folder: Path, clock: ManualClock, options: dict[str, Any], call: Callable[..., object]) -> list[int]:
    """Return what a call costs beside few jobs that wait, and beside many."""
    found = []
    for jobs in (FEW, MANY):
        queue = sqlite_place(folder).open(clock, POLICY, **options)
        queue.submit("mail")
        fill(queue, jobs)
        call(queue)  # the first call also reads the schema
        found.append(steps_of(queue, lambda: call(queue)))  # noqa: B023 - called at once
        queue.close()
    return found


POLLS = {
    "strict": {},
    "bands": {"scheduler": WeightedBands()},
    "credit": {"scheduler": WeightedBands(tenants=DeficitRoundRobin())},
    "limits": {"limits": Limits(max_running_per_tenant=50)},
    "full": {"scheduler": WeightedBands(), "limits": Limits(max_running_per_tenant=1)},
}


ASKED = {"all": {}, "types": {"types": ["mail"]}, "tenants": {"tenants": ["default"]}}


@pytest.mark.parametrize("asked", ASKED)
@pytest.mark.parametrize("name", POLLS)
def test_a_poll_costs_the_same_beside_many_jobs(tmp_path, clock, name, asked):
    """One tenant, one type: 20 times as many ready jobs take no more steps."""
    few, many = costs(tmp_path, clock, POLLS[name], lambda queue: queue.poll("w", 1000, **ASKED[asked]))
    assert many <= few + 20
