"""Ready jobs in lanes: one heap for each (band, tenant, type, first attempt or retry).

Whatever may keep a job back (a pause, a limit, a budget) keeps back a whole lane, so nothing is ever searched.
Lanes of one band, type and sort form a group, whose limits are checked at each poll; a tenant that is at
its limit is taken out of its groups at once, and put back in when a lease of its ends.
"""

from bisect import bisect_right, insort
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from jobqueue.scheduling.indexed_heap import IndexedHeap

Asked = frozenset[str] | None
"""Which types, or tenants, a poll asks for; None for all."""


class GroupKey(NamedTuple):
    """What all jobs of a group have in common, apart from their tenants."""

    band: str
    type: str
    is_retry: bool


@dataclass(frozen=True, slots=True)
class Ticket:
    """What scheduling needs to know of a ready job; the smallest `rank`, ending in the number, goes first."""

    number: int
    group: GroupKey
    tenant: str
    cost: int
    rank: tuple[int, ...]


class Group:
    """The lanes of one group: those of tenants that may be served are listed by name and by their best job."""

    def __init__(self) -> None:
        self.lanes: dict[str, IndexedHeap[int]] = {}
        self.names: list[str] = []
        self.heads: IndexedHeap[str] = IndexedHeap()

    def show(self, tenant: str) -> None:
        """List a tenant at the place of its best job; if it has none, strike it off."""
        head = self.lanes[tenant].first() if tenant in self.lanes else None
        if head is None:
            self.hide(tenant)
            self.lanes.pop(tenant, None)
            return
        if self.heads.key_of(tenant) is None:
            insort(self.names, tenant)
        if self.heads.key_of(tenant) != head[0]:
            self.heads.put(tenant, head[0])

    def only(self, tenants: Iterable[str]) -> "Group":
        """Return the part of it that belongs to some tenants; it is to be looked at, not to be kept."""
        part = Group()
        for tenant in sorted(tenants):
            head = self.heads.key_of(tenant)
            if head is not None:
                part.lanes[tenant] = self.lanes[tenant]
                part.names.append(tenant)
                part.heads.put(tenant, head)
        return part

    def hide(self, tenant: str) -> None:
        """Strike a tenant off the lists; its lane stays."""
        if self.heads.key_of(tenant) is not None:
            self.heads.drop(tenant)
            self.names.pop(bisect_right(self.names, tenant) - 1)


class Lanes:
    """All ready jobs. It knows no clock, limits or turns: somebody else says which tenants are closed."""

    def __init__(self) -> None:
        self.tickets: dict[int, Ticket] = {}
        self.ready = Counter[tuple[str, str]]()  # by band and tenant
        self._groups: dict[GroupKey, Group] = {}
        self._groups_of: dict[str, set[GroupKey]] = {}  # by tenant, where it has jobs
        self._closed: set[str] = set()

    def __len__(self) -> int:
        return len(self.tickets)

    def add(self, ticket: Ticket) -> None:
        """Let a ready job join its lane."""
        self.tickets[ticket.number] = ticket
        self.ready[ticket.group.band, ticket.tenant] += 1
        group = self._groups.setdefault(ticket.group, Group())
        group.lanes.setdefault(ticket.tenant, IndexedHeap()).put(ticket.number, ticket.rank)
        self._groups_of.setdefault(ticket.tenant, set()).add(ticket.group)
        if ticket.tenant not in self._closed:
            group.show(ticket.tenant)

    def remove(self, number: int) -> Ticket | None:
        """Take a job out of its lane, wherever in it; None if it was in none."""
        ticket = self.tickets.pop(number, None)
        if ticket is None:
            return None
        place = (ticket.group.band, ticket.tenant)
        self.ready[place] -= 1
        if not self.ready[place]:
            del self.ready[place]
        group = self._groups[ticket.group]
        lane = group.lanes[ticket.tenant]
        lane.drop(number)
        if not lane:
            self._forget_lane(group, ticket)
        elif ticket.tenant not in self._closed:
            group.show(ticket.tenant)
        return ticket

    def close(self, tenant: str) -> None:
        """Let no job of a tenant be found until it is opened again."""
        self._closed.add(tenant)
        for key in self._groups_of.get(tenant, ()):
            self._groups[key].hide(tenant)

    def open(self, tenant: str) -> None:
        """Let the jobs of a tenant be found again."""
        if tenant not in self._closed:
            return
        self._closed.remove(tenant)
        for key in self._groups_of.get(tenant, ()):
            self._groups[key].show(tenant)

    # -- finding -----------------------------------------------------------------------------------------

    def groups(self) -> Iterator[tuple[GroupKey, Group]]:
        """Yield the groups in which some tenant may be served."""
        return ((key, group) for key, group in self._groups.items() if group.names)

    @staticmethod
    def next_tenant(groups: Iterable[Group], after: str | None) -> str:
        """Return the next tenant by name after one, wrapping; the groups must not all be empty."""
        following, first = [], []
        for group in groups:
            place = 0 if after is None else bisect_right(group.names, after)
            if place < len(group.names):
                following.append(group.names[place])
            first.append(group.names[0])
        return min(following or first)

    def best(self, groups: Iterable[Group]) -> Ticket:
        """Return the best job of these groups; there must be one."""
        heads = [head for group in groups if (head := group.heads.first()) is not None]
        return self.tickets[min(heads)[0][-1]]

    def best_of(self, tenant: str, groups: Iterable[Group]) -> Ticket | None:
        """Return the best job of a tenant in these groups; None if it may not be served in any of them."""
        ranks = [rank for group in groups if (rank := group.heads.key_of(tenant)) is not None]
        return self.tickets[min(ranks)[-1]] if ranks else None

    def _forget_lane(self, group: Group, ticket: Ticket) -> None:
        """Leave nothing behind of a lane that is empty: tenants and types come and go."""
        group.hide(ticket.tenant)
        del group.lanes[ticket.tenant]
        if not group.lanes:
            del self._groups[ticket.group]
        places = self._groups_of[ticket.tenant]
        places.discard(ticket.group)
        if not places:
            del self._groups_of[ticket.tenant]
            self._closed.discard(ticket.tenant)  # whoever adds a job of this tenant closes it again if need be
