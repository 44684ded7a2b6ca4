"""Counts of jobs that a database keeps by itself: each change of a job changes them in the same transaction.

To count all jobs that wait takes longer the more there are, and a submit under limits asks for it each time.
In SQLite one transaction writes at a time, so a row of counts holds nobody up. In PostgreSQL all who submit,
poll or complete jobs of one type would wait for each other at it. There a change only adds a row of its own,
and the next submit under limits, for which others of its kind wait anyway, adds those rows up. Without such
limits nothing is kept.
"""

from jobqueue.stores.database import Dialect

BAND = "CASE WHEN {0}priority > 0 THEN 'H' WHEN {0}priority = 0 THEN 'N' ELSE 'L' END"
_SINCE = "max(run_at, pending_since)"


def _counted(row: str, step: str) -> str:
    """Return the statements that count a job: once by its status, and, if it is live, by tenant, type and band.

    The row of a status has no names; nothing is left of names of which no job is live, for they come and go.
    """
    whole = f"{row}.status, '', '', ''"
    part = f"{row}.status, {row}.tenant, {row}.type, {BAND.format(row + '.')}"
    count = f"ON CONFLICT (status, tenant, type, band) DO UPDATE SET jobs = jobs {step} 1;"
    return f"""
        INSERT INTO counts SELECT {whole}, 1 WHERE true {count}
        INSERT INTO counts SELECT {part}, 1 WHERE {row}.status IN ('PENDING', 'RUNNING') {count}
        DELETE FROM counts WHERE (status, tenant, type, band) = ({part}) AND jobs = 0;
    """


TABLES = (
    """
    CREATE TABLE counts (
        status TEXT NOT NULL,
        tenant TEXT NOT NULL,
        type TEXT NOT NULL,
        band TEXT NOT NULL,
        jobs BIGINT NOT NULL,
        PRIMARY KEY (status, tenant, type, band)
    ) WITHOUT ROWID
    """,
    "INSERT INTO counts SELECT status, '', '', '', count(*) FROM jobs GROUP BY 1",
    f"""
    INSERT INTO counts SELECT status, tenant, type, {BAND.format("")}, count(*) FROM jobs
    WHERE status IN ('PENDING', 'RUNNING') GROUP BY 1, 2, 3, 4
    """,
    f"CREATE TRIGGER jobs_added AFTER INSERT ON jobs BEGIN {_counted('NEW', '+')} END",
    f"""
    CREATE TRIGGER jobs_changed AFTER UPDATE OF status ON jobs WHEN OLD.status <> NEW.status
    BEGIN {_counted("OLD", "-")} {_counted("NEW", "+")} END
    """,
    f"CREATE TRIGGER jobs_dropped AFTER DELETE ON jobs BEGIN {_counted('OLD', '-')} END",
    # The job that has been ready for longest, of each tenant in each band.
    f"CREATE INDEX jobs_by_age ON jobs (tenant, ({BAND.format('')}), ({_SINCE})) WHERE is_ready = 1",
)

# -- asking ------------------------------------------------------------------------------------------------

# The row without a tenant counts all. A row of nobody goes at the next submit; this one may have changed it.
_QUEUED = {
    True: "SELECT coalesce(sum(jobs), 0) FROM counts WHERE status = 'PENDING' AND tenant = :tenant",
    False: """
        WITH gone AS (DELETE FROM queued_changes RETURNING tenant, step),
        added(tenant, step) AS (
            SELECT tenant, sum(step) FROM gone GROUP BY tenant UNION ALL SELECT '', sum(step) FROM gone),
        kept AS (
            INSERT INTO queued AS known SELECT tenant, step FROM added WHERE step IS NOT NULL
            ON CONFLICT (tenant) DO UPDATE SET jobs = known.jobs + EXCLUDED.jobs),
        forgotten AS (
            DELETE FROM queued WHERE jobs = 0 AND tenant NOT IN (SELECT tenant FROM added))
        SELECT coalesce((SELECT jobs FROM queued WHERE tenant = :tenant), 0)
            + coalesce((SELECT sum(step) FROM added WHERE tenant = :tenant), 0)
    """,
}


def queued(dialect: Dialect) -> str:
    """Return the statement that tells how many jobs of a tenant are PENDING; of all for an empty name."""
    return _QUEUED[dialect.keeps_counts]


# Made by the first queue that limits submits; jobs stand still meanwhile, so none is missed or counted twice.
POSTGRES_QUEUED = (
    "LOCK TABLE jobs IN SHARE ROW EXCLUSIVE MODE",
    'CREATE TABLE queued (tenant TEXT COLLATE "C" PRIMARY KEY, jobs BIGINT NOT NULL)',
    "CREATE INDEX queued_by_nobody ON queued (tenant) WHERE jobs = 0",
    'CREATE TABLE queued_changes (tenant TEXT COLLATE "C" NOT NULL, step BIGINT NOT NULL)',
    "INSERT INTO queued SELECT tenant, count(*) FROM jobs WHERE status = 'PENDING' GROUP BY tenant",
    "INSERT INTO queued SELECT '', count(*) FROM jobs WHERE status = 'PENDING'",
    """
    CREATE FUNCTION note_queued() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_OP <> 'INSERT' AND OLD.status = 'PENDING' THEN
            INSERT INTO queued_changes VALUES (OLD.tenant, -1);
        END IF;
        IF TG_OP <> 'DELETE' AND NEW.status = 'PENDING' THEN
            INSERT INTO queued_changes VALUES (NEW.tenant, 1);
        END IF;
        RETURN NULL;
    END $$
    """,
    "CREATE TRIGGER jobs_queued AFTER INSERT OR DELETE ON jobs FOR EACH ROW EXECUTE FUNCTION note_queued()",
    """
    CREATE TRIGGER jobs_moved AFTER UPDATE OF status ON jobs FOR EACH ROW WHEN (OLD.status <> NEW.status)
    EXECUTE FUNCTION note_queued()
    """,
)


# + takes the type from a column: an expression of no type is found in an index only by a value of no type.
_LIVE = {
    True: f"""
        SELECT status, tenant, type, band, jobs, NULL FROM counts WHERE tenant <> ''
        UNION ALL
        SELECT status, '', '', '', jobs, 0 FROM counts
        WHERE tenant = '' AND status IN ('SUCCEEDED', 'CANCELLED')
        UNION ALL
        SELECT 'ready', tenant, '', band, 0, (
            SELECT {_SINCE} FROM jobs
            WHERE is_ready = 1 AND jobs.tenant = place.tenant AND {BAND.format("")} = +place.band
            ORDER BY {_SINCE} LIMIT 1)
        FROM (SELECT DISTINCT tenant, band FROM counts WHERE status = 'PENDING' AND tenant <> '') AS place
    """,
    False: f"""
        SELECT status, tenant, type, {BAND.format("")}, count(*),
            min(CASE WHEN is_ready = 1 THEN {{greatest}}(run_at, pending_since) END)
        FROM jobs WHERE status IN ('PENDING', 'RUNNING') GROUP BY 1, 2, 3, 4
        UNION ALL
        SELECT 'SUCCEEDED', '', '', '', count(*), 0 FROM jobs WHERE status = 'SUCCEEDED'
        UNION ALL
        SELECT 'CANCELLED', '', '', '', count(*), 0 FROM jobs WHERE status = 'CANCELLED'
    """,
}

# One statement, so that all figures are of one snapshot.
_STATS = """
    {live}
    UNION ALL
    SELECT 'DEAD', '', '', '', failed_at, 0 FROM jobs WHERE status = 'DEAD'
    UNION ALL
    SELECT 'attempts', outcome, '', '', count(*), 0 FROM attempts WHERE outcome <> 'succeeded' GROUP BY outcome
    UNION ALL SELECT 'attempts', 'succeeded', '', '', succeeded, 0 FROM totals
    UNION ALL SELECT 'attempts', 'failed', '', '', failed, 0 FROM totals
    UNION ALL SELECT 'attempts', 'expired', '', '', expired, 0 FROM totals
    UNION ALL SELECT 'attempts', 'released', '', '', released, 0 FROM totals
    UNION ALL SELECT 'redrives', '', '', '', (SELECT count(*) FROM redrives) + redrives, 0 FROM totals
"""


def stats(dialect: Dialect) -> str:
    """Return the statement that tells all figures of one instant."""
    return _STATS.replace("{live}", _LIVE[dialect.keeps_counts])
