"""Who may ask for changes, and what a page may load: headers and one check, for every request alike."""

from urllib.parse import urlsplit

from flask import Flask, Response, abort, current_app, request

_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


def guard(app: Flask) -> None:
    """Refuse foreign names and changes that another site's page asks for, and forbid loading from elsewhere."""
    app.before_request(_refuse_other_names)
    app.before_request(_refuse_other_origins)
    app.after_request(_add_headers)


def _refuse_other_names() -> Response | None:
    """Answer only to names that are this machine's own.

    Any domain can be made to point to 127.0.0.1, and a page of such a domain could then read and press
    everything here as if it were ours.
    """
    allowed = current_app.config["ALLOWED_HOSTS"]
    if allowed is None or _name_of(request.host) in allowed:
        return None
    # Not a page of ours: its links would carry the foreign name.
    text = f"This program does not answer to the name {request.host[:80]!a}, only to {', '.join(allowed)}.\n"
    return Response(text, 400, mimetype="text/plain")


def _name_of(host: str) -> str | None:
    """Return the name in a Host header, without the port; None of what is none."""
    try:
        return urlsplit(f"//{host}").hostname
    except ValueError:
        return None


def _refuse_other_origins() -> None:
    """Let a change through only if this site's own page, or no browser at all, asks for it.

    There is no login whose cookie a foreign page could misuse, but any page that the learner visits could
    post to this address all the same.
    """
    if request.method in _SAFE_METHODS:
        return
    fetch_site = request.headers.get("Sec-Fetch-Site")
    if fetch_site is not None and fetch_site not in {"same-origin", "none"}:
        abort(403, "This change was asked for by a page of another site, so it was not made.")
    origin = request.headers.get("Origin")
    if origin is not None and _host_of(origin) != request.host:
        abort(403, "This change was asked for by a page of another site, so it was not made.")


def _host_of(origin: str) -> str | None:
    """Return host and port of an origin; None of what is none."""
    try:
        return urlsplit(origin).netloc or None
    except ValueError:
        return None


def _add_headers(response: Response) -> Response:
    ancestors = " ".join(["'self'", *current_app.config["FRAME_ANCESTORS"]])
    response.headers.setdefault(
        "Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        f"form-action 'self'; base-uri 'none'; frame-ancestors {ancestors}",
    )
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "same-origin"
    if request.endpoint != "static":
        # A board that a back button brings up from a cache would show a moment that is over.
        response.headers["Cache-Control"] = "no-store"
    return response
