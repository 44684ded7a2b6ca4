"""What lies in a store and what it costs: `python tests/benchmarks/store_cost.py [sqlite] [postgres]`.

Prints how the cost of a claim, of the figures, of a list and of opening grows, with 100,000 jobs that are due
later and 1,000,000 that have finished: as ratios to an empty store, which mean something on a noisy machine.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jobqueue import JobQueue, ManualClock, RetryPolicy, WeightedBands

sys.path.insert(0, str(Path(__file__).parents[2]))
from tests.databases import PLACES, Place

FUTURE, FINISHED = 100_000, 1_000_000
CYCLES = 300

_FILL = {
    "sqlite": "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {count})",
    "postgres": "WITH numbers(n) AS (SELECT generate_series(1, {count}))",
}
_JOBS = """
    INSERT INTO jobs (
        type, priority, tenant, cost, submitted_at, run_at, status, attempts, generation, era, worker_id,
        started_at, lease_until, ended_at, outcome, finished_at, pending_since, is_ready, is_retry, rank0,
        rank1, rank2, due_at, finish_order, payload)
    {numbers}
    SELECT 'mail', n % 3 - 1, 'tenant-' || (n % 100), 1, 0, {run_at}, '{status}', {tried}, {tried}, 0,
        {worker}, {instant}, {instant}, {instant}, {outcome}, {instant}, 0, 0, 0, 0, 0, 0, {due_at}, {order},
        'text'
    FROM numbers
"""
_FUTURE = {"run_at": 10**15, "status": "PENDING", "tried": 0, "worker": "NULL", "instant": "NULL"}
_FUTURE |= {"outcome": "NULL", "due_at": 10**15, "order": "NULL"}
_FINISHED = {"run_at": 0, "status": "SUCCEEDED", "tried": 1, "worker": "'w'", "instant": 0}
_FINISHED |= {"outcome": "'succeeded'", "due_at": "NULL", "order": "n"}
_ATTEMPTS = """
    INSERT INTO attempts SELECT number, 1, 1, 'w', 0, 0, 'succeeded', NULL, 0 FROM jobs
    WHERE status = 'SUCCEEDED' ON CONFLICT DO NOTHING
"""


def fill(queue: Any, kind: str) -> None:
    """Put the jobs in that are not ready: later ones and finished ones, with their attempts."""
    database = queue._database
    database.begin()
    for count, values in ((FUTURE, _FUTURE), (FINISHED, _FINISHED)):
        database.write(_JOBS.format(numbers=_FILL[kind].format(count=count), **values), {})
    database.write(_ATTEMPTS, {})
    database.commit()
    if kind == "postgres":
        database.write("VACUUM ANALYZE", {})


def median_millis(call: Callable[[], object], times: int) -> float:
    """Return the median duration of a call."""
    spent = []
    for _ in range(times):
        begin = time.perf_counter()
        call()
        spent.append(time.perf_counter() - begin)
    return statistics.median(spent) * 1000


def measured(place: Place, queues: dict[str, JobQueue]) -> dict[str, float]:
    """Return the median cost in milliseconds of each thing that is done to a store."""

    def cycle(queue: JobQueue) -> None:
        queue.submit("mail")
        lease = queue.poll("w", 60_000)
        assert lease is not None
        queue.complete(lease.job_id, lease.token)

    found = {
        f"submit, poll, complete ({name})": median_millis(lambda queue=queue: cycle(queue), CYCLES)  # type: ignore[misc]
        for name, queue in queues.items()
    }
    queue = queues["strict"]
    found["stats"] = median_millis(queue.stats, 5)
    found["newest page"] = median_millis(queue.list_jobs, 20)
    after = f"J{queue._store.last_number // 2}"
    found["page half-way"] = median_millis(lambda: queue.list_jobs(after=after), 20)
    found["page of a tenant and state"] = median_millis(
        lambda: queue.list_jobs(tenant="tenant-7", status="SUCCEEDED"), 20
    )
    found["search by id"] = median_millis(lambda: queue.list_jobs(q=after), 20)
    found["opening"] = median_millis(lambda: place.open(ManualClock(), RetryPolicy(3, 1000, 60_000)), 3)
    return found


def compare(kind: str, folder: Path) -> None:
    """Print each cost in a full store beside that in an empty one."""
    place = PLACES[kind](folder)
    rules = RetryPolicy(3, 1000, 60_000)
    queues = {
        "strict": place.open(ManualClock(), rules),
        "bands and tenants": place.open(ManualClock(), rules, scheduler=WeightedBands()),
    }
    empty = measured(place, queues)
    begin = time.perf_counter()
    fill(queues["strict"], kind)
    spent = time.perf_counter() - begin
    print(f"{kind}: {FUTURE:,} later and {FINISHED:,} finished jobs, filled in {spent:.0f} s")
    for name, millis in measured(place, queues).items():
        print(f"  {name:<42} {millis:9.2f} ms, {millis / empty[name]:7.2f} times that of an empty store")
    place.close()


def main() -> None:
    """Compare for each kind that was named, or all."""
    for kind in sys.argv[1:] or PLACES:
        with tempfile.TemporaryDirectory() as folder:
            compare(kind, Path(folder))


if __name__ == "__main__":
    main()
