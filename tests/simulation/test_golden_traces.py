"""Each scenario tells the same story as it did when somebody last read it.

After a wanted change: `pytest tests/simulation --rewrite`, then read the difference.
"""

from pathlib import Path

import pytest

from jobqueue.simulation import SCENARIOS, World, run
from jobqueue.simulation.trace import trace
from tests.simulation.worlds import keys

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_is_told_in_the_agreed_words(name: str, rewrite: bool) -> None:
    """Instants, order, tokens, sentences and rules are those of the golden trace."""
    told = trace(run(SCENARIOS[name]))
    path = GOLDEN / f"{name}.txt"
    if rewrite:
        path.write_text(told, encoding="utf-8")
    assert told == path.read_text(encoding="utf-8")


def test_no_golden_trace_outlives_its_scenario() -> None:
    """There is one file for each scenario, and no other."""
    assert {path.name for path in GOLDEN.iterdir()} == {f"{name}.txt" for name in SCENARIOS}


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_same_seed_gives_the_same_world(name: str) -> None:
    """Two runs do not differ in anything, notes included."""
    first, second = run(SCENARIOS[name], seed=5), run(SCENARIOS[name], seed=5)
    assert first.chronicle.entries == second.chronicle.entries
    assert first.now() == second.now()


def test_another_seed_gives_other_times() -> None:
    """Where working times have a spread, the seed draws them; it does not change what is submitted."""
    scenario = SCENARIOS["life_of_a_job"]
    ends = {run(scenario, seed=seed).now() for seed in range(1, 6)}
    assert len(ends) == 5
    assert {len([e for e in run(scenario, seed=s).log.events if e.kind == "submitted"]) for s in (1, 2)} == {5}


def test_without_a_spread_the_seed_decides_nothing() -> None:
    """A scenario with fixed times is the same for every seed."""
    assert keys(run(SCENARIOS["zombie"], 1).log.events) == keys(run(SCENARIOS["zombie"], 2).log.events)


def test_a_worker_draws_for_the_job_and_not_in_turn() -> None:
    """A job that comes in between leaves the working times of the others as they were."""

    def work_of_first(extra: bool) -> int:
        world = World(SCENARIOS["life_of_a_job"])
        world.advance_to(1)
        if extra:
            world.submit("report", priority=-5)
        world.advance_to(60_000)
        took = [e.at for e in world.log.events if e.job_id == "J3" and e.kind in {"leased", "completed"}]
        return took[1] - took[0]

    assert work_of_first(extra=False) == work_of_first(extra=True) == 2457
