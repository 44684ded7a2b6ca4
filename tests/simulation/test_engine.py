"""The event loop: order, calling off, and what is worth stopping for."""

import pytest

from jobqueue import ManualClock
from jobqueue.simulation.engine import Engine


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def engine(clock: ManualClock) -> Engine:
    return Engine(clock)


def test_actions_run_in_the_order_of_their_instants(engine: Engine, clock: ManualClock) -> None:
    """Whatever the order of planning, the earlier instant comes first, and the clock stands at each."""
    seen: list[tuple[str, int]] = []
    for name, at in [("c", 3000), ("a", 1000), ("b", 2000)]:
        engine.plan(at, lambda name=name: seen.append((name, clock.now())))  # type: ignore[misc]
    engine.run_until(2999)
    assert seen == [("a", 1000), ("b", 2000)]
    assert clock.now() == 2999
    engine.run_until(3000)
    assert seen[2:] == [("c", 3000)]


def test_actions_of_one_instant_run_as_they_were_planned(engine: Engine) -> None:
    """Ties are broken by the order of planning, foreground and background alike."""
    seen: list[int] = []
    for number in range(20):
        engine.plan(500, lambda number=number: seen.append(number), background=number % 3 == 0)  # type: ignore[misc]
    engine.run_until(500)
    assert seen == list(range(20))


def test_what_is_planned_meanwhile_runs_in_the_same_go(engine: Engine, clock: ManualClock) -> None:
    """An action may plan another one for its own instant or for a later one within reach."""
    seen: list[int] = []

    def again() -> None:
        seen.append(clock.now())
        if len(seen) < 4:
            engine.plan(clock.now() + (0 if len(seen) % 2 else 10), again)

    engine.plan(100, again)
    engine.run_until(200)
    assert seen == [100, 100, 110, 110]


def test_a_plan_for_the_past_means_now(engine: Engine, clock: ManualClock) -> None:
    """Time does not go back for an action that comes late."""
    seen: list[int] = []
    engine.run_until(5000)
    planned = engine.plan(10, lambda: seen.append(clock.now()))
    assert planned.at == 5000
    engine.run_until(5000)
    assert seen == [5000]


def test_a_plan_that_was_called_off_does_not_run(engine: Engine) -> None:
    """Calling off works up to the last moment, also from an action of the same instant."""
    seen: list[str] = []
    later = engine.plan(1000, lambda: seen.append("later"))
    engine.plan(2000, lambda: setattr(last, "over", True))
    last = engine.plan(2000, lambda: seen.append("last"))
    later.over = True
    assert engine.next_at(background=False) == 2000
    engine.run_until(3000)
    assert seen == []
    assert engine.next_at(background=False) is None


def test_an_action_runs_once(engine: Engine) -> None:
    """What has run is over, and is neither run nor counted again."""
    seen: list[str] = []
    planned = engine.plan(1000, lambda: seen.append("once"))
    engine.run_until(1000)
    engine.run_until(1000)
    engine.run_until(9000)
    assert (seen, planned.over) == (["once"], True)


def test_background_and_foreground_are_asked_for_apart(engine: Engine) -> None:
    """A poll while idle is no reason to stop, so the two sorts have their own next instant."""
    engine.plan(1000, lambda: None, background=True)
    engine.plan(3000, lambda: None)
    assert engine.next_at(background=True) == 1000
    assert engine.next_at(background=False) == 3000
    engine.run_until(1000)
    assert engine.next_at(background=True) is None


def test_time_never_goes_back(engine: Engine, clock: ManualClock) -> None:
    """Running until an instant that is over is refused."""
    engine.run_until(1000)
    with pytest.raises(ValueError, match="999"):
        engine.run_until(999)
    assert clock.now() == 1000
