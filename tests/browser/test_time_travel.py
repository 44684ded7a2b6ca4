"""Time travel in a real browser: keys, slider, branches, links; without scripts too."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page, expect

from jobqueue.simulation.link import decode
from tests.browser.conftest import visit
from tests.browser.test_playing import count_requests, pass_page_time

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import BrowserContext, Route

    from tests.browser.conftest import Looks, Site
    from webui.board.labs import Lab


def forked(site: Site) -> tuple[str, Lab]:
    """Return a board with two branches that have parted."""
    url, lab = site.board("zombie")
    lab.branches.seek(33_000)
    lab.branches.fork()
    lab.branches.do("crash", worker="B")
    lab.branches.seek(45_000)
    return url, lab


def test_the_keys_travel(page: Page, site: Site) -> None:
    """`e` to the expiry, `x` to the refusal, `b` back, `f` forks; `?` lists them all."""
    url, lab = site.board("zombie")
    visit(page, url)
    clock = page.locator("#clock")
    for key, instant in [("e", "30.0"), ("x", "35.0"), ("b", "33.0"), ("b", "31.0")]:
        page.keyboard.press(key)
        expect(clock).to_have_text(instant)
    page.keyboard.press("f")
    expect(page.locator("#branches")).to_contain_text("the same has happened in both")
    assert lab.branches.number == 2
    page.keyboard.press("?")
    for key in "bexf":
        expect(page.locator("#keys dt", has_text=re.compile(f"^{key}$"))).to_be_visible()


def test_the_slider_travels_with_the_board(page: Page, site: Site) -> None:
    """Moved by keys, the board follows; the last place that was chosen is the one that is shown."""
    url, lab = site.board("zombie")
    visit(page, url)
    slider = page.locator("#seek")
    slider.focus()
    page.keyboard.press("End")
    expect(page.locator("#clock")).to_have_text("41.0")
    for _ in range(4):
        page.keyboard.press("PageDown")
    page.wait_for_function(
        "() => Math.abs(Number(clock.textContent) - Number(seek.value)) < 0.05 && seek.value < 35"
    )
    assert abs(lab.world.now() - float(slider.input_value()) * 1000) < 50
    assert page.evaluate("document.activeElement.id") == "seek"
    page.keyboard.press("Home")
    expect(page.locator("#clock")).to_have_text("0.0")
    page.locator("#step").click()
    expect(page.locator("#clock")).to_have_text("1.0")
    expect(slider).to_have_value("1")


def test_a_late_answer_does_not_bring_an_earlier_wish_back(page: Page, site: Site) -> None:
    """The answer to 10.0 s takes two seconds, that to 30.0 s none: what is shown in the end is 30.0 s."""
    url, lab = site.board("zombie")
    visit(page, url)
    held: list[Route] = []

    def hold_first(route: Route) -> None:
        if held:
            route.continue_()
        else:
            held.append(route)

    page.route("**/seek", hold_first)
    choose = "value => { seek.value = value; seek.form.requestSubmit(); }"
    page.evaluate(choose, 10)
    page.wait_for_function("() => true")
    page.evaluate(choose, 30)
    expect(page.locator("#clock")).to_have_text("30.0")
    assert len(held) == 1
    pass_page_time(page, 300)
    expect(page.locator("#clock")).to_have_text("30.0")
    assert lab.world.now() == 30_000


def test_two_branches_are_compared_at_one_clock(page: Page, site: Site) -> None:
    """From the fork to the difference, by buttons; then the other one is played."""
    visit(page, site.board("zombie", 33_000)[0])
    page.locator("#fork").click()
    branches = page.locator("#branches")
    expect(branches).to_contain_text("Up to now")
    page.get_by_role("button", name="crash B").click()
    page.locator("#seek").focus()
    page.keyboard.press("End")
    expect(branches).to_contain_text(
        "The same up to 33.0 s, and from there on not.".replace(" s", "\N{NO-BREAK SPACE}s")
    )
    expect(branches).to_contain_text(re.compile("J1: here .*; there succeeded at"))
    expect(branches.locator(".tl svg")).to_have_count(2)
    page.get_by_role("button", name="play branch 1").click()
    expect(page.get_by_role("region", name="Succeeded").or_(page.get_by_label("Ended"))).to_contain_text("J1")


def test_playing_with_two_branches_ends(page: Page, site: Site) -> None:
    """Both go on together, and when nothing is to come in either, the page asks no more."""
    visit(page, forked(site)[0])
    page.locator("#seek").focus()
    page.keyboard.press("Home")
    expect(page.locator("#clock")).to_have_text("0.0")
    expect(page.locator("#ahead")).to_be_visible()
    page.locator("#speed-50").click()
    expect(page.locator(".drive .over")).to_be_visible()
    expect(page.locator("#ahead")).to_have_count(0)
    expect(page.locator("#worker-B")).to_contain_text("crashed")
    page.wait_for_load_state("networkidle")
    asked = count_requests(page)
    pass_page_time(page, 600)
    assert asked == []


def test_the_address_is_the_board(page: Page, site: Site, context: BrowserContext) -> None:
    """After some steps it can be loaded anew, copied, and opened after the board itself is gone."""
    url, lab = site.board("zombie")
    visit(page, url)
    page.locator("#step").click()
    expect(page.locator("#clock")).to_have_text("1.0")
    page.get_by_role("button", name="crash B").click()
    expect(page.locator("#worker-B")).to_contain_text("crashed")
    page.wait_for_function("code => location.search === '?s=' + code", arg=lab.code())
    page.reload()
    expect(page.locator("#worker-B")).to_contain_text("crashed")
    site.labs._labs.pop(lab.id)
    other = context.new_page()
    other.goto(page.url)
    expect(other.locator(".shared")).to_contain_text("A shared board")
    expect(other.locator("#worker-B")).to_contain_text("crashed")
    assert "/b/" in other.url
    assert decode(other.url.rsplit("/", 1)[-1])[0].at == 1000


def test_a_board_that_was_dropped_goes_on_unnoticed(page: Page, site: Site) -> None:
    """A step after the server has forgotten the board is the next step, and the address stays."""
    url, lab = site.board("zombie")
    visit(page, url)
    page.locator("#step").click()
    expect(page.locator("#clock")).to_have_text("1.0")
    site.labs._labs.pop(lab.id)
    page.locator("#step").click()
    expect(page.locator("#clock")).to_have_text("30.0")
    assert site.labs.find(lab.id).world.now() == 30_000


def test_a_step_on_a_shared_board_opens_ones_own(page: Page, site: Site) -> None:
    """The page becomes that of a new board; the browser's way back leads to the link, as it was."""
    _, lab = forked(site)
    link = f"{site.url}/b/{lab.code()}"
    visit(page, link)
    page.locator("#back").click()
    expect(page.locator(".shared")).to_have_count(0)
    assert "/labs/zombie-" in page.url
    shown = page.locator("#clock").inner_text()
    page.go_back()
    expect(page.locator(".shared")).to_be_visible()
    expect(page.locator("#clock")).to_have_text("45.0")
    assert shown != "45.0"


def test_going_back_in_the_browser_changes_no_board(page: Page, site: Site) -> None:
    """Away, back, forward, back: the board is what it was, and goes on from there."""
    url, lab = site.board("zombie")
    visit(page, url)
    page.locator("#step").click()
    page.locator("#fork").click()
    expect(page.locator("#branches")).to_be_visible()
    before = lab.code()
    page.get_by_role("link", name="About it").click()
    page.go_back()
    page.go_forward()
    page.go_back()
    expect(page.locator("#branches")).to_be_visible()
    assert (lab.code(), len(lab.branches.all())) == (before, 2)


def test_without_scripts_everything_is_a_form(plain: Page, site: Site) -> None:
    """Back, a leap by the slider, a fork with other rules; then the board is dropped, and goes on."""
    url, lab = site.board("backoff")
    plain.goto(url)
    plain.locator("#step").click()
    plain.locator("#back").click()
    expect(plain.locator("#clock")).to_have_text("0.0")
    plain.locator("#seek").focus()
    plain.keyboard.press("End")
    plain.locator("#seek-go").click()
    expect(plain.locator("#clock")).to_have_text("26.0")
    plain.locator("summary", has_text="Fork with other rules").click()
    plain.locator("#rule-base_backoff_millis").fill("9")
    plain.locator("#fork-rules").click()
    expect(plain.locator(".field.wrong")).to_contain_text("is more than the cap")
    plain.locator("#rule-base_backoff_millis").fill("4")
    plain.locator("#fork-rules").click()
    expect(plain.locator("#branches")).to_contain_text("with other rules, from the beginning")
    site.labs._labs.pop(lab.id)
    plain.locator("#second").click()
    expect(plain.locator("#clock")).to_have_text("27.0")
    expect(plain.locator("#share-copy")).to_be_hidden()


def test_the_free_lab_is_set_and_opened(page: Page, site: Site, complaints: list[str]) -> None:
    """A mistake is shown at its field, then the board opens, and leads back to its settings."""
    page.goto(f"{site.url}/free")
    page.locator("#task1_times").fill("70")
    page.get_by_role("button", name="Open the board").first.click()
    expect(page.locator(".field.wrong")).to_contain_text("not between 1 and 60")
    page.locator("#task1_times").fill("3")
    page.get_by_role("button", name="Open the board").first.click()
    expect(page.locator("#board")).to_contain_text("J3")
    page.get_by_role("link", name="Change the settings").click()
    expect(page.locator("#task1_times")).to_have_value("3")
    complaints[:] = [text for text in complaints if "422" not in text]


MOMENTS: dict[str, Callable[[Site], str]] = {
    "two branches": lambda site: forked(site)[0],
    "a shared board": lambda site: f"{site.url}/b/{forked(site)[1].code()}",
    "the free lab": lambda site: f"{site.url}/free",
    "opening a file": lambda site: f"{site.url}/open",
    "a lesson": lambda site: f"{site.url}/lessons/03_zombies_and_fencing",
    "an exercise": lambda site: f"{site.url}/exercises/ex03",
    "a bad link": lambda site: f"{site.url}/b/1-broken",
}
THEMES: list[Any] = ["light", "dark"]


@pytest.mark.parametrize("moment", MOMENTS)
def test_axe_finds_nothing_and_nothing_is_too_wide(
    page: Page, site: Site, moment: str, looks: Looks, complaints: list[str]
) -> None:
    """In both themes, on a desk and on a phone."""
    page.emulate_media(reduced_motion="reduce")
    page.goto(MOMENTS[moment](site))
    found = []
    for theme, width in looks:
        page.emulate_media(color_scheme=theme)
        page.set_viewport_size({"width": width, "height": 844})
        violations = Axe().run(page).response["violations"]
        found += [f"{theme}, {width}: {v['id']}: {v['nodes'][0]['html'][:160]}" for v in violations]
    assert found == []
    for width in (390, 320):
        page.set_viewport_size({"width": width, "height": 700})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    complaints[:] = [text for text in complaints if "400" not in text]
