"""Links, files and the free lab: boards that come from elsewhere than the gallery, and leave for elsewhere."""

from contextlib import closing

from flask import Blueprint, Response, abort, make_response, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from jobqueue.simulation.link import LARGEST_FILE, BadLinkError, decode, from_file, to_file
from jobqueue.simulation.saved_test import as_test
from webui.board.free_form import BadFormError, read_recipe, sections, typed_recipe
from webui.board.labs import Lab
from webui.board.pages import gone, render_board, shelf
from webui.failures import problem

links = Blueprint("links", __name__)
_MOST_FIELDS = 400


@links.get("/b/<code>")
def shared(code: str) -> Response:
    """Show the board that a link says, played anew; nothing is kept of it."""
    return make_response(render_board(Lab(code, decode(code))))


@links.get("/labs/<lab_id>/test.py")
def save_as_test(lab_id: str) -> Response:
    """Return the story as a test for pytest."""
    lab = _existing(lab_id)
    with lab.lock:
        recipe = lab.branches.playback.recipe
    return _download(as_test(recipe), f"test_{recipe.name}.py", "text/x-python")


@links.get("/labs/<lab_id>/story.json")
def save_as_file(lab_id: str) -> Response:
    """Return the whole state as a file, however long it is."""
    lab = _existing(lab_id)
    with lab.lock:
        recipes = lab.branches.recipes()
    return _download(to_file(recipes), f"{recipes[0].name}.json", "application/json")


def _existing(lab_id: str) -> Lab:
    lab = shelf().find(lab_id)
    if lab is None:
        abort(gone(lab_id))
    return lab


def _download(text: str, name: str, mimetype: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, mimetype=mimetype, headers=headers)


@links.get("/open")
def open_form() -> str:
    """Show the form that opens a saved board."""
    return render_template("open.html")


@links.post("/boards")
def open_file() -> Response | BaseResponse:
    """Open a board from a file."""
    request.max_content_length = LARGEST_FILE + 10_000  # other forms are smaller
    upload = request.files.get("file")
    if upload is None or not upload.filename:
        return problem(400, "No file was chosen", "Choose a file that a board has saved, then open it.")
    with closing(upload):  # a large one lies on the disk until then
        content = upload.stream.read(LARGEST_FILE + 1)
    recipes = from_file(content)
    lab = shelf().open(recipes)
    return redirect(url_for("pages.lab", lab_id=lab.id, s=lab.code()), 303)


@links.get("/free")
def free_form() -> str:
    """Show the form of the free lab, with the settings of a link if there is one."""
    code = request.args.get("s", "")
    return _free_page(typed_recipe(decode(code)[0] if code else None), {})


@links.post("/free/labs")
def open_free_lab() -> Response | BaseResponse:
    """Open a free lab with what was set; what cannot be comes back, with words at its field."""
    request.max_form_parts = _MOST_FIELDS
    typed = request.form.to_dict()
    try:
        recipe = read_recipe(typed)
    except BadFormError as wrong:
        return make_response(_free_page(typed, wrong.errors), 422)
    return redirect(url_for("pages.lab", lab_id=shelf().open([recipe]).id), 303)


def _free_page(typed: dict[str, str], errors: dict[str, str]) -> str:
    return render_template("free.html", sections=sections(typed, errors), errors=len(errors))


def bad_link(wrong: BadLinkError) -> Response:
    """Return the page for a link or a file that opens no board."""
    return problem(400, "This does not open a board", str(wrong))
