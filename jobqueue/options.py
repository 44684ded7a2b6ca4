"""What a queue is made with, checked: each option is off until somebody asks for it."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import NoneType
from typing import Any

from jobqueue.arguments import check_instance, check_integer
from jobqueue.lifecycle import Lifecycle
from jobqueue.retry import Jitter, RetryBudget, RetryPolicy, RetryRule
from jobqueue.scheduling import DispatchLimit, Limits, StrictPriority, WeightedBands
from jobqueue.scheduling.limits import ActiveLimits
from jobqueue.scheduling.plain import PlainSchedule
from jobqueue.scheduling.schedule import LaneSchedule, Scheduler, schedule_for


@dataclass(frozen=True, slots=True)
class QueueOptions:
    """The arguments of `JobQueue` apart from its clock and its log, in the words of its signature.

    Args:
        policy: how often a job is attempted, and how long it backs off in between.
        scheduler: who is next; by default the best ready job, by priority, run_at and submission order.
        limits: how much may wait and run; by default as much as there is.
        jitter: what spreads the retries; by default nothing.
        retry_budget: how many retries may run beside first attempts; by default all.
        dispatch_limit: how many jobs of a type may run, found out by trying; by default all.
        max_run_millis: how long one attempt may take, however often it is renewed; None for no bound.
        keep_finished: how many SUCCEEDED and CANCELLED jobs to remember, the newest; None for all of them.
        key_life_millis: for how long a request key keeps its job from being forgotten.
        lifecycle: the rules.
    """

    policy: RetryPolicy
    scheduler: Scheduler
    limits: Limits
    jitter: Jitter | None
    retry_budget: RetryBudget | None
    dispatch_limit: DispatchLimit | None
    max_run_millis: int | None
    keep_finished: int | None
    key_life_millis: int
    lifecycle: type[Lifecycle]

    def __post_init__(self) -> None:
        """Refuse what is of the wrong kind, before anything depends on it."""
        for name, value, *kinds in (
            ("policy", self.policy, RetryPolicy),
            ("scheduler", self.scheduler, StrictPriority, WeightedBands),
            ("limits", self.limits, Limits),
            ("jitter", self.jitter, Jitter, NoneType),
            ("retry_budget", self.retry_budget, RetryBudget, NoneType),
            ("dispatch_limit", self.dispatch_limit, DispatchLimit, NoneType),
        ):
            check_instance(name, value, *kinds)
        if self.keep_finished is not None:
            check_integer("keep_finished", self.keep_finished, low=0)
        if self.max_run_millis is not None:
            check_integer("max_run_millis", self.max_run_millis, low=1)
        check_integer("key_life_millis", self.key_life_millis, low=0)

    def again(self) -> Mapping[str, Any]:
        """Return the arguments for another queue with the same options."""
        return {name: getattr(self, name) for name in self.__slots__}

    def rules(self) -> Lifecycle:
        """Return the rules of a queue with these options."""
        return self.lifecycle(RetryRule(self.policy, self.jitter), self.max_run_millis)

    def schedule(self) -> PlainSchedule | LaneSchedule:
        """Return who is next in a queue with these options: the simplest schedule that does it."""
        return schedule_for(self.scheduler, ActiveLimits(self.limits, self.retry_budget, self.dispatch_limit))
