"""The lanes of a board: every job as a card in its lane, and every worker with what it holds.

No Flask in here, and no rule of the queue: who is next comes from the scheduler, this module chooses words.
"""

from dataclasses import dataclass
from typing import Any

from jobqueue import EventKind, JobStatus, JobView
from jobqueue.model import job_number
from jobqueue.scheduling import StrictPriority
from jobqueue.scheduling.aging import band_at
from jobqueue.scheduling.bands import band_of
from jobqueue.simulation import World
from jobqueue.simulation.narration import asked, found
from jobqueue.simulation.units import in_seconds, seconds
from jobqueue.simulation.worker import SimulatedWorker, WorkerState

_LONGEST_TEXT = 120
_MOST_DOTS = 8

_REASONS = {
    "permanent": "its failure was reported as permanent",
    "attempts_exhausted": "all its attempts are used up",
    "deadline": "it could not be started before its deadline",
}

_ACTIONS = {
    WorkerState.IDLE: ("freeze", "crash"),
    WorkerState.WORKING: ("freeze", "crash"),
    WorkerState.FROZEN: ("thaw", "crash"),
    WorkerState.CRASHED: ("restart",),
}


@dataclass(frozen=True, slots=True)
class JobCard:
    """One job in its lane. `look` is the colour's name, and there are always words beside it."""

    id: str
    type: str
    payload: str
    look: str
    chip: str
    why: str
    band: str = ""
    tenant: str = ""
    cost: int = 1
    dots: str = ""
    attempts: str = ""
    due_at: int | None = None
    lease_left: int | None = None
    lease_length: int | None = None
    lease_until: int | None = None
    actions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WorkerCard:
    """One worker, what it holds for the queue, and what it only believes to hold."""

    name: str
    look: str
    doing: str
    jobs: list[JobCard]
    ghost: str | None
    refusal: str | None
    actions: tuple[str, ...]


class Lanes:
    """Sorts the jobs of a world into lanes, as they are now."""

    def __init__(self, world: World, jobs: list[JobView]) -> None:
        self._world = world
        self._now = world.now()
        self._most = world.scenario.policy.max_attempts
        self._jobs = jobs
        self._scheduler = world.scenario.rules.scheduler
        self._pending_since = _pending_since(world)

    def waiting(self) -> list[JobCard]:
        """Return the jobs that are not due yet, the next one first."""
        later = [job for job in self._in(JobStatus.PENDING) if job.next_run_at > self._now]
        later.sort(key=lambda job: (job.next_run_at, job_number(job.id)))
        return [self._waiting(job) for job in later]

    def ready(self) -> list[JobCard]:
        """Return the jobs that polls would hand out, in that order, then those that something keeps back."""
        ready = {job.id: job for job in self._in(JobStatus.PENDING) if job.next_run_at <= self._now}
        places = {job_id: place for place, job_id in enumerate(self._world.queue.next_up(len(ready)), 1)}
        held = [job_id for job_id in ready if job_id not in places]
        return [self._ready(ready[job_id], places.get(job_id)) for job_id in [*places, *held]]

    def succeeded(self) -> list[JobCard]:
        """Return the jobs that are done, the latest first."""
        return [
            self._card(job, "ok", f"✓ {seconds(job.finished_at or 0)}", f"succeeded at attempt {job.attempts}")
            for job in self._ended(JobStatus.SUCCEEDED)
        ]

    def cancelled(self) -> list[JobCard]:
        """Return the jobs that were taken back, the latest first."""
        return [
            self._card(job, "wait", seconds(job.finished_at or 0), "taken back while nobody held it")
            for job in self._ended(JobStatus.CANCELLED)
        ]

    def dead(self) -> list[JobCard]:
        """Return the dead letters in submission order."""
        return [self._dead(job) for job in self._in(JobStatus.DEAD)]

    def workers(self) -> list[WorkerCard]:
        """Return the workers."""
        return [self._worker(worker) for worker in self._world.workers.values()]

    # -- cards -------------------------------------------------------------------------------------------

    def _in(self, status: JobStatus) -> list[JobView]:
        return [job for job in self._jobs if job.status is status]

    def _ended(self, status: JobStatus) -> list[JobView]:
        return sorted(self._in(status), key=lambda job: job.finished_at or 0, reverse=True)

    def _card(self, job: JobView, look: str, chip: str, why: str, **more: Any) -> JobCard:
        payload = _short(self._world.queue.payload(job.id))
        tenant = "" if job.tenant == "default" else job.tenant
        return JobCard(job.id, job.type, payload, look, chip, why, self._band(job), tenant, job.cost, **more)

    def _waiting(self, job: JobView) -> JobCard:
        due = seconds(job.next_run_at)
        why = f"due at {due}{_before(job)}"
        if job.attempts:
            error = _short(job.last_error or "")
            why = f"attempt {job.attempts} of {self._most} failed: {error}; retry at {due}{_before(job)}"
        chip = f"in {seconds(job.next_run_at - self._now)}"
        return self._card(job, "wait", chip, why, due_at=job.next_run_at, actions=("cancel",))

    def _ready(self, job: JobView, place: int | None) -> JobCard:
        why = f"priority {job.priority}, ready since {seconds(self._ready_since(job))}{_before(job)}"
        if job.attempts:
            why += f", attempt {job.attempts} of {self._most} failed"
        if place != 1:
            why += f"; {in_seconds(self._world.queue.why_not(job.id))}"
        if place is None:
            chip = f"held: {job.hold}" if job.hold else "kept back"
            return self._card(job, "wait", chip, why, actions=("cancel",))
        return self._card(job, "ready", "next" if place == 1 else _ordinal(place), why, actions=("cancel",))

    def _ready_since(self, job: JobView) -> int:
        return max(job.next_run_at, self._pending_since.get(job.id, 0))

    def _band(self, job: JobView) -> str:
        """Return a job's band, and the one that it has come to by its age; empty where bands mean nothing."""
        if isinstance(self._scheduler, StrictPriority):
            return ""
        label = band_of(job.priority)
        if job.status is not JobStatus.PENDING or job.next_run_at > self._now:
            return label
        aged = band_at(label, self._ready_since(job), self._now, self._scheduler.aging_millis)
        return label if aged == label else f"{label}, aged to {aged}"

    def _dead(self, job: JobView) -> JobCard:
        reason = _REASONS.get(job.dead_reason or "", "")
        error = f"; last error: {_short(job.last_error)}" if job.last_error else ""
        why = f"{reason}{error}; dead for {seconds(self._now - (job.failed_at or 0))}"
        is_too_late = job.deadline is not None and job.deadline <= self._now
        if is_too_late:
            why += "; brought back, it would need a later deadline"
        actions = () if is_too_late else ("redrive",)
        return self._card(job, "dead", f"{job.attempts} of {self._most}", why, actions=actions)

    def _running(self, job: JobView, lease_millis: int) -> JobCard:
        until = job.lease_until or self._now
        left = until - self._now
        few = self._most <= _MOST_DOTS
        return self._card(
            job,
            "run",
            f"{job.id}:{job.generation}",
            f"{seconds(left)} of lease left",
            dots="●" * job.attempts + "○" * (self._most - job.attempts) if few else "",
            attempts=f"attempt {job.attempts} of {self._most}",
            lease_left=left,
            lease_length=max(lease_millis, left),
            lease_until=until,
            actions=("fail",) if self._is_at_work_on(job) else (),
        )

    def _is_at_work_on(self, job: JobView) -> bool:
        """Return whether a worker could report a failure of a running job now, and be believed."""
        worker = self._world.workers.get(job.worker_id or "")
        if worker is None or worker.lease is None or worker.state is not WorkerState.WORKING:
            return False
        return (worker.lease.job_id, worker.lease.generation) == (job.id, job.generation)

    def _worker(self, worker: SimulatedWorker) -> WorkerCard:
        # More than one, where it crashed with a job and has taken another since: the first lease still runs.
        held = [job for job in self._in(JobStatus.RUNNING) if job.worker_id == worker.name]
        ghost = None
        if worker.lease and worker.is_zombie:
            ghost = f"believes that it still has {worker.lease.job_id}, with token {worker.lease.token}"
        return WorkerCard(
            name=worker.name,
            look="ghost" if ghost else worker.state.value,
            doing=self._doing(worker, is_ghost=ghost is not None),
            jobs=[self._running(job, worker.habits.lease_millis) for job in held],
            ghost=ghost,
            refusal=self._refusal(worker) if worker.refusal else None,
            actions=_ACTIONS[worker.state],
        )

    def _refusal(self, worker: SimulatedWorker) -> str:
        """Return what the worker was refused last, with times as the board shows them."""
        refused = (
            event
            for event in reversed(self._world.chronicle.events)
            if event.kind is EventKind.REFUSED and event.worker_id == worker.name
        )
        event = next(refused, None)
        if event is None:
            return in_seconds(worker.refusal or "")  # a flawed queue may have put it down to somebody else
        return f"{worker.name} {asked(event)}, but {found(event)}."

    def _doing(self, worker: SimulatedWorker, *, is_ghost: bool) -> str:
        lost = is_ghost and worker.lease and self._now >= worker.lease.lease_until
        if lost and worker.state is WorkerState.WORKING:  # a flawed queue takes jobs from the living, too
            return "back from the dead"
        if worker.state is WorkerState.IDLE and worker.habits.first_poll_at > self._now:
            return f"starts at {seconds(worker.habits.first_poll_at)}"
        return "idle, asks again soon" if worker.state is WorkerState.IDLE else worker.state.value


def _pending_since(world: World) -> dict[str, int]:
    """Return when each job last became PENDING by a submit, a retry or a redrive."""
    kinds = {EventKind.SUBMITTED, EventKind.RETRY_SCHEDULED, EventKind.REDRIVEN}
    return {event.job_id: event.at for event in world.chronicle.events if event.job_id and event.kind in kinds}


def _before(job: JobView) -> str:
    return "" if job.deadline is None else f", to be started before {seconds(job.deadline)}"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - 1] + "…"


def _ordinal(number: int) -> str:
    is_teen = number % 100 in {11, 12, 13}
    return f"{number}{'th' if is_teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"
