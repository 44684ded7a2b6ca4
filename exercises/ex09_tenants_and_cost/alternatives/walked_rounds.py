"""Another right answer: whole rounds in which nobody can pay are given to all at once, the last is walked."""

from bisect import bisect_right
from collections import Counter, deque


class Lane:
    """One tenant in one band."""

    def __init__(self) -> None:
        self.jobs: deque[tuple[int, int]] = deque()
        self.credit = 0

    @property
    def lacks(self) -> int:
        """What its next job costs more than it has."""
        return self.jobs[0][1] - self.credit


class TenantQueue:
    """A ring of tenants for each band."""

    def __init__(self, quantum: int = 0, max_running: int = 0) -> None:
        self._quantum, self._limit = quantum, max_running
        self._owners: list[str] = []
        self._bands: dict[str, dict[str, Lane]] = {}
        self._served: dict[str, str | None] = {}
        self._busy: Counter[str] = Counter()

    def submit(self, tenant: str, cost: int = 1, band: str = "N") -> str:
        """Take a new job in."""
        self._owners.append(tenant)
        lanes = self._bands.setdefault(band, {})
        lanes.setdefault(tenant, Lane()).jobs.append((len(self._owners), cost))
        return f"J{len(self._owners)}"

    def poll(self, band: str = "N") -> str | None:
        """Find whose turn it is, and serve."""
        lanes = self._bands.get(band, {})
        names = sorted(name for name in lanes if lanes[name].jobs and not self._is_full(name))
        if not names:
            return None
        if self._quantum == 0:
            name = self._next(band, names)
        else:
            name = self._paying(band, names, lanes)
            lanes[name].credit -= lanes[name].jobs[0][1]
        self._served[band] = name
        self._busy[name] += 1
        number = lanes[name].jobs.popleft()[0]
        if not lanes[name].jobs:
            lanes[name].credit = 0
        return f"J{number}"

    def complete(self, job_id: str) -> None:
        """One less is busy."""
        self._busy[self._owners[int(job_id[1:]) - 1]] -= 1

    def poll_many(self, limit: int, band: str = "N") -> list[str]:
        """Poll, and leave out what was nothing."""
        polled = [self.poll(band) for _ in range(limit)]
        return [job_id for job_id in polled if job_id is not None]

    def _is_full(self, name: str) -> bool:
        return 0 < self._limit <= self._busy[name]

    def _next(self, band: str, names: list[str]) -> str:
        last = self._served.get(band)
        return names[0 if last is None else bisect_right(names, last) % len(names)]

    def _paying(self, band: str, names: list[str], lanes: dict[str, Lane]) -> str:
        last = self._served.get(band)
        if last in names and lanes[last].lacks <= 0:
            return last
        # So many rounds surely pass before the first can pay; for the nearest one, one turn is left over.
        whole = min((lanes[name].lacks - 1) // self._quantum for name in names)
        for name in names if whole > 0 else ():
            lanes[name].credit += whole * self._quantum
        while True:
            self._served[band] = name = self._next(band, names)
            lanes[name].credit += self._quantum
            if lanes[name].lacks <= 0:
                return name
