"""Whose turn it is among the tenants of one band: the shape of an answer, and the answer by count."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from jobqueue.scheduling.lanes import Group, Lanes, Ticket


class TenantTurns(Protocol):
    """The turns of the tenants of one band in one queue."""

    def pick(self, band: str, lanes: Lanes, groups: Sequence[Group]) -> Ticket:
        """Return the next job and take the turn; some tenant has one."""
        ...

    def emptied(self, tenant: str) -> None:
        """Hear that a tenant has no ready job in this band any more."""
        ...

    def changed(self, tenant: str) -> None:
        """Hear that a tenant's next job, or whether it may be served, is not what it was."""
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
        self.last: str | None = None

    def pick(self, band: str, lanes: Lanes, groups: Sequence[Group]) -> Ticket:  # noqa: ARG002
        """Return the best job of the next tenant."""
        self.last = lanes.next_tenant(groups, self.last)
        ticket = lanes.best_of(self.last, groups)
        assert ticket is not None, "a listed tenant has a job"  # noqa: S101 - for the type checker
        return ticket

    def emptied(self, tenant: str) -> None:
        """Nothing to forget: a turn leaves no credit."""

    def changed(self, tenant: str) -> None:
        """Nothing to note: the lists of the groups say all."""

    def save(self) -> object:
        """Return the position."""
        return self.last

    def load(self, position: object) -> None:
        """Go back to a saved position."""
        self.last = position  # type: ignore[assignment]
