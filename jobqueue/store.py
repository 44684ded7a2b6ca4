"""What a queue needs of the place where its jobs are: the seam behind which memory and databases differ.

The operations and the rules are the same for every queue. A `Store` finds and keeps jobs, and makes
read-decide-write one step; it decides nothing.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import islice
from string import ascii_lowercase, ascii_uppercase
from typing import Any, NamedTuple, Protocol

from jobqueue.arguments import check_asked, number_of
from jobqueue.audit import Redrive
from jobqueue.events import EventDispatcher
from jobqueue.model import Job, JobStatus
from jobqueue.scheduling.lanes import Asked
from jobqueue.statistics import Stats
from jobqueue.transitions import Changes
from jobqueue.views import Attempt


class Access(NamedTuple):
    """What a step will touch, said first: a store can lock it, and read it together with what is due.

    Attributes:
        job_id: it is about this job, and may change it.
        reads: it changes nothing, but for what time has decided.
        polls: it will pick jobs to hand out,
        types: of these types only,
        tenants: of these tenants only.
        submits: it may add a job,
        request_key: which has this key of this tenant.
    """

    job_id: str = ""
    reads: bool = False
    polls: bool = False
    types: Asked = None
    tenants: Asked = None
    submits: bool = False
    request_key: tuple[str, str] | None = None

    def details(self) -> dict[str, Any]:
        """Return what an event says of the poll that it answers."""
        details: dict[str, Any] = {"types": None if self.types is None else tuple(sorted(self.types))}
        return details if self.tenants is None else {**details, "tenants": tuple(sorted(self.tenants))}


READING, CHANGING = Access(reads=True), Access()
SUBMITTING, POLLING = Access(submits=True), Access(polls=True)


def access_of_poll(types: Iterable[str] | None, tenants: Iterable[str] | None) -> Access:
    """Return what a poll for jobs of some types and tenants touches; None for all.

    >>> access_of_poll(["mail"], None).types, access_of_poll(None, None) is POLLING
    (frozenset({'mail'}), True)
    """
    if types is None and tenants is None:
        return POLLING  # as nearly always
    return Access(polls=True, types=check_asked("types", types), tenants=check_asked("tenants", tenants))


SEARCHED_ERROR = 1000
"""How many characters of an error are searched."""

SEARCHED_JOBS = 10_000
"""How many jobs are searched for a text, the newest: to look at all would take longer the more there are."""

_SMALL = str.maketrans(ascii_uppercase, ascii_lowercase)


def lowered(text: str) -> str:
    """Return a text with small ASCII letters, as a database's `lower` has it; others stay as they are."""
    return text.translate(_SMALL)


@dataclass(frozen=True, slots=True)
class Search:
    """Which jobs are looked for; None wherever any will do.

    Attributes:
        status: in this state.
        type: of this type.
        tenant: of this tenant.
        text: an id, or found in the id, type, tenant, request key or the beginning of the last error, whether
            ASCII letters are large or small; looked for in the newest `SEARCHED_JOBS` that fit otherwise.
        before: with a smaller number than this.
        limit: at most so many.
    """

    status: JobStatus | None = None
    type: str | None = None
    tenant: str | None = None
    text: str | None = None
    before: int | None = None
    limit: int = 50

    def among(self, jobs: Iterable[Job]) -> list[Job]:
        """Return those of these jobs, newest first, that are looked for."""
        fitting = filter(self._fits, jobs)
        if self.text is not None:
            most = SEARCHED_JOBS if number_of(self.text) is None else None
            fitting = filter(self._is_in, islice(fitting, most))
        return list(islice(fitting, self.limit))

    def _fits(self, job: Job) -> bool:
        """Return whether all is true of a job but for the text."""
        return (
            (self.status is None or job.status is self.status)
            and (self.type is None or job.type == self.type)
            and (self.tenant is None or job.tenant == self.tenant)
            and (self.before is None or job.number < self.before)
        )

    def _is_in(self, job: Job) -> bool:
        if number_of(self.text or "") is not None:
            return job.id == self.text
        places = job.id, job.type, job.tenant, job.request_key or "", (job.last_error or "")[:SEARCHED_ERROR]
        return any(lowered(self.text or "") in lowered(place) for place in places)


class Store(Protocol):
    """The jobs of one queue. Every method but `transaction` and `close` is called inside a transaction."""

    @property
    def dispatcher(self) -> EventDispatcher:
        """Where the events of this queue go."""
        ...

    @property
    def newest(self) -> int | None:
        """The database's time at the last look, which came after every lock; None if it is not asked."""
        ...

    def transaction(self, access: Access) -> AbstractContextManager[object]:
        """Begin a step that nobody else sees half done; its events are delivered after its end."""
        ...

    def on_refusal(self, record: Callable[[Exception], None]) -> None:
        """Call `record` with each refusal, before its transaction ends."""
        ...

    def close(self) -> None:
        """Let go of what is open outside of this process."""
        ...

    @property
    def last_number(self) -> int:
        """The number of the newest job that was ever submitted."""
        ...

    @property
    def next_number(self) -> int:
        """The number for the next job; 0 if the store will give it one when the job is added."""
        ...

    @property
    def last_batch(self) -> int:
        """The number of the newest batch of redrives."""
        ...

    def get(self, job_id: str) -> Job | None:
        """Return a job."""
        ...

    def find(self, job_ids: Iterable[str]) -> list[Job]:
        """Return those of these jobs that exist, in submission order; their payloads may be left out."""
        ...

    def hold(self, job_ids: Iterable[str], *, waits: bool) -> list[Job]:
        """Return those of these jobs that exist, in submission order, for the caller to change them.

        If it `waits`, also those that others are changing, once they have done so.
        """
        ...

    def find_key(self, tenant: str, request_key: str) -> str | None:
        """Return the id of the job that a tenant's request key stands for."""
        ...

    def queued(self, tenant: str | None = None) -> int:
        """Return how many jobs are PENDING, in all or of one tenant."""
        ...

    def add(self, job: Job, now: int) -> str:
        """Keep a new job and return its id; a store that numbers jobs as it keeps them does so here."""
        ...

    def put(self, job: Job, changes: Changes, now: int) -> None:
        """Make these changes to a job, and let it wait where its new state belongs."""
        ...

    def due(self, now: int) -> Iterable[tuple[Job, int]]:
        """Yield each job that time has ended, and when, by instant, then submission order.

        The caller must put its changes before asking for the next job.
        """
        ...

    def attempts(self, job: Job) -> list[Attempt]:
        """Return one record for each time the job was handed out, oldest first."""
        ...

    def attempt(self, job: Job, generation: int) -> Attempt:
        """Return the record of one hand-out."""
        ...

    def dead(self) -> list[Job]:
        """Return the DEAD jobs in submission order."""
        ...

    def record(self, redrive: Redrive) -> None:
        """Keep the record of a job that is brought back."""
        ...

    def redrives(self, job: Job) -> list[Redrive]:
        """Return the records of a job, oldest first."""
        ...

    def surplus(self, keep: int, now: int) -> Iterator[Job]:
        """Yield the oldest finished jobs beyond the newest `keep`, perhaps not all; the caller drops each."""
        ...

    def prunable(self, keep: int, now: int, *, dead: bool) -> Iterator[Job]:
        """Yield all surplus, and the DEAD jobs beyond the `keep` that died last if asked, each to be dropped.

        A store may let others in between.
        """
        ...

    def drop(self, job: Job) -> None:
        """Forget a job that has ended, with its history and its key."""
        ...

    def pick(self, types: Asked, tenants: Asked, most_attempts: int | None = None) -> Job | None:
        """Return the next job to hand out and take its turn; the caller then puts it as RUNNING.

        A job that has had `most_attempts` takes no turn; the caller then puts it as DEAD.
        """
        ...

    def next_up(self, most: int, most_attempts: int) -> list[int]:
        """Return the numbers of what that many picks would hand out; it changes nothing."""
        ...

    def why_not(self, job: Job, now: int, most_attempts: int) -> str | None:
        """Return what keeps a ready job back; None if nothing does."""
        ...

    def hold_of(self, job: Job, now: int) -> str | None:
        """Return what keeps a ready job back for a reason of its own."""
        ...

    def paused(self) -> list[str]:
        """Return the paused types by name."""
        ...

    def set_paused(self, type_: str, *, paused: bool) -> bool:
        """Pause or resume a type; return whether that changed anything."""
        ...

    def stats(self, counts: Mapping[str, int], now: int) -> Stats:
        """Return the figures of this instant; `counts` says how often this queue told each kind of event."""
        ...

    def search(self, search: Search) -> list[Job]:
        """Return the jobs that fit, newest first; their payloads may be left out."""
        ...
