"""Somebody who was told nothing plays the zombie; somebody else, on another server, is sent what came of it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import served

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Page


@pytest.fixture
def stranger(browser: Browser) -> Iterator[Page]:
    """Return a page of a browser that was never here."""
    with browser.new_context() as context:
        yield context.new_page()


def seen(page: Page) -> dict[str, str | None]:
    """Return what somebody sees of a board: clock, lamps, lanes, what happened, and the timeline."""
    places = ("#clock", "#lamps", ".lanes", ".log", "#timeline .scroll")
    return {place: page.locator(place).inner_text() for place in places}


def test_a_stranger_understands_changes_the_story_and_sends_it(stranger: Page, browser: Browser) -> None:
    """The page says why A's late report is refused; back at 33 s B crashes instead; a friend sees the same."""
    page = stranger
    with served() as mine, served() as theirs:
        page.goto(f"{mine.url}/")
        page.get_by_role("link", name="The zombie").click()
        page.get_by_role("button", name="Open the board").click()
        page.wait_for_selector("#board form[data-htmx-powered]", state="attached")

        clock = page.locator("#clock")
        page.get_by_role("button", name="next refusal").click()
        expect(clock).to_have_text("35.0")
        why = page.locator(".log li.loud")
        expect(why).to_contain_text("A reports success for J1 with token J1:1")
        expect(why).to_contain_text("Refused: the current lease is J1:2, held by B")
        expect(why).to_contain_text("only the token of the current lease counts")
        expect(why.get_by_role("link")).to_have_attribute(
            "href", re.compile(r"/code/jobqueue/lifecycle\.py#L\d+")
        )
        expect(page.locator("#lamps h2")).to_contain_text("0 broken")

        page.get_by_role("button", name="back").first.click()
        expect(clock).to_have_text("33.0")
        expect(page.locator(".log li.loud")).to_have_count(0)
        page.get_by_role("button", name="crash B").click()
        expect(page.locator("#worker-B")).to_contain_text("crashed")
        page.get_by_role("button", name="next expiry").click()
        expect(clock).to_have_text("61.0")
        expect(page.locator(".log")).to_contain_text("the lease of J1 held by B is over")

        code = re.search(r"/b/([^/?#]+)$", page.locator("#share-link").get_attribute("href") or "")
        assert code is not None
        with browser.new_context() as elsewhere:
            friend = elsewhere.new_page()
            friend.goto(f"{theirs.url}/b/{code[1]}")
            assert seen(friend) == seen(page)
            assert len(theirs.labs) == 0, "looking at a link keeps nothing"
            # What the friend does makes a board of their own, and the link stays what it was.
            friend.wait_for_selector("#board form[data-htmx-powered]", state="attached")
            friend.get_by_role("button", name="restart B").click()
            friend.wait_for_url(re.compile(r"/labs/zombie-"))
            expect(friend.locator("#worker-B")).not_to_contain_text("crashed")
            friend.goto(f"{theirs.url}/b/{code[1]}")
            assert seen(friend) == seen(page)
