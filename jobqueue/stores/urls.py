"""`open_queue`: from a URL to a queue."""

from typing import Any

from jobqueue.arguments import check_integer, check_text
from jobqueue.clock import TimeSource
from jobqueue.queue import JobQueue
from jobqueue.retry import RetryPolicy

_FORMS = "'memory:', 'sqlite:///relative.db', 'sqlite:////absolute.db' or 'postgresql://...'"


def open_queue(url: str, time: TimeSource, policy: RetryPolicy, **options: Any) -> JobQueue:
    """Return the queue at a place, with the jobs that are there.

    Args:
        url: 'memory:', 'sqlite:///relative.db', 'sqlite:////absolute.db' or 'postgresql://user@host/name'. An
            SQLite file is made if it is not there, its folder is not. PostgreSQL needs the extra `postgres`.
        time: where "now" comes from. In PostgreSQL a `SystemClock` stands for the database's own clock.
        policy: how often a job is attempted, and how long it rests in between.
        options: those of `JobQueue`. All who open one store give the same; the store keeps jobs, not options.
            SQLite and PostgreSQL take `busy_timeout_millis`: how long to wait for others that write. SQLite
            takes `synchronous` ("full", "normal" or "off": what a power cut may take); PostgreSQL takes
            `schema`, the schema in which the tables are, by default "jobkit".

    Returns:
        A queue. One that is not in memory has a connection: close it, or use it in a `with` statement.

    Raises:
        ValueError: the URL has none of these forms.
        StoreError: the store cannot be opened, is not of job queues, or of a newer version than this program.
    """
    url = check_text("url", url)
    kind, _, place = url.partition(":")
    if url == "memory:":
        return JobQueue(time, policy, **options)
    if kind == "sqlite" and place.removeprefix("///") == ":memory:":
        # SQLite would keep it for as long as one connection is open, and ours come and go.
        raise ValueError("url: an SQLite database in memory outlives no connection; say 'memory:' instead")
    if kind == "sqlite" and place.startswith("///") and len(place) > len("///"):
        return _open_sqlite(place[len("///") :], time, policy, options)
    if kind in {"postgresql", "postgres"} and place.startswith("//"):
        return _open_postgres(url, time, policy, options)
    raise ValueError(f"url: {url[:100]!a} names no store, expected {_FORMS}")


def _open_sqlite(path: str, time: TimeSource, policy: RetryPolicy, options: dict[str, Any]) -> JobQueue:
    from jobqueue.stores.durable import DurableQueue  # noqa: PLC0415 - on use
    from jobqueue.stores.sqlite import SYNCHRONOUS, SqliteDatabase  # noqa: PLC0415 - on use

    synchronous = options.pop("synchronous", "full")
    if synchronous not in SYNCHRONOUS:
        raise ValueError(
            f"synchronous: {synchronous!a:.40} is unknown, expected one of {', '.join(SYNCHRONOUS)}"
        )
    busy = _busy_timeout_millis(options)
    return DurableQueue(
        SqliteDatabase(path, synchronous=synchronous, busy_timeout_millis=busy), time, policy, **options
    )


def _open_postgres(url: str, time: TimeSource, policy: RetryPolicy, options: dict[str, Any]) -> JobQueue:
    from jobqueue.stores.durable import DurableQueue  # noqa: PLC0415 - on use
    from jobqueue.stores.postgres import PostgresDatabase  # noqa: PLC0415 - on use

    schema = options.pop("schema", "jobkit")
    busy = _busy_timeout_millis(options)
    database = PostgresDatabase(url, schema=schema, busy_timeout_millis=busy)
    return DurableQueue(database, time, policy, **options)


def _busy_timeout_millis(options: dict[str, Any]) -> int:
    return check_integer("busy_timeout_millis", options.pop("busy_timeout_millis", 30_000), low=0, high=600_000)
