"""Playing: who asks when, two tabs, and what is done between two events."""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING

import pytest

from jobqueue.simulation import SCENARIOS, World, run
from tests.simulation.worlds import keys
from tests.webui.asking import BoardClient, dump, notice_of, over_of
from webui.board.labs import SPEEDS

if TYPE_CHECKING:
    from flask import Flask


def test_a_tick_goes_to_what_is_due(board: BoardClient) -> None:
    """At normal speed each tick is one event: 1.0 s, then 30.0 s."""
    board.do("play", speed="1")
    board.tick()
    assert board.lab.world.now() == 1000
    board.tick()
    assert board.lab.world.now() == 30_000


def test_a_paused_board_does_not_tick(board: BoardClient) -> None:
    """Whoever asks all the same gets the board as it is."""
    board.do("step")
    before = dump(board.lab)
    assert "hx-trigger" not in board.tick()
    assert dump(board.lab) == before


def test_a_tick_of_an_old_revision_is_ignored(board: BoardClient) -> None:
    """It was planned before the learner did something, and would come at the wrong moment."""
    board.do("play", speed="1")
    old = board.lab.revision
    board.do("freeze", target="B")
    before = dump(board.lab)
    for revision in (old, old - 1, board.lab.revision + 1):
        board.do("tick", revision=revision)
    assert dump(board.lab) == before


def test_two_tabs_do_not_make_time_pass_twice(app: Flask) -> None:
    """Each of two pages ticks with the revision that it shows; the second of a pair changes nothing."""
    board = BoardClient(app, "life_of_a_job")
    board.do("play", speed="1")
    single = World(SCENARIOS["life_of_a_job"])
    single.advance_to(0)
    for _ in range(12):
        revision = board.lab.revision
        for _tab in ("one", "two"):
            board.do("tick", revision=revision)
        single.step()
        assert board.lab.world.now() == single.now()
    assert board.lab.world.chronicle.entries == single.chronicle.entries


def test_ticks_at_the_same_moment_count_once(board: BoardClient) -> None:
    """Eight threads, one revision: time moves to the next event and no further."""
    board.do("play", speed="1")
    revision, barrier = board.lab.revision, threading.Barrier(8)
    answers: list[int] = []

    def tick() -> None:
        client = board.client.application.test_client()
        barrier.wait()
        answers.append(client.post(f"{board.url}/tick", data={"revision": revision}).status_code)

    threads = [threading.Thread(target=tick) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert answers == [200] * 8
    assert (board.lab.world.now(), board.lab.revision) == (1000, revision + 1)


def test_what_a_learner_does_happens_at_the_instant_that_the_page_shows(board: BoardClient) -> None:
    """Between 1.0 s and 30.0 s the page shows 7.5 s: the crash happens then."""
    board.do("play", speed="5")
    board.tick()
    board.do("crash", target="B", shown="7500")
    crash = board.lab.world.chronicle.entries[-1]
    assert (crash.at, crash.kind) == (7500, "crashed")
    assert board.lab.playing


@pytest.mark.parametrize(
    ("shown", "now"), [("999999999", 30_000), ("500", 1000), ("-5", 1000), ("30000", 30_000)]
)
def test_a_page_cannot_show_more_than_the_next_event(board: BoardClient, shown: str, now: int) -> None:
    """Time goes on at most to what is due, and never back."""
    board.do("play", speed="5")
    board.tick()
    board.do("pause", shown=shown)
    assert board.lab.world.now() == now


def test_a_paused_page_cannot_move_time(board: BoardClient) -> None:
    """Only a playing board lets the page's own clock count."""
    board.do("freeze", target="B", shown="900")
    assert board.lab.world.now() == 0


@pytest.mark.parametrize(
    ("name", "speed"),
    [*((name, "50") for name in SCENARIOS), *(("life_of_a_job", speed) for speed in SPEEDS if speed != "50")],
)
def test_a_scenario_plays_to_its_end_at_every_speed(app: Flask, name: str, speed: str) -> None:
    """The events are those of the scenario; then the board stops asking and says why."""
    board = BoardClient(app, name)
    html = board.do("play", speed=speed)
    ticks = 0
    while "hx-trigger" in html:
        assert int(re.findall(r"load delay:(\d+)ms", html)[0]) >= 80
        html = board.tick()
        ticks += 1
        assert ticks < 200
    assert keys(board.lab.world.log.events) == keys(run(SCENARIOS[name]).log.events)
    assert over_of(html).startswith("Every job has ended")
    assert notice_of(html) == ""
    assert not board.lab.playing


def test_a_tick_at_high_speed_stops_at_the_last_event_within_it(board: BoardClient) -> None:
    """From 30.0 s on 50x, a tick of 4 s shows 31.0 s and 33.0 s; the clock stands there, and not at 34.0 s."""
    board.lab.world.advance_to(30_000)
    board.do("play", speed="50")
    html = board.tick()
    assert board.lab.world.now() == 33_000
    assert 'data-now="33000"' in html
    assert 'data-next="35000"' in html


def test_a_change_while_playing_plans_the_next_tick_anew(board: BoardClient) -> None:
    """The form that ticks has the new revision, so that the page starts counting again."""
    first = re.findall(r'id="tick-(\d+)"', board.do("play", speed="1"))
    second = re.findall(r'id="tick-(\d+)"', board.do("freeze", target="B"))
    assert len(first) == len(second) == 1
    assert int(second[0]) > int(first[0])
    assert f'name="revision" value="{second[0]}"' in board.page()
