"""The queue against a naive model of it, and against the replay of its own log, on random walks."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar

from hypothesis import settings
from hypothesis.stateful import invariant, precondition, run_state_machine_as_test

from tests.properties.operators_walk import OperatorsWalk
from tests.properties.random_walk import all_seen, answer_of

if TYPE_CHECKING:
    from jobqueue import JobQueue

# Fixed examples, 200 in all: a failure shows on every machine, and a pass means the same walks everywhere.
STEADY = settings(stateful_step_count=60, derandomize=True, deadline=None)

STALE = [
    (operation, "StaleTokenError", reason)
    for operation in ("complete", "fail", "renew", "release")
    for reason in ("stale_generation", "lease_expired", "wrong_state")
]
UNKNOWN = [
    (operation, "UnknownJobError", None)
    for operation in ("complete", "fail", "renew", "release", "cancel", "retry_dead", "redrive")
]
ILLEGAL = [(operation, "IllegalStateError", None) for operation in ("cancel", "retry_dead", "redrive")]
REFUSED = [
    *(("submit", "AdmissionError", None), ("submit", "ValueError", None), ("redrive", "ValueError", None)),
    ("submit_once", "ValueError", None),
    ("submit_once", "RequestKeyConflictError", None),
]
ACCEPTED = [
    *("submit", "submit_once", "poll", "poll in vain", "poll_many", "complete", "fail", "renew", "release"),
    *("cancel", "retry_dead", "redrive", "redrive_many", "prune", "pause", "resume", "sweep"),
]
STATUSES = ["PENDING", "RUNNING", "SUCCEEDED", "DEAD", "CANCELLED", "forgotten"]
REASONS = ["permanent", "attempts_exhausted", "deadline", "budget"]


def leases_until_none(queue: JobQueue) -> list[Any]:
    """Poll until nothing is eligible, and complete each second lease, so that limits open again."""
    leases: list[Any] = []
    while (lease := answer_of(lambda: queue.poll("w", 1000))) is not None:
        leases.append(lease)
        if len(leases) % 2:
            queue.complete(lease["job_id"], lease["token"])
    return leases


class AgainstModel(OperatorsWalk):
    """After every step, queue and model must show the same."""

    met: ClassVar[Counter[Any]] = Counter()

    @precondition(lambda self: hasattr(self, "queue"))
    @invariant()
    def queue_and_model_show_the_same(self) -> None:
        """Compare what comes next, then all views, payloads, histories, dead letters, redrives and figures."""
        now = self.clock.now()
        coming = self.queue.next_up(8)
        assert coming == self.model.next_up(now, 8)
        shown = all_seen(self.queue, self.model.submitted)
        assert shown == self.model.everything(now)
        for job_id in [job.id for job in self.model.jobs]:
            answer = self.queue.why_not(job_id)
            assert "\n" not in answer
            assert (answer == "it is next") is (job_id in coming[:1]), answer
        views = [seen[0] if seen else None for name, seen in shown.items() if name.startswith("J")]
        self.met.update(view["status"].value if view else "forgotten" for view in views)
        self.met.update(view[name] for view in views if view for name in ("dead_reason", "hold"))


class AgainstReplay(OperatorsWalk):
    """At the end of a walk, what the log rebuilds must be what the queue has become."""

    met: ClassVar[Counter[Any]] = Counter()

    def teardown(self) -> None:
        """Replay the log at this instant, before the queue itself is asked, and lead the copies on."""
        if not hasattr(self, "queue"):
            return
        jobs = self.model.submitted
        copy = self.log.replay(self.clock.now())
        assert all_seen(copy, jobs) == all_seen(self.queue, jobs)
        assert copy.next_up(8) == self.queue.next_up(8)
        for queue in (copy, self.queue):
            queue.pause("nothing")  # so that the last event is of this instant
        copy_at_last_event = self.log.replay()
        assert all_seen(copy_at_last_event, jobs) == all_seen(self.queue, jobs)
        hand_outs = [leases_until_none(queue) for queue in (copy, copy_at_last_event, self.queue)]
        assert hand_outs[0] == hand_outs[1] == hand_outs[2]
        self.met["last hand-outs"] += len(hand_outs[0])
        self.met.update(event.kind.value for event in self.log.events)

    @invariant()
    def events_are_numbered_and_in_order(self) -> None:
        """Seq has no gaps and `at` never decreases, nor runs ahead of the clock."""
        events = self.log.events if hasattr(self, "log") else ()
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        instants = [event.at for event in events]
        assert instants == sorted(instants)
        assert not instants or instants[-1] <= self.clock.now()


def test_queue_and_model_give_the_same_answers() -> None:
    """A queue with heaps behaves like a list that is scanned, whatever is called when and by whom."""
    AgainstModel.met.clear()
    run_state_machine_as_test(AgainstModel, settings=settings(STEADY, max_examples=130))
    needed = [*ACCEPTED, *STALE, *UNKNOWN, *ILLEGAL, *REFUSED, *STATUSES, *REASONS]
    assert [what for what in needed if not AgainstModel.met[what]] == [], "the walks never met these"


def test_a_log_rebuilds_whatever_happened() -> None:
    """Replay gives equal views, histories, dead letters and next token, and the events are well ordered."""
    AgainstReplay.met.clear()
    run_state_machine_as_test(AgainstReplay, settings=settings(STEADY, max_examples=70))
    kinds = ["submitted", "leased", "renewed", "released", "completed", "failed", "lease_expired", "refused"]
    kinds += ["retry_scheduled", "dead_lettered", "redriven", "cancelled", "dropped", "paused", "resumed"]
    assert [kind for kind in [*kinds, "last hand-outs"] if not AgainstReplay.met[kind]] == [], "never met"
