"""The schedule of one queue: ready jobs, who of them is next, and what keeps the others back.

Two of one shape. `PlainSchedule` is strict priority with nothing held back but paused types. `LaneSchedule`
adds bands, tenants, aging, limits and budgets; a queue gets it only when it asks for one of these.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Protocol

from jobqueue.model import Job, Outcome
from jobqueue.scheduling.aging import band_at, next_age_at
from jobqueue.scheduling.bands import BANDS, BandTurns, WeightedBands, band_of
from jobqueue.scheduling.lanes import Asked, Group, GroupKey, Lanes, Ticket
from jobqueue.scheduling.limits import ActiveLimits
from jobqueue.scheduling.plain import PlainSchedule, Spent, counted, place_in_line, shares
from jobqueue.scheduling.strict import StrictPriority, rank
from jobqueue.scheduling.tenants import RoundRobin

Scheduler = StrictPriority | WeightedBands


class Schedule(Protocol):
    """What the table of jobs needs of a schedule."""

    paused: set[str]

    @property
    def aging_millis(self) -> int | None:
        """After how long a ready job gains a band; None if none ever does."""
        ...

    def save(self) -> object:
        """Return turns, credits and all that was learnt, to be loaded should a step come to nothing."""
        ...

    def load(self, position: object) -> None:
        """Go back to what was saved."""
        ...

    def add(self, job: Job, now: int) -> None:
        """Let a job that is ready join, or join again at the place that it has come to have."""
        ...

    def remove(self, job: Job) -> None:
        """Take a job out, if it is in."""
        ...

    def begin_instant(self, at: int) -> None:
        """Hear that what follows happens by itself at one instant, in no order that could matter."""
        ...

    def end_instant(self) -> None:
        """Hear that all that happens by itself has happened."""
        ...

    def next_age_at(self, job: Job, now: int) -> int | None:
        """Return when a ready job should be added again, because it will have come to have another place."""
        ...

    def pick(self, types: Asked, tenants: Asked) -> int | None:
        """Return the number of the next job and take its turn; the caller then hands it out."""
        ...

    def started(self, job: Job) -> None:
        """Hear that the job that was picked runs."""
        ...

    def ended(self, job: Job, outcome: Outcome, *, permanent: bool) -> None:
        """Hear that a job runs no more."""
        ...

    def next_up(self, most: int, spent: Spent) -> list[int]:
        """Return what that many picks would hand out, nothing ending meanwhile; it changes nothing."""
        ...

    def why_not(self, job: Job, now: int, spent: Spent) -> str | None:
        """Return what keeps a ready job back, or how far it is from being next; None if it cannot tell."""
        ...

    def holds_for_budget(self, job: Job) -> bool:
        """Return whether a ready job waits for the retry budget of its type."""
        ...

    def promised_share(self) -> Mapping[str, float]:
        """Return each band's part of the hand-outs that is promised while all have work."""
        ...

    def actual_share(self) -> Mapping[str, float]:
        """Return each band's part of the hand-outs so far; empty before the first."""
        ...


class LaneSchedule:
    """Ready jobs in lanes, the limits in force, and a scheduler that takes turns among the open lanes."""

    def __init__(self, scheduler: Scheduler, active: ActiveLimits) -> None:
        self.active = active
        self.paused = active.paused
        self.aging_millis = scheduler.aging_millis
        self.is_strict = isinstance(scheduler, StrictPriority)
        self.keeps_credit = isinstance(scheduler, WeightedBands) and not isinstance(
            scheduler.tenants, RoundRobin
        )
        # Credits and what is learnt say what came first; the budget holds a job for what others do.
        self.depends_on_order = self.keeps_credit or active.dispatch is not None or active.budget is not None
        self._lanes = Lanes()
        self._turns = scheduler.begin()
        self._picked: dict[int, Ticket] = {}
        self._instant: int | None = None
        self._left_alone: set[tuple[str, str]] = set()
        self._handed_out = Counter[str]()
        self._promised = scheduler.promised_share()

    def __len__(self) -> int:
        return len(self._lanes)

    def add(self, job: Job, now: int) -> None:
        """Let a ready job join the lane where it counts now."""
        moved, ticket = self._lanes.remove(job.number), ticket_for(job, now, self.aging_millis)
        self._lanes.add(ticket)
        if moved is not None:
            self._tell_of_leaving(moved)  # it may have aged out of a band, and been its tenant's last there
        if self.active.is_full(job.tenant):  # also a limit of 0, which nobody ever reaches by starting
            self._lanes.close(job.tenant)
        self._turns.changed(ticket.group.band, job.tenant)

    def remove(self, job: Job) -> None:
        """Take a job out."""
        ticket = self._lanes.remove(job.number)
        if ticket is not None:
            self._tell_of_leaving(ticket)

    def begin_instant(self, at: int) -> None:
        """Wait with saying who has nothing to do: at the same instant something may yet become ready."""
        if at != self._instant:
            self.end_instant()
            self._instant = at

    def end_instant(self) -> None:
        """Say who had nothing to do when the instant was over."""
        for band, tenant in self._left_alone:
            if not self._lanes.ready[band, tenant]:
                self._turns.emptied(band, tenant)
        self._left_alone.clear()
        self._instant = None

    def next_age_at(self, job: Job, now: int) -> int | None:
        """Return when the job gains a band."""
        return next_age_at(band_of(job.priority), job.ready_since, now, self.aging_millis)

    def pick(self, types: Asked, tenants: Asked) -> int | None:
        """Return the next eligible job and take its slot, its tenant's turn and its price."""
        ticket = self._turns.pick(self._lanes, self._open(types, tenants))
        if ticket is None:
            return None
        self._picked[ticket.number] = ticket
        return ticket.number

    def started(self, job: Job) -> None:
        """Count a job that runs; its tenant may be at its limit with it."""
        ticket = self._picked.pop(job.number, None)
        group = ticket.group if ticket else GroupKey(band_of(job.priority), job.type, job.attempts > 1)
        self._handed_out[group.band] += 1
        self.active.start(job.number, group, job.tenant)
        if self.active.is_full(job.tenant):
            self._lanes.close(job.tenant)
            self._tell_of_tenant(job.tenant)

    def ended(self, job: Job, outcome: Outcome, *, permanent: bool) -> None:
        """Stop counting a job; its tenant may have room again."""
        tenant = self.active.end(job.number, outcome, permanent=permanent)
        if not self.active.is_full(tenant):
            self._lanes.open(tenant)
            self._tell_of_tenant(tenant)

    def next_up(self, most: int, spent: Spent) -> list[int]:
        """Pick for real, then put everything back: so it cannot drift from what a poll does."""
        position = here = self._turns.save()
        taken: list[Ticket] = []
        passed: list[Ticket] = []
        while len(taken) < most and (number := self.pick(None, None)) is not None:
            ticket = self._picked.pop(number)
            self._lanes.remove(number)
            if ticket.group.is_retry and spent(number):
                self._turns.load(here)
                passed.append(ticket)
                self._tell_of_leaving(ticket)
                continue
            taken.append(ticket)
            self._tell_of_leaving(ticket)
            self.active.start(number, ticket.group, ticket.tenant)
            if self.active.is_full(ticket.tenant):
                self._lanes.close(ticket.tenant)
                self._tell_of_tenant(ticket.tenant)
            here = self._turns.save()
        for ticket in passed:
            self._lanes.add(ticket)
        for ticket in reversed(taken):
            self.active.undo(ticket.number)
            self._lanes.add(ticket)
            if not self.active.is_full(ticket.tenant):
                self._lanes.open(ticket.tenant)
        self._turns.load(position)
        return [ticket.number for ticket in taken]

    def why_not(self, job: Job, now: int, spent: Spent) -> str | None:
        """Return what keeps a job back; of an open one, how far its band, tenant or it is from being next."""
        ticket = ticket_for(job, now, self.aging_millis)
        kept_back = self.active.reason(ticket.group) or self.active.tenant_reason(ticket.tenant)
        if kept_back is not None:
            return kept_back
        label, band = band_of(job.priority), ticket.group.band
        shown = band if label == band else f"{label}, aged to {band}"
        return self._slot_reason(band, shown) or self._line_reason(ticket, shown, spent)

    def _slot_reason(self, band: str, shown: str) -> str | None:
        """Return how far the band's slot is away; None if it is the next, or there are no slots."""
        if not isinstance(self._turns, BandTurns):
            return None
        away = self._turns.slots_away(band, self._open(None, None))
        if away is None:
            return f"band {shown} has no slot, and others have work"
        return f"band {shown}: {away} slot{'s' * (away != 1)} away" if away else None

    def _line_reason(self, ticket: Ticket, shown: str, spent: Spent) -> str | None:
        """Return what comes first inside the band: other jobs of the tenant, or other tenants."""
        before = counted(self._before(ticket, spent))
        if before or self.is_strict:
            return place_in_line(before, "" if self.is_strict else f" of tenant {ticket.tenant}")
        return f"it is the next of tenant {ticket.tenant} in band {shown}; other tenants have their turn first"

    def holds_for_budget(self, job: Job) -> bool:
        """Return whether a ready job waits for the retry budget of its type."""
        return job.attempts > 0 and self.active.holds_for_budget(job.type)

    def promised_share(self) -> Mapping[str, float]:
        """Return what the cycle promises."""
        return self._promised

    def actual_share(self) -> Mapping[str, float]:
        """Return each band's part of the hand-outs so far, aged jobs in the band that they had come to."""
        return shares(self._handed_out)

    # -- ready jobs that lie in a store ----------------------------------------------------------------------

    def reload(self, tickets: Iterable[Ticket]) -> None:
        """Forget the ready jobs and take these, as a store found them; turns and credits stay."""
        self._turns.load(self._turns.save())
        self._lanes = Lanes()
        self._picked.clear()
        for ticket in tickets:
            self._lanes.add(ticket)
            if self.active.is_full(ticket.tenant):
                self._lanes.close(ticket.tenant)

    def last_served(self) -> Mapping[str, str | None] | None:
        """Return the tenant that each band served last, if their names alone say who is next."""
        return self._turns.last_served() if isinstance(self._turns, BandTurns) else None

    def emptied(self, band: str, tenant: str) -> None:
        """Hear that a tenant has no ready job in a band any more."""
        self._turns.emptied(band, tenant)

    def save(self) -> object:
        """Return turns, credits and all that was learnt, to be loaded should a step come to nothing."""
        return self._turns.save(), self._handed_out.copy(), self.active.save()

    def load(self, position: object) -> None:
        """Go back to what was saved."""
        turns, handed_out, learnt = position  # type: ignore[misc]
        self._turns.load(turns)  # type: ignore[has-type]
        self._handed_out = handed_out  # type: ignore[has-type]
        self.active.load(learnt)  # type: ignore[has-type]

    def _tell_of_tenant(self, tenant: str) -> None:
        for band in BANDS:
            if self._lanes.ready[band, tenant]:
                self._turns.changed(band, tenant)

    def _tell_of_leaving(self, gone: Ticket) -> None:
        place = gone.group.band, gone.tenant
        if self._lanes.ready[place]:
            self._turns.changed(*place)
        elif self._instant is None:
            self._turns.emptied(*place)
        else:
            self._left_alone.add(place)

    def _before(self, ticket: Ticket, spent: Spent) -> Iterator[int]:
        """Yield the jobs that come before one: in all lanes if strict, else in its tenant's in its band."""
        for key, group in self._lanes.groups():
            if (self.is_strict or key.band == ticket.group.band) and self.active.is_open(key):
                for tenant in group.names if self.is_strict else {ticket.tenant}.intersection(group.lanes):
                    earlier = group.lanes[tenant].before(ticket.rank)
                    yield from (number for number in earlier if not (key.is_retry and spent(number)))

    def _open(self, types: Asked, tenants: Asked) -> Mapping[str, list[Group]]:
        """Return the groups that may be served, by band: as many as there are types, not jobs or tenants."""
        groups: dict[str, list[Group]] = {}
        for key, group in self._lanes.groups():
            if (types is None or key.type in types) and self.active.is_open(key):
                part = group if tenants is None else group.only(tenants)
                if part.names:
                    groups.setdefault(key.band, []).append(part)
        return groups


def ticket_for(job: Job, now: int, aging_millis: int | None) -> Ticket:
    """Return the lane in which a ready job waits now, and its place there."""
    label = band_of(job.priority)
    band = band_at(label, job.ready_since, now, aging_millis)
    # Aged jobs come first in their tenant's lane, the longest ready first: else an old one would still wait
    # behind its own tenant's flood of new ones.
    is_aged = band != label
    key = (0, job.ready_since, 0, job.number) if is_aged else (1, *rank(job.priority, job.run_at, job.number))
    return Ticket(job.number, GroupKey(band, job.type, job.attempts > 0), job.tenant, job.cost, key)


def schedule_for(scheduler: Scheduler, active: ActiveLimits) -> PlainSchedule | LaneSchedule:
    """Return the simplest schedule that does what is asked for."""
    limits = active.limits
    has_limits = (
        active.budget is not None
        or active.dispatch is not None
        or limits.max_running_per_tenant is not None
        or bool(limits.max_running_per_band)
    )
    if isinstance(scheduler, StrictPriority) and not has_limits:
        return PlainSchedule()
    return LaneSchedule(scheduler, active)
