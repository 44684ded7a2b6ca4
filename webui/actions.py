"""Everything that changes a lab, each by POST: time, branches, workers, jobs. The answer is the board then."""

from flask import Blueprint, Response, abort, make_response, redirect, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from jobqueue.simulation import SCENARIOS
from jobqueue.simulation.narration import in_seconds
from webui.changing import changed, lab_to_change, restored, whole_number
from webui.free_form import read_rules
from webui.labs import Lab, Notice, RefusedError
from webui.pages import gone, render_board, shelf

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
