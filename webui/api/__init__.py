"""The HTTP API: JSON in, JSON out, every route from one table."""

from functools import cache
from importlib.metadata import version
from typing import Any

from flask import Blueprint, Flask, Response, request
from werkzeug.routing import PathConverter

from webui.api.calls import ANYBODY, Call, Route, answer, view_of
from webui.api.openapi import description
from webui.api.problems import problem_of
from webui.api.table import PREFIX, ROUTES

__all__ = ["is_api", "problem_of", "register"]


@cache
def document() -> dict[str, Any]:
    """Return the description of the API; it describes itself, too."""
    return description((*ROUTES, DESCRIPTION), PREFIX, version("jobkit"))


def _describe(_call: Call) -> Response:
    return answer(document())


DESCRIPTION = Route(
    "GET",
    "/openapi.json",
    "describe",
    "This description.",
    _describe,
    ANYBODY,
    {200: dict},
    problems=frozenset({400, 403}),
)
_AT_THE_ROOT = ("metrics", "healthz")
"""Scrapers and load balancers look for these at the root."""


class AnyName(PathConverter):
    """A name in an address: slashes and line breaks are part of it, wherever they are."""

    part_isolating = False
    regex = "(?s:.+)"


def register(app: Flask) -> None:
    """Serve the API in an application that serves a queue."""
    app.url_map.converters["name"] = AnyName
    app.url_map.merge_slashes = False  # an empty id is not found, rather than a redirect to another act
    api = Blueprint("api", __name__, url_prefix=PREFIX)
    for route in (*ROUTES, DESCRIPTION):
        view = view_of(route)
        api.add_url_rule(route.path, route.name, view, methods=[route.method])
        if route.name in _AT_THE_ROOT:
            app.add_url_rule(route.path, f"root_{route.name}", view, methods=[route.method])
    app.register_blueprint(api)


def is_api() -> bool:
    """Return whether a request is for the API, also one that no route fits."""
    return request.path == PREFIX or request.path.startswith(f"{PREFIX}/")
