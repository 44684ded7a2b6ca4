"""Addresses beside the board: its timeline and charts as files, and the answers to its questions."""

import hashlib
from base64 import b64encode

from flask import Blueprint, Response, abort, request
from werkzeug.wrappers import Response as BaseResponse

from jobqueue.simulation import charts, picture
from jobqueue.simulation.picture import TimelinePicture
from jobqueue.simulation.timeline_text import timeline_text
from webui.board.actions import changed, lab_to_change, whole_number
from webui.board.labs import Lab
from webui.board.look import Look
from webui.board.pages import gone, shelf
from webui.board.panels import part_of
from webui.board.view import charts_of

panels = Blueprint("panels", __name__)


@panels.get("/labs/<lab_id>/timeline.<form>")
def timeline(lab_id: str, form: str) -> Response:
    """Return the timeline as a file, SVG or text; `from` and `to` choose a window, in seconds."""
    lab = shelf().find(lab_id)
    if lab is None:
        return gone(lab_id)
    if form not in {"svg", "txt"}:
        abort(404, "A timeline is there as .svg and as .txt.")
    with lab.lock:
        part = part_of(lab.world.timeline(), Look.of(request.args))
    if form == "txt":
        return _file(timeline_text(part), "text/plain", f"{lab.scenario.name}.txt")
    svg = TimelinePicture(part, standalone=True).svg()
    return _file(svg, "image/svg+xml", f"{lab.scenario.name}.svg", style=picture.STYLE)


@panels.get("/labs/<lab_id>/chart-<int:number>.svg")
def chart(lab_id: str, number: int) -> Response:
    """Return one of the charts below the timeline as a file."""
    lab = shelf().find(lab_id)
    if lab is None:
        return gone(lab_id)
    with lab.lock:
        drawn = charts_of(lab.world, lab.world.jobs(), standalone=True)
    if not 1 <= number <= len(drawn):
        abort(404, "There is no such chart on this board.")
    return _file(drawn[number - 1][1], "image/svg+xml", f"{lab.scenario.name}-chart-{number}.svg", charts.STYLE)


@panels.post("/labs/<lab_id>/predict")
def predict(lab_id: str) -> Response | BaseResponse:
    """Begin or stop asking, mark an answer, or leave a question out."""
    form, shown = request.form.to_dict(), whole_number("shown")
    lab = lab_to_change(lab_id)
    if lab is None:
        return gone(lab_id)
    with lab.lock:
        lab.catch_up(shown)
        lab.pause()
        lab.notice = None
        lab.revision += 1
        _predict(lab, form)
        return changed(lab, lab_id, anchor="predict")


def _predict(lab: Lab, form: dict[str, str]) -> None:
    match form.get("do", "answer"):
        case "begin":
            lab.predictions.switch(on=True)
        case "stop":
            lab.predictions.switch(on=False)
        case "skip":
            lab.predictions.skip(lab.world, form.get("key", ""))
        case _:
            lab.predictions.answer(lab.world, form.get("key", ""), form.get("given", "")[:40])


def _file(text: str, kind: str, name: str, style: str = "") -> Response:
    """Return a file to be kept; a picture may use the style sheet that it brings along, and nothing else."""
    response = Response(text, mimetype=kind)
    response.headers["Content-Disposition"] = f'inline; filename="{name}"'
    if style:
        own = b64encode(hashlib.sha256(style.encode()).digest()).decode()
        response.headers["Content-Security-Policy"] = f"default-src 'none'; style-src 'sha256-{own}'"
    return response
