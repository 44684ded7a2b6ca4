"""The scenarios, as data. Each is about one idea, and small enough to be followed step by step."""

from difflib import get_close_matches

from jobqueue.simulation.scenario import Scenario
from jobqueue.simulation.scenarios import basics, effects, failures, fairness, flawed

CHAPTERS = {
    "Leases and tokens": (basics.LIFE_OF_A_JOB, basics.LATE_POLL, basics.ZOMBIE, basics.CRASH_LOOP),
    "Failures and retries": (
        basics.BACKOFF,
        failures.JITTER,
        failures.RETRY_STORM,
        failures.RETRY_STORM_BUDGET,
        failures.DEADLINE,
        failures.REDRIVE,
    ),
    "Effects out in the world": (
        effects.EFFECT_THEN_CRASH,
        effects.LOST_ACKNOWLEDGEMENT,
        effects.UNCERTAIN_REDRIVE,
    ),
    "Who is next": (
        fairness.HHHNNL,
        fairness.BORROWING,
        fairness.NOISY_NEIGHBOUR,
        fairness.FAIR_NEIGHBOURS,
        fairness.STARVATION,
        fairness.AGING,
        fairness.LONG_JOBS,
        fairness.LONG_JOBS_BY_COST,
        fairness.BAND_LIMIT,
    ),
    "Flawed queues": flawed.FLAWED,
}
"""The scenarios by what they are about, in the order in which they are best watched."""

SCENARIOS = {scenario.name: scenario for chapter in CHAPTERS.values() for scenario in chapter}
"""All scenarios by name, in the same order."""


def find_scenario(name: str) -> Scenario:
    """Return a scenario by its name.

    Raises:
        LookupError: there is none; the message says which one was probably meant, or what lists them.
    """
    if name in SCENARIOS:
        return SCENARIOS[name]
    close = get_close_matches(name, SCENARIOS, n=1)
    hint = (
        f"did you mean {close[0]}?"
        if close
        else f"there are {len(SCENARIOS)}, and `jobkit scenarios` lists them"
    )
    raise LookupError(f"no scenario is called {name[:60]!a}; {hint}")
