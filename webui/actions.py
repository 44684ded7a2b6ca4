"""Everything that changes a lab, each by POST: time, workers, jobs. The answer is the board as it is then."""

from flask import Blueprint, Response, abort, make_response, redirect, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from jobqueue.simulation import SCENARIOS
from webui.labs import Lab, Notice, RefusedError
from webui.pages import gone, is_fragment_wanted, render_board, shelf

actions = Blueprint("actions", __name__)

_POKES = {
    "cancel": "is cancelled",
    "redrive": "is ready again, with a new set of attempts",
    "crash": "has crashed",
    "restart": "has restarted, with empty hands",
    "freeze": "stands still",
    "thaw": "is awake again",
    "pause_type": "is paused: no job of it is handed out",
    "resume_type": "is resumed",
}

_VERBS = frozenset({"step", "second", "play", "pause", "reset", "submit", *_POKES})


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
    lab = shelf().find(lab_id)
    if lab is None:
        return gone(lab_id)
    revision = _integer("revision", -1)  # read before the lock: whoever sends slowly holds up only himself
    with lab.lock:
        lab.tick(revision)
        return make_response(render_board(lab))


@actions.post("/labs/<lab_id>/<verb>")
def act(lab_id: str, verb: str) -> Response | BaseResponse:
    """Do one thing to a lab; if it is refused, the board says why."""
    lab = shelf().find(lab_id)
    if lab is None:
        return gone(lab_id)
    if verb not in _VERBS:
        abort(404, "There is no such action.")
    form, shown = request.form.to_dict(), _integer("shown", 0)
    with lab.lock:
        lab.catch_up(shown)
        lab.notice = None
        try:
            _do(lab, verb, form)
        except RefusedError as refusal:
            lab.notice = Notice(str(refusal), is_refusal=True)
        lab.revision += 1
        if is_fragment_wanted():
            return make_response(render_board(lab))
    return redirect(url_for("pages.lab", lab_id=lab_id), 303)


def _do(lab: Lab, verb: str, form: dict[str, str]) -> None:
    match verb:
        case "step":
            lab.pause()
            lab.step()
        case "second":
            lab.pause()
            lab.second()
        case "play":
            lab.play(form.get("speed", lab.speed))
        case "pause":
            lab.pause()
        case "reset":
            lab.reset()
        case "submit":
            job_id = lab.submit(
                {name: form.get(name, "") for name in ("type", "payload", "priority", "delay", "tenant")}
            )
            lab.notice = Notice(f"{job_id} is submitted.")
        case _:
            target = form.get("target", "")
            lab.poke(verb, target)
            lab.notice = Notice(f"{target} {_POKES[verb]}.")


def _integer(name: str, default: int) -> int:
    """Return a number that the page sent along; what is no number counts as not sent."""
    try:
        return int(request.form.get(name, "")[:16])
    except ValueError:
        return default
