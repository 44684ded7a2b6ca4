"""The traces that the queue's contract writes down, as the scenarios play them."""

import pytest

from jobqueue import JobStatus
from jobqueue.simulation import SCENARIOS, World, run
from tests.simulation.worlds import told

HISTORIES = {
    "late_poll": [(0, 5000, 1, "A", "expired"), (60_000, 63_000, 2, "B", "succeeded")],
    "crash_loop": [
        (0, 1000, 1, "A", "expired"),
        (5000, 6000, 2, "A", "expired"),
        (10_000, 11_000, 3, "A", "expired"),
    ],
    "zombie": [(0, 30_000, 1, "A", "expired"), (31_000, 41_000, 2, "B", "succeeded")],
}


@pytest.mark.parametrize("name", HISTORIES)
def test_the_first_job_has_the_history_that_was_promised(name: str) -> None:
    """Each attempt begins and ends at the instant of the contract, whoever noticed it when."""
    history = run(SCENARIOS[name]).queue.history("J1")
    assert [(a.started_at, a.ended_at, a.attempt, a.worker_id, a.outcome) for a in history] == HISTORIES[name]


def test_the_late_poll_gets_a_retry_that_was_due_long_ago() -> None:
    """At 60.0 s B gets attempt 2, leased until 65.0 s; the retry was due at 6.0 s."""
    world = World(SCENARIOS["late_poll"])
    world.advance_to(60_000)
    view = world.queue.view("J1")
    assert (view.status, view.attempts, view.lease_until, view.next_run_at) == ("RUNNING", 2, 65_000, 6000)


def test_the_crash_loop_ends_in_a_dead_letter() -> None:
    """Three crashes use three attempts up: dead at 11.0 s, and the fourth poll gets None."""
    world = World(SCENARIOS["crash_loop"])
    world.advance_to(15_999)
    view = world.queue.view("J1")
    assert (view.status, view.failed_at, view.attempts) == (JobStatus.DEAD, 11_000, 3)
    assert told(world, "leased") == [(0, "leased", "J1"), (5000, "leased", "J1"), (10_000, "leased", "J1")]


def test_backoff_doubles_up_to_its_cap() -> None:
    """The rests of the backoff scenario are 1, 2, 4, 8 and again 8 seconds."""
    retries = [e for e in run(SCENARIOS["backoff"]).log.events if e.kind == "retry_scheduled"]
    assert [e.detail["run_at"] - e.at for e in retries] == [1000, 2000, 4000, 8000, 8000]


def test_the_zombie_is_refused_and_the_work_is_done_twice() -> None:
    """A's report is refused at 35.0 s; A and B both had the effect of J1."""
    world = run(SCENARIOS["zombie"])
    assert told(world, "refused") == [(35_000, "refused", "J1")]
    assert [(e.at, e.worker) for e in world.chronicle.entries if e.kind == "effect" and e.job_id == "J1"] == [  # type: ignore[union-attr]
        (35_000, "A"),
        (41_000, "B"),
    ]


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_teaser_does_not_give_away_the_end(name: str) -> None:
    """Something can be seen at the teaser's instant, and more happens after it."""
    world = World(SCENARIOS[name])
    world.advance_to(SCENARIOS[name].teaser_at)
    assert world.timeline().bars
    assert world.next_at() is not None
