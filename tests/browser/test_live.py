"""The live queue in a real browser: it keeps itself up to date, for everybody, in many tabs."""

from __future__ import annotations

import re
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Page, expect

from jobqueue import JobQueue, RetryPolicy, SystemClock, WeightedBands
from webui import create_app
from webui.auth import own_tokens
from webui.live.service import Service
from webui.server import listen, serving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import BrowserContext, Route

THEMES: list[Any] = ["light", "dark"]


class LiveSite:
    """A live queue served at an address of its own."""

    def __init__(self, url: str, store: JobQueue, service: Service) -> None:
        self.url, self.store, self.service = url, store, service

    def dead(self, count: int, **order: Any) -> list[str]:
        """Let so many jobs die."""
        ids = [self.store.submit("report", **order) for _ in range(count)]
        for lease in self.store.poll_many("w", 60_000, count, types=["report"]):
            self.store.fail(lease.job_id, lease.token, "ConnectionError: no route to host", permanent=True)
        return ids


@pytest.fixture
def live(tmp_path: Path) -> Iterator[LiveSite]:
    """Serve a queue with something in every state."""
    store = JobQueue(SystemClock(), RetryPolicy(2, 1000, 60_000), scheduler=WeightedBands())
    service = Service(store, own_tokens(tmp_path / "none.toml")[0])
    app = create_app({}, service)
    now = SystemClock().now()
    with closing(listen("127.0.0.1", 0)) as sock, serving(app, sock):
        site = LiveSite(f"http://127.0.0.1:{sock.getsockname()[1]}/live", store, service)
        site.dead(2, tenant="acme")
        store.submit("mail", '{"to": "bo"}', 5, tenant="bo")
        store.complete("J3", str(getattr(store.poll("worker one", 60_000), "token", "")), "sent")
        store.submit("mail")
        store.poll("worker one", 600_000)
        store.submit("invoice", run_at_millis=now + 3_600_000)
        store.submit("invoice", tenant="t" * 200)
        store.pause("video")
        yield site
        service.health.stop()


PATHS = ["/", "/jobs", "/jobs?status=DEAD", "/dead", "/jobs/J1", "/jobs/J3", "/jobs/J4", "/submit", "/sign-in"]


@pytest.mark.parametrize("path", PATHS)
def test_axe_finds_nothing(page: Page, live: LiveSite, path: str) -> None:
    """No violation of any rule, in both themes, on a desk and on a phone, where nothing is too wide."""
    page.emulate_media(reduced_motion="reduce")
    page.goto(live.url + path)
    found = []
    for theme, width in zip(THEMES, [1280, 390], strict=True):
        page.emulate_media(color_scheme=theme)
        page.set_viewport_size({"width": width, "height": 844})
        violations = Axe().run(page).response["violations"]
        found += [f"{theme}, {width}: {v['id']}: {v['nodes'][0]['html'][:160]}" for v in violations]
    assert found == []
    for width in (390, 320):
        page.set_viewport_size({"width": width, "height": 700})
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_page_keeps_itself_up_to_date(page: Page, live: LiveSite) -> None:
    """What a worker does is seen without a reload: on the overview, in the list, on the job's page."""
    page.goto(f"{live.url}/")
    expect(page.locator("#pulse")).to_have_text("live")
    expect(page.get_by_role("listitem").filter(has_text="SUCCEEDED")).to_contain_text("1")
    live.store.complete("J4", "J4:1", "sent")
    expect(page.get_by_role("listitem").filter(has_text="SUCCEEDED")).to_contain_text("2")
    page.goto(f"{live.url}/jobs?type=mail")
    live.store.submit("mail")
    expect(page.locator("#row-J7")).to_be_visible()
    page.goto(f"{live.url}/jobs/J7")
    lease = live.store.poll("worker two", 60_000, types=["mail"])
    assert lease is not None
    expect(page.get_by_role("heading", level=1)).to_contain_text("RUNNING")
    live.store.complete("J7", lease.token, "all done")
    expect(page.get_by_role("heading", level=1)).to_contain_text("SUCCEEDED")
    expect(page.get_by_role("region", name="Result")).to_contain_text("all done")


def test_what_is_typed_is_not_disturbed(page: Page, live: LiveSite) -> None:
    """A form, and ticks on the list of dead letters, stay as they are while the queue goes on."""
    page.goto(f"{live.url}/submit")
    page.get_by_label("Tenant").fill("half a na")
    live.store.complete("J4", "J4:1", "sent")
    page.wait_for_timeout(2500)
    expect(page.get_by_label("Tenant")).to_have_value("half a na")
    page.goto(f"{live.url}/dead")
    page.get_by_label("J1").check()
    (late,) = live.dead(1)
    expect(page.locator("#pulse")).to_have_text("stands still while you select")
    expect(page.get_by_label("J1")).to_be_checked()
    expect(page.locator(f"#row-{late}")).to_have_count(0)
    page.get_by_label("J1").uncheck()
    expect(page.locator(f"#row-{late}")).to_be_visible()
    expect(page.locator("#pulse")).to_have_text("live")


def test_eight_tabs_are_all_alive(context: BrowserContext, live: LiveSite) -> None:
    """Each opens and follows, and all of them together keep one stream."""
    pages = [context.new_page() for _ in range(8)]
    for each in pages:
        each.goto(f"{live.url}/", timeout=5000)
    expect(pages[-1].locator("#pulse")).to_have_text("live")
    live.store.complete("J4", "J4:1", "sent")
    for each in pages:
        expect(each.get_by_role("listitem").filter(has_text="SUCCEEDED")).to_contain_text("2", timeout=5000)
    assert live.service.streams.open == 1


def test_when_the_tab_that_listens_is_closed_another_takes_over(
    context: BrowserContext, live: LiveSite
) -> None:
    """The rest go on as if nothing had been."""
    first, second = context.new_page(), context.new_page()
    first.goto(f"{live.url}/")
    expect(first.locator("#pulse")).to_have_text("live")
    second.goto(f"{live.url}/")
    expect(second.locator("#pulse")).to_have_text("live")
    first.close()
    live.store.complete("J4", "J4:1", "sent")
    expect(second.get_by_role("listitem").filter(has_text="SUCCEEDED")).to_contain_text("2")


def test_a_hidden_tab_gives_its_stream_up(page: Page, live: LiveSite) -> None:
    """And takes it up again, with what it missed, when it is seen."""
    page.goto(f"{live.url}/")
    expect(page.locator("#pulse")).to_have_text("live")
    page.wait_for_function("() => true")
    hide = """(hidden) => {
      Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    }"""
    page.evaluate(hide, True)
    live.service.health.wait(0)
    for _ in range(100):
        if live.service.streams.open == 0:
            break
        live.store.submit(
            "mail", run_at_millis=10**15
        )  # an event, by writing which the closed stream is noticed
        page.wait_for_timeout(100)
    assert live.service.streams.open == 0
    live.store.complete("J4", "J4:1", "sent")
    page.evaluate(hide, False)
    expect(page.get_by_role("listitem").filter(has_text="SUCCEEDED")).to_contain_text("2")


def test_without_room_for_a_stream_a_page_asks_now_and_then(
    page: Page, live: LiveSite, complaints: list[str]
) -> None:
    """It says so, and is late by a few seconds."""
    while live.service.streams.enter():
        pass
    page.goto(f"{live.url}/")
    expect(page.locator("#pulse")).to_have_text("asks every 3 s")
    live.store.complete("J4", "J4:1", "sent")
    expect(page.get_by_role("listitem").filter(has_text="SUCCEEDED")).to_contain_text("2")
    complaints[:] = [text for text in complaints if "503" not in text]


def test_the_last_letter_typed_counts(page: Page, live: LiveSite) -> None:
    """The answer for "a" takes two seconds, that for "ab" none: rows, field and address are those of "ab"."""
    for type_ in ("abc", "axc"):
        live.store.submit(type_)
    page.goto(f"{live.url}/jobs")

    def slow(route: Route) -> None:
        page.wait_for_timeout(2000)
        route.continue_()

    page.route(re.compile(r"[?&]q=a(&|$)"), slow)
    field = page.get_by_label("Find in id")
    field.press("a")
    page.wait_for_timeout(300)
    field.press("b")
    expect(page).to_have_url(re.compile(r"[?&]q=ab(&|$)"))
    page.wait_for_timeout(3000)
    expect(page).to_have_url(re.compile(r"[?&]q=ab(&|$)"))
    expect(field).to_have_value("ab")
    expect(page.locator("#row-J7")).to_be_visible()
    expect(page.locator("#row-J8")).to_have_count(0)


def test_instants_are_in_the_readers_zone(new_context: Callable[..., BrowserContext], live: LiveSite) -> None:
    """With its offset; the title keeps UTC."""
    live.store.submit("mail", run_at_millis=1_627_824_019_000)
    page = new_context(timezone_id="Asia/Singapore").new_page()
    page.goto(f"{live.url}/jobs/J7")
    time = page.locator("time[datetime='2021-08-01T13:20:19.000Z']").first
    expect(time).to_have_text("2021-08-01 21:20:19+08:00")
    expect(time).to_have_attribute("title", "2021-08-01T13:20:19.000Z")


def test_hostile_text_does_not_run(page: Page, live: LiveSite) -> None:
    """Not on the list, not on its page, and not when it comes in while one looks."""
    page.goto(f"{live.url}/jobs")
    bad = "<img src=x onerror=window.__x=1><script>window.__x=1</script>"
    live.store.submit(bad, bad, tenant=bad)
    lease = live.store.poll(bad, 60_000, types=[bad])
    assert lease is not None
    live.store.fail("J7", lease.token, bad, permanent=True)
    expect(page.locator("#row-J7")).to_contain_text(bad)
    page.goto(f"{live.url}/jobs/J7")
    expect(page.locator("#payload")).to_have_text(bad)
    assert page.evaluate("window.__x") is None


def test_everything_can_be_done_without_scripts(plain: Page, live: LiveSite) -> None:
    """Submit, filter, cancel, pause, resume, redrive one and many: each is announced, done, and said."""
    notice = plain.locator("#notice")
    plain.goto(f"{live.url}/")
    plain.get_by_role("link", name="Submit a job").click()
    plain.get_by_label("Type", exact=True).fill("fax")
    plain.get_by_role("button", name="Submit").click()
    expect(notice).to_have_text("J7 is submitted.")
    plain.get_by_role("button", name="Cancel J7").click()
    expect(notice).to_have_text("J7 is cancelled.")
    plain.get_by_role("link", name="Jobs", exact=True).click()
    plain.get_by_label("Type", exact=True).fill("invoice")
    plain.get_by_role("button", name="Show").click()
    plain.get_by_role("button", name="cancel J5").click()
    expect(notice).to_have_text("J5 is cancelled.")
    expect(plain.get_by_label("Type", exact=True)).to_have_value("invoice")
    plain.get_by_role("link", name="Overview").click()
    plain.get_by_role("button", name="pause mail").click()
    expect(notice).to_contain_text("Type mail is paused")
    plain.get_by_role("button", name="resume mail").click()
    expect(notice).to_have_text("Type mail is resumed.")
    plain.get_by_role("link", name="Dead letters").click()
    plain.get_by_label("J1").check()
    plain.get_by_role("button", name="Redrive selected").click()
    heading = plain.get_by_role("heading", level=1)
    expect(heading).to_have_text("This dead letter can't be redriven here")
    plain.get_by_role("link", name="Back to the dead letters").click()
    plain.get_by_role("link", name="J1").first.click()
    plain.get_by_label("Why").fill("mended")
    plain.get_by_label("Redrive it unchanged").check()
    plain.get_by_role("button", name="Redrive J1").click()
    expect(notice).to_have_text("J1 is redriven, with a new set of attempts.")
    assert live.store.view("J1").status == "PENDING"
    loose = plain.locator("button:visible:not(form button)")
    expect(loose).to_have_count(0)


def test_it_can_be_used_by_keyboard_alone(page: Page, live: LiveSite) -> None:
    """From the list to a cancelled job, with tab and enter."""
    page.goto(f"{live.url}/jobs?type=invoice")
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('td button')"):
            break
    page.keyboard.press("Enter")
    expect(page.locator("#notice")).to_have_text("J6 is cancelled.")
