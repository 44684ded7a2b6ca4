"""Turns by cost: as much work for each tenant, not as many jobs.

Each turn of a tenant adds a quantum to its credit, and its jobs are paid from that.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from jobqueue.arguments import check_integer
from jobqueue.scheduling.indexed_heap import IndexedHeap
from jobqueue.scheduling.lanes import Group, Lanes, Ticket

LONGEST_WALK = 32
"""How many turns in which nobody can pay are walked one by one, before they are worked out."""

FEW_TENANTS = 32
"""For so many tenants a change of what may be served is noted one by one; for more, all is worked out anew."""


@dataclass(frozen=True, slots=True)
class DeficitRoundRobin:
    """As much cost each: a tenant's turn adds a quantum to its credit, and its jobs are paid from that.

    Source: M. Shreedhar and G. Varghese, "Efficient Fair Queuing using Deficit Round Robin", SIGCOMM 1995.

    Args:
        quantum: credit for each turn, in the unit of the jobs' cost. About the cost of a usual job is best: a
            much larger one makes long turns, a much smaller one many turns in which nobody can pay.
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

    While the quantum pays for most jobs, a selection looks at a few tenants. Where it does not, the tenants are
    put in the order in which they will be able to pay, once, and from then on a selection takes the first.
    """

    def __init__(self, quantum: int) -> None:
        self._quantum = quantum
        self._turn: str | None = None
        self._credit: dict[str, int] = {}
        self._race: Race | None = None

    def pick(self, band: str, lanes: Lanes, groups: Sequence[Group]) -> Ticket:  # noqa: ARG002
        """Return the next job that its tenant can pay for, and take the price."""
        if self._race is not None and not self._race.goes_on_with(groups):
            self._end_race()
        walked = 0
        while (ticket := self._paid_job(lanes, groups)) is None:
            walked += 1
            self._turn = self._next_turn(lanes, groups, walked)
        self._credit[ticket.tenant] -= ticket.cost
        return ticket

    def emptied(self, tenant: str) -> None:
        """Take a tenant's credit: who has nothing to do saves nothing up."""
        if self._race is not None:
            self._race.withdraw(tenant)
            self._race.stale.discard(tenant)
        self._credit.pop(tenant, None)

    def changed(self, tenant: str) -> None:
        """Note that a tenant's next job, or whether it may be served, is not what it was."""
        if self._race is not None:
            self._race.stale.add(tenant)

    def save(self) -> object:
        """Return the position."""
        self._end_race()
        return self._turn, dict(self._credit)

    def load(self, position: object) -> None:
        """Go back to a saved position."""
        turn, credit = position  # type: ignore[misc]
        self._turn, self._credit, self._race = turn, dict(credit), None  # type: ignore[has-type]

    def _paid_job(self, lanes: Lanes, groups: Sequence[Group]) -> Ticket | None:
        """Return the next job of the tenant whose turn it is, if its credit covers that."""
        ticket = None if self._turn is None else lanes.best_of(self._turn, groups)
        return ticket if ticket is not None and ticket.cost <= self._credit.get(ticket.tenant, 0) else None

    def _next_turn(self, lanes: Lanes, groups: Sequence[Group], walked: int) -> str:
        """Give the next tenant its turn and a quantum; after a long walk, go on to the first that can pay."""
        if self._race is None and walked <= LONGEST_WALK:
            tenant = lanes.next_tenant(groups, self._turn)
            self._credit[tenant] = self._credit.get(tenant, 0) + self._quantum
            return tenant
        if self._race is None:
            self._race = Race(self._quantum, self._credit, self._turn, groups)
        return self._race.first(lanes, groups)

    def _end_race(self) -> None:
        if self._race is not None:
            self._race.end()
            self._race = None


class Race:
    """The tenants of a band in the order in which they will be able to pay: by round, then by name.

    Rounds are counted, not walked: in each one every tenant that takes part gets a quantum. So the round in
    which it can pay is known when it joins, and its credit at any moment follows from the rounds since then.
    """

    def __init__(self, quantum: int, credit: dict[str, int], turn: str | None, groups: Sequence[Group]) -> None:
        self._quantum = quantum
        self._credit = credit  # of those that take part: as it was when they joined
        self._turn = turn
        self._round = 1
        self._order: IndexedHeap[str] = IndexedHeap()
        self._joined: dict[str, int] = {}  # how many turns a tenant had had when it joined
        self._groups = set(groups)
        self.stale = {name for group in groups for name in group.names}

    def goes_on_with(self, groups: Sequence[Group]) -> bool:
        """Take over what may be served now; return False if that changes things for too many tenants."""
        toggled = self._groups.symmetric_difference(groups)
        if sum(len(group.lanes) for group in toggled) > FEW_TENANTS:
            return False
        for group in toggled:
            self.stale.update(group.lanes)
        self._groups.symmetric_difference_update(toggled)
        return True

    def first(self, lanes: Lanes, groups: Sequence[Group]) -> str:
        """Let the rounds pass until a tenant can pay, give it what it has earned, and return it."""
        for name in self.stale:
            self.withdraw(name)
            if (ticket := lanes.best_of(name, groups)) is not None:
                self._join(name, ticket.cost)
        self.stale = set()
        winner = self._order.first()
        assert winner is not None, "some tenant has a job"  # noqa: S101 - for the type checker
        (self._round, self._turn), tenant = winner
        self.withdraw(tenant)
        self.stale.add(tenant)
        return tenant

    def withdraw(self, tenant: str) -> None:
        """Let a tenant take part no longer, with the credit that it has earned until now."""
        joined = self._joined.pop(tenant, None)
        if joined is not None:
            earned = (self._turns_of(tenant) - joined) * self._quantum
            self._credit[tenant] = self._credit.get(tenant, 0) + earned
            self._order.drop(tenant)

    def end(self) -> None:
        """Let all withdraw."""
        for tenant in list(self._joined):
            self.withdraw(tenant)

    def _join(self, tenant: str, price: int) -> None:
        missing = price - self._credit.get(tenant, 0)
        turns = max(1, -(-missing // self._quantum))  # its credit may suffice already, but its turn has to come
        self._joined[tenant] = self._turns_of(tenant)
        self._order.put(tenant, (self._joined[tenant] + turns, tenant))

    def _turns_of(self, tenant: str) -> int:
        """Return how many turns a tenant has had: one in each round, but in this one it may be yet to come."""
        is_to_come = self._turn is None or tenant > self._turn
        return self._round - is_to_come
