"""The options of a queue, and what they say of one job at one instant: plain numbers, and no state.

The integer that a jitter draws is the queue's own; from which range it is drawn is said here once more.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from jobqueue import (
    DeficitRoundRobin,
    DispatchLimit,
    Jitter,
    Limits,
    RetryBudget,
    RoundRobin,
    StrictPriority,
    WeightedBands,
)

BANDS = ("H", "N", "L")


@dataclass
class Rules:
    """All that a queue can be told when it is made; None where it is off."""

    max_attempts: int = 3
    base: int = 1000
    cap: int = 60_000
    jitter: Any = None
    budget: tuple[int, int] | None = None
    dispatch: tuple[int, int] | None = None
    max_run: int | None = None
    keep_finished: int | None = None
    key_life: int = 86_400_000
    cycle: Any = None
    quantum: Any = None
    aging: int | None = None
    max_queued: int | None = None
    max_queued_per_tenant: int | None = None
    max_running_per_tenant: int | None = None
    max_running_per_band: dict[str, int] = field(default_factory=dict)

    def options(self) -> dict[str, Any]:
        """Return the same rules as arguments of a `JobQueue`."""
        tenants = RoundRobin() if self.quantum is None else DeficitRoundRobin(self.quantum)
        bands = WeightedBands(self.cycle or "N", tenants=tenants, aging_millis=self.aging)
        return {
            "scheduler": bands if self.cycle else StrictPriority(),
            "limits": Limits(
                self.max_queued,
                self.max_queued_per_tenant,
                self.max_running_per_tenant,
                self.max_running_per_band or None,
            ),
            "jitter": self.jitter and Jitter(self.jitter),
            "retry_budget": self.budget and RetryBudget(*self.budget),
            "dispatch_limit": self.dispatch and DispatchLimit(*self.dispatch),
            "max_run_millis": self.max_run,
            "keep_finished": self.keep_finished,
            "key_life_millis": self.key_life,
        }

    def rest(self, job_id: str, attempt: int, generation: int, last_rest: int | None) -> int:
        """Return how long a job rests after a failed attempt."""
        backoff = min(self.cap, self.base * 2 ** (attempt - 1))
        if self.jitter is None:
            return backoff  # type: ignore[no-any-return]
        previous = self.base if last_rest is None else last_rest
        least, most = {
            "full": (0, backoff),
            "equal": (backoff // 2, backoff),
            "decorrelated": (self.base, max(self.base, min(self.cap, 3 * previous))),
        }[self.jitter]
        return Jitter(self.jitter).draw(job_id, generation, least, most)

    def band(self, priority: int, ready_since: int, at: int) -> str:
        """Return the band in which a ready job counts."""
        place = 0 if priority > 0 else 1 if priority == 0 else 2
        if self.cycle and self.aging:
            place -= (at - ready_since) // self.aging
        return BANDS[max(0, place)]

    def next_age(self, priority: int, ready_since: int, at: int) -> int | None:
        """Return the next instant at which a ready job counts in another band."""
        if not self.cycle or not self.aging or self.band(priority, ready_since, at) == "H":
            return None
        return ready_since + ((at - ready_since) // self.aging + 1) * self.aging

    def latest_end(self, started_at: int, until: int) -> int:
        """Return the end of a lease that was asked for until some instant."""
        return until if self.max_run is None else min(until, started_at + self.max_run)
