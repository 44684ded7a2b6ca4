"""What workers ask for: claim, renew, and report."""

import json
from contextlib import suppress

from flask import Response

from jobqueue import JobQueueError, JobStatus, Lease, StaleTokenError
from jobqueue.wire import LARGEST_ANSWER
from webui.api.calls import Call, answer
from webui.api.records import Claimed, Completed, JobAnswer, handed_out
from webui.auth import hash_of

_LONGEST_ESCAPE = 6
_ENOUGH_CHARACTERS = 1024 * 1024
"""A claim hands out no further job once it has so many characters of payload."""
_LARGEST_LEASE = LARGEST_ANSWER - (_ENOUGH_CHARACTERS + 200_000) * _LONGEST_ESCAPE
"""The last job of a claim has this room left, beside the others and the names of all."""


def claim(call: Call) -> Response:
    """Hand out up to `limit` jobs of the tenants that the token covers, in the scheduler's order."""
    asked = call.asked
    call.service.workers.saw(asked["workerId"], polls=True)
    leases = call.queue.poll_many(
        asked["workerId"],
        asked["leaseMillis"],
        asked["limit"],
        types=asked["capabilities"],
        enough_characters=_ENOUGH_CHARACTERS,
        # Left out where it is for all, so that any queue will do.
        **({} if call.grant.tenants is None else {"tenants": call.grant.tenants}),
    )
    return answer(Claimed([handed_out(lease) for lease in leases if _fits(call, lease)]))


def _fits(call: Call, lease: Lease) -> bool:
    """Return whether an answer has room for a job; one that never fits fails at once, with the reason.

    Else each claim would cost it an attempt, and no handler would ever see it.
    """
    size = len(lease.payload) + len(lease.checkpoint or "")
    if size * _LONGEST_ESCAPE <= _LARGEST_LEASE:
        return True
    size = len(json.dumps([lease.payload, lease.checkpoint], ensure_ascii=False).encode())
    if size <= _LARGEST_LEASE:
        return True
    with suppress(JobQueueError):  # its lease may be over already; then the next claim says so
        call.queue.fail(
            lease.job_id,
            lease.token,
            f"payload and checkpoint have {size} bytes as JSON, the API hands out at most {_LARGEST_LEASE}: "
            "redrive it for a worker that opens the queue itself, or submit a payloadRef instead",
            permanent=True,
        )
    return False


def renew(call: Call) -> Response:
    """Extend a lease."""
    job_id, token = _held(call)
    lease = call.queue.renew(job_id, token, call.asked["leaseMillis"], call.asked["checkpoint"])
    call.service.workers.saw(lease.worker_id)
    return answer(handed_out(lease))


def complete(call: Call) -> Response:
    """End a job well; the same report again, because the answer was lost, is no error."""
    job_id, token = _held(call)
    generation, result = call.asked["generation"], call.asked["result"]
    try:
        call.queue.complete(job_id, token, result)
    except StaleTokenError:
        if _was_completed_so(call, job_id, generation, result):
            return answer(Completed(job_id, replayed=True))
        raise
    return answer(Completed(job_id, replayed=False))


def _was_completed_so(call: Call, job_id: str, generation: int, result: str | None) -> bool:
    """Return whether this very report was accepted before.

    A job that succeeded is never handed out again, so its generation is the one that completed it.
    """
    job = call.queue.view(job_id)
    if job.status is not JobStatus.SUCCEEDED or job.generation != generation:
        return False
    if job.result is None or result is None:
        return job.result is result
    return hash_of(job.result) == hash_of(result)


def fail(call: Call) -> Response:
    """End an attempt badly: the job is retried after its backoff, or becomes a dead letter."""
    job_id, token = _held(call)
    call.queue.fail(job_id, token, call.asked["error"], permanent=call.asked["permanent"])
    return answer(JobAnswer(call.queue.view(job_id)))


def release(call: Call) -> Response:
    """Give back a job that was not started."""
    job_id, token = _held(call)
    call.queue.release(job_id, token)
    return answer(JobAnswer(call.queue.view(job_id)))


def _held(call: Call) -> tuple[str, str]:
    """Return the job of the address, and the token that its generation makes."""
    job_id = call.job_id()
    return job_id, f"{job_id}:{call.asked['generation']}"
