"""Another right answer: a job's state is a view that is replaced as a whole; its place is its number."""

from dataclasses import dataclass, replace
from enum import StrEnum

from jobqueue import TimeSource


class StaleTokenError(RuntimeError):
    """The token that was shown is not the one of the job's current hand-out."""


class NotDeadError(RuntimeError):
    """Only a dead job can be brought back."""


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
    generation: int
    lease_until: int
    worker_id: str


@dataclass(frozen=True, slots=True)
class Attempt:
    """One hand-out of a job, as history tells it."""

    attempt: int
    generation: int
    outcome: str | None
    error: str | None


@dataclass(frozen=True, slots=True)
class JobView:
    """What anybody may see of a job."""

    id: str
    status: Status
    attempts: int
    run_at: int
    last_error: str | None
    failed_at: int | None
    dead_reason: str | None


class DeadLetterQueue:
    """The number of a job is its place in the lists."""

    def __init__(self, clock: TimeSource, max_attempts: int, rest_millis: int) -> None:
        self.clock, self.most, self.rest = clock, max_attempts, rest_millis
        self.views: list[JobView] = []
        self.work: list[tuple[str, str, int | None]] = []
        self.tries: list[list[Attempt]] = []
        self.remarks: list[list[str]] = []

    def submit(self, type: str, payload: str = "", deadline: int | None = None) -> str:
        """Take a new job in."""
        name = "J" + str(len(self.views) + 1)
        self.views.append(JobView(name, Status.PENDING, 0, self.clock.now(), None, None, None))
        self.work.append((type, payload, deadline))
        self.tries.append([])
        self.remarks.append([])
        return name

    def poll(self, worker_id: str, lease_millis: int) -> Lease | None:
        """Hand out the job that has been ready for longest."""
        waiting = sorted((v.run_at, n) for n, v in enumerate(self.views) if v.status == "PENDING")
        if not waiting or waiting[0][0] > self.clock.now():
            return None
        n = waiting[0][1]
        attempt, generation = self.views[n].attempts + 1, len(self.tries[n]) + 1
        self._set(n, status=Status.RUNNING, attempts=attempt)
        self.tries[n].append(Attempt(attempt, generation, None, None))
        name, (type, payload, _) = self.views[n].id, self.work[n]
        return Lease(
            name,
            f"{name}:{generation}",
            type,
            payload,
            attempt,
            generation,
            self.clock.now() + lease_millis,
            worker_id,
        )

    def complete(self, job_id: str, token: str) -> None:
        """Finish a job for its holder."""
        n = self._end(job_id, token, "succeeded", None)
        self._set(n, status=Status.SUCCEEDED)

    def view(self, job_id: str) -> JobView:
        """Show a job."""
        return self.views[self._number(job_id)]

    def fail(self, job_id: str, token: str, error: str, *, permanent: bool = False) -> None:
        """Ask the three reasons in their order."""
        n = self._end(job_id, token, "failed", error)
        now, deadline = self.clock.now(), self.work[n][2]
        reasons = {
            "permanent": permanent,
            "attempts_exhausted": self.views[n].attempts == self.most,
            "deadline": deadline is not None and not now + self.rest < deadline,
        }
        reason = next((name for name, applies in reasons.items() if applies), None)
        self._set(n, last_error=error)
        if reason:
            self._set(n, status=Status.DEAD, failed_at=now, dead_reason=reason)
        else:
            self._set(n, status=Status.PENDING, run_at=now + self.rest)

    def dead_letters(self) -> list[str]:
        """Look through the views."""
        return [view.id for view in self.views if view.dead_reason]

    def history(self, job_id: str) -> list[Attempt]:
        """Tell the attempts."""
        return list(self.tries[self._number(job_id)])

    def retry_dead(self, job_id: str) -> None:
        """Bring a job back."""
        view = self.view(job_id)
        if view.status != Status.DEAD:
            raise NotDeadError(job_id)
        fresh = JobView(job_id, Status.PENDING, 0, self.clock.now(), view.last_error, None, None)
        self.views[self._number(job_id)] = fresh

    def redrive(self, job_id: str, note: str) -> None:
        """Bring a job back, with a note."""
        self.retry_dead(job_id)
        self.remarks[self._number(job_id)].append(note)

    def notes(self, job_id: str) -> list[str]:
        """Tell the notes."""
        return list(self.remarks[self._number(job_id)])

    def redrive_many(self, job_ids: list[str], note: str, spread_millis: int = 0) -> list[tuple[str, str]]:
        """Try one after the other."""
        names = [view.id for view in self.views]
        rows, done = [], 0
        for name in sorted({*job_ids} & {*names}, key=self._number):
            try:
                self.redrive(name, note)
            except NotDeadError:
                rows.append((name, "wrong_state"))
            else:
                self._set(self._number(name), run_at=self.clock.now() + done * spread_millis)
                done += 1
                rows.append((name, "done"))
        strangers: list[str] = []
        for name in job_ids:
            if name not in names and name not in strangers:
                strangers.append(name)
        return [*rows, *((name, "unknown") for name in strangers)]

    def _end(self, job_id: str, token: str, outcome: str, error: str | None) -> int:
        n = self._number(job_id)
        if self.views[n].status != Status.RUNNING or f"{job_id}:{len(self.tries[n])}" != token:
            raise StaleTokenError(token)
        self.tries[n][-1] = replace(self.tries[n][-1], outcome=outcome, error=error)
        return n

    def _set(self, n: int, **changes: object) -> None:
        self.views[n] = replace(self.views[n], **changes)

    @staticmethod
    def _number(job_id: str) -> int:
        return int(job_id[1:]) - 1
