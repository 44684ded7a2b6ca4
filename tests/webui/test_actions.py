"""What the buttons do, what they refuse, and that the page says why."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from jobqueue.simulation import SCENARIOS
from tests.sampling import one_in
from tests.webui.asking import HTMX, BoardClient, Parsed, dump, is_refusal, next_of, notice_of, over_of, words
from webui.board.labs import SPEEDS

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient


def test_opening_a_board_leads_to_its_page(client: FlaskClient) -> None:
    """303 to an address of its own that begins with the scenario's name and cannot be guessed."""
    places = {client.post("/scenarios/backoff/labs").headers["Location"] for _ in range(5)}
    assert len(places) == 5
    assert all(place.startswith("/labs/backoff-") and len(place) > 24 for place in places)
    assert client.post("/scenarios/nothing/labs").status_code == 404


def test_a_step_goes_to_the_next_event_and_a_second_is_a_second(board: BoardClient) -> None:
    """0.0 -> 1.0 (A freezes) -> 2.0 by the second -> 30.0 (the lease ends)."""
    assert "freezes with J1 in hand" in words(board.do("step"))
    assert board.lab.world.now() == 1000
    board.do("second")
    assert board.lab.world.now() == 2000
    assert "the lease of J1 held by A is over" in words(board.do("step"))
    assert board.lab.world.now() == 30_000


@pytest.mark.parametrize("verb", ["step", "second", "pause", "reset"])
def test_moving_time_by_hand_ends_the_playing(board: BoardClient, verb: str) -> None:
    """A paused board asks for nothing: no tick, no next instant."""
    assert "hx-trigger" in board.do("play", speed="5")
    html = board.do(verb)
    assert not board.lab.playing
    assert "hx-trigger" not in html
    assert "data-next" not in html


@pytest.mark.parametrize(("name", "rate"), SPEEDS.items())
def test_each_speed_plays(board: BoardClient, name: str, rate: float) -> None:
    """The page learns the rate, and when to ask again: the event at 1.0 s, never sooner than 80 ms."""
    html = board.do("play", speed=name)
    root = Parsed(html).elements[0][1]
    assert (root["data-rate"], root["data-now"], root["data-next"]) == (str(rate), "0", "1000")
    assert f"load delay:{max(80, round(1000 / rate))}ms" in html
    assert f'value="{name}" id="speed-{name}"' in html


def test_an_unknown_speed_is_refused(board: BoardClient) -> None:
    """The page names the speeds, and the board stays paused."""
    html = board.do("play", speed="1000000")
    assert is_refusal(html)
    assert notice_of(html) == "There is no such speed; there are quarter, 1, 5, 20, 50."
    assert not board.lab.playing


def test_playing_on_uses_the_speed_from_before(board: BoardClient) -> None:
    """The play button alone has no speed; the chosen one stays."""
    board.do("play", speed="20")
    board.do("pause")
    board.do("play")
    assert (board.lab.playing, board.lab.speed) == (True, "20")


def test_a_reset_begins_again(board: BoardClient) -> None:
    """As on the first day, whatever had happened."""
    first = dump(board.lab)["entries"]
    for verb in ("step", "step", "step"):
        board.do(verb)
    board.do("submit", type="mail")
    board.do("reset")
    assert board.lab.world.now() == 0
    assert dump(board.lab)["entries"] == first


def test_a_step_past_the_end_says_that_all_is_over(app: Flask) -> None:
    """No notice, no change of time, and words beside the clock about what to do."""
    board = BoardClient(app, "zombie")
    assert next_of(board.page()) == "next event at 1.0 s"
    for _ in range(30):
        html = board.do("step")
    assert over_of(html).startswith("Every job has ended")
    assert (notice_of(html), next_of(html)) == ("", "")
    assert board.lab.world.now() == 41_000
    html = board.do("play", speed="1")
    assert over_of(html).startswith("Every job has ended")
    assert notice_of(html) == ""
    assert not board.lab.playing


def test_a_board_whose_workers_are_all_away_says_who_could_help(app: Flask) -> None:
    """A ready job and nobody awake: the page names the job that is next."""
    board = BoardClient(app, "backoff")
    board.do("crash", target="A")
    for _ in range(30):
        html = board.do("step")
    assert over_of(html) == "J2 is next, but no worker is awake to ask for it. Wake or restart one."


def test_a_board_whose_jobs_are_kept_back_says_by_what(app: Flask) -> None:
    """All that is ready is paused: the steps come to an end, and the reason stands beside the clock."""
    board = BoardClient(app, "starvation")
    board.do("pause_type", target="report")
    for _ in range(200):
        html = board.do("step")
        if over_of(html):
            break
    assert over_of(html) == "J1 is ready, but kept back: type report is paused."
    assert next_of(board.do("resume_type", target="report")).startswith("next event at")
    assert over_of(board.do("play", speed="50")) == ""


@pytest.mark.parametrize(
    ("verbs", "state"),
    [
        (["crash"], "crashed"),
        (["crash", "restart"], "idle"),
        (["freeze"], "frozen"),
        (["freeze", "thaw"], "working"),
    ],
)
def test_a_worker_is_poked(board: BoardClient, verbs: list[str], state: str) -> None:
    """It happens at once, and is said."""
    for verb in verbs:
        html = board.do(verb, target="A")
    assert board.lab.world.workers["A"].state == state
    assert notice_of(html).startswith("A ")
    assert not is_refusal(html)


@pytest.mark.parametrize(
    ("before", "verb"),
    [
        ([], "thaw"),
        ([], "restart"),
        (["freeze"], "freeze"),
        (["crash"], "crash"),
        (["crash"], "freeze"),
        (["crash"], "thaw"),
    ],
)
def test_what_does_nothing_is_not_said_to_be_done(board: BoardClient, before: list[str], verb: str) -> None:
    """A worker that cannot be woken, killed or frozen now is no success; the page says why."""
    for earlier in before:
        board.do(earlier, target="A")
    seen = dump(board.lab)["workers"]
    html = board.do(verb, target="A")
    assert dump(board.lab)["workers"] == seen
    assert is_refusal(html), notice_of(html)


@pytest.mark.parametrize("verb", ["crash", "restart", "freeze", "thaw"])
@pytest.mark.parametrize("target", ["", "Z", "a", "A "])
def test_a_worker_that_is_not_there_is_refused(board: BoardClient, verb: str, target: str) -> None:
    """The page names those that are."""
    before = dump(board.lab)["entries"]
    html = board.do(verb, target=target)
    assert is_refusal(html)
    assert "there are A, B" in notice_of(html)
    assert dump(board.lab)["entries"] == before


@pytest.mark.parametrize(
    ("verb", "target", "text"),
    [
        ("cancel", "J1", "it is RUNNING, and only a PENDING job allows that"),
        ("redrive", "J1", "it is RUNNING, and only a DEAD job can be brought back"),
        ("cancel", "J9", "no job has the id 'J9'"),
        ("redrive", "", "no job has the id ''"),
        ("pause_type", "", "type: is blank, expected 1 to 200 characters"),
        ("pause_type", "x" * 201, "type: has 201 characters, expected 1 to 200"),
        ("resume_type", "a\0b", "type: contains a NUL character"),
    ],
)
def test_a_refused_action_says_why(board: BoardClient, verb: str, target: str, text: str) -> None:
    """The queue's own words, as an alert, and the board is still there."""
    html = board.do(verb, target=target)
    assert is_refusal(html)
    assert text in notice_of(html)
    assert "card lane" in html


def test_a_notice_is_gone_after_the_next_action(board: BoardClient) -> None:
    """It is about the last action, not about all before."""
    board.do("cancel", target="J1")
    assert notice_of(board.do("step")) == ""


def test_submit_cancel_and_redrive_do_what_they_say(app: Flask) -> None:
    """A job comes in and is taken back; a dead letter comes back to life."""
    board = BoardClient(app, "crash_loop")
    html = board.do("submit", type="mail", payload="hi", priority="-3", delay="2.5")
    assert (notice_of(html), is_refusal(html)) == ("J2 is submitted.", False)
    job = board.lab.world.queue.view("J2")
    assert (job.type, job.priority, job.next_run_at) == ("mail", -3, 2500)
    assert not is_refusal(board.do("cancel", target="J2"))
    assert "Cancelled" in words(board.page())
    while board.lab.world.queue.view("J1").status != "DEAD":
        board.do("step")
    assert 'id="redrive-J1"' in board.page()
    assert notice_of(board.do("redrive", target="J1")).startswith("J1 ")
    assert board.lab.world.queue.view("J1").status == "PENDING"


def test_a_scenario_survives_what_a_learner_changes_in_it(app: Flask) -> None:
    """The story cancels J5 at 9.0 s; who cancels it first can step on, and play on."""
    board = BoardClient(app, "life_of_a_job")
    board.lab.world.advance_to(2000)
    board.do("cancel", target="J5")
    for _ in range(40):
        board.do("step")
    assert board.lab.world.queue.view("J4").status == "SUCCEEDED"


def test_an_action_that_does_not_exist_changes_nothing(board: BoardClient) -> None:
    """404 as a friendly fragment."""
    board.do("play", speed="1")
    before = dump(board.lab)
    for verb in ("explode", "advance_to", "note", "__init__", "_worker", "jobs"):
        answer = board.answer(verb, target="A", shown="500")
        assert answer.status_code == 404
        assert "no such action" in Parsed(answer.text).text
    assert dump(board.lab) == before


def test_without_script_an_action_leads_back_to_the_page(board: BoardClient) -> None:
    """303, and what was said is on the page that follows, for a refusal too."""
    answer = board.client.post(f"{board.url}/step")
    assert (answer.status_code, answer.headers["Location"].split("?")[0]) == (303, board.url)
    board.client.post(f"{board.url}/cancel", data={"target": "J1"})
    assert is_refusal(board.page())


@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "htmx"])
@pytest.mark.parametrize("verb", ["", "/step", "/tick", "/submit"])
def test_a_board_that_was_dropped_has_a_way_on(client: FlaskClient, verb: str, headers: dict[str, str]) -> None:
    """410: what happened, a new board of the same scenario, and the gallery."""
    url = f"/labs/zombie-gone{verb}"
    answer = client.post(url, headers=headers) if verb else client.get(url, headers=headers)
    assert answer.status_code == 410
    page = Parsed(answer.text)
    assert "This board is no longer here" in page.text
    assert [form["action"] for form in page.all("form")] == ["/scenarios/zombie/labs"]
    assert {"href": "/"} in page.all("a")
    assert (page.all("html") == []) is (headers == HTMX)
    if headers:
        assert page.elements[0][1]["id"] == "problem"


def test_a_lost_board_of_no_scenario_leads_to_the_gallery(client: FlaskClient) -> None:
    """An address that never was has no scenario to offer."""
    page = Parsed(client.get("/labs/what-is-this").text)
    assert page.all("form") == []
    assert {"href": "/"} in page.all("a")


@pytest.mark.parametrize("name", one_in(4, SCENARIOS))
def test_every_job_is_on_one_card_whatever_befalls_the_workers(app: Flask, name: str) -> None:
    """Crash, restart and submit as one may: no job is missing from the lanes, none is there twice."""
    board = BoardClient(app, name)
    for priority in ("0", "5"):
        board.do("submit", type="mail", priority=priority)
        board.do("crash", target="A")
        board.do("restart", target="A")
        html = board.do("second")
        cards = sorted(a["id"] for a in Parsed(html).all("article"))
        assert cards == sorted(f"job-{job.id}" for job in board.lab.world.jobs())
