"""Looking costs little: one query for each tick, and less where it takes long."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jobqueue import JobQueue, ManualClock, RetryPolicy
from tests.live.conftest import BEGIN, Live
from tests.webui.asking import spaced, words

if TYPE_CHECKING:
    import pytest


def test_figures_that_take_long_are_asked_for_rarely(
    clock: ManualClock, store: JobQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each takes 3 s: after one, 12 s are left to others, and lists tell the time all the same."""

    class Slow:
        at = 0

        def now(self) -> Any:
            return self.at

    live, asked, slow = Live(store, clock, monotonic=Slow(), tick_millis=1000), [], Slow
    stats = store.stats

    def counted_stats() -> Any:
        asked.append(slow.at)
        slow.at += 3000
        return stats()

    monkeypatch.setattr(store, "stats", counted_stats)
    store.submit("mail", run_at_millis=BEGIN + 20_000)
    for slow.at in (0, 5000, 14_999, 15_000):
        live.page()
    assert asked == [0, 15_000]
    clock.advance(5000)
    assert "due in 15 s" in words(live.page("/jobs"))
    assert len(asked) == 2


class Stopwatch:
    """A monotonic clock that only the test moves."""

    at = 0

    def now(self) -> Any:
        return self.at


def test_a_killed_worker_is_lost_once_its_lease_has_expired(clock: ManualClock) -> None:
    """Until then it works as far as anybody can know; afterwards it is not counted as idle."""
    watch = Stopwatch()
    live = Live(JobQueue(clock, RetryPolicy(3, 1000, 60_000)), clock, monotonic=watch)
    live.store.submit("mail")
    live.store.poll("anna", 5000)
    assert "Workers 1 working" in spaced(live.page())
    clock.advance(5000)
    watch.at += 5000
    assert "Workers 1 lost A anna lost Its lease on J1 expired without a report." in spaced(live.page())
    live.store.submit("mail", priority=9)
    live.store.poll("anna", 5000)
    assert "Workers 1 working" in spaced(live.page()), "it lives after all"
    watch.at += 15 * 60_000
    clock.advance(5000)
    live.page()
    watch.at += 15 * 60_000
    assert "No worker holds a lease" in spaced(live.page())


def test_a_worker_that_reported_is_not_lost(live: Any) -> None:
    """Without a lease, and never heard through this server: idle or stopped, which the page says."""
    live.store.submit("mail")
    lease = live.store.poll("anna", 5000)
    live.page()
    live.store.complete("J1", lease.token)
    live.clock.advance(5000)
    assert "Workers 1 no lease A anna no lease Last seen" in spaced(live.page())
    assert "Idle or stopped: the store can't tell." in spaced(live.page())


def test_a_worker_that_polls_here_is_idle_and_then_silent(store: JobQueue, clock: ManualClock) -> None:
    """It is seen without a lease as long as it polls; 30 s without a poll are too long for one that lives."""
    watch = Stopwatch()
    live = Live(store, clock, monotonic=watch)
    live.service.workers.saw("bob", polls=True)
    watch.at = 29_999
    assert "Workers 1 idle B bob idle Last poll 29 s ago." in spaced(live.page())
    watch.at = 30_000
    assert "Workers 1 silent B bob silent Last seen 30 s ago." in spaced(live.page())


def test_shares_are_shown_where_they_are_known(live: Any) -> None:
    """Other processes count their own hand-outs: no column of dashes until this server hands one out."""
    assert "actual" not in spaced(live.page()).partition("This server has handed out no job")[0]
    live.store.submit("mail")
    live.store.poll("w", 1000)
    assert "target actual" in spaced(live.page())


def test_fifty_viewers_are_one_query_each_tick(clock: Any, store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """All pages within a tick are drawn from one snapshot; after a tick, from the next."""
    watch = Stopwatch()
    live, asked = Live(store, clock, monotonic=watch, tick_millis=1000), []
    stats = store.stats
    monkeypatch.setattr(store, "stats", lambda: asked.append(1) or stats())  # type: ignore[func-returns-value]
    for _ in range(50):
        live.page()
        live.page("/jobs")
    assert len(asked) == 1
    watch.at = 1000
    live.page()
    assert len(asked) == 2
