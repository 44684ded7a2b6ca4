"""ex12, idempotent submit and receiver: another right answer: one value for each account."""

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
    """One table for each tenant; a job is the text of its request."""

    def __init__(self) -> None:
        self._tenants: dict[str, dict[str, tuple[str, int]]] = {}
        self._open: dict[str, None] = {}
        self._made = 0

    def submit_once(
        self, request_key: str, type: str, payload: str = "", tenant: str = "default"
    ) -> Submission:
        """Make a job, or find the one that this request has made before."""
        keys = self._tenants.setdefault(tenant, {})
        content = repr((type, payload))
        first, number = keys.setdefault(request_key, (content, self._made + 1))
        if first != content:
            raise RequestKeyConflictError(f"{request_key}: {first}")
        replayed = number <= self._made
        self._made = max(self._made, number)
        if not replayed:
            self._open[f"J{number}"] = None
        return Submission(f"J{number}", replayed)

    def finish(self, job_id: str) -> None:
        """Note that a job is done."""
        self._open.pop(job_id, None)

    def waiting(self) -> list[str]:
        """List the ids of the jobs that are not done."""
        return list(self._open)


class Receiver:
    """Keeps with each account the payments that made it, and for each job whose it was."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def handle(self, job_id: str, token: str, account: str, amount: int) -> int:  # noqa: ARG002  new each time
        """Pay, unless the job has an owner; then its owner's page tells what was answered."""
        owner = self._store.get(f"owner of {job_id}")
        if owner is None:
            return self._pay(job_id, account, amount)
        paid, answer = self._page(owner)["jobs"][job_id]
        if (owner, paid) == (account, amount):
            return int(answer)
        raise KeyConflictError(f"{job_id} paid {paid} to {owner}")

    def balance(self, account: str) -> int:
        """Tell what is in the account."""
        return int(self._page(account)["balance"])

    def _pay(self, job_id: str, account: str, amount: int) -> int:
        page = self._page(account)
        after = page["balance"] + amount
        if after < 0:
            raise RefusedError(f"{page['balance']} is not enough")
        jobs = {**page["jobs"], job_id: (amount, after)}
        self._store.commit({f"owner of {job_id}": account, account: {"balance": after, "jobs": jobs}})
        return int(after)

    def _page(self, account: str) -> dict[str, Any]:
        return self._store.get(account) or {"balance": 0, "jobs": {}}
