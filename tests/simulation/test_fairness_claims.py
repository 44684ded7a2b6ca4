"""What the scenarios of fairness say in numbers, measured on their hand-outs."""

from __future__ import annotations

import pytest

from jobqueue import JobStatus, WeightedBands
from jobqueue.scheduling.bands import band_of
from jobqueue.simulation import SCENARIOS, World, run


def handed_out(world: World) -> list[tuple[int, str]]:
    """Return (instant, job) of each hand-out in order."""
    return [(event.at, str(event.job_id)) for event in world.log.events if event.kind == "leased"]


def bands(world: World) -> str:
    """Return the bands of the hand-outs, in order."""
    return "".join(band_of(world.queue.view(job_id).priority) for _, job_id in handed_out(world))


def test_six_slots_are_given_as_promised() -> None:
    """Twelve hand-outs are HHHNNL twice; the seventh is high."""
    assert bands(run(SCENARIOS["hhhnnl"])) == "HHHNNLHHHNNLHNL"


@pytest.mark.parametrize("instant", [5000, 11_000])
def test_after_each_six_the_share_is_the_promised_one(instant: int) -> None:
    """Half to high, a third to normal, a sixth to low."""
    world = World(SCENARIOS["hhhnnl"])
    world.advance_to(instant)
    stats = world.queue.stats()
    assert stats.actual_share == stats.promised_share
    assert stats.promised_share == {"H": 3 / 6, "N": 2 / 6, "L": 1 / 6}


def test_lent_slots_go_round_the_cycle() -> None:
    """Two high, then two normal and one low in turn; the high one of 10.5 s takes the next high slot."""
    world = run(SCENARIOS["borrowing"])
    assert bands(world) == "HHNNLNNLNNLHNNLN"
    assert handed_out(world)[11] == (11_000, "J16")


def test_lending_to_the_best_band_would_give_five_to_one() -> None:
    """What the scenario warns of, as a cycle: with three slots more, normal has five for each low one."""
    assert WeightedBands.from_weights(N=5, L=1).cycle.count("N") == 5
    assert WeightedBands("HHHNNL").cycle.replace("H", "N").count("N") == 5


@pytest.mark.parametrize(
    ("name", "served"),
    [("noisy_neighbour", [12_000, 13_000]), ("fair_neighbours", [2000, 7000])],
)
def test_turns_decide_how_long_bo_waits(name: str, served: list[int]) -> None:
    """First come, first served: behind all of acme's. In turns: half a second each."""
    world = run(SCENARIOS[name])
    assert [at for at, job_id in handed_out(world) if job_id in {"J13", "J14"}] == served
    assert [job.tenant for job in world.jobs()[-2:]] == ["bo", "bo"]


@pytest.mark.parametrize("name", ["noisy_neighbour", "fair_neighbours"])
def test_both_neighbours_have_a_worker_that_never_rests(name: str) -> None:
    """One job is done each second from 1.0 s to 14.0 s: the total does not show who waits."""
    done = [event.at for event in run(SCENARIOS[name]).log.events if event.kind == "completed"]
    assert done == list(range(1000, 15_000, 1000))


def test_the_noisy_neighbours_victim_grows_old() -> None:
    """The oldest ready job of bo is 4.5 s old at 6.0 s and 10.5 s old a moment before it is served."""
    world = World(SCENARIOS["noisy_neighbour"])
    ages = []
    for instant in (6000, 11_999):
        world.advance_to(instant)
        ages.append(world.queue.stats().oldest_ready_millis_by_tenant["bo"])
    assert ages == [4500, 10_499]


@pytest.mark.parametrize(("name", "at"), [("starvation", 30_000), ("aging", 12_000)])
def test_aging_ends_starvation(name: str, at: int) -> None:
    """The low job is served after the whole flood, or, where waiting counts, at 12.0 s."""
    world = run(SCENARIOS[name])
    assert [instant for instant, job_id in handed_out(world) if job_id == "J1"] == [at]
    assert len(world.jobs()) == 31


def test_an_aged_job_goes_before_newer_high_ones() -> None:
    """At 11.0 s, as a normal job, it is still passed by; at 12.0 s it passes the high one of that instant."""
    world = World(SCENARIOS["aging"])
    world.advance_to(12_000)
    assert handed_out(world)[-2:] == [(11_000, "J13"), (12_000, "J1")]
    assert world.queue.next_up(1) == ["J14"]


def test_by_count_two_films_cost_the_third_thumbnail_a_minute() -> None:
    """Thumbnail, film, thumbnail, film; the third thumbnail starts at 60.02 s."""
    assert handed_out(run(SCENARIOS["long_jobs"]))[:5] == [
        (0, "J3"),
        (10, "J1"),
        (30_010, "J4"),
        (30_020, "J2"),
        (60_020, "J5"),
    ]


def test_by_cost_the_thumbnails_come_before_the_films() -> None:
    """Three turns of ten thumbnails pass before bo can pay for a film of 30, then acme's last ten."""
    order = [job_id for _, job_id in handed_out(run(SCENARIOS["long_jobs_by_cost"]))]
    thumbs = [f"J{number}" for number in range(3, 43)]
    assert order == [*thumbs[:30], "J1", *thumbs[30:], "J2"]


def test_a_band_at_its_limit_leaves_workers_for_others() -> None:
    """At most one report runs; at 3.5 s two workers are idle, and both payments start at the next poll."""
    world = World(SCENARIOS["band_limit"])
    most = 0
    while world.step():
        running = [job for job in world.jobs() if job.status is JobStatus.RUNNING]
        most = max(most, sum(job.priority < 0 for job in running))
        if world.now() == 3500:
            assert [job.id for job in running] == ["J1"]
    assert most == 1
    assert handed_out(world) == [(0, "J1"), (4000, "J4"), (4000, "J5"), (20_000, "J2"), (40_000, "J3")]
