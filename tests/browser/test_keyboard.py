"""The board without a mouse: keys, order, focus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from playwright.sync_api import Page, expect

from tests.browser.conftest import visit

if TYPE_CHECKING:
    from tests.browser.conftest import Site

# What a learner can reach, as far as it is visible, in the order of the page.
CONTROLS = """() => [...document.querySelectorAll("a[href], button, input, summary, [tabindex='0']")]
  .filter(e => e.type !== "hidden" && e.checkVisibility({visibilityProperty: true}) && !e.closest("dialog"))
  .map(e => { e.dataset.n ??= String(window.n = (window.n ?? 0) + 1); return e.dataset.n; })"""


def focused(page: Page) -> str:
    return str(page.evaluate("document.activeElement.id"))


def test_the_keys_drive_time(page: Page, site: Site) -> None:
    """`.` steps, `s` is a second, `p` plays and pauses, `r` begins again."""
    url, lab = site.board("zombie")
    visit(page, url)
    clock = page.locator("#clock")
    page.keyboard.press(".")
    expect(clock).to_have_text("1.0")
    page.keyboard.press("s")
    expect(clock).to_have_text("2.0")
    page.keyboard.press("p")
    expect(page.locator("#play")).to_contain_text("pause")
    page.keyboard.press("p")
    expect(page.locator("#play")).to_contain_text("play")
    assert not lab.playing
    page.keyboard.press("r")
    expect(clock).to_have_text("0.0")


def test_the_zombie_can_be_stepped_to_its_refusal(page: Page, site: Site) -> None:
    """By the full stop alone."""
    visit(page, site.board("zombie")[0])
    for instant in ["1.0", "30.0", "31.0", "33.0", "35.0"]:
        page.keyboard.press(".")
        expect(page.locator("#clock")).to_have_text(instant)
    expect(page.locator("#worker-A")).to_contain_text("Refused.")


def test_quick_presses_all_count(page: Page, site: Site) -> None:
    """Five steps are five steps, however fast they come after each other."""
    visit(page, site.board("zombie")[0])
    page.locator("#step").click(click_count=5)
    expect(page.locator("#clock")).to_have_text("35.0")


def test_letters_in_a_field_are_letters(page: Page, site: Site) -> None:
    """Whoever types a payload does not move time; Enter submits."""
    url, lab = site.board("zombie")
    visit(page, url)
    page.locator("#submit-payload").fill("")
    page.locator("#submit-payload").press_sequentially("s.pr?")
    assert page.locator("#submit-payload").input_value() == "s.pr?"
    expect(page.locator("#keys")).to_be_hidden()
    page.keyboard.press("Enter")
    expect(page.locator("#job-J2 .payload")).to_have_text("s.pr?")
    assert lab.world.now() == 0


def test_shortcuts_of_the_browser_are_left_alone(page: Page, site: Site) -> None:
    """With Control or Alt held, a letter is not ours."""
    url, lab = site.board("zombie")
    visit(page, url)
    revision = lab.revision
    for key in ("Control+.", "Alt+.", "Control+ArrowLeft"):
        page.keyboard.press(key)
    page.keyboard.press("s")
    expect(page.locator("#clock")).to_have_text("1.0")
    assert lab.revision == revision + 1


def test_the_question_mark_lists_the_keys(page: Page, site: Site) -> None:
    """It opens the list, Escape closes it, and the keys work again."""
    visit(page, site.board("zombie")[0])
    page.keyboard.press("?")
    keys = page.locator("#keys")
    expect(keys).to_be_visible()
    page.keyboard.press("s")
    expect(page.locator("#clock")).to_have_text("0.0")
    page.keyboard.press("Escape")
    expect(keys).to_be_hidden()
    # The list is gone a moment before the focus that was in it: a key in between still goes there.
    page.wait_for_function("() => !document.activeElement.closest('dialog')")
    page.keyboard.press("s")
    expect(page.locator("#clock")).to_have_text("1.0")
    page.locator("#keys-open").click()
    expect(keys).to_be_visible()
    keys.get_by_role("button", name="Close").click()
    expect(keys).to_be_hidden()


def test_tab_reaches_every_control(page: Page, site: Site) -> None:
    """In the order of the page, each one once, and focus can be seen on each."""
    visit(page, site.board("zombie", 36_000)[0])
    wanted = page.evaluate(CONTROLS)
    assert len(wanted) >= 30
    reached = []
    for _ in wanted:
        page.keyboard.press("Tab")
        number, outline = page.evaluate(
            "() => [document.activeElement.dataset.n, getComputedStyle(document.activeElement).outlineStyle]"
        )
        reached.append(number)
        assert outline != "none", f"focus cannot be seen on control {number}"
    assert reached == wanted


def test_the_first_stop_skips_to_the_content(page: Page, site: Site) -> None:
    """The link shows itself when it has the focus, and leads to the main part."""
    visit(page, site.board("zombie")[0])
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the content")
    expect(skip).to_be_focused()
    expect(skip).to_be_in_viewport()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('main') !== null")


def test_focus_stays_on_the_step_button(page: Page, site: Site) -> None:
    """After each answer Enter steps again."""
    visit(page, site.board("zombie")[0])
    page.locator("#step").focus()
    for instant in ["1.0", "30.0", "31.0"]:
        page.keyboard.press("Enter")
        expect(page.locator("#clock")).to_have_text(instant)
        assert focused(page) == "step"


def test_focus_stays_on_the_play_button(page: Page, site: Site) -> None:
    """It is the same button whether it says play or pause."""
    visit(page, site.board("zombie")[0])
    page.locator("#play").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#play")).to_contain_text("pause")
    assert focused(page) == "play"


def test_focus_stays_with_a_worker_that_was_frozen(page: Page, site: Site) -> None:
    """The button that was pressed is gone; focus is still at its worker and not back at the top of the page."""
    visit(page, site.board("zombie")[0])
    page.get_by_role("button", name="freeze A").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="thaw A")).to_be_visible()
    assert page.evaluate("document.activeElement.closest('#worker-A') !== null")


def test_a_type_is_paused_and_resumed_by_keyboard(page: Page, site: Site) -> None:
    """Enter turns the button round, and focus stays on it."""
    url, lab = site.board("hhhnnl")
    visit(page, url)
    page.get_by_role("button", name="pause mail").focus()
    for name, paused in [("resume mail", ["mail"]), ("pause mail", [])]:
        page.keyboard.press("Enter")
        expect(page.get_by_role("button", name=name)).to_be_focused()
        assert lab.world.queue.paused() == paused
