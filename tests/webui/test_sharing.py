"""Links and files on the board: the whole state in the address, and nothing is changed by looking."""

from __future__ import annotations

import json
import re
from io import BytesIO
from typing import TYPE_CHECKING

import pytest

from jobqueue.simulation import SCENARIOS
from jobqueue.simulation.link import LONGEST_CODE, decode
from tests.sampling import one_in
from tests.simulation.test_links import HOSTILE, WORK, encode  # type: ignore[attr-defined]
from tests.simulation.walks import state
from tests.webui.asking import HTMX, BoardClient, Parsed, dump, is_refusal, words
from webui import create_app

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

LANES = re.compile(r'<article class="job[^"]*" id="job-(J\d+)">')


def played(app: Flask, name: str) -> BoardClient:
    """Return a board on which something was done."""
    board = BoardClient(app, name)
    board.do("seek", at="1.2")
    board.do("freeze", target="A")
    board.do("submit", type="report", payload="by hand", priority="2")
    board.do("seek", at="4.4")
    return board


def shown(html: str) -> tuple[str, list[str], list[str]]:
    """Return what can be seen of a board: its clock, its cards, its log."""
    log = re.findall(r"<time>(.*?)</time>\s*<div><b>(.*?)</b> (.*?)\s*<", html, re.DOTALL)
    return re.findall(r'id="clock">([^<]*)', html)[0], LANES.findall(html), [" ".join(line) for line in log]


@pytest.mark.parametrize("name", one_in(4, SCENARIOS))
def test_a_link_shows_the_same_board_on_another_server(app: Flask, name: str) -> None:
    """Opened where nobody has ever heard of it; it makes no lab there."""
    board, elsewhere = played(app, name), create_app({"TESTING": True})
    link = Parsed(board.page()).text and re.findall(r'id="share-link" href="([^"]+)"', board.page())[0]
    assert len("https://a-long-name.of-some.university.example:8888/user/somebody" + link) < 2000
    answer = elsewhere.test_client().get(link)
    assert answer.status_code == 200
    assert shown(answer.text) == shown(board.page())
    assert "A shared board." in words(answer.text)
    assert len(elsewhere.extensions["labs"]) == 0


def test_a_board_of_two_branches_is_shared_with_both(app: Flask) -> None:
    """The comparison is in the link."""
    board = played(app, "zombie")
    board.do("fork")
    board.do("crash", target="B")
    board.do("seek", at="35")
    answer = board.client.get(f"/b/{board.lab.code()}")
    assert "The same up to 4.4 s" in words(answer.text)


@pytest.mark.parametrize("verb", ["step", "second", "back", "play", "fork", "crash", "submit"])
def test_whoever_acts_on_a_link_gets_a_board_of_their_own(app: Flask, verb: str) -> None:
    """303 to it, or for htmx the same in its own header; the link stays what it is."""
    board = played(app, "zombie")
    code, labs, before = board.lab.code(), app.extensions["labs"], dump(board.lab)
    form = {"target": "B", "type": "mail", "speed": "5"}
    plain = board.client.post(f"/labs/{code}/{verb}", data=form)
    fragment = board.client.post(f"/labs/{code}/{verb}", data=form, headers=HTMX)
    assert (plain.status_code, fragment.status_code, len(labs)) == (303, 200, 3)
    for place in (plain.headers["Location"], fragment.headers["HX-Redirect"]):
        page = board.client.get(place)
        assert page.status_code == 200
        assert "A shared board." not in page.text
        assert not is_refusal(page.text)
    assert dump(board.lab) == before
    assert shown(board.client.get(f"/b/{code}").text) == shown(board.page())


def test_looking_at_a_link_changes_nothing(app: Flask) -> None:
    """However often, by whichever of its addresses."""
    board = played(app, "backoff")
    code, before = board.lab.code(), dump(board.lab)
    for place in (f"/b/{code}", f"/labs/{code}", f"/labs/{code}/test.py", f"/labs/{code}/story.json") * 3:
        assert board.client.get(place).status_code == 200
    assert dump(board.lab) == before
    assert len(app.extensions["labs"]) == 1


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "htmx"])
def test_the_address_says_the_state(app: Flask, headers: dict[str, str]) -> None:
    """After each action, by the redirect, or for the page's script to put it there."""
    board = BoardClient(app, "zombie")
    answer = board.client.post(f"{board.url}/step", headers=headers)
    address = re.findall(r'data-address="([^"]+)"', answer.text)[0] if headers else answer.headers["Location"]
    assert address == f"{board.url}?s={board.lab.code()}"
    assert decode(address.partition("?s=")[2])[0].at == 1000


def forget(board: BoardClient) -> None:
    """Let a board be dropped, as if the program had been started anew."""
    board.client.application.extensions["labs"]._labs.clear()


def test_a_board_that_was_dropped_is_shown_from_its_address(app: Flask) -> None:
    """The address has its state, so looking at it leads to the link."""
    board = played(app, "zombie")
    code, page = board.lab.code(), board.page()
    forget(board)
    answer = board.client.get(f"{board.url}?s={code}", follow_redirects=True)
    assert answer.status_code == 200
    assert answer.request.path == f"/b/{code}"
    assert shown(answer.text) == shown(page)


@pytest.mark.parametrize("way", ["by script", "without script"])
def test_a_board_that_was_dropped_goes_on_as_if_nothing_had_been(app: Flask, way: str) -> None:
    """The page sends its state along, and the next step is the next step."""
    board = played(app, "zombie")
    code, control = board.lab.code(), played(app, "zombie")
    forget(board)
    if way == "by script":
        html = board.do("step", state=code)
    else:
        referer = {"Referer": f"http://localhost{board.url}?s={code}"}
        answer = board.client.post(f"{board.url}/step", headers=referer)
        assert answer.status_code == 303
        html = board.client.get(answer.headers["Location"]).text
    control.lab.step()
    lab = app.extensions["labs"].find(board.lab.id)
    assert state(lab.world) == state(control.lab.world)
    assert "no longer here" not in words(html)


def test_a_playing_board_that_was_dropped_plays_on(app: Flask) -> None:
    """Its tick brings the state and the speed; the page learns the new revision, and asks again."""
    board = played(app, "zombie")
    board.do("play", speed="20")
    code = board.lab.code()
    forget(board)
    html = board.do("tick", revision="977", speed="20", state=code)
    lab = app.extensions["labs"].find(board.lab.id)
    assert (lab.playing, lab.speed, lab.world.now()) == (True, "20", 4400)
    revision = re.findall(r'name="revision" value="(\d+)"', html)[0]
    board.do("tick", revision=revision, speed="20")
    assert lab.world.now() > 4400


@pytest.mark.parametrize("lab_id", ["zombie-short", "../../etc/passwd", "zombie-<script>xx", "Z-aaaaaaaaaaaa"])
def test_only_what_could_be_a_board_of_ours_is_built_again(app: Flask, lab_id: str) -> None:
    """Any other name is 410 or 404, whatever state comes with it, and so is a wrong state with a right name."""
    client, code = app.test_client(), encode([WORK["a storm"]])
    assert client.post(f"/labs/{lab_id}/step", data={"state": code}).status_code in {404, 410}
    assert client.post("/labs/zombie-aaaaaaaaaaaa/step", data={"state": "1-broken"}).status_code == 410
    assert len(app.extensions["labs"]) == 0


@pytest.mark.parametrize("what", [what for what, code in HOSTILE.items() if code and "/" not in code])
def test_a_hostile_link_is_a_friendly_page(client: FlaskClient, what: str) -> None:
    """400 with one sentence and a way on, by each address that takes a code."""
    for place in ("/b/", "/labs/", "/free?s="):
        answer = client.get(place + HOSTILE[what])
        assert answer.status_code in ({400, 410} if place == "/labs/" else {400}), place
        page = Parsed(answer.text)
        assert page.ids["problem"] == 1
        assert "Traceback" not in page.text
        assert {"href": "/"} in page.all("a")


def test_a_hostile_link_is_no_board_to_act_on(app: Flask) -> None:
    """Nothing is opened of it."""
    answer = app.test_client().post(f"/labs/{HOSTILE['an unknown verb']}/step")
    assert answer.status_code == 400
    assert len(app.extensions["labs"]) == 0


@pytest.fixture
def long(board: BoardClient) -> BoardClient:
    """Return a board whose story is too long for a link."""
    for number in range(14):
        text = "".join(chr(0x4E00 + (number * 977 + place * 7919) % 20_000) for place in range(300))
        board.do("submit", type="mail", payload=text)
    return board


def test_a_story_too_long_for_a_link_says_so(long: BoardClient) -> None:
    """The page names the bound, offers the file, and everything else goes on."""
    html = long.page()
    assert f"more than the {LONGEST_CODE} characters" in words(html)
    assert "share-link" not in html
    assert "data-state" not in html
    assert f'data-address="{long.url}"' in html
    answer = long.client.post(f"{long.url}/step")
    assert answer.headers["Location"] == long.url


def upload(client: FlaskClient, content: bytes, name: str = "zombie.json") -> TestResponse:
    """Send a file as the form does; what the client has put on the disk for it is taken away again."""
    answer = client.post("/boards", data={"file": (BytesIO(content), name)})
    answer.request.environ["wsgi.input"].close()
    return answer


@pytest.mark.parametrize("name", ["zombie", "long"])
def test_a_file_opens_the_board_that_was_saved(app: Flask, long: BoardClient, name: str) -> None:
    """Download, upload, and it goes on; with branches too."""
    board = long if name == "long" else played(app, "zombie")
    board.do("fork")
    saved = board.client.get(f"{board.url}/story.json")
    assert 'filename="zombie.json"' in saved.headers["Content-Disposition"]
    assert json.loads(saved.text)["what"] == "jobkit board"
    answer = upload(board.client, saved.data)
    assert answer.status_code == 303
    opened = board.client.get(answer.headers["Location"])
    assert shown(opened.text) == shown(board.page())


@pytest.mark.parametrize(
    "content", [b"", b"hello", b"[" * 300_000, b"x" * 1_005_000, b'{"what": "jobkit board", "version": 7}']
)
def test_a_file_that_is_none_of_ours_is_a_friendly_page(app: Flask, content: bytes) -> None:
    """400 or 413 with words, and no board."""
    client = app.test_client()
    answer = upload(client, content)
    assert answer.status_code in {400, 413}
    assert Parsed(answer.text).ids["problem"] == 1
    assert client.post("/boards").status_code == 400
    assert upload(client, b"", "").status_code == 400
    assert upload(client, b"x" * 1_100_000).status_code == 413
    assert len(app.extensions["labs"]) == 0


def test_the_test_that_is_saved_is_a_download(app: Flask) -> None:
    """Python, under a name that pytest collects."""
    board = played(app, "zombie")
    answer = board.client.get(f"{board.url}/test.py")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="test_zombie.py"'
    assert 'world.submit, type="report"' in answer.text
    compile(answer.text, "test_zombie.py", "exec")
    assert board.client.get("/labs/zombie-gone/test.py").status_code == 410
    assert board.client.get("/labs/zombie-gone/story.json").status_code == 410
