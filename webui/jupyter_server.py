"""JupyterLab on the lessons, as a program of its own beside the board: started, waited for, stopped."""

import importlib.util
import os
import secrets
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from webui.server import listen

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"
DEFAULT_PORT = 8888
_LONGEST_START_SECONDS = 60
_LONGEST_STOP_SECONDS = 10


class JupyterFailedError(Exception):
    """JupyterLab did not come up; the message holds its last words."""


def is_installed() -> bool:
    """Return whether JupyterLab can be started from here."""
    return importlib.util.find_spec("jupyterlab") is not None


@contextmanager
def jupyter(board_url: str, log: Path) -> Iterator[str]:
    """Run JupyterLab until the end of the block; yield the address to open.

    Args:
        board_url: where the board is, for the lessons that show it.
        log: a file for what JupyterLab has to say.

    Raises:
        JupyterFailedError: it ended, or did not answer within a minute.
    """
    sock = listen("127.0.0.1", None, default=DEFAULT_PORT)
    port = sock.getsockname()[1]
    sock.close()
    token = secrets.token_hex(16)
    command = [
        sys.executable,
        "-m",
        "jupyterlab",
        "--no-browser",
        "--allow-root",
        "--ip=127.0.0.1",
        f"--port={port}",
    ]
    command += ["--ServerApp.port_retries=0", f"--ServerApp.root_dir={NOTEBOOKS}"]
    environment = os.environ | {"JOBKIT_BOARD": board_url, "JUPYTER_TOKEN": token}
    with log.open("wb") as words:
        # A session of its own: Ctrl-C in the terminal reaches this program alone, which stops both in order.
        process = subprocess.Popen(  # noqa: S603 - our own interpreter, no shell, no foreign text
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=words,
            stderr=words,
            start_new_session=True,
        )
        try:
            _wait_until_it_answers(process, port, log)
            yield f"http://127.0.0.1:{port}/lab/tree/00_start_here.ipynb?token={token}"
        finally:
            _stop(process)


def _wait_until_it_answers(process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    deadline = time.monotonic() + _LONGEST_START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/api", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    raise JupyterFailedError(lines[-1] if lines else f"no answer within {_LONGEST_START_SECONDS} seconds")


def _stop(process: "subprocess.Popen[bytes]") -> None:
    process.terminate()
    try:
        process.wait(_LONGEST_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
