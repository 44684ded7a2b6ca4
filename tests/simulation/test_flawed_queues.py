"""Each flawed queue shows its flaw in its story, at an instant, and the right queue beside it shows none."""

from __future__ import annotations

import inspect
import random
from contextlib import suppress
from functools import cache

import pytest

from jobqueue import JobQueue, JobQueueError, ManualClock, RetryPolicy
from jobqueue.simulation import SCENARIOS, World, run
from jobqueue.simulation.comparison import differences, parting
from jobqueue.simulation.flawed import ChecksThenActs
from jobqueue.simulation.invariants import INVARIANTS
from jobqueue.simulation.watch import MOST_VIOLATIONS, next_violation

FLAWED = [name for name, scenario in SCENARIOS.items() if scenario.flaw is not None]
WITHOUT_A_LAMP = ["flawed_borrowing", "flawed_idle_cycle"]


@cache
def played(name: str) -> World:
    """Return a story played to its end."""
    return run(SCENARIOS[name])


def code(thing: object) -> str:
    """Return the source of something, in one line."""
    return " ".join(inspect.getsource(thing).split())  # type: ignore[arg-type]


def test_there_are_enough_of_them() -> None:
    """At least ten, each with another queue, and most of them light a lamp."""
    queues = {SCENARIOS[name].flaw.queue for name in FLAWED}  # type: ignore[union-attr]
    assert len(queues) == len(FLAWED) >= 20
    assert [name for name in FLAWED if not SCENARIOS[name].flaw.lamp] == WITHOUT_A_LAMP  # type: ignore[union-attr]


@pytest.mark.parametrize("name", FLAWED)
def test_a_flaw_is_seen(name: str) -> None:
    """The first lamp that goes red is the one of the flaw; without one, the story parts from the right one."""
    world, flaw = played(name), SCENARIOS[name].flaw
    parts = parting(world, world.twin)  # type: ignore[arg-type]
    assert parts is not None
    assert parts.here != parts.there
    found = [violation.invariant.name for violation in world.watch.violations]
    if flaw.lamp:  # type: ignore[union-attr]
        assert found[0] == flaw.lamp  # type: ignore[union-attr]
    else:
        assert found == []
        assert differences(world, world.twin) != []  # type: ignore[arg-type]


@pytest.mark.parametrize("name", FLAWED)
def test_the_right_queue_beside_it_shows_nothing(name: str) -> None:
    """Same jobs, same workers, same instants, and no lamp; it is the very story without a flaw."""
    twin = played(name).twin
    assert type(twin.queue) is JobQueue  # type: ignore[union-attr]
    assert twin.twin is None  # type: ignore[union-attr]
    assert twin.watch.violations == ()  # type: ignore[union-attr]
    assert twin.now() == played(name).now()  # type: ignore[union-attr]


@pytest.mark.parametrize("name", FLAWED)
def test_the_flaw_is_one_method_beside_the_one_that_it_overrides(name: str) -> None:
    """The board shows the flawed queue's own method beside the right one, as Python finds them."""
    flaw = SCENARIOS[name].flaw
    assert flaw is not None
    assert flaw.wrong.__module__.startswith("jobqueue.simulation.flawed.")
    assert not flaw.right.__module__.startswith("jobqueue.simulation.")
    assert flaw.wrong.__name__ == flaw.right.__name__


IN_THE_MACHINERY = {"flawed_sweep_in_poll", "flawed_check_then_act", "flawed_batch"}
"""Not about a rule: when a queue looks, in how many steps it takes, how often it asks for limits."""


@pytest.mark.parametrize("name", [name for name in FLAWED if name not in IN_THE_MACHINERY])
def test_a_flaw_in_a_rule_changes_nothing_but_that_rule(name: str) -> None:
    """The queue's own methods are those of the right one: only its rules, or its turns, have one overridden."""
    flaw = SCENARIOS[name].flaw
    assert flaw is not None
    queue = flaw.queue
    own = {method for kind in queue.__mro__ if "flawed" in kind.__module__ for method in vars(kind)}
    machinery = {method for method in own if not method.startswith("__")} - {"rules", "_bands"}
    assert machinery <= ({"poll", "_end_what_is_due", "_polls"} if name == "flawed_sweep_date" else set())


@pytest.mark.parametrize("name", FLAWED)
def test_a_flawed_queue_is_no_copy(name: str) -> None:
    """It is the right queue with one rule changed, in a few lines."""
    queue = SCENARIOS[name].flaw.queue  # type: ignore[union-attr]
    assert issubclass(queue, JobQueue)
    assert len(inspect.getsource(queue).splitlines()) <= 32


@pytest.mark.parametrize("name", FLAWED)
def test_a_story_of_a_flaw_comes_to_an_end(name: str) -> None:
    """Nothing more happens after it, and it is short enough for the board."""
    world = played(name)
    assert world.next_at() is None
    assert len(world.chronicle) <= 400
    assert len(world.watch.violations) < MOST_VIOLATIONS


def test_every_lamp_that_can_break_in_a_story_is_known() -> None:
    """Which invariants the flaws break first; the others are broken on the way, or by answers of learners."""
    lamps = {SCENARIOS[name].flaw.lamp for name in FLAWED} - {""}  # type: ignore[union-attr]
    assert lamps <= {one.name for one in INVARIANTS}
    broken = {found.invariant.name for name in FLAWED for found in played(name).watch.violations}
    unbroken = {one.name for one in INVARIANTS} - broken
    assert unbroken == {"nothing_lost", "bands_get_slots"}


def test_what_somebody_does_happens_in_both_worlds() -> None:
    """A crash and a submit reach the twin at their own instants; what the story does is not done twice."""
    world = World(SCENARIOS["flawed_by_id"])
    world.advance_to(2000)
    world.crash("B")
    world.submit("mail", "one more")
    world.advance_to(60_000)
    assert world.twin.workers["B"].state == world.workers["B"].state == "crashed"  # type: ignore[union-attr]
    assert [job.type for job in world.twin.jobs()] == [job.type for job in world.jobs()]  # type: ignore[union-attr]
    assert len(world.jobs()) == 3


def test_what_the_right_queue_refuses_may_pass_in_the_flawed_one() -> None:
    """Cancelling a job that is PENDING here and RUNNING there is no error."""
    world = World(SCENARIOS["flawed_backoff"])
    world.advance_to(1600)
    assert [world.jobs()[0].status, world.twin.jobs()[0].status] == ["PENDING", "RUNNING"]  # type: ignore[union-attr]
    world.cancel("J1")
    assert [world.jobs()[0].status, world.twin.jobs()[0].status] == ["CANCELLED", "RUNNING"]  # type: ignore[union-attr]


def test_the_next_violation_is_found_by_its_instant() -> None:
    """Later than the instant that is named, not at it; None where there is no more."""
    world = played("flawed_by_id")
    assert [next_violation(world, after).at for after in (-1, 34_999, 35_000)] == [35_000, 35_000, 41_000]  # type: ignore[union-attr]
    assert next_violation(world, 41_000) is None
    assert next_violation(played("zombie"), -1) is None


def test_two_equal_worlds_do_not_part() -> None:
    """Also where refusals have long messages."""
    assert parting(played("zombie"), run(SCENARIOS["zombie"])) is None
    assert differences(played("zombie"), run(SCENARIOS["zombie"])) == []


@pytest.mark.parametrize("name", FLAWED)
def test_a_flawed_world_bears_whatever_somebody_does(name: str) -> None:
    """Crashes, freezes, cancels, redrives, pauses at random: the queue is wrong, but the board goes on."""
    for seed in range(12):
        chance, world = random.Random(f"{name}:{seed}"), World(SCENARIOS[name])  # noqa: S311 - a story's dice
        for _ in range(60):
            verb = chance.choice(["step"] * 6 + ["crash", "restart", "freeze", "thaw", "cancel", "redrive"])
            if verb == "step":
                world.step()
                continue
            targets = list(world.workers) if verb not in {"cancel", "redrive"} else [j.id for j in world.jobs()]
            if targets:
                with suppress(JobQueueError):
                    getattr(world, verb)(chance.choice(targets))
        assert board_like(world)
        assert world.twin.watch.violations == ()  # type: ignore[union-attr]


def board_like(world: World) -> list[str]:
    """Return what a board asks of a queue for each job."""
    return [world.queue.why_not(job.id) for job in world.jobs()] + world.queue.next_up(12) + ["looked"]


@pytest.mark.parametrize(("apart", "second"), [(0, "J1"), (1, "J1"), (9, "J1"), (10, "J2"), (500, "J2")])
def test_a_job_goes_twice_to_those_who_poll_within_the_gap(apart: int, second: str) -> None:
    """The gap is half-open: who looks at the instant of the taking finds the job taken."""
    clock = ManualClock()
    queue = ChecksThenActs(clock, RetryPolicy(3, 1000, 60_000))
    submitted = [queue.submit("mail"), queue.submit("mail")]
    clock.advance(1000)
    first = queue.poll("A", 10_000)
    clock.advance(apart)
    other = queue.poll("B", 10_000)
    assert [first.job_id, other.job_id] == [submitted[0], second]  # type: ignore[union-attr]
    assert first.token != other.token  # type: ignore[union-attr]
    holders = [attempt.worker_id for job_id in submitted for attempt in queue.history(job_id)]
    assert holders == ["A", "B"]


def test_a_look_that_chose_nothing_takes_nothing() -> None:
    """A job that came in after the look is for the next poll."""
    clock = ManualClock()
    queue = ChecksThenActs(clock, RetryPolicy(3, 1000, 60_000))
    queue.submit("mail")
    clock.advance(9)
    assert queue.poll("A", 10_000) is None
    clock.advance(1)
    assert queue.poll("A", 10_000).job_id == "J1"  # type: ignore[union-attr]


def test_a_job_that_was_cancelled_since_the_look_is_taken_all_the_same() -> None:
    """It is not asked whether it still waits, whatever has become of it."""
    clock = ManualClock()
    queue = ChecksThenActs(clock, RetryPolicy(3, 1000, 60_000))
    queue.submit("mail")
    clock.advance(1000)
    queue.cancel("J1")
    clock.advance(5)
    assert queue.poll("A", 10_000).job_id == "J1"  # type: ignore[union-attr]
    assert queue.view("J1").status == "RUNNING"
