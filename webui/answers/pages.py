"""Run my answer: pages on which a learner's own queue plays a story, step by step.

Only a POST runs anything. What was recorded is kept for a while, and looking at it is free.
"""

import importlib.util
import secrets
from collections import OrderedDict
from pathlib import Path
from threading import BoundedSemaphore, Lock

from flask import (
    Blueprint,
    Response,
    abort,
    current_app,
    make_response,
    redirect,
    render_template,
    request,
    url_for,
)
from werkzeug.wrappers import Response as BaseResponse

from exercises.grader.errors import ExerciseError
from exercises.grader.judging.answers import AnswerFile
from exercises.grader.judging.catalogue import Exercise, find
from exercises.playback.interfaces import STORIES
from exercises.playback.player import play_check, play_scenario, shown_check
from exercises.playback.recording import Recording
from jobqueue.simulation import SCENARIOS
from webui.answers.recording import board_at, broken_at
from webui.failures import problem

answers = Blueprint("answers", __name__)

MOST_RECORDINGS = 40
MOST_AT_ONCE = 2
_WAIT_SECONDS = 10.0


class Recordings:
    """A bounded number of recordings; where there is no room, the oldest goes."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Recording] = OrderedDict()
        self._lock = Lock()
        self.running = BoundedSemaphore(MOST_AT_ONCE)

    def keep(self, recording: Recording) -> str:
        """Keep a recording and return its id, which nobody can guess."""
        name = secrets.token_urlsafe(9)
        with self._lock:
            self._kept[name] = recording
            while len(self._kept) > MOST_RECORDINGS:
                self._kept.popitem(last=False)
        return name

    def find(self, name: str) -> Recording | None:
        """Return a recording; None if it was dropped or never was."""
        with self._lock:
            return self._kept.get(name)


@answers.get("/answers/<name>")
def answer(name: str) -> Response:
    """Show which stories an answer can play, the failing check's first."""
    exercise = _exercise(name)
    file = AnswerFile.of(exercise, _folder())
    check = shown_check(exercise, request.args.get("check", ""))
    return make_response(
        render_template(
            "answer.html",
            exercise=exercise,
            path=file.whole_path,
            is_there=file.path.is_file(),
            check=check,
            stories=[SCENARIOS[story] for story in STORIES[exercise.short]],
        )
    )


@answers.post("/answers/<name>/runs")
def play(name: str) -> Response | BaseResponse:
    """Let the answer play a story, or the conversation of a check, and lead to the recording."""
    exercise = _exercise(name)
    try:
        source = importlib.util.decode_source(AnswerFile.of(exercise, _folder()).read(exercise))
    except ExerciseError as missing:
        return problem(404, "There is no answer yet", str(missing))
    except (SyntaxError, LookupError, ValueError):
        return problem(
            400, "The answer cannot be read", "Save it as UTF-8, without a line that names a coding."
        )
    running = _recordings().running
    if not running.acquire(timeout=_WAIT_SECONDS):
        return problem(503, "Too much at once", "Other answers are playing just now. Try again in a moment.")
    try:
        recording, is_check = _play(exercise, source)
    except LookupError as unknown:
        return problem(404, "There is no such story", f"{unknown}.")
    finally:
        running.release()
    step = len(recording.frames) if is_check else broken_at(recording) or 1
    return redirect(url_for("answers.run", run_id=_recordings().keep(recording), step=step), 303)


@answers.get("/answers/runs/<run_id>")
def run(run_id: str) -> Response:
    """Show one step of a recording."""
    recording = _recordings().find(run_id)
    if recording is None:
        text = "Recordings live in memory. This one was dropped to make room, or the program was restarted."
        return problem(410, "This recording is no longer here", text)
    typed = request.args.get("step", "1")
    step = int(typed) if typed.isascii() and typed.isdigit() and len(typed) < 7 else 1  # noqa: PLR2004
    board = board_at(recording, step)
    return make_response(
        render_template(
            "run.html",
            board=board,
            run_id=run_id,
            exercise=recording.exercise,
            here=lambda: request.full_path,
        )
    )


def _play(exercise: Exercise, source: str) -> tuple[Recording, bool]:
    if check := request.form.get("check"):
        return play_check(exercise, source, check), True
    return play_scenario(exercise, source, request.form.get("story", "")), False


def _exercise(name: str) -> Exercise:
    try:
        exercise = find(name[:60])
    except ExerciseError:
        abort(404, "There is no such exercise.")
    if exercise.short not in STORIES:
        abort(404, "The queue of this exercise cannot be shown on the board.")
    return exercise


def _folder() -> Path:
    """Return where the learner works; a board that serves others runs nobody's files."""
    folder = current_app.config["WORK_FOLDER"]
    if folder is None:
        abort(404, "This board runs no answers. Start one where yours are: jobkit board.")
    return Path(folder)


def _recordings() -> Recordings:
    found = current_app.extensions["recordings"]
    assert isinstance(found, Recordings), "create_app puts it there"  # noqa: S101 - for the type checker
    return found
