"""The board for a notebook: where it is, and if nobody serves one yet, one in this very process.

It ends with the process, and there is never more than one. Importing this starts nothing.
"""

import atexit
import os
import threading
from contextlib import ExitStack

from webui import create_app
from webui.server import listen, serving

ADDRESS_VARIABLE = "JOBKIT_BOARD"
"""The address of a board that is served already, such as http://127.0.0.1:8000/."""

_HOST = "127.0.0.1"
_MOST_LABS = 40  # one learner's boards, in the memory of their notebook


class EmbeddedBoard:
    """A board served by this process from a free port, from the first time that somebody asks for it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running = ExitStack()
        self._address: str | None = None

    def address(self) -> str:
        """Return where the board is, and start it if it is not there yet."""
        with self._lock:
            if self._address is None:
                self._address = self._start()
            return self._address

    def stop(self) -> None:
        """Stop serving, if it was started; the next `address` starts anew, at another port."""
        with self._lock:
            self._address = None
            self._running.close()

    def _start(self) -> str:
        sock = self._running.enter_context(listen(_HOST, 0))
        self._running.enter_context(serving(create_app({"MOST_LABS": _MOST_LABS}), sock))
        return f"http://{_HOST}:{sock.getsockname()[1]}/"


_ours = EmbeddedBoard()
# A kernel that is asked to end says goodbye to the open pages; one that is killed takes the board along.
atexit.register(_ours.stop)


def board_address() -> str:
    """Return the address of the board, with a slash at its end: the one named in JOBKIT_BOARD, or our own."""
    named = os.environ.get(ADDRESS_VARIABLE, "").strip()
    return f"{named.rstrip('/')}/" if named else _ours.address()
