"""A world around the queue in which time is a number: producers, workers that crash, and a record of it all."""

from jobqueue.simulation.scenario import Habits, Mishap, Poke, Scenario, Task
from jobqueue.simulation.scenarios import SCENARIOS, find_scenario
from jobqueue.simulation.world import World, run

__all__ = ["SCENARIOS", "Habits", "Mishap", "Poke", "Scenario", "Task", "World", "find_scenario", "run"]
