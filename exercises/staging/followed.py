"""A queue of the answer that the oracle follows: each call goes to both, and the two must agree."""

from typing import Any

from exercises.staging.oracle import Job, Oracle
from exercises.staging.queue_driver import Hold, QueueDriver

LATE_RENEWAL = 10_000  # what those ask for who must be refused


class Followed:
    """Drives an answer through a story in which nobody has written down what must come back."""

    def __init__(
        self,
        queue: QueueDriver,
        oracle: Oracle,
        *,
        view: tuple[str, ...],
        lease: tuple[str, ...] = (),
        token_is_text: bool = True,
    ) -> None:
        """Begin at the instant that the queue's clock shows.

        Args:
            queue: The answer's.
            oracle: The rules.
            view: The fields of a view that are compared.
            lease: Those of a lease.
            token_is_text: Whether the task says what a token looks like: J1:2 for the second hand-out of J1.
        """
        self.queue, self.oracle = queue, oracle
        self.holds: list[Hold] = []
        self._told: dict[int, dict[str, str]] = {}
        self._view, self._lease, self._token_is_text = view, lease, token_is_text

    @property
    def now(self) -> int:
        """The instant that the clock shows."""
        return self.queue.now

    def at(self, instant: int) -> None:
        """Let time pass until an instant, if it is not there yet."""
        if instant > self.now:
            self.queue.at(instant)

    def job(self, number: int) -> Job:
        """What the rules say of a job by now."""
        self.oracle.settle(self.now)
        return self.oracle.jobs[number]

    def submit(self, type: str = "mail", payload: str = "", **more: Any) -> Job:
        """Submit a job."""
        job = self.oracle.submit(self.now, **more)
        self.queue.submit(type, payload, gives=job.id, **more)
        self._told[job.number] = {"type": type, "payload": payload}
        return job

    def poll(self, worker_id: str, lease_millis: int) -> Hold | None:
        """Let a worker poll; it must get the best ready job, or nothing."""
        job = self.oracle.poll(self.now, lease_millis)
        hold = self.queue.poll(worker_id, lease_millis, gives=job.id if job else None)
        if job is None:
            return None
        job.hand_out = f"{job.id}:{len(job.history)}" if self._token_is_text else len(self.holds)
        self.holds.append(hold)
        if not self._token_is_text:
            self.queue.differ(*self.holds)
        fields = {"attempt": job.attempts, "lease_until": job.lease_until, **self._told[job.number]}
        fields["worker_id"] = worker_id
        self.queue.has(hold.record, {name: fields[name] for name in self._lease})
        return hold

    def report(self, method: str, hold: Hold, *args: Any, number: int | None = None, **more: Any) -> None:
        """Let somebody complete, fail or renew: a job that it holds, once held, or never held."""
        job = self.job(number or int(hold.job_id[1:]))
        shown: Any = hold.token
        if not self._token_is_text:
            shown = next((place for place, one in enumerate(self.holds) if one is hold), None)
        accepted = getattr(self.oracle, method)(self.now, job.number, shown, *args, **more)
        gives: Any = "accepted" if method != "renew" else job.lease_until
        if not accepted:
            args, more, gives = (LATE_RENEWAL,) if method == "renew" else (), {}, ("refused", job.status)
        getattr(self.queue, method)(hold, *args, job=job.id, gives=gives, **more)

    def view(self, number: int) -> None:
        """Look at a job."""
        job = self.job(number)
        self.queue.view(job.id, **{name: getattr(job, name) for name in self._view})
