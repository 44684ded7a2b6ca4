"""What the live pages show: everything that is there, as text, quickly, and never too much of it."""

from __future__ import annotations

import re
import time
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jobqueue import JobQueue, ManualClock, RetryPolicy, WeightedBands
from tests.live.conftest import BEGIN, Live
from tests.webui.asking import Parsed, spaced, words
from webui.live.instants import iso, span, utc
from webui.live.presenters import ATTEMPTS_ON_PAGE, attempts_page, counted

PATHS = ["/", "/jobs", "/jobs?status=DEAD", "/dead", "/jobs/J1", "/submit"]


@pytest.mark.parametrize("path", PATHS)
def test_every_page_is_whole(live: Any, path: Any) -> None:
    """Well-formed, each id once, whole page and fragment alike, with jobs and without."""
    for _ in range(2):
        html = live.page(path, 404 if path == "/jobs/J1" and not live.store.list_jobs() else 200)
        assert set(Parsed(html).ids.values()) <= {1}
        fragment = live.client.get(f"/live{path}", headers={"HX-Request": "true"}).text
        assert "<html" not in fragment or path == "/submit"
        live.dead(3)
        live.store.submit("mail")
        live.store.poll("worker one", 60_000)
        live.store.submit("invoice", run_at_millis=BEGIN + 5000)


def test_the_overview_says_how_it_stands(live: Any) -> None:
    """Counts, bands, tenants, workers with their leases, and attempts and jobs told apart."""
    for _ in range(2):
        live.store.complete(live.store.submit("mail"), live.store.poll("w", 1000).token)
    job_id = live.store.submit("mail", tenant="acme", priority=5)
    live.store.poll("worker one", 60_000)
    live.clock.advance(12_000)
    live.store.submit("mail", tenant="bo")
    live.clock.advance(3000)
    text = spaced(live.page())
    assert "1 PENDING 1 RUNNING 2 SUCCEEDED 0 DEAD" in text
    assert re.search(rf"Workers 1 working W worker one working {job_id} mail attempt 1", text)
    assert "45 s of lease left" in text
    assert "H high 1 - 50%" in text
    assert "bo 1 live, oldest ready 3.0 s" in text
    assert "attempts that succeeded 2 of 3 attempts" in text
    assert "jobs that succeeded 2 of 2 finished jobs" in text


def test_an_error_that_is_over_raises_no_alarm(clock: ManualClock) -> None:
    """A job that failed once and then succeeded shows its old error, but not as one; one that waits does."""
    live = Live(JobQueue(clock, RetryPolicy(3, 0, 0)), clock)
    for _ in range(2):
        job_id = live.store.submit("mail")
        live.store.fail(job_id, live.store.poll("w", 1000).token, "no route to host")
        if job_id == "J1":
            live.store.complete(job_id, live.store.poll("w", 1000).token)
    cells = [a["class"] for a in Parsed(live.page("/jobs")).all("td") if a.get("class", "").startswith("word ")]
    assert cells == ["word error", "word faint"]
    assert "Last error, before it succeeded" in spaced(live.page("/jobs/J1"))
    assert not [a for a in Parsed(live.page("/jobs/J1")).all("pre") if "error" in a["class"].split()]


def test_the_page_of_dead_letters_keeps_itself_up_to_date(live: Any) -> None:
    """It asks for itself like the others."""
    live.dead(1)
    (part,) = (a for _, a in Parsed(live.page("/dead?tenant=default")).elements if a.get("id") == "live")
    assert part["hx-get"] == "/live/dead?tenant=default"


def test_attempts_and_jobs_are_not_mixed_up(clock: ManualClock) -> None:
    """Two succeed at once, one at its third attempt: 3 of 5 attempts, 3 of 3 jobs, nothing dead."""
    live = Live(JobQueue(clock, RetryPolicy(3, 0, 0)), clock)
    for fails in (0, 0, 2):
        live.store.submit("mail")
        for _ in range(fails):
            lease = live.store.poll("w", 1000)
            live.store.fail(lease.job_id, lease.token)
        lease = live.store.poll("w", 1000)
        live.store.complete(lease.job_id, lease.token)
    text = spaced(live.page())
    assert "attempts that succeeded 3 of 5 attempts" in text
    assert "jobs that succeeded 3 of 3 finished jobs" in text
    assert "attempts that failed 2 " in text
    assert "0 DEAD" in text


def test_the_next_hand_outs_are_what_polls_hand_out(live: Any) -> None:
    """The list on the page, then as many polls with the clock standing still."""
    for number in range(30):
        live.store.submit("mail", priority=number % 3 - 1, tenant="abc"[number % 3 or number % 2])
    shown = re.search(r'<ol class="next-up">(.*?)</ol>', live.page(), re.DOTALL)[1]  # type: ignore[index]
    ids = re.findall(r">(J\d+)<", shown)
    assert ids == [lease.job_id for lease in live.store.poll_many("w", 1000, 20)]


def test_a_death_is_as_old_as_it_is(clock: ManualClock) -> None:
    """Its lease ended at 5 s, and the first who looks comes at 60 s: dead for 55 s."""
    live = Live(JobQueue(clock, RetryPolicy(1, 1000, 60_000)), clock)
    live.store.submit("mail")
    live.store.poll("w", 5000)
    clock.advance(60_000)
    assert "attempts exhausted, 55 s ago" in words(live.page("/dead"))
    assert "lease expired" in words(live.page("/jobs/J1"))


def test_a_list_loads_no_payload_and_a_page_only_its_beginning(
    live: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """50 jobs of 3 MB: the list is small and asks for no payload; the job's page is cut, the file whole."""
    for number in range(50):
        live.store.submit("mail", f"{number:06}" + "x" * 3_000_000)
    asked = []
    payload = live.store.payload
    monkeypatch.setattr(live.store, "payload", lambda job_id: asked.append(job_id) or payload(job_id))  # type: ignore[func-returns-value]
    began = time.perf_counter()
    html = live.page("/jobs")
    assert time.perf_counter() - began < 1
    assert len(html) < 200_000
    assert asked == []
    page = live.page("/jobs/J7")
    assert 64 * 1024 < len(page) < 64 * 1024 + 40_000
    assert "3,000,006 characters" in page
    answer = live.client.get("/live/jobs/J7/payload")
    assert answer.text == payload("J7")
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert answer.headers["Content-Type"] == "text/plain; charset=utf-8", "said once"


def test_digits_stay_as_they_are(live: Any) -> None:
    """What is shown and what is downloaded are the payload's own digits."""
    payload = '{"id": 1970670598291982290, "x": 9007199254740993, "d": 0.1, "e": 1e2}'
    live.store.submit("mail", payload)
    assert payload in Parsed(live.page("/jobs/J1")).text
    assert live.client.get("/live/jobs/J1/payload").text == payload


def test_a_job_of_ten_thousand_attempts(clock: ManualClock) -> None:
    """Its page is small and quick: the first attempt, the last fifty, and a pager to all others."""
    live = Live(JobQueue(clock, RetryPolicy(10**6, 0, 0)), clock)
    live.store.submit("mail")
    for _ in range(10_000):
        lease = live.store.poll("w", 1000)
        live.store.fail("J1", lease.token, "no route to host, not now and not in a while " * 3)
    began = time.perf_counter()
    html = live.page("/jobs/J1")
    assert time.perf_counter() - began < 1
    assert len(html) < 300_000
    text = spaced(html)
    assert "Attempts 10,000" in text
    assert "page 200 of 200" in text
    for token in ("J1:1 ", "J1:9951 ", "J1:10000 "):
        assert token in text
    assert "J1:9950 " not in text
    assert "J1:4951 " in spaced(live.page("/jobs/J1?attempts=100"))
    for page in ("0", "-1", "abc", "9" * 10_000, "NaN", "1e9", "201"):
        assert len(live.page(f"/jobs/J1?attempts={page}")) < 300_000


@pytest.mark.parametrize("total", [0, 1, 49, 50, 51, 100, 101, 149])
def test_pages_of_attempts_leave_none_out(total: Any) -> None:
    """Every attempt is on one page, and the last page is a full one."""
    history = list(range(total))
    pages = attempts_page(history, None).pages  # type: ignore[arg-type]
    rows = [row for number in range(1, pages + 1) for row in attempts_page(history, number).rows]  # type: ignore[arg-type]
    assert rows == history  # type: ignore[comparison-overlap]
    assert len(attempts_page(history, None).rows) == min(total, ATTEMPTS_ON_PAGE)  # type: ignore[arg-type]


def test_lists_are_pages_by_key(live: Any) -> None:
    """Older jobs come after a key, whatever is submitted meanwhile; filters are part of every address."""
    for number in range(120):
        live.store.submit("mail", tenant="ab"[number % 2])
    html = live.page("/jobs?tenant=a")
    seen = []
    while True:
        seen += re.findall(r'id="row-(J\d+)"', html)
        live.store.submit("mail", tenant="a")
        older = re.search(r'href="/live(/jobs\?[^"]+)" rel="next"', html)
        if older is None:
            break
        html = live.page(older[1].replace("&amp;", "&"))
    assert seen == [f"J{n}" for n in range(119, 0, -2)]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("status=DEAD", ["J2", "J1"]),
        ("status=dead", ["J5", "J4", "J3", "J2", "J1"]),
        ("tenant=bo", ["J4"]),
        ("type=invoice", ["J5"]),
        ("q=route", ["J2", "J1"]),
        ("q=J4", ["J4"]),
        ("q=%20J4%20", ["J4"]),
        ("tenant=bo&status=DEAD", []),
        ("q=" + "x" * 5000, []),
        ("status=PENDING&after=J5", ["J4", "J3"]),
        ("unknown=1", ["J5", "J4", "J3", "J2", "J1"]),
    ],
)
def test_filters_are_addresses(live: Any, query: Any, expected: Any) -> None:
    """What fits is shown, newest first; what makes no sense filters or finds nothing, and is no fault."""
    live.dead(2)
    live.store.submit("mail")
    live.store.submit("mail", tenant="bo")
    live.store.submit("invoice")
    assert re.findall(r'id="row-(J\d+)"', live.page(f"/jobs?{query}")) == expected


@pytest.mark.parametrize("query", ["q=%00", "type=a%00", "tenant=%00&status=DEAD"])
def test_a_filter_that_no_text_could_fit_is_a_friendly_400(live: Any, query: Any) -> None:
    """Were it passed over, more would be shown than was asked for, and perhaps acted on."""
    live.dead(1)
    assert "NUL character" in words(live.page(f"/jobs?{query}", 400))
    answer = live.client.post("/live/dead/confirm", data={"which": "all", "tenant": "\0"})
    assert answer.status_code == 400


@pytest.mark.parametrize(
    "query",
    [
        "after=J",
        "after=5",
        "after=Jx",
        "after=%00",
        "after=J0",
        "after=J01",
        "after=J99999999999999999",
        "after=" + "9" * 10_000,
    ],
)
def test_a_page_that_is_none_is_a_friendly_400(live: Any, query: Any) -> None:
    """With a way on."""
    assert "no such page" in live.page(f"/jobs?{query}", 400)


HOSTILE = "<script>window.__x=1</script>\"'&{{7*7}}</pre><b onclick=x>"


def filled(text: str) -> Live:
    """Return pages of a queue in which every text that a stranger can choose is this one."""
    clock = ManualClock(BEGIN)
    live = Live(JobQueue(clock, RetryPolicy(1, 0, 0), scheduler=WeightedBands()), clock)
    name = text.strip()[:200] or "x"
    for number in range(6):
        live.store.submit_once(f"{number}{name}"[:200], name, text, tenant=name)
    leases = live.store.poll_many(name, 9000, 5)
    for lease in leases[:2]:
        live.store.fail(lease.job_id, lease.token, text)
    live.store.redrive(leases[1].job_id, actor=name, note=text)
    live.store.complete(leases[2].job_id, leases[2].token, text)
    live.store.pause(name)
    live.service.workers.saw(name)
    return live


SHOWN = ["/", "/jobs", "/dead", "/jobs/J1", "/jobs/J2", "/jobs/J3", "/jobs/J6"]


@cache
def plain_shapes() -> Any:
    plain = filled("plain")
    return {path: Parsed(plain.page(path)).shape for path in SHOWN}


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.sampled_from([HOSTILE, HOSTILE[::-1]])
    | st.text("<>&\"'/=`{}%;()\\\n\t \u202e\u2028x", min_size=1, max_size=40)
)
def test_hostile_text_adds_no_element(text: Any) -> None:
    """Each page has the same elements and attributes as with a plain word in every field."""
    hostile = filled(text)
    for path, shape in plain_shapes().items():
        assert Parsed(hostile.page(path)).shape == shape, path


def test_hostile_text_is_seen_as_text() -> None:
    """On the list and on the job's page, to the letter."""
    live = filled(HOSTILE)
    for path in ("/jobs", "/dead", "/jobs/J1"):
        assert HOSTILE in Parsed(live.page(path)).text
        assert "<script>window" not in live.page(path)
    assert "49" not in words(live.page("/submit"))


def test_instants_are_utc_in_words_and_title(live: Any) -> None:
    """The text is UTC and says so, the machine's form has milliseconds."""
    live.store.submit("mail")
    times = [t for t in Parsed(live.page("/jobs")).all("time") if t["datetime"]]
    assert times[0] == {"datetime": "2021-08-01T13:20:19.000Z", "title": "2021-08-01T13:20:19.000Z"}
    assert "2021-08-01 13:20:19Z" in live.page("/jobs")


@pytest.mark.parametrize(
    ("millis", "text"),
    [
        (0, "1970-01-01 00:00:00Z"),
        (-1, "1969-12-31 23:59:59Z"),
        (2**53 - 1, "9007199254740991 ms"),
        (-(2**53) + 1, "-9007199254740991 ms"),
    ],
)
def test_every_instant_can_be_shown(live: Any, millis: Any, text: Any) -> None:
    """Also where the calendar ends."""
    assert utc(millis) == text
    assert iso(millis) == "" or iso(millis).endswith("Z")
    live.store.submit("mail", run_at_millis=millis)
    assert text in live.page("/jobs/J1")


@pytest.mark.parametrize(
    ("millis", "words_"),
    [
        (0, "0.0 s"),
        (-1500, "-1.5 s"),
        (9999, "9.9 s"),
        (59_999, "59 s"),
        (60_000, "1 min"),
        (61_000, "1 min 1 s"),
        (3_600_000, "1 h"),
        (90_000_000, "1 d 1 h"),
    ],
)
def test_durations_have_two_units(millis: Any, words_: Any) -> None:
    """The two largest, and no zero."""
    assert span(millis) == words_


def test_large_counts_are_capped() -> None:
    """Nobody reads the digits of a million, and a store need not count them."""
    assert [counted(n) for n in (0, 1234, 100_000, 100_001)] == ["0", "1,234", "100,000", "100,000+"]
