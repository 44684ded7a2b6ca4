"""Measures what one call takes of its time: what the answer computes, and what it sleeps or waits.

It never counts what the answer waits for a processor: how busy the machine is says nothing about an answer.
"""

import time

SLICE_SECONDS = 0.1
IDLE_SHARE = 0.05  # of a slice: on the busiest machine a program that wants to compute gets more than that
NET = 10.0  # times: so much of the wall clock may go by for each second that is counted


class Stopwatch:
    """Counts the time of one command.

    A slice counts as what the process computed in it. One in which it computed next to nothing counts whole: it
    sleeps, or waits for something. Where the system does not tell what a process computes, all time counts.

    Args:
        pid: The process; None counts all time.
        seconds: The time for the command.
        net_seconds: The time on the wall clock after which there is no more waiting, whatever was counted.
    """

    def __init__(self, pid: int | None, seconds: float, net_seconds: float | None = None) -> None:
        self._clock = None if pid is None else _processor_clock(pid)
        self.seconds, self.counted = seconds, 0.0
        self._wall = time.monotonic()
        self._computed = self._read()
        self._net = self._wall + (seconds * NET if net_seconds is None else net_seconds)

    @property
    def left(self) -> float:
        """What is left of the command's time."""
        return self.seconds - self.counted

    @property
    def starved(self) -> bool:
        """Whether the net was reached."""
        return time.monotonic() >= self._net

    def next_look(self, share: float) -> float:
        """How long to wait until the next look: a slice, or less if that share of the time ends sooner."""
        to_share = self.seconds * share - self.counted
        return min(SLICE_SECONDS, max(to_share if to_share > 0 else self.left, 0.001))

    def count(self, *, waited: bool) -> None:
        """Count what has gone by since the last look; `waited` if all of it was spent without a reply."""
        wall, computed = time.monotonic(), self._read()
        passed = wall - self._wall
        used = passed if computed is None or self._computed is None else computed - self._computed
        self.counted += passed if waited and used < passed * IDLE_SHARE else used
        self.begin_again()

    def begin_again(self) -> None:
        """Leave out what has gone by since the last look: the answer was waiting for the grader."""
        self._wall, self._computed = time.monotonic(), self._read()

    def _read(self) -> float | None:
        """Read what the process has computed so far; of one that has ended, or elsewhere, nothing is known."""
        if self._clock is None:
            return None
        try:
            return time.clock_gettime(self._clock)
        except OSError:
            return None


def _processor_clock(pid: int) -> int | None:
    """Name the clock that counts what a process computes, with all its threads; None if there is none.

    Source: clock_getcpuclockid(3); Linux makes the clock's number from the process's in this way.
    """
    clock = (~pid << 3) | 2
    try:
        time.clock_gettime(clock)
    except (AttributeError, OSError, OverflowError):
        return None
    return clock
