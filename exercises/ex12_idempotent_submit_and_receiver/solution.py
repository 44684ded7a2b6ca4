"""ex12, idempotent submit and receiver: one right answer. Effect and mark are one write."""

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


@dataclass(slots=True)
class _Job:
    """What the queue remembers of a job."""

    type: str
    payload: str
    is_done: bool = False


class KeyedQueue:
    """A queue that knows a request again."""

    def __init__(self) -> None:
        self._jobs: dict[str, _Job] = {}
        self._keys: dict[tuple[str, ...], str] = {}

    def submit_once(
        self, request_key: str, type: str, payload: str = "", tenant: str = "default"
    ) -> Submission:
        """Make a job, or find the one that this request has made before."""
        key = (tenant, request_key)
        if key not in self._keys:
            self._keys[key] = self._new_job(type, payload)
            return Submission(self._keys[key], replayed=False)
        job = self._jobs[self._keys[key]]
        if (job.type, job.payload) != (type, payload):
            raise RequestKeyConflictError(f"{tenant} has used {request_key} for something else")
        return Submission(self._keys[key], replayed=True)

    def finish(self, job_id: str) -> None:
        """Note that a job is done."""
        self._jobs[job_id].is_done = True

    def waiting(self) -> list[str]:
        """List the ids of the jobs that are not done, in the order of submission."""
        return [job_id for job_id, job in self._jobs.items() if not job.is_done]

    def _new_job(self, type: str, payload: str) -> str:
        job_id = f"J{len(self._jobs) + 1}"
        self._jobs[job_id] = _Job(type, payload)
        return job_id


class Receiver:
    """A bank that pays each job once, however often it is delivered."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def handle(self, job_id: str, token: str, account: str, amount: int) -> int:  # noqa: ARG002  new each time
        """Add the amount to the account and return the new balance; for a repeat, return the first answer."""
        mark = f"done {job_id}"
        done = self._store.get(mark)
        if done is not None:
            return self._first_answer(job_id, done, account, amount)
        balance = self.balance(account) + amount
        if balance < 0:
            raise RefusedError(f"{account} does not have {-amount}")
        paid = {"account": account, "amount": amount, "answer": balance}
        self._store.commit({mark: paid, f"balance {account}": balance})
        return balance

    def balance(self, account: str) -> int:
        """Tell what is in the account."""
        return self._store.get(f"balance {account}") or 0

    def _first_answer(self, job_id: str, done: Mapping[str, Any], account: str, amount: int) -> int:
        if (done["account"], done["amount"]) != (account, amount):
            raise KeyConflictError(f"{job_id} was paid with other content")
        return done["answer"]
