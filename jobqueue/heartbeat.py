"""Keeping leases alive: when each is renewed, and for how long it is sure to be ours.

It counts by durations on the worker's own clock, never by the queue's instants: a lease that was asked for at
some moment lasts at least its length from that moment on, whatever either clock says.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from jobqueue.arguments import check_text, error_text
from jobqueue.clock import TimeSource
from jobqueue.errors import JobQueueError, StoreError
from jobqueue.model import Lease

RENEW_PARTS = 3
"""A lease is renewed each third of its length: two renewals may get lost before it is."""


class Renewing(Protocol):
    """As much of a queue as a heartbeat needs."""

    def renew(self, job_id: str, token: str, lease_millis: int, checkpoint: str | None = None) -> Lease:
        """Extend a lease."""
        ...


@dataclass(slots=True)
class Held:
    """One lease in a worker's hands.

    Args:
        lease: as it was handed out last.
        confirmed_until: until when, on the worker's clock, it is sure to be ours.
        renew_at: when it is renewed next.
    """

    lease: Lease
    confirmed_until: int
    renew_at: int
    is_refused: bool = False
    lock: threading.RLock = field(default_factory=threading.RLock)


class Heartbeat:
    """Renews every lease that is held, when it is time.

    Args:
        queue: a queue, or a client of one.
        lease_millis: how long a lease is asked to last from each renewal.
        margin_millis: how long before its end a lease is given up for lost.
        time: the worker's clock.
        tell: hears "renewed" and "refused", with the lease and words.

    Attributes:
        denied: how the last request was refused for our credentials; None if it was not.
    """

    def __init__(
        self,
        queue: Renewing,
        lease_millis: int,
        margin_millis: int,
        time: TimeSource,
        tell: Callable[[str, Lease, str], None],
    ) -> None:
        self._queue = queue
        self._lease_millis = lease_millis
        self._margin_millis = margin_millis
        self._time = time
        self._tell = tell
        self._lock = threading.Lock()
        self._held: dict[str, Held] = {}
        self.denied: PermissionError | None = None

    def hold(self, lease: Lease, asked_at: int) -> Held:
        """Begin to keep a lease alive that was asked for at `asked_at`."""
        held = Held(lease, asked_at + self._lease_millis, asked_at + self._lease_millis // RENEW_PARTS)
        with self._lock:
            self._held[lease.job_id] = held
        return held

    def drop(self, held: Held) -> None:
        """Let a lease be: it has been reported, given back, or lost."""
        with self._lock:
            self._held.pop(held.lease.job_id, None)

    def is_lost(self, held: Held) -> bool:
        """Return whether a lease may no longer be ours, so that nothing more may be done in its name."""
        # Asked of the clock and not of whoever renews: that one may hang in a request that never ends.
        return held.is_refused or self._time.now() >= held.confirmed_until - self._margin_millis

    def beat(self) -> int:
        """Renew what is due, and return after how many milliseconds to come again."""
        with self._lock:
            every = list(self._held.values())
        for held in every:
            with held.lock:
                if not held.is_refused and self._time.now() >= held.renew_at:
                    self.renew(held)
        coming = [held.renew_at for held in every if not held.is_refused]
        third = max(1, self._lease_millis // RENEW_PARTS)
        return max(1, min(coming, default=self._time.now() + third) - self._time.now())

    def renew(self, held: Held, checkpoint: str | None = None) -> bool:
        """Renew one lease now; return False if it could not be done."""
        with held.lock:
            if self.is_lost(held):
                return False
            asked_at, before = self._time.now(), held.lease
            third = max(1, self._lease_millis // RENEW_PARTS)
            try:
                # Left out where there is none: the queue of a learner may not know checkpoints.
                more = () if checkpoint is None else (checkpoint,)
                held.lease = self._queue.renew(before.job_id, before.token, self._lease_millis, *more)
            except (StoreError, PermissionError) as error:
                # Neither is a refusal of this lease, so it is tried again for as long as the lease lasts.
                held.renew_at = asked_at + max(1, third // RENEW_PARTS)
                self.unanswered(before, error)
                return False
            except JobQueueError as error:
                held.is_refused = True
                self._tell("refused", before, str(error))
                return False
            self.denied = None
            # Where the longest run caps a lease, it grows by less than was asked for.
            grown = held.confirmed_until + held.lease.lease_until - before.lease_until
            held.confirmed_until = max(held.confirmed_until, min(asked_at + self._lease_millis, grown))
            held.renew_at = asked_at + third
            self._tell("renewed", held.lease, "")
            return True

    def keep(self, held: Held, checkpoint: str) -> bool:
        """Renew one lease now and store a checkpoint with it; return False, and never raise, if that failed."""
        try:
            return self.renew(held, check_text("checkpoint", checkpoint))
        except Exception as error:  # it is called inside a handler, whose work must not end because of it
            self._tell("checkpoint not kept", held.lease, error_text(error))
            return False

    def unanswered(self, lease: Lease, error: StoreError | PermissionError) -> None:
        """Note that a request for a lease got no answer, or one that only refuses our credentials."""
        self.denied = error if isinstance(error, PermissionError) else None
        self._tell("unanswered", lease, str(error))
