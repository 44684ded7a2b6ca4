"""A part of the timeline, the timeline as text, and the bars of flawed queues."""

from __future__ import annotations

import re

import pytest

from jobqueue.simulation import SCENARIOS, World, run
from jobqueue.simulation.picture import TimelinePicture
from jobqueue.simulation.timeline import Mark, window
from jobqueue.simulation.timeline_text import timeline_text


def test_a_window_keeps_what_reaches_into_it() -> None:
    """From 31.5 s to 35.0 s of the zombie: both leases of J1, the refusal at the edge, the freeze."""
    whole = run(SCENARIOS["zombie"]).timeline()
    part = window(whole, 31_500, 35_000)
    assert [bar.token for bar in part.bars] == ["J1:1", "J1:2"]
    assert part.marks == (Mark("A", 35_000, "refused", "J1"),)
    assert [(rest.start, rest.end) for rest in part.rests] == [(31_500, 33_000)]
    assert (part.begin, part.end, part.now) == (31_500, 35_000, 41_000)
    assert window(whole, 37_000, 38_000).bars[-1].token == "J2:1"  # noqa: S105 - a token fences, it is no secret


def test_the_whole_as_a_window_is_the_whole() -> None:
    """Nothing is lost at the edges, in any scenario."""
    for scenario in SCENARIOS.values():
        whole = run(scenario).timeline()
        if whole.end:
            assert window(whole, 0, whole.end) == whole


@pytest.mark.parametrize(("begin", "end"), [(5, 5), (6, 5)])
def test_a_window_without_a_width_is_refused(begin: int, end: int) -> None:
    """It could not be drawn."""
    with pytest.raises(ValueError, match="not after"):
        window(World(SCENARIOS["zombie"]).timeline(), begin, end)


@pytest.mark.parametrize("name", SCENARIOS)
def test_nothing_is_drawn_outside_of_its_window(name: str) -> None:
    """Every edge of every shape lies in the picture, and ticks stand at round instants."""
    whole = run(SCENARIOS[name]).timeline()
    begin, end = whole.end // 3, whole.end // 3 + max(1, whole.end // 4)
    svg = TimelinePicture(window(whole, begin, end)).svg()
    for x, width in re.findall(r'<rect class="tl-[^"]*" x="([\d.]+)" width="([\d.]+)"', svg):
        assert 0 <= float(x) <= 920
        assert float(x) + float(width) <= 920
    assert ('class="tl-now"' in svg) is (whole.now <= max(end, begin + 1000))


def test_the_text_tells_what_the_picture_shows() -> None:
    """Each worker, each lease, each mark, by instant."""
    text = timeline_text(run(SCENARIOS["crash_loop"]).timeline())
    lines = [line.strip() for line in text.splitlines()]
    assert "0.0 s  holds J1, attempt 1, token J1:1, expired at 1.0 s" in lines
    assert "0.3 s  crashes with J1" in lines
    assert "0.3 s  is dead until 5.0 s" in lines
    assert timeline_text(World(SCENARIOS["zombie"]).timeline()).count("nothing yet") == 2


def test_a_zombie_that_is_believed_is_drawn_so() -> None:
    """Its ghost ends at the report, with a mark; the bar of the holder that is refused ends there."""
    believed = run(SCENARIOS["flawed_by_status"]).timeline()
    assert [(b.token, b.end, b.outcome, b.ghost_until) for b in believed.bars[:2]] == [
        ("J1:1", 30_000, "expired", 35_000),
        ("J1:2", 41_000, "refused", None),
    ]
    assert [(m.kind, m.worker, m.at) for m in believed.marks] == [
        ("believed", "A", 35_000),
        ("refused", "B", 41_000),
    ]
    assert "A is believed at 35.0 s" in TimelinePicture(believed).summary()


def test_one_token_for_two_workers_is_two_bars() -> None:
    """The queue that counts tokens anew: A's lease and B's, both J1:1."""
    bars = run(SCENARIOS["flawed_token_reset"]).timeline().bars
    assert [(bar.token, bar.worker) for bar in bars[:2]] == [("J1:1", "A"), ("J1:1", "B")]
