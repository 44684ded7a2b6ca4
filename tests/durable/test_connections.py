"""Connections that others share, that break in a commit, and that wait for somebody."""

from __future__ import annotations

import sqlite3
from typing import Any

import psycopg
import pytest

from jobqueue import JobQueue, Limits, ManualClock, RetryPolicy, StoreError, WeightedBands
from jobqueue.store import READING
from tests.contract.observing import everything, outcome, polled
from tests.databases import Place, postgres_url
from tests.durable.conftest import POLICY
from tests.durable.test_statements import statements

EVERYTHING = {
    "scheduler": WeightedBands(aging_millis=10**6),
    "limits": Limits(100, 100, 10),
    "keep_finished": 10,
}

RESETS = {
    "discard": "DISCARD ALL",
    "reset": "RESET ALL",
    "deallocate": "DEALLOCATE ALL",
    "somebody else's": "SET search_path = public; SET enable_indexscan = off;"
    " SET default_transaction_isolation = 'serializable'; CREATE TEMPORARY TABLE IF NOT EXISTS jobs (n BIGINT)",
}


def pooled(queue: Any, reset: Any) -> Any:
    """Let somebody else have the queue's session of the server before each of its transactions."""
    database = queue._database
    real_begin = database.begin

    def begin() -> None:
        database._connected().execute(reset, prepare=False)
        real_begin()

    database.begin = begin
    return queue


def whole_life(queue: Any) -> Any:
    """Return the answers of every operation, in a story that meets all of them."""
    who = {"actor": "ann", "note": ""}
    return [
        outcome(call)
        for call in (
            lambda: [queue.submit("mail", tenant=tenant) for tenant in "aabc"],
            lambda: queue.submit_once("k", "fax", deadline_millis=10**6),
            lambda: queue.submit_once("k", "fax", deadline_millis=10**6),
            lambda: queue.poll_many("w", 1000, 2),
            lambda: queue.renew("J1", "J1:1", 2000, "half"),
            lambda: queue.complete("J1", "J1:1", "done"),
            lambda: queue.fail("J2", "J2:1", permanent=True),
            lambda: queue.poll("w", 1000, types=["mail"]),
            lambda: queue.release("J3", "J3:1"),
            lambda: queue.cancel("J3"),
            lambda: (queue.pause("mail"), queue.paused(), queue.next_up(5), queue.why_not("J4")),
            lambda: queue.resume("mail"),
            lambda: queue.poll("w", 1000, tenants=["c"]),
            lambda: (queue.redrivable(["J2", "J9"]), queue.redrive("J2", **who, unchanged=True)),
            lambda: queue.redrive_many(["J2"], **who),
            lambda: (queue.sweep(), queue.dead_letters()),
            lambda: queue.prune(keep=1, dead=True),
            lambda: [view.id for view in queue.list_jobs()],
        )
    ]


@pytest.mark.parametrize("reset", RESETS)
@pytest.mark.parametrize("options", [{}, EVERYTHING], ids=["default", "everything"])
def test_a_session_that_is_shared_does_as_one_alone(
    postgres: Place, clock: ManualClock, reset: Any, options: Any
) -> None:
    """As a pooler in transaction mode has it: no answer depends on what the session was like before."""
    queue = pooled(postgres.open(clock, POLICY, **options), RESETS[reset])
    alone = JobQueue(clock, POLICY, **options)
    for answer, expected in zip(whole_life(queue), whole_life(alone), strict=True):
        assert repr(answer) == repr(expected)
    assert everything(queue, submitted=5) == everything(alone, submitted=5)
    assert queue.stats() == alone.stats()


def test_statements_are_prepared_only_where_they_last(postgres: Any, clock: Any) -> None:
    """In a session of its own each is planned once; in one that was emptied they would not be found."""
    queue, count = postgres.open(clock, POLICY), "SELECT count(*) FROM pg_prepared_statements"

    def prepared() -> Any:
        return queue._database._connected().execute(count, prepare=False).fetchone()[0]

    queue.submit("mail")
    assert prepared() > 1
    pooled(queue, "DISCARD ALL").submit("mail")
    del queue._database.begin
    queue.submit("mail")
    assert prepared() == 0
    assert len(statements(queue, lambda: queue.poll("w", 1000))) == 2, "no more statements than before"


def losing_commits(queue: Any, *, after: Any) -> None:
    """Let the queue's connection break in its next commit: after it was made, or before."""
    database = queue._database
    connected = database._connected

    class Breaking:
        def __getattr__(self, name: Any) -> Any:
            return getattr(connected(), name)

        def execute(self, text: Any, *args: Any, **options: Any) -> Any:
            if text != "COMMIT":
                return connected().execute(text, *args, **options)
            del database._connected
            if after:
                connected().execute(text)
            if database.dialect.name == "SQLite":
                raise sqlite3.OperationalError("disk I/O error")
            connected().close()
            raise psycopg.OperationalError("the connection is lost")

    breaking = Breaking()
    database._connected = lambda: breaking


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_a_commit_whose_answer_is_lost_may_have_been_made(place: Place, clock: ManualClock, after: Any) -> None:
    """Nobody knows, and so it is said; asked again with the same request key, there is one job."""
    queue = place.open(clock, POLICY)
    losing_commits(queue, after=after)
    with pytest.raises(StoreError, match=r"may have been done .* the same request key"):
        queue.submit_once("k", "mail")
    assert queue.submit_once("k", "mail").replayed is after
    assert sum(queue.stats().by_status.values()) == 1


def test_what_fails_before_the_commit_has_changed_nothing(place: Any, clock: Any) -> None:
    """That is known, and so it is said."""
    queue = place.open(clock, POLICY)
    with pytest.raises(StoreError, match="nothing was changed, so you can try again"), queue._session(READING):
        queue._database.write("INSERT INTO nowhere VALUES (1)", {})
    assert queue.submit("mail") == "J1"


def test_a_commit_that_the_server_refuses_has_changed_nothing(postgres: Any, clock: Any) -> None:
    """It said so: a constraint that is checked at the end, say."""
    queue = postgres.open(clock, POLICY)
    queue._database.begin()
    queue._database.write("CREATE TABLE late (n BIGINT UNIQUE DEFERRABLE INITIALLY DEFERRED)", {})
    queue._database.write("INSERT INTO late VALUES (1), (1)", {})
    with pytest.raises(StoreError, match=r"cannot commit .* nothing was changed"):
        queue._database.commit()
    assert queue.submit("mail") == "J1"


def test_a_lock_that_is_never_let_go_is_waited_for_in_bounded_time(postgres: Place, clock: ManualClock) -> None:
    """Then it is an error that says for how long, and nothing has happened."""
    queue = postgres.open(clock, RetryPolicy(1, 0, 0), busy_timeout_millis=50)
    queue.submit("mail")
    token = polled(queue).token
    options = f"-c search_path={postgres.options['schema']}"
    with psycopg.connect(postgres_url(), options=options) as other:
        other.execute("SELECT 1 FROM jobs WHERE number = 1 FOR UPDATE")
        with pytest.raises(StoreError, match="kept it locked for 50 ms; nothing was changed"):
            queue.complete("J1", token)
    queue.complete("J1", token)
