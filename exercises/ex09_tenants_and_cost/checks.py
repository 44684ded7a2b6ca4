"""The tenant queue of ex09, in the words of the task. What an answer must promise is in checks.toml."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from exercises.grader import Case
from exercises.staging.drawn_stories import drawn, tell_drawn
from exercises.staging.driver import Driver
from exercises.staging.story_tables import checks

ACTS = {"submit": 8, "poll": 6, "many": 1, "complete": 3}
STEPS = 60


class Tenants(Driver):
    """A `TenantQueue` of the answer; what is expected is told in the names of tenants, one letter each."""

    def __init__(self, case: Case, quantum: int = 0, max_running: int = 0) -> None:
        settings = (quantum, max_running) if max_running else (quantum,) if quantum else ()
        super().__init__(case, "TenantQueue", *settings)
        self.tenants: dict[str, str] = {}
        self.running: list[str] = []
        self._waiting: dict[tuple[str, str], list[str]] = {}

    def submit(self, tenant: str, **told: Any) -> None:
        """Submit one job, and say all about it, or nothing but whose it is."""
        cost, band = told.get("cost", 1), told.get("band", "N")
        job_id = f"J{len(self.tenants) + 1}"
        self.tenants[job_id] = tenant
        self._waiting.setdefault((band, tenant), []).append(job_id)
        words = f"submit for {tenant}" + (f", cost {cost}, band {band}" if told else "")
        args = (tenant, cost, band) if told else (tenant,)
        self.gives(words, "submit", *args, gives=job_id, what="job id")

    def fill(self, band: str = "N", cost: int = 1, **jobs: int) -> None:
        """Submit so many jobs for each tenant; the trace tells it in one line."""
        before = self.case.trace
        for tenant, number in jobs.items():
            for _ in range(number):
                self.submit(tenant, cost=cost, band=band)
        told = ", ".join(f"{number} for {tenant}" for tenant, number in jobs.items())
        self.case.retell((*before, f"submit {told}, cost {cost}, band {band}"))

    def poll(self, band: str = "N", *, gives: str) -> None:
        """Poll once for each letter; the first waiting job of that tenant must come. "-" stands for None."""
        for tenant in gives:
            expected = "None" if tenant == "-" else f"a job of {tenant}"
            words = "poll" if band == "N" else f"poll {band}"
            bands = () if band == "N" else (band,)
            got = self.call(words, "poll", *bands, expected=expected, tell=self._told)
            found = "-" if got is None else self._owner(got, band)
            if found != tenant:
                how = "nothing" if found == "-" else "a job" if tenant == "-" else "another tenant"
                self.case.broken(expected, self._told(got), how if found else "no job that waits")
            if tenant != "-":
                self._hand_out(tenant, band, got)

    def poll_many(self, limit: int, band: str = "N", *, gives: Sequence[str]) -> None:
        """Poll for so many at once; jobs of these gives must come, in this order."""
        expected = f"jobs of {' '.join(gives)}" if gives else "no jobs"
        words = f"poll_many {limit}" if band == "N" else f"poll_many {limit} {band}"
        bands = () if band == "N" else (band,)
        got = self.call(words, "poll_many", limit, *bands, expected=expected, tell=self._told_many)
        if not isinstance(got, list):
            self.case.broken("a list of ids", repr(got), "no list")
        owners = [self._owner(one, band) for one in got]
        if owners != [*gives]:
            how_many = "too many" if len(got) > len(gives) else "other jobs"
            self.case.broken(expected, self._told_many(got), how_many)
        for tenant, job_id in zip(gives, got, strict=True):
            self._hand_out(tenant, band, job_id)

    def complete(self, job_id: str) -> None:
        """Complete a job that was handed out."""
        self.running.remove(job_id)
        self.asks(f"complete {job_id} (of {self.tenants[job_id]})", "complete", job_id, what="accepted")

    def _hand_out(self, tenant: str, band: str, got: Any) -> None:
        self.case.same(f"first job of {tenant}", self._waiting[band, tenant][0], got)
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


Step = tuple[Any, ...]


def any_story(case: Case) -> None:
    """Let jobs come and go at random."""
    tell_drawn(case, (1, 2, 3), _draw, _tell)


def _draw(chance: random.Random) -> list[Step]:
    """The quantum and the limit, then steps: what is done, and two numbers that choose for whom and what."""
    settings = ("settings", chance.choice((0, 3, 5, 20)), chance.choice((0, 0, 2, 3)))
    return [
        settings,
        *drawn(chance, ACTS, STEPS, lambda chance: (chance.randrange(1_000), chance.randint(1, 9))),
    ]


def _tell(case: Case, story: Sequence[Step]) -> None:
    settings = [step[1:] for step in story if step[0] == "settings"]
    quantum, limit = settings[0] if settings else (0, 0)
    queue, rules = Tenants(case, quantum, limit), Rules(quantum, limit)
    for act, number, cost in story:
        band = "NH"[number % 2]
        match act:
            case "submit":
                tenant = "ABCD"[number // 2 % 4]
                queue.submit(tenant, cost=cost, band=band)
                rules.submit(tenant, cost, band)
            case "poll":
                queue.poll(band, gives=rules.poll(band) or "-")
            case "many":
                served = [rules.poll(band) for _ in range(3)]
                queue.poll_many(3, band, gives="".join(tenant for tenant in served if tenant))
            case "complete" if queue.running:
                done = queue.running[number % len(queue.running)]
                rules.complete(queue.tenants[done])
                queue.complete(done)


CHECKS = checks(Path(__file__).parent, Tenants, any_story=any_story)
