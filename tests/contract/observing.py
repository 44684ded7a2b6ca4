"""What an outsider can see of a queue, and a way to bring a job into any state."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from jobqueue import JobQueue, JobQueueError, Lease, RetryPolicy, UnknownJobError


def seen(queue: JobQueue, job_id: str) -> tuple[Any, ...] | None:
    """Return view, payload and history of a job, or None when the queue does not know it."""
    try:
        return queue.view(job_id), queue.payload(job_id), queue.history(job_id)
    except UnknownJobError:
        return None


def everything(queue: JobQueue, submitted: int) -> dict[str, Any]:
    """Return all that can be seen of the first `submitted` jobs, and the dead letters."""
    state: dict[str, Any] = {f"J{n}": seen(queue, f"J{n}") for n in range(1, submitted + 1)}
    state["dead letters"] = queue.dead_letters()
    return state


def outcome(call: Any, *args: Any, **options: Any) -> Any:
    """Return what the call returned, or the error that it was refused with."""
    try:
        return call(*args, **options)
    except (JobQueueError, TypeError, ValueError) as refusal:
        return refusal


def polled(queue: JobQueue, worker_id: str = "w", lease_millis: int = 1000) -> Lease:
    """Poll a queue that must have a ready job."""
    lease = queue.poll(worker_id, lease_millis)
    assert lease is not None, "a job should have been ready"
    return lease


def submit_as(queue: JobQueue, status: str) -> str:
    """Submit a job and bring it to `status` at this instant; DEAD needs a queue with one attempt per job.

    Nothing else may be ready, or the poll would take that.
    """
    job_id = queue.submit("mail")
    if status == "CANCELLED":
        queue.cancel(job_id)
    elif status != "PENDING":
        token = polled(queue, lease_millis=1_000_000).token
        if status == "SUCCEEDED":
            queue.complete(job_id, token)
        elif status == "DEAD":
            queue.fail(job_id, token, "boom")
    assert queue.view(job_id).status == status
    return job_id


def use_policy(queue: JobQueue, policy: RetryPolicy) -> None:
    """Let a queue go on with another policy, and its replay too: as if it had been opened anew with that."""
    queue._rules.retry = replace(queue._rules.retry, policy=policy)
    queue._options = replace(queue._options, policy=policy)


def polled_ids(queue: JobQueue, limit: int = 1000) -> list[str]:
    """Poll until nothing is ready, at most `limit` times, and return the ids in the order of hand-out."""
    ids: list[str] = []
    while len(ids) < limit and (lease := queue.poll("w", 1_000_000)) is not None:
        ids.append(lease.job_id)
    return ids
