"""The description of the API is true: it names what there is, and what is answered looks as it says."""

from __future__ import annotations

import json
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from jobqueue import JobQueue, Limits, ManualClock, RetryPolicy
from tests.http.asking import Api, shared
from webui.api import DESCRIPTION, PREFIX, ROUTES, document  # type: ignore[attr-defined]
from webui.auth import Role

DOCUMENT = json.loads(json.dumps(document()))
OPERATIONS = [
    (method, path, operation)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
]
TOKENS = {"producer": "producer:default", "worker": "worker", "operator": "operator"}


def checked(answer: Any, path: Any, method: Any) -> None:
    """Refuse an answer that the description does not know, or describes otherwise."""
    told = DOCUMENT["paths"][path][method]["responses"]
    assert str(answer.status_code) in told, (
        f"{method} {path} answered {answer.status_code}: {answer.text[:300]}"
    )
    (media, content), *others = told[str(answer.status_code)]["content"].items()
    assert not others
    assert answer.mimetype == media
    if media.endswith("json"):
        schema = content["schema"] | {"components": DOCUMENT["components"]}
        Draft202012Validator(schema).validate(answer.json)


def token_for(operation: Any) -> Any:
    roles = (
        operation.get("description", "For a token of the role operator.")
        .split("role ")[1]
        .strip(".")
        .split(" or ")
    )
    return TOKENS[roles[-1]]


def test_it_names_every_route_and_no_other(api: Any) -> None:
    """What Flask serves below the prefix is what is described, with the same variables."""
    served = {
        (method.lower(), rule.rule.replace("<name:", "{").replace("<", "{").replace(">", "}"))
        for rule in api.app.url_map.iter_rules()
        for method in rule.methods - {"HEAD", "OPTIONS"}
        if rule.rule.startswith(PREFIX)
    }
    assert {(method, path) for method, path, _ in OPERATIONS} == served
    assert len(served) == len(ROUTES) + 1
    assert api.get("/openapi.json", None).json == DOCUMENT


def test_it_is_a_valid_document() -> None:
    """Operation ids are unique, each variable of a path is described, each reference leads somewhere."""
    ids = [operation["operationId"] for _, _, operation in OPERATIONS]
    assert len(ids) == len(set(ids)) == len(ROUTES) + 1
    for _, path, operation in OPERATIONS:
        in_path = {each["name"] for each in operation["parameters"] if each["in"] == "path"}
        assert in_path == {part.strip("{}") for part in path.split("/") if "{" in part}
    text = json.dumps(DOCUMENT)
    for name in set(text.split("#/components/schemas/")[1:]):
        assert name.split('"')[0] in DOCUMENT["components"]["schemas"]


def test_roles_are_described() -> None:
    """What a token has to be for is said where a token is asked for."""
    for route in ROUTES:
        path = PREFIX + route.template
        told = DOCUMENT["paths"][path][route.method.lower()]
        assert ("security" in told) == bool(route.roles)
        for role in route.roles:
            assert Role(role).value in told["description"]
    assert not DESCRIPTION.roles


def busy() -> Api:
    """Return an API whose queue has something in every state."""
    clock = ManualClock()
    store = JobQueue(clock, RetryPolicy(1, 1000, 60_000), limits=Limits(max_queued=50))
    shared().serve(store, clock)
    for _ in range(5):
        store.submit("mail")
    for lease in store.poll_many("w", 10**6, 4)[1:]:
        store.fail(lease.job_id, lease.token, "x") if lease.job_id != "J2" else store.complete(
            "J2", lease.token, "{}"
        )
    store.redrive("J3", actor="ann", note="again")
    return shared()


def test_what_is_answered_looks_as_described() -> None:
    """One good request of every kind, and the refusals that each knows."""
    api = busy()
    bodies = {
        "submit": [
            {"type": "mail"},
            {"type": "mail", "requestKey": "k"},
            {"type": "mail", "requestKey": "k"},
            {},
        ],
        "claim": [{"workerId": "w", "leaseMillis": 1000, "limit": 2}, {"workerId": "w", "leaseMillis": 0}],
        "renew": [{"generation": 1, "leaseMillis": 1000}, {"generation": 5, "leaseMillis": 1000}],
        "complete": [{"generation": 1}, {"generation": 1}, {"generation": 2}],
        "redrive": [{"note": "x"}, {"note": "x"}, {}],
        "redrive_many": [{"note": "x", "ids": ["J4", "J1"]}],
        "pause": [{"type": "mail"}, {}],
        "resume": [{"type": "mail"}, {}],
    }
    seen = set()
    for method, path, operation in OPERATIONS:
        target = path.removeprefix(PREFIX).replace("{type}", "mail")
        job = {"cancel": "J5", "redrive": "J4"}.get(operation["operationId"], "J1")
        for body in bodies.get(operation["operationId"], [{"generation": 1}]):  # type: ignore[attr-defined]
            for id_ in (job, "J999"):
                url, token = target.replace("{job_id}", id_), token_for(operation)
                answer = api.get(url, token) if method == "get" else api.post(url, token, body)
                checked(answer, path, method)
                seen.add(answer.status_code)
            checked(api.ask(method.upper(), target.replace("{job_id}", job), None), path, method)
    assert {200, 201, 400, 404, 409, 422} <= seen


described = schemathesis.openapi.from_dict(DOCUMENT)


@pytest.mark.parametrize(("method", "path", "operation"), OPERATIONS, ids=lambda value: str(value)[:40])
def test_whatever_fits_the_description_is_answered_as_described(method: Any, path: Any, operation: Any) -> None:
    """Drawn requests, right ones and wrong ones: never a fault, always a described answer."""

    @settings(max_examples=20, deadline=None, suppress_health_check=list(HealthCheck))
    @given(
        case=described[path][method.upper()].as_strategy(generation_mode=schemathesis.GenerationMode.POSITIVE)
        | described[path][method.upper()].as_strategy(generation_mode=schemathesis.GenerationMode.NEGATIVE),
        job_id=st.sampled_from(["J1", "J2", "J3", "J4", "J5", None]),
    )
    def drawn(case: Any, job_id: Any) -> None:
        api = busy()
        if job_id is not None and "job_id" in path:
            case.path_parameters = {**(case.path_parameters or {}), "job_id": job_id}
        headers = {"Authorization": f"Bearer {token_for(operation)}"}
        answer = case.call(base_url="http://localhost", headers=headers, app=api.app)
        assert answer.status_code < 500
        assert answer.status_code in {int(code) for code in operation["responses"]} | {308, 404, 405}

    drawn()
