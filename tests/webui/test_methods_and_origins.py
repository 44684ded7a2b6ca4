"""Who may change what: only POST changes, and only for this site's own pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.webui.asking import HTMX, BoardClient, Parsed, dump
from webui import create_app

if TYPE_CHECKING:
    from flask import Flask

FILL = {"name": "zombie", "verb": "step", "filename": "tokens.css", "form": "svg", "number": 1}
ACTIONS = [
    "step",
    "second",
    "play",
    "pause",
    "reset",
    "submit",
    "cancel",
    "redrive",
    "crash",
    "restart",
    "freeze",
]


def urls(app: Flask, board: BoardClient, method: str) -> list[str]:
    """Return one address for each route that answers to a method."""
    adapter = app.url_map.bind("localhost")
    found = []
    for rule in app.url_map.iter_rules():
        if method not in (rule.methods or set()):
            continue
        fill = FILL | {"code": board.lab.code()}
        values = {name: fill.get(name, board.lab.id) for name in rule.arguments}
        if rule.endpoint == "pages.code":
            values["name"] = "queue.py"
        elif rule.endpoint == "texts.lesson":
            values["name"] = "03_zombies_and_fencing"
        elif rule.endpoint == "texts.exercise":
            values["name"] = "ex03"
        found.append(adapter.build(rule.endpoint, values))
    return found


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "htmx"])
@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS"])
def test_no_reading_request_changes_anything(
    app: Flask, board: BoardClient, method: str, headers: dict[str, str]
) -> None:
    """Every route that answers to it leaves each lab, and the number of labs, as they were."""
    board.do("play", speed="50")
    board.do("submit", type="", payload="kept")
    before, labs = dump(board.lab), len(app.extensions["labs"])
    asked = urls(app, board, method)
    assert len(asked) >= 5
    for url in asked:
        answer = board.client.open(
            f"{url}?revision={board.lab.revision}&shown=99999&job=J1&from=1&to=2",
            method=method,
            headers=headers,
        )
        # This story has no charts, and this board runs nobody's answers.
        is_missing = ("/chart-" in url or url.startswith("/answers/")) and method != "OPTIONS"
        assert answer.status_code in ({404, 410} if is_missing else {200})
        answer.close()
    assert dump(board.lab) == before
    assert len(app.extensions["labs"]) == labs


@pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "PATCH", "DELETE"])
def test_whatever_changes_is_asked_for_by_post(app: Flask, board: BoardClient, method: str) -> None:
    """Any other method is 405, names the right one, and does nothing."""
    before = dump(board.lab)
    posts = urls(app, board, "POST") + [f"{board.url}/{verb}" for verb in ACTIONS]
    for url in posts:
        answer = board.client.open(url, method=method, data={"target": "A"})
        assert answer.status_code == 405
        assert "POST" in answer.headers.get("Allow", ""), "a 405 says what is allowed"
    assert dump(board.lab) == before


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": "http://localhost:9999"},
        {"Origin": "http://localhost.evil.example"},
        {"Origin": "http://evil.example#localhost"},
        {"Origin": "http://localhost@evil.example"},
        {"Origin": ""},
        {"Origin": "http://["},
        {"Origin": "http://[::1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"},
        {"Sec-Fetch-Site": "same-origin", "Origin": "http://evil.example"},
    ],
    ids=str,
)
def test_another_sites_page_cannot_change_anything(
    app: Flask, board: BoardClient, headers: dict[str, str]
) -> None:
    """403 with words, for every action, and nothing has happened."""
    before, labs = dump(board.lab), len(app.extensions["labs"])
    for url in [*urls(app, board, "POST"), *(f"{board.url}/{verb}" for verb in ACTIONS)]:
        answer = board.client.post(url, data={"target": "A", "type": "mail"}, headers=headers)
        assert answer.status_code == 403
        assert "another site" in Parsed(answer.text).text
    assert dump(board.lab) == before
    assert len(app.extensions["labs"]) == labs


@pytest.mark.parametrize(
    "headers",
    [{}, {"Origin": "http://localhost"}, {"Sec-Fetch-Site": "same-origin"}, {"Sec-Fetch-Site": "none"}],
    ids=str,
)
def test_ones_own_page_and_a_program_may(board: BoardClient, headers: dict[str, str]) -> None:
    """The same origin, an address typed by hand, or no browser at all."""
    board.answer("step", headers=headers)
    assert board.lab.world.now() == 1000


@pytest.mark.parametrize(
    "host", [f"{name}{port}" for name in ("127.0.0.1", "localhost", "[::1]") for port in ("", ":8000")]
)
def test_the_names_of_this_machine_are_answered(app: Flask, host: str) -> None:
    """By each of its names, at any port."""
    assert app.test_client().get("/", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:8000"])
def test_a_name_that_only_points_here_is_refused(host: str, method: str) -> None:
    """400, and no page: else another site could rename this machine as its own."""
    client = create_app().test_client()
    url = "/" if method == "GET" else "/scenarios/zombie/labs"
    answer = client.open(url, method=method, headers={"Host": host})
    assert answer.status_code == 400
    assert "Traceback" not in answer.text
    assert "How does a job queue know" not in answer.text
