"""What choosing the next job costs, whatever waits: `python tests/benchmarks/selection_cost.py [old checkout]`.

100,000 ready jobs of 10,000 tenants under each scheduler and each way of being kept back, as ratios to a poll
under strict priority in the same run; absolute times would mean little on a noisy machine. Given the folder of
an older checkout, it also compares a submit-poll-complete cycle of a queue with default options with its own.
"""

import importlib
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from types import ModuleType

from jobqueue import (
    DeficitRoundRobin,
    JobQueue,
    Limits,
    ManualClock,
    RetryBudget,
    RetryPolicy,
    WeightedBands,
)

JOBS, TENANTS, TYPES, SLOW_COSTS = 100_000, 10_000, 5, 997
POLLS, ROUNDS, CYCLES = 1000, 3, 500
POLICY = RetryPolicy(3, 1000, 60_000)
ALLOWED = 3.0


def filled(*, costs: int = 1, **options: object) -> JobQueue:
    """Return a queue in which all jobs are ready; their costs go up to `costs`."""
    queue = JobQueue(ManualClock(), POLICY, **options)  # type: ignore[arg-type]
    for number in range(JOBS):
        queue.submit(
            f"type {number % TYPES}",
            priority=number % 3 - 1,
            tenant=f"tenant {number * 7919 % TENANTS}",
            cost=number * 31 % costs + 1,
        )
    return queue


def seconds_a_poll(queue: JobQueue, **options: object) -> float:
    """Return what a poll takes, as the best of some rounds of many, whether it finds a job or not."""
    best = float("inf")
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        for _ in range(POLLS):
            queue.poll("worker", 1_000_000_000, **options)  # type: ignore[arg-type]
        best = min(best, time.perf_counter() - begin)
    return best / POLLS


def all_paused() -> JobQueue:
    """Return a queue where no type may be handed out."""
    queue = filled(scheduler=WeightedBands())
    for number in range(TYPES):
        queue.pause(f"type {number}")
    return queue


def tenants_at_their_limit() -> JobQueue:
    """Return a queue where each tenant has as much running as it may."""
    queue = filled(scheduler=WeightedBands(), limits=Limits(max_running_per_tenant=1))
    assert len(queue.poll_many("worker", 1_000_000_000, JOBS)) == TENANTS
    return queue


def bands_at_their_limit() -> JobQueue:
    """Return a queue where each band has as much running as it may."""
    none = {"H": 0, "N": 0, "L": 0}
    return filled(scheduler=WeightedBands(), limits=Limits(max_running_per_band=none))


def deficit(costs: int, quantum: int) -> JobQueue:
    """Return a queue that shares by cost."""
    return filled(costs=costs, scheduler=WeightedBands(tenants=DeficitRoundRobin(quantum=quantum)))


def everything() -> JobQueue:
    """Return a queue with all options on."""
    bands = WeightedBands(tenants=DeficitRoundRobin(quantum=10), aging_millis=60_000)
    return filled(
        costs=10, scheduler=bands, limits=Limits(max_running_per_tenant=50), retry_budget=RetryBudget()
    )


def cases() -> Iterator[tuple[str, Callable[[], JobQueue], dict[str, object]]]:
    """Yield what is measured: a name, how the queue is made, and how it is polled."""
    one_type = {"types": ["type 3"]}
    yield "strict, filtered by type", filled, one_type  # type: ignore[misc]
    yield "bands, round robin", lambda: filled(scheduler=WeightedBands()), {}
    yield "bands, filtered by type", lambda: filled(scheduler=WeightedBands()), one_type  # type: ignore[misc]
    yield "bands, a type of which there is none", lambda: filled(scheduler=WeightedBands()), {"types": ["none"]}
    yield "bands, every type paused", all_paused, {}
    yield "bands, every tenant at its limit", tenants_at_their_limit, {}
    yield "bands, every band at its limit", bands_at_their_limit, {}
    yield "deficit, costs below the quantum", lambda: deficit(10, 10), {}
    yield "deficit, costs 100 times the quantum", lambda: deficit(SLOW_COSTS, 10), {}
    yield "deficit, costs up to 1,000,000", lambda: deficit(1_000_000, 10), {}
    yield "all options on", everything, {}


def package_in(checkout: Path) -> ModuleType:
    """Return the package as it is in a folder, beside the one that is imported already."""
    mine = {name: module for name, module in sys.modules.items() if name.split(".")[0] == "jobqueue"}
    for name in mine:
        del sys.modules[name]
    sys.path.insert(0, str(checkout))
    try:
        found = importlib.import_module("jobqueue")
    finally:
        sys.path.pop(0)
        for name in [name for name in sys.modules if name.split(".")[0] == "jobqueue"]:
            del sys.modules[name]
        sys.modules.update(mine)
    assert Path(str(found.__file__)).is_relative_to(checkout.resolve()), f"there is no jobqueue in {checkout}"
    return found


def seconds_a_batch(queue: JobQueue) -> float:
    """Return the processor's time for some cycles of submit, poll and complete."""
    begin = time.process_time()
    for _ in range(CYCLES):
        queue.submit("mail")
        lease = queue.poll("worker", 30_000)
        assert lease is not None
        queue.complete(lease.job_id, lease.token)
    return time.process_time() - begin


def cycle_ratio(old: ModuleType, **options: object) -> float:
    """Return the cost of a cycle with default options to that of an older package: the median of many pairs.

    Both in one process, one batch of each in turn, so that what else the machine does disturbs both alike.
    """
    ratios = []
    for _ in range(8):
        new_queue = JobQueue(ManualClock(), POLICY, **options)  # type: ignore[arg-type]
        old_queue = old.JobQueue(old.ManualClock(), old.RetryPolicy(3, 1000, 60_000), **options)
        ratios += [seconds_a_batch(new_queue) / seconds_a_batch(old_queue) for _ in range(25)]
    return median(ratios)


def main() -> None:
    """Print one line for each case."""
    strict = seconds_a_poll(filled())
    print(f"{strict * 1e6:7.1f} µs  1.00  strict: {JOBS:,} ready jobs of {TENANTS:,} tenants")
    for name, make, options in cases():
        spent = seconds_a_poll(make(), **options)
        print(f"{spent * 1e6:7.1f} µs  {spent / strict:4.2f}  {name}{' (!)' * (spent > ALLOWED * strict)}")
    if len(sys.argv) > 1:
        old = package_in(Path(sys.argv[1]).resolve())
        print(f"{cycle_ratio(old):4.2f} times the older cycle with default options")
        print(f"{cycle_ratio(old, keep_finished=100):4.2f} times the older cycle with keep_finished=100")


if __name__ == "__main__":
    main()
