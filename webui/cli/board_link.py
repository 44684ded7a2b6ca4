"""Where a failure can be watched: the address of its story on the board, if one is running here."""

import os
from contextlib import closing
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from urllib.parse import urlsplit

from markupsafe import escape

from exercises.grader.judging.answers import AnswerFile
from exercises.grader.judging.catalogue import Exercise
from exercises.grader.judging.records import Result, Verdict
from exercises.playback.player import shown_check
from webui.jupyter.embed import ADDRESS_VARIABLE
from webui.server import DEFAULT_PORTS

_PATIENCE_SECONDS = 1.0
_MOST_BYTES = 100_000
_OK = 200


def watch_line(exercise: Exercise, result: Result, below: Path = Path()) -> str | None:
    """Return the line that leads from a failure to the board; None where there is nothing to watch.

    The learner's own story comes first, on a board that plays the answers in `below`. Where the board cannot,
    or must not, play it, there is a story with the same mistake, or one of what the exercise is about.
    """
    told = result.told_first
    if told is None or not told.trace:
        return None
    if shown_check(exercise, told.name) is not None:
        page, mine = f"answers/{exercise.short}", AnswerFile.of(exercise, below).whole_path
        return _line("Watch it on the board", f"{page}?check={told.name}", page, str(escape(mine)))
    if told.verdict is not Verdict.FAIL:
        return None
    same = result.diagnosis.scenario if result.diagnosis else ""
    page = f"scenarios/{same or exercise.scenarios.get(told.name, exercise.scenario)}"
    words = "The same mistake on the board" if same.startswith("flawed_") else "What it is about, on the board"
    return _line(words, page, page, "Open the board")


def _line(words: str, page: str, probe: str, sign: str) -> str:
    named = os.environ.get(ADDRESS_VARIABLE, "").strip()
    addresses = [named] if named else [f"http://127.0.0.1:{port}/" for port in DEFAULT_PORTS]
    free = None
    for address in addresses:
        there = _asked(address, probe)
        if there is not None and sign in there:
            return f"{words}: {address.rstrip('/')}/{page}"
        if there is None and free is None:
            free = address
    address = free or addresses[-1]
    option = "" if named or address == addresses[0] else f" --port {urlsplit(address).port}"
    return f"{words}: start it here with `jobkit board{option}`, then open {address.rstrip('/')}/{page}"


def _asked(address: str, page: str) -> str | None:
    """Return what is there, which may be none of ours; None if nobody answers. Who is slow is none of ours."""
    found: SimpleQueue[str | None] = SimpleQueue()
    Thread(target=lambda: found.put(_fetched(address, page)), daemon=True).start()
    try:
        return found.get(timeout=_PATIENCE_SECONDS)
    except Empty:
        return ""


def _fetched(address: str, page: str) -> str | None:
    try:
        told = urlsplit(address)
        with closing(HTTPConnection(told.hostname or "", told.port, timeout=_PATIENCE_SECONDS)) as connection:
            connection.request("GET", f"{told.path.rstrip('/')}/{page}")
            answer = connection.getresponse()
            text = answer.read(_MOST_BYTES).decode("utf-8", "replace")
            return text if answer.status == _OK else ""
    except (ConnectionRefusedError, ValueError):
        return None
    except (OSError, HTTPException):
        return ""
