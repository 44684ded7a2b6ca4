"""The state diagram as a table, one row for each arrow, and the fields of a job that an arrow can change."""

from dataclasses import dataclass
from typing import TypedDict

from jobqueue.model import CANCELLED, DEAD, PENDING, RUNNING, SUCCEEDED, JobStatus, Outcome


@dataclass(frozen=True, slots=True)
class Arrow:
    """One arrow of the state diagram. `rule` is the promise behind it, in one sentence."""

    source: JobStatus | None
    target: JobStatus
    rule: str


TRANSITIONS = {
    "submit": Arrow(None, PENDING, "an acknowledged job is kept until it ends"),
    "poll": Arrow(PENDING, RUNNING, "a ready job goes to one worker, with a new token and a lease"),
    "renew": Arrow(RUNNING, RUNNING, "a lease is extended to now + its length, and never shortened"),
    "complete": Arrow(RUNNING, SUCCEEDED, "only the token of the current lease counts"),
    "retry": Arrow(RUNNING, PENDING, "a failed or expired attempt rests for its backoff, then is tried again"),
    "release": Arrow(RUNNING, PENDING, "a job given back before it was started has lost nothing but a token"),
    "bury": Arrow(
        RUNNING, DEAD, "a failure that cannot be retried makes the job a dead letter, until somebody decides"
    ),
    "miss": Arrow(
        PENDING, DEAD, "a job that nobody started before its deadline is a dead letter at that instant"
    ),
    "cancel": Arrow(PENDING, CANCELLED, "only a job that no worker holds can be cancelled"),
    "retry_dead": Arrow(DEAD, PENDING, "a dead letter gets a new set of attempts; its history stays"),
}


class Changes(TypedDict, total=False):
    """What an arrow changes of a job; the fields are those of `Job`."""

    status: JobStatus
    payload: str
    attempts: int
    generation: int
    era: int
    run_at: int
    pending_since: int
    rest_millis: int | None
    worker_id: str | None
    started_at: int
    lease_until: int
    ended_at: int | None
    outcome: Outcome | None
    last_error: str
    finished_at: int
    failed_at: int | None
    dead_reason: str | None
    deadline: int | None
    checkpoint: str | None
    result: str | None
