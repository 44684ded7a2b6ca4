"""Whether the queue is well, and if not, what is wrong; and the thread that sweeps it."""

import logging
import threading
from typing import Any

from jobqueue import JobQueueError, TimeSource
from webui.live.snapshots import Snapshots

_logger = logging.getLogger(__name__)

SWEEP_MILLIS = 1000
LONGEST_WITHOUT_SWEEP = 30_000
LARGEST_LAG = 5000
LONGEST_TRANSACTION = 60_000


class Health:
    """Sweeps now and then, and remembers what it found.

    Any call to the queue sweeps, too; this is for the time when nobody calls, so that dead letters and missed
    deadlines are seen when they happen.

    Args:
        queue: any queue.
        snapshots: where its figures are.
        wall: the clock that the queue goes by.
        monotonic: the clock for how long ago something was.
    """

    def __init__(self, queue: Any, snapshots: Snapshots, wall: TimeSource, monotonic: TimeSource) -> None:
        self._queue = queue
        self._snapshots = snapshots
        self._wall = wall
        self._monotonic = monotonic
        self._began_at = monotonic.now()
        self._swept_at: int | None = None
        self._error: str | None = None
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def sweep(self) -> None:
        """Sweep once; what goes wrong is remembered and disturbs nobody."""
        try:
            self._queue.sweep()
        except JobQueueError as error:
            if self._error != str(error):  # once, not each second
                _logger.warning("the sweep failed: %s", error)
            self._error = str(error)
        else:
            self._swept_at, self._error = self._monotonic.now(), None

    def start(self) -> None:
        """Sweep in the background from now on."""
        self._thread = threading.Thread(target=self._run, name="sweeper", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End it, and wait for its end."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join(timeout=10)

    def wait(self, seconds: float) -> bool:
        """Let time pass, and return True as soon as everything is to stop."""
        return self._stopped.wait(seconds)

    def complaints(self) -> list[str]:
        """Return what is wrong, each in one sentence; nothing if all is well."""
        found = []
        since = self._monotonic.now() - (self._began_at if self._swept_at is None else self._swept_at)
        if since >= LONGEST_WITHOUT_SWEEP:
            why = "" if self._error is None else f": {self._error}"
            found.append(f"no sweep for {since // 1000} s{why}")
        try:
            lag = self._snapshots.now().stats.at - self._wall.now()
        except JobQueueError as error:
            return [*found, f"the store does not answer: {error}"]
        if lag > LARGEST_LAG:
            found.append(
                f"the clock went back: the queue's time is {lag} ms ahead of this machine's, and stands still"
            )
        oldest = getattr(self._queue, "oldest_transaction_millis", None)  # where the store knows
        age = oldest() if callable(oldest) else None
        if isinstance(age, int) and age > LONGEST_TRANSACTION:
            found.append(f"a transaction of the store is open since {age // 1000} s")
        return found

    def _run(self) -> None:
        while not self.wait(SWEEP_MILLIS / 1000):
            self.sweep()
