"""Mistakes about who is next: slots that are lent, turns that are not taken, credit that piles up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from jobqueue.memory import MemoryStore
from jobqueue.model import Lease
from jobqueue.queue import JobQueue
from jobqueue.scheduling import DeficitRoundRobin, Limits, WeightedBands
from jobqueue.scheduling.bands import BANDS, BandTurns
from jobqueue.scheduling.deficit import DeficitTurns
from jobqueue.scheduling.lanes import Group, Lanes, Ticket
from jobqueue.scheduling.schedule import LaneSchedule, Scheduler
from jobqueue.scheduling.tenants import RoundRobinTurns

Open = Mapping[str, Sequence[Group]]


class _OtherBands(JobQueue):
    """Takes turns in another way than by the bands that it was given."""

    _bands: type[WeightedBands] = WeightedBands

    def __init__(self, *args: Any, scheduler: Scheduler, **options: Any) -> None:
        if isinstance(scheduler, WeightedBands):  # without bands there is nothing to be wrong about
            scheduler = self._bands(scheduler.cycle, scheduler.tenants, scheduler.aging_millis)
        super().__init__(*args, scheduler=scheduler, **options)


class LendingTurns(BandTurns):
    """Turns that lend an unused slot upwards."""

    def _take_slot(self, open_groups: Open) -> str | None:
        owner = self._cycle[self._slot]
        band = owner if open_groups.get(owner) else next((b for b in BANDS if open_groups.get(b)), None)
        if band is not None:
            self._slot = (self._slot + 1) % len(self._cycle)
        return band


class _Lending(WeightedBands):
    def begin(self) -> BandTurns:
        """Return turns that lend upwards."""
        return LendingTurns(self)


class LendsToTheHighest(_OtherBands):
    """A slot that its band cannot use goes to the highest band that has work, and not to the next slot's."""

    _bands = _Lending


class RestlessTurns(BandTurns):
    """Turns that go on while nobody takes one."""

    def _take_slot(self, open_groups: Open) -> str | None:
        band = super()._take_slot(open_groups)
        if band is None:
            self._slot = (self._slot + 1) % len(self._cycle)
        return band


class _Restless(WeightedBands):
    def begin(self) -> BandTurns:
        """Return turns that go on while nobody takes one."""
        return RestlessTurns(self)


class MovesWhileIdle(_OtherBands):
    """A poll that gets nothing moves the cycle on, so after a quiet time anybody may be first."""

    _bands = _Restless


class NoTurns(RoundRobinTurns):
    """Turns that nobody takes."""

    def pick(self, band: str, lanes: Lanes, groups: Sequence[Group]) -> Ticket:  # noqa: ARG002
        """Return the best job of all tenants."""
        return lanes.best(groups)


@dataclass(frozen=True, slots=True)
class _Nobody:
    def begin(self) -> RoundRobinTurns:
        """Return turns that nobody takes."""
        return NoTurns()


class NoTenants(JobQueue):
    """Whose job it is does not matter: first come, first served inside a band."""

    def __init__(self, *args: Any, scheduler: Scheduler, **options: Any) -> None:
        if isinstance(scheduler, WeightedBands):
            scheduler = replace(scheduler, tenants=_Nobody())
        super().__init__(*args, scheduler=scheduler, **options)


class SavingTurns(DeficitTurns):
    """Turns in which credit is saved up."""

    def emptied(self, tenant: str) -> None:
        """Let a tenant keep its credit."""


class _Saving(DeficitRoundRobin):
    def begin(self) -> DeficitTurns:
        """Return turns in which credit is saved up."""
        return SavingTurns(self.quantum)


class KeepsCredit(JobQueue):
    """A tenant without work keeps its credit, and comes back with a purse full of turns."""

    def __init__(self, *args: Any, scheduler: Scheduler, **options: Any) -> None:
        tenants = getattr(scheduler, "tenants", None)
        if isinstance(scheduler, WeightedBands) and isinstance(tenants, DeficitRoundRobin):
            scheduler = replace(scheduler, tenants=_Saving(tenants.quantum))
        super().__init__(*args, scheduler=scheduler, **options)


class OneTurn(BandTurns):
    """Bands that share one turn of their tenants."""

    def __init__(self, config: WeightedBands) -> None:
        super().__init__(config)
        self._tenants = dict.fromkeys(BANDS, self._tenants[BANDS[0]])


class _OneForAll(WeightedBands):
    def begin(self) -> BandTurns:
        """Return bands that share one turn."""
        return OneTurn(self)


class OneTurnForAllBands(_OtherBands):
    """All bands share one turn of the tenants, so a turn in one band is lost in another."""

    _bands = _OneForAll


class LimitOncePerBatch(JobQueue):
    """Limits are looked at before a batch is taken, and not again until it is complete."""

    def poll_many(self, worker_id: str, lease_millis: int, limit: int, **options: Any) -> list[Lease]:
        """Hand out several jobs at once."""
        store = self._store
        if not isinstance(store, MemoryStore) or not isinstance(schedule := store.schedule, LaneSchedule):
            return super().poll_many(worker_id, lease_millis, limit, **options)
        active = schedule.active
        before = active.limits
        active.limits = Limits()
        try:
            return super().poll_many(worker_id, lease_millis, limit, **options)
        finally:
            active.limits = before
