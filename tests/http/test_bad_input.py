"""Whatever is sent: a problem that names the field, never a fault, and nothing has changed."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jobqueue import JobQueue, ManualClock, RetryPolicy
from tests.http.asking import Api, shared

NOT_JSON = {
    "empty": b"",
    "blank": b"  ",
    "text": b"hello",
    "half an object": b'{"type": "mail"',
    "two objects": b"{}{}",
    "trailing comma": b'{"type": "mail",}',
    "single quotes": b"{'type': 'mail'}",
    "a comment": b'{"type": "mail"} // hi',
    "a control character in a text": b'{"type": "a\x01b"}',
    "not UTF-8": b'{"type": "\xff\xfe"}',
    "UTF-16": '{"type": "mail"}'.encode("utf-16"),
    "a byte order mark": b'\xef\xbb\xbf{"type": "mail"}',
    "an encoded surrogate": b'{"type": "\xed\xa0\x80"}',
    "NaN": b'{"type": "mail", "payload": {"x": [NaN]}}',
    "Infinity": b'{"type": "mail", "payload": {"x": {"y": {"z": Infinity}}}}',
    "-Infinity": b'{"type": "mail", "priority": -Infinity}',
    "1e400": b'{"type": "mail", "payload": {"x": 1e400}}',
    "-1e400": b'{"type": "mail", "payload": {"x": [[-1e400]]}}',
    "an integer of 400 digits": b'{"type": "mail", "priority": 1' + b"0" * 400 + b"}",
    "an integer of 100,000 digits": b'{"type": "mail", "payload": [1' + b"0" * 100_000 + b"]}",
    "a name twice": b'{"type": "mail", "type": "pdf"}',
    "a name twice inside": b'{"type": "mail", "payload": {"a": {"b": 1, "b": 2}}}',
    "20,001 names, one of them twice": b'{"type": "mail", "payload": {'
    + b",".join(b'"k%d": 1' % n for n in range(20_000))
    + b', "k19999": 2}}',
    "nested deep": b'{"type": "mail", "payload": ' + b"[" * 100 + b"]" * 100 + b"}",
    "nested very deep": b'{"type": "mail", "payload": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "objects nested very deep": b'{"type": "mail", "payload": '
    + b'{"a":' * 20_000
    + b"1"
    + b"}" * 20_000
    + b"}",
    "an array": b'[{"type": "mail"}]',
    "a number": b"7",
    "null": b"null",
}


@pytest.mark.parametrize("body", NOT_JSON.values(), ids=NOT_JSON)
@pytest.mark.parametrize("path", ["/jobs", "/jobs/J1/complete"])
def test_what_is_not_the_json_that_is_meant_is_a_400(api: Any, body: Any, path: Any) -> None:
    """Before the queue has seen anything of it; a completion is not lost by it, for it can be sent again."""
    api.submit()
    (lease,) = api.claim()
    before = api.dump()
    token = "producer:default" if path == "/jobs" else "worker"
    answer = api.post(path, token, body)
    assert (answer.status_code, answer.mimetype) == (400, "application/problem+json")
    assert answer.json["detail"]
    assert api.dump() == before
    assert api.post("/jobs/J1/fail", "worker", {"generation": lease["generation"]}).status_code == 200


FIELDS = [
    ("type", None, 400),
    ("type", 7, 400),
    ("type", ["mail"], 400),
    ("type", "", 422),
    ("type", "   ", 422),
    ("type", "x" * 201, 422),
    ("type", "m\0", 422),
    ("type", "\ud800", 422),
    ("payload", 7, 400),
    ("payload", True, 400),
    ("payload", "a\0b", 422),
    ("payload", {"x": ["\0"]}, 422),
    ("payload", {"x\0": 1}, 422),
    ("payload", ["\udfff"], 422),
    ("payload", "payload-ref\nx", 422),
    ("payloadRef", "x" * 1001, 422),
    ("payloadRef", 7, 400),
    ("priority", "5", 400),
    ("priority", 5.5, 400),
    ("priority", True, 400),
    ("priority", [1], 400),
    ("priority", 2**53, 422),
    ("priority", -(2**53), 422),
    ("priority", 10**300, 422),
    ("cost", 0, 422),
    ("cost", 1_000_001, 422),
    ("cost", -1, 422),
    ("runAt", "tomorrow", 400),
    ("runAt", True, 400),
    ("runAt", 2**60, 422),
    ("deadline", 0, 422),
    ("deadline", "", 400),
    ("requestKey", "", 422),
    ("requestKey", "k\0", 422),
    ("requestKey", {}, 400),
    ("tenant", "another", 403),
    ("tenant", 5, 400),
    ("tenant", "", 422),
]


@pytest.mark.parametrize(
    ("digits", "status"),
    [
        ("9007199254740991.5", 400),  # no integer, though a double of it is one
        ("1e-400", 400),
        ("5e-99999999999999999999", 422),
        ("0e99999999999999999999", 422),
        ("1e300", 422),
    ],
)
def test_a_number_is_judged_by_its_digits(api: Any, digits: Any, status: Any) -> None:
    """Not by the double that comes nearest, and however far away its exponent is."""
    body = b'{"type": "mail", "priority": %s}' % digits.encode()
    answer = api.post("/jobs", "producer:default", body)
    assert (answer.status_code, answer.json["field"]) == (status, "priority")


@pytest.mark.parametrize(("field", "value", "status"), FIELDS, ids=lambda value: f"{value!a:.30}")
def test_a_bad_field_is_named(api: Any, field: Any, value: Any, status: Any) -> None:
    """400 for a wrong type, 422 for a value that the queue refuses; the next id is not used up."""
    answer = api.post("/jobs", "producer:default", {"type": "mail", field: value})
    assert answer.status_code == status, answer.text
    assert re.split(r"[.\[]", answer.json["field"])[0] == field
    assert field in answer.json["detail"]
    assert api.submit() == "J1"


@pytest.mark.parametrize(
    "name", ["runat", "run_at", "Type", "", "\0", "\ud800", "x" * 100_000], ids=lambda n: f"{n!a:.12}"
)
def test_a_field_that_nobody_knows_is_a_400(api: Any, name: Any) -> None:
    """A slip of the pen is not passed over in silence."""
    answer = api.post("/jobs", "producer:default", {"type": "mail", name: 1})
    assert answer.status_code == 400
    assert "runAt" in answer.json["detail"]
    assert len(answer.text) < 1000


def test_a_body_that_is_too_large_is_a_413(api: Api) -> None:
    """256 KiB are read, one byte more is not."""
    frame = len(json.dumps({"type": "mail", "payload": ""}))
    fits, not_fits = (
        api.post("/jobs", "producer:default", {"type": "mail", "payload": "x" * (256 * 1024 - frame + more)})
        for more in (0, 1)
    )
    assert (fits.status_code, not_fits.status_code) == (201, 413)
    huge = api.post("/jobs", "producer:default", b'{"type": "' + b"x" * 3_000_000 + b'"}')
    assert (huge.status_code, huge.mimetype) == (413, "application/problem+json")


BAD_QUERIES = [
    "limit=1000000000", "limit=-1", "limit=0", "limit=abc", "limit=NaN", "limit=1e9", "limit=1&limit=2",
    "limit=" + "9" * 10_000, "limit=", "limit=5.0", "limit=%D9%A3", "after=J0", "after=j1", "after=J1x",
    "after=", "=1",
    "after=J" + "9" * 10_000, "after=J%00", "status=pending", "status=", "type=", "tenant=%00", "type=%00",
    "q=" + "x" * 10_000, "days=7", "page=2", "limit[]=1",
]  # fmt: skip


@pytest.mark.parametrize("query", BAD_QUERIES, ids=lambda query: query[:20])
@pytest.mark.parametrize("path", ["/jobs", "/dlq"])
def test_a_bad_query_is_a_400(api: Api, query: Any, path: Any) -> None:
    """Numbers out of bounds, words, repetitions, unknown names: refused, with the field's name."""
    answer = api.get(f"{path}?{query}")
    assert answer.status_code == 400, answer.text
    assert answer.mimetype == "application/problem+json"
    assert len(answer.text) < 2000


@pytest.mark.parametrize(
    "path", ["/dlq//redrive", "/jobs//cancel", "/jobs//complete", "/types//pause", "/jobs/"]
)
def test_an_empty_id_is_a_404_in_the_words_of_the_api(api: Api, path: str) -> None:
    """It redirects to no other act: `/dlq//redrive` is not the redrive of many."""
    answer = api.post(path, "operator") if path != "/jobs/" else api.get(path)
    assert (answer.status_code, answer.mimetype) == (404, "application/problem+json")
    assert answer.json["detail"].startswith("the API has nothing at this address")  # type: ignore[index]


@pytest.mark.parametrize("job_id", ["J0", "J01", "j1", "J1 ", "J" + "9" * 300, "%00", "..", "%F0%9F%A7%9F"])
@pytest.mark.parametrize("verb", ["", "/cancel", "/complete"])
def test_an_id_that_is_none_is_a_404(api: Api, job_id: str, verb: Any) -> None:
    """Like any other id that is not there."""
    api.submit()
    token = "worker" if verb == "/complete" else "operator"
    answer = (
        api.get(f"/jobs/{job_id}")
        if not verb
        else api.post(f"/jobs/{job_id}{verb}", token, {"generation": 1} if verb == "/complete" else None)
    )
    assert answer.status_code == 404
    assert answer.mimetype == "application/problem+json"


@pytest.mark.parametrize("path", ["/jobs/J1/renew", "/jobs/J1/complete", "/jobs/J1/fail", "/jobs/J1/release"])
@pytest.mark.parametrize(
    ("value", "status"),
    [
        (None, 400),
        ("1", 400),
        ("J1:1", 400),
        (True, 400),
        (1.5, 400),
        (0, 422),
        (-1, 422),
        (2**53, 422),
        (2, 409),
    ],
)
def test_only_the_generation_of_the_lease_counts(api: Any, path: Any, value: Any, status: Any) -> None:
    """While J1 runs at generation 1, nothing else is let through, and J1 runs on as it was."""
    api.submit()
    api.claim(leaseMillis=60_000)
    before = api.store.view("J1"), api.store.history("J1")
    asked = {"generation": value} | ({"leaseMillis": 1000} if path.endswith("renew") else {})
    assert api.post(path, "worker", asked).status_code == status
    assert (api.store.view("J1"), api.store.history("J1")) == before


def test_a_generation_is_that_of_its_own_job(api: Api) -> None:
    """J1 is at its second generation, J2 at its first: what is right for one is wrong for the other."""
    api.submit(), api.submit()
    api.claim(limit=1)
    api.post("/jobs/J1/release", "worker", {"generation": 1})
    assert [(lease["jobId"], lease["generation"]) for lease in api.claim(limit=2, leaseMillis=9000)] == [
        ("J1", 2),
        ("J2", 1),
    ]
    assert api.post("/jobs/J2/complete", "worker", {"generation": 2}).status_code == 409
    assert api.post("/jobs/J1/complete", "worker", {"generation": 1}).status_code == 409
    assert api.post("/jobs/J1/complete", "worker", {"generation": 2}).status_code == 200


def fresh() -> Api:
    """Return it with an empty queue."""
    clock = ManualClock()
    shared().serve(JobQueue(clock, RetryPolicy(3, 1000, 60_000)), clock)
    return shared()


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6) | st.characters(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
NAMES = [
    "type", "payload", "payloadRef", "priority", "runAt", "deadline", "cost", "requestKey", "tenant",
    "workerId",
    "leaseMillis", "capabilities", "limit", "generation", "result", "error", "permanent", "checkpoint", "note",
    "ids", "spreadMillis", "unchanged",
]  # fmt: skip
PATHS = {
    "/jobs": "producer:default",
    "/leases/claim": "worker",
    **{f"/jobs/J1/{verb}": "worker" for verb in ("renew", "complete", "fail", "release")},
    "/jobs/J1/cancel": "operator",
    "/dlq/J1/redrive": "operator",
    "/dlq/redrive": "operator",
}


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    path=st.sampled_from(list(PATHS)),
    told=st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=5),
    good=st.booleans(),
)
def test_no_object_is_a_fault(path: Any, told: Any, good: Any) -> None:
    """Any object to any operation: done, or a problem; a refused one has changed nothing."""
    api = fresh()
    api.submit()
    usual = {"type": "mail", "workerId": "w", "leaseMillis": 1000, "generation": 1, "note": "", "ids": ["J1"]}
    asked = {**({k: v for k, v in usual.items() if k in told or good} if good else {}), **told}
    before = api.dump()
    answer = api.post(path, PATHS[path], json.dumps(asked).encode())
    assert answer.status_code in {200, 201, 400, 403, 409, 422}
    if answer.status_code >= 400:
        assert answer.mimetype == "application/problem+json"
        state, paused, _ = api.dump()
        assert (state, paused) == before[:2]


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_no_bytes_are_a_fault(body: Any) -> None:
    """Whatever they are."""
    assert fresh().post("/jobs", "producer:default", body).status_code in {400, 422}
