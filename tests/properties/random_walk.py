"""A random walk over a queue: random calls at random times, made at the same time on a naive model.

What producers and workers call is here, what operators call in `operators_walk.py`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, is_dataclass
from typing import Any, ClassVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule

from jobqueue import EventLog, JobQueue, JobQueueError, ManualClock, RetryPolicy, UnknownJobError
from tests.properties.naive_model import NaiveQueue, RefusedError
from tests.properties.naive_rules import Rules

# Waits before a call: durations, and the instants at which something changes, met or missed by one.
INSTANTS = [
    "lease end",
    "lease end",
    "just before lease end",
    "next due",
    "next due",
    "next deadline",
    "next age",
]
WAITS = st.sampled_from([*[0] * 10, 1, 300, 1000, *INSTANTS])
LEASES = st.sampled_from([1, 300, 1000, 1000, 2500, 2500])
RUN_AT = st.sampled_from([None, None, None, None, -700, 0, 1, 1000])
DEADLINES = st.sampled_from([*[None] * 9, 700, 1500, 4000, -1])
PICKS = st.integers(0, 11)
TOKENS = st.sampled_from([*["latest"] * 12, "older", "oldest", "next", "foreign", "garbage"])
TYPES = st.sampled_from([None, None, None, {"a"}, {"b"}, {"a", "b"}, {"c"}])
TENANTS = st.sampled_from("xyz")

RULES = st.builds(
    Rules,
    max_attempts=st.integers(1, 3),
    jitter=st.sampled_from([None, None, "full", "equal", "decorrelated"]),
    budget=st.sampled_from([None, None, (20, 1), (50, 1), (0, 2)]),
    dispatch=st.sampled_from([None, None, (4, 1), (2, 1), (8, 3)]),
    max_run=st.sampled_from([None, None, 1000, 2000]),
    keep_finished=st.sampled_from([None, None, 0, 2]),
    key_life=st.sampled_from([86_400_000, 0, 1000]),
    cycle=st.sampled_from([None, "HHHNNL", "HHHNNL", "HN", "NL", "LNH"]),
    quantum=st.sampled_from([None, 1, 10]),
    aging=st.sampled_from([None, 500, 2000]),
    max_queued=st.sampled_from([None, None, 12]),
    max_queued_per_tenant=st.sampled_from([None, None, 5]),
    max_running_per_tenant=st.sampled_from([None, None, None, 1, 3]),
    max_running_per_band=st.sampled_from([{}, {}, {}, {"H": 1}, {"N": 2, "L": 1}]),
)
JOBS = st.sampled_from([0, 3, 12, 24])
BACKOFFS = st.sampled_from([(0, 0), (500, 500), (1000, 60_000), (1000, 1500)])


def plain(answer: Any) -> Any:
    """Return records as dicts, so that they can be compared with what the model says."""
    if isinstance(answer, list):
        return [plain(part) for part in answer]
    return asdict(answer) if is_dataclass(answer) else answer  # type: ignore[arg-type]


def answer_of(call: Any) -> Any:
    """Return what a call returned, or the kind and reason of its refusal."""
    try:
        return plain(call())
    except (JobQueueError, ValueError) as refusal:
        return "refused", type(refusal).__name__, getattr(refusal, "reason", None)
    except RefusedError as refusal:
        return "refused", refusal.kind, refusal.reason


def all_seen(queue: JobQueue, submitted: int) -> dict[str, Any]:
    """Return all that the queue shows, in the form of the model's `everything`."""
    state: dict[str, Any] = {}
    for job_id in (f"J{number}" for number in range(1, submitted + 1)):
        try:
            view, payload = plain(queue.view(job_id)), queue.payload(job_id)
            state[job_id] = view, payload, plain(queue.history(job_id)), plain(queue.redrives(job_id))
        except UnknownJobError:
            state[job_id] = None
    state["dead letters"] = plain(queue.dead_letters())
    return state | {"paused": queue.paused(), "stats": plain(queue.stats())}


class RandomWalk(RuleBasedStateMachine):
    """Makes each call on the queue and on the model and compares the answers.

    Every rule waits first and calls then, so that the call itself is the first to notice what became due.
    """

    met: ClassVar[Counter[Any]] = Counter()

    def made(self, *args: Any, **options: Any) -> JobQueue:
        """Return an empty queue."""
        return JobQueue(*args, **options)

    @initialize(rules=RULES, is_plain=st.sampled_from([True, False, False]), backoff=BACKOFFS, jobs=JOBS)
    def begin(self, rules: Any, is_plain: Any, backoff: Any, jobs: Any) -> None:
        """Start with a queue of some rules, often with more jobs than have one digit."""
        if is_plain:  # the defaults deserve their share of the walks
            rules = Rules(rules.max_attempts, keep_finished=rules.keep_finished)
        rules.base, rules.cap = backoff
        self.clock = ManualClock()
        self.log = EventLog()
        policy = RetryPolicy(rules.max_attempts, *backoff)
        self.queue = self.made(self.clock, policy, log=self.log, **rules.options())
        self.model = NaiveQueue(rules)
        for number in range(jobs):
            told = {"priority": number % 3 - 1, "tenant": "xyz"[number % 4 % 3], "cost": number % 5 + 1}
            self.submit(0, "ab"[number % 2], run_at=None, deadline=None, **told)

    def wait(self, wait: int | str) -> int:
        """Move the clock by a duration or to the next instant of a kind, and return the new now."""
        now, jobs = self.clock.now(), self.model.jobs
        pending = [job for job in jobs if job.status == "PENDING"]
        ready = [job for job in pending if job.band is not None]
        ages = [self.model.rules.next_age(job.priority, job.ready_since, job.placed_at) for job in ready]
        instants = {
            "lease end": [job.lease_until for job in jobs],
            "just before lease end": [job.lease_until and job.lease_until - 1 for job in jobs],
            "next due": [job.run_at for job in pending],
            "next deadline": [job.deadline for job in pending],
            "next age": ages,
        }.get(wait, [])  # type: ignore[arg-type]
        later = [instant for instant in instants if instant is not None and instant > now]  # type: ignore[attr-defined]
        self.clock.advance_to(now + wait if isinstance(wait, int) else min(later, default=now))
        return self.clock.now()

    def compare(self, name: str, of_queue: Any, of_model: Any) -> Any:
        """Make a call on both and require one answer."""
        answer = answer_of(of_queue)
        assert answer == answer_of(of_model), name
        self.met[name if not isinstance(answer, tuple) else (name, *answer[1:])] += 1
        return answer

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

    def job_in(self, status: str, pick: int) -> str:
        """Return a job in a state, if there is one and the pick is no third, so that calls have a chance."""
        if not self.numbers_in(status) and status == "RUNNING":
            self.hand_out("x", 2500)
        ids = self.numbers_in(status)
        return f"J{ids[pick % len(ids)]}" if ids and pick % 4 else self.job_id(pick)

    def numbers_in(self, status: str) -> list[int]:
        """Return the numbers of the jobs in a state."""
        return [job.number for job in self.model.jobs if job.status == status]

    # -- producers ----------------------------------------------------------------------------------------

    @rule(
        wait=WAITS,
        type_=st.sampled_from("aab"),
        priority=st.integers(-1, 1),
        run_at=RUN_AT,
        tenant=TENANTS,
        cost=st.sampled_from([1, 1, 3, 10, 40]),
        deadline=DEADLINES,
    )
    def submit(
        self, wait: Any, type_: Any, *, priority: Any, run_at: Any, tenant: Any, cost: Any, deadline: Any
    ) -> None:
        """Submit a job that is due now, later or long ago."""
        now = self.wait(wait)
        due = None if run_at is None else now + run_at
        until = None if deadline is None else now + deadline
        order = {"payload": f"at {now}", "priority": priority, "tenant": tenant, "cost": cost}
        self.compare(
            "submit",
            lambda: self.queue.submit(type_, run_at_millis=due, deadline_millis=until, **order),
            lambda: self.model.submit(now, due, until, type=type_, **order),
        )

    @rule(
        wait=WAITS,
        key=st.sampled_from("kl"),
        type_=st.sampled_from("aab"),
        tenant=TENANTS,
        run_at=st.sampled_from([None, None, 1000]),
        deadline=st.sampled_from([None, None, 5000]),
    )
    def submit_once(self, wait: Any, key: Any, type_: Any, *, tenant: Any, run_at: Any, deadline: Any) -> None:
        """Make a request that may have been made before, with the same content or other."""
        now = self.wait(wait)
        order = {"payload": "once", "priority": 0, "tenant": tenant, "cost": 2}
        self.compare(
            "submit_once",
            lambda: self.queue.submit_once(key, type_, run_at_millis=run_at, deadline_millis=deadline, **order),
            lambda: self.model.submit_once(now, key, run_at, deadline, type=type_, **order),
        )

    @rule(wait=WAITS, pick=PICKS)
    def cancel(self, wait: Any, pick: Any) -> None:
        """Cancel some job."""
        now, job_id = self.wait(wait), self.job_id(pick)
        self.compare("cancel", lambda: self.queue.cancel(job_id), lambda: self.model.cancel(now, job_id))

    # -- workers ------------------------------------------------------------------------------------------

    @rule(wait=WAITS, worker=st.sampled_from("xyz"), lease=LEASES, types=TYPES)
    def poll(self, wait: Any, worker: Any, lease: Any, types: Any) -> None:
        """Poll for all types or for some."""
        self.wait(wait)
        self.hand_out(worker, lease, types)

    def hand_out(self, worker: str, lease: int, types: set[str] | None = None) -> Any:
        """Poll both and return the lease."""
        now = self.clock.now()
        of_queue = answer_of(lambda: self.queue.poll(worker, lease, types=types))
        return self.compare(
            "poll" if of_queue else "poll in vain",
            lambda: of_queue,
            lambda: self.model.poll(now, worker, lease, types),
        )

    @rule(wait=WAITS, limit=st.integers(1, 6), types=TYPES)
    def poll_many(self, wait: Any, limit: Any, types: Any) -> None:
        """Poll several times at one instant."""
        now = self.wait(wait)
        self.compare(
            "poll_many",
            lambda: self.queue.poll_many("many", 1000, limit, types=types),
            lambda: self.model.poll_many(now, limit, types),
        )

    @rule(wait=WAITS, pick=PICKS, kind=TOKENS, result=st.sampled_from([None, "done"]))
    def complete(self, wait: Any, pick: Any, kind: Any, result: Any) -> None:
        """Complete some job with some token."""
        now, job_id = self.wait(wait), self.job_in("RUNNING", pick)
        token = self.token(job_id, kind)
        self.compare(
            "complete",
            lambda: self.queue.complete(job_id, token, result),
            lambda: self.model.complete(now, job_id, token, result),
        )

    @rule(wait=WAITS, pick=PICKS, kind=TOKENS, permanent=st.sampled_from([False, False, False, True]))
    def fail(self, wait: Any, pick: Any, kind: Any, permanent: Any) -> None:
        """Fail some job with some token."""
        now, job_id = self.wait(wait), self.job_in("RUNNING", pick)
        token = self.token(job_id, kind)
        self.compare(
            "fail",
            lambda: self.queue.fail(job_id, token, kind, permanent=permanent),
            lambda: self.model.fail(now, job_id, token, kind, permanent=permanent),
        )

    @rule(wait=WAITS, pick=PICKS, kind=TOKENS, lease=LEASES, checkpoint=st.sampled_from([None, "half"]))
    def renew(self, wait: Any, pick: Any, kind: Any, lease: Any, checkpoint: Any) -> None:
        """Renew the lease of some job with some token."""
        now, job_id = self.wait(wait), self.job_in("RUNNING", pick)
        token = self.token(job_id, kind)
        self.compare(
            "renew",
            lambda: self.queue.renew(job_id, token, lease, checkpoint),
            lambda: self.model.renew(now, job_id, token, lease, checkpoint),
        )

    @rule(wait=WAITS, pick=PICKS, kind=TOKENS)
    def release(self, wait: Any, pick: Any, kind: Any) -> None:
        """Give back some job with some token."""
        now, job_id = self.wait(wait), self.job_in("RUNNING", pick)
        token = self.token(job_id, kind)
        self.compare(
            "release",
            lambda: self.queue.release(job_id, token),
            lambda: self.model.release(now, job_id, token),
        )

    @rule(wait=WAITS)
    def sweep(self, wait: Any) -> None:
        """Settle what is due and count it."""
        now = self.wait(wait)
        self.compare("sweep", self.queue.sweep, lambda: self.model.settle(now))

    @rule(wait=WAITS)
    def bad_hour(self, wait: Any) -> None:
        """Poll and fail whatever is ready, so that walks get as deep as dead letters of a second era."""
        self.wait(wait)
        for _ in range(8):
            if not self.hand_out("x", 1000):
                return
            self.fail(0, 1, "latest", permanent=False)

    @rule(wait=WAITS, hand_outs=st.integers(1, 12))
    def good_hour(self, wait: Any, hand_outs: Any) -> None:
        """Hand out job after job and complete each third, so that turns go around and credits add up."""
        self.wait(wait)
        for number in range(hand_outs):
            if not self.hand_out("y", 2500):
                return
            if number % 3 == 0:
                self.complete(0, 1, "latest", None)
