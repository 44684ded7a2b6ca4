"""ex12, idempotent submit and receiver: your answer. The rules are in ex12_idempotent_submit_and_receiver.md.

Write the parts that raise NotImplementedError, in the order of the tasks. After each one:  jobkit check ex12
"""

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
    """A queue that knows a request again."""

    def __init__(self) -> None:
        pass  # Add what your queue has to remember.

    def submit_once(
        self, request_key: str, type: str, payload: str = "", tenant: str = "default"
    ) -> Submission:
        """Make a job, or find the one that this request has made before.

        Raises:
            RequestKeyConflictError: This tenant has used the key for another type or payload. Nothing changes.
        """
        raise NotImplementedError("ex12, task 1: submit_once")

    def finish(self, job_id: str) -> None:
        """Note that a job is done. Its key stays taken."""
        raise NotImplementedError("ex12, task 1: finish")

    def waiting(self) -> list[str]:
        """List the ids of the jobs that are not done, in the order of submission."""
        raise NotImplementedError("ex12, task 1: waiting")


class Receiver:
    """A bank that pays each job once, however often it is delivered."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def handle(self, job_id: str, token: str, account: str, amount: int) -> int:
        """Add the amount to the account and return the new balance; for a repeat, return the first answer.

        Raises:
            KeyConflictError: The job was handled before, with another account or amount. Nothing changes.
            RefusedError: The balance would be below 0. Nothing changes, and the job may come again.
            PowerCutError: The power has failed in the middle. The job may come again.
        """
        raise NotImplementedError("ex12, task 3: handle")

    def balance(self, account: str) -> int:
        """Tell what is in the account; 0 if nothing was ever paid."""
        raise NotImplementedError("ex12, task 3: balance")
