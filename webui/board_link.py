"""Where a failure can be watched: the address of its story on the board, if one is running here."""

import os
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlsplit

from exercises.grader.catalogue import Exercise
from exercises.grader.records import Result, Verdict
from exercises.recording import shown_check
from webui.embed import ADDRESS_VARIABLE
from webui.server import DEFAULT_PORT

_PATIENCE_SECONDS = 0.5
_MOST_BYTES = 100_000


def watch_line(exercise: Exercise, result: Result) -> str | None:
    """Return the line that leads from a failure to the board; None where there is nothing to watch.

    The learner's own story comes first. Where the board cannot, or must not, play it, there is a story with the
    same mistake, or one of what the exercise is about.
    """
    told = result.told_first
    if told is None or not told.trace:
        return None
    if shown_check(exercise, told.name) is not None:
        page = f"answers/{exercise.short}?check={told.name}"
        return _line("Watch it on the board", page, f"answers/{exercise.short}", "Run my answer")
    if told.verdict is not Verdict.FAIL:
        return None
    same = result.diagnosis.scenario if result.diagnosis else ""
    page = f"scenarios/{same or exercise.scenario}"
    return _line(
        "The same mistake on the board" if same else "What it is about, on the board",
        page,
        page,
        "Open the board",
    )


def _line(words: str, page: str, probe: str, sign: str) -> str:
    address = os.environ.get(ADDRESS_VARIABLE, "").strip() or f"http://127.0.0.1:{DEFAULT_PORT}/"
    link = f"{address.rstrip('/')}/{page}"
    if _is_board(address, probe, sign):
        return f"{words}: {link}"
    return f"{words}: start it here with `jobkit board`, then open {link}"


def _is_board(address: str, page: str, sign: str) -> bool:
    """Return whether a board listens there that has this page; whatever else listens is none of ours."""
    try:
        told = urlsplit(address)
        with closing(HTTPConnection(told.hostname or "", told.port, timeout=_PATIENCE_SECONDS)) as connection:
            connection.request("GET", f"{told.path.rstrip('/')}/{page}")
            answer = connection.getresponse()
            return answer.status == 200 and sign.encode() in answer.read(_MOST_BYTES)  # noqa: PLR2004
    except (OSError, ValueError, HTTPException):
        return False
