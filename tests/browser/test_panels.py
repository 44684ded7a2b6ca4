"""Around the lanes, in a real browser: lamps, one story, questions, motion, the tour, an answer that runs."""

from __future__ import annotations

import re
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page, expect

from exercises.grader.judging.catalogue import find
from tests.browser.conftest import visit
from webui import create_app
from webui.server import listen, serving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.browser.conftest import Looks, Site

THEMES: list[Any] = ["light", "dark"]


def asked(site: Site, at: int, given: str | None = None) -> str:
    """Return a board that asks, and has perhaps marked an answer."""
    url, lab = site.board("life_of_a_job", at)
    lab.predictions.switch(on=True)
    if given is not None:
        lab.predictions.answer(lab.world, lab.predictions.question(lab.world).key, given)  # type: ignore[union-attr]
    return url


@pytest.fixture
def runs(tmp_path: Path) -> Iterator[str]:
    """Return the address of a board that runs a wrong answer."""
    (tmp_path / "answers").mkdir()
    text = find("ex03").text("solution.py")
    wrong = text.replace(
        "        if job.status is not Status.RUNNING or token != job.token:", "        if job is None:"
    )
    (tmp_path / "answers" / "ex03_tokens.py").write_text(wrong, encoding="utf-8")
    app = create_app({"WORK_FOLDER": str(tmp_path)})
    with closing(listen("127.0.0.1", 0)) as sock, serving(app, sock):
        yield f"http://127.0.0.1:{sock.getsockname()[1]}"


MOMENTS: dict[str, Callable[[Site], str]] = {
    "flawed": lambda site: site.board("flawed_by_id", 41_000)[0],
    "flawed without a lamp": lambda site: site.board("flawed_borrowing", 9000)[0],
    "why": lambda site: f"{site.board('zombie', 35_500)[0]}?job=J1",
    "why of a dead letter": lambda site: f"{site.board('crash_loop', 12_000)[0]}?job=J1",
    "window": lambda site: f"{site.board('zombie', 60_000)[0]}?from=29&to=36",
    "question": lambda site: asked(site, 600),
    "number": lambda site: asked(site, 100),
    "verdict": lambda site: asked(site, 600, "J2"),
    "flawed scenario": lambda site: f"{site.url}/scenarios/flawed_by_id",
}


def look_everywhere(page: Page, looks: Looks) -> list[str]:
    """Return what axe finds in both themes, on a desk and on a phone, and whatever is wider than the phone."""
    found = []
    page.evaluate("for (const d of document.querySelectorAll('details')) d.open = true")
    for theme, width in looks:
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        page.set_viewport_size({"width": width, "height": 844})
        violations = Axe().run(page).response["violations"]
        found += [f"{theme}, {width}: {v['id']}: {v['nodes'][0]['html'][:160]}" for v in violations]
        if page.evaluate("document.documentElement.scrollWidth") > width:
            found.append(f"wider than {width}")
    return found


@pytest.mark.parametrize("moment", MOMENTS)
def test_axe_finds_nothing_around_the_lanes(page: Page, site: Site, moment: str, looks: Looks) -> None:
    """No violation, with all that folds open, and nothing wider than a phone."""
    page.goto(MOMENTS[moment](site))
    assert look_everywhere(page, looks) == []


def test_axe_finds_nothing_where_an_answer_runs(page: Page, runs: str, looks: Looks) -> None:
    """The page before and the page after; the whole way goes by forms and links."""
    page.goto(f"{runs}/answers/ex03?check=made_up_token")
    assert look_everywhere(page, looks) == []
    page.locator("#play-check").click()
    expect(page.locator("#ending")).to_contain_text("Expected: refused with StaleTokenError")
    assert look_everywhere(page, looks) == []
    page.locator("#back").click()
    expect(page.locator("#lamps")).to_contain_text("0 broken")
    page.locator("#broken").click()
    expect(page.locator("#lamp-current_lease")).to_contain_text("is believed")


def test_a_red_lamp_leads_to_its_event(page: Page, site: Site) -> None:
    """The link marks the line of the log, and the board does not move."""
    url, lab = site.board("flawed_by_id", 34_000)
    visit(page, url)
    expect(page.locator(".lamp-broken")).to_have_count(0)
    page.locator("#step").click()
    lamp = page.locator("#lamp-current_lease")
    expect(lamp).to_have_class(re.compile("lamp-broken"))
    lamp.get_by_role("link").click()
    expect(page.locator(".log li:target")).to_contain_text("A reports success for J1")
    assert lab.world.now() == 35_000


def test_a_jobs_story_stays_open_while_time_goes_on(page: Page, site: Site) -> None:
    """One click opens it, steps keep it true, another click closes it."""
    url, _ = site.board("zombie", 500)
    visit(page, url)
    page.locator("#job-J1 .job-id").click()
    expect(page.locator("#why-not")).to_contain_text("held by A until 30.0 s")
    visit(page, page.url)
    for _ in range(3):
        before = page.locator("#clock").inner_text()
        page.locator("#step").click()
        expect(page.locator("#clock")).not_to_have_text(before)
    expect(page.locator("#why-not")).to_contain_text("held by B until 61.0 s")
    page.locator("#why").get_by_role("link", name="close").click()
    expect(page.locator("#why")).to_have_count(0)


def test_a_question_is_answered_by_keyboard(page: Page, site: Site) -> None:
    """Begin, choose, answer: the mark is there at once, with its reason and the score."""
    url, _ = site.board("life_of_a_job", 600)
    visit(page, url)
    page.locator("#predict-begin").press("Enter")
    page.get_by_label("J3").press("Space")
    page.locator("#predict-answer").press("Enter")
    expect(page.locator("#verdict")).to_contain_text("Yes, J3.")
    expect(page.locator("#score")).to_have_text("1 of 1 right")


MOVES = """() => {
  window.moved = [];
  const animate = Element.prototype.animate;
  Element.prototype.animate = function (...told) {
    window.moved.push(this.id);
    return animate.apply(this, told);
  };
}"""


@pytest.mark.parametrize(("motion", "moves"), [("no-preference", True), ("reduce", False)])
def test_a_job_is_seen_to_go_to_its_lane(page: Page, site: Site, motion: Any, moves: bool) -> None:
    """Unless the learner wants no motion."""
    url, _ = site.board("life_of_a_job", 600)
    page.emulate_media(reduced_motion=motion)
    visit(page, url)
    page.evaluate(MOVES)
    for _ in range(3):
        before = page.locator("#clock").inner_text()
        page.locator("#step").click()
        expect(page.locator("#clock")).not_to_have_text(before)
    assert ("job-J1" in page.evaluate("window.moved")) is moves


def test_the_tour_is_told_once_and_can_be_taken_again(page: Page, site: Site) -> None:
    """It covers nothing, is left at any time, does not come back by itself, and is found beside the keys."""
    url, _ = site.board("zombie")
    visit(page, url)
    tour = page.locator("#tour")
    expect(tour).to_be_visible()
    page.locator("#step").click()
    expect(page.locator("#clock")).to_have_text("1.0")
    expect(tour).to_be_visible()
    for _ in range(5):
        page.locator("#tour-next").click()
    expect(page.locator(".spot")).to_have_count(1)
    page.locator("#tour-next").click()
    expect(tour).to_be_hidden()
    page.reload()
    expect(tour).to_be_hidden()
    page.keyboard.press("?")
    page.locator("#tour-again").click()
    expect(tour).to_be_visible()
    page.locator("#tour-end").click()
    expect(tour).to_be_hidden()
    expect(page.locator(".spot")).to_have_count(0)
