"""Small worlds for tests, and what two runs of one world are compared by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jobqueue import RetryPolicy
from jobqueue.simulation import Habits, Scenario, Task, World

if TYPE_CHECKING:
    from jobqueue import Event
    from jobqueue.simulation.worker import WorkerState

THREE_TRIES = RetryPolicy(3, 1000, 60_000)
REST = ("crashed", "restarted", "froze", "thawed")


def world(*workers: Habits, tasks: tuple[Task, ...] = (), **more: Any) -> World:
    """Return a world that nobody has told a story about."""
    policy = more.pop("policy", THREE_TRIES)
    scenario = Scenario("test", "Test", "Why?", "", (), policy, workers, tasks, **more)
    return World(scenario)


def mails(count: int) -> tuple[Task, ...]:
    """Return so many mails, all submitted at 0."""
    return tuple(Task(0, "mail", f"mail {number}") for number in range(1, count + 1))


def keys(events: tuple[Event, ...]) -> list[tuple[Any, ...]]:
    """Return the events as what must be equal between two runs of one world."""
    return [(e.seq, e.at, e.kind, e.job_id, e.worker_id, e.attempt, e.generation) for e in events]


def told(world: World, *kinds: str) -> list[tuple[int, str, str | None]]:
    """Return (instant, kind, job) of the entries of some kinds, notes included, in order."""
    return [(e.at, str(e.kind), e.job_id) for e in world.chronicle.entries if e.kind in kinds]


def at(world: World, instant: int, verb: str) -> None:
    """Let something befall worker A at an instant."""
    world.advance_to(instant)
    getattr(world, verb)("A")


def state(world: World) -> tuple[WorkerState, str | None]:
    """Return what worker A does, and the token that it holds."""
    lease = world.workers["A"].lease
    return world.workers["A"].state, lease and lease.token  # type: ignore[return-value]
