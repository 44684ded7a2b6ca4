"""Which lab an action is for, and how it answers: the shelf may have dropped it, or it may only show a link."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

from flask import Response, make_response, redirect, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from jobqueue.simulation.link import BadLinkError
from webui.labs import Lab
from webui.pages import is_fragment_wanted, look_of_request, render_board, shelf


def lab_to_change(lab_id: str) -> Lab | None:
    """Return the lab that an action is for; None if it was dropped and nothing says what it was.

    Whoever does something to a link gets a board of their own, and the link stays what it is.
    """
    lab = shelf().find(lab_id) or restored(lab_id)
    return shelf().open(lab.branches.recipes()) if lab is not None and lab.is_shared else lab


def restored(lab_id: str) -> Lab | None:
    """Return a lab that was dropped, from the state that its page sends along; None if it sends none.

    The page's script sends it with each form. Without a script it is in the page's own address.
    """
    code = request.form.get("state") or _state_of(request.headers.get("Referer", ""))
    if not code:
        return None
    try:
        return shelf().restore(lab_id, code)
    except BadLinkError:
        return None


def _state_of(address: str) -> str:
    try:
        return parse_qs(urlsplit(address).query).get("s", [""])[0]
    except ValueError:
        return ""


def changed(lab: Lab, lab_id: str, anchor: str | None = None) -> Response | BaseResponse:
    """Return the board after an action, with what its page looked at still in view.

    Args:
        lab: the lab that has changed.
        lab_id: the one that was asked for; another one if that only shows a link.
        anchor: the part of the page to lead back to.
    """
    if is_fragment_wanted() and lab.id == lab_id:
        return make_response(render_board(lab))
    query: dict[str, Any] = {"s": lab.code(), **look_of_request().query}
    address = url_for("pages.lab", lab_id=lab.id, _anchor=anchor, **query)
    return Response(headers={"HX-Redirect": address}) if is_fragment_wanted() else redirect(address, 303)


def whole_number(name: str, default: int = 0) -> int:
    """Return a number that the page sent along; what is no number counts as not sent."""
    try:
        return int(request.form.get(name, "")[:16])
    except ValueError:
        return default
