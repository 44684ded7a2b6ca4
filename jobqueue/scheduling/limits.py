"""The limits in force: running jobs, pauses, retry budget, dispatch limit. To check them is never a search."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple

from jobqueue.arguments import check_instance, check_integer
from jobqueue.errors import AdmissionError
from jobqueue.model import Outcome
from jobqueue.retry import RetryBudget
from jobqueue.scheduling.lanes import GroupKey

RETRY_AFTER_MILLIS = 1000
"""After what time a producer that was refused can try again; how soon there is room, nobody knows."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much may wait, and how much may run at once; None for no limit.

    Queued means PENDING, delayed jobs too; running means a live lease, so the place of a worker that crashed
    comes back when its lease ends. Only a submit is ever refused; retries, releases and redrives are not.
    """

    max_queued: int | None = None
    max_queued_per_tenant: int | None = None
    max_running_per_tenant: int | None = None
    max_running_per_band: Mapping[str, int] | None = None

    def __post_init__(self) -> None:
        """Refuse limits that are no numbers, and bands that do not exist."""
        for name in ("max_queued", "max_queued_per_tenant", "max_running_per_tenant"):
            if getattr(self, name) is not None:
                check_integer(name, getattr(self, name), low=0)
        if self.max_running_per_band is not None:
            check_instance("max_running_per_band", self.max_running_per_band, Mapping)
            # A copy: a limit must not change because somebody goes on using the dict.
            object.__setattr__(self, "max_running_per_band", MappingProxyType(dict(self.max_running_per_band)))
        for band, most in (self.max_running_per_band or {}).items():
            if band not in {"H", "N", "L"}:
                raise ValueError(f"max_running_per_band: {band!a} is no band, expected H, N or L")
            check_integer(f"max_running_per_band[{band}]", most, low=0)

    @property
    def limits_submits(self) -> bool:
        """Whether a submit can be refused because too much waits."""
        return self.max_queued is not None or self.max_queued_per_tenant is not None

    def admit(self, tenant: str, queued: Callable[[str | None], int]) -> None:
        """Refuse a submit if as many jobs wait as are allowed, in all or of its tenant.

        Args:
            tenant: on whose behalf.
            queued: says how many jobs of a tenant wait; asked for None, how many in all.
        """
        for most, whose, of in (
            (self.max_queued, "the queue", None),
            (self.max_queued_per_tenant, f"tenant {tenant}", tenant),
        ):
            if most is not None and (found := queued(of)) >= most:
                raise AdmissionError(
                    f"cannot submit: {whose} has {found} jobs waiting, of {most} allowed; try again later",
                    retry_after_millis=RETRY_AFTER_MILLIS,
                )


@dataclass(frozen=True, slots=True)
class DispatchLimit:
    """How many jobs of a type may run at once, found out by trying.

    Half as many after a failure, one more after as many successes in a row as may run. A failure that was
    reported as permanent says something of the job, not of the load, and a release says nothing: both are
    passed over, and end no row.

    Local to one queue object, like a cycle's place: each of several processes finds out for itself.

    Source: D. Chiu and R. Jain, "Analysis of the Increase and Decrease Algorithms for Congestion Avoidance in
    Computer Networks", 1989, for additive increase and multiplicative decrease.

    Args:
        ceiling: where it starts, and never goes above.
        floor: where it never goes below; at least 1.
    """

    ceiling: int
    floor: int = 1

    def __post_init__(self) -> None:
        """Refuse a floor above the ceiling, or one at which nothing would run."""
        check_integer("floor", self.floor, low=1)
        check_integer("ceiling", self.ceiling, low=1)
        if self.ceiling < self.floor:
            raise ValueError(f"ceiling: {self.ceiling} is less than the floor, {self.floor}")


@dataclass(slots=True)
class _Dispatch:
    """Where the dispatch limit of one type stands."""

    limit: int
    successes: int = 0
    halved_at: int = 0


class Closed(NamedTuple):
    """What is kept back now, by name; with `everyone`, all tenants are."""

    bands: list[str]
    types: list[str]
    types_of_retries: list[str]
    tenants: list[str]
    everyone: bool


class Running(NamedTuple):
    """A job that runs: what it counts for, and the how-manieth hand-out it was."""

    group: GroupKey
    tenant: str
    order: int


@dataclass(slots=True)
class ActiveLimits:
    """Counts what runs, and says which groups of jobs and which tenants are kept back."""

    limits: Limits
    budget: RetryBudget | None = None
    dispatch: DispatchLimit | None = None
    paused: set[str] = field(default_factory=set)
    running: dict[int, Running] = field(default_factory=dict)
    by_tenant: Counter[str] = field(default_factory=Counter)
    by_band: Counter[str] = field(default_factory=Counter)
    by_type: Counter[tuple[str, bool]] = field(default_factory=Counter)
    _order: int = 0
    _dispatched: dict[str, _Dispatch] = field(default_factory=dict)

    def start(self, number: int, group: GroupKey, tenant: str) -> None:
        """Count a job that was handed out."""
        self._order += 1
        self.running[number] = Running(group, tenant, self._order)
        self._count(group, tenant, 1)

    def end(self, number: int, outcome: Outcome, *, permanent: bool = False) -> str:
        """Stop counting a job, learn from how it ended, and return its tenant."""
        job = self.running.pop(number)
        self._count(job.group, job.tenant, -1)
        if self.dispatch is not None:
            self._learn(job, outcome, permanent=permanent)
        return job.tenant

    def undo(self, number: int) -> str:
        """Take a start back, as if it had not been, and return the tenant."""
        job = self.running.pop(number)
        self._count(job.group, job.tenant, -1)
        self._order -= 1
        return job.tenant

    def is_full(self, tenant: str) -> bool:
        """Return whether a tenant may have no more running."""
        most = self.limits.max_running_per_tenant
        return most is not None and self.by_tenant[tenant] >= most

    def is_open(self, group: GroupKey) -> bool:
        """Return whether jobs of a group may be handed out."""
        return self.reason(group) is None

    def reason(self, group: GroupKey) -> str | None:
        """Return what keeps the jobs of a group back, in words; None if nothing does."""
        band, type_, is_retry = group
        if type_ in self.paused:
            return f"type {type_} is paused"
        most = (self.limits.max_running_per_band or {}).get(band)
        if most is not None and self.by_band[band] >= most:
            return f"band {band} is at its limit, {self.by_band[band]} of {most} running"
        if self.dispatch is None and self.budget is None:
            return None
        first, retries = self.by_type[type_, False], self.by_type[type_, True]
        if self.dispatch is not None and first + retries >= self.dispatch_limit(type_):
            most = self.dispatch_limit(type_)
            return f"type {type_} is at its dispatch limit, {first + retries} of {most} running"
        if is_retry and self.budget is not None and not self.budget.allows(first, retries):
            return f"the retry budget of type {type_} is used up: {retries} running beside {first} first tries"
        return None

    def closed(self) -> Closed:
        """Return all that is kept back, for a store to leave out; the same rules as `reason` and `is_full`."""
        limits = self.limits
        bands = [
            band for band, most in (limits.max_running_per_band or {}).items() if self.by_band[band] >= most
        ]
        running = {type_ for type_, _ in self.by_type}  # a type of which nothing runs is at no limit
        full = [type_ for type_ in running if self._is_at_dispatch_limit(type_)]
        held = [type_ for type_ in running if self.holds_for_budget(type_)]
        tenants = [tenant for tenant in self.by_tenant if self.is_full(tenant)]
        return Closed(bands, [*self.paused, *full], held, tenants, everyone=limits.max_running_per_tenant == 0)

    def _is_at_dispatch_limit(self, type_: str) -> bool:
        running = self.by_type[type_, False] + self.by_type[type_, True]
        return self.dispatch is not None and running >= self.dispatch_limit(type_)

    def reload(self, running: Mapping[int, Running]) -> None:
        """Forget what runs and count these instead, as a store found them."""
        self.running = dict(running)
        for counter in (self.by_tenant, self.by_band, self.by_type):
            counter.clear()
        for job in running.values():
            self._count(job.group, job.tenant, 1)

    def save(self) -> object:
        """Return what was learnt, to be loaded again; what runs is not part of it."""
        return self._order, {type_: replace(state) for type_, state in self._dispatched.items()}

    def load(self, learnt: object) -> None:
        """Go back to what was saved."""
        self._order, self._dispatched = learnt  # type: ignore[misc]

    def holds_for_budget(self, type_: str) -> bool:
        """Return whether the retries of a type wait for its budget."""
        return self.budget is not None and not self.budget.allows(
            self.by_type[type_, False], self.by_type[type_, True]
        )

    def tenant_reason(self, tenant: str) -> str | None:
        """Return in words that a tenant is at its limit; None if it is not."""
        if not self.is_full(tenant):
            return None
        most = self.limits.max_running_per_tenant
        return f"tenant {tenant} is at its limit, {self.by_tenant[tenant]} of {most} running"

    def dispatch_limit(self, type_: str) -> int:
        """Return how many jobs of a type may run at once, as far as was found out."""
        assert self.dispatch is not None, "asked for only where there is one"  # noqa: S101 - for the type checker
        return self._dispatched[type_].limit if type_ in self._dispatched else self.dispatch.ceiling

    def _count(self, group: GroupKey, tenant: str, step: int) -> None:
        kinds: tuple[tuple[Counter[object], object], ...] = (
            (self.by_tenant, tenant),  # type: ignore[assignment]
            (self.by_band, group.band),
            (self.by_type, (group.type, group.is_retry)),
        )
        for counter, key in kinds:
            counter[key] += step
            if not counter[key]:
                del counter[key]  # tenants and types come and go

    def _learn(self, job: Running, outcome: Outcome, *, permanent: bool) -> None:
        assert self.dispatch is not None, "asked for only where there is one"  # noqa: S101 - for the type checker
        type_ = job.group.type
        state = self._dispatched.setdefault(type_, _Dispatch(self.dispatch.ceiling))
        if outcome is Outcome.SUCCEEDED:
            state.successes += 1
            if state.successes >= state.limit:
                state.limit, state.successes = min(self.dispatch.ceiling, state.limit + 1), 0
        elif outcome is not Outcome.RELEASED and not permanent:
            state.successes = 0
            # One bad moment fails everything that runs at it: only what started since tells something new.
            if job.order > state.halved_at:
                state.limit = max(self.dispatch.floor, state.limit // 2)
                state.halved_at = self._order
        runs = self.by_type[type_, False] + self.by_type[type_, True]
        if state.limit == self.dispatch.ceiling and not runs:
            del self._dispatched[type_]  # it is as if nothing had been learnt; types come and go
