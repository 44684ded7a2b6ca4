"""Time travel, branches and links together with lamps, stories of a job, questions and the right queue."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.webui.asking import HTMX, BoardClient, Parsed, dump, notice_of, words

if TYPE_CHECKING:
    from flask import Flask


def broken_lamps(html: str) -> list[str]:
    """Return the names of the red lamps of a board."""
    found = [a["id"] for a in Parsed(html).all("li") if "lamp-broken" in a.get("class", "")]
    return [name.removeprefix("lamp-") for name in found]


def section(html: str, name: str) -> str:
    """Return the words of a section of a board; empty if it is not there."""
    found = re.search(rf'<section id="{name}".*?</section>', html, re.DOTALL)
    return words(found[0]) if found else ""


def test_lamps_are_those_of_the_instant(app: Flask) -> None:
    """Red from 35.0 s on, when the zombie is believed; green again for who goes back before it."""
    board = BoardClient(app, "flawed_by_id")
    html = board.do("jump", target="violation")
    assert board.lab.world.now() == 35_000
    assert broken_lamps(html) == [board.lab.scenario.flaw.lamp]  # type: ignore[union-attr]
    assert broken_lamps(board.do("back")) == []
    assert len(broken_lamps(board.do("seek", at="41"))) == 2
    assert broken_lamps(board.do("seek", at="0")) == []


def test_a_right_queue_has_no_violation_to_jump_to(board: BoardClient) -> None:
    """The button says so, and nothing moves."""
    html = board.do("jump", target="violation")
    assert notice_of(html) == "Nothing breaks ahead."
    assert board.lab.world.now() == 0


def test_a_fork_and_the_right_queue_are_two_things(app: Flask) -> None:
    """Branches compare flawed worlds; beside the one that is played stands its right queue."""
    board = BoardClient(app, "flawed_by_id")
    board.do("seek", at="33")
    board.do("fork")
    board.do("crash", target="A")
    html = board.do("seek", at="36")
    assert "here, branch 2: 33.0 s: A crashes" in words(html)
    assert "The right queue, beside this one" in section(html, "beside")
    assert broken_lamps(html) == []
    twin = board.lab.world.twin
    assert twin is not None
    assert twin.workers["A"].state == board.lab.world.workers["A"].state == "crashed"
    assert "Until now nothing differs." in section(html, "beside")
    assert len(broken_lamps(board.do("switch", target="1"))) == 1


def test_a_link_to_a_flawed_board_shows_its_lamps_elsewhere(app: Flask) -> None:
    """The link says all: red lamps, the right queue, what is looked at."""
    board = BoardClient(app, "flawed_by_id")
    board.do("seek", at="41")
    shared = board.client.get(f"/b/{board.lab.code()}?job=J1").text
    own = board.client.get(f"{board.url}?job=J1").text
    for name in ("lamps", "beside", "why"):
        assert section(shared, name) == section(own, name) != ""


def test_other_rules_keep_the_flaw(app: Flask) -> None:
    """A branch with other rules is a branch of the flawed queue, beside a right one with these rules."""
    board = BoardClient(app, "flawed_by_id")
    board.do("seek", at="41")
    names = ["max_attempts", "base_backoff_millis", "max_backoff_millis"]
    form = {
        field["name"]: field.get("value", "") for field in Parsed(board.page()).all("input") if "name" in field
    }
    rules = {name: value for name, value in form.items() if name not in {"shown", "state", "at", "target"}}
    assert set(names) <= set(rules)
    board.client.post(f"{board.url}/fork_rules", data=rules | {"max_attempts": "5"})
    world = board.lab.world
    assert world.scenario.flaw is not None
    assert world.twin is not None
    assert world.scenario.policy.max_attempts == world.twin.scenario.policy.max_attempts == 5
    assert type(world.twin.queue) is not type(world.queue)


def test_a_question_is_about_its_instant_and_its_branch(app: Flask) -> None:
    """The verdict is seen where the question was answered, and nowhere else; the score stays."""
    board = BoardClient(app, "zombie")
    board.do("predict", do="begin")
    key = re.search(r'name="key" value="([^"]+)"', board.do("step"))
    assert key is not None
    html = board.do("predict", do="answer", key=key[1], given="31")
    assert "Yes, 31.0 s" in section(html, "predict")
    html = board.do("step")
    assert 'id="verdict"' not in html
    assert "1 of 1 right" in section(html, "predict")
    html = board.do("back")
    assert "Yes, 31.0 s" in section(html, "predict"), "it was asked and answered at this instant"
    assert key[1] not in html
    board.do("back")
    board.do("submit", type="mail")
    html = board.do("step")
    assert 'id="verdict"' not in html, "in this branch the instant is another"
    assert "1 of 1 right" in section(html, "predict")


def test_a_question_asked_of_a_link_opens_a_board_that_asks(app: Flask) -> None:
    """The link stays as it is, and nothing is kept of it."""
    code = BoardClient(app, "zombie").lab.code()
    client, labs = app.test_client(), app.extensions["labs"]
    before = len(labs)
    answer = client.post(f"/labs/{code}/predict", data={"do": "begin", "look": "job=J1"}, headers=HTMX)
    address = answer.headers["HX-Redirect"]
    assert address.endswith("&job=J1#predict")
    assert len(labs) == before + 1
    page = client.get(address.partition("#")[0]).text
    assert 'id="question"' in page
    assert 'id="why"' in page
    assert 'id="question"' not in client.get(f"/b/{code}").text


def test_a_question_brings_a_dropped_board_back(board: BoardClient) -> None:
    """As any action does, from the state that its page sends along."""
    board.do("seek", at="31")
    code, lab_id = board.lab.code(), board.lab.id
    labs = board.client.application.extensions["labs"]
    labs._labs.clear()
    assert board.client.post(f"{board.url}/predict", data={"do": "begin"}).status_code == 410
    html = board.do("predict", do="begin", state=code)
    assert 'id="question"' in html
    assert labs.find(lab_id).world.now() == 31_000


@pytest.mark.parametrize("form", ["timeline.svg", "timeline.txt", "test.py", "story.json"])
def test_files_are_of_the_moment_that_the_page_showed(board: BoardClient, form: str) -> None:
    """A file's address says the state, so it is the same after the board has gone on, or was dropped."""
    board.do("seek", at="33")
    links = [a["href"] for a in Parsed(board.page()).all("a") if form in a["href"]]
    assert len(links) == 1
    first = board.client.get(links[0]).data
    board.do("seek", at="0")
    board.client.application.extensions["labs"]._labs.clear()
    assert board.client.get(links[0]).data == first


def test_looking_at_everything_changes_nothing(app: Flask) -> None:
    """Every link of a flawed, forked board that is asked questions, followed."""
    board = BoardClient(app, "flawed_by_id")
    board.do("predict", do="begin")
    board.do("seek", at="33")
    board.do("fork")
    board.do("crash", target="B")
    page, before = board.client.get(f"{board.url}?job=J1&from=1&to=40").text, dump(board.lab)
    for link in {a["href"].partition("#")[0] for a in Parsed(page).all("a")} - {""}:
        assert board.client.get(link).status_code == 200, link
    assert dump(board.lab) == before
