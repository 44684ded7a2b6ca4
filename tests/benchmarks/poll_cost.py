"""How the cost of a poll grows with the number of jobs: `python tests/benchmarks/poll_cost.py`.

Prints ratios within one run, which mean something on a noisy machine; absolute times would not.
"""

import time

from jobqueue import JobQueue, ManualClock, RetryPolicy

SIZES = (1_000, 10_000, 100_000)
CYCLES = 5_000
ROUNDS = 5


def seconds_of_cycles(ready: int) -> float:
    """Return the best time of `CYCLES` x (poll, complete, submit) while `ready` jobs are waiting."""
    queue = JobQueue(ManualClock(), RetryPolicy(3, 1000, 60_000), keep_finished=100)
    for number in range(ready):
        queue.submit("mail", priority=number % 7)
    best = float("inf")
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        for _ in range(CYCLES):
            lease = queue.poll("worker", 30_000)
            assert lease is not None
            queue.complete(lease.job_id, lease.token)
            queue.submit("mail")
        best = min(best, time.perf_counter() - begin)
    return best


def main() -> None:
    """Print one line for each size, with its ratio to the smallest."""
    base = None
    for size in SIZES:
        spent = seconds_of_cycles(size)
        base = base or spent
        micros = spent / CYCLES * 1e6
        print(f"{size:>7,} ready jobs: {micros:6.1f} µs a cycle, {spent / base:4.2f} times the smallest")


if __name__ == "__main__":
    main()
