"""The statements of a turn use their indexes: what is asked for is found, not searched."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from jobqueue.stores import selection, statements
from jobqueue.stores.database import POSTGRES, SQLITE
from tests.durable.conftest import POLICY

if TYPE_CHECKING:
    from jobqueue import ManualClock
    from tests.databases import Place

LISTS = dict.fromkeys(("full_bands", "full_tenants", "closed_types", "held_types", "taken"), "[]")
LANES = {**LISTS, "beyond": "zzz", "any_type": 1, "types": "[]"}
RANK = {"rank0": 1, "rank1": 0, "rank2": 9, "number": 9}
AFTER = {f"after_{band}": "" for band in "hnl"}

# Each statement of a turn, with its parameters and the indexes by which it must find the jobs.
PLANS = {
    "look": (statements.LOOK, {}, {"jobs_due"}),
    "look at a job": (statements.LOOK_AT_JOB, {"number": 7}, {"jobs_due", "pkey"}),
    "look at the next": (statements.LOOK_AT_NEXT, {}, {"jobs_due", "jobs_in_line"}),
    "job": (statements.JOB, {"number": 7}, {"pkey"}),
    "due": (statements.DUE, {"now": 5}, {"jobs_due"}),
    "hold": (statements.HOLD, {"numbers": "[1, 2]"}, {"pkey"}),
    "hold due": (statements.HOLD_DUE, {"numbers": "[1, 2]", "now": 5}, {"pkey"}),
    "listed": (statements.LISTED, {"numbers": "[1, 2]"}, {"pkey"}),
    "key": (statements.KEY, {"tenant": "a", "request_key": "k"}, {"jobs_by_key"}),
    "surplus": (
        statements.SURPLUS,
        {"keep": 5, "newer": 4, "old_enough": 0, "most": 9},
        {"jobs_finished", "jobs_free", "jobs_bound"},
    ),
    "attempts": (statements.ATTEMPTS, {"number": 7}, {"attempts_pkey"}),
    "running": (selection.RUNNING, {}, {"jobs_by_status"}),
    "best of some types": (selection.BEST_OF_SOME_TYPES, {"types": '["a"]', "taken": "[]"}, {"jobs_by_type"}),
    "best of all types": (selection.BEST_OF_ALL_TYPES, {"taken": "[]"}, {"jobs_by_type"}),
    "lane heads": (selection.LANE_HEADS, LANES, {"jobs_in_lanes", "pkey"}),
    "next heads": (selection.NEXT_HEADS, {**LANES, **AFTER}, {"jobs_in_lanes", "pkey"}),
    "heads of tenants": (
        selection.HEADS_OF_TENANTS,
        {**LANES, "tenants": '["a", "b"]'},
        {"jobs_in_lanes", "pkey"},
    ),
    "best of tenants": (
        selection.BEST_OF_TENANTS,
        {**LANES, "tenants": '["a", "b"]'},
        {"jobs_in_lanes", "pkey"},
    ),
    "first tickets": (selection.FIRST_TICKETS, {**LANES, "most": 20}, {"jobs_in_lanes", "pkey"}),
    "own before": (
        selection.OWN_BEFORE,
        {**LANES, **RANK, "most": 20, "band": "N", "tenant": "a"},
        {"jobs_in_lanes", "pkey"},
    ),
    "all before": (selection.ALL_BEFORE, {**LANES, **RANK, "most": 20}, {"jobs_in_lanes", "pkey"}),
    "count before": (
        selection.COUNT_BEFORE,
        {**RANK, "most": 20, "most_attempts": 3},
        {"jobs_by_type"},
    ),
    "has ready": (selection.HAS_READY, {"band": "N", "tenant": "a"}, {"jobs_in_lanes"}),
    "newest page": (statements.search([]), {"most": 50, "looked_at": 50}, set()),
    "page of a tenant": (
        statements.search(["tenant"]),
        {"tenant": "tenant-1", "most": 5, "looked_at": 5},
        {"jobs_by_tenant"},
    ),
    "page of a type": (
        statements.search(["type", "before"]),
        {"type": "type-1", "before": 9, "most": 5, "looked_at": 5},
        {"jobs_by_kind"},
    ),
    "page of a state": (
        statements.search(["status", "before"]),
        {"status": "DEAD", "before": 9, "most": 5, "looked_at": 5},
        set(),
    ),
}

# Where rows are sorted all the same, there are only a few: the best of each type, the rows that were asked for.
SORTS = {"best of some types", "best of all types", "best of tenants", "hold", "hold due", "listed"} | {
    "page of a tenant",
    "page of a type",
    "surplus",
}

# It reads from the end, and no more than a page.
READS_A_PAGE = {"newest page"}


def filled(place: Any, clock: Any) -> Any:
    """Return the connection to a store with 5,000 jobs in all states, of which the planner has figures."""
    database = place.open(clock, POLICY)._database
    numbers = {
        "SQLite": "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 5000)",
        "PostgreSQL": "WITH numbers(n) AS (SELECT generate_series(1, 5000))",
    }[database.dialect.name]
    database.begin()
    database.write(
        f"""
        INSERT INTO jobs (
            type, priority, tenant, cost, submitted_at, run_at, status, attempts, generation, era,
            pending_since, is_ready, band, is_retry, rank0, rank1, rank2, due_at, finish_order, request_key,
            payload)
        {numbers}
        SELECT
            'type-' || (n % 7), 0, 'tenant-' || (n % 50), 1, 0, n,
            CASE n % 5 WHEN 0 THEN 'SUCCEEDED' WHEN 1 THEN 'RUNNING' WHEN 2 THEN 'DEAD' ELSE 'PENDING' END,
            1, 1, 0, 0, CASE n % 5 WHEN 3 THEN 1 ELSE 0 END, 'N', 0, 1, 0, n,
            CASE n % 5 WHEN 4 THEN n END, CASE n % 5 WHEN 0 THEN n END, 'key-' || n, 'text'
        FROM numbers
        """,
        {},
    )
    database.commit()
    database.write("ANALYZE", {})
    return database


def plan_of(database: Any, text: Any, values: Any) -> Any:
    """Return the lines of the plan of a statement."""
    explain = "EXPLAIN QUERY PLAN " if database.dialect is SQLITE else "EXPLAIN "
    database.begin()
    rows = database.read(explain + database.dialect.sql(text), values)
    database.rollback()
    return [str(row[-1]) for row in rows]


def faults(database: Any, name: str, lines: Any) -> Any:
    """Return what a plan should not do: read all jobs, or sort more than a few."""
    if database.dialect is SQLITE:
        found = [
            line
            for line in lines
            if name not in READS_A_PAGE and re.search(r"SCAN (jobs|attempts|later)\b(?!.*USING)", line)
        ]
        found += [line for line in lines if "TEMP B-TREE" in line and name not in SORTS]
        return found + [line for line in lines if "AUTOMATIC" in line or "BLOOM" in line]
    found = [line for line in lines if "Seq Scan on jobs" in line or "Seq Scan on attempts" in line]
    return found + [line for line in lines if re.search(r"\bSort\b  \(", line) and name not in SORTS]


def test_every_statement_of_a_turn_finds_by_index(place: Place, clock: ManualClock) -> None:
    """No statement reads all jobs, or sorts them, however many there are."""
    database = filled(place, clock)
    key_name = {"SQLite": {"pkey": "INTEGER PRIMARY KEY", "attempts_pkey": "PRIMARY KEY"}, "PostgreSQL": {}}
    wrong = {}
    for name, (text, values, indexes) in PLANS.items():
        lines = plan_of(database, text, values)
        missing = {
            index
            for index in indexes
            if key_name[database.dialect.name].get(index, index) not in "\n".join(lines)
        }
        if faults(database, name, lines) or missing:
            wrong[name] = [*faults(database, name, lines), *missing]
    assert wrong == {}


def test_the_words_of_a_database_leave_no_gap() -> None:
    """Each statement is complete in each dialect."""
    for dialect in (SQLITE, POSTGRES):
        for text, _, _ in PLANS.values():
            assert not re.search(r"[{}]", dialect.sql(text))
