"""Where a failing check can be watched: the address of its story on the board, if one is running here."""

import os
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

from exercises.grader.catalogue import Exercise
from exercises.recording import shown_check
from webui.embed import ADDRESS_VARIABLE
from webui.server import DEFAULT_PORT

_PATIENCE_SECONDS = 0.5


def watch_line(exercise: Exercise, check: str) -> str | None:
    """Return the line that leads to the story of a check; None where the board cannot, or must not, show it."""
    if shown_check(exercise, check) is None:
        return None
    address = os.environ.get(ADDRESS_VARIABLE, "").strip() or f"http://127.0.0.1:{DEFAULT_PORT}/"
    page = f"answers/{exercise.short}?check={check}"
    link = f"{address.rstrip('/')}/{page}"
    if _is_board(address, f"answers/{exercise.short}"):
        return f"Watch it on the board: {link}"
    return f"Watch it on the board: start it here with `jobkit board`, then open {link}"


def _is_board(address: str, page: str) -> bool:
    """Return whether a board that runs answers listens there; whatever else does is none of ours."""
    try:
        told = urlsplit(address)
        with closing(HTTPConnection(told.hostname or "", told.port, timeout=_PATIENCE_SECONDS)) as connection:
            connection.request("GET", f"{told.path.rstrip('/')}/{page}")
            answer = connection.getresponse()
            return answer.status == 200 and b"Run my answer" in answer.read(100_000)  # noqa: PLR2004
    except (OSError, ValueError, HTTPException):
        return False
