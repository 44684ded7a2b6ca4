"""Pickers: they choose the next job in a database, by the rules of `scheduling` over what SQL finds.

For each pick a fixed number of statements finds the first job of each lane that is open, and what runs. The
schedule itself then picks among them as it does in memory.
"""

import json
from typing import Protocol

from jobqueue.arguments import LONGEST_NAME
from jobqueue.model import Job, Outcome
from jobqueue.scheduling.lanes import Asked, GroupKey, Ticket
from jobqueue.scheduling.limits import Running
from jobqueue.scheduling.plain import MOST_COUNTED, PlainSchedule, Spent, place_in_line
from jobqueue.scheduling.schedule import LaneSchedule
from jobqueue.stores import selection, statements
from jobqueue.stores.database import Row
from jobqueue.stores.rows import Place, ready_place
from jobqueue.stores.session import Session

BEYOND_EVERY_NAME = "\U0010ffff" * (LONGEST_NAME + 1)


class Picker(Protocol):
    """Chooses the next job to hand out. It is called when jobs start, end and stop being ready."""

    def pick(self, types: Asked, tenants: Asked, most_attempts: int | None) -> Job | None:
        """Return the next job, locked, and take its turn, unless it has had that many attempts."""
        ...

    def next_up(self, most: int, most_attempts: int) -> list[int]:
        """Return the numbers of what that many picks would hand out."""
        ...

    def why_not(self, job: Job, now: int, most_attempts: int) -> str | None:
        """Return what keeps a ready job back, or how many come before it."""
        ...

    def holds_for_budget(self, job: Job) -> bool:
        """Return whether a ready job waits for the retry budget of its type."""
        ...

    def started(self, job: Job) -> None:
        """Called when the job that was picked starts to run."""
        ...

    def ended(self, job: Job, outcome: Outcome, *, permanent: bool) -> None:
        """Called when a job stops running."""
        ...

    def left(self, tenant: str, place: Place) -> None:
        """Called when a job leaves the lane in which it was ready."""
        ...


class PlainPicker:
    """The first of all ready jobs, or of those of some types and tenants."""

    def __init__(self, session: Session, schedule: PlainSchedule) -> None:
        self._session = session
        self._schedule = schedule

    def pick(self, types: Asked, tenants: Asked, most_attempts: int | None) -> Job | None:  # noqa: ARG002 - no turns
        """Return the best ready job of these types that are not paused, and of these tenants."""
        session = self._session
        if types is None and tenants is None:
            if not session.has_looked:  # for the second job of a poll for many
                session.look()
            number, session.candidate, session.has_looked = session.candidate, None, False
            if number is not None and (kept := session.kept(number)) is not None:
                return kept.job
            if not session.read(selection.PAUSED):
                return None
        return self._best_of(types, tenants)

    def _best_of(self, types: Asked, tenants: Asked) -> Job | None:
        """Choose, then lock; what another transaction has meanwhile is passed over."""
        text = selection.BEST_OF_ALL_TYPES if types is None else selection.BEST_OF_SOME_TYPES
        asked = asked_values(types, tenants)
        taken: list[int] = []
        while found := self._session.read(
            text if tenants is None else selection.BEST_OF_TENANTS, **asked, taken=json.dumps(taken)
        ):
            locked = self._session.jobs(statements.HOLD_READY, number=found[0][0])
            if locked:
                return locked[0]
            taken.append(found[0][0])
        return None

    def next_up(self, most: int, most_attempts: int) -> list[int]:
        """Return the best jobs in order."""
        rows = self._session.read(selection.NEXT_IN_LINE, most=most, most_attempts=most_attempts)
        return [row[0] for row in rows]

    def why_not(self, job: Job, now: int, most_attempts: int) -> str | None:  # noqa: ARG002 - others age
        """Return that the type is paused, or how many jobs come before."""
        if [job.type] in [list(row) for row in self._session.read(selection.PAUSED)]:
            return f"type {job.type} is paused"
        kept = self._session.kept(job.number)
        assert kept is not None, "the job was read in this turn"  # noqa: S101 - for the type checker
        place = kept.place
        before = self._session.read(
            selection.COUNT_BEFORE,
            **place.rank(job.number),
            most=MOST_COUNTED + 1,
            most_attempts=most_attempts,
        )
        return place_in_line(before[0][0])

    def holds_for_budget(self, job: Job) -> bool:  # noqa: ARG002 - there is no budget
        """There is no budget."""
        return False

    def started(self, job: Job) -> None:
        """Count a hand-out of its band."""
        self._schedule.started(job)

    def ended(self, job: Job, outcome: Outcome, *, permanent: bool) -> None:
        """Nothing is counted."""

    def left(self, tenant: str, place: Place) -> None:
        """Deficits are not kept: strict priority has none."""


class LanePicker:
    """The turns of bands and tenants, over the first jobs of the lanes that are open.

    What runs is read from the running jobs' rows, so a limit is exact however many processes there are. What
    belongs to this object alone is the place in the cycle, the tenants' turns and credits, and what a
    dispatch limit has learnt, which it learns from the jobs that this object has handed out.

    The cost of a pick does not grow with the number of jobs. With `RoundRobin` it grows with the closed lanes
    that it passes over on the way to the next tenant. With `DeficitRoundRobin`, or strict priority under
    limits, it grows with the number of lanes, that is, tenants times types. A poll for some tenants reads the
    lanes of these tenants alone.
    """

    def __init__(self, session: Session, schedule: LaneSchedule) -> None:
        self._session = session
        self._schedule = schedule
        self._order_of: dict[int, tuple[int, int]] = {}  # of what this object handed out: generation, order

    def pick(self, types: Asked, tenants: Asked, most_attempts: int | None) -> Job | None:
        """Return the next job; with `polls` locked, only a cancel or a deadline can come in between."""
        while True:
            self._count_running()
            self._schedule.reload(self._heads(types, tenants))
            position = self._schedule.save()
            number = self._schedule.pick(types, tenants)
            if number is None:
                return None
            locked = self._session.jobs(statements.HOLD_READY, number=number)
            if locked and (most_attempts is None or locked[0].attempts < most_attempts):
                return locked[0]
            self._schedule.load(position)
            if locked:
                return locked[0]

    def next_up(self, most: int, most_attempts: int) -> list[int]:
        """Pick for real, and put everything back; no lane can give more than its first `most`."""
        spent = self._spent(most_attempts)
        deep, found = most, list[int]()
        while True:
            self._count_running()
            # A retry that its budget holds may be next once a first attempt has been handed out.
            tickets = self._read_open(selection.FIRST_TICKETS, most=deep, held_types="[]")
            self._schedule.reload(tickets)
            found = self._schedule.next_up(most, spent)
            # Jobs that have had all their attempts are passed over, and others of their lanes come after them.
            passed = sum(ticket.group.is_retry and spent(ticket.number) for ticket in tickets)
            if deep >= most + passed:
                return found
            deep = most + passed

    def why_not(self, job: Job, now: int, most_attempts: int) -> str | None:
        """Return what keeps a job back; of those that come before it, it reads as many as are counted."""
        self._count_running()
        place = ready_place(job, now, self._schedule.aging_millis)
        text = selection.ALL_BEFORE if self._schedule.is_strict else selection.OWN_BEFORE
        before = self._read_open(
            text, **place.rank(job.number), band=place.band, tenant=job.tenant, most=MOST_COUNTED + 1
        )
        self._schedule.reload(
            {ticket.number: ticket for ticket in (*self._heads(None, None), *before)}.values()
        )
        return self._schedule.why_not(job, now, self._spent(most_attempts))

    def _spent(self, most_attempts: int) -> Spent:
        return lambda number: self._session.jobs(statements.JOB, number=number)[0].attempts >= most_attempts

    def holds_for_budget(self, job: Job) -> bool:
        """Return whether a ready job waits for the retry budget of its type."""
        if self._schedule.active.budget is None or job.attempts == 0:
            return False
        self._count_running()
        return self._schedule.holds_for_budget(job)

    def started(self, job: Job) -> None:
        """Count a running job, and remember its number among this object's hand-outs."""
        self._schedule.started(job)
        self._order_of[job.number] = job.generation, self._schedule.active.running[job.number].order

    def ended(self, job: Job, outcome: Outcome, *, permanent: bool) -> None:
        """Tell the dispatch limit how a job ended, if this object handed it out."""
        generation, _ = self._order_of.pop(job.number, (None, 0))
        if generation == job.generation and job.number in self._schedule.active.running:
            self._schedule.ended(job, outcome, permanent=permanent)

    def left(self, tenant: str, place: Place) -> None:
        """Reset a tenant's deficit once it has no ready job in a band: idle tenants save nothing up."""
        band = place.band
        if self._schedule.keeps_credit and not self._session.read(
            selection.HAS_READY, band=band, tenant=tenant
        ):
            self._schedule.emptied(str(band), tenant)

    def _count_running(self) -> None:
        """Count what runs, in all processes; see what is paused."""
        active, rows = self._schedule.active, self._session.read(selection.RUNNING)
        known = {row[0]: self._order_of[row[0]] for row in rows if row[0] in self._order_of}
        # What another process has ended is nothing to learn from, and must not pile up here.
        self._order_of = {row[0]: known[row[0]] for row in rows if known.get(row[0], (None,))[0] == row[1]}
        active.reload(
            {
                number: Running(
                    GroupKey(band, type_, bool(is_retry)), tenant, self._order_of.get(number, (0, 0))[1]
                )
                for number, _, tenant, band, type_, is_retry in rows
            }
        )
        active.paused.clear()
        active.paused.update(row[0] for row in self._session.read(selection.PAUSED))

    def _heads(self, types: Asked, tenants: Asked) -> list[Ticket]:
        """Return the first job of each open lane that could be next."""
        lasts = self._schedule.last_served()
        text = selection.LANE_HEADS if lasts is None else selection.NEXT_HEADS
        after = {f"after_{band.lower()}": last or "" for band, last in (lasts or {}).items()}
        text = text if tenants is None else selection.HEADS_OF_TENANTS
        return self._read_open(text, **asked_values(types, tenants), **after)

    def _read_open(self, text: str, **values: object) -> list[Ticket]:
        """Return what a statement finds in the lanes that are open."""
        closed = self._schedule.active.closed()
        if closed.everyone:
            return []
        closed_now = {
            "full_bands": json.dumps(closed.bands),
            "full_tenants": json.dumps(closed.tenants),
            "closed_types": json.dumps(closed.types),
            "held_types": json.dumps(closed.types_of_retries),
        }
        asked = asked_values(None, None) | closed_now | {"beyond": BEYOND_EVERY_NAME}
        return list(map(ticket_from, self._session.read(text, **asked | values)))


def asked_values(types: Asked, tenants: Asked) -> dict[str, object]:
    """Return the parameters that say which types and tenants are asked for."""
    return {
        "any_type": int(types is None),
        "types": json.dumps(sorted(types or ())),
        "tenants": json.dumps(sorted(tenants or ())),
    }


def ticket_from(row: Row) -> Ticket:
    """Return what scheduling needs to know of a ready job."""
    number, band, type_, is_retry, tenant, cost, *rank = row
    return Ticket(number, GroupKey(band, type_, bool(is_retry)), tenant, cost, (*rank, number))
