"""The board below a prefix: behind a proxy that gives it a folder of a larger site, such as Jupyter's."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


class Prefix:
    """Lets an application make its addresses below a prefix.

    A proxy may hand on the whole path or cut the prefix off first; both are understood. The prefix is said when
    the program starts and never read from a request, whose headers anybody may write.

    Args:
        app: the application.
        prefix: such as `/user/ada/jobkit`; with or without a slash at its end.
    """

    def __init__(self, app: "WSGIApplication", prefix: str) -> None:
        self._app = app
        self._prefix = "/" + prefix.strip("/") if prefix.strip("/") else ""

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer a request."""
        path = environ.get("PATH_INFO", "")
        if path == self._prefix or path.startswith(f"{self._prefix}/"):
            path = path.removeprefix(self._prefix)
        environ["SCRIPT_NAME"] = self._prefix
        environ["PATH_INFO"] = path or "/"
        return self._app(environ, start_response)
