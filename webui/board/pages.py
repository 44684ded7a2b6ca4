"""The pages that only show: gallery, scenario, board, source code. Nothing here changes anything."""

from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import urlencode

from flask import (
    Blueprint,
    Response,
    abort,
    current_app,
    g,
    make_response,
    redirect,
    render_template,
    request,
    url_for,
)
from werkzeug.wrappers import Response as BaseResponse

from jobqueue.simulation import CHAPTERS, SCENARIOS, Scenario
from jobqueue.simulation.rule_settings import RULES, RuleSettings
from webui.board.forms import fields, typed_of
from webui.board.labs import SPEEDS, Lab, Shelf
from webui.board.look import Look
from webui.board.panels import panels_of
from webui.board.texts import further_of
from webui.board.travel import settings_of, travel_of
from webui.board.view import BoardView, board_of, parameters_of, teaser_of
from webui.failures import is_fragment_wanted, problem

pages = Blueprint("pages", __name__)
_THUMB_WIDTH = 440


def shelf() -> Shelf:
    """Return the labs of this application."""
    found = current_app.extensions["labs"]
    assert isinstance(found, Shelf), "create_app puts it there"  # noqa: S101 - for the type checker
    return found


def action_url(lab_id: str, verb: str) -> str:
    """Return the address of an action; a board has some forty of them, so what they share is made once."""
    if g.get("lab") != lab_id:
        g.lab, g.lab_url = lab_id, url_for("pages.lab", lab_id=lab_id)
    return f"{g.lab_url}/{verb}"


def render_board(
    lab: Lab, *, typed: Mapping[str, str] | None = None, errors: Mapping[str, str] | None = None
) -> str:
    """Return the board of a lab, as a fragment for htmx or within its page.

    Args:
        lab: the lab.
        typed: what was typed into the form for other rules; by default the rules that there are.
        errors: what is wrong with it, by field.
    """
    view, look = BoardView.of(lab.world), look_of_request()
    board, travel = board_of(lab, view), travel_of(lab, view)
    kept = {} if lab.is_shared or travel.code is None else {"s": travel.code}
    shown: dict[str, Any] = {
        "board": board,
        "travel": travel,
        "panels": panels_of(lab, look, view),
        "look_url": _addresses(lab, kept | look.query),
        "kept": kept | look.query,
        "speeds": SPEEDS,
    }
    if is_fragment_wanted():
        return render_template("partials/board.html", **shown)
    rules = typed or typed_of(RuleSettings.of(lab.scenario), RULES)
    return render_template(
        "lab.html",
        **shown,
        scenario=lab.scenario,
        parameters=[*settings_of(lab), *parameters_of(lab.scenario)],
        rule_fields=fields(RULES, rules, errors or {}),
        rule_errors=len(errors or {}),
        further=further_of(lab.scenario),
        is_in_gallery=lab.scenario.name in SCENARIOS,
    )


def look_of_request() -> Look:
    """Return what the page looks at: its own address says so, and an action says it of the page it is on."""
    if request.method == "GET":
        return Look.of(request.args)
    headers = request.headers
    told = request.form.get("look") or headers.get("HX-Current-URL") or headers.get("Referer", "")
    return Look.of_address(told)


def _addresses(lab: Lab, kept: Mapping[str, str]) -> Callable[..., str]:
    """Return what makes addresses of this board with something else to look at; None takes a field away.

    Each holds the board's whole state, so it brings the board back when the server has dropped it. There is one
    on every card, so what they share is made once.
    """
    here = url_for("links.shared", code=lab.id) if lab.is_shared else url_for("pages.lab", lab_id=lab.id)

    def address(**changes: str | None) -> str:
        query = {name: value for name, value in {**kept, **changes}.items() if value is not None}
        return f"{here}?{urlencode(query)}" if query else here

    return address


def gone(lab_id: str) -> Response:
    """Return the answer for a lab that is not on the shelf: what happened, and how to go on."""
    scenario = SCENARIOS.get(lab_id.split("-", 1)[0])
    text = (
        "Boards live in memory. This one was dropped to make room for newer ones, or the program was restarted."
    )
    return problem(410, "This board is no longer here", text, scenario)


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
        "scenario.html",
        scenario=found,
        parameters=parameters_of(found),
        picture=teaser_of(found),
        further=further_of(found),
    )


@pages.get("/labs/<lab_id>")
def lab(lab_id: str) -> Response | BaseResponse:
    """Show a running board; one that was dropped, as its address says it was."""
    found = shelf().find(lab_id)
    if found is None and request.args.get("s"):
        return redirect(url_for("links.shared", code=request.args["s"]))
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
