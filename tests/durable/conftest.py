"""Empty places to keep queues in, of every kind of database."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import ManualClock, RetryPolicy
from jobqueue.stores.rows import COLUMNS
from tests.databases import PLACES, Place, opened_places

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

POLICY = RetryPolicy(3, 1000, 60_000)


@pytest.fixture(params=PLACES)
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    """Return an empty place of each kind."""
    yield from opened_places(request.param, tmp_path)


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[Place]:
    """Return an empty place in a file."""
    yield from opened_places("sqlite", tmp_path)


@pytest.fixture
def postgres(tmp_path: Path) -> Iterator[Place]:
    """Return an empty place on the server."""
    yield from opened_places("postgres", tmp_path)


@pytest.fixture
def clock() -> ManualClock:
    """Return a clock that stands at 0."""
    return ManualClock()


def fill(queue: Any, jobs: int) -> None:
    """Let so many more jobs wait as the newest one, made by one statement in either database."""
    database = queue._database
    kept = ", ".join(name for name in COLUMNS if name not in {"number", "rank2", "request_key"})
    database.begin()
    database.write(
        f"""
        INSERT INTO jobs ({kept}, rank2)
        WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {jobs})
        SELECT {kept}, rank2 + n FROM numbers CROSS JOIN jobs WHERE number = (SELECT max(number) FROM jobs)
        """,
        {},
    )
    database.commit()
