"""The board: a Flask application around simulated worlds. Importing it starts nothing."""

import re
from collections.abc import Mapping
from typing import Any

from flask import Flask, Response
from werkzeug.exceptions import HTTPException

from jobqueue.simulation.link import BadLinkError
from webui import api
from webui.answers.pages import Recordings, answers
from webui.board.actions import actions
from webui.board.labs import Shelf
from webui.board.links import bad_link, links
from webui.board.pages import action_url, pages
from webui.board.panel_pages import panels
from webui.board.texts import texts
from webui.failures import problem, words_of
from webui.live.instants import iso, utc
from webui.live.routes import live
from webui.live.service import Service
from webui.prefix import Prefix
from webui.security import guard

_NUMBER_AND_UNIT = re.compile(r"(\d) s\b")

DEFAULTS: dict[str, Any] = {
    "MOST_LABS": 400,  # boards kept at once
    "FRAME_ANCESTORS": ["http://127.0.0.1:*", "http://localhost:*"],  # notebooks show the board in a frame
    "MAX_CONTENT_LENGTH": 64 * 1024,  # bytes of one form
    "WORK_FOLDER": None,  # where the learner's answers/ lies; None to run nobody's files
    "PREFIX": "",  # the folder that a proxy gives us in a larger site, such as /user/ada/jobkit
    "ALLOWED_HOSTS": ("127.0.0.1", "localhost", "::1"),  # the names we answer to; None for all
}


def create_app(config: Mapping[str, Any] | None = None, service: Service | None = None) -> Flask:
    """Return the application.

    Args:
        config: settings that replace those in `DEFAULTS`.
        service: a queue to be served as well, by API and pages; None for the simulated boards alone.
    """
    app = Flask(__name__)
    app.config.update(DEFAULTS)
    app.config.update(config or {})
    app.jinja_options = {"trim_blocks": True, "lstrip_blocks": True}
    app.extensions["labs"] = Shelf(app.config["MOST_LABS"])
    app.register_blueprint(pages)
    app.register_blueprint(actions)
    app.register_blueprint(panels)
    app.extensions["recordings"] = Recordings()
    app.register_blueprint(answers)
    app.register_blueprint(links)
    app.register_blueprint(texts)
    app.register_error_handler(BadLinkError, bad_link)
    if service is not None:
        app.extensions["service"] = service
        api.register(app)
        app.register_blueprint(live)
    app.register_error_handler(HTTPException, _friendly)
    guard(app)
    if app.config["PREFIX"]:
        app.wsgi_app = Prefix(app.wsgi_app, app.config["PREFIX"])  # type: ignore[method-assign]
    app.add_template_global(action_url)
    app.add_template_filter(_kept_together, "kept_together")
    app.add_template_filter(utc, "utc")
    app.add_template_filter(iso, "iso")
    app.jinja_env.globals["has_live"] = service is not None
    return app


def _kept_together(text: str) -> str:
    """Return text in which no line breaks between a number and its unit."""
    return _NUMBER_AND_UNIT.sub("\\1\N{NO-BREAK SPACE}s", text)


def _friendly(error: HTTPException) -> Response:
    """Show what went wrong as a page of ours, with a way on; to a program, as JSON."""
    if api.is_api():
        return api.problem_of(error)
    answer = problem(error.code or 500, *words_of(error))
    # What the error itself has to say, such as which methods are allowed.
    answer.headers.extend(kept for kept in error.get_headers() if kept[0] != "Content-Type")
    return answer
