"""A SQLite file in the answer's process, several connections to it, and power cuts.

Other connections act between two statements of one: see `interleaving`. SQLite itself tells of each statement
before it runs, whichever way it was sent.
"""

import re
import sqlite3
from functools import partial
from pathlib import Path

from exercises.staging.interleaving import Interleaving

FILE = "queue.db"
COPY = "left_by_the_power_cut.db"
NO_PATIENCE = 0  # whoever holds the lock goes on only when we are back, so to wait would be in vain
LOCKED = "locked"
CARELESS = re.compile(
    r"pragma\s+(\w+\.)?(synchronous\s*[=(]\s*\W?(off|0)|journal_mode\s*[=(]\s*\W?(off|memory))", re.IGNORECASE
)

_opened: list[sqlite3.Connection] = []


class Database(Interleaving):
    """One file that is empty at first. There is one database at a time: a new one takes the old one's file."""

    def __init__(self) -> None:
        super().__init__()
        self._path = FILE
        self._careless: list[str] = []
        self.close()
        _empty(FILE)

    def connection(self, name: str) -> sqlite3.Connection:
        """Open a connection: every statement stands for itself unless a transaction is begun."""
        opened = _connect(self._path)
        opened.set_trace_callback(partial(self._traced, name))
        _opened.append(opened)
        return opened

    def _traced(self, name: str, text: str) -> None:
        if CARELESS.search(text):
            self._careless.append(text)
        self.statement(name, text)

    def careless(self) -> list[str]:
        """The statements that asked for less than what was committed being on the disk."""
        return self._careless

    def close(self) -> None:
        """Close all connections. What was not committed is undone, as when a process ends."""
        while _opened:
            _opened.pop().close()

    def keep_what_is_written(self) -> None:
        """Note what the file would hold if the power failed now: what was committed, and nothing else."""
        source, target = _connect(self._path), _connect(COPY)
        source.backup(target)
        source.close()
        target.close()

    def go_on_with_what_was_kept(self) -> None:
        """Let the file be as it was noted."""
        self.close()
        self._path = COPY

    def is_waiting(self, error: BaseException) -> bool:
        """Whether an error means that another connection holds the lock."""
        return isinstance(error, sqlite3.OperationalError) and LOCKED in str(error)


def open_connection(database: Database, name: str) -> sqlite3.Connection:
    """Open a connection of this name."""
    return database.connection(name)


def _connect(path: str) -> sqlite3.Connection:
    opened = sqlite3.connect(path, isolation_level=None, timeout=NO_PATIENCE)
    opened.execute("PRAGMA synchronous = OFF")  # no check pulls the plug of the whole machine
    return opened


def _empty(path: str) -> None:
    """Drop what an earlier answer made; a new file would cost more."""
    try:
        _drop_all(path)
    except sqlite3.Error:
        for name in (path, f"{path}-wal", f"{path}-shm"):
            Path(name).unlink(missing_ok=True)
        _drop_all(path)


def _drop_all(path: str) -> None:
    opened = _connect(path)
    try:
        opened.execute("PRAGMA journal_mode = WAL")
        opened.execute("PRAGMA foreign_keys = OFF")
        made = (
            "SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' AND type IN ('table', 'view')"
        )
        for kind, name in opened.execute(made).fetchall():
            opened.execute(f'DROP {kind} "{name}"')
    finally:
        opened.close()
