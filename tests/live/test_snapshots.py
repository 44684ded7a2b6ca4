"""Looking costs little: one query for each tick, and less where it takes long."""

from __future__ import annotations

from tests.live.conftest import BEGIN, Live
from tests.webui.asking import words


def test_figures_that_take_long_are_asked_for_rarely(clock, store, monkeypatch):
    """Each takes 3 s: after one, 12 s are left to others, and lists tell the time all the same."""

    class Slow:
        at = 0

        def now(self):
            return self.at

    live, asked, slow = Live(store, clock, monotonic=Slow(), tick_millis=1000), [], Slow
    stats = store.stats

    def counted_stats():
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


def test_fifty_viewers_are_one_query_each_tick(clock, store, monkeypatch):
    """All pages within a tick are drawn from one snapshot; after a tick, from the next."""

    class Still:
        at = 0

        def now(self):
            return self.at

    live, asked = Live(store, clock, monotonic=Still(), tick_millis=1000), []
    stats = store.stats
    monkeypatch.setattr(store, "stats", lambda: asked.append(1) or stats())
    for _ in range(50):
        live.page()
        live.page("/jobs")
    assert len(asked) == 1
    Still.at = 1000
    live.page()
    assert len(asked) == 2
