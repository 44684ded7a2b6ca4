"""Who may ask for what, and that reading changes nothing."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

import pytest

from jobqueue import UnknownJobError
from tests.http.asking import NASTY_NAMES, Api, Given
from webui.api import ROUTES  # type: ignore[attr-defined]
from webui.auth import own_tokens
from webui.live.access import COOKIE
from webui.live.service import Service

if TYPE_CHECKING:
    from pathlib import Path

ASKED = {
    "submit": {"type": "mail"},
    "claim": {"workerId": "w", "leaseMillis": 1000},
    "renew": {"generation": 1, "leaseMillis": 1000},
    "redrive": {"note": ""},
    "redrive_many": {"note": "", "ids": ["J1"]},
    "pause": {"type": "mail"},
    "resume": {"type": "mail"},
}


def ask(api: Api, route: Any, token: Any, job_id: str = "J1") -> Any:
    path = route.path.replace("<job_id>", job_id).replace("<name:type>", "mail")
    if route.method == "GET":
        return api.get(path, token)
    return api.post(
        path, token, ASKED.get(route.name, {"generation": 1} if "generation" in str(route.body) else {})
    )


@pytest.mark.parametrize("route", [route for route in ROUTES if route.roles], ids=lambda route: route.name)
def test_each_operation_is_for_its_roles(api: Api, route: Any) -> None:
    """Nobody, a token of nobody's, another role: 401, 401, 403, and nothing has changed."""
    api.submit()
    before = api.dump()
    strangers = [None, "", "nobody"]
    assert [ask(api, route, token).status_code for token in strangers] == [401] * 3
    assert ask(api, route, None).headers["WWW-Authenticate"].startswith("Bearer")
    others = [f"{role}:default" for role in ("producer", "worker", "operator") if role not in route.roles]
    assert [ask(api, route, token).status_code for token in others] == [403] * len(others)
    assert api.dump() == before
    for role in route.roles:
        token = "producer:default" if role == "producer" else str(role)
        assert ask(api, route, token).status_code not in {401, 403}


@pytest.mark.parametrize("route", [r for r in ROUTES if "job_id" in r.path], ids=lambda route: route.name)
@pytest.mark.parametrize("status", ["PENDING", "RUNNING", "DEAD"])
@pytest.mark.stores_behind
def test_a_job_of_another_tenant_is_a_404(api: Api, route: Any, status: str) -> None:
    """As if it were not there: the same words as for an id that never was, and nothing has changed."""
    api.submit("acme")
    if status != "PENDING":
        api.claim(leaseMillis=10_000)
    if status == "DEAD":
        api.post("/jobs/J1/fail", "worker", {"generation": 1, "permanent": True})
    before = api.dump()
    for role in route.roles:
        answer = ask(api, route, f"{role}:bo")
        assert (answer.status_code, answer.json["error"]) == (404, "UnknownJobError")
        never = ask(api, route, f"{role}:bo", "J99")
        assert answer.text.replace("J1", "J99") == never.text
    assert api.dump() == before


@pytest.mark.stores_behind
def test_a_token_for_some_tenants_sees_only_theirs(api: Any) -> None:
    """Lists, pages and claims leave out the others', in the order of all."""
    for tenant in "abcabc":
        api.submit(tenant)
    seen = api.get("/jobs?limit=3", "operator:a,c").json
    assert [job["id"] for job in seen["jobs"]] == ["J6", "J4", "J3"]
    rest = api.get(f"/jobs?limit=3&after={seen['next']}", "operator:a,c").json
    assert ([job["id"] for job in rest["jobs"]], rest["next"]) == (["J1"], None)
    assert api.get("/jobs?tenant=b", "operator:a,c").json == {"jobs": [], "next": None}
    assert [lease["tenant"] for lease in api.claim("worker:b,c", limit=9)] == ["b", "c", "b", "c"]
    assert [lease["tenant"] for lease in api.claim(limit=9)] == ["a", "a"]


@pytest.mark.stores_behind
def test_a_bulk_redrive_leaves_other_tenants_alone(api: Any) -> None:
    """Their ids are unknown, as those that never were."""
    for tenant in "ab":
        api.submit(tenant)
    api.claim(limit=2)
    for job_id in ("J1", "J2"):
        api.post(f"/jobs/{job_id}/fail", "worker", {"generation": 1, "permanent": False})
    for _ in range(2):
        api.service.wall.advance(10_000)
        for lease in api.claim(limit=2):
            api.post(f"/jobs/{lease['jobId']}/fail", "worker", {"generation": lease["generation"]})
    rows = api.post("/dlq/redrive", "operator:a", {"ids": ["J1", "J2", "J9", "J1"], "note": "x"}).json["rows"]
    assert [(row["jobId"], row["outcome"], row["reason"]) for row in rows] == [
        ("J1", "done", None),
        ("J2", "skipped", "unknown"),
        ("J9", "skipped", "unknown"),
    ]
    assert api.store.redrives("J1")[0].actor == "operator:a"
    assert api.store.view("J2").status == "DEAD"


@pytest.mark.parametrize("path", ["/types/mail/pause", "/types/mail/resume"])
def test_a_pause_needs_all_tenants(api: Api, path: Any) -> None:
    """It concerns everybody's jobs of a type."""
    assert api.post(path, "operator:default").status_code == 403
    assert api.post(path, "operator").status_code == 200
    assert [api.get(each, "operator:default").status_code for each in ("/stats", "/metrics")] == [403, 403]


@pytest.mark.parametrize("name", NASTY_NAMES, ids=ascii)
@pytest.mark.stores_behind
def test_a_type_of_any_name_can_be_paused_and_resumed(api: Api, name: str) -> None:
    """What can be submitted can be acted on: by body, by address as far as no proxy tidies it, by client."""
    client = api.client_of("operator")
    api.submit(type=name)
    for pause, resume in (
        (
            lambda: api.post("/types/pause", "operator", {"type": name}),
            lambda: api.post("/types/resume", "operator", {"type": name}),
        ),
        (
            lambda: api.post(f"/types/{quote(name, safe='')}/pause", "operator"),
            lambda: api.post(f"/types/{quote(name, safe='')}/resume", "operator"),
        ),
        (lambda: client.pause(name), lambda: client.resume(name)),
    ):
        pause()
        assert api.store.paused() == [name]
        resume()
        assert api.store.paused() == []


@pytest.mark.parametrize("name", NASTY_NAMES, ids=ascii)
@pytest.mark.stores_behind
def test_a_name_of_any_characters_is_found_again(api: Any, name: Any) -> None:
    """Type, tenant, worker and request key: each is stored, claimed, filtered by and replayed as it is."""
    api.store.submit_once(name, name, tenant=name)
    query = urlencode({"type": name, "tenant": name})
    assert [job["id"] for job in api.get(f"/jobs?{query}").json["jobs"]] == ["J1"]
    (lease,) = api.claim(workerId=name, capabilities=[name])
    assert (lease["workerId"], lease["tenant"], lease["type"]) == (name, name, name)
    again = [api.post("/jobs", "producer:t", {"type": name, "requestKey": name}).json for _ in range(2)]
    assert again == [{"jobId": "J2", "replayed": False}, {"jobId": "J2", "replayed": True}]


@pytest.mark.parametrize(
    "job_id", ["", ".", "..", "a/b", "J1/", "J1/cancel", "J1?x", "J1#x", "J1%2F", "x\ny"], ids=ascii
)
def test_an_id_that_is_none_is_unknown_to_the_client_as_it_is_at_home(api: Api, job_id: str) -> None:
    """Whatever it holds: no address leads to another route."""
    api.submit()
    for ask in (
        lambda: api.client_of("operator").view(job_id),
        lambda: api.client_of("operator").cancel(job_id),
        lambda: api.client_of("worker").complete(job_id, "J1:1"),
    ):
        with pytest.raises(UnknownJobError):
            ask()
    assert api.store.view("J1").status == "PENDING"


def test_without_configured_tokens_only_this_machine_is_served(store: Any, clock: Any, tmp_path: Path) -> None:
    """From elsewhere even a good token is refused."""
    access, tokens = own_tokens(tmp_path / "none.toml")
    api = Api(store, clock)
    api.app.extensions["service"] = Service(store, access, wall=clock)
    for address, status in (("127.0.0.1", 200), ("::1", 200), ("192.0.2.7", 403), ("::ffff:192.0.2.7", 403)):
        answer = api.ask("GET", "/stats", tokens["operator"], environ_overrides={"REMOTE_ADDR": address})  # type: ignore[index]
        assert answer.status_code == status
    configured = Service(store, Given(is_configured=True), wall=clock)
    api.app.extensions["service"] = configured
    answer = api.ask("GET", "/stats", "operator", environ_overrides={"REMOTE_ADDR": "192.0.2.7"})
    assert answer.status_code == 200


@pytest.mark.parametrize(
    "headers",
    [{"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}, {"Origin": "null"}],
    ids=str,
)
def test_another_sites_page_is_refused(api: Api, headers: Any) -> None:
    """Even with a good token: a problem, and nothing has changed."""
    answer = api.post("/jobs", "producer:default", {"type": "mail"}, headers=headers)
    assert (answer.status_code, answer.mimetype) == (403, "application/problem+json")
    assert api.store.list_jobs() == []


# -- reading changes nothing -----------------------------------------------------------------------------


@pytest.mark.stores_behind
def test_no_reading_request_changes_anything(api: Any) -> None:
    """100 jobs in all states: every route by GET and HEAD leaves them as they were."""
    for number in range(100):
        api.submit("abc"[number % 3], priority=number % 5 - 2, runAt=0 if number % 4 else 10**6)
    for number, lease in enumerate(api.claim(limit=60, leaseMillis=10**7)):
        asked = {"generation": 1, "permanent": True} if number % 3 == 1 else {"generation": 1}
        if number % 3:
            api.post(f"/jobs/{lease['jobId']}/{'fail' if number % 3 == 1 else 'complete'}", "worker", asked)
    for view in api.store.list_jobs(status="PENDING", limit=5):
        api.store.cancel(view.id)
    api.client.set_cookie(COOKIE, "operator", path="/live/")
    before = api.dump()
    assert all(before[2].by_status.values())
    for rule in api.app.url_map.iter_rules():
        path = rule.rule
        for name, value in (("job_id", "J5"), ("name:type", "mail"), ("any(pause, resume):verb", "pause")):
            path = path.replace(f"<{name}>", value)
        if "<" in path:
            continue  # the boards of the simulated worlds have their own test
        for method in ("GET", "HEAD"):
            answer = api.client.open(
                path, method=method, headers={"Authorization": "Bearer operator"}, buffered=False
            )
            expected = {200, 303} if "GET" in rule.methods else {200, 404, 405}
            assert answer.status_code in expected, path
            if "GET" not in rule.methods and answer.status_code == 405:
                assert "POST" in answer.headers["Allow"]
            answer.close()
    assert api.dump() == before


@pytest.mark.parametrize("route", [r for r in ROUTES if r.method == "POST"], ids=lambda route: route.name)
def test_what_changes_something_answers_to_post_alone(api: Api, route: Any) -> None:
    """405 with what is allowed, as JSON."""
    path = route.path.replace("<job_id>", "J1").replace("<name:type>", "mail")
    reads = {r.path for r in ROUTES if r.method == "GET"}
    for method in ("GET", "PUT", "PATCH", "DELETE"):
        if method == "GET" and (route.path in reads or path == "/dlq/redrive"):
            continue
        answer = api.ask(method, path, "operator")
        assert answer.status_code == 405
        assert "POST" in answer.headers["Allow"]
        assert answer.mimetype == "application/problem+json"


@pytest.mark.stores_behind
def test_lists_are_quick_and_small(api: Api) -> None:
    """A page of 200 of 5,000 jobs with long errors: no payload, and not for ever."""
    for _ in range(500):
        api.store.submit("mail", "x" * 10_000)
    began = time.perf_counter()
    answer = api.get("/jobs?limit=200")
    assert time.perf_counter() - began < 1
    assert len(answer.data) < 200_000
    assert "xxx" not in answer.text
    assert len(json.loads(answer.text)["jobs"]) == 200
