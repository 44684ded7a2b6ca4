"""The pages that only show: gallery, scenario, board, source code. Nothing here changes anything."""

from functools import cache
from importlib.resources import files
from typing import Any

from flask import Blueprint, Response, abort, current_app, make_response, render_template, request, url_for

from jobqueue.simulation import CHAPTERS, SCENARIOS, Scenario
from webui.labs import SPEEDS, Lab, Shelf
from webui.looking import Look
from webui.panels import panels_of
from webui.presenters import board_of, parameters_of, teaser_of

pages = Blueprint("pages", __name__)
_THUMB_WIDTH = 440


def shelf() -> Shelf:
    """Return the labs of this application."""
    found = current_app.extensions["labs"]
    assert isinstance(found, Shelf), "create_app puts it there"  # noqa: S101 - for the type checker
    return found


def is_fragment_wanted() -> bool:
    """Return whether htmx asks, which replaces the board and leaves the page around it."""
    return request.headers.get("HX-Request") == "true"


def render_board(lab: Lab) -> str:
    """Return the board of a lab, as a fragment for htmx or within its page."""
    template = "partials/board.html" if is_fragment_wanted() else "lab.html"
    return render_template(
        template,
        board=board_of(lab),
        panels=panels_of(lab, _look()),
        look_url=_look_url,
        kept=request.args.to_dict() if request.method == "GET" else _look().query,
        scenario=lab.scenario,
        parameters=parameters_of(lab.scenario),
        speeds=SPEEDS,
    )


def _look() -> Look:
    """Return what the page looks at: by its own address, or for a fragment by that of the page around it."""
    if request.method == "GET":
        return Look.of(request.args)
    return Look.of_address(request.form.get("look", "") or request.headers.get("HX-Current-URL", ""))


def _look_url(board_id: str, **fields: str | None) -> str:
    """Return the address of this board with something else to look at; None takes a field away."""
    query: dict[str, Any] = request.args.to_dict() if request.method == "GET" else _look().query
    query = {name: value for name, value in (query | fields).items() if value is not None}
    if request.method == "GET" and request.endpoint is not None:
        return url_for(request.endpoint, **((request.view_args or {}) | query))
    return url_for("pages.lab", lab_id=board_id, **query)


def gone(lab_id: str) -> Response:
    """Return the answer for a lab that is not on the shelf: what happened, and how to go on."""
    scenario = SCENARIOS.get(lab_id.split("-", 1)[0])
    text = (
        "Boards live in memory. This one was dropped to make room for newer ones, or the program was restarted."
    )
    return problem(410, "This board is no longer here", text, scenario)


def problem(code: int, title: str, text: str, scenario: Scenario | None = None) -> Response:
    """Return a page, or for htmx a card in the board's place, that says what went wrong and offers a way on."""
    template = "partials/problem.html" if is_fragment_wanted() else "problem.html"
    return make_response(render_template(template, code=code, title=title, text=text, scenario=scenario), code)


@pages.get("/")
def gallery() -> str:
    """Show all scenarios."""
    chapters = {
        title: [(scenario, _thumb(scenario.name)) for scenario in chapter]
        for title, chapter in CHAPTERS.items()
    }
    return render_template("gallery.html", chapters=chapters)


@cache
def _thumb(name: str) -> str:
    """Return the small picture of a scenario; it is the same each time, and takes a while to play."""
    return teaser_of(SCENARIOS[name], width=_THUMB_WIDTH)


@pages.get("/scenarios/<name>")
def scenario(name: str) -> str:
    """Show what a scenario is about and what decides its outcome."""
    found: Scenario | None = SCENARIOS.get(name)
    if found is None:
        abort(404, "There is no such scenario.")
    return render_template(
        "scenario.html", scenario=found, parameters=parameters_of(found), picture=teaser_of(found)
    )


@pages.get("/labs/<lab_id>")
def lab(lab_id: str) -> Response:
    """Show a running board."""
    found = shelf().find(lab_id)
    if found is None:
        return gone(lab_id)
    with found.lock:
        return make_response(render_board(found))


@pages.get("/code/jobqueue/<path:name>")
def code(name: str) -> str:
    """Show a file of the queue's own code, so that a rule can be read where it is kept."""
    folder = files("jobqueue")
    known = {
        f"{where}{entry.name}": entry
        for where, place in (
            ("", folder),
            ("simulation/", folder / "simulation"),
            ("simulation/flawed/", folder / "simulation" / "flawed"),
            ("scheduling/", folder / "scheduling"),
        )
        for entry in place.iterdir()
        if entry.name.endswith(".py")
    }
    if name not in known:
        abort(404, "There is no such file.")
    lines = known[name].read_text(encoding="utf-8").splitlines()
    return render_template("code.html", name=f"jobqueue/{name}", lines=lines)
