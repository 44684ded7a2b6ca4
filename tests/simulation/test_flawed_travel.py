"""Flawed queues travel in time as right ones do, and the right queue beside each goes along."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from jobqueue.simulation import SCENARIOS, World
from jobqueue.simulation.link import decode, encode
from jobqueue.simulation.playback import Playback
from jobqueue.simulation.recipe import VERBS, Recipe, advance
from jobqueue.simulation.saved_test import as_test
from tests.simulation.walks import a_poke, poke, state
from webui.board.jumps import JUMPS

FLAWED = [name for name, scenario in SCENARIOS.items() if scenario.flaw is not None]
RIGHT = [name for name in SCENARIOS if name not in FLAWED]


def violations(name: str) -> list[int]:
    """Return the instants at which a story's jumps to the next violation arrive, from its beginning on."""
    playback, instants = Playback(Recipe(name)), []
    while (recipe := playback.find_next(JUMPS["violation"].begin())) is not None:
        before = len(playback.world.watch.violations)
        playback.go_to(recipe)
        assert len(playback.world.watch.violations) > before
        instants.append(recipe.at)
    return instants


def with_hands(name: str, seed: int) -> Recipe:
    """Return a story in which somebody interferes a dozen times."""
    dice = random.Random(f"{name} {seed}")  # noqa: S311 - a walk, no secret
    playback = Playback(Recipe(name))
    for _ in range(12):
        playback.seek(playback.world.now() + dice.randrange(0, 6000, 250))
        poke(playback, *a_poke(dice, playback.world))
    return playback.recipe


@pytest.mark.parametrize("name", FLAWED)
def test_every_violation_is_jumped_to(name: str) -> None:
    """Those that an event shows and those that only a look at all jobs shows; after the last there is none."""
    played = Playback(Recipe(name))
    played.seek(played.end())
    told = sorted({violation.at for violation in played.world.watch.violations})
    instants, ahead = violations(name), [at for at in told if at > 0]
    assert (instants == []) is (ahead == [])
    assert instants[:1] == ahead[:1]
    assert len(set(instants)) == len(instants)


@pytest.mark.parametrize("name", RIGHT)
def test_nothing_is_to_be_jumped_to_in_a_right_queue(name: str) -> None:
    """Whatever the story, all lamps hold to its end."""
    assert violations(name) == []


@pytest.mark.parametrize("name", FLAWED)
@pytest.mark.parametrize("seed", range(3))
def test_the_right_queue_beside_a_flawed_one_is_the_story_without_the_flaw(name: str, seed: int) -> None:
    """What hands do happens in both, so the twin is what the same hands make of a right queue."""
    recipe = with_hands(name, seed)
    right = World(replace(recipe.scenario(), flaw=None), recipe.seed)
    advance(right, 0)
    for made in recipe.interventions:
        advance(right, made.at)
        made.apply(right)
    advance(right, recipe.at)
    twin = recipe.replay().twin
    assert twin is not None
    there, here = state(twin), state(right)
    assert [there[what] for what in ("now", "events", "jobs", "histories", "effects")] == [
        here[what] for what in ("now", "events", "jobs", "histories", "effects")
    ]


@pytest.mark.parametrize("name", FLAWED)
def test_a_flawed_story_is_whole_in_its_link(name: str) -> None:
    """Lamps, jobs and the right queue beside it: another server shows the same."""
    recipe = with_hands(name, 7)
    (opened,) = decode(encode([recipe]))
    assert state(opened.replay()) == state(recipe.replay())


def test_every_hand_reaches_the_twin() -> None:
    """One that did not would let the two worlds part for no flaw of the queue."""
    for verb in VERBS:
        assert hasattr(getattr(World, verb), "__wrapped__"), f"World.{verb} is no intervention"


def test_a_hand_that_only_the_right_queue_notices_is_written_down() -> None:
    """The flawed queue believes that J1 still runs; in the right one it is a dead letter."""
    playback = Playback(Recipe("flawed_last_expiry"))
    playback.seek(playback.end())
    entries = [len(world.chronicle) for world in (playback.world, playback.world.twin) if world]
    poke(playback, "redrive", {"job_id": "J1"})
    after = [len(world.chronicle) for world in (playback.world, playback.world.twin) if world]
    assert after[1] > entries[1], "the right queue has a dead letter, and brings it back"
    assert [made.verb for made in playback.recipe.interventions] == ["redrive"]
    assert state(playback.recipe.replay()) == state(playback.world)


def test_a_saved_test_of_a_flawed_queue_says_what_broke() -> None:
    """flawed_by_id: a report of a zombie was believed."""
    playback = Playback(Recipe("flawed_by_id"))
    playback.seek(playback.end())
    source = as_test(playback.recipe)
    assert "assert {broken.invariant.name for broken in world.watch.violations} == {" in source
    assert "violations" not in as_test(Recipe("zombie").at_instant(41_000))
