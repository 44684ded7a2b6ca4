"""The schedule of a queue that asks for nothing special: strict priority, and types that can be paused."""

from collections.abc import Callable, Iterable, Mapping
from itertools import islice

from jobqueue.model import Job, Outcome
from jobqueue.scheduling.bands import BANDS, HIGH, LOW, NORMAL
from jobqueue.scheduling.indexed_heap import IndexedHeap
from jobqueue.scheduling.lanes import Asked
from jobqueue.scheduling.strict import StrictLines

Line = tuple[str, str]
"""A tenant and a type."""

MOST_COUNTED = 1000
"""How many jobs are counted that come before one: more would cost more the longer the line is."""

Spent = Callable[[int], bool]
"""Says of the number of a ready job whether it has had all its attempts, and so will not be handed out."""


class PlainSchedule:
    """Strict priority; the only thing that keeps a job back is that its type is paused.

    All ready jobs are in one heap. From the first poll for some types or tenants on, and the first pause, there
    are lines by type, or tenant and type, beside it: most queues never see one.
    """

    aging_millis = None
    keeps_credit = False
    depends_on_order = False

    def __init__(self) -> None:
        self.paused: set[str] = set()
        self._ready: IndexedHeap[int] = IndexedHeap()
        self._by_type: StrictLines[str] | None = None
        self._by_tenant: StrictLines[Line] | None = None
        self._handed_out = dict.fromkeys(BANDS, 0)

    def __len__(self) -> int:
        return len(self._ready)

    def add(self, job: Job, now: int) -> None:  # noqa: ARG002
        """Let a ready job join: highest priority first, then earliest run_at, then submission order."""
        key = (
            -job.priority,
            job.run_at,
            job.number,
            job,
        )  # no two numbers are equal, so the job decides nothing
        self._ready.put(job.number, key)
        if self._by_type is not None:
            self._by_type.add(job.number, job.type, key)
        if self._by_tenant is not None:
            self._by_tenant.add(job.number, (job.tenant, job.type), key)

    def remove(self, job: Job) -> None:
        """Take a job out."""
        self._ready.drop(job.number)
        if self._by_type is not None:
            self._by_type.remove(job.number, job.type)
        if self._by_tenant is not None:
            self._by_tenant.remove(job.number, (job.tenant, job.type))

    def begin_instant(self, at: int) -> None:
        """Nothing depends on it."""

    def end_instant(self) -> None:
        """Nothing depends on it."""

    def next_age_at(self, job: Job, now: int) -> int | None:  # noqa: ARG002
        """Nobody ages."""
        return None

    def pick(self, types: Asked, tenants: Asked) -> int | None:
        """Return the best ready job of these types that are not paused, and of these tenants."""
        if types is None and tenants is None and not self.paused:
            first = self._ready.first()
            return None if first is None else first[1]
        lines = self._lines_by_type()
        open_types = [name for name in (lines.names() if types is None else types) if name not in self.paused]
        if tenants is None:
            return lines.pick(open_types)
        return self._lines_by_tenant().pick([(tenant, name) for tenant in tenants for name in open_types])

    def _lines_by_type(self) -> StrictLines[str]:
        if self._by_type is None:
            self._by_type = StrictLines()
            for key, number in self._ready.items():
                self._by_type.add(number, key[-1].type, key)
        return self._by_type

    def _lines_by_tenant(self) -> StrictLines[Line]:
        if self._by_tenant is None:
            self._by_tenant = StrictLines()
            for key, number in self._ready.items():
                self._by_tenant.add(number, (key[-1].tenant, key[-1].type), key)
        return self._by_tenant

    def started(self, job: Job) -> None:
        """Count a hand-out of its band."""
        self._handed_out[HIGH if job.priority > 0 else LOW if job.priority else NORMAL] += 1

    def ended(self, job: Job, outcome: Outcome, *, permanent: bool) -> None:
        """Nothing is counted."""

    def save(self) -> object:
        """Return how many were handed out of each band."""
        return self._handed_out.copy()

    def load(self, position: object) -> None:
        """Go back to what was saved."""
        self._handed_out = position  # type: ignore[assignment]

    def holds_for_budget(self, job: Job) -> bool:  # noqa: ARG002
        """There is no budget."""
        return False

    def promised_share(self) -> Mapping[str, float]:
        """Promise nothing: the best job goes first, whatever band it is of."""
        return {}

    def actual_share(self) -> Mapping[str, float]:
        """Return each band's part of the hand-outs so far."""
        return shares(self._handed_out)

    def next_up(self, most: int, spent: Spent) -> list[int]:
        """Return the best jobs in order."""
        best = self._lines_by_type().best(self.paused)
        return list(islice((number for number in best if not spent(number)), most))

    def why_not(self, job: Job, now: int, spent: Spent) -> str | None:  # noqa: ARG002
        """Return that the type is paused, or how many jobs come before."""
        if job.type in self.paused:
            return f"type {job.type} is paused"
        before = self._lines_by_type().before(job.number, job.type, self.paused)
        return place_in_line(counted(number for number in before if not spent(number)))


def shares(handed_out: Mapping[str, int]) -> dict[str, float]:
    """Return each band's part of the hand-outs; empty before the first."""
    total = sum(handed_out.values())
    return {band: handed_out.get(band, 0) / total for band in BANDS} if total else {}


def counted(numbers: Iterable[int]) -> int:
    """Return how many jobs there are, or one more than `MOST_COUNTED`."""
    return sum(1 for _ in islice(numbers, MOST_COUNTED + 1))


def place_in_line(before: int, whose: str = "") -> str | None:
    """Return how many jobs come before; None if none does, and the job is next.

    >>> place_in_line(2), place_in_line(1001, " of tenant acme")
    ('2 jobs come before it', 'more than 1000 jobs of tenant acme come before it')
    """
    if not before:
        return None
    if before > MOST_COUNTED:
        return f"more than {MOST_COUNTED} jobs{whose} come before it"
    return f"{before} job{'s' * (before != 1)}{whose} {'come' if before != 1 else 'comes'} before it"
