"""One call of the API: a route's description, and the steps from a request to its answer."""

import json
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from flask import Response, current_app, request

from jobqueue import JobView, UnknownJobError
from jobqueue.wire import LARGEST_ANSWER, LARGEST_BODY, to_wire
from webui.api.bodies import parse
from webui.api.kinds import Kind, from_query
from webui.api.problems import ProblemError, problem_of
from webui.auth import Grant, Role
from webui.live.service import Service

_LARGEST_READ = 4 * LARGEST_BODY
"""A body is read this far although it is too large: whoever still sends would not hear the answer."""

_VARIABLE = re.compile(r"<(?:\w+:)?(\w+)>")
ANYBODY: frozenset[Role] = frozenset()


@dataclass(frozen=True, slots=True)
class Field:
    """One value of a body or of an address."""

    name: str
    kind: Kind
    says: str = ""
    required: bool = False
    default: Any = None


@dataclass(frozen=True, slots=True)
class Call:
    """What a handler gets: who asks, and what for, all read and checked."""

    service: Service
    grant: Grant
    path: Mapping[str, str]
    asked: Mapping[str, Any]

    @property
    def queue(self) -> Any:
        """The queue."""
        return self.service.queue

    def job(self) -> JobView:
        """Return the job of the address; one that the token does not cover is unknown, like any other."""
        job_id = self.path["job_id"]
        with suppress(*() if self.grant.tenants is None else (UnknownJobError,)):
            job: JobView = self.queue.view(job_id)
            if self.grant.covers(job.tenant):
                return job
        # The same words for both, without how many jobs there are: that is the business of other tenants.
        raise UnknownJobError(f"no job has the id {job_id[:40]!a}", job_id=job_id)

    def job_id(self) -> str:
        """Return the id of the address, once it is sure that the token covers the job."""
        return self.path["job_id"] if self.grant.tenants is None else self.job().id

    def need_all_tenants(self) -> None:
        """Refuse a token that covers some tenants only, for what concerns all of them."""
        if self.grant.tenants is not None:
            raise ProblemError(403, "this concerns every tenant, and the token covers only some")


@dataclass(frozen=True, slots=True)
class Route:
    """One operation: its address, who may ask, what is asked, and what is answered."""

    method: str
    path: str
    name: str
    says: str
    handler: Callable[[Call], Response]
    roles: frozenset[Role]
    answers: Mapping[int, type]
    body: tuple[Field, ...] = ()
    query: tuple[Field, ...] = ()
    problems: frozenset[int] = field(default_factory=frozenset)

    @property
    def variables(self) -> list[str]:
        """The names in the address."""
        return _VARIABLE.findall(self.path)

    @property
    def template(self) -> str:
        """The address with its names in braces."""
        return _VARIABLE.sub(r"{\1}", self.path)


def service() -> Service:
    """Return the queue that this application serves."""
    found = current_app.extensions["service"]
    assert isinstance(found, Service), "create_app puts it there"  # noqa: S101 - for the type checker
    return found


def answer(record: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a record as JSON.

    Raises:
        ProblemError: no client of ours would accept so many bytes.
    """
    body = json.dumps(to_wire(record), ensure_ascii=False, allow_nan=False).encode()
    if len(body) > LARGEST_ANSWER:
        raise ProblemError(
            422,
            f"the answer would have {len(body)} bytes, at most {LARGEST_ANSWER} are sent: read it where the "
            "queue is, or as a file on the page of the job",
        )
    return Response(body, status, dict(headers or {}), mimetype="application/json")


def view_of(route: Route) -> Callable[..., Response]:
    """Return what Flask calls for a route."""

    def view(**path: str) -> Response:
        try:
            return route.handler(_call(route, path))
        except Exception as error:  # the one place where every failure becomes an answer
            return problem_of(error)

    return view


def _call(route: Route, path: dict[str, str]) -> Call:
    """Check a request as far as it can be without the queue."""
    found = service()
    if not found.access.admits(request.remote_addr):
        raise ProblemError(403, "no tokens are configured here, so only this machine itself is answered")
    grant = _grant(found, route)
    asked = _read_query(route) if request.method in {"GET", "HEAD"} else _read_body(route)
    return Call(found, grant, path, asked)


def _grant(found: Service, route: Route) -> Grant:
    """Return who asks, if the route is for such as they."""
    if not route.roles:
        return Grant("anybody", Role.OPERATOR)
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    grant = found.access.find(token.strip()) if scheme.lower() == "bearer" else None
    if grant is None:
        words = "send a good token in a header, Authorization: Bearer TOKEN"
        raise ProblemError(401, words, WWW_Authenticate='Bearer realm="jobkit"')
    if grant.role not in route.roles:
        allowed = " or ".join(sorted(route.roles))
        raise ProblemError(403, f"this is for a token of the role {allowed}, and yours is for {grant.role}")
    return grant


def _read_query(route: Route) -> dict[str, Any]:
    """Return the values of the address; whatever is wrong with them is a 400."""
    sent = {name: request.args.getlist(name) for name in request.args}
    twice = next((name for name, values in sent.items() if len(values) > 1), None)
    if twice is not None:
        raise ProblemError(400, f"{twice[:40]}: is there {len(sent[twice])} times, expected once", twice[:40])
    kinds = {each.name: each.kind for each in route.query}
    told = {name: from_query(values[0], kinds[name]) if name in kinds else "" for name, values in sent.items()}
    try:
        return _read_fields(route.query, told)
    except ValueError as error:
        raise TypeError(str(error)) from error


def _read_body(route: Route) -> dict[str, Any]:
    """Return the values of the body. A route that asks for none does not look at it."""
    request.max_content_length = _LARGEST_READ
    try:
        body = request.get_data(cache=False)
    except OSError as error:
        raise ProblemError(400, "the body did not arrive") from error
    if len(body) > LARGEST_BODY:
        raise ProblemError(413, f"the body has {len(body)} bytes, at most {LARGEST_BODY} are read")
    if not route.body:
        return {}
    told = parse(body)
    if not isinstance(told, dict):
        raise ProblemError(400, "the body is JSON, but no object")
    return _read_fields(route.body, told)


def _read_fields(fields: tuple[Field, ...], told: Mapping[str, Any]) -> dict[str, Any]:
    """Return each value by its name; one that is null and may be left out counts as left out."""
    known = [each.name for each in fields]
    for name in told:
        if name not in known:
            shown = ascii(name[:40])
            raise ProblemError(400, f"{shown} is not known here, only {', '.join(known)}", name[:40])
    read = {}
    for each in fields:
        value = told.get(each.name)
        if value is None and not each.required:
            read[each.name] = each.default
        elif each.name not in told:
            raise ProblemError(400, f"{each.name}: is missing", each.name)
        else:
            read[each.name] = each.kind.read(each.name, value)
    return read
