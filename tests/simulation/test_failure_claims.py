"""What the scenarios of failure and of effects say in numbers, measured on their events."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from jobqueue import JobStatus
from jobqueue.simulation import SCENARIOS, World, run
from tests.simulation.worlds import told

if TYPE_CHECKING:
    from jobqueue import Event


def kinds(world: World, *names: str) -> list[Event]:
    """Return the events of some kinds."""
    return [event for event in world.log.events if event.kind in names]


def first_waits(world: World) -> dict[str, int]:
    """Return how long each job waited from its submit to its first hand-out."""
    submitted = {event.job_id: event.at for event in kinds(world, "submitted")}
    waits: dict[str, int] = {}
    for event in kinds(world, "leased"):
        waits.setdefault(str(event.job_id), event.at - submitted[event.job_id])
    return waits


def test_a_redrive_gives_new_attempts_and_tokens_go_on() -> None:
    """Dead at 4.5 s, untouched until 20.0 s, then attempt 1 of 3 with token J1:4."""
    world = World(SCENARIOS["redrive"])
    world.advance_to(19_999)
    dead = world.queue.view("J1")
    assert (dead.status, dead.failed_at, dead.attempts) == (JobStatus.DEAD, 4500, 3)
    world.advance_to(20_000)
    lease = world.workers["A"].lease
    assert lease is not None
    assert (lease.token, lease.attempt) == ("J1:4", 1)


def test_of_three_deadlines_two_kill() -> None:
    """J4 waits and dies at 6.0 s; J1 failed and dies at that failure; J2 runs on to 13.0 s."""
    world = run(SCENARIOS["deadline"])
    views = [world.queue.view(job_id) for job_id in ("J1", "J2", "J4")]
    assert [view.deadline for view in views] == [6000, 6000, 6000]
    assert [(view.status, view.dead_reason) for view in views] == [
        (JobStatus.DEAD, "deadline"),
        (JobStatus.SUCCEEDED, None),
        (JobStatus.DEAD, "deadline"),
    ]
    assert [view.failed_at or view.finished_at for view in views] == [2500, 13_000, 6000]
    assert [attempt.started_at for attempt in world.queue.history("J2")] == [4000]


def test_a_deadline_needs_nobody_who_polls() -> None:
    """With both workers dead, J4 still dies at 6.0 s and not when somebody looks."""
    world = World(SCENARIOS["deadline"])
    world.advance_to(5000)
    world.crash("A")
    world.crash("B")
    world.advance_to(9000)
    assert (6000, "dead_lettered", "J4") in told(world, "dead_lettered")


def test_jitter_spreads_what_failed_together() -> None:
    """Six failures at 1.0 s, six different rests: the shortest below 1 s, the longest above 6 s."""
    world = run(SCENARIOS["jitter"])
    retries = kinds(world, "retry_scheduled")
    rests = sorted(event.detail["run_at"] - event.at for event in retries)
    assert [event.at for event in retries] == [1000] * 6
    assert len(set(rests)) == 6
    assert rests[0] < 1000
    assert 6000 < rests[-1] <= 8000


def test_the_rests_are_drawn_from_job_and_attempt_alone() -> None:
    """Another seed of the story, and a job in between, leave each rest as it was."""

    def rests(seed: int, extra: bool) -> dict[str | None, int]:
        world = World(SCENARIOS["jitter"], seed)
        world.advance_to(500)
        if extra:
            world.submit("mail", priority=9)
        world.advance_to(20_000)
        return {event.job_id: event.detail["run_at"] - event.at for event in kinds(world, "retry_scheduled")}

    assert rests(1, extra=False) == rests(2, extra=True)


@pytest.mark.parametrize(
    ("name", "waits", "end"),
    [
        ("retry_storm", [4500, 4500, 5500, 5500, 6500, 6500, 7500, 7500], 18_000),
        ("retry_storm_budget", [3500] * 8, 23_000),
    ],
)
def test_a_budget_keeps_first_tries_from_waiting_longer_and_longer(
    name: str, waits: list[int], end: int
) -> None:
    """New payments wait 4.5 s growing to 7.5 s; with the budget 3.5 s each, and all is done 5 s later."""
    world = run(SCENARIOS[name])
    assert [first_waits(world)[f"J{number}"] for number in range(11, 19)] == waits
    assert max(event.at for event in kinds(world, "completed")) == end
    assert all(job.status is JobStatus.SUCCEEDED for job in world.jobs())


@pytest.mark.parametrize("name", ["retry_storm", "retry_storm_budget"])
def test_every_try_during_the_outage_fails(name: str) -> None:
    """Eighteen tries end before the bank is back at 10.0 s, and none after it fails."""
    failed = kinds(run(SCENARIOS[name]), "failed")
    assert (len(failed), max(event.at for event in failed)) == (18, 9000)


def test_beyond_the_budget_a_retry_is_held() -> None:
    """At each event one retry runs at most, and the ones that wait say why."""
    world, held = World(SCENARIOS["retry_storm_budget"]), 0
    while world.step():
        jobs = world.jobs()
        assert sum(job.status is JobStatus.RUNNING and job.attempts > 1 for job in jobs) <= 1
        held += sum(job.hold == "budget" for job in jobs)
    assert held > 0


def test_a_crashed_retry_gives_its_place_back_with_its_lease() -> None:
    """A crashes on J1's retry at 5.5 s, leased until 15.0 s: no other retry runs before, one does then."""
    world = World(SCENARIOS["retry_storm_budget"])
    world.advance_to(5500)
    world.crash("A")
    world.restart("A")
    world.advance_to(30_000)
    retries = [(event.at, event.job_id) for event in kinds(world, "leased") if event.attempt > 1]
    assert [at for at, _ in retries[:2]] == [5000, 15_000]


@pytest.mark.parametrize(
    ("name", "effects"),
    [
        ("effect_then_crash", [(2000, "A"), (13_000, "B")]),
        ("lost_acknowledgement", [(1500, "A"), (8500, "B")]),
        ("uncertain_redrive", [(2000, "A"), (22_000, "B")]),
        ("zombie", [(35_000, "A"), (41_000, "B")]),
    ],
)
def test_the_effect_happens_twice_and_the_id_is_one(name: str, effects: list[tuple[int, str]]) -> None:
    """A naive receiver has J1 two times, one that keeps job ids once; the queue has one success."""
    world = run(SCENARIOS[name])
    notes = [e for e in world.chronicle.entries if e.kind == "effect" and e.job_id == "J1"]
    assert [(note.at, note.worker) for note in notes] == effects  # type: ignore[union-attr]
    assert [note.times for note in notes] == [1, 2]  # type: ignore[union-attr]
    assert world.effects["J1"] == 2
    assert len({note.job_id for note in notes}) == 1
    assert len([event for event in kinds(world, "completed") if event.job_id == "J1"]) == 1


def test_a_lost_report_is_the_workers_own_secret() -> None:
    """At 4.0 s A has gone on to J2, and for the queue it still holds J1."""
    world = World(SCENARIOS["lost_acknowledgement"])
    world.advance_to(3999)
    lease = world.workers["A"].lease
    assert lease is not None
    assert lease.job_id == "J2"
    assert [(job.id, job.status, job.worker_id) for job in world.jobs()] == [
        ("J1", JobStatus.RUNNING, "A"),
        ("J2", JobStatus.RUNNING, "A"),
    ]


def test_a_dead_letter_does_not_tell_whether_its_work_was_done() -> None:
    """At 11.0 s it says 'lease expired', and the parcel was shipped at 2.0 s."""
    world = World(SCENARIOS["uncertain_redrive"])
    world.advance_to(11_000)
    view = world.queue.view("J1")
    assert (view.status, view.last_error, world.effects["J1"]) == (JobStatus.DEAD, "lease expired", 1)
