"""Boards are bounded in number, jobs and events, and say so in friendly words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from jobqueue.simulation import SCENARIOS
from tests.webui.asking import BoardClient, dump, is_refusal, notice_of, over_of
from webui import create_app
from webui.board.labs import MOST_ENTRIES, MOST_JOBS, Shelf

if TYPE_CHECKING:
    from flask import Flask


def test_the_board_that_was_idle_longest_goes_first() -> None:
    """With room for three, the fourth takes the place of the one nobody looked at."""
    app = create_app({"TESTING": True, "MOST_LABS": 3})
    boards = [BoardClient(app, "zombie") for _ in range(3)]
    boards[0].page()  # now the second is the idle one
    fourth = BoardClient(app, "backoff")
    assert len(app.extensions["labs"]) == 3
    assert [board.client.get(board.url).status_code for board in (*boards, fourth)] == [200, 410, 200, 200]


@pytest.mark.parametrize("verb", ["step", "tick", "pause"])
def test_whoever_does_something_is_not_idle(verb: str) -> None:
    """An action keeps a board as a look does."""
    app = create_app({"TESTING": True, "MOST_LABS": 2})
    first, second = BoardClient(app, "zombie"), BoardClient(app, "zombie")
    first.do(verb)
    BoardClient(app, "zombie")
    assert first.client.get(first.url).status_code == 200
    assert second.client.get(second.url).status_code == 410


def test_a_flood_of_boards_stays_within_bounds() -> None:
    """Opening many more than there is room for keeps the newest."""
    app = create_app({"TESTING": True, "MOST_LABS": 5})
    urls = [BoardClient(app, "backoff").url for _ in range(40)]
    client = app.test_client()
    assert [client.get(url).status_code for url in urls[-6:]] == [410, 200, 200, 200, 200, 200]
    assert len(app.extensions["labs"]) == 5


def test_ids_are_the_shelves_own() -> None:
    """The same scenario twice is two labs, each under the id that it says."""
    ids = iter(["one", "two"])
    shelf = Shelf(2, lambda: next(ids))
    labs = [shelf.open(SCENARIOS["zombie"]) for _ in range(2)]
    assert [lab.id for lab in labs] == ["zombie-one", "zombie-two"]
    assert shelf.find("zombie-one") is labs[0]
    assert shelf.find("zombie-three") is None


def test_jobs_are_bounded(board: BoardClient) -> None:
    """The one too many is refused with the number and a way on, and stays in the form."""
    for _ in range(MOST_JOBS - 1):
        assert not is_refusal(board.do("submit", type="mail"))
    html = board.do("submit", type="one too many")
    assert notice_of(html) == f"This board holds {MOST_JOBS} jobs, which is its limit. Reset it to go on."
    assert is_refusal(html)
    assert 'value="one too many"' in html
    assert len(board.lab.world.jobs()) == MOST_JOBS
    board.do("reset")
    assert not is_refusal(board.do("submit", type="mail"))


@pytest.fixture
def full(app: Flask) -> BoardClient:
    """Return a board that has seen all the events that it may."""
    board = BoardClient(app, "zombie")
    world = board.lab.world
    while len(world.chronicle) < MOST_ENTRIES:
        world.freeze("B")
        world.thaw("B")
    return board


@pytest.mark.parametrize(
    ("verb", "form"),
    [
        ("step", {}),
        ("second", {}),
        ("submit", {"type": "mail"}),
        ("crash", {"target": "A"}),
        ("freeze", {"target": "A"}),
        ("cancel", {"target": "J1"}),
    ],
)
def test_events_are_bounded(full: BoardClient, verb: str, form: dict[str, str]) -> None:
    """Whatever would make one more is refused with words, and the board can still be looked at."""
    before = dump(full.lab)
    html = full.do(verb, **form)
    assert is_refusal(html)
    assert (
        notice_of(html) == f"This board has seen {MOST_ENTRIES} events, which is its limit. Reset it to go on."
    )
    assert {k: v for k, v in dump(full.lab).items() if k != "control"} == {
        k: v for k, v in before.items() if k != "control"
    }
    assert len(html) < 200_000


def test_a_full_board_keeps_what_was_typed(full: BoardClient) -> None:
    """A refused submit is in the form, whatever it was refused for."""
    assert 'value="a long letter"' in full.do("submit", type="mail", payload="a long letter")


def test_a_full_board_does_not_play_and_can_be_reset(full: BoardClient) -> None:
    """Playing ends at once with the reason; a reset makes room."""
    html = full.do("play", speed="50")
    assert not full.lab.playing
    assert str(MOST_ENTRIES) in over_of(html)
    full.do("reset")
    full.do("step")
    assert full.lab.world.now() == 1000


def test_a_playing_board_stops_at_its_limit(app: Flask) -> None:
    """A tick may bring the last event, and then no other is asked for."""
    board = BoardClient(app, "zombie")
    board.do("play", speed="1")
    world = board.lab.world
    while len(world.chronicle) < MOST_ENTRIES - 1:
        world.freeze("B")
        world.thaw("B")
    html = board.tick()
    assert not board.lab.playing
    assert "hx-trigger" not in html
    assert str(MOST_ENTRIES) in over_of(html)


def test_the_log_shows_the_newest_and_counts_the_rest(full: BoardClient) -> None:
    """A page of a long story stays short."""
    html = full.page()
    assert html.count("<time>") == 60
    assert f"and {MOST_ENTRIES - 60} before" in html
