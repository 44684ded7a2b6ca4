"""Workers that behave badly on purpose, so that one can watch what the queue makes of it."""

import os
from collections.abc import Callable, Mapping
from threading import Event
from typing import Any

from jobqueue import JobQueueError, StoreError
from jobqueue.worker import Context, Handler

BEHAVIOURS = ("crash", "freeze", "slow", "flaky")
SLOW_LEASES = 2
"""A slow job takes so many leases, a frozen worker sleeps so many and a half."""
FLAKY_EVERY = 3

Say = Callable[[str], None]


def misbehaving(
    behaviour: str | None, handlers: Mapping[str, Handler], queue: Any, lease_millis: int, say: Say
) -> tuple[dict[str, Handler], Any]:
    """Return handlers and queue of a worker that behaves in a way; None for one that does all right.

    Args:
        behaviour: crash (dies in the first job), freeze (sleeps through its lease, then reports all the same),
            slow (takes longer than its lease, and renews it), flaky (fails each third job).
        handlers: what is to be done.
        queue: where from.
        lease_millis: how long a lease lasts.
        say: prints a line.
    """
    match behaviour:
        case "crash":
            return {name: _crashing(say) for name in handlers}, queue
        case "freeze":
            frozen = _Frozen(queue)
            return {name: _freezing(one, queue, lease_millis, say) for name, one in handlers.items()}, frozen
        case "slow":
            return {name: _slow(one, lease_millis * SLOW_LEASES) for name, one in handlers.items()}, queue
        case "flaky":
            count = iter(range(1, 10**9))
            return {name: _flaky(one, count) for name, one in handlers.items()}, queue
    return dict(handlers), queue


def _crashing(say: Say) -> Handler:
    def handler(context: Context) -> str | None:
        say(f"{context.lease.job_id} crash: this process ends now, without a word to the queue")
        os._exit(1)

    return handler


def _freezing(inner: Handler, queue: Any, lease_millis: int, say: Say) -> Handler:
    """Return a handler that does what no worker should: report although its lease is long over."""

    def handler(context: Context) -> str | None:
        lease = context.lease
        say(f"{lease.job_id} freeze: no renewal from here on; the lease will run out")
        _sleep(lease_millis * SLOW_LEASES + lease_millis // 2)
        say(f"{lease.job_id} awake again, and believes that the job is still its own")
        result = inner(context)
        try:
            queue.complete(lease.job_id, lease.token, result)
            say(f"{lease.job_id} done")
        except JobQueueError as refusal:
            say(f"{lease.job_id} refused: {refusal}")
        return result

    return handler


def paced(inner: Handler, millis: int) -> Handler:
    """Return a handler that takes so long at least."""
    return _slow(inner, millis) if millis > 0 else inner


def _slow(inner: Handler, millis: int) -> Handler:
    def handler(context: Context) -> str | None:
        if context.wait(millis):
            raise InterruptedError("told to stop")
        return inner(context)

    return handler


def _flaky(inner: Handler, count: Any) -> Handler:
    def handler(context: Context) -> str | None:
        if next(count) % FLAKY_EVERY == 0:
            raise ConnectionError("the line went dead")
        return inner(context)

    return handler


def _sleep(millis: int) -> None:
    Event().wait(millis / 1000)  # and not the worker's own: who is frozen does not hear that it should stop


class _Frozen:
    """The queue as a frozen worker uses it: its renewals are not sent."""

    def __init__(self, queue: Any) -> None:
        self._queue = queue

    def __getattr__(self, name: str) -> Any:
        return getattr(self._queue, name)

    def renew(self, job_id: str, token: str, *_: Any) -> Any:
        """Pretend that a renewal was lost on the way."""
        raise StoreError(f"{job_id}: frozen, so {token} is not renewed")
