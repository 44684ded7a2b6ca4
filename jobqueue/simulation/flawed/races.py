"""A mistake about who else is there: what was true at the look need not be true at the taking."""

from typing import Any

from jobqueue import lifecycle
from jobqueue.lifecycle import PENDING, RUNNING
from jobqueue.model import Job, Lease
from jobqueue.simulation.flawed.in_memory import InMemory
from jobqueue.storage import POLLING, Aim
from jobqueue.turn import Fault, Step
from jobqueue.views import attempt_of, lease_of

GAP_MILLIS = 10
"""How long before it takes a job this queue looked for it. Among threads it is shorter, and as bad."""


class ChecksThenActs(InMemory):
    """Looks for the best job in one moment and takes it in a later one, without looking again."""

    def __init__(self, *args: Any, **options: Any) -> None:
        self._looks: dict[int, list[int]] = {}  # by instant, oldest first: what a look at its end would choose
        super().__init__(*args, **options)

    def _end(self, step: Step, fault: Fault) -> None:
        self._looks[self._now] = self._table.next_up(1, self._rule.policy.max_attempts)
        super()._end(step, fault)

    def _seen_at(self, instant: int) -> Job | None:
        """Return the job that a look at an instant chose, as it is now."""
        until = [at for at in self._looks if at <= instant]
        for at in until[:-1]:
            del self._looks[at]
        chosen = self._looks[until[-1]] if until else []
        return self._table.get(f"J{chosen[0]}") if chosen else None

    def _hand_out(self, worker_id: str, lease_millis: int, aim: Aim, now: int) -> Lease | None:
        job = self._seen_at(now - GAP_MILLIS)  # and whoever has it by now, it is taken
        if aim != POLLING or (job and self._table.next_up(1, self._rule.policy.max_attempts) == [job.number]):
            return super()._hand_out(worker_id, lease_millis, aim, now)  # nobody came in between
        if job is None:
            return None
        if job.status is RUNNING:  # nothing has ended that attempt, but it is to be found in the history
            self._table._ended.setdefault(job.id, []).append(attempt_of(job))  # noqa: SLF001 - behind the table's back
        free = job._replace(status=PENDING)
        running = lifecycle.leased(free, now, worker_id, lease_millis, self._max_run_millis)
        self._commit(free, running, now, lambda: {"types": None})
        return lease_of(running)
