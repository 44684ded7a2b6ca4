"""The description of the API (OpenAPI 3.1), made of the same table and records that answer."""

from collections.abc import Mapping
from dataclasses import is_dataclass
from enum import StrEnum
from http import HTTPStatus
from inspect import cleandoc
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from jobqueue.wire import camel
from webui.api.calls import Field, Route
from webui.api.kinds import Schema

_PLAIN: Mapping[Any, Schema] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    dict: {"type": "object"},
    type(None): {"type": "null"},
}
_PROBLEM: Schema = {
    "type": "object",
    "description": "Why it was refused (RFC 9457), in words, and where a value was wrong, which.",
    "properties": {
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "field": {"type": "string"},
        "error": {"type": "string"},
        "reason": {"enum": ["lease_expired", "stale_generation", "wrong_state"]},
        "jobId": {"type": "string"},
        "jobStatus": {"type": "string"},
        "operation": {"type": "string"},
        "token": {"type": "string"},
        "retryAfterMillis": {"type": "integer"},
    },
    "required": ["title", "status", "detail"],
    "additionalProperties": False,
}


def description(routes: tuple[Route, ...], prefix: str, version: str) -> dict[str, Any]:
    """Return the whole document.

    Args:
        routes: every route.
        prefix: where the API lives.
        version: of the program.
    """
    schemas: dict[str, Schema] = {"Problem": _PROBLEM}
    paths: dict[str, dict[str, Any]] = {}
    for route in routes:
        paths.setdefault(prefix + route.template, {})[route.method.lower()] = _operation(route, schemas)
    return {
        "openapi": "3.1.0",
        "info": {"title": "jobkit", "version": version, "description": "A job queue with leases and tokens."},
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(route: Route, schemas: dict[str, Schema]) -> dict[str, Any]:
    told: dict[str, Any] = {
        "operationId": route.name,
        "summary": route.says,
        "responses": _responses(route, schemas),
        "parameters": [_variable(name) for name in route.variables] + [_parameter(f) for f in route.query],
    }
    if route.roles:
        told["security"] = [{"token": []}]
        told["description"] = f"For a token of the role {' or '.join(sorted(route.roles))}."
    if route.body:
        told["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": _body(route.body)}},
        }
    return told


def _responses(route: Route, schemas: dict[str, Schema]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for status, record in route.answers.items():
        if record is str:
            content: Schema = {"text/plain": {"schema": {"type": "string"}}}
        else:
            content = {"application/json": {"schema": _schema(record, schemas)}}
        found[str(status)] = {"description": HTTPStatus(status).phrase, "content": content}
    for status in sorted(route.problems - set(route.answers)):
        found[str(status)] = {
            "description": HTTPStatus(status).phrase,
            "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
    return found


def _variable(name: str) -> Schema:
    bounds = {"type": "string", "minLength": 1}
    return {"name": name, "in": "path", "required": True, "schema": bounds}


def _parameter(field: Field) -> Schema:
    schema = field.kind.schema() | ({} if field.default is None else {"default": field.default})
    return {"name": field.name, "in": "query", "description": field.says, "schema": schema}


def _body(fields: tuple[Field, ...]) -> Schema:
    """Return the schema of a body; what may be left out may be null as well, which means the same."""
    properties: dict[str, Schema] = {}
    for field in fields:
        schema = field.kind.schema()
        if not field.required:
            schema = {"anyOf": [schema, {"type": "null"}]}
            if field.default is not None:
                schema["default"] = field.default
        properties[field.name] = schema | {"description": field.says}
    required = [field.name for field in fields if field.required]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _schema(kind: Any, schemas: dict[str, Schema]) -> Schema:
    """Return the schema of a type, and put the records that it is made of among the others."""
    if kind in _PLAIN:
        return _PLAIN[kind]
    if isinstance(kind, UnionType):
        return {"anyOf": [_schema(inner, schemas) for inner in get_args(kind)]}
    if get_origin(kind) in {list, tuple}:
        return {"type": "array", "items": _schema(get_args(kind)[0], schemas)}
    if get_origin(kind) is Mapping:
        return {"type": "object", "additionalProperties": _schema(get_args(kind)[1], schemas)}
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        return {"type": "string", "enum": [str(word) for word in kind]}
    return _record(kind, schemas)


def _record(kind: type, schemas: dict[str, Schema]) -> Schema:
    assert is_dataclass(kind), f"no schema for {kind}"  # noqa: S101 - an answer of a new kind
    if kind.__name__ not in schemas:
        schemas[kind.__name__] = {}  # first, for one that contains itself
        hints = get_type_hints(kind)
        schemas[kind.__name__] = {
            "type": "object",
            "description": cleandoc(kind.__doc__ or "").split("\n", maxsplit=1)[0],
            "properties": {camel(name): _schema(hint, schemas) for name, hint in hints.items()},
            "required": [camel(name) for name in hints],
            "additionalProperties": False,
        }
    return {"$ref": f"#/components/schemas/{kind.__name__}"}
