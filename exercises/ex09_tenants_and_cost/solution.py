"""ex09, tenants and cost: one right answer. Rounds in which nobody can pay are counted, not walked."""


class TenantQueue:
    """A queue in which tenants take turns, so that no one's backlog is everybody's."""

    def __init__(self, quantum: int = 0, max_running: int = 0) -> None:
        self._quantum = quantum
        self._max_running = max_running
        self._count = 0
        self._waiting: dict[str, dict[str, list[tuple[str, int]]]] = {}  # by band and tenant: ids and costs
        self._turn: dict[str, str] = {}
        self._credit: dict[tuple[str, str], int] = {}
        self._tenants: dict[str, str] = {}
        self._running: dict[str, int] = {}

    def submit(self, tenant: str, cost: int = 1, band: str = "N") -> str:
        """Take a new job in, and return its id."""
        self._count += 1
        job_id = f"J{self._count}"
        self._tenants[job_id] = tenant
        self._waiting.setdefault(band, {}).setdefault(tenant, []).append((job_id, cost))
        return job_id

    def poll(self, band: str = "N") -> str | None:
        """Hand out one job of the tenant whose turn it is."""
        order = self._in_order(band)
        if not order:
            return None
        tenant = self._who_can_pay(band, order) if self._quantum else order[0]
        self._turn[band] = tenant
        return self._hand_out(band, tenant)

    def complete(self, job_id: str) -> None:
        """Give a tenant's place back."""
        self._running[self._tenants[job_id]] -= 1

    def poll_many(self, limit: int, band: str = "N") -> list[str]:
        """Poll one by one."""
        handed_out: list[str] = []
        while len(handed_out) < limit and (job_id := self.poll(band)):
            handed_out.append(job_id)
        return handed_out

    def _in_order(self, band: str) -> list[str]:
        """Those who may be served, as their turns come, beginning behind the one that was served last."""
        there = self._waiting.get(band, {})
        names = sorted(name for name in there if there[name] and self._is_free(name))
        last = self._turn.get(band, "")
        return [name for name in names if name > last] + [name for name in names if name <= last]

    def _is_free(self, tenant: str) -> bool:
        return not self._max_running or self._running.get(tenant, 0) < self._max_running

    def _who_can_pay(self, band: str, order: list[str]) -> str:
        """Let turns pass until somebody can pay, and give credit for each of them."""
        last = self._turn.get(band, "")
        if last in order and self._missing(band, last) <= 0:
            return last  # its turn goes on, without another quantum
        turns = {name: max(1, -(-self._missing(band, name) // self._quantum)) for name in order}
        rounds = min(turns.values())
        winner = next(name for name in order if turns[name] == rounds)
        for place, name in enumerate(order):
            times = rounds if place <= order.index(winner) else rounds - 1
            self._credit[band, name] = self._credit.get((band, name), 0) + times * self._quantum
        return winner

    def _missing(self, band: str, tenant: str) -> int:
        """How much more credit the tenant needs for its next job."""
        return self._waiting[band][tenant][0][1] - self._credit.get((band, tenant), 0)

    def _hand_out(self, band: str, tenant: str) -> str:
        job_id, cost = self._waiting[band][tenant].pop(0)
        if self._quantum:
            self._credit[band, tenant] -= cost
        if not self._waiting[band][tenant]:
            self._credit[band, tenant] = 0
        self._running[tenant] = self._running.get(tenant, 0) + 1
        return job_id
