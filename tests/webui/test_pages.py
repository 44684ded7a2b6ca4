"""The pages that show: whole, linked, friendly where something is missing, with headers that bind them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import jobqueue
from jobqueue.simulation import SCENARIOS, World
from tests.sampling import one_in
from tests.webui.asking import HTMX, BoardClient, Parsed, words

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient

CODE = Path(jobqueue.__file__).parent
PAGES = [
    "/",
    *(f"/scenarios/{name}" for name in SCENARIOS),
    "/code/jobqueue/queue.py",
    "/free",
    "/open",
    "/lessons/03_zombies_and_fencing",
    "/exercises/ex03",
]


def check_page(html: str) -> Parsed:
    """Check what holds of every page, and return it read."""
    page = Parsed(html)
    assert html.startswith("<!doctype html>")
    assert page.all("html") == [{"lang": "en"}]
    assert len(page.all("h1")) == 1
    assert len(page.all("main")) == 1
    assert [name for name, times in page.ids.items() if times > 1] == []
    assert re.search(r"<title>[^<]+queue lab</title>|<title>queue lab</title>", html)
    targets = {a["href"][1:] for a in page.all("a") if a.get("href", "").startswith("#")}
    assert targets <= set(page.ids)
    return page


@pytest.mark.parametrize("url", PAGES)
def test_a_page_is_whole(client: FlaskClient, url: str) -> None:
    """Well-nested, one heading, one main part, no id twice, no link to a place that is not there."""
    answer = client.get(url)
    assert answer.status_code == 200
    check_page(answer.text)


@pytest.mark.parametrize("name", one_in(4, SCENARIOS))
@pytest.mark.parametrize("stride", [4, pytest.param(1, marks=pytest.mark.long)])
def test_a_board_is_whole_at_every_moment(app: Flask, name: str, stride: int) -> None:
    """From the first instant to the last, the page stays well-nested and its ids unique."""
    board = BoardClient(app, name)
    check_page(board.page())
    steps = 0
    while board.lab.world.next_at() is not None:
        board.lab.step()
        steps += 1
        if steps % stride == 0:
            check_page(board.page())
    assert "Every job has ended" in check_page(board.page()).text


def test_the_gallery_leads_to_every_scenario(client: FlaskClient) -> None:
    """Each story has its question, a link, and a form that opens its board."""
    page = Parsed(client.get("/").text)
    text = " ".join(page.text.split())
    assert {a["href"] for a in page.all("a")} >= {f"/scenarios/{name}" for name in SCENARIOS}
    assert [f["action"] for f in page.all("form")] == [f"/scenarios/{name}/labs" for name in SCENARIOS]
    assert all(scenario.question in text for scenario in SCENARIOS.values())


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_shows_all_that_decides_its_outcome(client: FlaskClient, name: str) -> None:
    """Story, policy, seed, each worker's habits and each outage are on the page."""
    scenario, text = SCENARIOS[name], words(client.get(f"/scenarios/{name}").text)
    assert scenario.story in text
    assert f"at most {scenario.policy.max_attempts}" in text
    assert all(f"worker {habits.name}" in text for habits in scenario.workers)
    assert all(f"{outage.type} is down" in text for outage in scenario.outages)
    assert "A moment of it" in text


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_scenario_leads_to_its_lesson_and_exercise_where_they_are(client: FlaskClient, name: str) -> None:
    """Each link opens a page that says how to do it; where nothing is, there is no link."""
    page = Parsed(client.get(f"/scenarios/{name}").text)
    links = [a["href"] for a in page.all("a") if a["href"].startswith(("/lessons/", "/exercises/"))]
    root = CODE.parent
    there = [root / "notebooks" / f"{SCENARIOS[name].lesson}.ipynb"]
    there += root.glob(f"exercises/{SCENARIOS[name].exercise}_*/task.md")
    assert len(links) == sum(path.is_file() for path in there)
    for link in links:
        answer = client.get(link)
        assert answer.status_code == 200
        assert "To do it: jobkit" in words(answer.text)


@pytest.mark.parametrize(
    "url",
    [
        "/scenarios/zombi",
        "/lessons/../x",
        "/lessons/nothing",
        "/exercises/ex99",
        "/code/jobqueue/nothing.py",
        "/nothing",
        "/labs",
    ],
)
@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "htmx"])
def test_what_is_not_there_is_a_friendly_page(client: FlaskClient, url: str, headers: dict[str, str]) -> None:
    """404 with words and a way on, as a page or as a fragment."""
    answer = client.get(url, headers=headers)
    assert answer.status_code == 404
    page = Parsed(answer.text)
    assert "/" in {a["href"] for a in page.all("a")}
    assert "Traceback" not in page.text
    assert page.ids["problem"] == 1


@pytest.mark.parametrize(
    "name",
    [
        "../webui/board/labs.py",
        "..%2Fwebui%2Flabs.py",
        "simulation/../../pyproject.toml",
        "/etc/passwd",
        "queue.py%00",
    ],
)
def test_only_the_queues_own_code_is_shown(client: FlaskClient, name: str) -> None:
    """No path leads out of the package."""
    assert client.get(f"/code/jobqueue/{name}").status_code in {404, 308}


@pytest.mark.parametrize("name", ["queue.py", "lifecycle.py", "simulation/worker.py", "scheduling/strict.py"])
def test_code_is_shown_as_it_is(client: FlaskClient, name: str) -> None:
    """Line by line, each with an address."""
    lines = (CODE / name).read_text(encoding="utf-8").splitlines()
    page = Parsed(client.get(f"/code/jobqueue/{name}").text)
    assert [line for line in lines if line not in page.text] == []
    assert page.ids[f"L{len(lines)}"] == 1


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_rule_leads_to_the_line_that_keeps_it(app: Flask, name: str) -> None:
    """The link below a sentence opens the file at a function's first line."""
    board = BoardClient(app, name)
    board.lab.world.advance_to(100_000)
    links = set(re.findall(r'<div class="rule">.*?href="(/code/[^"]+)"', board.page(), re.DOTALL))
    assert len(links) >= 3
    for link in links:
        url, line = link.split("#L")
        answer = board.client.get(url)
        assert answer.status_code == 200
        assert (
            (CODE / url.removeprefix("/code/jobqueue/"))
            .read_text(encoding="utf-8")
            .splitlines()[int(line) - 1]
            .lstrip()
            .startswith("def ")
        )


def counted(real: Any, name: str, asked: list[str]) -> Any:
    """Return a method that notes each call of it, and calls the real one."""

    def method(*given: Any, **more: Any) -> Any:
        asked.append(name)
        return real(*given, **more)

    return method


@pytest.mark.parametrize("query", ["", "?job=J1", "?from=1&to=5"])
@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "htmx"])
def test_a_page_asks_its_world_once(
    board: BoardClient, monkeypatch: pytest.MonkeyPatch, query: str, headers: dict[str, str]
) -> None:
    """The jobs are listed once, the timeline is built once, and no world is made or played again."""
    for _ in range(4):
        board.do("step")
    asked: list[str] = []
    for name in ("__init__", "jobs", "timeline"):
        monkeypatch.setattr(World, name, counted(getattr(World, name), name, asked))
    assert board.client.get(f"{board.url}{query}", headers=headers).status_code == 200
    assert sorted(asked) == ["jobs", "timeline"]


def test_a_fragment_is_the_board_alone(board: BoardClient) -> None:
    """For htmx the root's id is the file's name, and nothing is around it."""
    for html in (board.do("step"), board.do("tick"), board.client.get(board.url, headers=HTMX).text):
        page = Parsed(html)
        assert page.elements[0] == ("div", page.elements[0][1])
        assert page.elements[0][1]["id"] == "board"
        assert page.all("html") == []


def test_each_partial_has_its_own_name_as_id(app: Flask) -> None:
    """A fragment's root carries the file's name, so that whoever sees one in the page finds the other."""
    folder = Path(app.root_path) / "templates" / "partials"
    partials = [path for path in folder.glob("*.html") if not path.name.startswith("_")]
    assert len(partials) >= 3
    for path in partials:
        first = re.search(r"<\w+[^>]*", re.sub(r"{%.*?%}|{#.*?#}", "", path.read_text(encoding="utf-8")))
        assert first is not None
        assert f'id="{path.stem}"' in first[0]


@pytest.mark.parametrize("page", ["board", "free", "open"])
def test_every_field_has_a_label(board: BoardClient, page: str) -> None:
    """What people fill in stands inside of a label that has words, or has one that names it."""
    html = board.page() if page == "board" else board.client.get(f"/{page}").text
    inside = re.findall(r"<label[^>]*>\s*\w[^<]*<input [^>]*?\bid=\"([\w-]+)\"", html)
    named = [label["for"] for label in Parsed(html).all("label") if "for" in label]
    fields = [*Parsed(html).all("input"), *Parsed(html).all("select")]
    visible = [field["id"] for field in fields if field.get("type") != "hidden"]
    assert sorted([*inside, *named]) == sorted(visible)
    assert len(visible) >= (25 if page == "board" else 1)


def test_every_button_has_a_name_of_its_own(board: BoardClient) -> None:
    """Heard without the picture, no two buttons of a board sound alike."""
    board.do("submit", type="mail", delay="5")
    names = [words(b) for b in re.findall(r"<button.*?</button>", board.page(), re.DOTALL)]
    assert len(names) >= 14
    assert [name for name in names if names.count(name) > 1] == []


@pytest.mark.parametrize("url", [*PAGES, "/nothing", "/labs/zombie-gone", "/static/tokens.css"])
def test_every_answer_carries_the_binding_headers(client: FlaskClient, url: str) -> None:
    """Scripts, styles and requests only from here, no sniffing, and no page out of a cache."""
    answer = client.get(url)
    answer.close()
    headers = answer.headers
    policy = dict(part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["base-uri"] == "'none'"
    assert {policy[name] for name in ("script-src", "style-src", "img-src", "connect-src", "form-action")} == {
        "'self'"
    }
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert headers["X-Content-Type-Options"] == "nosniff"
    if not url.startswith("/static"):
        assert headers["Cache-Control"] == "no-store"


def test_the_frame_may_be_a_notebooks(client: FlaskClient) -> None:
    """A notebook on this machine may show the board, no other site may."""
    policy = client.get("/").headers["Content-Security-Policy"]
    assert "frame-ancestors 'self' http://127.0.0.1:* http://localhost:*" in policy
