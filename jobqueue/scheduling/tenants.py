"""Whose turn it is among the tenants of one band: by count, or by cost."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from jobqueue.arguments import check_integer
from jobqueue.scheduling.lanes import Group, Lanes, Ticket


class TenantTurns(Protocol):
    """The turns of the tenants of one band in one queue."""

    def pick(self, band: str, lanes: Lanes, groups: Sequence[Group]) -> Ticket:
        """Return the next job and take the turn; some tenant has one."""
        ...

    def emptied(self, tenant: str) -> None:
        """Hear that a tenant has no ready job in this band any more."""
        ...

    def save(self) -> object:
        """Return the position."""
        ...

    def load(self, position: object) -> None:
        """Go back to a saved position."""
        ...


class TenantOrder(Protocol):
    """A way to take turns."""

    def begin(self) -> TenantTurns:
        """Return the turns of one band of one queue."""
        ...


@dataclass(frozen=True, slots=True)
class RoundRobin:
    """One job each: next is the next tenant by name after the last one served, wrapping."""

    def begin(self) -> "RoundRobinTurns":
        """Return the turns of one band."""
        return RoundRobinTurns()


class RoundRobinTurns:
    """Remembers who was served last; a tenant that was away comes back with no claim to what it missed."""

    def __init__(self) -> None:
        self._last: str | None = None

    def pick(self, band: str, lanes: Lanes, groups: Sequence[Group]) -> Ticket:  # noqa: ARG002
        """Return the best job of the next tenant."""
        self._last = lanes.next_tenant(groups, self._last)
        return lanes.best(groups, self._last)

    def emptied(self, tenant: str) -> None:
        """Nothing to forget: a turn leaves no credit."""

    def save(self) -> object:
        """Return the position."""
        return self._last

    def load(self, position: object) -> None:
        """Go back to a saved position."""
        self._last = position  # type: ignore[assignment]


@dataclass(frozen=True, slots=True)
class DeficitRoundRobin:
    """As much cost each: a tenant's turn adds a quantum to its credit, and its jobs are paid from that.

    Source: M. Shreedhar and G. Varghese, "Efficient Fair Queuing using Deficit Round Robin", SIGCOMM 1995.

    Args:
        quantum: credit for each turn, in the unit of the jobs' cost.
    """

    quantum: int = 10

    def __post_init__(self) -> None:
        """Refuse a quantum with which nobody could ever pay."""
        check_integer("quantum", self.quantum, low=1)

    def begin(self) -> "DeficitTurns":
        """Return the turns of one band."""
        return DeficitTurns(self.quantum)


class DeficitTurns:
    """Credits of the tenants of a band, and whose turn it is.

    One selection looks at one tenant while the quantum pays for most jobs; where it pays for none, at each
    tenant once: rounds in which nobody could pay are not walked but added up.
    """

    def __init__(self, quantum: int) -> None:
        self._quantum = quantum
        self._turn: str | None = None
        self._credit: dict[str, int] = {}

    def pick(self, band: str, lanes: Lanes, groups: Sequence[Group]) -> Ticket:  # noqa: ARG002
        """Return the next job that its tenant can pay for, and take the price."""
        if self._turn is not None and any(group.heads.key_of(self._turn) is not None for group in groups):
            ticket = lanes.best(groups, self._turn)
            if self._credit.get(self._turn, 0) >= ticket.cost:
                return self._paid(ticket)
        return self._walk(lanes, groups) or self._skip_rounds(lanes, groups)

    def emptied(self, tenant: str) -> None:
        """Take a tenant's credit: who has nothing to do saves nothing up."""
        self._credit.pop(tenant, None)

    def save(self) -> object:
        """Return the position."""
        return self._turn, dict(self._credit)

    def load(self, position: object) -> None:
        """Go back to a saved position."""
        turn, credit = position  # type: ignore[misc]
        self._turn, self._credit = turn, dict(credit)  # type: ignore[has-type]

    def _walk(self, lanes: Lanes, groups: Sequence[Group]) -> Ticket | None:
        """Give each tenant its turn, once around, until one can pay."""
        first = None
        while True:
            tenant = lanes.next_tenant(groups, self._turn)
            if tenant == first:
                return None
            first = first or tenant
            self._turn = tenant
            self._credit[tenant] = self._credit.get(tenant, 0) + self._quantum
            ticket = lanes.best(groups, tenant)
            if self._credit[tenant] >= ticket.cost:
                return self._paid(ticket)

    def _skip_rounds(self, lanes: Lanes, groups: Sequence[Group]) -> Ticket:
        """Add up the rounds in which nobody can pay, then walk the one in which somebody does."""
        names = set().union(*(group.names for group in groups))
        missing = min(lanes.best(groups, name).cost - self._credit[name] for name in names)
        idle_rounds = (missing - 1) // self._quantum
        for name in names:
            self._credit[name] += idle_rounds * self._quantum
        ticket = self._walk(lanes, groups)
        assert ticket is not None, "after the idle rounds somebody can pay"  # noqa: S101
        return ticket

    def _paid(self, ticket: Ticket) -> Ticket:
        self._credit[ticket.tenant] -= ticket.cost
        return ticket
