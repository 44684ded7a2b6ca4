"""Another right answer: a job is the list of its attempts; all else is computed when somebody asks."""

from dataclasses import dataclass
from enum import StrEnum

from jobqueue import TimeSource


class LeaseOverError(RuntimeError):
    """Whoever called does not hold the job, or does not hold it any more."""


class Status(StrEnum):
    """Where a job stands."""

    PENDING = "PENDING"
    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"
    DEAD = "DEAD"


@dataclass(frozen=True, slots=True)
class Lease:
    """What a worker gets from poll."""

    job_id: str
    token: str
    type: str
    payload: str
    attempt: int
    lease_until: int
    worker_id: str


@dataclass(frozen=True, slots=True)
class JobView:
    """What anybody may see of a job."""

    id: str
    status: Status
    attempts: int
    run_at: int
    last_error: str | None
    failed_at: int | None


class Attempt:
    """One hand-out: it ends by a success or by time."""

    def __init__(self, until: int) -> None:
        self.until = until
        self.done = False
        self.swept = False


class LeaseQueue:
    """Nothing is ever settled, only counted."""

    def __init__(self, clock: TimeSource, max_attempts: int, rest_millis: int) -> None:
        self.clock = clock
        self.max_attempts = max_attempts
        self.rest = rest_millis
        self.jobs: dict[str, tuple[str, str, int, list[Attempt]]] = {}

    def submit(self, type: str, payload: str = "") -> str:
        """Take a new job in."""
        name = f"J{1 + len(self.jobs)}"
        self.jobs[name] = (type, payload, self.clock.now(), [])
        return name

    def poll(self, worker_id: str, lease_millis: int) -> Lease | None:
        """Hand out the first job that is ready."""
        self.sweep()
        best = None
        for name in self.jobs:
            view = self._state(name)
            if view.status is Status.PENDING and view.run_at <= self.clock.now():
                best = view if best is None or view.run_at < best.run_at else best
        if best is None:
            return None
        type, payload, _, attempts = self.jobs[best.id]
        attempts.append(Attempt(self.clock.now() + lease_millis))
        number = len(attempts)
        return Lease(best.id, f"{best.id}:{number}", type, payload, number, attempts[-1].until, worker_id)

    def complete(self, job_id: str, token: str) -> None:
        """Finish a job for its holder."""
        self._running(job_id, token).done = True

    def view(self, job_id: str) -> JobView:
        """Show a job."""
        self.sweep()
        return self._state(job_id)

    def sweep(self) -> int:
        """Count what has ended since somebody looked."""
        ended = [
            attempt
            for _, _, _, attempts in self.jobs.values()
            for attempt in attempts
            if not attempt.done and not attempt.swept and attempt.until <= self.clock.now()
        ]
        for attempt in ended:
            attempt.swept = True
        return len(ended)

    def renew(self, job_id: str, token: str, lease_millis: int) -> int:
        """Lengthen a lease for its holder."""
        attempt = self._running(job_id, token)
        attempt.until = max(self.clock.now() + lease_millis, attempt.until)
        return attempt.until

    def _running(self, job_id: str, token: str) -> Attempt:
        view = self.view(job_id)
        if view.status is not Status.RUNNING or token != f"{job_id}:{view.attempts}":
            raise LeaseOverError(job_id)
        return self.jobs[job_id][3][-1]

    def _state(self, name: str) -> JobView:
        _, _, run_at, attempts = self.jobs[name]
        ended = [attempt.until for attempt in attempts if attempt.swept]
        error = "lease expired" if ended else None
        if attempts and attempts[-1].done:
            status = Status.SUCCEEDED
        elif len(ended) == self.max_attempts:
            return JobView(name, Status.DEAD, len(attempts), self._due(run_at, ended[:-1]), error, ended[-1])
        else:
            status = Status.RUNNING if len(attempts) > len(ended) else Status.PENDING
        return JobView(name, status, len(attempts), self._due(run_at, ended), error, None)

    def _due(self, first: int, ended: list[int]) -> int:
        return ended[-1] + self.rest if ended else first
