"""A ledger of jobs, kept from events alone: each job as the queue's events describe it so far.

It applies no rule of the queue and believes every event, so it works for flawed queues too.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from jobqueue.events import Event, EventKind
from jobqueue.model import JobStatus
from jobqueue.scheduling.bands import BANDS, band_of

ENDINGS = frozenset({EventKind.COMPLETED, EventKind.FAILED, EventKind.LEASE_EXPIRED, EventKind.RELEASED})
"""The events that end an attempt."""


@dataclass(slots=True)
class JobRecord:
    """One job according to the events so far. `is_open` while an attempt has begun and not ended."""

    id: str
    type: str
    tenant: str
    priority: int
    cost: int
    run_at: int
    ready_since: int
    status: JobStatus = JobStatus.PENDING
    attempts: int = 0
    generation: int = 0
    token: str = ""
    worker: str = ""
    lease_until: int = 0
    is_open: bool = False
    rest_millis: int | None = None

    @property
    def band(self) -> str:
        """The band of its priority."""
        return band_of(self.priority)


class Ledger:
    """All jobs according to the events so far, and how often each band and tenant was passed over.

    Attributes:
        jobs: by id, those that were dropped left out.
        tokens: every token that was ever handed out.
        passed: for each band, the hand-outs to others in a row while it had a ready job.
        gained: for each (band, waiting tenant) what others were handed out meanwhile, as (jobs, cost).
    """

    def __init__(self) -> None:
        self.jobs: dict[str, JobRecord] = {}
        self.tokens: set[str] = set()
        self.passed = Counter[str]()
        self.gained: dict[tuple[str, str], dict[str, tuple[int, int]]] = {}
        self.paused: set[str] = set()
        self.submitted = 0
        self.dropped = 0
        self.last_seq = 0

    def job_of(self, event: Event) -> JobRecord | None:
        """Return the job that an event is about, as it was before this event."""
        return self.jobs.get(str(event.job_id))

    def ready(self, at: int) -> Iterator[JobRecord]:
        """Yield the jobs that wait and are due at an instant."""
        return (job for job in self.jobs.values() if job.status is JobStatus.PENDING and job.run_at <= at)

    def is_open_hand_out(self, event: Event) -> bool:
        """Return whether a hand-out was asked for without conditions, so that turns can be counted by it."""
        return event.detail.get("types") is None and not self.paused

    def note(self, event: Event) -> None:
        """Update the job that an event is about."""
        self.last_seq = event.seq
        match event.kind:
            case EventKind.SUBMITTED:
                self._submitted(event)
            case EventKind.PAUSED:
                self.paused.add(event.detail["type"])
            case EventKind.RESUMED:
                self.paused.discard(event.detail["type"])
            case EventKind.DROPPED:
                self.dropped += self.jobs.pop(str(event.job_id), None) is not None
            case EventKind.REFUSED:
                pass  # a refused call has changed nothing
            case _ if (job := self.job_of(event)) is not None:
                self._changed(job, event)

    def _submitted(self, event: Event) -> None:
        detail, job_id = event.detail, str(event.job_id)
        run_at = event.at if detail.get("run_at_millis") is None else detail["run_at_millis"]
        self.submitted += 1
        self.jobs[job_id] = JobRecord(
            job_id,
            detail["type"],
            detail.get("tenant", "default"),
            detail.get("priority", 0),
            detail.get("cost", 1),
            run_at,
            max(run_at, event.at),
        )

    def _changed(self, job: JobRecord, event: Event) -> None:
        at, detail = event.at, event.detail
        match event.kind:
            case EventKind.LEASED:
                self._count_turn(job, event)
                job.status, job.is_open = JobStatus.RUNNING, True
                job.token, job.worker = detail["token"], str(event.worker_id)
                job.attempts, job.generation = job.attempts + 1, event.generation
                job.lease_until = detail["lease_until"]
                self.tokens.add(job.token)
            case EventKind.RENEWED:
                # A worker that renews an expired lease holds the job again, rightly or not.
                job.status, job.lease_until = JobStatus.RUNNING, detail["lease_until"]
            case EventKind.COMPLETED:
                job.status, job.is_open = JobStatus.SUCCEEDED, False
            case EventKind.FAILED | EventKind.LEASE_EXPIRED:
                job.is_open = False
            case EventKind.RELEASED:
                job.status, job.is_open, job.attempts = JobStatus.PENDING, False, job.attempts - 1
            case EventKind.RETRY_SCHEDULED:
                job.status, job.run_at, job.rest_millis = (
                    JobStatus.PENDING,
                    detail["run_at"],
                    detail["run_at"] - at,
                )
                job.ready_since = max(job.run_at, at)
            case EventKind.DEAD_LETTERED:
                job.status = JobStatus.DEAD
            case EventKind.CANCELLED:
                job.status = JobStatus.CANCELLED
            case EventKind.REDRIVEN:
                job.status, job.attempts, job.rest_millis = JobStatus.PENDING, 0, None
                job.run_at, job.ready_since = detail["run_at"], max(detail["run_at"], at)

    def _count_turn(self, served: JobRecord, event: Event) -> None:
        """Count one more hand-out to somebody else for each band and tenant that waits; reset the others."""
        waiting = [job for job in self.ready(event.at) if job is not served]
        counts = self.is_open_hand_out(event)
        bands = {job.band for job in waiting} if counts else set()
        for band in BANDS:
            self.passed[band] = self.passed[band] + 1 if band in bands and band != served.band else 0
        tenants = {job.tenant for job in waiting if job.band == served.band and job.tenant != served.tenant}
        elsewhere = {(job.band, job.tenant) for job in waiting if counts and job.band != served.band}
        gained = {place: self.gained[place] for place in elsewhere & self.gained.keys()}
        for tenant in tenants if counts else ():
            place = served.band, tenant
            jobs, cost = self.gained.get(place, {}).get(served.tenant, (0, 0))
            gained[place] = {**self.gained.get(place, {}), served.tenant: (jobs + 1, cost + served.cost)}
        self.gained = gained
