"""The chronicle as bars, marks and rests, with figures that one can check by hand."""

import pytest

from jobqueue import RetryPolicy
from jobqueue.simulation import SCENARIOS, Habits, World, run
from jobqueue.simulation.timeline import Bar, Mark, Rest, Timeline
from tests.simulation.worlds import mails, world


def seen(name: str, instant: int) -> Timeline:
    """Return the timeline of a scenario at an instant."""
    w = World(SCENARIOS[name])
    w.advance_to(instant)
    return w.timeline()


def test_a_running_lease_is_a_bar_without_an_end() -> None:
    """The picture reaches to the end of the lease, and no zombie is in sight."""
    t = seen("zombie", 500)
    assert t.bars == (Bar("A", "J1", 1, "J1:1", 0, 30_000),)
    assert (t.workers, t.now, t.begin, t.end) == (("A", "B"), 500, 0, 30_000)
    assert t.marks == t.rests == ()  # type: ignore[comparison-overlap]


@pytest.mark.parametrize("instant", [30_000, 31_000, 32_500])
def test_a_zombie_has_a_ghost_that_grows_until_now(instant: int) -> None:
    """A frozen worker that lost its lease is drawn on behind the end of it."""
    first = seen("zombie", instant).bars[0]
    assert first == Bar("A", "J1", 1, "J1:1", 0, 30_000, 30_000, "expired", instant)


def test_a_ghost_ends_at_the_refusal() -> None:
    """At 35.0 s A learns that it lost the job; the ghost stays where it was, and a mark is set."""
    t = run(SCENARIOS["zombie"]).timeline()
    assert [(b.token, b.worker, b.start, b.end, b.outcome, b.ghost_until) for b in t.bars] == [
        ("J1:1", "A", 0, 30_000, "expired", 35_000),
        ("J1:2", "B", 31_000, 41_000, "succeeded", None),
        ("J2:1", "A", 36_000, 39_000, "succeeded", None),
    ]
    assert t.marks == (Mark("A", 35_000, "refused", "J1"),)
    assert t.rests == (Rest("A", 1000, 33_000, "frozen"),)


def test_a_crash_is_a_mark_and_a_rest_until_the_restart() -> None:
    """A dead worker has no ghost: it believes nothing. While it is dead its rest reaches to now."""
    t = seen("crash_loop", 5200)
    assert t.marks == (Mark("A", 300, "crashed", "J1"), Mark("A", 5000, "restarted", None))
    assert t.rests == (Rest("A", 300, 5000, "dead"),)
    assert [bar.ghost_until for bar in t.bars] == [None, None]
    assert seen("crash_loop", 4000).rests == (Rest("A", 300, 4000, "dead"),)


def test_a_renewal_moves_the_end_of_the_lease() -> None:
    """The bar shows the lease as it is now, not as it began."""
    assert seen("crash_loop", 16_399).bars[-1].lease_until == 17_000
    assert seen("crash_loop", 16_400).bars[-1].lease_until == 17_400


def test_a_reported_failure_is_not_an_expiry() -> None:
    """The first attempt of the backoff scenario failed at 0.5 s, by report."""
    assert seen("backoff", 600).bars[0] == Bar("A", "J1", 1, "J1:1", 0, 10_000, 500, "failed")


def test_a_freeze_that_ends_in_a_crash_is_two_rests() -> None:
    """Frozen up to the crash, dead from there on."""
    w = world(Habits("A"), tasks=mails(1))
    for instant, verb in [(1000, "freeze"), (2000, "crash"), (5000, "restart")]:
        w.advance_to(instant)
        getattr(w, verb)("A")
    assert w.timeline().rests == (Rest("A", 1000, 2000, "frozen"), Rest("A", 2000, 5000, "dead"))


def test_two_leases_of_one_worker_are_two_bars() -> None:
    """A worker that crashed and came back has a new lease while the old one still runs."""
    w = world(Habits("A", lease_millis=10_000), tasks=mails(2), policy=RetryPolicy(3, 1000, 60_000))
    w.advance_to(1000)
    w.crash("A")
    w.restart("A")
    w.advance_to(2000)
    assert [(b.token, b.start, b.end) for b in w.timeline().bars] == [("J1:1", 0, None), ("J2:1", 1000, None)]


def test_an_empty_world_has_lanes_and_nothing_on_them() -> None:
    """Before anything happens the lanes are there."""
    t = world(Habits("A"), Habits("B")).timeline()
    assert (t.workers, t.bars, t.marks, t.rests, t.end) == (("A", "B"), (), (), (), 0)
