"""A job as a row: its fields by name, and the place where it waits.

The place is what an index can find: whether the job is ready, in which lane and where in it, and the next
instant at which time alone moves it. It follows from the job and the instant, by the same rules as in memory.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from jobqueue.arguments import number_of
from jobqueue.audit import Redrive
from jobqueue.lifecycle import Lifecycle
from jobqueue.model import RUNNING, Job, JobStatus, Outcome
from jobqueue.scheduling.aging import next_age_at
from jobqueue.scheduling.bands import band_of
from jobqueue.scheduling.schedule import ticket_for
from jobqueue.stores.database import Row
from jobqueue.views import Attempt


class Place(NamedTuple):
    """Where a job waits. Of a running job the lane is the one that it was handed out from."""

    is_ready: int = 0
    band: str | None = None
    is_retry: int = 0
    rank0: int = 0
    rank1: int = 0
    rank2: int = 0
    due_at: int | None = None

    def rank(self, number: int) -> dict[str, int]:
        """Return by column what its place among the jobs of its lane is."""
        return {"rank0": self.rank0, "rank1": self.rank1, "rank2": self.rank2, "number": number}


FIELDS = Job.__slots__
COLUMNS = (*FIELDS, *Place._fields)
ATTEMPT_COLUMNS = ("number", *Attempt.__dataclass_fields__)
_STATUS, _OUTCOME, _PAYLOAD = (FIELDS.index(name) for name in ("status", "outcome", "payload"))


def place_of(
    rules: Lifecycle,
    job: Job,
    now: int,
    aging_millis: int | None,
    before: Place = Place(),  # noqa: B008 - frozen
) -> Place:
    """Return where a job waits at the instant `now`, given where it waited before."""
    is_ready = rules.is_ready(job, now)
    age_at = next_age_at(band_of(job.priority), job.ready_since, now, aging_millis) if is_ready else None
    due_at = rules.due_at(job, age_at, is_ready=is_ready)
    if is_ready:
        return ready_place(job, now, aging_millis)._replace(due_at=due_at)
    if job.status is RUNNING:
        return before._replace(is_ready=0, due_at=due_at)
    return Place(due_at=due_at)


def ready_place(job: Job, now: int, aging_millis: int | None) -> Place:
    """Return where a ready job waits at the instant `now`, without what time will do to it."""
    ticket = ticket_for(job, now, aging_millis)
    rank0, rank1, rank2, _ = ticket.rank
    return Place(1, ticket.group.band, int(ticket.group.is_retry), rank0, rank1, rank2)


def values_of(job: Job, place: Place) -> dict[str, Any]:
    """Return a row's values by column, plain ones that every driver takes."""
    values = {name: getattr(job, name) for name in FIELDS} | place._asdict()
    values["status"] = job.status.value
    values["outcome"] = None if job.outcome is None else job.outcome.value
    return values


def attempt_values(number: int, attempt: Attempt) -> dict[str, Any]:
    """Return the values of the row of an attempt, their names apart from those of a job."""
    values = {f"ended_{name}": getattr(attempt, name) for name in ATTEMPT_COLUMNS[1:]}
    values["ended_outcome"] = None if attempt.outcome is None else attempt.outcome.value
    return {"ended_number": number, **values}


def attempt_from(row: Row) -> Attempt:
    """Return the attempt that a row without its number is of."""
    values = dict(zip(ATTEMPT_COLUMNS[1:], row, strict=True))
    values["outcome"] = None if values["outcome"] is None else Outcome(values["outcome"])
    return Attempt(**values)


def redrive_from(job_id: str, row: Row) -> Redrive:
    """Return the record of a redrive that a row is of."""
    era, at, run_at, actor, note, has_new_payload, deadline, batch = row
    return Redrive(job_id, era, at, run_at, actor, note, bool(has_new_payload), deadline, batch)


class Kept(NamedTuple):
    """A job and its place, as they are in the database."""

    job: Job
    place: Place


def kept_from(row: Row) -> Kept:
    """Return the job and the place that a row of `COLUMNS` is of."""
    values = list(row[: len(FIELDS)])
    values[_STATUS] = JobStatus(values[_STATUS])
    values[_OUTCOME] = values[_OUTCOME] and Outcome(values[_OUTCOME])
    return Kept(Job(*values), Place(*row[len(FIELDS) :]))


def numbers_of(job_ids: Iterable[str]) -> Iterator[int]:
    """Yield the numbers of these ids, leaving out what could be no id."""
    return (number for job_id in job_ids if (number := number_of(job_id)) is not None)
