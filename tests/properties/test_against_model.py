"""The queue against a naive model of it, and against the replay of its own log, on random walks."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar

from hypothesis import settings
from hypothesis.stateful import invariant, precondition, run_state_machine_as_test

from tests.properties.random_walk import RandomWalk, all_seen, answer_of

if TYPE_CHECKING:
    from jobqueue import JobQueue

# Fixed examples: a failure shows on every machine, and a pass means the same walks everywhere.
STEADY = settings(max_examples=200, stateful_step_count=50, derandomize=True, deadline=None)

STALE = [
    (operation, "StaleTokenError", reason)
    for operation in ("complete", "fail", "renew")
    for reason in ("stale_generation", "lease_expired", "wrong_state")
]
UNKNOWN = [
    (operation, "UnknownJobError", None) for operation in ("complete", "fail", "renew", "cancel", "retry_dead")
]
ILLEGAL = [(operation, "IllegalStateError", None) for operation in ("cancel", "retry_dead")]
ACCEPTED = ["submit", "poll", "poll in vain", "complete", "fail", "renew", "cancel", "retry_dead", "sweep"]
STATUSES = ["PENDING", "RUNNING", "SUCCEEDED", "DEAD", "CANCELLED", "forgotten"]


def leases_until_none(queue: JobQueue) -> list[Any]:
    """Poll until nothing is ready and return all that was handed out, tokens included."""
    leases: list[Any] = []
    while (lease := answer_of(lambda: queue.poll("w", 1000))) is not None:
        leases.append(lease)
    return leases


class AgainstModel(RandomWalk):
    """After every step, queue and model must show the same."""

    met: ClassVar[Counter[Any]] = Counter()

    @precondition(lambda self: hasattr(self, "queue"))
    @invariant()
    def queue_and_model_show_the_same(self):
        """Compare all views, payloads, histories and dead letters."""
        shown = all_seen(self.queue, self.model.submitted)
        assert shown == self.model.everything(self.clock.now())
        del shown["dead letters"]
        self.met.update(seen[0]["status"].value if seen else "forgotten" for seen in shown.values())


class AgainstReplay(RandomWalk):
    """At the end of a walk, what the log rebuilds must be what the queue has become."""

    met: ClassVar[Counter[Any]] = Counter()

    def teardown(self):
        """Replay the log at this instant, before the queue itself is asked, and lead the copies on."""
        if not hasattr(self, "queue"):
            return
        jobs = self.model.submitted
        copy = self.log.replay(self.clock.now())
        assert all_seen(copy, jobs) == all_seen(self.queue, jobs)
        for queue in (copy, self.queue):
            assert queue.submit("last", priority=9) == f"J{jobs + 1}"
        copy_at_last_event = self.log.replay()
        assert all_seen(copy_at_last_event, jobs + 1) == all_seen(self.queue, jobs + 1)
        hand_outs = [leases_until_none(queue) for queue in (copy, copy_at_last_event, self.queue)]
        assert hand_outs[0] == hand_outs[1] == hand_outs[2]
        assert hand_outs[0][0]["job_id"] == f"J{jobs + 1}"
        self.met.update(event.kind.value for event in self.log.events)

    @invariant()
    def events_are_numbered_and_in_order(self):
        """Seq has no gaps and `at` never decreases, nor runs ahead of the clock."""
        events = self.log.events if hasattr(self, "log") else ()
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        instants = [event.at for event in events]
        assert instants == sorted(instants)
        assert not instants or instants[-1] <= self.clock.now()


def test_queue_and_model_give_the_same_answers():
    """A queue with heaps behaves like a list that is scanned, whatever is called when and by whom."""
    AgainstModel.met.clear()
    run_state_machine_as_test(AgainstModel, settings=STEADY)
    needed = [*ACCEPTED, *STALE, *UNKNOWN, *ILLEGAL, *STATUSES]
    assert [what for what in needed if not AgainstModel.met[what]] == [], "the walks never met these"


def test_a_log_rebuilds_whatever_happened():
    """Replay gives equal views, histories, dead letters and next token, and the events are well ordered."""
    AgainstReplay.met.clear()
    run_state_machine_as_test(AgainstReplay, settings=STEADY)
    kinds = ["submitted", "leased", "renewed", "completed", "failed", "lease_expired", "refused", "redriven"]
    needed = [*kinds, "retry_scheduled", "dead_lettered", "cancelled", "dropped"]
    assert [kind for kind in needed if not AgainstReplay.met[kind]] == [], "the walks never met these"
