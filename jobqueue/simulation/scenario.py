"""What a scenario is made of: who works how, what is submitted when, what goes wrong. Records only.

All instants and durations are integer milliseconds.
"""

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from jobqueue.queue import JobQueue
from jobqueue.retry import Jitter, RetryBudget, RetryPolicy
from jobqueue.scheduling import DispatchLimit, Limits, StrictPriority, WeightedBands


class MishapKind(StrEnum):
    """What can befall a worker."""

    CRASH = "crash"
    FREEZE = "freeze"
    CRASH_BEFORE_REPORT = "crash before report"
    LOSE_REPORT = "lose report"


@dataclass(frozen=True, slots=True)
class Mishap:
    """What goes wrong on the first so many jobs that a worker takes.

    Args:
        kind: a crashed worker has forgotten everything; a frozen one goes on later as if nothing had been; a
            report can be lost on its way, and the worker does not know.
        after_millis: how far into the job it happens; nothing for the two that happen at its end.
        lasts_millis: how long until the worker is restarted, or wakes up; None for never.
        times: how many jobs it happens on.
        payload: it is this payload that does it, each time that the worker takes it; None for any job.
    """

    kind: MishapKind
    after_millis: int = 0
    lasts_millis: int | None = None
    times: int = 1
    payload: str | None = None


@dataclass(frozen=True, slots=True)
class Habits:
    """How a simulated worker works.

    Args:
        name: who it is, in polls and on the board.
        work_millis: how long one job takes it.
        spread_millis: how much longer a job may take, drawn from the seed.
        lease_millis: the lease that it asks for.
        poll_millis: how long it waits after a poll that gave nothing.
        first_poll_at: when it starts.
        renew_millis: how long after taking or renewing a lease it renews it; None for never.
        mishap: what befalls it.
        batch: how many jobs it asks for at once; it works them off one after another.
    """

    name: str
    work_millis: int = 3000
    spread_millis: int = 0
    lease_millis: int = 10_000
    poll_millis: int = 1000
    first_poll_at: int = 0
    renew_millis: int | None = None
    mishap: Mishap | None = None
    batch: int = 1


@dataclass(frozen=True, slots=True)
class Task:
    """A job that a producer submits at an instant, or several, one after another.

    Args:
        at: when, for the first.
        type: what kind of work.
        payload: the text for the worker.
        priority: higher goes first.
        delay_millis: how long after its submit it is due.
        tenant: on whose behalf.
        cost: how much of a worker's time it is worth.
        deadline_millis: how long after its submit it is given up; None for never.
        times: how many such jobs.
        every_millis: how long after one the next is submitted; 0 for all at once.
    """

    at: int
    type: str
    payload: str = ""
    priority: int = 0
    delay_millis: int = 0
    tenant: str = "default"
    cost: int = 1
    deadline_millis: int | None = None
    times: int = 1
    every_millis: int = 0


@dataclass(frozen=True, slots=True)
class Outage:
    """A time in which all work of one type fails, because what it needs is down."""

    type: str
    begins_at: int
    ends_at: int
    error: str


@dataclass(frozen=True, slots=True)
class Poke:
    """Something that a person does at an instant: `verb` is the name of an operation of the world."""

    at: int
    verb: str
    target: str


@dataclass(frozen=True, slots=True)
class Rules:
    """What the queue of a scenario is asked to do beyond its retry policy; the defaults ask for nothing."""

    scheduler: StrictPriority | WeightedBands = field(default_factory=StrictPriority)
    limits: Limits | None = None
    jitter: Jitter | None = None
    retry_budget: RetryBudget | None = None
    dispatch_limit: DispatchLimit | None = None
    max_run_millis: int | None = None


@dataclass(frozen=True, slots=True)
class Flaw:
    """A common mistake, built into a queue that is right in all else: one method that is overridden.

    Args:
        queue: the flawed queue.
        changed: the class that overrides the method, such as the rules of the queue.
        breaks: what the mistake breaks, in one sentence.
        lamp: the invariant that it breaks, by name; empty where it breaks none and only differs.
        method: which method it is; the first that the class has, if left out.
    """

    queue: type[JobQueue]
    changed: type
    breaks: str
    lamp: str = ""
    method: str = ""

    @property
    def wrong(self) -> Callable[..., Any]:
        """The method that is wrong."""
        own = {name: value for name, value in vars(self.changed).items() if inspect.isfunction(value)}
        method: Callable[..., Any] = own[self.method or next(iter(own))]
        return method

    @property
    def right(self) -> Callable[..., Any]:
        """The method that it overrides, as Python finds it."""
        inherited: Callable[..., Any] = getattr(super(self.changed, self.changed), self.wrong.__name__)
        method: Callable[..., Any] = inspect.unwrap(inherited)
        return method


@dataclass(frozen=True, slots=True)
class Scenario:
    """A small story about one idea, with everything that decides its outcome.

    Args:
        name: how the command line and addresses call it.
        title: how people call it.
        question: the one question to answer before watching.
        story: what goes on, in two or three sentences.
        watch: what to look at, one line each.
        policy: the queue's retry policy.
        rules: what else the queue is asked to do.
        work_millis: how long jobs of some types take, whoever does them.
        workers: who works.
        tasks: what is submitted.
        outages: what is down when.
        pokes: what people do.
        seed: where the spread of working times is drawn from.
        teaser_at: an instant that shows what it is about and does not give away the end.
        lesson: the notebook about the same idea.
        exercise: the exercise about the same idea.
        flaw: what is wrong with the queue in this story; None for the right one.
    """

    name: str
    title: str
    question: str
    story: str
    watch: tuple[str, ...]
    policy: RetryPolicy
    workers: tuple[Habits, ...]
    tasks: tuple[Task, ...]
    outages: tuple[Outage, ...] = ()
    pokes: tuple[Poke, ...] = ()
    rules: Rules = field(default_factory=Rules)
    work_millis: Mapping[str, int] = field(default_factory=dict)
    seed: int = 1
    teaser_at: int = 0
    lesson: str = ""
    exercise: str = ""
    flaw: Flaw | None = None
