"""What is opened as a store, what is refused, and how an older one is brought up to date."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import AdmissionError, JobQueue, Limits, ManualClock, RetryPolicy, StoreError, open_queue
from jobqueue.stores import schema
from jobqueue.stores.postgres import PostgresDatabase
from jobqueue.stores.sqlite import SqliteDatabase
from tests.contract.observing import outcome, submit_as
from tests.contract.together import run_together
from tests.databases import Place, postgres_url
from tests.durable.conftest import POLICY

if TYPE_CHECKING:
    from pathlib import Path

ONE_TRY = RetryPolicy(1, 1000, 60_000)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "memory",
        "memory:x",
        "sqlite:",
        "sqlite://",
        "sqlite:///",
        "sqlite://host/x.db",
        "mysql://x/y",
        "x.db",
    ],
)
def test_a_url_of_no_known_form_is_refused(url: Any, clock: ManualClock) -> None:
    """The message names the forms."""
    with pytest.raises(ValueError, match=r"sqlite:///relative\.db"):
        open_queue(url, clock, POLICY)


@pytest.mark.parametrize(
    "url", ["sqlite:///:memory:", "sqlite:///a\0b.db", "sqlite:///\udc80.db", "postgresql://h/\0"]
)
def test_a_url_that_could_never_be_a_store_is_refused(url: Any, clock: ManualClock) -> None:
    """A ValueError that names the argument, whatever the database would say of it."""
    with pytest.raises(ValueError, match=r"^url: "):
        open_queue(url, clock, POLICY)


def test_memory_is_the_queue_in_memory(clock: ManualClock) -> None:
    """It takes the same options, and close and with do no harm."""
    with open_queue("memory:", clock, POLICY, keep_finished=3) as queue:
        assert type(queue) is JobQueue
    assert queue.submit("mail") == "J1"


def test_a_relative_path_is_relative(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: ManualClock
) -> None:
    """Three slashes for a file in this folder, four for one anywhere."""
    monkeypatch.chdir(tmp_path)
    with open_queue("sqlite:///here.db", clock, POLICY) as queue:
        queue.submit("mail")
    with open_queue(f"sqlite:///{tmp_path}/here.db", clock, POLICY) as queue:
        assert queue.view("J1").id == "J1"


@pytest.mark.parametrize(
    "option", [{"synchronous": "maybe"}, {"busy_timeout_millis": -1}, {"keep_finished": -1}]
)
def test_a_wrong_option_is_refused_before_a_file_is_made(
    tmp_path: Path, option: Any, clock: ManualClock
) -> None:
    """Nothing is left behind."""
    with pytest.raises(ValueError, match=next(iter(option))):
        open_queue(f"sqlite:///{tmp_path}/x.db", clock, POLICY, **option)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_is_not_there_is_told(tmp_path: Path, clock: ManualClock) -> None:
    """The message says which file could not be opened."""
    with pytest.raises(StoreError, match=r"no/x\.db"):
        open_queue(f"sqlite:///{tmp_path}/no/x.db", clock, POLICY)


def test_a_file_that_is_no_database_is_left_as_it_is(tmp_path: Path, clock: ManualClock) -> None:
    """Somebody's notes, for example."""
    path = tmp_path / "notes.txt"
    path.write_text("remember the milk " * 100, encoding="utf-8")
    with pytest.raises(StoreError, match=r"notes\.txt"):
        open_queue(f"sqlite:///{path}", clock, POLICY)
    assert path.read_text(encoding="utf-8") == "remember the milk " * 100


def test_a_database_of_somebody_else_is_left_as_it_is(tmp_path: Path, clock: ManualClock) -> None:
    """Not even its journal mode is changed."""
    path = tmp_path / "songs.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE songs (name TEXT)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(StoreError, match="not one of job queues"):
        open_queue(f"sqlite:///{path}", clock, POLICY)
    assert path.read_bytes() == before


def test_a_schema_of_somebody_else_is_left_as_it_is(postgres: Place, clock: ManualClock) -> None:
    """On PostgreSQL a schema with other tables is refused."""
    import psycopg  # noqa: PLC0415 - an extra

    with psycopg.connect(postgres_url(), autocommit=True) as connection:
        connection.execute("CREATE SCHEMA foreign_things CREATE TABLE songs (name text)")
        try:
            with pytest.raises(StoreError, match="not those of job queues"):
                open_queue(postgres.url, clock, POLICY, schema="foreign_things")
        finally:
            connection.execute("DROP SCHEMA foreign_things CASCADE")


def databases(place: Place) -> Any:
    """Return a function that makes connections to a place that run no queue."""
    if place.url.startswith("sqlite"):
        return lambda: SqliteDatabase(place.url.removeprefix("sqlite:///"))
    return lambda: PostgresDatabase(place.url, schema=place.options["schema"])


def run_in(database: Any, *statements: Any) -> None:
    """Run statements in one transaction."""
    database.begin()
    for statement in statements:
        database.write(statement, {})
    database.commit()
    database.close()


def test_a_store_of_a_newer_version_is_refused(place: Place, clock: ManualClock) -> None:
    """It is not touched; the message names both versions."""
    place.open(clock, POLICY).close()
    is_sqlite = place.url.startswith("sqlite")
    set_version = "PRAGMA user_version = {}" if is_sqlite else "UPDATE jobkit_version SET version = {}"
    run_in(databases(place)(), set_version.format(99))
    try:
        with pytest.raises(StoreError, match=r"version 99.*knows 2"):
            open_queue(place.url, clock, POLICY, **place.options)
    finally:
        run_in(databases(place)(), set_version.format(2))


NEXT = (*schema.MIGRATIONS, ("CREATE TABLE extra (word TEXT)", "INSERT INTO extra VALUES ('{number_key}')"))
BROKEN = (*schema.MIGRATIONS, ("CREATE TABLE broken (word TEXT)", "SELECT nothing FROM nowhere"))


def version_of(place: Place) -> Any:
    """Return the version that a store has, and whether the two tables of the next version are there."""
    database = databases(place)()
    database.begin()
    is_sqlite = place.url.startswith("sqlite")
    version = database.read("PRAGMA user_version" if is_sqlite else "SELECT version FROM jobkit_version", {})[
        0
    ][0]
    listing = "SELECT name FROM sqlite_master" if is_sqlite else "SELECT tablename FROM pg_tables"
    names = {row[0] for row in database.read(listing, {})}
    database.rollback()
    database.close()
    return version, "extra" in names, "broken" in names


def test_an_older_store_is_migrated_in_one_step(
    place: Place, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of a migration or nothing; the jobs are still there."""
    place.open(clock, POLICY).submit("mail")
    monkeypatch.setattr(schema, "MIGRATIONS", BROKEN)
    with pytest.raises(StoreError):
        place.open(clock, POLICY)
    assert version_of(place) == (2, False, False)
    monkeypatch.setattr(schema, "MIGRATIONS", NEXT)
    queue = place.open(clock, POLICY)
    assert version_of(place) == (3, True, False)
    assert queue.view("J1").status == "PENDING"
    undo = (
        "PRAGMA user_version = 2" if place.url.startswith("sqlite") else "UPDATE jobkit_version SET version = 2"
    )
    run_in(databases(place)(), "DROP TABLE extra", undo)


def test_a_store_of_the_first_version_counts_its_jobs_from_then_on(
    sqlite: Place, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it counts is what a queue in memory counts, before and after a job of each state has changed."""
    twin = JobQueue(clock, ONE_TRY)
    with monkeypatch.context() as patch:
        patch.setattr(schema, "MIGRATIONS", schema.MIGRATIONS[:1])
        with sqlite.open(clock, ONE_TRY) as queue:
            for each in (queue, twin):
                for status in ("SUCCEEDED", "DEAD", "DEAD", "CANCELLED", "RUNNING", "PENDING"):
                    submit_as(each, status)
    assert version_of(sqlite)[0] == 1
    again = sqlite.open(clock, ONE_TRY, limits=Limits(max_queued=2))
    assert version_of(sqlite)[0] == len(schema.MIGRATIONS)
    found = []
    for each in (again, twin):
        found.append(replace(each.stats(), actual_share={}))
        each.retry_dead("J2")
        each.complete("J5", "J5:1")
        each.cancel("J6")
        each.prune(keep=1, dead=True)
        each.submit("fax", priority=-1, tenant="acme")
        found.append(replace(each.stats(), actual_share={}))
    assert found[:2] == found[2:]
    with pytest.raises(AdmissionError, match="2 jobs waiting, of 2 allowed"):
        again.submit("mail")


def test_many_who_open_a_new_store_at_once_make_it_once(tmp_path: Path, clock: ManualClock) -> None:
    """8 threads, each with a queue of its own, on a file that does not exist yet."""
    url = f"sqlite:///{tmp_path}/new.db"
    queues = run_together(8, lambda _n: open_queue(url, clock, POLICY))
    assert sorted(queue.submit("mail") for queue in queues) == [f"J{n}" for n in range(1, 9)]
    for queue in queues:
        queue.close()


def test_a_store_that_stays_busy_is_an_error_within_bounds(sqlite: Place, clock: ManualClock) -> None:
    """Somebody holds the write lock for ever: a typed error, nothing changed; once it is free, all is well."""
    queue = sqlite.open(clock, POLICY, busy_timeout_millis=50)
    queue.submit("mail")
    blocker = sqlite3.connect(sqlite.url.removeprefix("sqlite:///"), isolation_level=None)
    blocker.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreError, match="busy for 50 ms"):
        queue.submit("mail")
    blocker.execute("ROLLBACK")
    blocker.close()
    assert queue.submit("mail") == "J2"


@pytest.mark.parametrize(("level", "number"), [("full", 2), ("normal", 1), ("off", 0)])
def test_what_a_power_cut_may_take_is_chosen_when_opening(
    tmp_path: Path, clock: Any, level: Any, number: Any
) -> None:
    """FULL unless told otherwise: what is acknowledged is on disk."""
    options = {} if level == "full" else {"synchronous": level}
    with open_queue(f"sqlite:///{tmp_path}/x.db", clock, POLICY, **options) as queue:
        assert queue._database.read("PRAGMA synchronous", {}) == [(number,)]  # type: ignore[attr-defined]
        assert queue._database.read("PRAGMA journal_mode", {}) == [("wal",)]  # type: ignore[attr-defined]


def test_a_full_disk_is_a_store_error_and_nothing_is_lost(sqlite: Any) -> None:
    """The file may grow no more: submits are refused whole, and once there is room all goes on."""
    queue = sqlite.open(ManualClock(), RetryPolicy(3, 1000, 60_000))
    queue.submit("mail", "first")
    pages = queue._database.read("PRAGMA page_count", {})[0][0]
    # What SQLite answers is the same as on a full disk; a quota would need rights that not every machine gives.
    queue._database.read(f"PRAGMA max_page_count = {pages + 8}", {})
    accepted = ["J1"]
    while isinstance(answer := outcome(queue.submit, "mail", "x" * 3000), str):
        accepted.append(answer)
    assert isinstance(answer, StoreError)
    assert "full" in str(answer)
    assert [view.id for view in reversed(queue.list_jobs())] == accepted
    queue._database.read("PRAGMA max_page_count = 100000", {})
    assert queue.submit("mail") == f"J{len(accepted) + 1}"
    assert sqlite.open(ManualClock(), POLICY).payload("J1") == "first"
