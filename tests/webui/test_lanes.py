"""What a board shows beyond the core: who is next and why not, bands, tenants, holds, charts, pauses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from jobqueue.simulation import SCENARIOS
from tests.webui.asking import BoardClient, Parsed, is_refusal, notice_of, words
from webui.board.labs import Lab
from webui.board.view import board_of, charts_of, parameters_of

if TYPE_CHECKING:
    from flask import Flask

    from webui.board.view import Board


def seen(name: str, at: int) -> Board:
    """Return what the board of a scenario shows at an instant."""
    lab = Lab(f"{name}-1", SCENARIOS[name])
    lab.world.advance_to(at)
    return board_of(lab)


def section(html: str, label: str) -> str:
    """Return one labelled part of a board."""
    found = re.search(rf'<section[^>]*aria-label="{label}">.*?</section>', html, re.DOTALL)
    assert found is not None, label
    return found[0]


def cards(html: str) -> list[str]:
    """Return the ids of the cards, top to bottom."""
    return re.findall(r'<article class="job[^"]*" id="job-(J\d+)"', html)


def test_the_ready_lane_is_in_the_order_of_the_hand_outs() -> None:
    """After J9 at 0.0 s the cycle goes on: two high, two normal, one low, three high."""
    board = seen("hhhnnl", 0)
    assert [card.id for card in board.ready][:8] == ["J10", "J11", "J4", "J5", "J1", "J12", "J13", "J14"]
    assert board.next_up == [card.id for card in board.ready][:12]
    assert [card.chip for card in board.ready][:4] == ["next", "2nd", "3rd", "4th"]


@pytest.mark.parametrize("name", SCENARIOS)
def test_ready_jobs_come_first_and_kept_back_ones_last(name: str) -> None:
    """At every event: those that polls would hand out, in that order, then the others, each with a reason."""
    lab = Lab("x-1", SCENARIOS[name])
    while lab.world.step():
        board, queue = board_of(lab), lab.world.queue
        order = queue.next_up(60)
        assert [card.id for card in board.ready][: len(order)] == order
        for card in board.ready[len(order) :]:
            assert card.why.endswith(f"; {queue.why_not(card.id)}")
            assert card.chip in {"kept back", "held: budget"}


def test_a_held_retry_says_budget() -> None:
    """At 9.0 s the retries beyond the first one are held."""
    held = [card for card in seen("retry_storm_budget", 9000).ready if card.chip == "held: budget"]
    assert held
    assert all("budget" in card.why for card in held)


def test_a_job_kept_back_by_a_limit_says_so() -> None:
    """Two reports wait for the one that runs."""
    board = seen("band_limit", 2000)
    assert [(card.id, card.chip) for card in board.ready] == [("J2", "kept back"), ("J3", "kept back")]
    assert all("band L is at its limit, 1 of 1 running" in card.why for card in board.ready)
    assert board.next_up == []


@pytest.mark.parametrize(
    ("at", "band"), [(5999, "L"), (6000, "L, aged to N"), (11_999, "L, aged to N"), (12_000, "L")]
)
def test_an_aged_job_names_both_of_its_bands(at: int, band: str) -> None:
    """Low, normal from 6.0 s on, exact at the instant; once it runs its age is over."""
    board = seen("aging", at)
    every = [*board.ready, *(job for worker in board.workers for job in worker.jobs)]
    assert [card.band for card in every if card.id == "J1"] == [band]


def test_a_job_can_age_up_to_high() -> None:
    """With the worker dead, the low job shows H from 12.0 s on."""
    lab = Lab("aging-1", SCENARIOS["aging"])
    lab.world.advance_to(500)
    lab.world.crash("A")
    lab.world.advance_to(12_000)
    assert [card.band for card in board_of(lab).ready if card.id == "J1"] == ["L, aged to H"]


@pytest.mark.parametrize(("at", "band"), [(3000, "L"), (8999, "L"), (9000, "L, aged to N")])
def test_age_counts_from_being_ready(at: int, band: str) -> None:
    """A low job that is due at 3.0 s counts as normal from 9.0 s on, and not from 6.0 s."""
    lab = Lab("aging-1", SCENARIOS["aging"])
    job_id = lab.world.submit("mail", priority=-1, delay_millis=3000)
    lab.world.advance_to(at)
    assert [card.band for card in board_of(lab).ready if card.id == job_id] == [band]


def test_bands_and_tenants_are_shown_only_where_they_mean_something() -> None:
    """Strict order has no bands; the default tenant has no name."""
    assert {card.band for card in seen("starvation", 500).ready} == {""}
    assert {card.tenant for card in seen("hhhnnl", 500).ready} == {""}
    fair = seen("fair_neighbours", 1600)
    assert [(card.id, card.band, card.tenant) for card in fair.ready][:2] == [
        ("J13", "N", "bo"),
        ("J3", "N", "acme"),
    ]


def test_a_card_says_what_its_job_costs_where_that_differs_from_one() -> None:
    """A film of 30 s beside thumbs of 10 ms: by cost their prices decide, so they are shown."""
    assert {card.cost for card in seen("long_jobs_by_cost", 0).ready} > {1}
    assert {card.cost for card in seen("hhhnnl", 500).ready} == {1}


def test_band_and_tenant_are_words_on_the_card(app: Flask) -> None:
    """Not a colour alone."""
    board = BoardClient(app, "fair_neighbours")
    board.lab.world.advance_to(1600)
    text = words(section(board.page(), "Ready"))
    assert "J13 resize N bo next" in text


def test_long_lanes_are_cut_and_nothing_is_lost(app: Flask) -> None:
    """Five ready and three succeeded cards, the others below 'and ... more'; each id once."""
    board = BoardClient(app, "hhhnnl")
    board.lab.world.advance_to(5000)
    html = board.page()
    ready, ended = section(html, "Ready"), section(html, "Ended")
    assert "and 4 more" in words(ready)
    assert "and 2 more" in words(ended)
    for part, most, number in ((ready, 5, 9), (ended, 3, 5)):
        before, details = part.split('<details class="more"')
        assert (len(cards(before)), len(cards(details))) == (most, number - most)
    assert sorted(cards(html)) == sorted(job.id for job in board.lab.world.jobs())


def test_open_details_keep_their_id_from_swap_to_swap(app: Flask) -> None:
    """The swap finds them by id and leaves `open` alone, as the page's settings say."""
    board = BoardClient(app, "hhhnnl")
    html = board.page()
    ids = [a["id"] for a in Parsed(html).all("details") if a.get("class") == "more"]
    assert ids == ["more-ready"]
    assert 'id="more-ready"' in board.do("step")
    settings = next(a["content"] for a in Parsed(html).all("meta") if a.get("name") == "htmx-config")
    assert '"morphIgnore": ["data-htmx-powered", "open"]' in settings


def test_charts_are_there_where_the_story_is_about_them() -> None:
    """Share and ages by band for bands, ages by tenant for tenants, none for the zombie."""

    def titles(name: str) -> list[str]:
        lab = Lab("x-1", SCENARIOS[name])
        lab.world.advance_to(2000)
        return [title for title, _ in charts_of(lab.world, lab.world.jobs())]

    share, band, tenant = (
        "Share of hand-outs, and the one promised while all bands have work",
        "Oldest ready job, by band",
        "Oldest ready job, by tenant",
    )
    assert titles("zombie") == []
    assert titles("noisy_neighbour") == [tenant]
    assert titles("starvation") == [band]
    assert titles("hhhnnl") == [share, band]
    assert titles("fair_neighbours") == [share, band, tenant]


def test_a_chart_says_what_it_shows() -> None:
    """Five hand-outs of the cycle at 4.0 s; bo's picture is 4.5 s old at 6.0 s."""
    lab = Lab("x-1", SCENARIOS["hhhnnl"])
    lab.world.advance_to(4000)
    shares = "Share of hand-outs: H 60%, promised 50%; N 40%, promised 33%; L 0%, promised 17%"
    assert shares in charts_of(lab.world, lab.world.jobs())[0][1]
    lab = Lab("x-1", SCENARIOS["noisy_neighbour"])
    lab.world.advance_to(6000)
    assert "acme 6.0 s; bo 4.5 s" in charts_of(lab.world, lab.world.jobs())[0][1]


def test_a_type_is_paused_and_resumed(app: Flask) -> None:
    """Its button turns round, the queue hands out no more of it, and both are told."""
    board = BoardClient(app, "hhhnnl")
    html = board.do("pause_type", target="mail")
    assert notice_of(html) == "mail is paused: no job of it is handed out."
    assert not is_refusal(html)
    assert "/resume_type" in section(html, "Submit a job")
    assert "type mail is paused" in words(section(html, "Ready"))
    assert "operator pauses mail" in words(section(html, "What happened"))
    board.lab.world.advance_to(60_000)
    assert [job.type for job in board.lab.world.jobs() if job.status == "PENDING"] == ["mail"] * 5
    html = board.do("resume_type", target="mail")
    assert notice_of(html) == "mail is resumed."
    board.lab.world.advance_to(90_000)
    assert {job.status for job in board.lab.world.jobs()} == {"SUCCEEDED"}


@pytest.mark.parametrize(("typed", "tenant"), [("bo", "bo"), (" bo ", "bo"), ("", "default"), (" ", "default")])
def test_a_job_can_be_submitted_for_a_tenant(app: Flask, typed: str, tenant: str) -> None:
    """Nothing typed is the default tenant."""
    board = BoardClient(app, "zombie")
    board.do("submit", type="mail", tenant=typed)
    assert board.lab.world.queue.view("J2").tenant == tenant


def test_a_form_from_before_there_were_tenants_still_works(app: Flask) -> None:
    """A field that is not sent counts as not typed."""
    board = BoardClient(app, "zombie")
    assert not is_refusal(board.do("submit", type="mail"))


def test_speed_buttons_are_pressed_only_while_playing(app: Flask) -> None:
    """One of them while it plays, none while it stands still."""
    board = BoardClient(app, "zombie")

    def pressed(html: str) -> list[str]:
        return [a["id"] for a in Parsed(html).all("button") if a.get("aria-pressed") == "true"]

    assert pressed(board.page()) == []
    assert pressed(board.do("play", speed="5")) == ["speed-5"]
    assert pressed(board.do("pause")) == []


def test_the_queue_only_tells_what_has_another_subject(app: Flask) -> None:
    """'queue: J1 rests', for it is J1 that rests; a worker is the subject of its own sentence."""
    board = BoardClient(app, "zombie")
    board.lab.world.advance_to(31_000)
    log = section(board.page(), "What happened")
    assert set(re.findall(r"<b>(.*?)</b>", log)) == {"producer", "queue:", "A", "B"}
    assert "queue: J1 rests" in words(log)


def test_a_rule_is_named_with_its_module(app: Flask) -> None:
    """Such as lifecycle.check_token, so that a reader knows where the link leads."""
    board = BoardClient(app, "zombie")
    board.lab.world.advance_to(41_000)
    names = re.findall(r'<a href="/code/[^"]*">([^<]*)</a>', section(board.page(), "What happened"))
    assert {"lifecycle.check_token", "lifecycle.leased", "lifecycle.expired"} <= set(names)
    assert all(re.fullmatch(r"[a-z_]+\.[a-z_]+", name) for name in names)


def test_the_timeline_has_a_legend(app: Flask) -> None:
    """Each look that a bar can have is named, on the board and on the scenario's page."""
    board = BoardClient(app, "zombie")
    for html in (board.page(), board.client.get("/scenarios/zombie").text):
        legend = re.search(r'<ul id="legend".*?</ul>', html, re.DOTALL)
        assert legend is not None
        text = words(legend[0])
        looks = ("running", "succeeded", "failed", "zombie", "frozen", "crashed", "now")
        assert [look for look in looks if look not in text] == []


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("crash_loop", ("what befalls A", "crashes 0.3 s into each job with broken.png, for 4.7 s")),
        ("zombie", ("what befalls A", "freezes 1.0 s into its first job, for 32.0 s")),
        ("lost_acknowledgement", ("what befalls A", "loses the report of its first job")),
        (
            "effect_then_crash",
            ("what befalls A", "crashes after the work, before the report, of its first job"),
        ),
        ("hhhnnl", ("who is next", "bands by the cycle HHHNNL")),
        ("zombie", ("who is next", "highest priority, then earliest due, then first submitted")),
        ("long_jobs_by_cost", ("tenants", "by cost, 10 a turn")),
        ("fair_neighbours", ("tenants", "take turns")),
        ("aging", ("aging", "one band up for each 6.0 s of being ready")),
        ("band_limit", ("band L", "at most 1 running")),
        ("jitter", ("jitter", "full, seed 4")),
        ("retry_storm_budget", ("retry budget", "1 + 20 % of the running first tries")),
        ("long_jobs", ("a film takes", "30.0 s")),
        ("backoff", ("invoice is down", "0.0 s to 20.0 s")),
    ],
)
def test_parameters_name_mishaps_and_rules(name: str, row: tuple[str, str]) -> None:
    """Whoever guesses the end must be able to know all that decides it."""
    assert row in parameters_of(SCENARIOS[name])


def test_the_gallery_counts_all_jobs_of_a_task(app: Flask) -> None:
    """Six payments are six jobs, though the story says them in one line."""
    text = words(app.test_client().get("/").text)
    assert "Open the board: Jitter 6 workers, 6 jobs" in text
    assert "Open the board: The late poll 2 workers, 1 job" in text
