"""The statements that find who is next: the best of some types, the first of each lane.

Each is a walk along an index, from the first entry of one group to the first of the next; what lies in between
is not read. The walk is a recursive query, and `CROSS JOIN` keeps its order.
"""

from collections.abc import Iterator, Mapping, Sequence

from jobqueue.stores.statements import ORDER

LANE = "band, tenant, type, is_retry"
TICKET = "number, band, type, is_retry, tenant, cost, rank0, rank1, rank2"


def _of(table: str, names: str) -> str:
    """Return names of columns with the name of their table."""
    return ", ".join(f"{table}.{name}" for name in names.split(", "))


PAUSED = "SELECT type FROM paused ORDER BY type"
PAUSE = "INSERT INTO paused (type) VALUES (:type) ON CONFLICT DO NOTHING"
RESUME = "DELETE FROM paused WHERE type = :type"

# -- strict priority ---------------------------------------------------------------------------------------

_READY_TYPES = """
    SELECT (SELECT type FROM jobs WHERE is_ready = 1 ORDER BY type LIMIT 1)
    UNION ALL
    SELECT (SELECT type FROM jobs WHERE is_ready = 1 AND type > kind.type ORDER BY type LIMIT 1)
    FROM kind WHERE kind.type IS NOT NULL
"""

# The best of each type, and the best of those. taken: jobs that other transactions turned out to have.
# Two bounds rather than `=`, and the type in the order: else a planner may walk along all ready jobs instead,
# in the hope of meeting one of this type soon.
_BEST_OF_TYPES = f"""
    WITH RECURSIVE kind(type) AS ({{kinds}})
    SELECT number FROM jobs WHERE number IN (
        SELECT (
            SELECT number FROM jobs
            WHERE is_ready = 1 AND jobs.type >= kind.type AND jobs.type <= kind.type
              AND number NOT IN ({{{{numbers:taken}}}})
            ORDER BY jobs.type, {ORDER} LIMIT 1)
        FROM kind WHERE kind.type IS NOT NULL AND kind.type NOT IN (SELECT type FROM paused))
    ORDER BY {ORDER} LIMIT 1
"""
BEST_OF_ALL_TYPES = _BEST_OF_TYPES.format(kinds=_READY_TYPES)
BEST_OF_SOME_TYPES = _BEST_OF_TYPES.format(kinds="{names:types}")

NEXT_IN_LINE = f"""
    SELECT number FROM jobs
    WHERE is_ready = 1 AND type NOT IN (SELECT type FROM paused) AND attempts < :most_attempts
    ORDER BY {ORDER} LIMIT :most
"""


def _earlier() -> Iterator[str]:
    """Yield the conditions for a job to come before the one asked about: one walk along an index for each."""
    columns = ORDER.split(", ")
    for place, name in enumerate(columns):
        yield " AND ".join((*(f"jobs.{same} = :{same}" for same in columns[:place]), f"jobs.{name} < :{name}"))


# For each type one walk for each condition: a comparison of whole rows would go on through all that come after.
_EARLIER_OF_TYPE = " + ".join(
    f"""(SELECT count(*) FROM (
        SELECT 1 FROM jobs
        WHERE is_ready = 1 AND jobs.type = kind.type AND {earlier} AND attempts < :most_attempts
        LIMIT :most) AS earlier)"""
    for earlier in _earlier()
)
COUNT_BEFORE = f"""
    WITH RECURSIVE kind(type) AS ({_READY_TYPES})
    SELECT coalesce(sum({_EARLIER_OF_TYPE}), 0)
    FROM kind WHERE kind.type IS NOT NULL AND kind.type NOT IN (SELECT type FROM paused)
"""

# -- lanes -------------------------------------------------------------------------------------------------

RUNNING = "SELECT number, generation, tenant, band, type, is_retry FROM jobs WHERE status = 'RUNNING'"
HAS_READY = "SELECT 1 FROM jobs WHERE is_ready = 1 AND band = :band AND tenant = :tenant LIMIT 1"

# What `ActiveLimits.closed` names: full bands, tenants and types, paused types, types at their retry budget.
_IS_OPEN = """
    jobs.band NOT IN ({names:full_bands})
    AND jobs.tenant NOT IN ({names:full_tenants})
    AND jobs.type NOT IN ({names:closed_types})
    AND (jobs.is_retry = 0 OR jobs.type NOT IN ({names:held_types}))
    AND (:any_type = 1 OR jobs.type IN ({names:types}))
"""


def _first_head(where: str) -> str:
    """Return the query for the first job of the first lane in a part of all lanes."""
    return f"SELECT number FROM jobs WHERE is_ready = 1 AND {where} ORDER BY {LANE}, {ORDER} LIMIT 1"


def _next_head(same: int = 0, unless: str = "false", but: str = "") -> str:
    """Return the query that leads from the first job of a lane to that of the next lane.

    All lanes of a tenant that is at its limit are one step, for `beyond` comes after every type.

    Args:
        same: how many columns of the lane, from the first on, the walk must not leave.
        unless: ends the walk at a lane.
        but: leaves out jobs.
    """
    kept, columns = LANE.split(", ")[:same], LANE.split(", ")[same:]
    here = {name: f"jobs.{name}" for name in columns}
    if "tenant" in columns:
        here["type"] = "CASE WHEN jobs.tenant IN ({names:full_tenants}) THEN :beyond ELSE jobs.type END"
    return f"""
        SELECT CASE WHEN {unless} THEN NULL ELSE {_next_along(kept, here, but)} END
        FROM head CROSS JOIN jobs WHERE jobs.number = head.number
    """


def _next_along(kept: Sequence[str], here: Mapping[str, str], but: str = "") -> str:
    """Return the query for the first job whose columns come after `here`, where some others are as in `jobs`.

    One search for each column that may be another one, the last column first. A comparison of whole rows would
    be one search only to read: SQLite looks up its first column and walks through the rest.
    """
    same = "".join(f"AND later.{name} = jobs.{name} " for name in kept)
    columns, searches = list(here), []
    for place in reversed(range(len(columns))):
        within = "".join(f"AND later.{name} = {here[name]} " for name in columns[:place])
        searches.append(f"""(
            SELECT later.number FROM jobs AS later
            WHERE later.is_ready = 1 {same} {within} AND later.{columns[place]} > {here[columns[place]]} {but}
            ORDER BY {_of("later", LANE)}, {_of("later", ORDER)} LIMIT 1)""")
    return f"coalesce({', '.join(searches)})"


_OPEN_HEADS = f"FROM jobs WHERE number IN (SELECT number FROM head) AND {_IS_OPEN}"


def _next_open_tenant(band: str, after: str) -> str:
    """Return the query for the next tenant by name that has an open lane in a band: the walk ends at it."""
    first = _first_head(f"band = '{band}' AND tenant > {after}")
    following = _next_head(1, unless=_IS_OPEN)
    return f"""
        WITH RECURSIVE head(number) AS (SELECT ({first}) UNION ALL {following})
        SELECT jobs.tenant {_OPEN_HEADS}
    """


def _turn(band: str) -> str:
    """Return the query for the tenant whose turn it is in a band, after the one served last, wrapping."""
    following, first = _next_open_tenant(band, f":after_{band.lower()}"), _next_open_tenant(band, "''")
    return f"SELECT '{band}', coalesce(({following}), ({first}))"


# The first job of each lane that is open.
LANE_HEADS = f"""
    WITH RECURSIVE head(number) AS (SELECT ({_first_head("true")}) UNION ALL {_next_head()})
    SELECT {_of("jobs", TICKET)} {_OPEN_HEADS}
"""

# The same, but only of the tenants whose turn it is, one in each band.
NEXT_HEADS = f"""
    WITH RECURSIVE turn(band, tenant) AS ({" UNION ALL ".join(map(_turn, "HNL"))}),
    head(number) AS (
        SELECT ({_first_head("jobs.band = turn.band AND jobs.tenant = turn.tenant")}) FROM turn
        UNION ALL {_next_head(2)})
    SELECT {_of("jobs", TICKET)} {_OPEN_HEADS}
"""

# taken: jobs that other transactions turned out to have; the next one of their lane stands for them.
_NOT_TAKEN = "AND {table}.number NOT IN ({{numbers:taken}})"


def _heads_of_tenants(which: str, but: str = "") -> str:
    """Return the walk over the lanes of the tenants asked for, in each band from its first job on."""
    first = f"jobs.band = place.band AND jobs.tenant = place.tenant {but.format(table='jobs')}"
    return f"""
        WITH RECURSIVE asked(tenant) AS ({{names:tenants}}),
        place(band, tenant) AS (
            SELECT 'H', tenant FROM asked {which} UNION ALL SELECT 'N', tenant FROM asked {which}
            UNION ALL SELECT 'L', tenant FROM asked {which}),
        head(number) AS (
            SELECT ({_first_head(first)}) FROM place
            UNION ALL {_next_head(2, but=but.format(table="later"))})
    """


# The first job of each open lane of the tenants that are asked for.
HEADS_OF_TENANTS = f"""
    {_heads_of_tenants("WHERE tenant NOT IN ({names:full_tenants})")}
    SELECT {_of("jobs", TICKET)} {_OPEN_HEADS}
"""

# Strict priority for some tenants: the best of the first jobs of their lanes.
BEST_OF_TENANTS = f"""
    {_heads_of_tenants("", but=_NOT_TAKEN)}
    SELECT number FROM jobs WHERE number IN (SELECT number FROM head)
      AND (:any_type = 1 OR type IN ({{names:types}})) AND type NOT IN (SELECT type FROM paused)
    ORDER BY {ORDER} LIMIT 1
"""


def _first_of_each(lanes: str, within: str = "true") -> str:
    """Return the query for the first `:most` jobs of each of some lanes, given the walk over those lanes."""
    deeper = _next_along(LANE.split(", "), {name: f"jobs.{name}" for name in ORDER.split(", ")})
    return f"""
        WITH RECURSIVE head(number) AS ({lanes}),
        deep(number, place) AS (
            SELECT jobs.number, 1 {_OPEN_HEADS}
            UNION ALL
            SELECT CASE WHEN {within} THEN {deeper} END, deep.place + 1 FROM deep CROSS JOIN jobs
            WHERE jobs.number = deep.number AND deep.place < :most)
        SELECT {_of("jobs", TICKET)} FROM jobs WHERE number IN (SELECT number FROM deep) AND {within}
    """


# The first jobs of each open lane: no lane can give more than so many to so many polls.
FIRST_TICKETS = _first_of_each(f"SELECT ({_first_head('true')}) UNION ALL {_next_head()}")

# Those that come before the one asked about, of its own tenant in its own band, or of all lanes.
_BEFORE = f"({_of('jobs', ORDER)}) < (:rank0, :rank1, :rank2, :number)"
OWN_BEFORE = _first_of_each(
    f"SELECT ({_first_head('band = :band AND tenant = :tenant')}) UNION ALL {_next_head(2)}", _BEFORE
)
ALL_BEFORE = _first_of_each(f"SELECT ({_first_head('true')}) UNION ALL {_next_head()}", _BEFORE)
