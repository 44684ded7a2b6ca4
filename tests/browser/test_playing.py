"""Time on the page: playing, pausing, stepping, and several pages at once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Page, expect

from jobqueue.simulation import SCENARIOS, run
from tests.browser.conftest import Site, served, visit
from tests.sampling import one_in
from tests.simulation.worlds import keys

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

SHOWN = "() => Number(document.getElementById('clock').textContent)"


def pass_page_time(page: Page, millis: int) -> None:
    """Wait until the page's own clock has gone on by so much."""
    page.evaluate("millis => { window.until = performance.now() + millis }", millis)
    page.wait_for_function("() => performance.now() > window.until")


def count_requests(page: Page) -> list[str]:
    """Return a list that every request of the page from now on is put into."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    return asked


def test_the_zombie_plays_to_its_refusal(page: Page) -> None:
    """From the gallery, at 50x: the refusal is in the log, on the timeline, and the job was done by B."""
    page.goto("/")
    page.get_by_role("button", name=re.compile("Open the board.*The zombie")).click()
    page.locator("#speed-50").click()
    refusal = page.locator(".log li.loud")
    expect(refusal).to_contain_text(
        "A reports success for J1 with token J1:1. Refused: the current lease is J1:2"
    )
    expect(page.locator(".tl-refused")).to_have_count(1)
    expect(page.locator(".drive .over")).to_contain_text("Every job has ended")
    expect(page.get_by_role("region", name="Ended")).to_contain_text("J1")


def test_a_refused_worker_says_so_on_its_card(page: Page, site: Site) -> None:
    """Step by step: first A only believes, then it is refused."""
    url, _ = site.board("zombie", 31_000)
    visit(page, url)
    expect(page.locator("#worker-A")).to_contain_text("believes that it still has J1, with token J1:1")
    step = page.get_by_role("button", name="step")
    step.click()
    expect(page.locator("#worker-A")).to_contain_text("back from the dead")
    step.click()
    expect(page.locator("#worker-A")).to_contain_text("Refused.")
    expect(page.locator("#worker-A .refuse")).to_contain_text("J1:1")


@pytest.mark.parametrize("state", one_in(4, ["paused", "new", "stepped", "over"]))
def test_a_page_that_does_not_play_asks_for_nothing(page: Page, site: Site, state: str) -> None:
    """Two seconds of the page's time without a request, and its clock stands still."""
    url, _ = site.board("zombie", 41_000 if state == "over" else 1000)
    visit(page, url)
    if state == "stepped":
        page.locator("#step").click()
        expect(page.locator("#clock")).to_have_text("30.0")
    elif state == "paused":
        page.locator("#speed-5").click()
        page.locator("#play", has_text="pause").click()
        expect(page.locator("#play")).to_contain_text("play")
    elif state == "over":
        page.locator("#speed-50").click()
        expect(page.locator(".drive .over")).to_contain_text("Every job has ended")
    page.wait_for_load_state("networkidle")
    asked, before = count_requests(page), page.evaluate(SHOWN)
    pass_page_time(page, 2000)
    # The browser fetches the page's icon when it has nothing better to do.
    assert [address for address in asked if not address.endswith("icon.svg")] == []
    assert page.evaluate(SHOWN) == before


def test_between_two_answers_the_clock_moves_and_the_bar_drains(page: Page, site: Site) -> None:
    """From 1.0 s to 30.0 s nothing is due: the page moves by itself, and a pause takes the time it showed."""
    url, lab = site.board("zombie", 1000)
    visit(page, url)
    page.locator("#speed-5").click()
    expect(page.locator("#play")).to_contain_text("pause")
    asked = count_requests(page)
    bar = page.locator("#job-J1 progress")
    first = float(bar.evaluate("bar => bar.value"))
    page.wait_for_function("() => Number(document.getElementById('clock').textContent) > 4")
    assert float(bar.evaluate("bar => bar.value")) < first - 1500
    assert re.fullmatch(r"2\d\.\d s of lease left", page.locator("#job-J1 .why").inner_text())
    assert asked == []
    assert lab.world.now() == 1000
    page.locator("#play").click()
    expect(page.locator("#play")).to_contain_text("play")
    assert 4000 <= lab.world.now() < 30_000
    assert abs(page.evaluate(SHOWN) * 1000 - lab.world.now()) < 100


def test_a_poke_while_playing_happens_at_the_time_that_is_shown(page: Page, site: Site) -> None:
    """The crash is written down between the events, and playing goes on."""
    url, lab = site.board("zombie", 1000)
    visit(page, url)
    page.locator("#speed-5").click()
    page.wait_for_function("() => Number(document.getElementById('clock').textContent) > 3")
    page.get_by_role("button", name="crash B").click()
    expect(page.locator("#worker-B")).to_contain_text("crashed")
    crash = next(entry for entry in lab.world.chronicle.entries if entry.kind == "crashed")
    assert 3000 <= crash.at < 30_000
    expect(page.locator("#play")).to_contain_text("pause")


def test_what_is_being_typed_survives_the_next_answer(page: Page, site: Site) -> None:
    """While the board plays on, the form is not emptied under the learner's hands."""
    url, _ = site.board("zombie", 1000)
    visit(page, url)
    page.locator("#speed-20").click()
    page.locator("#submit-payload").fill("half a lett")
    page.locator("#submit-payload").focus()
    expect(page.locator(".log")).to_contain_text("the lease of J1 held by A is over")
    assert page.locator("#submit-payload").input_value() == "half a lett"
    assert page.evaluate("document.activeElement.id") == "submit-payload"
    page.keyboard.type("er")
    assert page.locator("#submit-payload").input_value() == "half a letter"


def test_an_open_lane_stays_open_over_a_tick(page: Page, site: Site) -> None:
    """What the learner unfolded is not folded by the next answer; what was closed stays closed."""
    url, lab = site.board("hhhnnl", 5000)
    visit(page, url)
    ready, succeeded = page.locator("#more-ready"), page.locator("#more-succe")
    ready.locator("summary").click()
    expect(ready.locator("article").first).to_be_visible()
    page.locator("#speed-1").click()
    page.wait_for_function("() => Number(document.getElementById('board').dataset.now) >= 7000")
    assert lab.world.now() >= 7000
    expect(ready.locator("article").first).to_be_visible()
    expect(succeeded.locator("article").first).to_be_hidden()


def test_no_speed_is_pressed_on_a_board_that_stands_still(page: Page, site: Site) -> None:
    """Pressed while it plays, released by a pause, and the reason beside the clock at the end."""
    visit(page, site.board("zombie", 1000)[0])
    pressed = page.locator("[aria-pressed=true]")
    expect(pressed).to_have_count(0)
    page.locator("#speed-1").click()
    expect(pressed).to_have_id("speed-1")
    page.locator("#play", has_text="pause").click()
    expect(pressed).to_have_count(0)
    page.locator("#speed-50").click()
    expect(page.locator(".drive .over")).to_contain_text("Every job has ended")
    expect(pressed).to_have_count(0)
    expect(page.locator("#notice")).to_have_count(0)


NUMBERS_APART = """
  // Frames and timers are numbered apart, and their numbers meet. Here they cannot, so that a mix-up shows.
  window.foreign = [];
  const [frame, unframe, clear] = [requestAnimationFrame, cancelAnimationFrame, clearTimeout];
  window.requestAnimationFrame = f => frame(f) + 1000000;
  window.cancelAnimationFrame = id => unframe(id - 1000000);
  window.clearTimeout = id => { if (id >= 1000000) window.foreign.push(id); clear(id); };
"""


def test_the_page_stops_no_timer_but_its_own(page: Page, site: Site) -> None:
    """A frame's number given to clearTimeout would now and then stop the next tick, and the play with it."""
    page.add_init_script(NUMBERS_APART)
    visit(page, site.board("life_of_a_job")[0])
    page.locator("#speed-20").click()
    expect(page.locator(".drive .next")).to_contain_text("Every job has ended")
    assert page.evaluate("window.foreign") == []


@pytest.mark.long
def test_eight_tabs_play_one_board(context: BrowserContext, site: Site) -> None:
    """Each shows the end, and time has passed once: the events are those of the scenario."""
    url, lab = site.board("life_of_a_job")
    pages = [context.new_page() for _ in range(8)]
    visit(pages[0], url)
    pages[0].locator("#speed-20").click()
    for page in pages[1:]:
        visit(page, url)
    for page in pages:
        expect(page.locator(".drive .next")).to_contain_text("Every job has ended")
    assert keys(lab.world.log.events) == keys(run(SCENARIOS["life_of_a_job"]).log.events)


def test_a_server_that_stopped_is_said_to_have(page: Page, complaints: list[str]) -> None:
    """In mid-play the next question has no answer, and the page says so and stays."""
    with served() as site:
        url, _ = site.board("zombie", 1000)
        visit(page, url)
        page.locator("#speed-20").click()
        expect(page.locator("#play")).to_contain_text("pause")
    expect(page.locator("#notice")).to_have_text("The board does not answer. Is the program still running?")
    expect(page.locator("#board")).to_be_visible()
    assert all(
        "ERR_CONNECTION" in text or "ERR_EMPTY" in text or "Failed to fetch" in text for text in complaints
    ), complaints
    complaints.clear()


def test_a_board_that_was_dropped_offers_a_new_one(page: Page, site: Site, complaints: list[str]) -> None:
    """Where its story was too long to be in the page, a step brings a card with the way on, in its place."""
    url, lab = site.board("zombie")
    visit(page, url)
    page.evaluate("delete board.dataset.state; history.replaceState(null, '', location.pathname)")
    site.labs._labs.pop(lab.id)
    page.locator("#step").click()
    expect(page.locator("#problem")).to_contain_text("This board is no longer here")
    page.get_by_role("button", name="Open a new board: The zombie").click()
    expect(page.locator("#clock")).to_have_text("0.0")
    assert all("410" in text for text in complaints), complaints
    complaints.clear()
