"""What a call costs does not grow with the jobs that wait: counted in steps of SQLite's machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import AdmissionError, DeficitRoundRobin, Limits, StoreError, WeightedBands, store
from jobqueue.store import CHANGING, READING
from jobqueue.stores import job_counts
from tests.contract.observing import polled
from tests.databases import sqlite_place
from tests.durable.conftest import POLICY, fill

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from jobqueue import ManualClock
    from tests.databases import Place

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
        queue.submit("mail", priority=1)
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
def test_a_poll_costs_the_same_beside_many_jobs(tmp_path: Path, clock: Any, name: Any, asked: Any) -> None:
    """One tenant, one type: 20 times as many ready jobs take no more steps."""
    few, many = costs(tmp_path, clock, POLLS[name], lambda queue: queue.poll("w", 1000, **ASKED[asked]))  # type: ignore[arg-type]
    assert many <= few + 20


LOOKS = {
    "why_not": lambda queue: queue.why_not("J1"),
    "next_up": lambda queue: queue.next_up(5),
    "stats": lambda queue: queue.stats(),
    "view": lambda queue: queue.view("J1"),
    "submit": lambda queue: queue.submit("mail"),
    "newest page": lambda queue: queue.list_jobs(),
    "page of a state": lambda queue: queue.list_jobs(status="DEAD"),
    "page of a tenant": lambda queue: queue.list_jobs(tenant="acme"),
    "page of a type": lambda queue: queue.list_jobs(type="fax"),
    "search": lambda queue: queue.list_jobs(q="no job has this"),
}
LIMITS = {"limits": Limits(max_queued=10**6, max_queued_per_tenant=10**6)}


@pytest.mark.parametrize("scheduler", [None, WeightedBands()], ids=["strict", "bands"])
@pytest.mark.parametrize("look", LOOKS)
def test_a_page_and_a_submit_cost_the_same_beside_many_jobs(
    tmp_path: Path, clock: ManualClock, look: Any, scheduler: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """20 times as many jobs wait, before J1 and behind it, and nobody counts or reads them all."""
    monkeypatch.setattr(store, "SEARCHED_JOBS", 400)
    few, many = costs(tmp_path, clock, {"scheduler": scheduler, **LIMITS}, LOOKS[look])
    assert many <= few * 3 + 100


def test_finished_jobs_that_their_keys_keep_cost_nothing(tmp_path: Path, clock: ManualClock) -> None:
    """Beyond what is to be kept there are 20 times as many, and no end of a job looks at them again."""
    found = []
    for jobs in (FEW, MANY):
        queue = sqlite_place(tmp_path).open(clock, POLICY, keep_finished=2)
        queue.cancel(queue.submit_once("key", "mail").job_id)
        fill(queue, jobs)
        queue._database.write("UPDATE jobs SET request_key = 'key-' || number, finish_order = number", {})  # type: ignore[attr-defined]
        for _ in range(4):
            queue.submit("mail")
        queue.cancel(f"J{jobs + 2}")
        found.append(steps_of(queue, lambda: queue.cancel(f"J{jobs + 3}")))  # noqa: B023 - called at once
        assert sum(queue.stats().by_status.values()) == jobs + 5
        queue.close()
    assert found[1] <= found[0] + 20


def test_what_only_reads_waits_for_nobody_who_writes(sqlite: Any, clock: Any) -> None:
    """Somebody is in the middle of a transaction: every page is answered, as things were before it."""
    queue, other = (sqlite.open(clock, POLICY, busy_timeout_millis=0) for _ in range(2))
    queue.submit("mail")
    reads = [lambda: queue.view("J1"), queue.stats, queue.list_jobs, lambda: queue.why_not("J1"), queue.paused]
    reads += [queue.dead_letters, lambda: queue.history("J1"), lambda: queue.payload("J1")]
    reads += [lambda: queue.redrives("J1"), lambda: queue.next_up(3), lambda: queue.redrivable(["J1"])]
    before = [read() for read in reads]
    with other._session(CHANGING):
        job = other._store.get("J1")
        other._store.put(job, other._rules.cancelled(job, 0), 0)
        assert [read() for read in reads] == before
        with pytest.raises(StoreError):
            queue.submit("mail")
    assert queue.view("J1").status == "CANCELLED"


def test_who_reads_holds_up_nobody_who_writes(sqlite: Any, clock: Any) -> None:
    """While one is in the middle of reading another one submits."""
    queue, other = (sqlite.open(clock, POLICY, busy_timeout_millis=0) for _ in range(2))
    queue.submit("mail")
    with queue._session(READING):
        assert queue._store.get("J1") is not None
        assert other.submit("mail") == "J2"
        assert queue._store.get("J2") is None, "it sees the store as it was when it began"


def test_a_submit_under_limits_counts_no_jobs(postgres: Place, clock: ManualClock) -> None:
    """What waits is counted as it changes, from the first queue with limits on: no submit reads the jobs."""
    plain = postgres.open(clock, POLICY)
    for tenant in ("a", "b", "b"):
        plain.submit("mail", tenant=tenant)
    queue = postgres.open(clock, POLICY, limits=Limits(max_queued=5, max_queued_per_tenant=3))
    plain.submit("mail", tenant="b")  # one without limits is counted, too
    with pytest.raises(AdmissionError, match="tenant b has 3 jobs waiting, of 3 allowed"):
        queue.submit("mail", tenant="b")
    queue.submit("mail", tenant="a")
    with pytest.raises(AdmissionError, match="the queue has 5 jobs waiting, of 5 allowed"):
        queue.submit("mail", tenant="c")
    lease = polled(queue)
    queue.cancel("J2")
    queue.submit("mail", tenant="c")
    queue.complete(lease.job_id, lease.token)
    queue.prune(keep=0)
    queue.submit("mail", tenant="c")
    with pytest.raises(AdmissionError, match="the queue has 5 jobs waiting, of 5 allowed"):
        queue.submit("mail", tenant="c")
    database: Any = queue._database  # type: ignore[attr-defined]
    text = database.dialect.sql(job_counts.queued(database.dialect))
    database.begin()
    plan = database.read(f"EXPLAIN {text}", {"tenant": ""})
    database.rollback()
    assert "queued_changes" in str(plan)
    assert " on jobs" not in str(plan)
