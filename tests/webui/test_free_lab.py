"""The free lab: everything is set by hand, what cannot be is said at its field, and nothing typed is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from jobqueue.simulation import MishapKind
from jobqueue.simulation.free_lab import FREE, FreeLab
from jobqueue.simulation.link import decode
from jobqueue.simulation.recipe import Recipe
from tests.simulation.walks import FREE_LABS, RULES
from tests.webui.asking import Parsed, words
from webui.board.free_form import BadFormError, read_recipe, typed_recipe
from webui.board.labs import Lab

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient

    from jobqueue.simulation.rule_settings import RuleSettings

USUAL = typed_recipe(None)
EVERYTHING = USUAL | {
    "task1_type": "film",
    "task1_times": "3",
    "task1_at": "0.5",
    "task1_every_millis": "2",
    "task1_priority": "-1",
    "task1_tenant": "acme",
    "task1_cost": "30",
    "task1_delay_millis": "1",
    "task1_deadline_millis": "60",
    "task1_payload": "reel",
    "task2_type": "mail",
    "task2_times": "2",
    "task2_tenant": "bo",
    "worker1_name": "Ada",
    "worker1_lease_millis": "20",
    "worker1_renew_millis": "5",
    "worker1_poll_millis": "0.5",
    "worker1_kind": "freeze",
    "worker1_after_millis": "0.3",
    "worker1_lasts_millis": "4",
    "worker1_mishaps": "2",
    "worker2_name": "",
    "worker3_name": "Grace",
    "worker3_spread_millis": "1",
    "worker3_first_poll_at": "2",
    "duration1_type": "film",
    "duration1_millis": "7.5",
    "outage1_type": "mail",
    "outage1_ends_at": "3",
    "max_attempts": "5",
    "jitter": "equal",
    "jitter_seed": "9",
    "cycle": "HHNL",
    "quantum": "10",
    "aging_millis": "6",
    "max_running_per_tenant": "1",
    "max_running_low": "1",
    "max_queued": "50",
    "retry_budget_percent": "20",
    "dispatch_ceiling": "4",
    "max_run_millis": "30",
    "seed": "11",
}


def fields(html: str) -> dict[str, str]:
    """Return what stands in the fields of a form."""
    page, found, name = Parsed(html), {}, ""
    for tag, attributes in page.elements:
        if tag == "input" and attributes.get("type") != "hidden":
            found[attributes["name"]] = attributes["value"]
        elif tag == "select":
            name = attributes["name"]
        elif tag == "option" and "selected" in attributes:
            found[name] = attributes["value"]
    return found


def test_the_form_begins_with_something_that_works(client: FlaskClient) -> None:
    """Sent as it is, it opens a board that plays to its end."""
    form = fields(client.get("/free").text)
    assert form == USUAL
    answer = client.post("/free/labs", data=form)
    assert answer.status_code == 303
    page = client.get(answer.headers["Location"])
    assert "J4" in page.text
    lab = client.application.extensions["labs"].find(answer.headers["Location"].rsplit("/", 1)[-1])
    while lab.next_at() is not None:
        lab.step()
    assert lab.why_over().startswith("Every job has ended")


def test_everything_that_is_typed_is_in_the_story() -> None:
    """Jobs, workers, durations, outages, rules and seed, each where it belongs."""
    recipe = read_recipe(EVERYTHING)
    scenario = recipe.scenario()
    film, mail = scenario.tasks
    assert (film.type, film.times, film.at, film.every_millis, film.priority) == ("film", 3, 500, 2000, -1)
    assert (film.tenant, film.cost, film.delay_millis, film.deadline_millis) == ("acme", 30, 1000, 60_000)
    assert (mail.tenant, film.payload) == ("bo", "reel")
    ada, grace = scenario.workers
    assert (ada.name, ada.lease_millis, ada.renew_millis, ada.poll_millis) == ("Ada", 20_000, 5000, 500)
    assert ada.mishap is not None
    assert (ada.mishap.kind, ada.mishap.after_millis, ada.mishap.lasts_millis) == (MishapKind.FREEZE, 300, 4000)
    assert (ada.mishap.times, grace.spread_millis, grace.first_poll_at) == (2, 1000, 2000)
    assert (dict(scenario.work_millis), scenario.outages[0].ends_at) == ({"film": 7500}, 3000)
    rules = scenario.rules
    assert rules.limits is not None
    assert rules.retry_budget is not None
    assert (rules.limits.max_running_per_tenant, rules.limits.max_queued) == (1, 50)
    assert (rules.retry_budget.percent, rules.max_run_millis, scenario.policy.max_attempts) == (20, 30_000, 5)
    assert (str(rules.scheduler), recipe.seed) != ("", None)
    assert recipe.seed == 11


def test_the_settings_are_in_the_link_and_come_back_into_the_form(client: FlaskClient) -> None:
    """From the board one gets back to the form as it was, and to the same board on any server."""
    answer = client.post("/free/labs", data=EVERYTHING)
    page = client.get(answer.headers["Location"]).text
    change = next(a["href"] for a in Parsed(page).all("a") if a["href"].startswith("/free?s="))
    kept = {
        name: value for name, value in fields(client.get(change).text).items() if not name.startswith("worker")
    }
    typed = {name: value for name, value in EVERYTHING.items() if not name.startswith("worker")}
    assert kept == typed
    assert decode(change.removeprefix("/free?s=")) == (read_recipe(EVERYTHING),)


@pytest.mark.parametrize("rules", [rule for rule in RULES if rule])
@pytest.mark.parametrize("free", FREE_LABS)
def test_what_is_shown_of_a_free_lab_reads_back_as_the_same(free: FreeLab, rules: RuleSettings) -> None:
    """Typing and reading are each other's inverse."""
    recipe = Recipe(FREE, 4, rules, free)
    assert read_recipe(typed_recipe(recipe)) == recipe


@pytest.mark.parametrize(
    ("field", "typed", "says"),
    [
        ("task1_times", "61", "not between 1 and 60"),
        ("task1_times", "many", "expected a whole number"),
        ("task1_times", "", "found nothing"),
        ("task1_at", "-1", "expected seconds from 0 to 3600"),
        ("task1_at", "1e9", "expected seconds"),
        ("task1_type", "x" * 41, "expected 1 to 40"),
        ("task1_tenant", "   ", "expected 1 to 40"),
        ("task1_payload", "a\0b", "NUL"),
        ("task1_priority", "5000", "not between -1000 and 1000"),
        ("task1_cost", "0", "not between"),
        ("worker1_work_millis", "0", "expected seconds from 0.01"),
        ("worker1_poll_millis", "0.1", "expected seconds from 0.25"),
        ("worker1_lease_millis", "NaN", "expected seconds"),
        ("worker1_kind", "explode", "expected one of"),
        ("worker2_name", "A", "two workers have the same name"),
        ("max_attempts", "9" * 400, "expected a whole number"),
        ("base_backoff_millis", "61", "more than the cap"),
        ("cycle", "HHHX", "is no band"),
        ("quantum", "0", "not between"),
        ("dispatch_floor", "9", "less than the floor"),
        ("seed", "-1", "not between"),
    ],
)
def test_what_cannot_be_is_said_at_its_field(client: FlaskClient, field: str, typed: str, says: str) -> None:
    """422, one field marked, the words beside it, and all that was typed is there."""
    form = USUAL | {"task2_type": "kept", field: typed}
    if field == "dispatch_floor":
        form["dispatch_ceiling"] = "3"
    answer = client.post("/free/labs", data=form)
    assert answer.status_code == 422
    page = Parsed(answer.text)
    assert says in words(answer.text)
    wrong = [i["name"] for i in page.all("input") if i.get("aria-invalid") == "true"]
    at = "max_backoff_millis" if field == "base_backoff_millis" else field
    assert wrong == ([] if field == "worker1_kind" else [at])
    assert {name: value for name, value in fields(answer.text).items() if name != "worker1_kind"} == {
        name: value for name, value in form.items() if name != "worker1_kind"
    }
    assert len(client.application.extensions["labs"]) == 0


def test_too_many_jobs_in_all_are_said(client: FlaskClient) -> None:
    """No row has too many, and all together do."""
    form = USUAL | {"task1_times": "40", "task2_type": "mail", "task2_times": "40"}
    answer = client.post("/free/labs", data=form)
    assert answer.status_code == 422
    assert "80 jobs in all, and a board holds 60" in words(answer.text)


def test_several_mistakes_are_said_at_once() -> None:
    """Nobody has to send the form once for each."""
    with pytest.raises(BadFormError) as wrong:
        read_recipe(USUAL | {"task1_times": "0", "worker1_lease_millis": "x", "cycle": "Q", "seed": ""})
    assert set(wrong.value.errors) >= {"task1_times", "worker1_lease_millis", "seed"}


def test_an_empty_form_is_an_empty_board(app: Flask) -> None:
    """No jobs and no workers: nothing happens, and that is said."""
    typed = USUAL | {"task1_type": "", "worker1_name": "", "worker2_name": ""}
    lab = Lab("free_lab-1", [read_recipe(typed)])
    assert lab.why_over() is not None
    client = app.test_client()
    answer = client.post("/free/labs", data=typed)
    assert client.get(answer.headers["Location"]).status_code == 200
    assert client.post("/free/labs", data={}).status_code == 422


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "\"'><img src=x>", "{{ 7 * 7 }}"])
def test_hostile_words_make_no_element(client: FlaskClient, text: str) -> None:
    """In every field of the form, whether it is refused or becomes a board."""
    plain = client.post("/free/labs", data=dict.fromkeys(USUAL, "x" * len(text)))
    hostile = client.post("/free/labs", data=dict.fromkeys(USUAL, text))
    assert (plain.status_code, hostile.status_code) == (422, 422)
    assert Parsed(hostile.text).shape == Parsed(plain.text).shape
    names = dict.fromkeys(("task1_type", "task1_tenant", "task1_payload", "worker1_name", "outage1_type"), text)
    calm = client.get(client.post("/free/labs", data=USUAL | dict.fromkeys(names, "z")).headers["Location"])
    if len(text) <= 20:
        wild = client.get(client.post("/free/labs", data=USUAL | names).headers["Location"])
        assert Parsed(wild.text).shape == Parsed(calm.text).shape


def test_every_rule_that_is_asked_for_is_on_the_page(client: FlaskClient) -> None:
    """What decides the outcome is shown beside the board, as for any other story."""
    text = words(client.get(client.post("/free/labs", data=EVERYTHING).headers["Location"]).text)
    for shown in (
        "at most 5",
        "bands by the cycle HHNL",
        "by cost, 10 a turn",
        "at most 50 waiting",
        "at most 1 running",
        "equal, seed 9",
        "1 + 20 %",
        "from 4 of a type running, down to 1",
        "longest run30.0 s",
        "a film takes7.5 s",
        "worker Ada",
        "mail is down",
        "3 x film",
        "seed11",
    ):
        assert shown in text
