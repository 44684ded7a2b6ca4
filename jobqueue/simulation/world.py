"""A world in which a scenario plays: a queue, its clock, workers and producers, and people who interfere.

Nothing in it is random but what the seed decides, and time moves only when somebody moves it.
"""

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from jobqueue.arguments import check_name
from jobqueue.clock import ManualClock
from jobqueue.errors import AdmissionError, JobQueueError
from jobqueue.events import EventLog
from jobqueue.model import JobStatus, Lease
from jobqueue.queue import JobQueue
from jobqueue.simulation.chronicle import Chronicle, Note
from jobqueue.simulation.engine import Engine
from jobqueue.simulation.promises import Promises
from jobqueue.simulation.scenario import Poke, Scenario, Task
from jobqueue.simulation.timeline import Timeline, timeline
from jobqueue.simulation.watch import Watch
from jobqueue.simulation.worker import SimulatedWorker
from jobqueue.views import JobView

DOWN = "what it needs is down"
GIVEN_UP = "failed by hand"

P = ParamSpec("P")
R = TypeVar("R")


def _intervention(act: Callable[Concatenate["World", P], R]) -> Callable[Concatenate["World", P], R]:
    """Let what somebody does to a world happen in its twin, too; what the story does, it does by itself."""

    @wraps(act)
    def in_both(world: "World", /, *args: P.args, **options: P.kwargs) -> R:
        if world.twin is not None and not world.is_telling:
            with suppress(JobQueueError, LookupError):  # the right queue may refuse what a flawed one takes
                act(world.twin, *args, **options)
        return act(world, *args, **options)

    return in_both


class World:
    """One run of a scenario.

    A world with a flawed queue has a `twin`: the same story with the right queue, in which the same is done at
    the same instants.

    Args:
        scenario: what happens.
        seed: where working times are drawn from; the scenario's own by default.
    """

    def __init__(self, scenario: Scenario, seed: int | None = None) -> None:
        self.scenario = scenario
        self.seed = scenario.seed if seed is None else seed
        self.clock = ManualClock()
        self.engine = Engine(self.clock)
        self.log = EventLog()
        self.queue = self._open_queue()
        self.effects = Counter[str]()
        self._switched: dict[str, bool] = {}  # by type of work: whether a hand has put down what it needs
        self.chronicle = Chronicle()
        self.queue.subscribe(self.chronicle.add)
        self.watch = Watch(Promises.of(scenario))
        self.queue.subscribe(self.watch.see)
        self.twin = World(replace(scenario, flaw=None), self.seed) if scenario.flaw else None
        self.is_telling = False
        self._submitted = 0
        self._next: tuple[tuple[int, ...], int | None] | None = None
        # Producers are planned before workers: at one instant a job is there before somebody asks for it.
        for task in scenario.tasks:
            for number in range(task.times):
                at = task.at + number * task.every_millis
                self.engine.plan(at, lambda task=task: self._submit_task(task))  # type: ignore[misc]
        for poke in scenario.pokes:
            self.engine.plan(poke.at, lambda poke=poke: self._poke(poke))  # type: ignore[misc]
        self.workers = {habits.name: SimulatedWorker(habits, self) for habits in scenario.workers}

    def _open_queue(self) -> JobQueue:
        """Return the queue that the story is about: the right one, or one with a flaw."""
        rules = self.scenario.rules
        kind = self.scenario.flaw.queue if self.scenario.flaw else JobQueue
        return kind(
            self.clock,
            self.scenario.policy,
            scheduler=rules.scheduler,
            limits=rules.limits,
            jitter=rules.jitter,
            retry_budget=rules.retry_budget,
            dispatch_limit=rules.dispatch_limit,
            max_run_millis=rules.max_run_millis,
            log=self.log,
        )

    # -- looking -----------------------------------------------------------------------------------------

    def now(self) -> int:
        """Return the present instant."""
        return self.clock.now()

    def jobs(self) -> list[JobView]:
        """Return all jobs in submission order."""
        return [self.queue.view(f"J{number}") for number in range(1, self._submitted + 1)]

    def outcome_of(self, lease: Lease) -> str | None:
        """Return why the work on a job fails at this instant; None if it goes well."""
        if lease.type in self._switched:
            return DOWN if self._switched[lease.type] else None
        for outage in self.scenario.outages:
            if outage.type == lease.type and outage.begins_at <= self.now() < outage.ends_at:
                return outage.error
        return None

    def work_millis_of(self, lease: Lease) -> int | None:
        """Return how long the work on a job takes, where its type says so."""
        return self.scenario.work_millis.get(lease.type)

    def next_at(self) -> int | None:
        """Return the next instant at which something can be seen to happen; None if nothing ever will.

        A poll that gets nothing cannot be seen, so an idle worker's polls count only while there is a job for
        it: with every ready job paused, or held back by a limit, the steps would never come to an end.
        """
        # It is asked often, so the answer is kept until something happens.
        state = self.state()
        if self._next is None or self._next[0] != state:
            self._next = (state, self._look_for_next())
        return self._next[1]

    def state(self) -> tuple[int, ...]:
        """Return numbers of which one changes whenever something happens, is told or planned."""
        own = (self.now(), len(self.chronicle), self.engine.planned)
        return own if self.twin is None else own + self.twin.state()

    def _look_for_next(self) -> int | None:
        now, instants = self.now(), [self.engine.next_at(background=False)]
        if self.twin is not None:
            instants.append(self.twin.next_at())
        for job in self.jobs():
            # An instant of the past is none to go to: a flawed queue can leave a job as it was, for good.
            due = {JobStatus.RUNNING: [job.lease_until], JobStatus.PENDING: [job.next_run_at, job.deadline]}
            instants += [at for at in due.get(job.status, []) if at is not None and at > now]
        if self.queue.next_up(1):
            instants.append(self.engine.next_at(background=True))
        return min((instant for instant in instants if instant is not None), default=None)

    def timeline(self) -> Timeline:
        """Return who held what from when to when, up to now."""
        zombies = [w.lease.token for w in self.workers.values() if w.lease and w.is_zombie]
        return timeline(self.chronicle.entries, self.workers, self.now(), zombies)

    # -- moving time -------------------------------------------------------------------------------------

    def advance_to(self, instant: int) -> None:
        """Let everything happen up to and including `instant`, each thing at its own."""
        while (at := self.next_at()) is not None and at < instant:
            self._arrive(at)
        self._arrive(instant)

    def step(self) -> bool:
        """Go on to the next instant at which something happens; False, and no step, if nothing ever will."""
        at = self.next_at()
        if at is None:
            return False
        self._arrive(at)
        return True

    def settle(self) -> None:
        """Let happen what is due now: what was just done by hand may have begun something at this instant."""
        self._arrive(self.now())

    def _arrive(self, instant: int) -> None:
        if self.twin is not None:
            self.twin.advance_to(instant)
        self.is_telling = True
        self.engine.run_until(instant)
        self.is_telling = False
        self.queue.sweep()
        self.watch.look(instant, {job.id: job.status for job in self.jobs()})

    # -- interfering -------------------------------------------------------------------------------------

    @_intervention
    def submit(
        self,
        type: str,
        payload: str = "",
        priority: int = 0,
        delay_millis: int = 0,
        *,
        tenant: str = "default",
        cost: int = 1,
        deadline_millis: int | None = None,
    ) -> str:
        """Submit a job that is due after a delay, and given up some time after its submit."""
        run_at = self.now() + delay_millis if delay_millis else None
        deadline = None if deadline_millis is None else self.now() + deadline_millis
        job_id = self.queue.submit(
            type, payload, priority, run_at, tenant=tenant, cost=cost, deadline_millis=deadline
        )
        self._submitted += 1
        return job_id

    @_intervention
    def cancel(self, job_id: str) -> None:
        """Take a job back."""
        self.queue.cancel(job_id)

    @_intervention
    def redrive(self, job_id: str) -> None:
        """Bring a dead letter back."""
        self.queue.redrive(job_id, actor="operator", note="looked at it, and wants it tried again")

    @_intervention
    def pause_type(self, type: str) -> None:
        """Let no job of a type be handed out."""
        self.queue.pause(type)

    @_intervention
    def resume_type(self, type: str) -> None:
        """Let jobs of a type be handed out again."""
        self.queue.resume(type)

    @_intervention
    def crash(self, worker: str) -> bool:
        """Let a worker die."""
        return self._worker(worker).crash()

    @_intervention
    def restart(self, worker: str) -> bool:
        """Let a crashed worker start anew."""
        return self._worker(worker).restart()

    @_intervention
    def freeze(self, worker: str) -> bool:
        """Let a worker stand still."""
        return self._worker(worker).freeze()

    @_intervention
    def thaw(self, worker: str) -> bool:
        """Let a frozen worker go on."""
        return self._worker(worker).thaw()

    @_intervention
    def fail(self, job_id: str) -> bool:
        """Let the worker that holds a job report a failure of it, now and in the middle of the work."""
        self.queue.view(job_id)
        holders = [w for w in self.workers.values() if w.lease and w.lease.job_id == job_id]
        return sum(worker.give_up(GIVEN_UP) for worker in holders if not worker.is_zombie) > 0

    def is_down(self, type: str) -> bool:
        """Return whether all work of a type fails now."""
        outages = (o for o in self.scenario.outages if o.type == type)
        by_story = any(o.begins_at <= self.now() < o.ends_at for o in outages)
        return self._switched.get(type, by_story)

    @_intervention
    def take_down(self, type: str) -> bool:
        """Put down what work of a type needs, so that all of it fails, until somebody brings it up again."""
        return self._switch(type, down=True)

    @_intervention
    def bring_up(self, type: str) -> bool:
        """Bring up what work of a type needs; from then on the story's own outages of it count no more."""
        return self._switch(type, down=False)

    def _switch(self, type: str, *, down: bool) -> bool:
        check_name("type", type)
        if self.is_down(type) is down:
            return False
        self._switched[type] = down
        self.note("went_down" if down else "came_up", type)
        return True

    def note(self, kind: str, worker: str, job_id: str | None = None) -> None:
        """Write down what no queue can see."""
        if kind == "effect" and job_id is not None:
            self.effects[job_id] += 1
        times = self.effects[job_id] if kind == "effect" and job_id is not None else 1
        self.chronicle.add(Note(self.now(), kind, worker, job_id, times))

    def _poke(self, poke: Poke) -> None:
        """Do what the story says; if somebody has made it impossible, the story goes on without it."""
        with suppress(JobQueueError):
            getattr(self, poke.verb)(poke.target)

    def _submit_task(self, task: Task) -> None:
        with suppress(AdmissionError):  # the refusal is in the log; the producer of a story does not try again
            self.submit(
                task.type,
                task.payload,
                task.priority,
                task.delay_millis,
                tenant=task.tenant,
                cost=task.cost,
                deadline_millis=task.deadline_millis,
            )

    def _worker(self, name: str) -> SimulatedWorker:
        if name not in self.workers:
            raise LookupError(f"no worker is called {name[:40]!a}; there are {', '.join(self.workers)}")
        return self.workers[name]


def run(scenario: Scenario, seed: int | None = None, most_steps: int = 10_000) -> World:
    """Play a scenario until nothing more happens, and return its world."""
    world = World(scenario, seed)
    for _ in range(most_steps):
        if not world.step():
            return world
    raise RuntimeError(f"{scenario.name}: still not over after {most_steps} steps")
