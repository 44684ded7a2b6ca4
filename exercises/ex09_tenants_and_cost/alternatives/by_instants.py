"""Another right answer: every turn has an instant, round by round; the earliest that can be paid is next."""

import math
from collections import Counter


class TenantQueue:
    """Plain tables."""

    def __init__(self, quantum: int = 0, max_running: int = 0) -> None:
        self.quantum = quantum
        self.most = max_running or math.inf
        self.jobs: list[tuple[str, int, str]] = []
        self.waiting: list[int] = []
        self.running: list[int] = []
        self.last: dict[str, str] = {}
        self.saved: dict[str, dict[str, int]] = {}

    def submit(self, tenant: str, cost: int = 1, band: str = "N") -> str:
        """Take a new job in."""
        self.waiting.append(len(self.jobs))
        self.jobs.append((tenant, cost, band))
        return f"J{len(self.jobs)}"

    def poll(self, band: str = "N") -> str | None:
        """Sort the first jobs of all tenants by when they could be paid for."""
        saved = self.saved.setdefault(band, {})
        firsts = self._firsts(band)
        if not firsts:
            return None
        last = self.last.get(band)
        instants = {name: self._instant(name, number, last, saved) for name, number in firsts.items()}
        name = min(instants, key=lambda one: instants[one])
        rounds = instants[name][0]
        if rounds > 0 and self.quantum:
            for other in firsts:
                is_before = instants[other][1:] <= instants[name][1:]
                saved[other] = saved.get(other, 0) + (rounds if is_before else rounds - 1) * self.quantum
        number = firsts[name]
        self.waiting.remove(number)
        self.running.append(number)
        self.last[band] = name
        saved[name] = saved.get(name, 0) - self.jobs[number][1]
        if not any(self.jobs[one][0] == name and self.jobs[one][2] == band for one in self.waiting):
            saved[name] = 0
        return f"J{number + 1}"

    def complete(self, job_id: str) -> None:
        """Strike a job off the list of those that run."""
        self.running.remove(int(job_id[1:]) - 1)

    def poll_many(self, limit: int, band: str = "N") -> list[str]:
        """Poll until it is enough."""
        got: list[str] = []
        for _ in range(limit):
            job_id = self.poll(band)
            if job_id is None:
                break
            got.append(job_id)
        return got

    def _firsts(self, band: str) -> dict[str, int]:
        """Find the first waiting job of every tenant that is below its limit."""
        firsts: dict[str, int] = {}
        busy = Counter(self.jobs[number][0] for number in self.running)
        for number in self.waiting:
            tenant, _, where = self.jobs[number]
            if where == band and busy[tenant] < self.most:
                firsts.setdefault(tenant, number)
        return firsts

    def _instant(
        self, name: str, number: int, last: str | None, saved: dict[str, int]
    ) -> tuple[int, bool, str]:
        """Tell in which round its turn can be paid for; those behind the last one come first in each round."""
        wraps = last is not None and name <= last
        if not self.quantum:
            return (1, wraps, name)
        lacks = self.jobs[number][1] - saved.get(name, 0)
        if name == last and lacks <= 0:
            return (0, False, name)
        return (max(1, (lacks + self.quantum - 1) // self.quantum), wraps, name)
