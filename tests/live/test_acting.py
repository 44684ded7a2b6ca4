"""What operators do on the live pages: announced, done, and said; refused in words; nothing by GET."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from jobqueue import JobQueue, ManualClock, RetryPolicy
from tests.http.asking import NASTY_NAMES
from tests.live.conftest import BEGIN, Live
from tests.webui.asking import Parsed, fields, is_refusal, notice_of, words


def test_a_job_is_submitted_by_hand(live: Any) -> None:
    """Every field counts; the page then is that of the job."""
    html = live.act(
        "/jobs", type="mail", payload="a\r\nb", priority="-3", tenant="bo", cost="7", delay="1.5",
        deadline="60", requestKey="k",
    )  # fmt: skip
    view = live.store.view("J1")
    assert (view.type, view.priority, view.tenant, view.cost, view.request_key) == ("mail", -3, "bo", 7, "k")
    assert (view.next_run_at - BEGIN, view.deadline - BEGIN, live.store.payload("J1")) == (1500, 60_000, "a\nb")
    assert notice_of(html) == "J1 is submitted."


def test_the_same_request_by_hand_makes_one_job(live: Any) -> None:
    """The second finds the first, and says so."""
    first, second = (live.act("/jobs", type="mail", requestKey="k") for _ in range(2))
    assert (notice_of(first), notice_of(second)) == (
        "J1 is submitted.",
        "J1 was submitted before by the same request.",
    )
    assert len(live.store.list_jobs()) == 1


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ({"type": ""}, "Type: is blank"),
        ({"type": "m\0"}, "Type: contains a NUL"),
        ({"type": "mail", "priority": "high"}, "Priority: expected a whole number"),
        ({"type": "mail", "priority": "9" * 17}, "Priority: "),
        ({"type": "mail", "priority": "9" * 5000}, "Priority: expected a whole number"),
        ({"type": "mail", "priority": "\u0665"}, "Priority: expected a whole number"),
        ({"type": "mail", "cost": "0"}, "Cost: 0 is not between"),
        ({"type": "mail", "delay": "soon"}, "Delay: expected seconds"),
        ({"type": "mail", "delay": "-1"}, "Delay: expected seconds"),
        ({"type": "mail", "delay": "nan"}, "Delay: expected seconds"),
        ({"type": "mail", "delay": "1e400"}, "Delay: expected seconds"),
        ({"type": "mail", "deadline": "0"}, "Deadline: "),
        ({"type": "mail", "tenant": "x" * 201}, "Tenant: has 201 characters"),
        ({"type": "mail", "payload": "a\0b"}, "Payload: contains a NUL"),
    ],
)
def test_what_is_refused_stays_in_the_form(live: Any, form: Any, said: Any) -> None:
    """The field is named, nothing is lost, nothing has happened."""
    typed = {"payload": "long text", "requestKey": "k"} | form
    answer = live.client.post("/live/jobs", data=typed)
    assert answer.status_code == 422
    assert said in words(answer.text)
    values = {i["name"]: i["value"] for i in Parsed(answer.text).all("input")}
    assert values["requestKey"] == "k"
    assert all(values[name] == text for name, text in form.items() if name in values and "\0" not in text)
    assert live.store.list_jobs() == []


@pytest.mark.parametrize("status", ["PENDING", "RUNNING", "SUCCEEDED", "DEAD", "CANCELLED"])
def test_each_state_offers_what_it_allows(live: Any, status: str) -> None:
    """On the list and on the job's page; pressed anyway, an action that does not fit is refused in words."""
    job_id = live.store.submit("mail")
    if status == "CANCELLED":
        live.store.cancel(job_id)
    elif status != "PENDING":
        lease = live.store.poll("w", 1000)
        {"SUCCEEDED": live.store.complete, "DEAD": live.store.fail}.get(status, lambda *_: None)(
            job_id, lease.token
        )
    for html in (live.page("/jobs"), live.page(f"/jobs/{job_id}")):
        targets = [f["action"] for f in Parsed(html).all("form")] + [a["href"] for a in Parsed(html).all("a")]
        assert any(urlsplit(t).path.endswith("/cancel") for t in targets) == (status == "PENDING")
        assert any("redrive" in t for t in targets) == (status == "DEAD")
    before = live.store.view(job_id)
    for action, fits in (("cancel", status == "PENDING"), ("redrive", status == "DEAD")):
        if fits:
            continue
        html = live.act(f"/jobs/{job_id}/{action}", note="x")
        assert is_refusal(html)
        assert f"it is {status}" in notice_of(html)
    assert live.store.view(job_id) == before


def test_a_cancel_from_a_list_leads_back_to_that_list(live: Any) -> None:
    """With its filters, and the word that it is done."""
    for tenant in ("acme", "bo"):
        live.store.submit("mail", tenant=tenant)
    html = live.act("/jobs/J2/cancel", back="jobs", tenant="bo", status="")
    assert notice_of(html) == "J2 is cancelled."
    assert re.findall(r'id="row-(J\d+)"', html) == ["J2"]
    assert live.store.view("J2").status == "CANCELLED"


@pytest.mark.parametrize("name", ["mail", *NASTY_NAMES], ids=ascii)
def test_a_type_of_any_name_is_paused_and_resumed(live: Any, name: str) -> None:
    """By the button beside it; its name is in the query, which no proxy and no form changes."""
    live.store.submit(name)
    for verb, left in (("pause", [name]), ("resume", [])):
        (form,) = (f for f in Parsed(live.page()).all("form") if "/types/" in f["action"])
        assert urlsplit(form["action"]).path == f"/live/types/{verb}"
        html = live.act(form["action"].removeprefix("/live"))
        assert not is_refusal(html)
        assert notice_of(html).startswith(" ".join(f"Type {name} is {verb}d".split()))
        assert live.store.paused() == left


@pytest.mark.parametrize("name", NASTY_NAMES, ids=ascii)
def test_a_filter_by_any_name_is_kept_through_every_action(live: Any, name: str) -> None:
    """Its link leads to its jobs alone; cancelling and redriving from there act on these and lead back."""
    for tenant in (name, f"{name}x"):
        live.dead(1, tenant=tenant)
        live.store.submit(f"type {tenant}"[:200] if tenant.strip() == tenant else tenant, tenant=tenant)
    (link,) = (
        a for a in Parsed(live.page()).all("a") if parse_qs(urlsplit(a["href"]).query) == {"tenant": [name]}
    )
    html = live.page(link["href"].removeprefix("/live"))
    assert re.findall(r'id="row-(J\d+)"', html) == ["J2", "J1"]
    (cancel,) = (f for f in Parsed(html).all("form") if "/cancel" in f["action"])
    html = live.act(cancel["action"].removeprefix("/live"))
    assert notice_of(html) == "J2 is cancelled."
    assert re.findall(r'id="row-(J\d+)"', html) == ["J2", "J1"]
    html = live.page(link["href"].replace("/live/jobs", "/dead"))
    (form,) = (f for f in Parsed(html).all("form") if "/confirm" in f["action"])
    html = live.client.post(form["action"], data={"which": "all"}).text
    assert fields(html)["ids"] == "J1"
    (form,) = (f for f in Parsed(html).all("form") if f["action"].startswith("/live/dead/redrive"))
    assert not is_refusal(live.act(form["action"].removeprefix("/live"), note="x", **fields(html)))
    assert [job.id for job in live.store.dead_letters()] == ["J3"]


@pytest.mark.parametrize(
    "headers", [{"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}], ids=str
)
def test_another_sites_page_cannot_act(live: Any, headers: Any) -> None:
    """403, and nothing has happened."""
    live.dead(1)
    before = live.store.list_jobs(), live.store.paused()
    for path in (
        "/jobs",
        "/jobs/J1/redrive",
        "/dead/redrive",
        "/types/pause?type=mail",
        "/sign-in",
        "/dead/confirm",
    ):
        answer = live.client.post(f"/live{path}", data={"type": "mail", "note": "x"}, headers=headers)
        assert answer.status_code == 403
    assert (live.store.list_jobs(), live.store.paused()) == before


# -- the door --------------------------------------------------------------------------------------------


@pytest.fixture
def guarded(store: JobQueue, clock: ManualClock) -> Live:
    return Live(store, clock, with_tokens=True)


def test_where_tokens_are_configured_one_signs_in(guarded: Any) -> None:
    """Pages lead to the door; an operator's token opens it, in a cookie that scripts cannot read."""
    guarded.store.submit("mail")
    assert guarded.client.get("/live/jobs").headers["Location"].endswith("/live/sign-in")
    assert guarded.client.post("/live/jobs/J1/cancel").status_code == 401
    assert guarded.client.get("/live/stream").status_code == 401
    for token in ("", "nobody", "worker", "producer:a", "operator:acme"):
        assert guarded.client.post("/live/sign-in", data={"token": token}).status_code == 401
    answer = guarded.client.post("/live/sign-in", data={"token": "operator"})
    cookie = answer.headers["Set-Cookie"]
    assert all(part in cookie for part in ("HttpOnly", "SameSite=Strict", "Path=/live/"))
    assert "J1" in guarded.page("/jobs")
    guarded.act("/jobs/J1/cancel")
    assert guarded.store.view("J1").status == "CANCELLED"
    guarded.client.post("/live/sign-out")
    assert guarded.client.get("/live/jobs").status_code == 303


def test_the_audit_names_who_signed_in(guarded: Any) -> None:
    """The token's name is the actor."""
    guarded.client.post("/live/sign-in", data={"token": "operator"})
    guarded.dead(1)
    guarded.act("/jobs/J1/redrive", note="x")
    assert guarded.store.redrives("J1")[0].actor == "operator"


def test_without_tokens_only_this_machine_sees_the_pages(live: Any) -> None:
    """From elsewhere: 403 in words."""
    answer = live.client.get("/live/", environ_overrides={"REMOTE_ADDR": "192.0.2.7"})
    assert answer.status_code == 403
    assert "for this machine alone" in words(answer.text)


def test_everything_works_below_a_prefix(store: JobQueue, clock: ManualClock) -> None:
    """Every link, form, asset and redirect of every page stays below it, and is there."""
    live = Live(store, clock)
    live.dead(3)
    for number in range(60):
        store.submit("mail", tenant="ab"[number % 2])
    store.poll("w", 1000)
    prefix = "/user/x/proxy/8888"
    base = {"SCRIPT_NAME": prefix}
    todo, seen = [f"{prefix}/live/"], set()
    while todo:
        url = todo.pop()
        path = url.split("#")[0]
        if path in seen:
            continue
        seen.add(path)
        answer = live.client.get(path.removeprefix(prefix), environ_overrides=base, buffered=True)
        assert answer.status_code in {200, 303}, path
        if answer.mimetype != "text/html":
            continue
        for tag, attributes in Parsed(answer.text).elements:
            for name in ("href", "src", "action", "hx-get", "data-stream"):
                target = attributes.get(name, "#")
                if target.startswith("#"):
                    continue
                assert target.startswith(f"{prefix}/"), (path, tag, target)
                if name in {"href", "src", "hx-get"} and "/live/" in target and len(seen) < 60:
                    todo.append(target)
    assert len(seen) >= 20
    answer = live.client.post("/live/jobs", data={"type": "mail"}, environ_overrides=base)
    assert answer.headers["Location"].startswith(f"{prefix}/live/jobs/J")


def test_two_queues_do_not_share_notices() -> None:
    """What became of an action is kept per service, under a key that nobody guesses, and not for ever."""
    clock = ManualClock()
    live = Live(JobQueue(clock, RetryPolicy(1, 0, 0)), clock)
    keys = [live.service.notices.keep(f"notice {n}") for n in range(600)]
    assert len(set(keys)) == 600
    assert live.service.notices.find(keys[0]) is None
    assert live.service.notices.find(keys[-1]) == ("notice 599", False)
    assert notice_of(live.page(f"/?notice={keys[-1]}")) == "notice 599"
    assert notice_of(live.page("/?notice=nonsense")) == ""
