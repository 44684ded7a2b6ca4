"""Travelling in time: wherever a learner has come to, the world is what a replay of the recipe gives."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from jobqueue.simulation import SCENARIOS, World, run
from jobqueue.simulation.link import decode, encode, from_file, to_file
from jobqueue.simulation.playback import Playback
from jobqueue.simulation.recipe import MOST_ENTRIES, Recipe
from tests.sampling import one_in
from tests.simulation.walks import poke, state, walk
from tests.simulation.worlds import keys

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from jobqueue.simulation.chronicle import Entry


def expires(_: World, entries: Sequence[Entry]) -> bool:
    """Whether a lease has run out."""
    return any(entry.kind == "lease_expired" for entry in entries)


def check(seeds: Iterable[int]) -> None:
    for seed in seeds:
        for playback in walk(seed):
            here = state(playback.world)
            assert state(playback.recipe.replay()) == here, f"seed {seed}"
            assert decode(encode([playback.recipe])) == (playback.recipe,), f"seed {seed}"


def test_a_random_walk_comes_to_what_a_replay_gives() -> None:
    """100 walks of steps, seconds, ways back, leaps, pokes and forks."""
    check(range(100))


@pytest.mark.long
def test_ten_thousand_random_walks_come_to_what_a_replay_gives() -> None:
    """The same, 10,000 times."""
    check(range(1000, 11_000))


def test_what_a_branch_does_leaves_its_origin_alone() -> None:
    """Two playbacks of one recipe share nothing."""
    for seed in range(40):
        first = walk(seed)[-1]
        before = state(first.world)
        other = Playback(first.recipe)
        poke(other, "submit", {"type": "mail"})
        other.step()
        assert state(first.world) == before


@pytest.mark.parametrize("name", SCENARIOS)
def test_stepping_is_playing_the_scenario(name: str) -> None:
    """Without a hand in it, a playback tells the scenario's story, step by step and in one leap."""
    stepped, leapt, told = Playback(Recipe(name)), Playback(Recipe(name)), run(SCENARIOS[name])
    while stepped.step():
        pass
    leapt.seek(stepped.world.now())
    assert keys(stepped.world.log.events) == keys(leapt.world.log.events) == keys(told.log.events)
    assert stepped.end() == stepped.world.now()


@pytest.mark.parametrize("name", one_in(4, SCENARIOS))
def test_back_takes_every_step_back(name: str) -> None:
    """From the end to the beginning over the same positions as from the beginning to the end."""
    playback, positions = Playback(Recipe(name)), []
    while True:
        positions.append(playback.position)
        if not playback.step():
            break
    positions.pop()
    returned: list[tuple[int, int]] = []
    while playback.back():
        returned.append(playback.position)
    assert returned == positions[::-1]
    assert state(playback.world) == state(Recipe(name).replay())


def test_back_over_an_intervention_and_on_over_it_again() -> None:
    """The crash at 7.5 s is a step of its own; taken back it lies ahead, and the next step makes it again."""
    playback = Playback(Recipe("zombie"))
    playback.seek(7500)
    playback.do("crash", worker="B")
    assert playback.position == (7500, 1)
    after = state(playback.world)
    playback.back()
    assert (playback.position, [made.verb for made in playback.ahead]) == ((7500, 0), ["crash"])
    playback.back()
    assert playback.position == (1000, 0)
    playback.step()
    assert (playback.position, state(playback.world)) == ((7500, 1), after)


def test_a_step_stops_at_what_happens_by_itself_before_a_hand_at_the_same_instant() -> None:
    """At 30.0 s the lease ends, then somebody crashes B: two steps, as it was done."""
    playback = Playback(Recipe("zombie"))
    playback.seek(30_000)
    playback.do("crash", worker="B")
    playback.seek(1000)
    playback.step()
    assert playback.position == (30_000, 0)
    playback.step()
    assert playback.position == (30_000, 1)


def test_what_nothing_came_of_is_not_written_down() -> None:
    """A worker that is not there, a thaw of one that is awake: no entry, no intervention."""
    playback = Playback(Recipe("zombie"))
    with pytest.raises(LookupError):
        playback.do("crash", worker="Z")
    assert playback.do("thaw", worker="B") is False
    assert playback.recipe.interventions == ()


def test_a_refusal_that_the_queue_remembers_is_written_down() -> None:
    """A cancel of a running job is an entry of the chronicle, so a replay has to bring it too."""
    playback = Playback(Recipe("zombie"))
    with pytest.raises(RuntimeError):
        playback.do("cancel", job_id="J1")
    assert [made.verb for made in playback.recipe.interventions] == ["cancel"]
    assert state(playback.recipe.replay()) == state(playback.world)


def test_the_next_expiry_is_found_from_anywhere() -> None:
    """crash_loop: leases end at 1.0, 6.0 and 11.0 s; after that none does."""
    playback = Playback(Recipe("crash_loop"))
    found = []
    while (recipe := playback.find_next(expires)) is not None:
        playback.go_to(recipe)
        found.append(playback.world.now())
    assert found == [1000, 6000, 11_000]
    playback.seek(2000)
    again = playback.find_next(expires)
    assert again is not None
    assert again.at == 6000


def test_a_search_sees_every_entry_once_and_in_order() -> None:
    """So that whoever searches may keep count, such as of the third lease."""
    seen: list[Any] = []
    playback = Playback(Recipe("hhhnnl"))
    playback.seek(5000)
    assert playback.find_next(lambda _, entries: seen.extend(entries)) is None  # type: ignore[arg-type, return-value]
    assert seen == list(run(SCENARIOS["hhhnnl"]).chronicle.entries)


def test_another_storys_position_is_refused() -> None:
    """A playback goes to its own positions only."""
    with pytest.raises(ValueError, match="another story"):
        Playback(Recipe("zombie")).go_to(Recipe("backoff"))


def test_a_full_story_goes_no_further() -> None:
    """At its limit a story stands still wherever it is sent, and a replay comes to the same."""
    playback = Playback(Recipe("zombie"))
    while len(playback.world.chronicle) < MOST_ENTRIES:
        playback.world.freeze("B")
        playback.world.thaw("B")
    assert not playback.step()
    playback.seek(60_000)
    assert playback.world.now() == 0


def test_files_hold_what_links_hold() -> None:
    """Whatever a walk has come to, its file brings it back."""
    for seed in range(60):
        recipe = walk(seed)[-1].recipe
        assert from_file(to_file([recipe]).encode()) == (recipe,)


def test_a_downstream_is_taken_down_and_brought_up() -> None:
    """While it is down, work of the type fails; brought up, the story's own outage counts no more."""
    world = World(SCENARIOS["backoff"])
    world.advance_to(0)
    assert world.is_down("invoice")
    assert world.bring_up("invoice")
    assert not world.bring_up("invoice")
    world.advance_to(500)
    assert world.queue.view("J1").status == "SUCCEEDED"
    world.advance_to(3000)
    assert world.take_down("mail")
    world.advance_to(3500)
    assert world.queue.view("J2").last_error == "what it needs is down"


def test_a_job_is_failed_in_the_hands_of_its_worker() -> None:
    """The worker reports the failure with its own token; of a zombie's work nothing can be reported."""
    world = World(SCENARIOS["zombie"])
    world.advance_to(0)
    assert world.fail("J1")
    assert (world.queue.view("J1").last_error, world.queue.view("J1").attempts) == ("failed by hand", 1)
    assert not world.fail("J1"), "nobody holds it now"
