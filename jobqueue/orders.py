"""What a producer asks for: the arguments of a submit, checked, and the job that they make."""

from dataclasses import asdict, dataclass
from typing import Any

from jobqueue.arguments import HIGHEST_COST, check_integer, check_name, check_text
from jobqueue.model import Job
from jobqueue.requests import content_hash


@dataclass(frozen=True, slots=True)
class Order:
    """The arguments of one submit, in the words of its signature; wrong ones are refused here."""

    type: str
    payload: str
    priority: int
    run_at_millis: int | None
    tenant: str
    deadline_millis: int | None
    cost: int
    request_key: str | None = None

    def __post_init__(self) -> None:
        """Check each argument by itself; what depends on the present instant is checked later."""
        self._keep("type", check_name("type", self.type))
        self._keep("payload", check_text("payload", self.payload))
        self._keep("priority", check_integer("priority", self.priority))
        if self.run_at_millis is not None:
            self._keep("run_at_millis", check_integer("run_at_millis", self.run_at_millis))
        self._keep("tenant", check_name("tenant", self.tenant))
        if self.deadline_millis is not None:
            self._keep("deadline_millis", check_integer("deadline_millis", self.deadline_millis))
        self._keep("cost", check_integer("cost", self.cost, low=1, high=HIGHEST_COST))
        if self.request_key is not None:
            self._keep("request_key", check_name("request_key", self.request_key))

    def _keep(self, name: str, value: object) -> None:
        """Keep the plain value that a check made of an argument; this record is frozen for everybody else."""
        object.__setattr__(self, name, value)

    def told(self) -> dict[str, Any]:
        """Return every argument, for the event."""
        return asdict(self)

    def content_hash(self) -> str:
        """Return the hash of what a request key is bound to: all but the key and its tenant."""
        content = asdict(self)
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
