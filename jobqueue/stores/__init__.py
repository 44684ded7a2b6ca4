"""Opening a queue by its address: where its jobs are kept."""

from typing import Any

from jobqueue.clock import TimeSource
from jobqueue.queue import JobQueue
from jobqueue.retry import RetryPolicy


def open_queue(url: str, time: TimeSource, policy: RetryPolicy, **options: Any) -> JobQueue:
    """Return the queue at an address.

    Args:
        url: "memory:" for a queue that ends with the program.
        time: where "now" comes from.
        policy: how often a job is attempted, and how long it rests in between.
        options: as for `JobQueue`.
    """
    if url != "memory:":
        raise ValueError(f"url: {url[:80]!a} is not understood, expected 'memory:'")
    return JobQueue(time, policy, **options)
