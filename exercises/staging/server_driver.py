"""The stage for queues in a PostgreSQL server: many connections, rows that others hold, lost connections.

What a job looks like is read from the table itself. Time passes by moving what is written there.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from exercises.grader import Case
from exercises.grader.judging.case import Broken
from exercises.grader.running import postgres_server
from exercises.staging.database_driver import LOCKED, LOST, DatabaseDriver
from exercises.staging.database_steps import Action, lease_words
from exercises.staging.driver import seconds
from exercises.staging.queue_words import several

WAITS_FOR_A_ROW = "waits for a row"
LEFT_OPEN = "left open"
FIELDS = ("status", "attempts", "last_error", "worker_id", "ready_in", "lease_until")
MODULE = "exercises.staging.postgres_database"


class ServerDriver(DatabaseDriver):
    """One table, and a queue for each worker, over a connection of its own."""

    def __init__(self, case: Case) -> None:
        """Set up an empty table."""
        place = (postgres_server.url(), postgres_server.schema())
        super().__init__(case, MODULE, "ServerQueue", "StaleLeaseError", *place, clock=False)

    def at(self, instant: int) -> None:
        """Let time pass until `instant`."""
        self._do("time passes", "let_pass", instant - self._now)
        self._now = instant
        self.case.replace_last(self._words("time passes"))

    def submit(
        self, type: str = "mail", payload: str = "", *, due: int = 0, gives: Any, by: str = "somebody"
    ) -> None:
        """Let some other process submit a job, ready in `due` milliseconds, or that long ago."""
        when = f", ready since {seconds(-due)} s" if due < 0 else f", ready in {seconds(due)} s" if due else ""
        for name in several(gives):
            self._do(f"{by} submits {type}{when}", "submit", type, payload, due, tell=lambda _, name=name: name)

    def view(self, job_id: str, by: str = "", **wanted: Any) -> None:  # noqa: ARG002  the table is one for all
        """Look at a job's committed row; each named field must have this value."""
        row = self.row(job_id, tuple(wanted))
        for name, value in wanted.items():
            self.case.same(name, value, row[name])

    def row(self, job_id: str, names: tuple[str, ...] = ("status", "attempts")) -> dict[str, Any]:
        """Read a job's committed row."""

        def tell(row: Any) -> str:
            return ", ".join(f"{name} {dict(zip(FIELDS, row, strict=True))[name]!r}" for name in names)

        row = self._do(f"look at {job_id} in the table", "look", job_id, tell=tell)
        return dict(zip(FIELDS, row, strict=True))

    def lose(self, worker_id: str, job_id: str, status: str) -> None:
        """Cut a worker's connection; the row must stay as its claim has left it."""
        was_open = self.case.glance(self._database, "is_open", worker_id)
        self._do(f"the connection of {worker_id} is cut", "lose", worker_id, tell=lambda _: "it is gone")
        del self._queues[worker_id]
        found = self.row(job_id)["status"]
        if found != status and was_open:
            self.case.broken(f"{job_id} is {status}", f"{job_id} is {found}", LOST)
        self.case.same("status", status, found)

    def is_closed(self, worker_id: str) -> None:
        """Require that a worker has left no transaction open."""
        if self.case.glance(self._database, "is_open", worker_id):
            self.case.broken("no open transaction", "a transaction that is still open", LEFT_OPEN)

    def somebody_holds(self, job_id: str) -> None:
        """Let another worker be in the middle of its claim: it has locked this row."""
        self._do(f"Z, in the middle of its claim, has locked {job_id}", "hold", job_id, tell=lambda _: "locked")

    def lets_go(self) -> None:
        """Let that worker give the row back as it was."""
        self._do("Z gives up", "let_go", tell=lambda _: "unlocked, unchanged")

    def counting(self) -> Action:
        """Somebody looks at all jobs in between."""
        return Action(
            "somebody looks at all jobs", self._database, "statuses", (), lambda got: ", ".join(got or [])
        )

    def writes_after(self) -> bool:
        """Whether the caller wrote to the table after the others had acted."""
        return bool(self.case.glance(self._database, "writes_after"))

    def held_while_waiting(self) -> list[str]:
        """What somebody held while it waited in vain."""
        return list(self.case.glance(self._database, "held_while_waiting") or [])

    def lingering(self) -> Action:
        """A moment really passes in between."""
        return Action("a moment passes", self._database, "linger", (), lambda _: "")

    def cancelling(self, by: str, job_ids: list[str]) -> Action:
        """Somebody cancels in between."""
        return Action(f"{by} cancels {', '.join(job_ids)}", self.queue(by), "cancel", (job_ids,), str)

    def cancelled(self, by: str, job_ids: list[str]) -> Any:
        """Let somebody cancel; what comes of it is judged later."""
        told = "the cancelled ids"
        return self._call(by, f"{by} cancels {', '.join(job_ids)}", "cancel", job_ids, expected=told)

    def _do(self, words: str, method: str, *args: Any, tell: Callable[[Any], str] = str) -> Any:
        line = self.case.line  # what others do is no line of the answer's
        got = self.case.call(self._words(words), self._database, method, *args, tell=tell)
        self.case.line = line
        return got

    def _glance(self, job_id: str, by: str) -> dict[str, Any]:  # noqa: ARG002  the table is one for all
        row = self.case.glance(self._database, "look", job_id)
        return dict(zip(FIELDS, row, strict=True)) if row else {}

    @contextmanager
    def _without_lock(self, expected: str) -> Iterator[None]:
        """To wait for another one's row is a way to fail of its own."""
        try:
            with super()._without_lock(expected):
                yield
        except Broken as broken:
            if broken.how != LOCKED:
                raise
            got = "it waits for a row that somebody else has locked"
            raise Broken(expected, got, broken.line, WAITS_FOR_A_ROW) from None


def got_words(mine: Any, theirs: Any) -> str:
    """Say who got what."""
    return f"A gets {lease_words(mine)}, B gets {lease_words(theirs)}"
