"""Every statement over the jobs, by name, with what each clause prevents.

The texts are the same for all databases but for the words of a `Dialect`. Nothing is decided here.
"""

from collections.abc import Collection, Iterable
from functools import lru_cache

from jobqueue.model import JobStatus
from jobqueue.stores.database import Dialect
from jobqueue.stores.rows import ATTEMPT_COLUMNS, COLUMNS

ORDER = "rank0, rank1, rank2, number"
LANE = "band, tenant, type, is_retry"

SETTLED_AT_ONCE = 500
"""How many jobs one transaction settles: more would keep others waiting, and a crash would undo more."""


def columns(prefix: str = "") -> str:
    """Return the columns that a job is read from."""
    return ", ".join(prefix + name for name in COLUMNS)


_LISTED = ", ".join("'' AS payload" if name == "payload" else name for name in COLUMNS)
"""The columns of a job but for its payload, which may be long."""


# -- the first statement of a turn -------------------------------------------------------------------------

_LOOK = """
    WITH wanted AS MATERIALIZED ({wanted})
    SELECT
        -- Is anything due? One look at the first entry of the index of what is.
        (SELECT due_at FROM jobs WHERE due_at IS NOT NULL ORDER BY due_at, number LIMIT 1),
        {clock},
        wanted.*
    -- LEFT JOIN: an answer also where there is no such job. The clock is read after its lock was obtained.
    FROM (SELECT 1) AS once LEFT JOIN wanted ON true
"""

_NOTHING = f"SELECT {columns()} FROM jobs WHERE number = 0"

# The lock keeps the row as it is until the turn has changed it: else two could report the same attempt.
_JOB_TO_CHANGE = f"SELECT {columns()} FROM jobs WHERE number = :number {{lock}}"

# is_ready: neither what runs nor what waits for its instant is even looked at, however much there is of it.
# NOT EXISTS: with a type paused this is the wrong question, and nothing must be locked by it.
# {skip}: of two that ask at once the second takes the next job, rather than wait for the first.
_NEXT = f"""
    SELECT {columns()} FROM jobs
    WHERE is_ready = 1 AND NOT EXISTS (SELECT 1 FROM paused)
    ORDER BY {ORDER} LIMIT 1 {{skip}}
"""

JOB = f"SELECT {columns()} FROM jobs WHERE number = :number"

LOOK, READ_JOB, LOOK_AT_JOB, LOOK_AT_NEXT = (
    _LOOK.replace("{wanted}", wanted.strip()) for wanted in (_NOTHING, JOB, _JOB_TO_CHANGE, _NEXT)
)

# -- reading jobs ------------------------------------------------------------------------------------------

# A transaction waits for the locks of several jobs in the order of their numbers, and only while it has locked
# no other job. So no two wait for each other in a circle.
_HOLD = f"SELECT {columns()} FROM jobs WHERE number IN ({{numbers:numbers}})"
HOLD = f"{_HOLD} ORDER BY number {{lock}}"
# due_at again: while this waited, somebody else may have settled them. + 0: it is no reason to search by it.
HOLD_DUE = f"{_HOLD} AND due_at + 0 <= :now ORDER BY number {{lock}}"
# {skip}: without waiting, for a transaction that has locked other jobs already.
HOLD_FREE = f"{_HOLD} ORDER BY number {{skip}}"

# The same, only to look at.
LISTED = f"SELECT {_LISTED} FROM jobs WHERE number IN ({{numbers:numbers}}) ORDER BY number"

# is_ready again: it may have been taken between choosing and locking. {skip}: then there are others.
HOLD_READY = f"SELECT {columns()} FROM jobs WHERE number = :number AND is_ready = 1 {{skip}}"

DUE = f"""
    SELECT due_at, number FROM jobs WHERE due_at <= :now ORDER BY due_at, number LIMIT {SETTLED_AT_ONCE}
"""

KEY = "SELECT number FROM jobs WHERE tenant = :tenant AND request_key = :request_key"

DEAD = f"SELECT {columns()} FROM jobs WHERE status = 'DEAD' ORDER BY number"

# Older than the newest `keep` that finished, and no young request key needs it. Two walks: one along all that
# is older would meet each job again and again whose key is young. {skip}: who drops it already may.
_OLDER = """finish_order < CASE WHEN :keep = 0 THEN 9223372036854775807 ELSE (
    SELECT finish_order FROM jobs WHERE finish_order IS NOT NULL
    ORDER BY finish_order DESC LIMIT 1 OFFSET :newer) END"""
SURPLUS = f"""
    SELECT {columns()} FROM jobs WHERE number IN (
        SELECT number FROM (
            SELECT number FROM jobs WHERE finish_order IS NOT NULL AND request_key IS NULL AND {_OLDER}
            ORDER BY finish_order LIMIT :most) AS free
        UNION ALL
        SELECT number FROM (
            SELECT number FROM jobs
            WHERE finish_order IS NOT NULL AND request_key IS NOT NULL
              AND submitted_at <= :old_enough AND {_OLDER}
            ORDER BY submitted_at LIMIT :most) AS freed)
    ORDER BY finish_order LIMIT :most {{skip}}
"""

# -- writing jobs ------------------------------------------------------------------------------------------

_NEW = ", ".join(COLUMNS[1:])
INSERT = f"INSERT INTO jobs ({_NEW}) VALUES ({', '.join(':' + name for name in COLUMNS[1:])}) RETURNING number"

INSERT_ATTEMPT = (
    f"INSERT INTO attempts ({', '.join(ATTEMPT_COLUMNS)})"
    f" VALUES ({', '.join(':ended_' + name for name in ATTEMPT_COLUMNS)})"
)


@lru_cache(maxsize=512)
def in_words_of(dialect: Dialect, text: str) -> str:
    """Return a statement in the words of a database."""
    return dialect.sql(text)


@lru_cache(maxsize=512)
def update(dialect: Dialect, changed: tuple[str, ...], *, finishes: bool, ends_attempt: bool) -> str:
    """Return the statement that changes these columns of a job.

    Generation and status are those that the decision was made for. Without them in the condition, a report that
    comes late would be written over what became of the job since: over another worker's lease, or a success.
    """
    values = [f"{name} = :{name}" for name in changed]
    values += [f"finish_order = {dialect.next_ending}"] if finishes else []
    text = f"""
        UPDATE jobs SET {", ".join(values)}
        WHERE number = :was_number AND generation = :was_generation AND status = :was_status
    """
    # Where it can be one statement, the job and the record of its attempt are one step even so.
    return f"WITH ended AS ({INSERT_ATTEMPT}) {text}" if ends_attempt and dialect.joins_writes else text


DELETE = "DELETE FROM jobs WHERE number = :number"

# Before a job goes, its attempts and redrives are added to what is remembered of those that went before.
REMEMBER_ATTEMPTS = (
    "UPDATE totals SET redrives = redrives + (SELECT count(*) FROM redrives WHERE number = :number), "
    + ", ".join(
        f"{name} = {name} + (SELECT count(*) FROM attempts WHERE number = :number AND outcome = '{name}')"
        for name in ("succeeded", "failed", "expired", "released")
    )
)

# -- histories ---------------------------------------------------------------------------------------------

ATTEMPTS = f"SELECT {', '.join(ATTEMPT_COLUMNS[1:])} FROM attempts WHERE number = :number ORDER BY generation"
ATTEMPT = f"""
    SELECT {", ".join(ATTEMPT_COLUMNS[1:])} FROM attempts WHERE number = :number AND generation = :generation
"""

_REDRIVE = "redrive_generation, at, run_at, actor, note, has_new_payload, deadline, batch"
REDRIVES = f"SELECT {_REDRIVE} FROM redrives WHERE number = :number ORDER BY redrive_generation"
INSERT_REDRIVE = (
    f"INSERT INTO redrives (number, {_REDRIVE})"
    " VALUES (:number, :redrive_generation, :at, :run_at, :actor, :note, :has_new_payload, :deadline, :batch)"
)
LAST_BATCH = "SELECT last_batch FROM totals {lock}"  # a lock for which nobody waits who has it: it comes last
REMEMBER_BATCH = "UPDATE totals SET last_batch = {greatest}(last_batch, :batch)"

# -- looking -----------------------------------------------------------------------------------------------

# The newest instant that anything in the store tells of: it reads every row, once for each opening.
NEWEST = """
    SELECT max({greatest}(submitted_at, pending_since, coalesce(started_at, submitted_at),
        coalesce(ended_at, submitted_at), coalesce(finished_at, submitted_at),
        coalesce(failed_at, submitted_at)))
    FROM jobs
"""
AGING = "SELECT aging_millis FROM totals"
REMEMBER_AGING = "UPDATE totals SET aging_millis = :aging_millis"
# Each ready job is looked at anew, from the instant at which it became ready.
PLACE_ANEW = """
    UPDATE jobs SET due_at = {greatest}(run_at, pending_since) WHERE number IN (
        SELECT number FROM jobs WHERE is_ready = 1 ORDER BY number {lock})
"""

LAST_NUMBER = "SELECT {last_number}"


def search(fields: Collection[str]) -> str:
    """Return the statement that lists the jobs of which these fields fit; it reads no payloads."""
    names = [name for name in fields if name != "text"]
    # One walk for each state, as the indexes have it: else one walk along all jobs in search of a few.
    states = [None] if "status" in names or not {"tenant", "type"} & {*names} else list(JobStatus)
    if states == [None] and "text" not in fields:
        return _walk(names)
    walks = " UNION ALL ".join(f"SELECT * FROM ({_walk(names, state)}) AS walk_{state}" for state in states)
    text = _SEARCHED["text"] if "text" in fields else "true"
    looked_at = f"SELECT * FROM ({walks}) AS walks ORDER BY number DESC LIMIT :looked_at"
    return f"SELECT * FROM ({looked_at}) AS looked_at WHERE {text} ORDER BY number DESC LIMIT :most"


def _walk(names: Iterable[str], state: str | None = None) -> str:
    """Return the query for the newest jobs of which all is true, and which are in a state."""
    where = ["true", *(_SEARCHED[name] for name in names), *([f"status = '{state}'"] if state else [])]
    return f"SELECT {_LISTED} FROM jobs WHERE {' AND '.join(where)} ORDER BY number DESC LIMIT :looked_at"


_SEARCHED = {
    "status": "status = :status",
    "type": "type = :type",
    "tenant": "tenant = :tenant",
    "before": "number < :before",
    "number": "number = :number",
    "text": "({position}(lower(type), :text) > 0 OR {position}(lower(tenant), :text) > 0"
    " OR {position}(lower(coalesce(request_key, '')), :text) > 0 OR {position}('j' || number, :text) > 0"
    " OR {position}(lower(coalesce(substr(last_error, 1, 1000), '')), :text) > 0)",
}
