"""Another right answer: three plain sorts, one after the other, the least important first.

Python's sort keeps the order of what is equal, so each sort leaves the one before it as the tie-breaker.
"""


class WaitingRoom:
    """A dictionary of those who wait."""

    def __init__(self) -> None:
        self._count = 0
        self._waiting: dict[int, tuple[int, int]] = {}
        self._taken: dict[int, int] = {}

    def submit(self, priority: int = 0, run_at: int = 0) -> str:
        """Take a new job in."""
        self._count += 1
        self._waiting[self._count] = (priority, run_at)
        return "J" + str(self._count)

    def best(self, now: int) -> str | None:
        """Sort, and look who stands first."""
        numbers = sorted(self._waiting)
        numbers.sort(key=self._run_at)
        numbers.sort(key=self._priority, reverse=True)
        for number in numbers:
            if not self._run_at(number) > now:
                return "J" + str(number)
        return None

    def take(self, now: int) -> str | None:
        """Strike the best job off the list."""
        name = self.best(now)
        if name:
            number = int(name[1:])
            self._taken[number] = self._waiting.pop(number)[0]
        return name

    def give_back(self, job_id: str, run_at: int) -> None:
        """Put a job back on the list."""
        number = int(job_id[1:])
        self._waiting[number] = (self._taken.pop(number), run_at)

    def _priority(self, number: int) -> int:
        return self._waiting[number][0]

    def _run_at(self, number: int) -> int:
        return self._waiting[number][1]
