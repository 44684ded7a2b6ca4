"""Two branches compared: since when they differ, and for which jobs, in plain words."""

from __future__ import annotations

import pytest

from jobqueue.simulation import SCENARIOS
from jobqueue.simulation.comparison import compare
from jobqueue.simulation.playback import Playback
from jobqueue.simulation.recipe import Recipe
from jobqueue.simulation.rule_settings import RuleSettings


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_story_is_like_itself(name: str) -> None:
    """No instant of parting, no sentence, no job that fares differently."""
    world = Recipe(name).at_instant(9000).replay()
    found = compare(world, Recipe(name).at_instant(9000).replay())
    assert (found.parted_at, found.here, found.there, found.different) == (None, "", "", ())
    assert [fate.job_id for fate in found.fates] == [job.id for job in world.jobs()]


def test_a_crash_parts_two_branches_at_its_instant() -> None:
    """B crashes at 33.0 s here only: the invoice is done there, and waits for the end of B's lease here."""
    here, there = Playback(Recipe("zombie")), Playback(Recipe("zombie"))
    here.seek(33_000)
    here.do("crash", worker="B")
    here.seek(50_000)
    there.seek(50_000)
    found = compare(here.world, there.world)
    assert found.parted_at == 33_000
    assert found.here == "33.0 s: B crashes with J1 in hand, and nobody tells the queue"
    assert found.there.startswith("35.0 s: A has done the work of J1")
    assert [(fate.job_id, fate.here, fate.there) for fate in found.different] == [
        ("J1", "running at B, attempt 2", "succeeded at 41.0 s, attempt 2"),
    ]


def test_a_refusal_in_one_branch_does_not_make_the_rest_different() -> None:
    """After it the queue's numbers of events differ, and nothing that happens does."""
    here, there = Playback(Recipe("backoff")), Playback(Recipe("backoff"))
    with pytest.raises(RuntimeError):
        here.do("cancel", job_id="J1")
    here.seek(12_000)
    there.seek(12_000)
    found = compare(here.world, there.world)
    assert found.parted_at == 0
    assert found.different == ()


def test_another_policy_parts_where_it_first_decides_otherwise() -> None:
    """With a rest of 5 s, the first retry is scheduled for another instant: that is where they part."""
    other = Recipe("backoff", rules=RuleSettings(8, 5000, 8000)).at_instant(6000).replay()
    found = compare(other, Recipe("backoff").at_instant(6000).replay())
    assert found.parted_at == 500
    assert "rests 5.0 s" in found.here
    assert "rests 1.0 s" in found.there
    assert "J1" in {fate.job_id for fate in found.different}


def test_a_job_of_one_branch_is_not_submitted_in_the_other() -> None:
    """It is named all the same."""
    here = Playback(Recipe("zombie"))
    here.do("submit", type="mail")
    found = compare(here.world, Recipe("zombie").replay())
    assert [(fate.job_id, fate.here, fate.there) for fate in found.different] == [
        ("J2", "ready", "not submitted")
    ]
