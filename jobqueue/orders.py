"""What a producer asks for: the arguments of a submit, checked, and the job that they make."""

from dataclasses import dataclass
from typing import Any

from jobqueue.arguments import HIGHEST_COST, check_integer, check_name, check_text
from jobqueue.model import Job
from jobqueue.requests import content_hash


@dataclass(frozen=True, slots=True)
class Order:
    """The arguments of one submit, in the words of its signature, all checked; `order` makes one."""

    type: str
    payload: str
    priority: int
    run_at_millis: int | None
    tenant: str
    deadline_millis: int | None
    cost: int
    request_key: str | None = None

    def told(self) -> dict[str, Any]:
        """Return every argument by its name."""
        return {name: getattr(self, name) for name in self.__slots__}

    def content_hash(self) -> str:
        """Return the hash of what a request key is bound to: all but the key and its tenant."""
        content = self.told()
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
        return Job(
            number=number,
            type=self.type,
            payload=self.payload,
            priority=self.priority,
            tenant=self.tenant,
            cost=self.cost,
            submitted_at=now,
            run_at=run_at,
            pending_since=now,
            deadline=self.deadline_millis,
            request_key=self.request_key,
            content_hash=None if self.request_key is None else self.content_hash(),
        )


def check_deadline(deadline: int, now: int, run_at: int) -> None:
    """Refuse a deadline that leaves no time to start."""
    start = max(now, run_at)
    if deadline <= start:
        raise ValueError(f"deadline_millis: {deadline} is not later than {start}, when the job may start")


def order(
    type: str,
    payload: str | None,
    priority: int,
    run_at_millis: int | None,
    *,
    tenant: str,
    deadline_millis: int | None,
    cost: int,
    request_key: str | None = None,
) -> Order:
    """Check each argument by itself; what depends on the present instant is checked later."""
    return Order(
        type=check_name("type", type),
        payload=check_text("payload", "" if payload is None else payload),
        priority=check_integer("priority", priority),
        run_at_millis=None if run_at_millis is None else check_integer("run_at_millis", run_at_millis),
        tenant=check_name("tenant", tenant),
        deadline_millis=None if deadline_millis is None else check_integer("deadline_millis", deadline_millis),
        cost=check_integer("cost", cost, low=1, high=HIGHEST_COST),
        request_key=None if request_key is None else check_name("request_key", request_key),
    )
