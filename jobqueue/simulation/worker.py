"""A simulated worker: it polls, works, reports; it can crash, freeze, and come back from the dead.

It talks to the queue through the same operations as any real worker, and knows only what a real one would:
a frozen worker does not notice that its lease ran out.
"""

import random
from collections.abc import Callable
from enum import StrEnum
from typing import Protocol

from jobqueue.errors import StaleTokenError
from jobqueue.model import Lease
from jobqueue.queue import JobQueue
from jobqueue.simulation.engine import Action, Engine, Planned
from jobqueue.simulation.scenario import Habits, Mishap, MishapKind


class WorkerState(StrEnum):
    """What a worker is doing."""

    IDLE = "idle"
    WORKING = "working"
    FROZEN = "frozen"
    CRASHED = "crashed"


class Surroundings(Protocol):
    """What a worker needs of the world around it."""

    queue: JobQueue
    engine: Engine
    seed: int

    def now(self) -> int:
        """Return the present instant."""
        ...

    def outcome_of(self, lease: Lease) -> str | None:
        """Return why the work on a job fails at this instant; None if it goes well."""
        ...

    def work_millis_of(self, lease: Lease) -> int | None:
        """Return how long the work on a job takes, where its type says so."""
        ...

    def note(self, kind: str, worker: str, job_id: str | None = None) -> None:
        """Write down what no queue can see."""
        ...


class SimulatedWorker:
    """One worker with its habits.

    Everything it is about to do is a plan in the engine. A crash calls all plans off; a freeze puts them off
    by as long as it lasts.
    """

    def __init__(self, habits: Habits, world: Surroundings) -> None:
        self.habits = habits
        self.lease: Lease | None = None
        self.state = WorkerState.IDLE
        self.refusal: str | None = None
        self._world = world
        self._taken = 0
        self._stock: list[Lease] = []
        self._plans: list[Planned] = []
        self._put_off: list[tuple[int, Planned]] = []
        self._recovery: Planned | None = None
        self._plan(habits.first_poll_at - world.now(), self._poll, background=True)

    @property
    def name(self) -> str:
        """The worker's name."""
        return self.habits.name

    @property
    def is_zombie(self) -> bool:
        """Whether it believes that it holds a job which the queue has taken from it."""
        if self.lease is None:
            return False
        job = self._world.queue.view(self.lease.job_id)
        return job.worker_id != self.name or job.generation != self.lease.generation

    # Each of these returns whether it changed anything.

    def crash(self) -> bool:
        """Die on the spot: what it knew is gone, and nobody tells the queue."""
        if self.state is WorkerState.CRASHED:
            return False
        self._call_off_recovery()
        self._call_off()
        self._put_off.clear()
        self._stock.clear()
        self._note("crashed")
        self.lease, self.state = None, WorkerState.CRASHED
        return True

    def restart(self) -> bool:
        """Start anew after a crash, with empty hands."""
        if self.state is not WorkerState.CRASHED:
            return False
        self._call_off_recovery()
        self._note("restarted")
        self.state, self.refusal = WorkerState.IDLE, None
        self._plan(0, self._poll, background=True)
        return True

    def freeze(self) -> bool:
        """Stand still, as in a long pause of the machine; the clock of everybody else goes on."""
        if self.state not in {WorkerState.IDLE, WorkerState.WORKING}:
            return False
        self._call_off_recovery()
        now = self._world.now()
        self._put_off = [(planned.at - now, planned) for planned in self._plans if not planned.over]
        self._call_off()
        self._note("froze")
        self.state = WorkerState.FROZEN
        return True

    def thaw(self) -> bool:
        """Go on exactly where it stood still."""
        if self.state is not WorkerState.FROZEN:
            return False
        self._call_off_recovery()
        self._note("thawed")
        self.state = WorkerState.WORKING if self.lease else WorkerState.IDLE
        for remaining, planned in self._put_off:
            self._plan(remaining, planned.action, background=planned.background)
        self._put_off.clear()
        return True

    def give_up(self, error: str) -> bool:
        """Report a failure in the middle of the work."""
        if self.state is not WorkerState.WORKING:
            return False
        lease = self._held()
        self._report(lambda: self._world.queue.fail(lease.job_id, lease.token, error))
        self._let_go()
        return True

    # -- working -----------------------------------------------------------------------------------------

    def _poll(self) -> None:
        lease = self._next_lease()
        if lease is None:
            self._plan(self.habits.poll_millis, self._poll, background=True)
            return
        self.lease, self.state, self.refusal = lease, WorkerState.WORKING, None
        self._plan(self._work_millis(lease), self._finish)
        self._plan_renewal()
        self._plan_mishap()

    def _next_lease(self) -> Lease | None:
        """Take a job from the stock; where that is empty, ask the queue."""
        queue, habits = self._world.queue, self.habits
        if habits.batch == 1:
            return queue.poll(self.name, habits.lease_millis)
        if not self._stock:
            self._stock = queue.poll_many(self.name, habits.lease_millis, habits.batch)
        return self._stock.pop(0) if self._stock else None

    def _finish(self) -> None:
        """Report the end of the work, with the token that came with it, and look for the next job."""
        lease, queue = self._held(), self._world.queue
        error = self._world.outcome_of(lease)
        if error is None:
            # The effect comes before the report: that order is what makes a lost report repeat the effect.
            self._note("effect")
            if self._is_befallen_at_the_end():
                return
            self._report(lambda: queue.complete(lease.job_id, lease.token))
        else:
            self._report(lambda: queue.fail(lease.job_id, lease.token, error))
        self._let_go()

    def _report(self, call: Callable[[], object]) -> bool:
        """Call the queue; a refusal is final, and nothing that a worker could argue about."""
        try:
            call()
        except StaleTokenError as refusal:
            self.refusal = str(refusal)
            return False
        return True

    def _renew(self) -> None:
        lease, queue = self._held(), self._world.queue
        if self._report(lambda: queue.renew(lease.job_id, lease.token, self.habits.lease_millis)):
            self._plan_renewal()
        else:
            # The job is somebody else's now: working on would be for nothing, and the effect a repetition.
            self._let_go()

    def _let_go(self) -> None:
        """Have done with a job, and look for the next one at once."""
        self._call_off()
        self.lease, self.state = None, WorkerState.IDLE
        self._plan(0, self._poll, background=True)

    # -- planning ----------------------------------------------------------------------------------------

    def _plan(self, after_millis: int, action: Action, *, background: bool = False) -> None:
        at = self._world.now() + max(0, after_millis)
        self._plans = [p for p in self._plans if not p.over]
        self._plans.append(self._world.engine.plan(at, action, background=background))

    def _plan_renewal(self) -> None:
        if self.habits.renew_millis is not None:
            self._plan(self.habits.renew_millis, self._renew)

    def _plan_mishap(self) -> None:
        self._taken += 1
        mishap = self._fate()
        if mishap is not None and mishap.kind in {MishapKind.CRASH, MishapKind.FREEZE}:
            self._plan(mishap.after_millis, lambda: self._befall(mishap))

    def _fate(self) -> Mishap | None:
        """Return what befalls the worker on the job that it has."""
        mishap = self.habits.mishap
        if mishap is None or self.lease is None:
            return None
        if mishap.payload is not None:
            return mishap if self.lease.payload == mishap.payload else None
        return mishap if self._taken <= mishap.times else None

    def _is_befallen_at_the_end(self) -> bool:
        """Let happen what happens between the work and the report; return whether that prevents the report."""
        mishap = self._fate()
        if mishap is None:
            return False
        if mishap.kind is MishapKind.LOSE_REPORT:
            self._note("report_lost")
            self._let_go()
        elif mishap.kind is MishapKind.CRASH_BEFORE_REPORT:
            self._befall(mishap)
        return mishap.kind in {MishapKind.LOSE_REPORT, MishapKind.CRASH_BEFORE_REPORT}

    def _befall(self, mishap: Mishap) -> None:
        if mishap.kind is MishapKind.FREEZE:
            end: Action = self.thaw
            self.freeze()
        else:
            end = self.restart
            self.crash()
        if mishap.lasts_millis is not None:
            # Planned in the world's name, not the worker's: nobody who stands still wakes himself up.
            at = self._world.now() + mishap.lasts_millis
            self._recovery = self._world.engine.plan(at, end)

    def _call_off_recovery(self) -> None:
        """Forget how the last mishap was to end: it has ended otherwise."""
        if self._recovery is not None:
            self._recovery.over = True
            self._recovery = None

    def _call_off(self) -> None:
        for planned in self._plans:
            planned.over = True
        self._plans.clear()

    def _work_millis(self, lease: Lease) -> int:
        """Draw how long this job takes, from the job and its attempt, not from who drew before."""
        fixed = self._world.work_millis_of(lease)
        if fixed is not None:
            return fixed
        draw = random.Random(f"{self._world.seed}:{lease.job_id}:{lease.generation}")  # noqa: S311 - a story's dice
        return self.habits.work_millis + draw.randint(0, self.habits.spread_millis)

    def _note(self, kind: str) -> None:
        self._world.note(kind, self.name, self.lease.job_id if self.lease else None)

    def _held(self) -> Lease:
        assert self.lease is not None, "only a worker with a job finishes or renews one"  # noqa: S101
        return self.lease
