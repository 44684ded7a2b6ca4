"""Another right answer: a heap of the ends of leases. An entry that is true no longer is passed over."""

from dataclasses import dataclass, replace
from enum import StrEnum
from heapq import heappop, heappush

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


class LeaseQueue:
    """Views are kept as they are shown, and replaced as a whole by each change."""

    def __init__(self, clock: TimeSource, max_attempts: int, rest_millis: int) -> None:
        self._clock, self._most, self._rest = clock, max_attempts, rest_millis
        self._views: list[JobView] = []
        self._work: list[tuple[str, str]] = []
        self._ends: list[tuple[int, int, str]] = []
        self._leases: dict[str, int] = {}

    def submit(self, type: str, payload: str = "") -> str:
        """Take a new job in."""
        name = f"J{len(self._views) + 1}"
        self._views.append(JobView(name, Status.PENDING, 0, self._clock.now(), None, None))
        self._work.append((type, payload))
        return name

    def poll(self, worker_id: str, lease_millis: int) -> Lease | None:
        """Hand out the job that has been ready for longest."""
        self.sweep()
        now = self._clock.now()
        ready = sorted(
            (view.run_at, number)
            for number, view in enumerate(self._views)
            if view.status == "PENDING" and not view.run_at > now
        )
        if not ready:
            return None
        number = ready[0][1]
        view = self._change(number, status=Status.RUNNING, attempts=self._views[number].attempts + 1)
        token = f"{view.id}:{view.attempts}"
        self._lease(number, token, now + lease_millis)
        return Lease(view.id, token, *self._work[number], view.attempts, now + lease_millis, worker_id)

    def complete(self, job_id: str, token: str) -> None:
        """Finish a job for its holder."""
        number = self._demand(job_id, token)
        del self._leases[token]
        self._change(number, status=Status.SUCCEEDED)

    def view(self, job_id: str) -> JobView:
        """Show a job."""
        self.sweep()
        return self._views[int(job_id[1:]) - 1]

    def sweep(self) -> int:
        """Take ends from the heap until one is to come."""
        ended = 0
        while self._ends and self._ends[0][0] <= self._clock.now():
            end, number, token = heappop(self._ends)
            if self._leases.get(token) != end:
                continue
            del self._leases[token]
            ended += 1
            if self._views[number].attempts >= self._most:
                self._change(number, status=Status.DEAD, last_error="lease expired", failed_at=end)
            else:
                run_at = end + self._rest
                self._change(number, status=Status.PENDING, last_error="lease expired", run_at=run_at)
        return ended

    def renew(self, job_id: str, token: str, lease_millis: int) -> int:
        """Lengthen a lease for its holder."""
        number = self._demand(job_id, token)
        end = self._clock.now() + lease_millis
        if end > self._leases[token]:
            self._lease(number, token, end)
        return self._leases[token]

    def _lease(self, number: int, token: str, end: int) -> None:
        self._leases[token] = end
        heappush(self._ends, (end, number, token))

    def _demand(self, job_id: str, token: str) -> int:
        self.sweep()
        if token not in self._leases or not token.startswith(f"{job_id}:"):
            raise LeaseOverError(token)
        return int(job_id[1:]) - 1

    def _change(self, number: int, **changes: object) -> JobView:
        self._views[number] = replace(self._views[number], **changes)
        return self._views[number]
