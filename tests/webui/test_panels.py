"""Lamps, one job's story, a window of time, and the right queue beside a flawed one, as pages show them."""

from __future__ import annotations

import inspect
import re
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from jobqueue import JobStatus
from jobqueue.simulation import SCENARIOS, World
from jobqueue.simulation.invariants import INVARIANTS
from tests.webui.asking import HTMX, BoardClient, Parsed, dump, words
from webui.board.look import Look
from webui.board.panels import why_of

if TYPE_CHECKING:
    from flask import Flask

FLAWED = [name for name, scenario in SCENARIOS.items() if scenario.flaw is not None]
RIGHT = [name for name in SCENARIOS if name not in FLAWED]


def opened(app: Flask, name: str, at: int) -> BoardClient:
    """Return a board of a scenario that stands at an instant."""
    board = BoardClient(app, name)
    board.lab.world.advance_to(at)
    return board


def looked(board: BoardClient, query: str, headers: dict[str, str] | None = None) -> str:
    """Return the board for somebody who looks at something."""
    answer = board.client.get(f"{board.url}?{query}", headers=headers or {})
    assert answer.status_code == 200
    return answer.text


def story_of(html: str) -> str:
    """Return the words of the panel with one job's story."""
    found = re.search(r'<section id="why".*?</section>', html, re.DOTALL)
    assert found is not None
    return words(found[0])


def lamps(html: str) -> dict[str, tuple[str, str]]:
    """Return state and words of each lamp by its name."""
    found = re.findall(r'<li class="lamp lamp-(\w+)" id="lamp-(\w+)"[^>]*>(.*?)</li>', html, re.DOTALL)
    return {name: (state, words(f"<div>{inside}</div>")) for state, name, inside in found}


# -- lamps -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RIGHT)
def test_no_lamp_is_red_on_a_board_of_the_right_queue(app: Flask, name: str) -> None:
    """At the beginning, in the middle and at the end there is a lamp for each invariant, none broken."""
    board = BoardClient(app, name)
    for at in (0, SCENARIOS[name].teaser_at, 200_000):
        board.lab.world.advance_to(max(at, board.lab.world.now()))
        shown = lamps(board.page())
        assert set(shown) == {one.name for one in INVARIANTS}
        assert {state for state, _ in shown.values()} <= {"holds", "none"}


@pytest.mark.parametrize("name", [name for name in FLAWED if SCENARIOS[name].flaw.lamp])  # type: ignore[union-attr]
def test_the_lamp_of_a_flaw_is_red_and_says_why(app: Flask, name: str) -> None:
    """It has a sign and a sentence beside its colour, and leads to the event in the log."""
    board = opened(app, name, 100_000)
    html, flaw = board.page(), SCENARIOS[name].flaw
    state, told = lamps(html)[flaw.lamp]  # type: ignore[union-attr]
    assert state == "broken"
    first = next(v for v in board.lab.world.watch.violations if v.invariant.name == flaw.lamp)  # type: ignore[union-attr]
    assert first.sentence.replace("\N{NO-BREAK SPACE}", " ") in told.replace("\N{NO-BREAK SPACE}", " ")
    page = Parsed(html)
    for link in {a["href"] for a in page.all("a") if "#e" in a["href"]}:
        assert page.ids[link.partition("#")[2]] == 1


def test_a_lamp_goes_red_at_its_step(app: Flask) -> None:
    """Just before 35.0 s all is well; at 35.0 s the zombie is believed."""
    board = opened(app, "flawed_by_id", 34_999)
    assert lamps(board.page())["current_lease"][0] == "holds"
    html = board.do("step")
    assert board.lab.world.now() == 35_000
    state, told = lamps(html)["current_lease"]
    assert (state, told[:1]) == ("broken", "✗")
    assert "the current lease is J1:2, held by B" in told


def test_an_event_that_is_too_old_for_the_log_is_named_without_a_link(app: Flask) -> None:
    """The log shows the newest only; a link into nothing would be dead."""
    board = opened(app, "flawed_credit", 100_000)
    html = board.page()
    targets = {a["href"].partition("#")[2] for a in Parsed(html).all("a") if "#e" in a["href"]}
    assert all(Parsed(html).ids[target] == 1 for target in targets)
    assert "event" in lamps(html)["tenants_take_turns"][1]


# -- the right queue beside ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FLAWED)
def test_the_right_queue_stands_beside_a_flawed_one(app: Flask, name: str) -> None:
    """What happens here and there where they part, both methods, and links to where they stand."""
    board = opened(app, name, 100_000)
    html, flaw = board.page(), SCENARIOS[name].flaw
    page = Parsed(html)
    assert "In the right queue" in page.text
    assert flaw is not None
    methods = (flaw.wrong, flaw.right)
    for method in methods:
        assert dedent(inspect.getsource(method)).strip() in page.text
    places = re.findall(r'<dt>(?:wrong|right), in <a href="([^"#]+)#L(\d+)"', html)
    assert len(places) == 2
    for (address, number), method in zip(places, methods, strict=True):
        code = board.client.get(address)
        assert code.status_code == 200
        shown = re.search(rf'<li id="L{number}"><code>(.*?)</code>', code.text)
        assert shown is not None
        assert f"def {method.__name__}(" in Parsed(f"<p>{shown[1]}</p>").text


def test_nothing_differs_before_it_differs(app: Flask) -> None:
    """At the beginning a flawed queue is as good as the right one; the right one has nothing beside it."""
    assert "Until now nothing differs" in opened(app, "flawed_by_id", 500).page()
    assert 'id="beside"' not in opened(app, "zombie", 500).page()


# -- one job ---------------------------------------------------------------------------------------------


def test_a_jobs_id_leads_to_its_story(app: Flask) -> None:
    """Each card has a link that works without scripts; following it changes nothing."""
    board = opened(app, "zombie", 35_500)
    links = {a["href"] for a in Parsed(board.page()).all("a") if a.get("class") == "job-id"}
    assert links == {f"{board.url}?s={board.lab.code()}&job=J1#why"}
    before = dump(board.lab)
    html = looked(board, "job=J1")
    assert dump(board.lab) == before
    told = story_of(html)
    assert "it is RUNNING: held by B until 61.0 s" in told
    assert "61.0 sits lease ends, unless it is renewed or reported before" in told
    assert "expiredlease expired" in told
    assert "The way of J1 through its states: 0.0 s submit, PENDING" in told


def test_the_story_stays_open_while_things_are_done(app: Flask) -> None:
    """A fragment is told what the page looks at; without scripts the way back leads there."""
    board = opened(app, "zombie", 1000)
    assert 'id="why"' in board.do("step", look="job=J1")
    assert 'id="why"' not in board.do("step")
    by_header = board.client.post(f"{board.url}/step", headers=HTMX | {"HX-Current-URL": f"{board.url}?job=J1"})
    assert 'id="why"' in by_header.text
    answer = board.client.post(f"{board.url}/step", headers={"Referer": f"http://localhost{board.url}?job=J1"})
    assert answer.headers["Location"] == f"{board.url}?s={board.lab.code()}&job=J1"


@pytest.mark.parametrize("job", ["J9", "J0", "x", "<b>", "J1'", "J" + "9" * 400, ""])
def test_a_job_that_is_not_there_is_not_shown(app: Flask, job: str) -> None:
    """The page is the one without a story, and the text is nowhere in it."""
    board = opened(app, "zombie", 1000)
    answer = board.client.get(board.url, query_string={"job": job})
    assert answer.status_code == 200
    assert 'id="why"' not in answer.text
    assert "<b>'" not in answer.text


def test_what_time_will_do_is_told_for_each_state(app: Flask) -> None:
    """A lease, a due time, a deadline, an age; nothing for a job that has ended."""

    def coming(name: str, at: int, job: str) -> list[tuple[str, str]]:
        return why_of(opened(app, name, at).lab.world, job).coming  # type: ignore[union-attr]

    assert coming("zombie", 1000, "J1")[0][0] == "30.0 s"
    assert coming("zombie", 60_000, "J1") == []
    assert coming("backoff", 600, "J1") == [("1.5 s", "it is ready")]
    assert [at for at, _ in coming("deadline", 1000, "J1")] == ["10.0 s"]
    assert coming("aging", 100, "J1") == [("6.0 s", "it counts as one of band N")]


def test_a_long_history_is_cut(app: Flask) -> None:
    """The newest fifty attempts are shown, and how many there were before."""
    board = BoardClient(app, "zombie")
    queue = board.lab.world.queue
    queue.release("J1", "J1:1")
    for number in range(1, 70):
        lease = queue.poll("A", 1000)
        queue.release(lease.job_id, lease.token)  # type: ignore[union-attr]
        assert queue.view("J1").generation == number + 1
    html = looked(board, "job=J1")
    assert "and 20 before" in story_of(html)


# -- a window of time ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "look"),
    [
        ("job=J3&from=1.5&to=20", Look("J3", 1500, 20_000)),
        ("from=5&to=5", Look()),
        ("from=-1&to=1e9", Look()),
        ("from=" + "9" * 500, Look()),
        ("from=٣", Look()),  # digits, but no number of ours
        ("to=3.0001", Look()),
        ("", Look()),
    ],
)
def test_a_look_is_read_from_an_address(query: str, look: Look) -> None:
    """What cannot be read counts as not said; what was read can be said again."""
    assert Look.of_address(f"http://x/labs/y?{query}") == look
    assert Look.of_address(str(look)) == look


def test_a_window_shows_a_part_of_the_timeline(app: Flask) -> None:
    """From 30 s to 36 s: the end of A's lease and the refusal, but no second job."""
    board = opened(app, "zombie", 60_000)
    html = looked(board, "from=30&to=35.5")
    titles = re.findall(r"<title>(Timeline [^<]*)</title>", html)
    assert titles[0].startswith("Timeline from 30.0 s to 35.5 s: A holds J1 from 0.0 s")
    assert "J2" not in titles[0]
    assert "A is refused at 35.0 s" in titles[0]
    fields = {i["name"]: i["value"] for i in Parsed(html).all("input") if i["name"] in {"from", "to"}}
    assert fields == {"from": "30", "to": "35.5"}


def test_the_timeline_is_there_as_a_file(app: Flask) -> None:
    """As a picture that stands alone, allowed its own style and nothing else, and as text."""
    board = opened(app, "zombie", 60_000)
    picture = board.client.get(f"{board.url}/timeline.svg?from=30&to=36")
    assert picture.mimetype == "image/svg+xml"
    assert picture.text.startswith("<svg ")
    assert "<style>" in picture.text
    assert re.fullmatch(
        r"default-src 'none'; style-src 'sha256-[\w+/]+='", picture.headers["Content-Security-Policy"]
    )
    text = board.client.get(f"{board.url}/timeline.txt").text
    assert (
        "0.0 s  holds J1, attempt 1, token J1:1, expired at 30.0 s; works on as a zombie until 35.0 s" in text
    )
    assert "35.0 s  is refused with J1" in text
    assert board.client.get(f"{board.url}/timeline.pdf").status_code == 404
    assert board.client.get("/labs/zombie-gone/timeline.svg").status_code == 410


def test_the_charts_are_there_as_files(app: Flask) -> None:
    """Share by band and ready age, each by its number."""
    board = opened(app, "hhhnnl", 9000)
    links = [a["href"] for a in Parsed(board.page()).all("a") if "/chart-" in a["href"]]
    assert len(links) == 2
    for link in links:
        answer = board.client.get(link)
        assert (answer.status_code, answer.mimetype) == (200, "image/svg+xml")
        assert "<style>" in answer.text
    assert board.client.get(f"{board.url}/chart-3.svg").status_code == 404


# -- cases from the field --------------------------------------------------------------------------------


def test_a_letter_that_died_by_expiry_says_since_when() -> None:
    """Leased until 5.0 s with one attempt allowed, noticed at 60.0 s: dead for 55.0 s, not just now."""
    from dataclasses import replace  # noqa: PLC0415

    from jobqueue import RetryPolicy  # noqa: PLC0415
    from webui.board.lanes import Lanes  # noqa: PLC0415

    story = replace(SCENARIOS["late_poll"], policy=RetryPolicy(1, 1000, 60_000))
    world = World(story)
    world.advance_to(0)
    world.engine.run_until(60_000)  # nobody looks meanwhile
    job = world.queue.view("J1")
    told = (job.status, job.failed_at, job.dead_reason, job.last_error)
    assert told == (JobStatus.DEAD, 5000, "attempts_exhausted", "lease expired")
    assert "dead for 55.0 s" in Lanes(world, world.jobs()).dead()[0].why


@pytest.mark.parametrize("name", ["borrowing", "aging", "retry_storm_budget", "band_limit", "fair_neighbours"])
def test_the_list_of_the_next_is_what_polls_hand_out(app: Flask, name: str) -> None:
    """With borrowing, aging, a budget, a limit, tenants: the very order of the polls that follow."""
    board = opened(app, name, SCENARIOS[name].teaser_at)
    html = board.page()
    listed = re.findall(r'<ol class="next-up">(.*?)</ol>', html, re.DOTALL)
    shown = re.findall(r">(J\d+)<", listed[0]) if listed else []
    queue = board.lab.world.queue
    leases = [queue.poll("w", 1000) for _ in range(12)]
    assert [lease.job_id for lease in leases if lease] == shown


@pytest.mark.parametrize("error", ["<script>window.__x=1</script>", "\"'><img src=x onerror=alert(1)>"])
def test_an_error_of_a_worker_is_text_in_every_place(app: Flask, error: str) -> None:
    """On the card, in the log, in the story of the job, in the files."""
    board = BoardClient(app, "zombie")
    board.lab.world.queue.fail("J1", "J1:1", error)
    pages = [looked(board, "job=J1"), looked(board, "job=J1", HTMX)]
    for html in pages:
        assert Parsed(html).text.count(error) >= 3
        assert error not in html
    assert error not in board.client.get(f"{board.url}/timeline.svg").text
