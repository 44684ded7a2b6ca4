"""The clocks: where "now" comes from.

Instants are integer milliseconds. Nothing else in the library asks the computer for the time, so a test or a
lesson that hands in a `ManualClock` decides every instant itself.
"""

import threading
import time
from typing import Protocol

from jobqueue.arguments import check_integer

_NANOS_PER_MILLI = 1_000_000


class TimeSource(Protocol):
    """Anything that can tell the present instant; it is asked inside the queue's lock, so it calls no queue."""

    def now(self) -> int:
        """Return the present instant in milliseconds."""
        ...


class ManualClock:
    """A clock that stands still until somebody moves it, and never goes back.

    >>> clock = ManualClock()
    >>> clock.advance(1500)
    >>> clock.now()
    1500
    """

    def __init__(self, start: int = 0) -> None:
        self._now = check_integer("start", start)
        # Two threads that advance at once must both count: read-add-write is three steps.
        self._lock = threading.Lock()

    def now(self) -> int:
        """Return the instant at which the clock stands, in milliseconds."""
        return self._now

    def advance(self, millis: int) -> None:
        """Move the clock forward by `millis`; a negative step is a `ValueError`."""
        step = check_integer("millis", millis)
        if step < 0:
            raise ValueError(f"millis: a clock does not go back, and {step} is less than 0")
        with self._lock:
            self._now = check_integer("instant", self._now + step)

    def advance_to(self, instant: int) -> None:
        """Move the clock forward to `instant`; an earlier one is a `ValueError`."""
        target = check_integer("instant", instant)
        with self._lock:
            if target < self._now:
                raise ValueError(f"instant: a clock does not go back from {self._now} to {target}")
            self._now = target

    def __repr__(self) -> str:
        return f"ManualClock({self._now})"


class SystemClock:
    """The computer's clock: milliseconds since 1970-01-01T00:00Z."""

    def now(self) -> int:
        """Return the wall time in milliseconds since the epoch."""
        return time.time_ns() // _NANOS_PER_MILLI

    def __repr__(self) -> str:
        return "SystemClock()"


class MonotonicClock:
    """Milliseconds since some instant in the past: it tells how long something took, and is never set back."""

    def now(self) -> int:
        """Return the milliseconds passed."""
        return time.monotonic_ns() // _NANOS_PER_MILLI

    def __repr__(self) -> str:
        return "MonotonicClock()"
