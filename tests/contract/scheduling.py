"""How tests of scheduling make queues, fill them, and read who came in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jobqueue import JobQueue, RetryPolicy, WeightedBands

if TYPE_CHECKING:
    from collections.abc import Callable

PRIORITIES = {"H": 1, "N": 0, "L": -1}


def banded(make_queue: Callable[..., JobQueue], clock: Any, scheduler: Any = None, **options: Any) -> JobQueue:
    """Return a queue with weighted bands, the default ones unless told otherwise, and retries at once."""
    return make_queue(clock, RetryPolicy(20, 0, 0), scheduler=scheduler or WeightedBands(), **options)


def fill(queue: JobQueue, **jobs: int) -> None:
    """Submit so many jobs to each band."""
    for band, number in jobs.items():
        for _ in range(number):
            queue.submit("mail", priority=PRIORITIES[band])


def fill_tenants(queue: JobQueue, **jobs: int) -> None:
    """Submit so many jobs for each tenant."""
    for tenant, number in jobs.items():
        for _ in range(number):
            queue.submit("mail", tenant=tenant)


def bands_served(queue: JobQueue, polls: int, **options: Any) -> str:
    """Poll so often and return the bands of what was handed out, by the jobs' own priorities."""
    letters = {priority: band for band, priority in PRIORITIES.items()}
    leases = [queue.poll("w", 1_000_000, **options) for _ in range(polls)]
    return "".join(letters[queue.view(lease.job_id).priority] for lease in leases if lease)


def tenants_served(queue: JobQueue, polls: int, **options: Any) -> str:
    """Poll so often and return the tenants of what was handed out."""
    leases = [queue.poll("w", 1_000_000, **options) for _ in range(polls)]
    return " ".join(lease.tenant for lease in leases if lease)
