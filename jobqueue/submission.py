"""What a producer submits: the arguments of a submit, checked, and the job that they make."""

from dataclasses import dataclass
from typing import Any, NamedTuple

from jobqueue.arguments import HIGHEST_COST, check_integer, check_name, check_text
from jobqueue.model import Job
from jobqueue.requests import content_hash


@dataclass(frozen=True, slots=True)
class Submission:
    """What `submit_once` returns: the job, and whether it was there already."""

    job_id: str
    replayed: bool


class JobRequest(NamedTuple):
    """The arguments of one submit, in the words of its signature, all checked; `job_request` makes one.

    Args:
        type: what kind of work it is; workers may poll for some types only.
        payload: text for the worker; None is stored as "".
        priority: higher goes first; may be negative.
        run_at_millis: the instant from which on it can be handed out; None for now.
        tenant: on whose behalf.
        deadline_millis: the instant at which it is given up if nobody has started it; None for never.
        cost: how much of a worker's time it is worth, 1 to 1,000,000, in a unit of the caller's choice.
        request_key: by which the same request is known again.
    """

    type: str
    payload: str
    priority: int
    run_at_millis: int | None
    tenant: str
    deadline_millis: int | None
    cost: int
    request_key: str | None = None

    def details(self) -> dict[str, Any]:
        """Return every argument by its name."""
        return self._asdict()

    def content_hash(self) -> str:
        """Return the hash of what a request key is bound to: all but the key and its tenant."""
        content = self._asdict()
        del content["request_key"], content["tenant"]
        return content_hash(**content)

    def job(self, number: int, now: int) -> Job:
        """Return the job that is made of this at the instant `now`.

        Raises:
            ValueError: the deadline is not later than now and than run_at.
        """
        run_at = now if self.run_at_millis is None else self.run_at_millis
        if self.deadline_millis is not None:
            check_deadline(self.deadline_millis, now, run_at)
        job = Job(number, self.type, self.payload, self.priority, self.tenant, self.cost, now, run_at)
        job.pending_since = now
        job.deadline = self.deadline_millis
        if self.request_key is not None:
            job.request_key, job.content_hash = self.request_key, self.content_hash()
        return job


def check_deadline(deadline: int, now: int, run_at: int) -> None:
    """Refuse a deadline that leaves no time to start."""
    start = max(now, run_at)
    if deadline <= start:
        raise ValueError(f"deadline_millis: {deadline} is not later than {start}, when the job may start")


def job_request(  # noqa: PLR0917 - in the order of the signature of submit
    type: str,
    payload: str | None,
    priority: int,
    run_at_millis: int | None,
    tenant: str,
    deadline_millis: int | None,
    cost: int,
    request_key: str | None = None,
) -> JobRequest:
    """Check each argument by itself; what depends on the present instant is checked later."""
    return JobRequest(
        check_name("type", type),
        check_text("payload", "" if payload is None else payload),
        check_integer("priority", priority),
        None if run_at_millis is None else check_integer("run_at_millis", run_at_millis),
        check_name("tenant", tenant),
        None if deadline_millis is None else check_integer("deadline_millis", deadline_millis),
        check_integer("cost", cost, low=1, high=HIGHEST_COST),
        None if request_key is None else check_name("request_key", request_key),
    )
