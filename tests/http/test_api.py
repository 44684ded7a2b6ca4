"""What the API does beyond the queue: statuses, replays, instants, payloads, and who may."""

from __future__ import annotations

import json
import time

import pytest

from jobqueue import AdmissionError, JobQueue, Limits, RetryPolicy, StoreError
from tests.http.asking import Api, Given
from webui.api import ROUTES
from webui.auth import tokens_for_today
from webui.live.door import COOKIE
from webui.service import Service

# -- submitting ------------------------------------------------------------------------------------------


def test_the_same_request_twice_makes_one_job(api):
    """201, then 200 with replayed true; other content is a 409 that tells no payload; J1 is as it was."""
    asked = {"type": "mail", "payload": "secret one", "requestKey": "k"}
    answers = [api.post("/jobs", "producer:default", asked) for _ in range(2)]
    assert [(a.status_code, a.json) for a in answers] == [
        (201, {"jobId": "J1", "replayed": False}),
        (200, {"jobId": "J1", "replayed": True}),
    ]
    assert answers[0].headers["Location"] == "/api/v1/jobs/J1"
    other = api.post("/jobs", "producer:default", asked | {"payload": "secret two"})
    assert (other.status_code, other.json["error"]) == (409, "RequestKeyConflictError")
    assert "secret" not in other.text
    assert api.store.payload("J1") == "secret one"
    assert len(api.store.list_jobs()) == 1


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"a": {"id": 1}}, {"a": {"id": 2}}, False),
        ({"a": 1, "b": {"c": 2, "d": 3}}, {"b": {"d": 3, "c": 2}, "a": 1}, True),
        ([1], [1.0], False),
        ([1], ["1"], False),
        ([1], [True], False),
        ([], {}, False),
        ("[]", [], True),
        ([None], ["null"], False),
    ],
)
def test_a_request_key_is_bound_to_nested_values(api, one, other, same):
    """The order of names does not matter; every value does, and so does how a number was written."""
    api.submit(payload=one, requestKey="k")
    answer = api.post("/jobs", "producer:default", {"type": "mail", "payload": other, "requestKey": "k"})
    assert answer.status_code == (200 if same else 409)


def test_digits_stay_as_they_were_sent(api):
    """Through the queue and back: no number becomes another one."""
    text = '{"id":1970670598291982290,"x":9007199254740993,"d":0.1,"e":1e2,"f":1.50,"g":-0.0,"t":[1E+5]}'
    sent = b'{"type": "mail", "payload": ' + text.encode() + b"}"
    assert api.post("/jobs", "producer:default", sent).status_code == 201
    in_order = '{"d":0.1,"e":1e2,"f":1.50,"g":-0.0,"id":1970670598291982290,"t":[1E+5],"x":9007199254740993}'
    assert api.get("/jobs/J1").json["payload"] == in_order
    assert api.claim()[0]["payload"] == in_order


@pytest.mark.parametrize(
    "text",
    [
        "",
        "plain",
        "\N{ZOMBIE}",
        "a\r\nb\tc",
        "\x1b[31m",
        "\uffff",
        "e\u0301",
        "\u202eabc",
        '{"not": "read"}',
        "x" * 200_000,
    ],
    ids=ascii,
)
def test_text_goes_through_unchanged(api, text):
    """As payload, checkpoint, result and error."""
    api.submit(payload=text)
    (lease,) = api.claim()
    assert lease["payload"] == text
    renewed = api.post("/jobs/J1/renew", "worker", {"generation": 1, "leaseMillis": 1000, "checkpoint": text})
    assert renewed.json["checkpoint"] == text
    api.post("/jobs/J1/complete", "worker", {"generation": 1, "result": text})
    told = api.get("/jobs/J1").json
    assert (told["payload"], told["job"]["result"]) == (text, text)


def test_a_payload_can_be_elsewhere(api):
    """The worker gets the reference beside an empty payload; one cannot have both."""
    api.submit(payloadRef="s3://bucket/key")
    assert [(lease["payload"], lease["payloadRef"]) for lease in api.claim()] == [("", "s3://bucket/key")]
    told = api.get("/jobs/J1").json
    assert (told["payload"], told["payloadRef"]) == ("", "s3://bucket/key")
    both = api.post("/jobs", "producer:default", {"type": "mail", "payload": "x", "payloadRef": "y"})
    assert (both.status_code, both.json["field"]) == (422, "payloadRef")


@pytest.mark.parametrize(
    ("told", "instant"),
    [
        (1_774_740_600_000, 1_774_740_600_000),
        ("2026-03-29T01:30:00+02:00", 1_774_740_600_000),
        ("2026-03-28T23:30:00Z", 1_774_740_600_000),
        ("2026-03-28t23:30:00z", 1_774_740_600_000),
        ("2026-03-28 23:30Z", 1_774_740_600_000),
        ("2026-03-28T23:30:00.123456Z", 1_774_740_600_123),
        ("1969-12-31T23:59:59.999Z", -1),
        ("9999-12-31T23:59:59-12:00", 253_402_343_999_000),
        ("0001-01-01T00:00:00+14:00", -62_135_647_200_000),
        (-5, -5),
        (5.0, 5),
    ],
)
def test_an_instant_is_the_same_however_it_is_written(api, told, instant):
    """Milliseconds or ISO 8601 with an offset: the queue gets one integer."""
    api.submit(runAt=told)
    assert api.store.view("J1").next_run_at == instant


@pytest.mark.parametrize(
    "told",
    [
        "2026-03-29T01:30:00", "2026-03-29", "01:30", "2026-03-29T25:00:00Z", "2026-02-30T00:00:00Z",
        "2026-06-30T23:59:60Z", "10000-01-01T00:00:00Z", "2026-03-29T01:30:00+25:00", "2026-W13-7T00:00Z",
        "20260329T013000Z", "now", "1774740600000", "2026-03-29T01:30:00 Z", "\u0662026-03-29T01:30:00Z",
    ],
)  # fmt: skip
def test_an_instant_without_an_offset_is_no_instant(api, told):
    """Nobody guesses a zone; a leap second is nothing that the clock has."""
    answer = api.post("/jobs", "producer:default", {"type": "mail", "runAt": told})
    assert (answer.status_code, answer.json["field"]) == (400, "runAt")


def test_a_deadline_survives_retry_and_redrive(api, clock):
    """Given as an integer or as text: the same integer to the end."""
    for deadline in (1_774_740_600_000, "2026-03-28T23:30:00Z"):
        job_id = api.submit(deadline=deadline)
        for _ in range(3):
            (lease,) = api.claim()
            api.post(f"/jobs/{job_id}/fail", "worker", {"generation": lease["generation"]})
            clock.advance(10_000)
        assert api.store.view(job_id).status == "DEAD"
        assert api.post(f"/dlq/{job_id}/redrive", "operator", {"note": "again"}).status_code == 200
        assert api.store.view(job_id).deadline == 1_774_740_600_000
        api.post(f"/jobs/{job_id}/cancel", "operator")


def test_a_full_queue_says_when_to_come_again(clock):
    """429, with Retry-After in seconds; a replay is answered all the same."""
    api = Api(JobQueue(clock, RetryPolicy(3, 0, 0), limits=Limits(max_queued=1)), clock)
    api.submit(requestKey="k")
    answer = api.post("/jobs", "producer:default", {"type": "mail"})
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "1")
    assert answer.json["retryAfterMillis"] == 1000
    assert api.post("/jobs", "producer:default", {"type": "mail", "requestKey": "k"}).status_code == 200


@pytest.mark.parametrize(
    "error", [StoreError("the disk is full"), AdmissionError("full", retry_after_millis=2500)]
)
def test_a_store_that_fails_is_a_503_and_a_fault_is_no_page(api, monkeypatch, error):
    """With words for the caller, and a time after which to try again."""

    def broken(**_):
        raise error

    monkeypatch.setattr(api.store, "submit", broken)
    answer = api.post("/jobs", "producer:default", {"type": "mail"})
    expected = (503, "1") if isinstance(error, StoreError) else (429, "3")
    assert (answer.status_code, answer.headers["Retry-After"]) == expected
    assert str(error) in answer.json["detail"]


# -- working ---------------------------------------------------------------------------------------------


def test_a_completion_that_is_sent_again_is_answered_again(api, clock):
    """The acknowledgement was lost: the exact repeat is 200, at any time; anything else is what it was."""
    api.submit(), api.submit()
    api.claim(limit=2)
    done = {"generation": 1, "result": {"sent": 1}}
    assert api.post("/jobs/J1/complete", "worker", done).json == {"jobId": "J1", "replayed": False}
    clock.advance(100_000)
    assert api.post("/jobs/J1/complete", "worker", done).json == {"jobId": "J1", "replayed": True}
    for other in ({"generation": 1}, {"generation": 1, "result": ""}, {"generation": 2, "result": {"sent": 1}}):
        assert api.post("/jobs/J1/complete", "worker", other).status_code == 409
    late = api.post("/jobs/J2/complete", "worker", {"generation": 1})
    assert (late.status_code, late.json["reason"]) == (409, "lease_expired")
    assert len(api.store.history("J1")) == 1


def test_an_empty_result_and_none_are_two(api):
    """So the repeat has to be exact."""
    api.submit()
    api.claim()
    api.post("/jobs/J1/complete", "worker", {"generation": 1})
    assert api.post("/jobs/J1/complete", "worker", {"generation": 1}).json["replayed"] is True
    assert api.post("/jobs/J1/complete", "worker", {"generation": 1, "result": ""}).status_code == 409


def test_a_zombie_is_told_why(api, clock):
    """409 with the reason; the present holder's job is untouched."""
    api.submit()
    api.claim()
    clock.advance_to(2000)
    api.claim(workerId="other", leaseMillis=9000)
    answer = api.post("/jobs/J1/complete", "worker", {"generation": 1})
    assert (answer.status_code, answer.json["reason"], answer.json["jobStatus"]) == (
        409,
        "stale_generation",
        "RUNNING",
    )
    assert api.store.view("J1").worker_id == "other"


def test_a_fail_can_be_for_good_and_never_fails(api):
    """Whatever the error text holds, it is recorded."""
    api.submit()
    api.claim()
    answer = api.post(
        "/jobs/J1/fail", "worker", {"generation": 1, "error": "a\0b\ud800" * 10_000, "permanent": True}
    )
    assert answer.status_code == 200
    assert (answer.json["job"]["status"], answer.json["job"]["deadReason"]) == ("DEAD", "permanent")


def test_one_in_a_flood_is_served_early(api):
    """The fair order is the one that the API serves by: bo's job is among the first two."""
    for _ in range(300):
        api.submit("acme")
    api.submit("bo")
    assert {lease["tenant"] for lease in api.claim(limit=2)} == {"acme", "bo"}


def test_workers_are_remembered(api):
    """Who claims is known by name, however little it got."""
    api.claim(workerId="one")
    api.claim(workerId="two")
    assert list(api.service.workers.ages()) == ["two", "one"]


# -- who may ---------------------------------------------------------------------------------------------

ASKED = {
    "submit": {"type": "mail"},
    "claim": {"workerId": "w", "leaseMillis": 1000},
    "renew": {"generation": 1, "leaseMillis": 1000},
    "redrive": {"note": ""},
    "redrive_many": {"note": "", "ids": ["J1"]},
}


def ask(api, route, token):
    path = route.path.replace("<job_id>", "J1").replace("<path:type>", "mail")
    if route.method == "GET":
        return api.get(path, token)
    return api.post(
        path, token, ASKED.get(route.name, {"generation": 1} if "generation" in str(route.body) else {})
    )


@pytest.mark.parametrize("route", [route for route in ROUTES if route.roles], ids=lambda route: route.name)
def test_each_operation_is_for_its_roles(api, route):
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
def test_a_job_of_another_tenant_is_a_404(api, route, status):
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
    assert api.dump() == before


def test_a_token_for_some_tenants_sees_only_theirs(api):
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


def test_a_bulk_redrive_leaves_other_tenants_alone(api):
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
def test_a_pause_needs_all_tenants(api, path):
    """It concerns everybody's jobs of a type."""
    assert api.post(path, "operator:default").status_code == 403
    assert api.post(path, "operator").status_code == 200
    assert [api.get(each, "operator:default").status_code for each in ("/stats", "/metrics")] == [403, 403]


def test_a_type_may_have_any_letters(api):
    """Slashes and percent signs are part of it."""
    for name in ("a/b", "50 %", "\N{ZOMBIE}"):
        assert api.ask("POST", f"/types/{name.replace('%', '%25')}/pause", "operator").status_code == 200
    assert api.store.paused() == ["50 %", "a/b", "\N{ZOMBIE}"]


def test_without_configured_tokens_only_this_machine_is_served(store, clock):
    """From elsewhere even a good token is refused."""
    access, tokens = tokens_for_today()
    api = Api(store, clock)
    api.app.extensions["service"] = Service(store, access, wall=clock)
    for address, status in (("127.0.0.1", 200), ("::1", 200), ("192.0.2.7", 403), ("::ffff:192.0.2.7", 403)):
        answer = api.ask("GET", "/stats", tokens["operator"], environ_overrides={"REMOTE_ADDR": address})
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
def test_another_sites_page_is_refused(api, headers):
    """Even with a good token: a problem, and nothing has changed."""
    answer = api.post("/jobs", "producer:default", {"type": "mail"}, headers=headers)
    assert (answer.status_code, answer.mimetype) == (403, "application/problem+json")
    assert api.store.list_jobs() == []


# -- reading changes nothing -----------------------------------------------------------------------------


def test_no_reading_request_changes_anything(api):
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
        for name, value in (("job_id", "J5"), ("path:type", "mail"), ("any(pause, resume):verb", "pause")):
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
def test_what_changes_something_answers_to_post_alone(api, route):
    """405 with what is allowed, as JSON."""
    path = route.path.replace("<job_id>", "J1").replace("<path:type>", "mail")
    reads = {r.path for r in ROUTES if r.method == "GET"}
    for method in ("GET", "PUT", "PATCH", "DELETE"):
        if method == "GET" and (route.path in reads or path == "/dlq/redrive"):
            continue
        answer = api.ask(method, path, "operator")
        assert answer.status_code == 405
        assert "POST" in answer.headers["Allow"]
        assert answer.mimetype == "application/problem+json"


def test_lists_are_quick_and_small(api):
    """A page of 200 of 5,000 jobs with long errors: no payload, and not for ever."""
    for _ in range(500):
        api.store.submit("mail", "x" * 10_000)
    began = time.perf_counter()
    answer = api.get("/jobs?limit=200")
    assert time.perf_counter() - began < 1
    assert len(answer.data) < 200_000
    assert "xxx" not in answer.text
    assert len(json.loads(answer.text)["jobs"]) == 200
