"""A mistake about who else is there: what was true at the look need not be true at the taking."""

from dataclasses import replace
from typing import Any

from jobqueue.events import EventKind
from jobqueue.model import PENDING, Job, Lease
from jobqueue.queue import JobQueue
from jobqueue.store import POLLING, Access

GAP_MILLIS = 10
"""How long before it takes a job this queue looked for it. Among threads it is shorter, and as bad."""


class ChecksThenActs(JobQueue):
    """Looks for the best job in one moment and takes it in a later one, without looking again."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self._looks: dict[int, list[int]] = {}  # by instant, oldest first: what a look at its end would choose
        super().__init__(*args, **options)

    def _expire_due(self) -> int:
        self._looks[self._now] = self._next()  # nothing has changed since the last operation ended
        return super()._expire_due()

    def _next(self) -> list[int]:
        return self._store.next_up(1, self._rules.retry.policy.max_attempts)

    def _seen_at(self, instant: int) -> Job | None:
        """Return the job that a look at an instant chose, as it is now."""
        until = [at for at in self._looks if at <= instant]
        for at in until[:-1]:
            del self._looks[at]
        chosen = self._looks[until[-1]] if until else []
        return self._store.get(f"J{chosen[0]}") if chosen else None

    def _hand_out(self, worker_id: str, lease_millis: int, access: Access, now: int) -> Lease | None:
        job = self._seen_at(now - GAP_MILLIS)  # and whoever has it by now, it is taken
        if access != POLLING or (job and self._next() == [job.number]):
            return super()._hand_out(worker_id, lease_millis, access, now)  # nobody came in between
        if job is None:
            return None
        changes = self._rules.leased(replace(job, status=PENDING), now, worker_id, lease_millis)
        return self._put(job, changes, now, EventKind.LEASED, access.details).lease()
