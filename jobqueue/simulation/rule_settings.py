"""What the queue of a story is asked to do, as plain numbers: for forms, links and forks with another policy."""

# ruff: noqa: E501 - a table reads best with one row a line

from dataclasses import dataclass
from typing import Any

from jobqueue.retry import Jitter, JitterKind, RetryBudget, RetryPolicy
from jobqueue.scheduling import (
    DeficitRoundRobin,
    DispatchLimit,
    Limits,
    RoundRobin,
    StrictPriority,
    WeightedBands,
)
from jobqueue.simulation.parameters import SOME_SEED, Parameter, Unit
from jobqueue.simulation.scenario import Rules, Scenario

MOST_SLOTS = 60
_MOST_PLACES = 1000

_JITTERS = (
    ("", "none: the whole backoff"),
    ("full", "full: from nothing to the backoff"),
    ("equal", "equal: half of it at least"),
    ("decorrelated", "decorrelated: up to three times the rest before"),
)

RETRIES = (
    Parameter("max_attempts", "Attempts", "Failed so often, a job is a dead letter.", Unit.NUMBER, 3, 1, 1000),
    Parameter("base_backoff_millis", "Backoff", "Rest after the first failure; each one after that doubles it.", Unit.SECONDS, 1000),
    Parameter("max_backoff_millis", "Backoff, at most", "The cap that no rest exceeds.", Unit.SECONDS, 60_000),
    Parameter("jitter", "Jitter", "How much of each rest is left to chance, so that failed jobs come back apart.", Unit.CHOICE, "", choices=_JITTERS),
    Parameter("jitter_seed", "Jitter's seed", "Another number draws other rests.", Unit.NUMBER, 0, 0, SOME_SEED),
    Parameter("retry_budget_percent", "Retry budget, %", "Retries may take so many % of the places that first tries take; empty for no budget.", Unit.NUMBER, None, 0, 1000),
    Parameter("retry_budget_floor", "Retry budget, at least", "So many retries may run whatever else runs.", Unit.NUMBER, 1, 1, _MOST_PLACES),
    Parameter("dispatch_ceiling", "Dispatch limit", "So many jobs of a type may run at first; failures halve it, successes raise it. Empty for none.", Unit.NUMBER, None, 1, _MOST_PLACES),
    Parameter("dispatch_floor", "Dispatch limit, at least", "Failures never halve it below this.", Unit.NUMBER, 1, 1, _MOST_PLACES),
    Parameter("max_run_millis", "Longest run", "No renewal reaches past this; then the attempt expires. Empty for no end.", Unit.SECONDS, None, 100),
)  # fmt: skip

TURNS = (
    Parameter("cycle", "Cycle of bands", "Slots for high, normal and low, such as HHHNNL. Empty: strict priority, without bands or tenants.", Unit.TEXT, "", 0, MOST_SLOTS),
    Parameter("quantum", "Quantum", "Credit that a tenant's turn adds, to pay for jobs by their cost. Empty: tenants take turns, one job each.", Unit.NUMBER, None, 1, 1_000_000),
    Parameter("aging_millis", "Aging", "A job gains one band for each such time of being ready. Empty: never.", Unit.SECONDS, None, 100),
    Parameter("max_running_per_tenant", "Running, each tenant", "No tenant has more jobs running. Empty for no limit.", Unit.NUMBER, None, 0, _MOST_PLACES),
    Parameter("max_running_high", "Running, band H", "No more jobs of high priority run at once. Empty for no limit.", Unit.NUMBER, None, 0, _MOST_PLACES),
    Parameter("max_running_normal", "Running, band N", "No more jobs of priority 0 run at once. Empty for no limit.", Unit.NUMBER, None, 0, _MOST_PLACES),
    Parameter("max_running_low", "Running, band L", "No more jobs of low priority run at once. Empty for no limit.", Unit.NUMBER, None, 0, _MOST_PLACES),
    Parameter("max_queued", "Waiting in all", "With so many jobs pending, a submit is refused. Empty for no limit.", Unit.NUMBER, None, 0, _MOST_PLACES),
    Parameter("max_queued_per_tenant", "Waiting, each tenant", "With so many of its jobs pending, a tenant's submit is refused. Empty for no limit.", Unit.NUMBER, None, 0, _MOST_PLACES),
)  # fmt: skip

RULES = (*RETRIES, *TURNS)
"""All that can be set of the rules, in the order of the form."""

_BANDS = {"H": "max_running_high", "N": "max_running_normal", "L": "max_running_low"}


@dataclass(frozen=True, slots=True)
class RuleSettings:
    """The fields are those of `RULES`; see there. They say no more than policy and rules do, only flatly."""

    max_attempts: int = 3
    base_backoff_millis: int = 1000
    max_backoff_millis: int = 60_000
    jitter: str = ""
    jitter_seed: int = 0
    retry_budget_percent: int | None = None
    retry_budget_floor: int = 1
    dispatch_ceiling: int | None = None
    dispatch_floor: int = 1
    max_run_millis: int | None = None
    cycle: str = ""
    quantum: int | None = None
    aging_millis: int | None = None
    max_running_per_tenant: int | None = None
    max_running_high: int | None = None
    max_running_normal: int | None = None
    max_running_low: int | None = None
    max_queued: int | None = None
    max_queued_per_tenant: int | None = None

    def __post_init__(self) -> None:
        """Refuse what no queue would take."""
        self.policy()
        self.rules()

    @classmethod
    def of(cls, scenario: Scenario) -> "RuleSettings":
        """Return the settings that a story has by itself."""
        policy, rules = scenario.policy, scenario.rules
        limits, budget, dispatch = rules.limits or Limits(), rules.retry_budget, rules.dispatch_limit
        bands = limits.max_running_per_band or {}
        places: dict[str, Any] = {field: bands.get(band) for band, field in _BANDS.items()}
        return cls(
            policy.max_attempts,
            policy.base_backoff_millis,
            policy.max_backoff_millis,
            jitter=rules.jitter.kind.value if rules.jitter else "",
            jitter_seed=rules.jitter.seed if rules.jitter else 0,
            retry_budget_percent=budget.percent if budget else None,
            retry_budget_floor=budget.floor if budget else 1,
            dispatch_ceiling=dispatch.ceiling if dispatch else None,
            dispatch_floor=dispatch.floor if dispatch else 1,
            max_run_millis=rules.max_run_millis,
            max_running_per_tenant=limits.max_running_per_tenant,
            max_queued=limits.max_queued,
            max_queued_per_tenant=limits.max_queued_per_tenant,
            **places,
            **_turns_of(rules.scheduler),
        )

    def policy(self) -> RetryPolicy:
        """Return the retry policy."""
        return RetryPolicy(self.max_attempts, self.base_backoff_millis, self.max_backoff_millis)

    def rules(self) -> Rules:
        """Return all other rules; what is not set is not asked for."""
        budget, ceiling = self.retry_budget_percent, self.dispatch_ceiling
        return Rules(
            scheduler=self._scheduler(),
            limits=self._limits(),
            jitter=Jitter(JitterKind(self.jitter), self.jitter_seed) if self.jitter else None,
            retry_budget=None if budget is None else RetryBudget(budget, self.retry_budget_floor),
            dispatch_limit=None if ceiling is None else DispatchLimit(ceiling, self.dispatch_floor),
            max_run_millis=self.max_run_millis,
        )

    def _scheduler(self) -> StrictPriority | WeightedBands:
        if not self.cycle:
            return StrictPriority()
        tenants = RoundRobin() if self.quantum is None else DeficitRoundRobin(self.quantum)
        return WeightedBands(self.cycle, tenants, self.aging_millis)

    def _limits(self) -> Limits | None:
        bands = {band: getattr(self, field) for band, field in _BANDS.items()}
        bands = {band: most for band, most in bands.items() if most is not None}
        limits = Limits(self.max_queued, self.max_queued_per_tenant, self.max_running_per_tenant, bands or None)
        return None if limits == Limits() else limits


def _turns_of(scheduler: StrictPriority | WeightedBands) -> dict[str, Any]:
    if isinstance(scheduler, StrictPriority):
        return {}
    tenants = scheduler.tenants
    quantum = tenants.quantum if isinstance(tenants, DeficitRoundRobin) else None
    return {"cycle": scheduler.cycle, "quantum": quantum, "aging_millis": scheduler.aging_millis}
