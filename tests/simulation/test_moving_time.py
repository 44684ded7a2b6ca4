"""However time is moved, the same things happen: properties over random instants and random interference."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from hypothesis import given, settings
from hypothesis import strategies as st

from jobqueue import JobQueueError
from jobqueue.simulation import SCENARIOS, World
from tests.simulation.worlds import keys

if TYPE_CHECKING:
    from collections.abc import Callable

END = 70_000
STEADY = settings(max_examples=120, derandomize=True, deadline=None)

worker_pokes = st.tuples(st.sampled_from(["crash", "restart", "freeze", "thaw"]), st.sampled_from("AB"))
job_pokes = st.tuples(st.sampled_from(["cancel", "redrive"]), st.sampled_from(["J1", "J2", "J3", "J9"]))
type_pokes = st.tuples(
    st.sampled_from(["pause_type", "resume_type"]), st.sampled_from(["mail", "payment", "resize"])
)
submits = st.tuples(st.just("submit"), st.sampled_from(["mail", "invoice", "resize"]))
# Round instants meet the scenarios' own; the others fall in between.
instants = st.one_of(st.integers(0, END), st.integers(0, END // 500).map(lambda n: n * 500))
pokes = st.lists(st.tuples(instants, st.one_of(worker_pokes, job_pokes, type_pokes, submits)), max_size=8)
names = st.sampled_from(list(SCENARIOS))
right_names = st.sampled_from([name for name, scenario in SCENARIOS.items() if scenario.flaw is None])


def leap(world: World, instant: int) -> None:
    world.advance_to(instant)


def by_seconds(world: World, instant: int) -> None:
    while world.now() + 1000 < instant:
        world.advance_to(world.now() + 1000)
    world.advance_to(instant)


def by_events(world: World, instant: int) -> None:
    while (at := world.next_at()) is not None and at < instant:
        assert world.step()
        assert world.now() == at
    world.advance_to(instant)


def play(name: str, seed: int, pokes: list[Any], move: Callable[[World, int], None]) -> World:
    """Play a scenario to the end with interference at the given instants, time moved in one way."""
    world = World(SCENARIOS[name], seed)
    for at, (verb, target) in sorted(pokes, key=lambda poke: poke[0]):
        move(world, at)
        try:
            getattr(world, verb)(target)
        except (JobQueueError, LookupError):
            continue  # a refusal is an event like any other, if the job exists at all
    move(world, END)
    return world


@given(names, st.integers(0, 5), pokes)
@STEADY
def test_steps_seconds_and_leaps_give_the_same_events(name: str, seed: int, pokes: list[Any]) -> None:
    """Event by event, second by second or in one leap: the same chronicle, notes included."""
    stepped, ticked, leapt = (play(name, seed, pokes, move) for move in (by_events, by_seconds, leap))
    assert keys(stepped.log.events) == keys(ticked.log.events) == keys(leapt.log.events)
    assert stepped.chronicle.entries == ticked.chronicle.entries == leapt.chronicle.entries
    assert stepped.timeline() == ticked.timeline() == leapt.timeline()
    assert stepped.chronicle.events == stepped.log.events


@given(names, pokes)
@STEADY
def test_stopping_at_any_instant_changes_nothing(name: str, pokes: list[Any]) -> None:
    """Looking at a world in between, wherever, is no interference."""
    world = World(SCENARIOS[name])
    for at in sorted(at for at, _ in pokes):
        world.advance_to(at)
        world.jobs()
        world.timeline()
        world.next_at()
    world.advance_to(END)
    assert world.chronicle.entries == play(name, SCENARIOS[name].seed, [], leap).chronicle.entries


@given(names, pokes)
@STEADY
def test_a_step_never_goes_back_and_steps_come_to_an_end(name: str, pokes: list[Any]) -> None:
    """Each step lets time stand or go on and shows something new; after the last one nothing moves."""
    world = play(name, 1, pokes, leap)
    for _ in range(500):
        before, seen = world.now(), world.chronicle.entries
        if not world.step():
            break
        assert world.now() >= before
        assert world.chronicle.entries != seen or any(job.next_run_at == world.now() for job in world.jobs())
    assert not world.step()
    assert world.next_at() is None
    assert (world.now(), world.chronicle.entries) == (before, seen)


@given(right_names, pokes)
@STEADY
def test_a_worker_never_reports_twice_for_one_lease(name: str, pokes: list[Any]) -> None:
    """One token is reported with at most once, and not used at all after a refusal."""
    reports: Counter[str] = Counter()
    refused: set[str] = set()
    for event in play(name, 1, pokes, leap).log.events:
        token = f"{event.job_id}:{event.generation}"
        if event.kind == "refused" and event.detail["token"] is None:
            continue
        if event.kind in {"completed", "failed", "renewed", "refused"}:
            assert token not in refused
        if event.kind in {"completed", "failed"} or event.detail.get("operation") in {"complete", "fail"}:
            reports[token] += 1
        if event.kind == "refused":
            refused.add(token)
    assert [token for token, times in reports.items() if times > 1] == []


@given(names, pokes)
@STEADY
def test_a_chronicle_is_in_order(name: str, pokes: list[Any]) -> None:
    """Instants never decrease, events are numbered without gaps, and nothing lies ahead of the clock."""
    world = play(name, 1, pokes, leap)
    entries = world.chronicle.entries
    assert [entry.at for entry in entries] == sorted(entry.at for entry in entries)
    assert [event.seq for event in world.log.events] == list(range(1, len(world.log) + 1))
    assert all(0 <= entry.at <= world.now() for entry in entries)


def test_the_random_walks_meet_what_they_are_for() -> None:
    """Interference at fixed instants leads to refusals, zombies, crashes, redrives and cancels."""
    pokes = [
        (500, ("freeze", "A")),
        (61_000, ("thaw", "A")),
        (100, ("cancel", "J1")),
        (40_000, ("submit", "mail")),
    ]
    met: Counter[str] = Counter()
    for name in SCENARIOS:
        more = [(20_000, ("redrive", "J1")), (300, ("crash", "B")), (64_000, ("restart", "B"))]
        met.update(str(entry.kind) for entry in play(name, 1, pokes + more, leap).chronicle.entries)
    needed = ["refused", "redriven", "cancelled", "crashed", "restarted", "froze", "thawed", "lease_expired"]
    assert [kind for kind in needed if not met[kind]] == []


def test_a_job_that_a_flawed_queue_never_ends_does_not_hold_time_up() -> None:
    """Its deadline stays in the past, for good: the next instant lies ahead, and time goes on to it."""
    world = World(SCENARIOS["flawed_sweep_in_poll"])
    world.submit("mail", deadline_millis=4_000, delay_millis=1_000)
    for worker in ("A", "B"):
        world.crash(worker)
    world.advance_to(90_000)
    assert world.now() == 90_000
