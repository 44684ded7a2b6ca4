"""The stage and the plain rules of the exercise about tenants: what its files of checks share."""

from typing import Any

from exercises.grader import Case
from exercises.staging.plain_stage import PlainStage


class Tenants(PlainStage):
    """A `TenantQueue` of the answer; what is expected is told in the names of tenants, one letter each."""

    def __init__(self, case: Case, quantum: int = 0, max_running: int = 0) -> None:
        settings = (quantum, max_running) if max_running else (quantum,) if quantum else ()
        super().__init__(case, "TenantQueue", *settings)
        self.tenants: dict[str, str] = {}
        self.running: list[str] = []
        self._waiting: dict[tuple[str, str], list[str]] = {}

    def submits(self, tenant: str, cost: int = 1, band: str = "N") -> None:
        """Submit one job."""
        job_id = self._new(tenant, band)
        words = f"submit for {tenant}, cost {cost}, band {band}"
        self.gives(words, "submit", tenant, cost, band, gives=job_id, what="job id")

    def submits_plainly(self, tenant: str) -> None:
        """Submit one job, and say nothing but whose it is."""
        self.gives(f"submit for {tenant}", "submit", tenant, gives=self._new(tenant, "N"), what="job id")

    def fills(self, band: str = "N", cost: int = 1, **jobs: int) -> None:
        """Submit so many jobs for each tenant; the trace tells it in one line."""
        before = self._case.trace
        for tenant, number in jobs.items():
            for _ in range(number):
                self.submits(tenant, cost, band)
        told = ", ".join(f"{number} for {tenant}" for tenant, number in jobs.items())
        self._case.retell((*before, f"submit {told}, cost {cost}, band {band}"))

    def polls(self, tenants: str, band: str = "N") -> None:
        """Poll once for each letter; the first waiting job of that tenant must come. "-" stands for None."""
        for tenant in tenants:
            expected = "None" if tenant == "-" else f"a job of {tenant}"
            words = "poll" if band == "N" else f"poll {band}"
            bands = () if band == "N" else (band,)
            got = self._case.call(words, self._object, "poll", *bands, expected=expected, tell=self._told)
            found = "-" if got is None else self._owner(got, band)
            if found != tenant:
                how = "nothing" if found == "-" else "a job" if tenant == "-" else "another tenant"
                self._case.broken(expected, self._told(got), how if found else "no job that waits")
            if tenant != "-":
                self._hand_out(tenant, band, got)

    def polls_many(self, limit: int, tenants: str, band: str = "N") -> None:
        """Poll for so many at once; jobs of these tenants must come, in this order."""
        expected = f"jobs of {' '.join(tenants)}" if tenants else "no jobs"
        words = f"poll_many {limit}" if band == "N" else f"poll_many {limit} {band}"
        bands = () if band == "N" else (band,)
        how: dict[str, Any] = {"expected": expected, "tell": self._told_many}
        got = self._case.call(words, self._object, "poll_many", limit, *bands, **how)
        if not isinstance(got, list):
            self._case.broken("a list of ids", repr(got), "no list")
        owners = [self._owner(one, band) for one in got]
        if owners != [*tenants]:
            how_many = "too many" if len(got) > len(tenants) else "other jobs"
            self._case.broken(expected, self._told_many(got), how_many)
        for tenant, job_id in zip(tenants, got, strict=True):
            self._hand_out(tenant, band, job_id)

    def completes(self, job_id: str) -> None:
        """Complete a job that was handed out."""
        self.running.remove(job_id)
        self.asks(f"complete {job_id} (of {self.tenants[job_id]})", "complete", job_id, what="accepted")

    def _new(self, tenant: str, band: str) -> str:
        job_id = f"J{len(self.tenants) + 1}"
        self.tenants[job_id] = tenant
        self._waiting.setdefault((band, tenant), []).append(job_id)
        return job_id

    def _hand_out(self, tenant: str, band: str, got: Any) -> None:
        self._case.same(f"first job of {tenant}", self._waiting[band, tenant][0], got)
        self.running.append(self._waiting[band, tenant].pop(0))

    def _owner(self, got: Any, band: str) -> str:
        """Whose job it is, if it waits in this band."""
        tenant = self.tenants.get(got, "") if isinstance(got, str) else ""
        return tenant if got in self._waiting.get((band, tenant), ()) else ""

    def _told(self, got: Any) -> str:
        return f"{got!r} of {self.tenants[got]}" if isinstance(got, str) and got in self.tenants else repr(got)

    def _told_many(self, got: Any) -> str:
        return ", ".join(map(self._told, got)) or "no jobs" if isinstance(got, list) else repr(got)


class Rules:
    """The rules of the task, so plain that reading is checking. Rounds are walked, so costs must be small."""

    def __init__(self, quantum: int, max_running: int) -> None:
        self._quantum, self._limit = quantum, max_running
        self._costs: dict[str, dict[str, list[int]]] = {}
        self._credit: dict[tuple[str, str], int] = {}
        self._turn: dict[str, str] = {}
        self._running: dict[str, int] = {}

    def submit(self, tenant: str, cost: int, band: str) -> None:
        """A job waits."""
        self._costs.setdefault(band, {}).setdefault(tenant, []).append(cost)

    def complete(self, tenant: str) -> None:
        """One less is running."""
        self._running[tenant] -= 1

    def poll(self, band: str) -> str | None:
        """Whose job is handed out."""
        costs = self._costs.get(band, {})
        names = sorted(name for name in costs if costs[name] and not self._is_full(name))
        if not names:
            return None
        tenant = self._turn.get(band, "")
        if not self._quantum or tenant not in names or costs[tenant][0] > self._credit.get((band, tenant), 0):
            tenant = self._next_turn(band, names)
        self._running[tenant] = self._running.get(tenant, 0) + 1
        cost = costs[tenant].pop(0)
        self._credit[band, tenant] = self._credit.get((band, tenant), 0) - cost if costs[tenant] else 0
        return tenant

    def _next_turn(self, band: str, names: list[str]) -> str:
        while True:
            last = self._turn.get(band, "")
            tenant = next((name for name in names if name > last), names[0])
            self._turn[band] = tenant
            self._credit[band, tenant] = self._credit.get((band, tenant), 0) + self._quantum
            if not self._quantum or self._costs[band][tenant][0] <= self._credit[band, tenant]:
                return tenant

    def _is_full(self, tenant: str) -> bool:
        return 0 < self._limit <= self._running.get(tenant, 0)
