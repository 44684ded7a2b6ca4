"""Another right answer: the leases that are valid now are a table of their own, looked up by token.

Whoever has no row in the table holds nothing. Built with plain dicts and lists, without a class for jobs.
"""

from dataclasses import dataclass
from enum import StrEnum

from jobqueue import TimeSource


class StaleTokenError(RuntimeError):
    """The token that was shown is not the one of the job's current lease."""


class Status(StrEnum):
    """Where a job stands."""

    PENDING = "PENDING"
    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"


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


@dataclass
class JobView:
    """What anybody may see of a job."""

    id: str
    status: str
    attempts: int
    last_error: str | None


class TokenQueue:
    """A queue with three tables: what was submitted, what waits, and who holds what."""

    def __init__(self, clock: TimeSource) -> None:
        self._clock = clock
        self._views: dict[str, JobView] = {}
        self._work: dict[str, tuple[str, str]] = {}
        self._waiting: list[str] = []
        self._leases: dict[str, Lease] = {}

    def submit(self, type: str, payload: str = "") -> str:
        """Take a new job in."""
        job_id = "J" + str(len(self._views) + 1)
        self._views[job_id] = JobView(job_id, "PENDING", 0, None)
        self._work[job_id] = (type, payload)
        self._waiting.append(job_id)
        return job_id

    def poll(self, worker_id: str, lease_millis: int) -> Lease | None:
        """Hand out the job that was submitted first, of those that wait."""
        self._drop_old_leases()
        if not self._waiting:
            return None
        job_id = min(self._waiting, key=lambda waiting: int(waiting[1:]))
        self._waiting.remove(job_id)
        view = self._views[job_id]
        view.attempts += 1
        view.status = "RUNNING"
        token = f"{job_id} for {worker_id}, attempt {view.attempts}"
        until = self._clock.now() + lease_millis
        self._leases[token] = Lease(job_id, token, *self._work[job_id], view.attempts, until, worker_id)
        return self._leases[token]

    def view(self, job_id: str) -> JobView:
        """Show a job."""
        self._drop_old_leases()
        return self._views[job_id]

    def complete(self, job_id: str, token: str) -> None:
        """Finish a job for its holder."""
        self._take_back(job_id, token)
        self._views[job_id].status = "SUCCEEDED"

    def fail(self, job_id: str, token: str, error: str) -> None:
        """Let a job wait again, for its holder."""
        self._take_back(job_id, token)
        self._wait_again(job_id, error)

    def _take_back(self, job_id: str, token: str) -> None:
        self._drop_old_leases()
        lease = self._leases.get(token)
        if lease is None or lease.job_id != job_id:
            raise StaleTokenError(f"no lease on {job_id} has the token {token}")
        del self._leases[token]

    def _drop_old_leases(self) -> None:
        now = self._clock.now()
        for token in [token for token, lease in self._leases.items() if not now < lease.lease_until]:
            self._wait_again(self._leases.pop(token).job_id, "lease expired")

    def _wait_again(self, job_id: str, error: str) -> None:
        self._views[job_id].status = "PENDING"
        self._views[job_id].last_error = error
        self._waiting.append(job_id)
