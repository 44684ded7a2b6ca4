"""ex12, idempotent submit and receiver: another right answer: a book of payments."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


class RequestKeyConflictError(RuntimeError):
    """The request key is taken by a request with other content."""


class KeyConflictError(RuntimeError):
    """This job was handled before, with other content."""


class RefusedError(RuntimeError):
    """The account does not have enough."""


class PowerCutError(RuntimeError):
    """The power failed in a commit. Whether it is written or not, nobody can tell."""


@dataclass(frozen=True, slots=True)
class Submission:
    """What submit_once returns: which job it is, and whether it was there before."""

    job_id: str
    replayed: bool


class Store:
    """A small database, which outlasts the receiver. Given: leave it as it is."""

    def __init__(self) -> None:
        self._values: dict[str, Any] = {}
        self._cut = ""

    def get(self, name: str) -> Any:
        """Read one value; None if there is none."""
        return self._values.get(name)

    def commit(self, changes: Mapping[str, Any]) -> None:
        """Write all of these values or, if the power fails, perhaps none.

        Raises:
            PowerCutError: The power has failed.
        """
        cut, self._cut = self._cut, ""
        if cut != "before":
            self._values.update(changes)
        if cut:
            raise PowerCutError("the power failed")

    def cut_power(self, when: str) -> None:
        """Let the power fail in the next commit, "before" or "after" its writing. The checks do that."""
        self._cut = when


class KeyedQueue:
    """Requests in a list; a repeat is found by looking through it."""

    def __init__(self) -> None:
        self._requests: list[tuple[str, str, str, str]] = []
        self._finished: set[str] = set()

    def submit_once(
        self, request_key: str, type: str, payload: str = "", tenant: str = "default"
    ) -> Submission:
        """Make a job, or find the one that this request has made before."""
        request = (tenant, request_key, type, payload)
        for number, other in enumerate(self._requests, start=1):
            if request == other:
                return Submission(f"J{number}", replayed=True)
            if request[:2] == other[:2]:
                raise RequestKeyConflictError(request_key)
        self._requests.append(request)
        return Submission(f"J{len(self._requests)}", replayed=False)

    def finish(self, job_id: str) -> None:
        """Note that a job is done."""
        self._finished.add(job_id)

    def waiting(self) -> list[str]:
        """List the ids of the jobs that are not done."""
        ids = [f"J{number}" for number, _ in enumerate(self._requests, start=1)]
        return [job_id for job_id in ids if job_id not in self._finished]


class Receiver:
    """Writes one book: each line is a payment, and a balance is the sum of its lines."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def handle(self, job_id: str, token: str, account: str, amount: int) -> int:  # noqa: ARG002  new each time
        """Add a line to the book, unless this job has one; return the sum up to that line."""
        book = self._book()
        for place, line in enumerate(book):
            if line[0] == job_id:
                if line[1:] != (account, amount):
                    raise KeyConflictError(job_id)
                return self._sum(book[: place + 1], account)
        longer = [*book, (job_id, account, amount)]
        if self._sum(longer, account) < 0:
            raise RefusedError(account)
        self._store.commit({"book": longer})
        return self._sum(longer, account)

    def balance(self, account: str) -> int:
        """Add up the account's lines."""
        return self._sum(self._book(), account)

    def _book(self) -> list[tuple[str, str, int]]:
        return self._store.get("book") or []

    @staticmethod
    def _sum(book: list[tuple[str, str, int]], account: str) -> int:
        return sum(amount for _, name, amount in book if name == account)
