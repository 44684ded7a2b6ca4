"""Another right answer: a heap of jobs whose time is to come, and a heap of those that are ready.

Time may go back and forth between calls, so a job moves from one heap to the other whenever somebody asks.
"""

from heapq import heapify, heappop, heappush


class WaitingRoom:
    """Two heaps."""

    def __init__(self) -> None:
        self._priorities: list[int] = []
        self._later: list[tuple[int, int]] = []
        self._ready: list[tuple[int, int, int]] = []

    def submit(self, priority: int = 0, run_at: int = 0) -> str:
        """Take a new job in."""
        self._priorities.append(priority)
        number = len(self._priorities)
        heappush(self._later, (run_at, number))
        return f"J{number}"

    def best(self, now: int) -> str | None:
        """Look at the top of the heap of ready jobs."""
        self._move(now)
        return f"J{self._ready[0][2]}" if self._ready else None

    def take(self, now: int) -> str | None:
        """Take the top of the heap of ready jobs."""
        self._move(now)
        return f"J{heappop(self._ready)[2]}" if self._ready else None

    def give_back(self, job_id: str, run_at: int) -> None:
        """Let a job wait again."""
        heappush(self._later, (run_at, int(job_id.removeprefix("J"))))

    def _move(self, now: int) -> None:
        early = [entry for entry in self._ready if entry[1] > now]
        if early:
            self._ready = [entry for entry in self._ready if entry[1] <= now]
            heapify(self._ready)
        for _, run_at, number in early:
            heappush(self._later, (run_at, number))
        while self._later and self._later[0][0] <= now:
            run_at, number = heappop(self._later)
            heappush(self._ready, (-self._priorities[number - 1], run_at, number))
