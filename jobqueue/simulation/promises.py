"""What a queue has promised, so that a checker knows what it may hold against it."""

from dataclasses import dataclass, field

from jobqueue.retry import Jitter, RetryPolicy
from jobqueue.scheduling import Limits, StrictPriority, WeightedBands
from jobqueue.simulation.scenario import Scenario


@dataclass(frozen=True, slots=True)
class Promises:
    """What a queue has promised; what it has not promised, it cannot break.

    Args:
        policy: the retry policy; None promises nothing about rests and the number of attempts.
        jitter: what spreads the rests.
        scheduler: who is next.
        limits: how much may run.
        has_limits: something beside a pause may keep ready jobs back, so nobody's turn is certain.
        longest_lease_millis: the longest lease that anybody asks for; None if that is not known.
        leases_end: time ends leases; if not, whoever has a job has it until it reports.
    """

    policy: RetryPolicy | None = None
    jitter: Jitter | None = None
    scheduler: StrictPriority | WeightedBands = field(default_factory=StrictPriority)
    limits: Limits = field(default_factory=Limits)
    has_limits: bool = False
    longest_lease_millis: int | None = None
    leases_end: bool = True

    @classmethod
    def of(cls, scenario: Scenario) -> "Promises":
        """Return what the queue of a scenario promises."""
        rules, limits = scenario.rules, scenario.rules.limits or Limits()
        limiting = (rules.retry_budget, rules.dispatch_limit, limits.max_running_per_tenant)
        return cls(
            scenario.policy,
            rules.jitter,
            rules.scheduler,
            limits,
            any(limit is not None for limit in limiting) or bool(limits.max_running_per_band),
            max((habits.lease_millis for habits in scenario.workers), default=None),
        )

    @property
    def bands(self) -> WeightedBands | None:
        """The bands, if their turns are certain: nothing is kept back, and no job changes its band."""
        certain = isinstance(self.scheduler, WeightedBands) and self.scheduler.aging_millis is None
        return self.scheduler if certain and not self.has_limits else None  # type: ignore[return-value]
