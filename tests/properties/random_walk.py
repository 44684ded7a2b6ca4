"""A random walk over a queue: random calls at random times, made at the same time on a naive model."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, is_dataclass
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from jobqueue import EventLog, JobQueue, JobQueueError, ManualClock, RetryPolicy, UnknownJobError
from tests.properties.naive_model import NaiveQueue, RefusedError

# Waits before a call: durations, and the instants at which something changes, met or missed by one.
WAITS = st.sampled_from([0, 0, 0, 1, 300, 1000, "lease end", "lease end", "just before lease end", "next due"])
LEASES = st.sampled_from([1, 300, 1000, 1000, 2500, 2500])
RUN_AT = st.sampled_from([None, None, None, None, -700, 0, 1, 1000])
PICKS = st.integers(0, 11)
TOKENS = st.sampled_from(
    ["latest", "latest", "latest", "latest", "older", "oldest", "next", "foreign", "garbage"]
)
TYPES = st.sampled_from([None, None, None, {"a"}, {"b"}, {"a", "b"}, {"c"}])


def plain(answer: Any) -> Any:
    """Return records as dicts, so that they can be compared with what the model says."""
    return asdict(answer) if is_dataclass(answer) else answer


def answer_of(call: Any) -> Any:
    """Return what a call returned, or the kind and reason of its refusal."""
    try:
        return plain(call())
    except JobQueueError as refusal:
        return "refused", type(refusal).__name__, getattr(refusal, "reason", None)
    except RefusedError as refusal:
        return "refused", refusal.kind, refusal.reason


def all_seen(queue: JobQueue, submitted: int) -> dict[str, Any]:
    """Return all that the queue shows, in the form of the model's `everything`."""
    state: dict[str, Any] = {}
    for job_id in (f"J{number}" for number in range(1, submitted + 1)):
        try:
            view = asdict(queue.view(job_id))
            state[job_id] = view, queue.payload(job_id), [asdict(row) for row in queue.history(job_id)]
        except UnknownJobError:
            state[job_id] = None
    return state | {"dead letters": [asdict(view) for view in queue.dead_letters()]}


class RandomWalk(RuleBasedStateMachine):
    """Makes each call on the queue and on the model and compares the answers.

    Every rule waits first and calls then, so that the call itself is the first to notice what became due.
    """

    met: ClassVar[Counter[Any]] = Counter()

    @initialize(
        attempts=st.integers(1, 3),
        backoff=st.sampled_from([(0, 0), (500, 500), (1000, 60_000), (1000, 1500)]),
        keep_finished=st.sampled_from([None, None, 0, 2]),
        jobs=st.sampled_from([0, 0, 0, 11]),
    )
    def begin(self, attempts, backoff, keep_finished, jobs):
        """Start with a queue of some policy, empty or with more jobs than have one digit."""
        self.clock = ManualClock()
        self.log = EventLog()
        policy = RetryPolicy(attempts, *backoff)
        self.queue = JobQueue(self.clock, policy, keep_finished=keep_finished, log=self.log)
        self.model = NaiveQueue(attempts, *backoff, keep_finished)
        for _ in range(jobs):
            self.submit(0, "a", 0, None)

    def wait(self, wait: int | str) -> int:
        """Move the clock by a duration or to the next instant of a kind, and return the new now."""
        now = self.clock.now()
        ends = [job.lease_until for job in self.model.jobs if job.lease_until is not None]
        dues = [job.run_at for job in self.model.jobs if job.status == "PENDING"]
        instant = {
            "lease end": min((end for end in ends if end > now), default=now),
            "just before lease end": min((end - 1 for end in ends if end > now), default=now),
            "next due": min((due for due in dues if due > now), default=now),
        }.get(wait, now)
        self.clock.advance_to(now + wait if isinstance(wait, int) else instant)
        return self.clock.now()

    def compare(self, name: str, of_queue: Any, of_model: Any) -> None:
        """Make a call on both and require one answer."""
        answer = answer_of(of_queue)
        assert answer == answer_of(of_model), name
        self.met[name if not isinstance(answer, tuple) else (name, *answer[1:])] += 1

    def job_id(self, pick: int) -> str:
        """Return the id of some job, or now and then one that does not exist."""
        submitted = self.model.submitted
        return f"J{submitted + 1}" if pick == 11 else f"J{pick % max(submitted, 1) + 1}"

    def token(self, job_id: str, kind: str) -> str:
        """Return a token of the given kind for a job."""
        generation = max((len(job.history) for job in self.model.jobs if job.id == job_id), default=1)
        return {
            "latest": f"{job_id}:{generation}",
            "older": f"{job_id}:{generation - 1}",
            "oldest": f"{job_id}:1",
            "next": f"{job_id}:{generation + 1}",
            "foreign": f"J{int(job_id[1:]) + 1}:{generation}",
            "garbage": f"{job_id}:{generation} ",
        }[kind]

    def running_or(self, pick: int) -> str:
        """Return a job that runs, if there is one and the pick is even, so that many calls have a chance."""
        running = [job.id for job in self.model.jobs if job.status == "RUNNING"]
        return running[pick % len(running)] if running and pick % 2 == 0 else self.job_id(pick)

    @rule(wait=WAITS, type_=st.sampled_from("aab"), priority=st.integers(-1, 1), run_at=RUN_AT)
    def submit(self, wait, type_, priority, run_at):
        """Submit a job that is due now, later or long ago."""
        now = self.wait(wait)
        due = None if run_at is None else now + run_at
        self.compare(
            "submit",
            lambda: self.queue.submit(type_, f"at {now}", priority, due, tenant=f"t{priority}"),
            lambda: self.model.submit(
                now, type_, f"at {now}", priority=priority, run_at=due, tenant=f"t{priority}"
            ),
        )

    @rule(wait=WAITS, worker=st.sampled_from("xyz"), lease=LEASES, types=TYPES)
    def poll(self, wait, worker, lease, types):
        """Poll for all types or for some."""
        now = self.wait(wait)
        of_queue = answer_of(lambda: self.queue.poll(worker, lease, types=types))
        self.compare(
            "poll" if of_queue else "poll in vain",
            lambda: of_queue,
            lambda: self.model.poll(now, worker, lease, types),
        )

    @rule(wait=WAITS, pick=PICKS, kind=TOKENS)
    def complete(self, wait, pick, kind):
        """Complete some job with some token."""
        now, job_id = self.wait(wait), self.running_or(pick)
        token = self.token(job_id, kind)
        self.compare(
            "complete",
            lambda: self.queue.complete(job_id, token),
            lambda: self.model.complete(now, job_id, token),
        )

    @rule(wait=WAITS, pick=PICKS, kind=TOKENS)
    def fail(self, wait, pick, kind):
        """Fail some job with some token."""
        now, job_id = self.wait(wait), self.running_or(pick)
        token = self.token(job_id, kind)
        self.compare(
            "fail",
            lambda: self.queue.fail(job_id, token, kind),
            lambda: self.model.fail(now, job_id, token, kind),
        )

    @rule(wait=WAITS, pick=PICKS, kind=TOKENS, lease=LEASES)
    def renew(self, wait, pick, kind, lease):
        """Renew the lease of some job with some token."""
        now, job_id = self.wait(wait), self.running_or(pick)
        token = self.token(job_id, kind)
        self.compare(
            "renew",
            lambda: self.queue.renew(job_id, token, lease),
            lambda: self.model.renew(now, job_id, token, lease),
        )

    @rule(wait=WAITS, pick=PICKS)
    def cancel(self, wait, pick):
        """Cancel some job."""
        now, job_id = self.wait(wait), self.job_id(pick)
        self.compare("cancel", lambda: self.queue.cancel(job_id), lambda: self.model.cancel(now, job_id))

    @rule(wait=WAITS, pick=PICKS)
    def retry_dead(self, wait, pick):
        """Bring back a dead job if there is one, else some job that is not dead."""
        now = self.wait(wait)
        dead = [job.id for job in self.model.jobs if job.status == "DEAD"]
        job_id = dead[pick % len(dead)] if dead and pick % 4 else self.job_id(pick)
        self.redrive(now, job_id)

    def redrive(self, now: int, job_id: str) -> None:
        """Call retry_dead on both."""
        self.compare(
            "retry_dead", lambda: self.queue.retry_dead(job_id), lambda: self.model.retry_dead(now, job_id)
        )

    @rule(wait=WAITS)
    def sweep(self, wait):
        """Settle what is due and count it."""
        now = self.wait(wait)
        self.compare("sweep", self.queue.sweep, lambda: self.model.settle(now))

    @rule(wait=WAITS)
    def bad_hour(self, wait):
        """Poll and fail whatever is ready, so that walks get as deep as dead letters of a second era."""
        self.wait(wait)
        for _ in range(12):
            ready = [
                job for job in self.model.jobs if job.status == "PENDING" and job.run_at <= self.clock.now()
            ]
            if not ready:
                break
            self.poll(0, "x", 1000, None)
            self.fail(0, 0, "latest")

    @rule(wait=WAITS)
    def redrive_all(self, wait):
        """Bring back every dead letter."""
        now = self.wait(wait)
        for job_id in [job.id for job in self.model.jobs if job.status == "DEAD"]:
            self.redrive(now, job_id)
