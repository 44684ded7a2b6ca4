"""A world around the queue in which time is a number: producers, workers that crash, and a record of it all."""

from jobqueue.simulation.scenario import Habits, Mishap, MishapKind, Outage, Poke, Rules, Scenario, Task
from jobqueue.simulation.scenarios import CHAPTERS, SCENARIOS, find_scenario
from jobqueue.simulation.world import World, run

__all__ = [
    "CHAPTERS",
    "SCENARIOS",
    "Habits",
    "Mishap",
    "MishapKind",
    "Outage",
    "Poke",
    "Rules",
    "Scenario",
    "Task",
    "World",
    "find_scenario",
    "run",
]
