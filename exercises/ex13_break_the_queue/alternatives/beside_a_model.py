"""ex13, another right answer: the queue walks beside a small model, step by step, and the two must agree.

The walks are drawn from fixed seeds, so that each run is the same. Tokens are never looked at, only shown.
"""

import random

from jobqueue import IllegalStateError, StaleTokenError

LEASES = (1, 1_000, 1_000, 4_000)


class Model:
    """What the rules say about one job. Instants are computed, nothing is swept."""

    def __init__(self, number, priority, now, rule):
        self.number, self.priority, self.rule = number, priority, rule
        self.status, self.attempts, self.run_at, self.error, self.until = "PENDING", 0, now, None, 0
        self.token = None

    def settle(self, now):
        if self.status == "RUNNING" and now >= self.until:
            self.end(self.until, "lease expired")

    def end(self, at, error):
        most, base, cap = self.rule
        self.error = error
        self.status = "DEAD" if self.attempts >= most else "PENDING"
        if self.status == "PENDING":
            self.run_at = at + min(cap, base << (self.attempts - 1))

    @property
    def seen(self):
        return f"J{self.number}", self.status, self.attempts, self.run_at, self.error


def outcome(call, *args):
    """Whether a call is refused, and how."""
    try:
        call(*args)
    except StaleTokenError:
        return "stale"
    except IllegalStateError:
        return "illegal"
    return "accepted"


class Walk:
    """One walk of a queue and its model."""

    def __init__(self, make_queue, seed, rule=(3, 1_000, 1_500)):
        self.queue, self.clock = make_queue(*rule)
        self.rule, self.chance, self.jobs, self.tokens = rule, random.Random(seed), [], []

    def go(self, steps):
        for _ in range(steps):
            self.chance.choice(
                [
                    self.submit,
                    self.poll,
                    self.poll,
                    self.complete,
                    self.fail,
                    self.renew,
                    self.redrive,
                    self.wait,
                    self.wait,
                ]
            )()
            self.look()

    def settled(self):
        for job in self.jobs:
            job.settle(self.clock.now())
        return self.jobs

    def look(self):
        """Compare one job, all dead ones, or nothing: what is not looked at shows nothing too early."""
        chosen = self.chance.randrange(3)
        if chosen == 0 and self.jobs:
            job = self.chance.choice(self.settled())
            view = self.queue.view(f"J{job.number}")
            assert (view.id, view.status, view.attempts, view.next_run_at, view.last_error) == job.seen
        if chosen == 1:
            dead = [job.seen[0] for job in self.settled() if job.status == "DEAD"]
            assert [view.id for view in self.queue.dead_letters()] == dead

    def submit(self):
        if len(self.jobs) < 3:
            job = Model(len(self.jobs) + 1, self.chance.choice((-2, -1, 0)), self.clock.now(), self.rule)
            self.jobs.append(job)
            assert self.queue.submit("mail", priority=job.priority) == f"J{job.number}"

    def poll(self):
        now, length = self.clock.now(), self.chance.choice(LEASES)
        ready = [job for job in self.settled() if job.status == "PENDING" and job.run_at <= now]
        best = min(ready, key=lambda job: (-job.priority, job.run_at, job.number), default=None)
        lease = self.queue.poll("A", length)
        assert (lease and lease.job_id) == (best and best.seen[0])
        if best:
            assert lease.token not in self.tokens
            self.tokens.append(lease.token)
            best.status, best.attempts, best.until, best.token = (
                "RUNNING",
                best.attempts + 1,
                now + length,
                lease.token,
            )
            assert (lease.attempt, lease.lease_until) == (best.attempts, best.until)

    def report(self, call, *args):
        """Show some token for some job; return the job if the call must be accepted, and was."""
        if not self.jobs or not self.tokens:
            return None
        job = self.chance.choice(self.settled())
        token = self.chance.choice([job.token or "made up", self.chance.choice(self.tokens)])
        right = job.status == "RUNNING" and token == job.token
        assert outcome(call, f"J{job.number}", token, *args) == ("accepted" if right else "stale")
        return job if right else None

    def complete(self):
        job = self.report(self.queue.complete)
        if job:
            job.status = "SUCCEEDED"

    def fail(self):
        job = self.report(self.queue.fail, "broken")
        if job:
            job.end(self.clock.now(), "broken")

    def renew(self):
        length = self.chance.choice(LEASES)
        job = self.report(self.queue.renew, length)
        if job:
            job.until = max(job.until, self.clock.now() + length)

    def redrive(self):
        if self.jobs:
            job = self.chance.choice(self.settled())
            expected = "accepted" if job.status == "DEAD" else "illegal"
            assert outcome(self.queue.retry_dead, f"J{job.number}") == expected
            if job.status == "DEAD":
                job.status, job.attempts, job.run_at = "PENDING", 0, self.clock.now()

    def wait(self):
        edges = [edge for job in self.jobs for edge in (job.until - 1, job.until, job.run_at - 1, job.run_at)]
        ahead = [edge for edge in edges if edge > self.clock.now()]
        self.clock.advance_to(self.chance.choice([*ahead, self.clock.now() + 5_000]))


def test_a_walk_with_rests_that_are_capped(make_queue):
    Walk(make_queue, seed=137).go(80)


def test_another_walk_with_rests_that_are_capped(make_queue):
    Walk(make_queue, seed=34).go(80)


def test_a_walk_with_one_attempt(make_queue):
    Walk(make_queue, seed=8, rule=(1, 1_000, 60_000)).go(80)


def test_many_jobs_in_order(make_queue):
    queue, _ = make_queue()
    names = [queue.submit("mail") for _ in range(12)]
    assert [queue.poll("A", 1_000).job_id for _ in names] == names
