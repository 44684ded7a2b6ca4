"""How a scenario with a flawed queue is told: a story, the flaw, and the right queue beside it."""

from dataclasses import replace
from typing import Any

from jobqueue.simulation.scenario import Flaw, Habits, Scenario, Task
from jobqueue.simulation.scenarios.basics import THREE_TRIES

_BOTH = "the right queue plays the same story beside it: the same jobs, the same workers, the same instants"


def told(story: str, workers: tuple[Habits, ...], tasks: tuple[Task, ...], **more: Any) -> Scenario:
    """Return a story that has no name yet."""
    return Scenario("", "", "", story, (), THREE_TRIES, workers, tasks, **more)


def flawed_story(base: Scenario, name: str, title: str, question: str, flaw: Flaw, *watch: str) -> Scenario:
    """Return a story with another queue; who reads it knows that something is wrong, not what."""
    return replace(
        base, name=name, title=title, question=question, watch=(flaw.breaks, *watch, _BOTH), flaw=flaw
    )
