"""JupyterLab on the lessons, as a program of its own beside the board: started, waited for, stopped.

The learner works on copies: a lesson that was run and saved must not change the kit itself.
"""

import importlib.util
import json
import os
import secrets
import shutil
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
FIRST_PORT = 8888
_LONGEST_START_SECONDS = 60
_LONGEST_STOP_SECONDS = 10

# Ends itself when the pipe to whoever started it closes: also after a kill -9, of which nobody can tell it.
_CHILD = """
import os, signal, sys, threading
def watch():
    sys.stdin.buffer.read()
    os.kill(os.getpid(), signal.SIGTERM)
threading.Thread(target=watch, daemon=True).start()
from jupyterlab.labapp import main
sys.exit(main())
"""


_FINDER = '''"""Leads `import lesson` to the kit's own module, for the lessons in this folder."""

import sys

try:
    from webui.jupyter.lab import NOTEBOOKS
except ImportError:
    raise ImportError(
        "This Python does not have the kit. Choose the Python of the kit's .venv as this notebook's kernel,"
        " or start the lessons from the kit's folder with: make lab"
    ) from None
sys.path.insert(0, str(NOTEBOOKS))
del sys.modules["lesson"]
import lesson  # noqa: E402, F401, PLW0406 - the real one, which takes this one's place
'''
"""VS Code, Notebook 7 and nbconvert start a Python that knows the folder of the copy alone."""


class JupyterFailedError(Exception):
    """JupyterLab did not come up; the message holds its last words."""


def is_installed() -> bool:
    """Return whether JupyterLab can be started from here."""
    return importlib.util.find_spec("jupyterlab") is not None


def copy_lessons(folder: Path) -> list[str]:
    """Copy the lessons into a folder; one that is there already stays as the learner left it.

    Returns:
        The names of those that cannot be read, or whose original has changed since they were copied.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "lesson.py").write_text(_FINDER, encoding="utf-8")
    notes = folder / ".copied.json"
    copied_from = _noted(notes)
    outdated = []
    for original in sorted(NOTEBOOKS.glob("*.ipynb")):
        copy, now = folder / original.name, sha256(original.read_bytes()).hexdigest()
        if not copy.exists():
            shutil.copyfile(original, copy)
            copied_from[copy.name] = now
            continue
        mine, is_older = _sources(copy), copied_from.get(copy.name) != now
        # What the learner has changed is no matter; that the kit has a newer lesson is.
        if mine is None or (is_older and mine != _sources(original)):
            outdated.append(copy.name)
    notes.write_text(json.dumps(copied_from), encoding="utf-8")
    return outdated


def _noted(notes: Path) -> dict[str, str]:
    """Return what each copy was made from; nothing where that was not noted, or cannot be read."""
    try:
        found = json.loads(notes.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _sources(notebook: Path) -> list[object] | None:
    """Return what the cells of a notebook say, without outputs; None if it cannot be read."""
    try:
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        return ["".join(cell["source"]) for cell in cells]
    except (OSError, ValueError, KeyError, TypeError):
        return None


@contextmanager
def jupyter(board_url: str, lessons: Path, scratch: Path) -> Iterator[str]:
    """Run JupyterLab on a folder of lessons until the end of the block; yield the address to open.

    Args:
        board_url: where the board is, for the lessons that show it.
        lessons: the folder that it shows.
        scratch: a folder for its log and for what it notes about itself.

    Raises:
        JupyterFailedError: it ended, or did not answer within a minute.
    """
    token = secrets.token_hex(16)
    command = [sys.executable, "-c", _CHILD, "--no-browser", "--allow-root", "--ip=127.0.0.1"]
    command += [f"--port={FIRST_PORT}", "--ServerApp.port_retries=100", f"--ServerApp.root_dir={lessons}"]
    path = os.pathsep.join(filter(None, [str(NOTEBOOKS), os.environ.get("PYTHONPATH")]))
    settings = {"JOBKIT_BOARD": board_url, "JUPYTER_TOKEN": token, "PYTHONPATH": path}
    environment = os.environ | settings | {"JUPYTER_RUNTIME_DIR": str(scratch)}
    log = scratch / "jupyter.log"
    with log.open("wb") as words:
        # A session of its own: Ctrl-C in the terminal reaches this program alone, which stops both in order.
        process = subprocess.Popen(  # noqa: S603 - our own interpreter, no shell, no foreign text
            command, env=environment, stdin=subprocess.PIPE, stdout=words, stderr=words, start_new_session=True
        )
        try:
            port = _wait_until_it_answers(process, scratch, token, log)
            yield f"http://127.0.0.1:{port}/lab/tree/00_start_here.ipynb?token={token}"
        finally:
            _stop(process)


def _wait_until_it_answers(process: "subprocess.Popen[bytes]", scratch: Path, token: str, log: Path) -> int:
    """Return the port that it found. It writes that down itself, so no other program is taken for it."""
    deadline = time.monotonic() + _LONGEST_START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        try:
            noted = json.loads((scratch / f"jpserver-{process.pid}.json").read_text(encoding="utf-8"))
            port = int(noted["port"])
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/api/status?token={token}", timeout=2):
                return port
        except (OSError, ValueError, KeyError, urllib.error.URLError):
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
    if process.stdin is not None:
        process.stdin.close()
