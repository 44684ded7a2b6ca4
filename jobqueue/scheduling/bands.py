"""Weighted bands: high, normal and low each get their slots of a cycle, and lend those that they cannot use."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import gcd

from jobqueue.arguments import check_integer
from jobqueue.scheduling.lanes import Group, Lanes, Ticket
from jobqueue.scheduling.tenants import RoundRobin, RoundRobinTurns, TenantOrder, TenantTurns

HIGH, NORMAL, LOW = BANDS = "HNL"
"""The bands, highest first."""

LONGEST_CYCLE = 10_000


def band_of(priority: int) -> str:
    """Return the band of a priority: H above 0, N at 0, L below.

    >>> [band_of(priority) for priority in (9, 0, -1)]
    ['H', 'N', 'L']
    """
    return HIGH if priority > 0 else NORMAL if priority == 0 else LOW


@dataclass(frozen=True, slots=True)
class WeightedBands:
    """Which band is next: each hand-out takes one slot of a cycle.

    A slot whose band has nothing eligible is skipped, so nothing is idle while anything could be done. What is
    *not* promised: a latency (jobs may be of any length), or a bound on waiting while more comes in than goes
    out. The place in the cycle, the turns and the credits belong to one queue object: several processes on one
    store each keep their own, so shares hold for what each of them hands out.

    Args:
        cycle: the slots in order, letters of H (priority > 0), N (0) and L (< 0).
        tenants: which tenant of a band is next.
        aging_millis: a job gains one band for each such time that it was ready; None for never.
    """

    cycle: str = "HHHNNL"
    tenants: TenantOrder = field(default_factory=RoundRobin)
    aging_millis: int | None = None

    def __post_init__(self) -> None:
        """Refuse a cycle that serves nobody, or that no one could follow."""
        if not isinstance(self.cycle, str):
            raise TypeError(f"cycle: expected a str such as 'HHHNNL', found {type(self.cycle).__name__}")
        if not 1 <= len(self.cycle) <= LONGEST_CYCLE:
            raise ValueError(f"cycle: has {len(self.cycle)} slots, expected 1 to {LONGEST_CYCLE}")
        unknown = set(self.cycle) - set(BANDS)
        if unknown:
            raise ValueError(f"cycle: {min(unknown)!a} is no band, expected letters of {BANDS}")
        if isinstance(self.tenants, type) or not hasattr(self.tenants, "begin"):
            raise TypeError(
                f"tenants: expected RoundRobin() or DeficitRoundRobin(), found {self.tenants!a:.60}"
            )
        if self.aging_millis is not None:
            check_integer("aging_millis", self.aging_millis, low=1)

    @classmethod
    def from_weights(
        cls, *, tenants: TenantOrder | None = None, aging_millis: int | None = None, **weights: int
    ) -> "WeightedBands":
        """Return bands with these weights, divided by their greatest common divisor, highest band first.

        >>> WeightedBands.from_weights(H=6, N=4, L=2).cycle
        'HHHNNL'
        """
        for name, weight in weights.items():
            if name not in BANDS or len(name) != 1:
                raise ValueError(f"weights: {name[:40]!a} is no band, expected {', '.join(BANDS)}")
            check_integer(name, weight, low=0)
        common = gcd(*weights.values()) or 1
        if sum(weights.values()) // common > LONGEST_CYCLE:
            raise ValueError(f"weights: the cycle would have more than {LONGEST_CYCLE} slots")
        if not any(weights.values()):
            raise ValueError("weights: expected at least one that is more than 0, such as H=3, N=2, L=1")
        cycle = "".join(band * (weights.get(band, 0) // common) for band in BANDS)
        return cls(cycle, RoundRobin() if tenants is None else tenants, aging_millis)

    def begin(self) -> "BandTurns":
        """Return the turns of one queue, at the beginning of the cycle."""
        return BandTurns(self)

    def promised_share(self) -> Mapping[str, float]:
        """Return each band's part of the hand-outs while all have work."""
        return {band: self.cycle.count(band) / len(self.cycle) for band in BANDS}


class BandTurns:
    """Where one queue stands in the cycle, and whose turn it is in each band."""

    def __init__(self, config: WeightedBands) -> None:
        self._cycle = config.cycle
        self._slot = 0
        self._tenants: dict[str, TenantTurns] = {band: config.tenants.begin() for band in BANDS}

    def pick(self, lanes: Lanes, open_groups: Mapping[str, Sequence[Group]]) -> Ticket | None:
        """Return the job of the next slot and take the slot; None, and nothing moved, if nobody has one.

        Args:
            lanes: the ready jobs.
            open_groups: the groups that may be served, by band.
        """
        band = self._take_slot(open_groups)
        return None if band is None else self._tenants[band].pick(band, lanes, open_groups[band])

    def slots_away(self, band: str, open_groups: Mapping[str, Sequence[Group]]) -> int | None:
        """Return how many slots of other bands with work come before the next one of this band.

        None if this band has no slot, and has to wait until others have no work.
        """
        if band not in self._cycle:
            first = {*self._cycle, *BANDS[: BANDS.index(band)]}
            return None if any(open_groups.get(other) for other in first) else 0
        away = 0
        for step in range(len(self._cycle)):
            letter = self._cycle[(self._slot + step) % len(self._cycle)]
            if letter == band:
                return away
            away += bool(open_groups.get(letter))
        return away

    def emptied(self, band: str, tenant: str) -> None:
        """Hear that a tenant has no ready job in a band any more."""
        self._tenants[band].emptied(tenant)

    def changed(self, band: str, tenant: str) -> None:
        """Hear that a tenant's next job in a band, or whether it may be served, is not what it was."""
        self._tenants[band].changed(tenant)

    def last_served(self) -> Mapping[str, str | None] | None:
        """Return the tenant that each band served last, if all take turns by name alone."""
        served = {
            band: turns.last for band, turns in self._tenants.items() if isinstance(turns, RoundRobinTurns)
        }
        return served if len(served) == len(self._tenants) else None

    def save(self) -> object:
        """Return the position, to be loaded again."""
        return self._slot, {band: turns.save() for band, turns in self._tenants.items()}

    def load(self, position: object) -> None:
        """Go back to a saved position."""
        self._slot, tenants = position  # type: ignore[misc]
        for band, turns in self._tenants.items():
            turns.load(tenants[band])  # type: ignore[has-type]

    def _take_slot(self, open_groups: Mapping[str, Sequence[Group]]) -> str | None:
        for step in range(len(self._cycle)):
            place = (self._slot + step) % len(self._cycle)
            if open_groups.get(self._cycle[place]):
                self._slot = (place + 1) % len(self._cycle)
                return self._cycle[place]
        # A band without a slot is served when no band that has one could be.
        return next((band for band in BANDS if open_groups.get(band)), None)
