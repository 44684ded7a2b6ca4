"""What a store needs of a database, and in what words the databases differ.

One text of SQL serves both; where they differ, it has a name in braces, and a `Dialect` says what stands for
it. Parameters are written `:name`. No database driver is imported here.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from jobqueue.errors import StoreError

Row = tuple[Any, ...]


class DeadlockError(StoreError):
    """Transactions waited for each other in a circle, and the database has undone this one."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """The words in which one database differs from another.

    Attributes:
        name: of the database, for messages.
        lock: keeps the rows that a statement reads for this transaction.
        skip: does so too, but leaves out rows that another transaction has.
        clock: the database's own time in milliseconds; NULL where the queue's clock is asked.
        greatest: the function that returns the greatest of its arguments.
        position: the function that returns where a text has another one, 0 for nowhere.
        names: the rows of a JSON array of names.
        numbers: the rows of a JSON array of integers.
        next_ending: the number of the next job to finish.
        last_number: the number that was given last, also if its job was dropped.
        keeps_counts: whether it counts jobs as they change (`job_counts.py`).
        joins_writes: whether one statement can write two tables.
    """

    name: str
    lock: str
    skip: str
    clock: str
    greatest: str
    position: str
    names: str
    numbers: str
    next_ending: str
    last_number: str
    keeps_counts: bool
    joins_writes: bool

    def sql(self, text: str, **parts: str) -> str:
        """Return a statement in the database's own words; `{names:types}` stands for the rows of `:types`."""
        words = {name: getattr(self, name) for name in ("lock", "skip", "clock", "greatest", "position")}
        lists = {"names": _Listed(self.names), "numbers": _Listed(self.numbers)}
        return text.format(
            **words, **lists, next_ending=self.next_ending, last_number=self.last_number, **parts
        )


class _Listed(str):
    """Words with a gap, `{0}`, for the name of a parameter."""

    __slots__ = ()

    def __format__(self, parameter: str) -> str:
        return self.replace("{0}", parameter)


SQLITE = Dialect(
    name="SQLite",
    # BEGIN IMMEDIATE has locked the whole file.
    lock="",
    skip="",
    clock="NULL",
    greatest="max",
    position="instr",
    names="SELECT value FROM json_each(:{0})",
    numbers="SELECT value FROM json_each(:{0})",
    next_ending="(SELECT coalesce(max(finish_order), 0) + 1 FROM jobs WHERE finish_order IS NOT NULL)",
    last_number="coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'jobs'), 0)",
    keeps_counts=True,
    joins_writes=False,
)

POSTGRES = Dialect(
    name="PostgreSQL",
    lock="FOR UPDATE",
    skip="FOR UPDATE SKIP LOCKED",
    # Not now(): that is when the transaction began, and it may have waited for a lock since.
    clock="CAST(floor(extract(epoch FROM clock_timestamp()) * 1000) AS bigint)",
    greatest="greatest",
    position="strpos",
    names="SELECT jsonb_array_elements_text(CAST(:{0} AS jsonb))",
    numbers="SELECT CAST(jsonb_array_elements_text(CAST(:{0} AS jsonb)) AS bigint)",
    next_ending="nextval('endings')",
    # Beside what a crash left out, where the number of the newest job that is still there would miss much more.
    last_number="(SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM jobs_number_seq)",
    keeps_counts=False,
    joins_writes=True,
)


class Database(Protocol):
    """One connection, used by one thread at a time. Whatever fails in it is a `StoreError`."""

    @property
    def dialect(self) -> Dialect:
        """The words of this database."""
        ...

    def open(self) -> None:
        """Connect, and make or migrate the tables if need be."""
        ...

    def begin(self) -> None:
        """Begin a transaction that may write; wait for others that write, but not for ever."""
        ...

    def count_queued(self) -> None:
        """Let what waits be counted as it changes: a queue asks for it that limits submits."""
        ...

    def begin_reading(self) -> None:
        """Begin a transaction that only reads: it neither waits for those that write nor holds them up."""
        ...

    def let_others_in(self) -> None:
        """Wait, between two transactions, for as long as others need to begin theirs."""
        ...

    def commit(self) -> None:
        """Make all that was written since `begin` last, and seen by others, at once."""
        ...

    def rollback(self) -> None:
        """Let all that was written since `begin` not have been; it never fails."""
        ...

    def read(self, sql: str, values: Mapping[str, Any]) -> list[Row]:
        """Return the rows of a statement, all of them."""
        ...

    def write(self, sql: str, values: Mapping[str, Any]) -> int:
        """Return how many rows a statement has changed."""
        ...

    def lock(self, name: str) -> None:
        """Wait until no other transaction has the lock of this name, and have it until the end of this one."""
        ...

    def before_fork(self) -> None:
        """Let go of what parent and child must not both have; no transaction is open."""
        ...

    def close(self) -> None:
        """Let go of the connection."""
        ...
