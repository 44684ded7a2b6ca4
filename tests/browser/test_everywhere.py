"""Everybody: without scripts, on a phone, in both themes, and axe finds nothing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page, expect

from tests.browser.conftest import visit

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import BrowserContext

    from tests.browser.conftest import Looks, Site


def refused_action(site: Site) -> str:
    """Return a board that has just refused something."""
    url, lab = site.board("zombie", 1000)
    try:
        lab.poke("cancel", "J1")
    except Exception as refusal:
        from webui.board.labs import Notice  # noqa: PLC0415

        lab.notice = Notice(str(refusal), is_refusal=True)
    return url


MOMENTS: dict[str, Callable[[Site], str]] = {
    "gallery": lambda site: site.url,
    "scenario": lambda site: f"{site.url}/scenarios/zombie",
    "code": lambda site: f"{site.url}/code/jobqueue/clock.py#L10",
    "problem": lambda site: f"{site.url}/labs/zombie-gone",
    "begin": lambda site: site.board("life_of_a_job")[0],
    "refusal": lambda site: site.board("zombie", 35_500)[0],
    "crash": lambda site: site.board("crash_loop", 400)[0],
    "dead letter": lambda site: site.board("crash_loop", 12_000)[0],
    "refused action": refused_action,
    "over": lambda site: site.board("life_of_a_job", 30_000)[0],
    "tenants": lambda site: site.board("fair_neighbours", 6600)[0],
    "aged": lambda site: site.board("aging", 11_500)[0],
    "held back": lambda site: site.board("retry_storm_budget", 9000)[0],
}
THEMES: list[Any] = ["light", "dark"]


@pytest.fixture
def expected(complaints: list[str]) -> Any:
    """Let a page answer 410 without that being a complaint."""
    yield
    complaints[:] = [text for text in complaints if "410" not in text]


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.usefixtures("expected")
def test_axe_finds_nothing(page: Page, site: Site, moment: str, looks: Looks) -> None:
    """No violation of any rule, in both themes, on a desk and on a phone."""
    page.emulate_media(reduced_motion="reduce")
    page.goto(MOMENTS[moment](site))
    found = []
    for theme, width in looks:
        page.emulate_media(color_scheme=theme)
        page.set_viewport_size({"width": width, "height": 844})
        violations = Axe().run(page).response["violations"]
        found += [f"{theme}, {width}: {v['id']}: {v['nodes'][0]['html'][:160]}" for v in violations]
    assert found == []


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.usefixtures("expected")
def test_nothing_is_wider_than_the_phone(page: Page, site: Site, moment: str) -> None:
    """The page scrolls down only; what is wider scrolls in its own pane."""
    page.goto(MOMENTS[moment](site))
    for width in (390, 320):
        page.set_viewport_size({"width": width, "height": 700})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_long_words_do_not_widen_the_phone(page: Page, site: Site) -> None:
    """A type of 200 letters and a payload without a blank are broken or cut."""
    url, lab = site.board("zombie")
    lab.submit({"type": "t" * 200, "payload": "p" * 1000, "priority": "0", "delay": "0"})
    lab.submit({"type": "u" * 200, "payload": "🧟" * 300, "priority": "0", "delay": "5"})
    for width in (320, 390, 1280):
        page.set_viewport_size({"width": width, "height": 700})
        page.goto(url)
        assert page.evaluate("document.documentElement.scrollWidth") <= width


# Where the line of now stands in the pane of the timeline, as a part of its width.
NOW_IN_PANE = """() => {
  const pane = document.querySelector(".tl .scroll").getBoundingClientRect();
  return (document.querySelector(".tl-now").getBoundingClientRect().x - pane.x) / pane.width;
}"""
IN_VIEW = f"() => {{ const x = ({NOW_IN_PANE})(); return 0 < x && x < 1; }}"


def test_on_a_phone_the_present_is_in_view(page: Page, site: Site) -> None:
    """The timeline is wider than its pane, and its line of now can be seen without scrolling."""
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(site.board("zombie", 35_500)[0])
    assert 0 < page.evaluate(NOW_IN_PANE) < 1


def test_a_window_that_becomes_narrow_keeps_the_present_in_view(page: Page, site: Site) -> None:
    """The story was played to 26.0 s on a wide screen; then it is a phone."""
    page.set_viewport_size({"width": 1280, "height": 844})
    visit(page, site.board("backoff", 20_000)[0])
    page.locator("#speed-50").click()
    expect(page.locator("#clock")).to_have_text("26.0")
    page.set_viewport_size({"width": 400, "height": 844})
    page.wait_for_function(IN_VIEW)
    assert page.evaluate("document.querySelector('.tl .scroll').scrollLeft") > 0


def test_the_present_is_in_view_through_play_and_reset(page: Page, site: Site) -> None:
    """At each step on a phone, and at 0.0 s again after a reset, where it lies to the left."""
    page.set_viewport_size({"width": 400, "height": 844})
    visit(page, site.board("backoff", 10_000)[0])
    for instant in ("10.5", "17.0"):
        page.locator("#step").click()
        expect(page.locator("#clock")).to_have_text(instant)
        page.wait_for_function(IN_VIEW)
    assert page.evaluate("document.querySelector('.tl .scroll').scrollLeft") > 0
    page.locator("#reset").click()
    expect(page.locator("#clock")).to_have_text("0.0")
    page.wait_for_function(IN_VIEW)


@pytest.mark.parametrize("system", THEMES)
def test_the_chosen_theme_is_remembered(page: Page, site: Site, system: Any) -> None:
    """One click switches, a reload and another page keep it, a second click switches back."""
    other = {"light": "dark", "dark": "light"}[system]
    ground = "getComputedStyle(document.body).backgroundColor"
    page.emulate_media(color_scheme=system)
    page.goto(site.url)
    first = page.evaluate(ground)
    page.locator("#theme").click()
    second = page.evaluate(ground)
    assert second != first
    page.goto(site.board("zombie")[0])
    assert page.evaluate("document.documentElement.dataset.theme") == other
    assert page.evaluate(ground) == second
    page.locator("#theme").click()
    page.reload()
    assert page.evaluate(ground) == first


def test_the_back_button_shows_the_board_as_it_is(page: Page, site: Site) -> None:
    """Not as it was when it was left, nor a fragment without its page."""
    visit(page, site.board("zombie")[0])
    page.locator("#step").click()
    expect(page.locator("#clock")).to_have_text("1.0")
    page.locator("#step").click()
    expect(page.locator("#clock")).to_have_text("30.0")
    page.get_by_role("link", name="About it").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("The zombie")
    page.go_back()
    expect(page.locator("#clock")).to_have_text("30.0")
    page.locator("#step").click()
    expect(page.locator("#clock")).to_have_text("31.0")


@pytest.fixture
def plain(new_context: Callable[..., BrowserContext]) -> Page:
    """Return a page whose browser runs no scripts."""
    page = new_context(java_script_enabled=False).new_page()
    page.set_default_timeout(10_000)
    return page


def test_the_board_is_whole_without_scripts(plain: Page) -> None:
    """Open, step, a second, freeze, thaw, crash, restart, submit, cancel, a refusal, reset: all by forms."""
    plain.goto("/")
    plain.get_by_role("button", name=re.compile("Open the board.*The zombie")).click()
    clock, board = plain.locator("#clock"), plain.locator("#board")
    plain.locator("#step").click()
    expect(clock).to_have_text("1.0")
    plain.locator("#second").click()
    expect(clock).to_have_text("2.0")
    for name in ("thaw A", "freeze A", "crash B", "restart B"):
        plain.get_by_role("button", name=name).click()
        expect(plain.locator("#notice")).to_be_visible()
    plain.locator("#submit-type").fill("report")
    plain.locator("#submit-priority").fill("many")
    plain.locator("#submit-delay").fill("5")
    plain.locator("#submit").click()
    expect(plain.get_by_role("alert")).to_contain_text("Priority: expected a whole number")
    expect(plain.locator("#submit-type")).to_have_value("report")
    plain.locator("#submit-priority").fill("2")
    plain.locator("#submit").click()
    expect(plain.locator("#job-J2")).to_contain_text("report")
    plain.get_by_role("button", name="cancel J2").click()
    expect(board).to_contain_text("Cancelled")
    plain.locator("#reset").click()
    expect(clock).to_have_text("0.0")


def test_a_dead_letter_is_brought_back_without_scripts(plain: Page, site: Site) -> None:
    """The redrive is a form like the others."""
    plain.goto(site.board("crash_loop", 12_000)[0])
    plain.get_by_role("button", name="redrive J1").click()
    expect(plain.get_by_role("region", name="Ready")).to_contain_text("J1")


def test_without_scripts_no_control_is_dead(plain: Page, site: Site) -> None:
    """What only a script could do is not shown: theme, keys, play and speeds."""
    plain.goto(site.board("zombie")[0])
    for hidden in ("#theme", "#keys-open", "#play", "#speed-1"):
        expect(plain.locator(hidden)).to_be_hidden()
    loose = plain.locator("button:visible:not(form button)")
    expect(loose).to_have_count(0)
