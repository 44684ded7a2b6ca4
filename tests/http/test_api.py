"""What the API does beyond the queue: statuses, replays, instants, payloads, and who may."""

from __future__ import annotations

from typing import Any

import pytest

from jobqueue import AdmissionError, JobQueue, Limits, ManualClock, RetryPolicy, StoreError
from tests.http.asking import Api

# -- submitting ------------------------------------------------------------------------------------------


@pytest.mark.stores_behind
def test_the_same_request_twice_makes_one_job(api: Any) -> None:
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
def test_a_request_key_is_bound_to_nested_values(api: Api, one: Any, other: Any, same: Any) -> None:
    """The order of names does not matter; every value does, and so does how a number was written."""
    api.submit(payload=one, requestKey="k")
    answer = api.post("/jobs", "producer:default", {"type": "mail", "payload": other, "requestKey": "k"})
    assert answer.status_code == (200 if same else 409)


@pytest.mark.stores_behind
def test_digits_stay_as_they_were_sent(api: Any) -> None:
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
@pytest.mark.stores_behind
def test_text_goes_through_unchanged(api: Any, text: Any) -> None:
    """As payload, checkpoint, result and error."""
    api.submit(payload=text)
    (lease,) = api.claim()
    assert lease["payload"] == text
    renewed = api.post("/jobs/J1/renew", "worker", {"generation": 1, "leaseMillis": 1000, "checkpoint": text})
    assert renewed.json["checkpoint"] == text
    api.post("/jobs/J1/complete", "worker", {"generation": 1, "result": text})
    told = api.get("/jobs/J1").json
    assert (told["payload"], told["job"]["result"]) == (text, text)


def test_a_payload_can_be_elsewhere(api: Any) -> None:
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
def test_an_instant_is_the_same_however_it_is_written(api: Api, told: Any, instant: Any) -> None:
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
def test_an_instant_without_an_offset_is_no_instant(api: Any, told: Any) -> None:
    """Nobody guesses a zone; a leap second is nothing that the clock has."""
    answer = api.post("/jobs", "producer:default", {"type": "mail", "runAt": told})
    assert (answer.status_code, answer.json["field"]) == (400, "runAt")


@pytest.mark.stores_behind
def test_a_deadline_survives_retry_and_redrive(api: Api, clock: ManualClock) -> None:
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


def test_a_full_queue_says_when_to_come_again(clock: Any) -> None:
    """429, with Retry-After in seconds; a replay is answered all the same."""
    api = Api(JobQueue(clock, RetryPolicy(3, 0, 0), limits=Limits(max_queued=1)), clock)
    api.submit(requestKey="k")
    answer = api.post("/jobs", "producer:default", {"type": "mail"})
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "1")
    assert answer.json["retryAfterMillis"] == 1000  # type: ignore[index]
    assert api.post("/jobs", "producer:default", {"type": "mail", "requestKey": "k"}).status_code == 200


@pytest.mark.parametrize(
    "error", [StoreError("the disk is full"), AdmissionError("full", retry_after_millis=2500)]
)
def test_a_store_that_fails_is_a_503_and_a_fault_is_no_page(
    api: Any, monkeypatch: pytest.MonkeyPatch, error: Any
) -> None:
    """With words for the caller, and a time after which to try again."""

    def broken(**_: Any) -> None:
        raise error

    monkeypatch.setattr(api.store, "submit", broken)
    answer = api.post("/jobs", "producer:default", {"type": "mail"})
    expected = (503, "1") if isinstance(error, StoreError) else (429, "3")
    assert (answer.status_code, answer.headers["Retry-After"]) == expected
    assert str(error) in answer.json["detail"]


# -- working ---------------------------------------------------------------------------------------------


@pytest.mark.stores_behind
def test_a_completion_that_is_sent_again_is_answered_again(api: Any, clock: Any) -> None:
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


@pytest.mark.stores_behind
def test_an_empty_result_and_none_are_two(api: Any) -> None:
    """So the repeat has to be exact."""
    api.submit()
    api.claim()
    api.post("/jobs/J1/complete", "worker", {"generation": 1})
    assert api.post("/jobs/J1/complete", "worker", {"generation": 1}).json["replayed"] is True
    assert api.post("/jobs/J1/complete", "worker", {"generation": 1, "result": ""}).status_code == 409


@pytest.mark.stores_behind
def test_a_zombie_is_told_why(api: Any, clock: Any) -> None:
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


def test_a_fail_can_be_for_good_and_never_fails(api: Any) -> None:
    """Whatever the error text holds, it is recorded."""
    api.submit()
    api.claim()
    answer = api.post(
        "/jobs/J1/fail", "worker", {"generation": 1, "error": "a\0b\ud800" * 10_000, "permanent": True}
    )
    assert answer.status_code == 200
    assert (answer.json["job"]["status"], answer.json["job"]["deadReason"]) == ("DEAD", "permanent")


@pytest.mark.stores_behind
def test_one_in_a_flood_is_served_early(api: Api) -> None:
    """The fair order is the one that the API serves by: bo's job is among the first two."""
    for _ in range(300):
        api.submit("acme")
    api.submit("bo")
    assert {lease["tenant"] for lease in api.claim(limit=2)} == {"acme", "bo"}


def test_workers_are_remembered(api: Api) -> None:
    """Who claims is known by name, however little it got."""
    api.claim(workerId="one")
    api.claim(workerId="two")
    assert list(api.service.workers.seen()) == ["two", "one"]
