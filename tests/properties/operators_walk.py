"""What operators do on a random walk: pause, redrive, prune."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from jobqueue import RetryPolicy
from tests.contract.observing import use_policy
from tests.properties.random_walk import PICKS, WAITS, RandomWalk


class OperatorsWalk(RandomWalk):
    """The calls of operators, between those of producers and workers."""

    @rule(wait=WAITS, type_=st.sampled_from("ab"), is_pause=st.sampled_from([True, False, False]))
    def pause_or_resume(self, wait: Any, type_: Any, is_pause: Any) -> None:
        """Pause a type, or resume it; both may be so already."""
        now = self.wait(wait)
        self.model.settle(now)
        (self.queue.pause if is_pause else self.queue.resume)(type_)
        (self.model.turns.paused.add if is_pause else self.model.turns.paused.discard)(type_)
        self.met["pause" if is_pause else "resume"] += 1

    @rule(wait=WAITS, pick=PICKS)
    def retry_dead(self, wait: Any, pick: Any) -> None:
        """Bring back a dead job if there is one, else some job that is not dead."""
        now, job_id = self.wait(wait), self.job_in("DEAD", pick)
        self.compare(
            "retry_dead", lambda: self.queue.retry_dead(job_id), lambda: self.model.retry_dead(now, job_id)
        )

    @rule(
        wait=WAITS,
        pick=PICKS,
        payload=st.sampled_from([None, "better"]),
        deadline=st.sampled_from([None, None, 3000, 0]),
        unchanged=st.booleans(),
    )
    def redrive(self, wait: Any, pick: Any, payload: Any, deadline: Any, unchanged: Any) -> None:
        """Bring back a job with a record of it."""
        now, job_id = self.wait(wait), self.job_in("DEAD", pick)
        until = None if deadline is None else now + deadline
        told = {"actor": "op", "note": "mended", "payload": payload, "unchanged": unchanged}
        self.compare(
            "redrive",
            lambda: self.queue.redrive(job_id, deadline_millis=until, **told),
            lambda: self.model.redrive(now, job_id, deadline=until, **told),
        )

    @rule(wait=WAITS, spread=st.sampled_from([0, 0, 700]), picks=st.lists(PICKS, max_size=3))
    def redrive_many(self, wait: Any, spread: Any, picks: Any) -> None:
        """Bring back every dead letter, some other jobs, and one that does not exist."""
        now = self.wait(wait)
        dead = [job.id for job in self.model.jobs if job.status == "DEAD"]
        ids = [self.job_id(pick) for pick in picks] + dead[::-1]
        self.compare(
            "redrive_many",
            lambda: self.queue.redrive_many(ids, actor="op", note="", spread_millis=spread),
            lambda: self.model.redrive_many(now, ids, spread),
        )

    @rule(wait=WAITS)
    def lower_the_maximum(self, wait: Any) -> None:
        """Allow one attempt less, as a queue that is opened with another policy does."""
        now = self.wait(wait)
        # What is due ends by the old policy in both: whoever looks at the queue alone would settle it there.
        self.compare("sweep", self.queue.sweep, lambda: self.model.settle(now))
        rules = self.model.rules
        if rules.max_attempts > 1:
            rules.max_attempts -= 1
            use_policy(self.queue, RetryPolicy(rules.max_attempts, rules.base, rules.cap))

    @rule(wait=WAITS, keep=st.integers(0, 4), dead=st.booleans())
    def prune(self, wait: Any, keep: Any, dead: Any) -> None:
        """Forget old jobs, seldom enough for some to be left."""
        now = self.wait(wait)
        self.compare(
            "prune",
            lambda: self.queue.prune(keep=keep, dead=dead),
            lambda: self.model.prune(now, keep, dead=dead),
        )
