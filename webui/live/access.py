"""Who is let in to the live pages: this machine itself, or, where tokens are configured, an operator's token.

The token comes in a cookie that no script can read and no other site's page can send along.
"""

from flask import Blueprint, Response, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from jobqueue import StoreError
from webui.api.calls import service
from webui.auth import Grant, Role
from webui.failures import problem

live = Blueprint("live", __name__, url_prefix="/live")

COOKIE = "jobkit_token"
_OPEN = frozenset({"live.sign_in", "live.enter"})


@live.before_request
def _let_in() -> BaseResponse | None:
    """Let operators in, and send everybody else to the door."""
    access = service().access
    if not access.admits(request.remote_addr):
        abort(403, "No tokens are configured here, so these pages are for this machine alone.")
    if request.endpoint in _OPEN or grant() is not None:
        return None
    if request.method not in {"GET", "HEAD"} or request.endpoint == "live.stream":
        abort(401, "Sign in first.")
    return redirect(url_for("live.sign_in"), 303)


def grant() -> Grant | None:
    """Return who looks; None if it is nobody that we know."""
    access = service().access
    if not access.is_configured:
        return Grant("operator on this machine", Role.OPERATOR)
    found = access.find(request.cookies.get(COOKIE, ""))
    return found if found is not None and _is_for_all(found) else None


def operator() -> Grant:
    """Return who looks, where it is sure that somebody does."""
    found = grant()
    assert found is not None, "the door lets nobody else in"  # noqa: S101 - for the type checker
    return found


def _is_for_all(found: Grant) -> bool:
    # The pages show every tenant beside every other, so a token for some of them is for the API only.
    return found.role is Role.OPERATOR and found.tenants is None


@live.get("/sign-in")
def sign_in() -> str:
    """Ask for a token."""
    return render_template("live/sign_in.html", is_wrong=False)


@live.post("/sign-in")
def enter() -> BaseResponse | tuple[str, int]:
    """Take a token, and remember it until the browser is closed."""
    token = request.form.get("token", "").strip()
    found = service().access.find(token)
    if found is None or not _is_for_all(found):
        return render_template("live/sign_in.html", is_wrong=True), 401
    answer = redirect(url_for("live.overview"), 303)
    answer.set_cookie(
        COOKIE,
        token,
        path=url_for("live.overview"),
        httponly=True,
        samesite="Strict",
        secure=request.is_secure,
    )
    return answer


@live.post("/sign-out")
def leave() -> BaseResponse:
    """Forget the token."""
    answer = redirect(url_for("live.overview"), 303)
    answer.delete_cookie(COOKIE, path=url_for("live.overview"), httponly=True, samesite="Strict")
    return answer


@live.errorhandler(StoreError)
def _no_store(error: StoreError) -> Response:
    return problem(503, "The queue does not answer", f"{error}.")
