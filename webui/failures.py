"""What went wrong with a request: its page, and the kit's own words for each status."""

from flask import Response, current_app, make_response, render_template, request
from werkzeug.exceptions import HTTPException, MethodNotAllowed

from jobqueue.simulation import Scenario

_WORDS = {
    400: ("This request can't be read", "Something in it isn't as this page expects. Go back and try again."),
    401: ("Sign in first", "These pages need an operator's token."),
    403: ("This isn't allowed from here", "Open the page by its own address and try again."),
    404: ("There's nothing here", "No page has this address. Check it, or go on from one of these:"),
    405: ("This address can't do that", "Go back and use the button on the page."),
    408: ("This took too long", "The request didn't arrive in time. Try again."),
    409: ("Somebody was faster", "This has changed meanwhile. Go back, load the page again and look."),
    410: ("This is no longer here", "It was dropped to make room, or the program was restarted."),
    413: ("This is too large", "The form holds more than is read. Shorten it, then send it again."),
    414: ("This address is too long", "Open the page without what was added to its address."),
    415: ("This format can't be read", "Send it as the form on the page does."),
    422: ("This can't be done", "A value isn't as expected. Go back and correct it."),
    429: ("Too many requests", "Wait a moment, then try again."),
    500: (
        "The kit made a mistake",
        "It isn't your fault, and other pages still work. The board's terminal shows the details.",
    ),
    503: ("Too busy just now", "Try again in a moment."),
}
_OTHER = ("This didn't work", "Go back and try again.")


def words_of(error: HTTPException) -> tuple[str, str]:
    """Return a title and a text; the text is the error's own where the kit raised it.

    >>> from werkzeug.exceptions import Gone, NotFound
    >>> words_of(NotFound("There is no such job."))
    ("There's nothing here", 'There is no such job.')
    >>> words_of(Gone())[1]
    'It was dropped to make room, or the program was restarted.'
    """
    title, text = _WORDS.get(error.code or 500, _OTHER)
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        text = f"It answers to {' and '.join(sorted(error.valid_methods))} only. {text}"
    # The framework's description is on the class; one given at the raise is on the error alone.
    return title, error.description if "description" in vars(error) and error.description else text


def problem(code: int, title: str, text: str, scenario: Scenario | None = None) -> Response:
    """Return a page, or for htmx a card in the board's place, that says what went wrong and offers a way on."""
    template = "partials/problem.html" if is_fragment_wanted() else "problem.html"
    is_live = "service" in current_app.extensions and f"{request.path}/".startswith("/live/")
    shown = {"code": code, "title": title, "text": text, "scenario": scenario, "is_live": is_live}
    return make_response(render_template(template, **shown), code)


def is_fragment_wanted() -> bool:
    """Return whether htmx asks, which replaces the board and leaves the page around it."""
    return request.headers.get("HX-Request") == "true"
