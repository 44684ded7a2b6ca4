"""Built from what was written down: a job has no state but its list of attempts, and all else is read from it.

Its tokens are numbers without a job's name, and its jobs are tuples in a list.
"""

from types import SimpleNamespace

from jobqueue import IllegalStateError, ManualClock, StaleTokenError


class Attempt:
    """One hand-out. It ends by a report, or at `until`."""

    def __init__(self, token: str, started: int, until: int) -> None:
        self.token, self.started, self.until = token, started, until
        self.outcome: str | None = None
        self.reported = 0

    def ended(self, now: int) -> bool:
        """Whether it is over at this instant."""
        return self.outcome is not None or now >= self.until

    @property
    def error(self) -> str:
        """Why it failed; empty if it succeeded. Asked only when it is over."""
        return "lease expired" if self.outcome is None else self.outcome

    @property
    def at(self) -> int:
        """When it ended. Asked only when it is over."""
        return self.until if self.outcome is None else self.reported


class PaperQueue:
    """Jobs as rows: what was submitted, and one list of attempts for each time that it was brought back."""

    def __init__(self, clock: ManualClock, max_attempts: int, base: int, cap: int) -> None:
        self._clock = clock
        self._max_attempts, self._base, self._cap = max_attempts, base, cap
        self._rows: list[tuple[str, str, int]] = []
        self._eras: list[list[tuple[int, list[Attempt]]]] = []
        self._tokens = 0

    def submit(self, type: str, payload: str = "", priority: int = 0) -> str:
        """Take a job in and return its id."""
        self._rows.append((type, payload, priority))
        self._eras.append([(self._clock.now(), [])])
        return f"J{len(self._rows)}"

    def poll(self, worker_id: str, lease_millis: int) -> SimpleNamespace | None:
        """Hand the best ready job to this worker."""
        now = self._clock.now()
        best = None
        for row, (_, _, priority) in enumerate(self._rows):
            status, since = self._status(row)
            rank = (priority, -since)
            if status == "PENDING" and since <= now and (best is None or rank > best[0]):
                best = rank, row
        if best is None:
            return None
        self._tokens += 1
        self._attempts(best[1]).append(Attempt(f"#{self._tokens}", now, now + lease_millis))
        return self._lease(best[1])

    def renew(self, job_id: str, token: str, lease_millis: int) -> SimpleNamespace:
        """Move the end of the current lease, never to an earlier instant."""
        attempt = self._current(job_id, token)
        attempt.until = max(attempt.until, self._clock.now() + lease_millis)
        return self._lease(self._row(job_id))

    def complete(self, job_id: str, token: str) -> None:
        """Report that the job is done."""
        attempt = self._current(job_id, token)
        attempt.outcome, attempt.reported = "", self._clock.now()

    def fail(self, job_id: str, token: str, error: str) -> None:
        """Report that the attempt has failed."""
        attempt = self._current(job_id, token)
        attempt.outcome, attempt.reported = error, self._clock.now()

    def view(self, job_id: str) -> SimpleNamespace:
        """Show a job as it is now."""
        row = self._row(job_id)
        status, since = self._status(row)
        failed = [one.error for _, all_ in self._eras[row] for one in all_ if one.ended(self._clock.now())]
        return SimpleNamespace(
            id=job_id,
            status=status,
            attempts=len(self._attempts(row)),
            next_run_at=since,
            last_error=next((error for error in reversed(failed) if error), None),
        )

    def dead_letters(self) -> list[SimpleNamespace]:
        """Show all dead jobs in the order of submission."""
        views = (self.view(f"J{row + 1}") for row in range(len(self._rows)))
        return [view for view in views if view.status == "DEAD"]

    def retry_dead(self, job_id: str) -> None:
        """Give a dead job a new set of attempts."""
        row = self._row(job_id)
        if self._status(row)[0] != "DEAD":
            raise IllegalStateError(f"{job_id} is not dead")
        self._eras[row].append((self._clock.now(), []))

    def _status(self, row: int) -> tuple[str, int]:
        """Where a job stands, and the instant from which it was or is ready."""
        ready, attempts = self._eras[row][-1]
        rest = self._base
        for place, attempt in enumerate(attempts, start=1):
            if not attempt.ended(self._clock.now()):
                return "RUNNING", ready
            if attempt.error == "":
                return "SUCCEEDED", ready
            if place == self._max_attempts:
                return "DEAD", ready
            ready = attempt.at + min(self._cap, rest)
            rest += rest
        return "PENDING", ready

    def _current(self, job_id: str, token: str) -> Attempt:
        attempts = self._attempts(self._row(job_id))
        if not attempts or attempts[-1].token != token or attempts[-1].ended(self._clock.now()):
            raise StaleTokenError(f"{token} opens nothing")
        return attempts[-1]

    def _attempts(self, row: int) -> list[Attempt]:
        return self._eras[row][-1][1]

    def _row(self, job_id: str) -> int:
        return int(job_id.removeprefix("J")) - 1

    def _lease(self, row: int) -> SimpleNamespace:
        kind, payload, _ = self._rows[row]
        attempts = self._attempts(row)
        last = attempts[-1]
        named = {"job_id": f"J{row + 1}", "token": last.token, "type": kind, "payload": payload}
        return SimpleNamespace(**named, attempt=len(attempts), lease_until=last.until)


def make_queue(
    max_attempts: int = 3, base_backoff_millis: int = 1_000, max_backoff_millis: int = 60_000
) -> tuple[PaperQueue, ManualClock]:
    """Make an empty queue and the clock that it reads, at 0."""
    clock = ManualClock()
    return PaperQueue(clock, max_attempts, base_backoff_millis, max_backoff_millis), clock
