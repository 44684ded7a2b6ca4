"""The stage for queues in a PostgreSQL server: many connections, rows that others hold, lost connections.

What a job looks like is read from the table itself. Time passes by moving what is written there.
"""

from collections.abc import Callable
from typing import Any

from exercises.grader import Case
from exercises.grader.judging.case import Broken
from exercises.grader.running import postgres_server
from exercises.grader.running.wire import Handle
from exercises.staging.database_driver import ClaimStage
from exercises.staging.database_words import LOCKED, LOST, Action, Hold, lease_words
from exercises.staging.queue_driver import seconds

WAITS_FOR_A_ROW = "waits for a row"
LEFT_OPEN = "left open"
FIELDS = ("status", "attempts", "last_error", "worker_id", "ready_in", "lease_until")
LAB = "exercises.staging.postgres_database"


class ServerStage(ClaimStage):
    """One table, and a queue for each worker, over a connection of its own."""

    def __init__(self, case: Case) -> None:
        """Set up an empty table."""
        self._case, self._error, self._now = case, "StaleLeaseError", 0
        place = (postgres_server.url(), postgres_server.schema())
        self._lab = case.make(f"{LAB}.Lab", *place, library=True, called="lab")
        self._queues: dict[str, Handle] = {}

    def queue(self, name: str) -> Handle:
        """The queue of this worker, over a connection of its own."""
        if name not in self._queues:
            opened: dict[str, Any] = {"library": True, "called": f"connection of {name}"}
            connection = self._case.make(f"{LAB}.open_connection", self._lab, name, **opened)
            self._queues[name] = self._case.make("ServerQueue", connection, called=f"queue of {name}")
        return self._queues[name]

    def at(self, instant: int) -> None:
        """Let time pass until `instant`."""
        self._do("time passes", "let_pass", instant - self._now)
        self._now = instant
        self._case.replace_last(self._words("time passes"))

    def has(self, type: str = "mail", payload: str = "", *, due: int = 0, called: str) -> None:
        """Let some other process submit a job, ready in `due` milliseconds, or that long ago."""
        when = f", ready since {seconds(-due)} s" if due < 0 else f", ready in {seconds(due)} s" if due else ""
        self._do(f"somebody submits {type}{when}", "submit", type, payload, due, tell=lambda _: called)

    def shows_row(self, job_id: str, **wanted: object) -> None:
        """Look at a job's committed row; each named field must have this value."""
        row = self.row(job_id, tuple(wanted))
        for name, value in wanted.items():
            self._case.same(name, value, row[name])

    def row(self, job_id: str, names: tuple[str, ...] = ("status", "attempts")) -> dict[str, Any]:
        """Read a job's committed row."""

        def tell(row: Any) -> str:
            return ", ".join(f"{name} {dict(zip(FIELDS, row, strict=True))[name]!r}" for name in names)

        row = self._do(f"look at {job_id} in the table", "look", job_id, tell=tell)
        return dict(zip(FIELDS, row, strict=True))

    def loses(self, worker_id: str, job_id: str, status: str) -> None:
        """Cut a worker's connection; the row must stay as its claim has left it."""
        was_open = self._case.glance(self._lab, "is_open", worker_id)
        self._do(f"the connection of {worker_id} is cut", "lose", worker_id, tell=lambda _: "it is gone")
        del self._queues[worker_id]
        found = self.row(job_id)["status"]
        if found != status and was_open:
            self._case.broken(f"{job_id} is {status}", f"{job_id} is {found}", LOST)
        self._case.same("status", status, found)

    def is_closed(self, worker_id: str) -> None:
        """Require that a worker has left no transaction open."""
        if self._case.glance(self._lab, "is_open", worker_id):
            self._case.broken("no open transaction", "a transaction that is still open", LEFT_OPEN)

    def somebody_holds(self, job_id: str) -> None:
        """Let another worker be in the middle of its claim: it has locked this row."""
        self._do(f"Z, in the middle of its claim, has locked {job_id}", "hold", job_id, tell=lambda _: "locked")

    def lets_go(self) -> None:
        """Let that worker give the row back as it was."""
        self._do("Z gives up", "let_go", tell=lambda _: "unlocked, unchanged")

    def counting(self) -> Action:
        """Somebody looks at all jobs in between."""
        return Action("somebody looks at all jobs", self._lab, "statuses", (), lambda got: ", ".join(got or []))

    def writes_after(self) -> bool:
        """Whether the caller wrote to the table after the others had acted."""
        return bool(self._case.glance(self._lab, "writes_after"))

    def held_while_waiting(self) -> list[str]:
        """What somebody held while it waited in vain."""
        return list(self._case.glance(self._lab, "held_while_waiting") or [])

    def lingering(self) -> Action:
        """A moment really passes in between."""
        return Action("a moment passes", self._lab, "linger", (), lambda _: "")

    def cancelling(self, by: str, job_ids: list[str]) -> Action:
        """Somebody cancels in between."""
        return Action(f"{by} cancels {', '.join(job_ids)}", self.queue(by), "cancel", (job_ids,), str)

    def cancelled(self, by: str, job_ids: list[str]) -> Any:
        """Let somebody cancel; what comes of it is judged later."""
        told = "the cancelled ids"
        return self._call(by, f"{by} cancels {', '.join(job_ids)}", "cancel", job_ids, expected=told)

    def fails_late(self, hold: Hold) -> None:
        """Fail with an old lease; the queue must refuse."""
        self.refuses_fail(hold.job_id, hold.generation, by=hold.worker_id)

    def _do(self, words: str, method: str, *args: Any, tell: Callable[[Any], str] = str) -> Any:
        line = self._case.line  # what others do is no line of the answer's
        got = self._case.call(self._words(words), self._lab, method, *args, tell=tell)
        self._case.line = line
        return got

    def _glance(self, job_id: str, by: str) -> dict[str, Any]:  # noqa: ARG002  the table is one for all
        row = self._case.glance(self._lab, "look", job_id)
        return dict(zip(FIELDS, row, strict=True)) if row else {}

    def _without_lock(self, expected: str) -> Callable[[Callable[[], Any]], Any]:
        """Run a call; to wait for another one's row is a way to fail of its own."""
        run = super()._without_lock(expected)

        def without_waiting(call: Callable[[], Any]) -> Any:
            try:
                return run(call)
            except Broken as broken:
                if broken.how != LOCKED:
                    raise
                got = "it waits for a row that somebody else has locked"
                raise Broken(expected, got, broken.line, WAITS_FOR_A_ROW) from None

        return without_waiting


def got_words(mine: Any, theirs: Any) -> str:
    """Say who got what."""
    return f"A gets {lease_words(mine)}, B gets {lease_words(theirs)}"
