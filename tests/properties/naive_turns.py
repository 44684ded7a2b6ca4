"""Who is next, by scanning: what may be handed out, whose slot it is, whose turn, and who can pay."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.properties.naive_rules import BANDS, Rules

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class NaiveTurns:
    """The place in the cycle, the turns and credits, and the lessons of the dispatch limit."""

    def __init__(self, rules: Rules) -> None:
        self.rules = rules
        self.slot = 0
        self.last: dict[str, str] = {}  # the tenant that a band served last, or whose turn it is
        self.credit: dict[tuple[str, str], int] = {}
        self.paused: set[str] = set()
        self.handed_out = 0
        self.shares = dict.fromkeys(BANDS, 0)
        self.limit: dict[str, int] = {}
        self.successes: dict[str, int] = {}
        self.halved_at: dict[str, int] = {}

    # -- who may ------------------------------------------------------------------------------------------

    def may_run(self, job: Any, jobs: Iterable[Any], types: set[str] | None) -> bool:
        """Return whether a ready job is eligible now."""
        rules, running = self.rules, [other for other in jobs if other.status == "RUNNING"]
        of_tenant = sum(other.tenant == job.tenant for other in running)
        of_band = sum(other.held_in == job.band for other in running)
        of_type = sum(other.type == job.type for other in running)
        is_open = types is None or job.type in types
        is_open = is_open and job.type not in self.paused
        if rules.max_running_per_tenant is not None:
            is_open = is_open and of_tenant < rules.max_running_per_tenant
        if job.band in rules.max_running_per_band:
            is_open = is_open and of_band < rules.max_running_per_band[job.band]
        if rules.dispatch:
            is_open = is_open and of_type < self.limit.get(job.type, rules.dispatch[0])
        return is_open and not self.held_by_budget(job, running)

    def held_by_budget(self, job: Any, running: Iterable[Any]) -> bool:
        """Return whether a retry waits until fewer others run."""
        if self.rules.budget is None or job.attempts == 0:
            return False
        percent, floor = self.rules.budget
        attempts = [other.attempts for other in running if other.type == job.type]
        firsts, retries = sum(n == 1 for n in attempts), sum(n > 1 for n in attempts)
        return retries >= floor + firsts * percent // 100  # type: ignore[no-any-return]

    # -- who is next --------------------------------------------------------------------------------------

    def pick(self, eligible: Sequence[Any]) -> Any:
        """Return the next job and take its slot, turn and price."""
        if not self.rules.cycle:
            return min(eligible, key=lambda job: (-job.priority, job.run_at, job.number))
        band = self.take_slot({job.band for job in eligible})
        inside = [job for job in eligible if job.band == band]
        tenant = self.take_turn(band, inside) if self.rules.quantum is None else self.pay(band, inside)
        return self.best(tenant, inside)

    def take_slot(self, bands: set[str]) -> str:
        """Return the band of the next slot that can be used; without one, the highest band that waits."""
        for _ in self.rules.cycle:
            letter = self.rules.cycle[self.slot]
            before, self.slot = self.slot, (self.slot + 1) % len(self.rules.cycle)
            if letter in bands:
                return letter  # type: ignore[no-any-return]
        assert self.slot == (before + 1) % len(self.rules.cycle), "once around leads back"
        return next(band for band in BANDS if band in bands)

    def following(self, band: str, jobs: Sequence[Any]) -> str:
        """Return the next tenant by name after the last one, wrapping."""
        names = sorted({job.tenant for job in jobs})
        later = [name for name in names if band in self.last and name > self.last[band]]
        return (later or names)[0]  # type: ignore[no-any-return]

    def take_turn(self, band: str, jobs: Sequence[Any]) -> str:
        """Serve each tenant once, in turn."""
        self.last[band] = self.following(band, jobs)
        return self.last[band]

    def pay(self, band: str, jobs: Sequence[Any]) -> str:
        """Walk from turn to turn, each worth a quantum, until a tenant can pay for its next job."""
        tenant = self.last.get(band)
        while True:
            if any(job.tenant == tenant for job in jobs):
                price = self.best(tenant, jobs).cost
                if self.credit.get((band, tenant), 0) >= price:  # type: ignore[arg-type]
                    self.credit[band, tenant] -= price  # type: ignore[index]
                    return tenant  # type: ignore[return-value]
            tenant = self.last[band] = self.following(band, jobs)
            self.credit[band, tenant] = self.credit.get((band, tenant), 0) + self.rules.quantum

    def best(self, tenant: str | None, jobs: Sequence[Any]) -> Any:
        """Return a tenant's next job: aged ones first, the longest ready; then by priority."""
        own = [job for job in jobs if job.tenant == tenant]
        aged = [job for job in own if job.band != self.rules.band(job.priority, 0, 0)]
        if aged:
            return min(aged, key=lambda job: (job.ready_since, job.number))
        return min(own, key=lambda job: (-job.priority, job.run_at, job.number))

    # -- what is learned ----------------------------------------------------------------------------------

    def started(self, job: Any) -> None:
        """Count a hand-out."""
        self.handed_out += 1
        job.handed_out_as = self.handed_out
        self.shares[job.held_in] += 1

    def ended(self, job: Any, outcome: str, *, permanent: bool) -> None:
        """Halve the dispatch limit after a fresh failure, add one after a row of successes."""
        if not self.rules.dispatch or outcome == "released" or permanent:
            return
        ceiling, floor = self.rules.dispatch
        limit = self.limit.get(job.type, ceiling)
        if outcome == "succeeded":
            self.successes[job.type] = self.successes.get(job.type, 0) + 1
            if self.successes[job.type] == limit:
                self.limit[job.type], self.successes[job.type] = min(ceiling, limit + 1), 0
            return
        self.successes[job.type] = 0
        if job.handed_out_as > self.halved_at.get(job.type, 0):
            self.limit[job.type] = max(floor, limit // 2)
            self.halved_at[job.type] = self.handed_out

    def forget_credit_of_the_idle(self, jobs: Iterable[Any]) -> None:
        """Take the credit of every tenant that has no ready job in a band."""
        busy = {(job.band, job.tenant) for job in jobs if job.band is not None}
        self.credit = {place: credit for place, credit in self.credit.items() if place in busy}
