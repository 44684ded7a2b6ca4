"""The interpreter in which an answer runs: how it is started and signalled. What it is asked is `process`."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

from exercises.grader.running.process_tree import MARK

PACKAGE_ROOT = Path(__file__).resolve().parents[3]


def spawn(working_folder: Path, mark: str) -> subprocess.Popen[bytes]:
    """Start Python for an answer, in a process group of its own."""
    # -P keeps the learner's folder off the import path: a file named json.py there must break nothing.
    command = [sys.executable, "-P", "-m", "exercises.grader.running.child"]
    environment = {
        **os.environ,
        "PYTHONPATH": str(PACKAGE_ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
        "PYTHONUNBUFFERED": "1",
        "MALLOC_ARENA_MAX": "1",  # glibc would reserve 64 MB more for each thread that has to wait for memory
        # What the answer lays down goes with the folder. Three names: Python looks for each of them.
        **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(working_folder)),
        MARK: mark,
    }
    own_group: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        own_group = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    pipe = subprocess.PIPE
    return subprocess.Popen(  # noqa: S603  the command is our own interpreter
        command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=working_folder, env=environment, **own_group
    )


def signal_group(process: subprocess.Popen[bytes], number: int) -> None:
    """Send a signal to the whole process group."""
    try:
        os.killpg(process.pid, number)
    except (ProcessLookupError, PermissionError):
        process.send_signal(number)


def signal_name(number: int) -> str:
    """Name a signal; the real-time ones have no name.

    >>> signal_name(11), signal_name(40)
    ('SIGSEGV', 'signal 40')
    """
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def close_quietly(pipe: IO[bytes] | None) -> None:
    """Close a pipe, whatever became of its other end."""
    try:
        if pipe is not None:
            pipe.close()
    except OSError:
        return
