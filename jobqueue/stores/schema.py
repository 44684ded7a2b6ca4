"""The tables of a store, their version, and how an older store becomes a newer one.

Ready jobs, jobs that wait for an instant, and finished ones each have an index of their own that leaves the
others
out: what is ready is found as fast beside a million finished jobs as beside none.
"""

from collections.abc import Callable, Sequence

from jobqueue.errors import StoreError
from jobqueue.stores import job_counts
from jobqueue.stores.database import Database

VERSION_1 = (
    """
    CREATE TABLE jobs (
        number {number_key},
        type TEXT{by_bytes} NOT NULL,
        priority BIGINT NOT NULL,
        tenant TEXT{by_bytes} NOT NULL,
        cost BIGINT NOT NULL,
        submitted_at BIGINT NOT NULL,
        run_at BIGINT NOT NULL,
        status TEXT{by_bytes} NOT NULL,
        attempts BIGINT NOT NULL,
        generation BIGINT NOT NULL,
        era BIGINT NOT NULL,
        worker_id TEXT{by_bytes},
        started_at BIGINT,
        lease_until BIGINT,
        ended_at BIGINT,
        outcome TEXT{by_bytes},
        finished_at BIGINT,
        failed_at BIGINT,
        dead_reason TEXT{by_bytes},
        pending_since BIGINT NOT NULL,
        rest_millis BIGINT,
        deadline BIGINT,
        request_key TEXT{by_bytes},
        content_hash TEXT{by_bytes},
        is_ready SMALLINT NOT NULL,
        band TEXT{by_bytes},
        is_retry SMALLINT NOT NULL,
        rank0 BIGINT NOT NULL,
        rank1 BIGINT NOT NULL,
        rank2 BIGINT NOT NULL,
        due_at BIGINT,
        finish_order BIGINT,
        -- What may be long comes last, so that a look at the rest need not read past it.
        last_error TEXT{by_bytes},
        payload TEXT{by_bytes} NOT NULL,
        checkpoint TEXT{by_bytes},
        result TEXT{by_bytes}
    )
    """,
    # Strict priority: the next job is the first entry.
    "CREATE INDEX jobs_in_line ON jobs (rank0, rank1, rank2, number) WHERE is_ready = 1",
    # The same for each type: a poll for some types reads their first entries.
    "CREATE INDEX jobs_by_type ON jobs (type, rank0, rank1, rank2, number) WHERE is_ready = 1",
    # Fair scheduling: the first entry of each lane, from lane to lane, without the jobs in between.
    """
    CREATE INDEX jobs_in_lanes ON jobs (band, tenant, type, is_retry, rank0, rank1, rank2, number)
    WHERE is_ready = 1
    """,
    # What time moves next.
    "CREATE INDEX jobs_due ON jobs (due_at, number) WHERE due_at IS NOT NULL",
    "CREATE INDEX jobs_by_status ON jobs (status, number)",
    "CREATE INDEX jobs_by_tenant ON jobs (tenant, status, number)",
    "CREATE INDEX jobs_finished ON jobs (finish_order) WHERE finish_order IS NOT NULL",
    # One job for each key of a tenant, whatever the code above it does.
    "CREATE UNIQUE INDEX jobs_by_key ON jobs (tenant, request_key) WHERE request_key IS NOT NULL",
    """
    CREATE TABLE attempts (
        number BIGINT NOT NULL REFERENCES jobs ON DELETE CASCADE,
        generation BIGINT NOT NULL,
        attempt BIGINT NOT NULL,
        worker_id TEXT{by_bytes} NOT NULL,
        started_at BIGINT NOT NULL,
        ended_at BIGINT NOT NULL,
        outcome TEXT{by_bytes} NOT NULL,
        error TEXT{by_bytes},
        era BIGINT NOT NULL,
        PRIMARY KEY (number, generation)
    ){keyed}
    """,
    # Each SUCCEEDED job has one attempt that succeeded; only the others need be counted.
    "CREATE INDEX attempts_in_vain ON attempts (outcome) WHERE outcome <> 'succeeded'",
    """
    CREATE TABLE redrives (
        number BIGINT NOT NULL REFERENCES jobs ON DELETE CASCADE,
        redrive_generation BIGINT NOT NULL,
        at BIGINT NOT NULL,
        run_at BIGINT NOT NULL,
        actor TEXT{by_bytes},
        note TEXT{by_bytes},
        has_new_payload SMALLINT NOT NULL,
        deadline BIGINT,
        batch BIGINT,
        PRIMARY KEY (number, redrive_generation)
    ){keyed}
    """,
    "CREATE TABLE paused (type TEXT{by_bytes} PRIMARY KEY){keyed}",
    # One row: attempts and redrives of jobs that were dropped, the last batch, for what aging lanes were made.
    """
    CREATE TABLE totals (
        succeeded BIGINT NOT NULL,
        failed BIGINT NOT NULL,
        expired BIGINT NOT NULL,
        released BIGINT NOT NULL,
        redrives BIGINT NOT NULL,
        last_batch BIGINT NOT NULL,
        aging_millis BIGINT
    )
    """,
    "INSERT INTO totals VALUES (0, 0, 0, 0, 0, 0, NULL)",
    "{endings}",
)

# How many jobs there are of each state, tenant, type and band, in databases that count them as they change.
VERSION_2 = (
    *(f"{{count_{number}}}" for number in range(len(job_counts.TABLES))),
    # A page of the jobs of one type.
    "CREATE INDEX jobs_by_kind ON jobs (type, status, number)",
    # Finished jobs: those that no request key keeps, and those that one keeps for as long as it is young.
    """
    CREATE INDEX jobs_free ON jobs (request_key, finish_order)
    WHERE finish_order IS NOT NULL AND request_key IS NULL
    """,
    """
    CREATE INDEX jobs_bound ON jobs (submitted_at)
    WHERE finish_order IS NOT NULL AND request_key IS NOT NULL
    """,
)

MIGRATIONS: Sequence[Sequence[str]] = (VERSION_1, VERSION_2)
"""What leads from each version to the next, beginning at an empty store."""

WORDS = {
    "SQLite": {
        # AUTOINCREMENT: the number of a job that was dropped is not given again. A rollback gives it back.
        "number_key": "INTEGER PRIMARY KEY AUTOINCREMENT",
        "by_bytes": "",
        "keyed": " WITHOUT ROWID",
        "endings": "",
        **{f"count_{number}": text for number, text in enumerate(job_counts.TABLES)},
    },
    "PostgreSQL": {
        "number_key": "BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY",
        # Names are in the order of their code points, as everywhere, not in that of some language.
        "by_bytes": ' COLLATE "C"',
        "keyed": "",
        "endings": "CREATE SEQUENCE endings",
        **{f"count_{number}": "" for number in range(len(job_counts.TABLES))},
    },
}


def migrate(database: Database, where: str, version: int, tell: Callable[[int], None]) -> None:
    """Bring a store to the newest version; the caller has begun a transaction, and ends it.

    Args:
        database: where to.
        where: how messages call it.
        version: the version that it has; 0 if it is empty.
        tell: writes the version down.

    Raises:
        StoreError: it is of a newer version than this program knows.
    """
    newest = len(MIGRATIONS)
    if version > newest:
        raise StoreError(
            f"cannot open {where}: its schema has version {version}, and this program knows {newest}; "
            "open it with the program that wrote it, or a newer one"
        )
    for statements in MIGRATIONS[version:]:
        for statement in statements:
            text = statement.format(**WORDS[database.dialect.name]).strip()
            if text:
                database.write(text, {})
    if version < newest:
        tell(newest)
