"""Everything that changes a lab, each by POST: time, branches, workers, jobs. The answer is the board then."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

from flask import Blueprint, Response, abort, make_response, redirect, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from jobqueue.simulation import SCENARIOS
from jobqueue.simulation.link import BadLinkError
from jobqueue.simulation.units import in_seconds
from webui.board.free_form import read_rules
from webui.board.labs import Lab, Notice, RefusedError
from webui.board.pages import gone, look_of_request, render_board, shelf
from webui.failures import is_fragment_wanted

actions = Blueprint("actions", __name__)

_POKES = {
    "cancel": "is cancelled",
    "redrive": "is ready again, with a new set of attempts",
    "fail": "is reported as failed",
    "crash": "has crashed",
    "restart": "has restarted, with empty hands",
    "freeze": "stands still",
    "thaw": "is awake again",
    "pause_type": "is paused: no job of it is handed out",
    "resume_type": "is resumed",
    "take_down": "fails from now on: what it needs is down",
    "bring_up": "goes well again: what it needs is up",
}
_TIME = frozenset({"step", "second", "play", "pause", "reset", "back", "seek", "jump"})
_BRANCHES = frozenset({"fork", "fork_rules", "switch", "compare", "alone", "forget"})
_VERBS = frozenset({"submit", *_TIME, *_BRANCHES, *_POKES})


@actions.post("/scenarios/<name>/labs")
def open_lab(name: str) -> BaseResponse:
    """Open a new board of a scenario."""
    scenario = SCENARIOS.get(name)
    if scenario is None:
        abort(404, "There is no such scenario.")
    return redirect(url_for("pages.lab", lab_id=shelf().open(scenario).id), 303)


@actions.post("/labs/<lab_id>/tick")
def tick(lab_id: str) -> Response | BaseResponse:
    """Go on to what is due, if the lab plays."""
    revision = whole_number("revision", -1)  # read before the lock: whoever sends slowly holds up only himself
    form = request.form.to_dict()
    lab = shelf().find(lab_id)
    if lab is None:
        lab = restored(lab_id)
        if lab is None:
            return gone(lab_id)
        with lab.lock:
            lab.play(form.get("speed", lab.speed))
    with lab.lock:
        lab.tick(revision)
        return make_response(render_board(lab))


@actions.post("/labs/<lab_id>/<verb>")
def act(lab_id: str, verb: str) -> Response | BaseResponse:
    """Do one thing to a lab; if it is refused, the board says why."""
    form, shown = request.form.to_dict(), whole_number("shown")
    if verb not in _VERBS:
        abort(404, "There is no such action.")
    lab = lab_to_change(lab_id)
    if lab is None:
        return gone(lab_id)
    with lab.lock:
        lab.catch_up(shown)
        lab.notice = None
        errors: dict[str, str] = {}
        try:
            _do(lab, verb, form, errors)
        except RefusedError as refusal:
            lab.notice = Notice(in_seconds(str(refusal)), is_refusal=True)
        lab.revision += 1
        if errors:
            return make_response(render_board(lab, typed=form, errors=errors), 422)
        return changed(lab, lab_id)


def _do(lab: Lab, verb: str, form: dict[str, str], errors: dict[str, str]) -> None:
    if verb in _TIME:
        _move(lab, verb, form)
    elif verb in _BRANCHES:
        _branch(lab, verb, form, errors)
    elif verb == "submit":
        names = ("type", "payload", "priority", "delay", "tenant")
        job_id = lab.submit({name: form.get(name, "") for name in names})
        lab.notice = Notice(f"{job_id} is submitted.")
    else:
        target = form.get("target", "")
        kept = " What lay ahead is kept, in the branch beside this one." if lab.poke(verb, target) else ""
        lab.notice = Notice(f"{target} {_POKES[verb]}.{kept}")


def _move(lab: Lab, verb: str, form: dict[str, str]) -> None:
    if verb == "play":
        lab.play(form.get("speed", lab.speed))
        return
    lab.pause()
    match verb:
        case "step":
            lab.step()
        case "second":
            lab.second()
        case "reset":
            lab.reset()
        case "back":
            lab.back()
        case "seek":
            lab.seek(form.get("at", ""))
        case "jump":
            lab.jump(form.get("target", ""))


def _branch(lab: Lab, verb: str, form: dict[str, str], errors: dict[str, str]) -> None:
    branches = lab.branches
    number = _number(form.get("target", ""))
    match verb:
        case "fork":
            branches.fork()
            lab.notice = Notice(f"This is branch {branches.number}, and the old one stands beside it.")
        case "fork_rules":
            rules = read_rules(form, errors)
            if rules is not None:
                branches.fork_with_rules(rules)
                lab.notice = Notice(f"This is branch {branches.number}, with other rules from the beginning.")
        case "switch":
            branches.switch(number)
        case "compare":
            branches.compare(number)
        case "alone":
            branches.show_alone()
        case "forget":
            branches.drop(number)
            lab.notice = Notice(f"Branch {number} is forgotten.")


def _number(typed: str) -> int:
    return int(typed) if typed.isascii() and typed.isdigit() and len(typed) < len("1000") else -1


# -- which lab, and how it answers -----------------------------------------------------------------------


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
