"""Somebody else in the database: a session that locks rows and sees who waits for them."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import psycopg

from tests.databases import Place, postgres_url

if TYPE_CHECKING:
    from collections.abc import Iterator


class Stranger:
    """A session of somebody else, in a transaction over the same tables."""

    def __init__(self, connection: psycopg.Connection) -> None:
        self._connection = connection

    def lock(self, *numbers: int, how: str = "FOR UPDATE") -> None:
        """Lock some jobs, in their order."""
        self._connection.execute(
            f"SELECT 1 FROM jobs WHERE number = ANY(%s) ORDER BY number {how}", (list(numbers),)
        )

    def can_lock(self, *numbers: int) -> bool:
        """Return whether nobody else has locked any of these jobs."""
        with suppress(psycopg.errors.LockNotAvailable), self._connection.transaction():
            self.lock(*numbers, how="FOR UPDATE NOWAIT")
            return True
        return False

    def wait_for(self, waiting: int) -> None:
        """Return once that many sessions of queues wait for a lock."""
        text = (
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE application_name = 'jobkit' AND wait_event_type = 'Lock'"
        )
        until = time.monotonic() + 20
        while time.monotonic() < until:
            with self._connection.transaction(force_rollback=True):
                # Inside a transaction the server shows one picture of all sessions, unless it is told to look.
                self._connection.execute("SELECT pg_stat_clear_snapshot()")
                if self._connection.execute(text).fetchone() == (waiting,):
                    return
            threading.Event().wait(0.01)
        raise AssertionError(f"{waiting} sessions never waited for a lock")

    def go(self) -> None:
        """End the transaction."""
        self._connection.rollback()


@contextmanager
def stranger(place: Place) -> Iterator[Stranger]:
    """Connect somebody else to a place."""
    with psycopg.connect(postgres_url(), options=f"-c search_path={place.options['schema']}") as connection:
        yield Stranger(connection)
