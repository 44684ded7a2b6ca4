"""The temporary folder in which an answer works, gone however the check ends."""

import signal
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from exercises.grader.running.process import AnswerProcess
from exercises.grader.running.remove_tree import remove_tree

ENDINGS = ("SIGTERM", "SIGHUP")  # Windows knows no SIGHUP


@dataclass(slots=True)
class Host:
    """A working folder, and the process that lives there once somebody has started one.

    A learner's answer has a host of its own. When the kit checks itself, one host takes in text after text:
    each is executed afresh, and starting Python would take most of the time.
    """

    folder: Path
    process: AnswerProcess | None = None
    used_seconds: float = 0.0  # by what this process had to do, as far as somebody counts

    def end(self) -> None:
        """End the process; whoever comes next starts another one."""
        if self.process is not None:
            self.process.close()
            self.process, self.used_seconds = None, 0.0


@contextmanager
def host() -> Iterator[Host]:
    """Give a host, and clear it away afterwards."""
    with working_folder() as folder:
        found = Host(folder)
        try:
            yield found
        finally:
            found.end()


@contextmanager
def working_folder() -> Iterator[Path]:
    """Give a fresh folder and clear it away afterwards, also when the check is told to end."""
    with _ending_like_ctrl_c():
        folder = tempfile.mkdtemp(prefix="jobkit-")
        try:
            yield Path(folder)
        finally:
            remove_tree(folder)


@contextmanager
def _ending_like_ctrl_c() -> Iterator[None]:
    """Let a closed terminal and `kill` unwind the check as Ctrl-C does; otherwise Python ends on the spot.

    A signal that somebody else handles or ignores (nohup) stays as it is.
    """
    replaced = []
    if threading.current_thread() is threading.main_thread():
        known = [getattr(signal, name) for name in ENDINGS if hasattr(signal, name)]
        replaced = [number for number in known if signal.getsignal(number) is signal.SIG_DFL]
    for number in replaced:
        signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        for number in replaced:
            signal.signal(number, signal.SIG_DFL)
