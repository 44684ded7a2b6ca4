"""Each invariant is broken by a log that breaks it, and by no other: events made by hand, judged one by one."""

from __future__ import annotations

from typing import Any

import pytest

from jobqueue import Event, EventKind, Limits, RetryPolicy, WeightedBands
from jobqueue.simulation.promises import Promises
from jobqueue.simulation.watch import MOST_VIOLATIONS, Watch

PROMISES = Promises(
    RetryPolicy(3, 1000, 60_000),
    scheduler=WeightedBands("HL"),
    longest_lease_millis=5000,
)
SUBMIT = {"type": "mail", "run_at_millis": None, "priority": 0, "tenant": "default", "cost": 1}


class Story:
    """Tells events to a watch, and looks."""

    def __init__(self, promises: Promises = PROMISES) -> None:
        self.watch = Watch(promises)
        self._seq = 0

    def tell(self, at: int, kind: str, job: str = "J1", by: str | None = None, **detail: Any) -> Story:
        """Tell one event; generation and attempt are named where they count."""
        self._seq += 1
        generation, attempt = detail.pop("generation", 1), detail.pop("attempt", 1)
        if "shown" in detail:
            detail["token"] = detail.pop("shown")
        self.watch.see(Event(self._seq, at, EventKind(kind), job, by, attempt, generation, detail))
        return self

    def submit(self, job: str = "J1", at: int = 0, **more: Any) -> Story:
        """Tell of a submit."""
        return self.tell(at, "submitted", job, **(SUBMIT | more))

    def lease(self, at: int, until: int, token: str, by: str = "A", **more: Any) -> Story:
        """Tell of a hand-out."""
        job, _, generation = token.partition(":")
        numbers = {"generation": int(generation), "attempt": int(generation)} | more
        return self.tell(at, "leased", job, by, token=token, lease_until=until, types=None, **numbers)

    @property
    def broken(self) -> list[str]:
        """The invariants that were broken, in order."""
        return [found.invariant.name for found in self.watch.violations]


def held() -> Story:
    """A holds J1 from 0 until 5000."""
    return Story().submit().lease(0, 5000, "J1:1")


def retried(story: Story, at: int, run_at: int) -> Story:
    """The lease of J1 ended, and it rests."""
    return story.tell(at, "lease_expired", by="A", shown="J1:1").tell(at, "retry_scheduled", run_at=run_at)


def test_a_story_without_a_mistake_breaks_nothing() -> None:
    """Handed out, over, rested, handed out, done."""
    story = retried(held(), 5000, 6000).lease(6000, 11_000, "J1:2", "B")
    story.tell(7000, "completed", by="B", shown="J1:2", generation=2)
    story.watch.look(8000, {"J1": "SUCCEEDED"})
    assert story.broken == []


def test_overlapping_leases() -> None:
    """B gets the job while A has it; an attempt that nobody ended is a second finding."""
    story = held().lease(4999, 9000, "J1:2", "B")
    assert story.broken == ["one_worker", "one_ending"]
    assert "B gets J1 at 4.999 s, but A holds it until 5.0 s" in story.watch.violations[0].sentence
    assert held().lease(5000, 9000, "J1:2", "B").broken == ["one_ending"]


@pytest.mark.parametrize("kind", ["completed", "failed", "released"])
def test_a_report_with_another_token(kind: str) -> None:
    """Believed although the token is an older one, or the lease is over, or was never there."""
    second = retried(held(), 5000, 6000).lease(6000, 11_000, "J1:2", "B")
    assert second.tell(7000, kind, by="A", shown="J1:1").broken == ["current_lease"]
    assert held().tell(5000, kind, by="A", shown="J1:1").broken == ["current_lease"]
    assert held().tell(4999, kind, by="A", shown="J1:1").broken == []
    unheld = Story().submit().tell(1, kind, by="A", shown="J1:1")
    assert unheld.broken == ["current_lease", "one_ending"]


def test_a_renewal_of_a_lease_that_is_over() -> None:
    """At the instant of its end it is over; a renewal in time, no longer than asked, is fine."""
    renewed = {"by": "A", "shown": "J1:1"}
    assert held().tell(5000, "renewed", lease_until=10_000, **renewed).broken == ["current_lease"]
    assert held().tell(4000, "renewed", lease_until=9000, **renewed).broken == []


def test_lengths_of_leases() -> None:
    """Longer than anybody asked for, or shorter after a renewal than before."""
    renewed = {"by": "A", "shown": "J1:1"}
    assert held().tell(4000, "renewed", lease_until=9001, **renewed).broken == ["lease_length"]
    assert held().tell(4000, "renewed", lease_until=4999, **renewed).broken == ["lease_length"]
    assert Story().submit().lease(0, 5001, "J1:1").broken == ["lease_length"]


def test_tokens_and_generations() -> None:
    """A token again is found by the token, a generation that stands still by itself."""
    again = retried(held(), 5000, 6000).lease(6000, 9000, "J1:1", "B", attempt=2)
    assert again.broken == ["new_tokens"]
    other = retried(held(), 5000, 6000)
    other.tell(6000, "leased", by="B", shown="x", lease_until=9000, types=None, generation=1, attempt=2)
    assert other.broken == ["new_tokens"]


def test_an_expiry_with_another_date() -> None:
    """Neither later nor earlier than the end of the lease."""
    for at in (4999, 5001):
        assert retried(held(), at, at + 1000).broken == ["ends_in_time"]


def test_attempts() -> None:
    """Not one, two, three; more than allowed; given up too early; tried again after the last."""
    assert Story().submit().lease(0, 5000, "J1:1", attempt=2).broken == ["attempts_count"]
    few = held().tell(10, "failed", by="A", shown="J1:1", error="x")
    assert few.tell(10, "dead_lettered", reason="attempts_exhausted").broken == ["attempts_count"]
    one = Story(Promises(RetryPolicy(1, 1000, 1000))).submit().lease(0, 5000, "J1:1")
    one.tell(10, "failed", by="A", shown="J1:1", error="x").tell(10, "retry_scheduled", run_at=1010)
    assert one.broken == ["attempts_count"]
    assert one.lease(2000, 3000, "J1:2").broken == ["attempts_count"] * 2


def test_rests() -> None:
    """1000 after the first failure, no more and no less; without a policy there is no promise."""
    for run_at, broken in ((6000, []), (5999, ["rests"]), (7000, ["rests"])):
        assert retried(held(), 5000, run_at).broken == broken
    free = Story(Promises()).submit().lease(0, 5000, "J1:1")
    assert retried(free, 5000, 5000).broken == []


def test_looks() -> None:
    """A job that is nowhere, one too many, one in another state, one that runs on after its end."""
    for statuses, says in (
        ({}, "J1 was submitted, and now it is nowhere"),
        ({"J1": "RUNNING", "J2": "PENDING"}, "1 jobs were submitted and kept, and all states together hold 2"),
        ({"J1": "DEAD"}, "J1 is DEAD, but what happened to it leads to RUNNING"),
    ):
        story = held()
        story.watch.look(1000, statuses)
        assert [found.sentence for found in story.watch.violations] == [says]
    late = held()
    late.watch.look(4999, {"J1": "RUNNING"})
    assert late.broken == []
    for now in (5000, 5000, 6000):
        late.watch.look(now, {"J1": "RUNNING"})
    assert late.broken == ["ends_in_time"], "the same finding is kept once"
    assert (late.watch.violations[0].at, late.watch.violations[0].seq) == (5000, 2)


def test_dropped_jobs_are_not_missed() -> None:
    """What was forgotten on purpose is not lost."""
    story = held().tell(1, "completed", by="A", shown="J1:1").tell(1, "dropped")
    story.watch.look(2, {})
    assert story.broken == []


def test_bands_wait_no_longer_than_a_cycle() -> None:
    """With the cycle HL, two high hand-outs in a row while a low job waits are one too many."""

    def story(**low: Any) -> Story:
        told = Story().submit("J1", priority=-1, **low)
        for number in (2, 3, 4):
            told.submit(f"J{number}", priority=1)
        return told

    assert story().lease(0, 1, "J2:1").lease(0, 1, "J3:1").broken == ["bands_get_slots"]
    assert story(run_at_millis=10).lease(0, 1, "J2:1").lease(0, 1, "J3:1").broken == []
    paused = story().tell(0, "paused", job="", type="mail")
    assert paused.lease(0, 1, "J2:1").lease(0, 1, "J3:1").broken == []


def test_tenants_wait_no_longer_than_a_turn() -> None:
    """Two of a's jobs while b waits; b's first job is due only after the first of them."""

    def story(due: int) -> Story:
        told = Story().submit("J1", tenant="b", run_at_millis=due)
        return told.submit("J2", tenant="a").submit("J3", tenant="a").submit("J4", tenant="a")

    two = story(0).lease(0, 1, "J2:1").lease(5, 6, "J3:1")
    assert two.broken == ["tenants_take_turns"]
    late = story(3).lease(0, 1, "J2:1").lease(5, 6, "J3:1")
    assert late.broken == []
    assert late.lease(5, 6, "J4:1").broken == ["tenants_take_turns"]


def test_limits() -> None:
    """One more than a tenant or a band may have running."""
    for limits in (Limits(max_running_per_tenant=1), Limits(max_running_per_band={"N": 1})):
        story = Story(Promises(limits=limits)).submit("J1").submit("J2")
        assert story.lease(0, 10, "J1:1").lease(0, 10, "J2:1").broken == ["limits_hold"]


def test_violations_are_bounded() -> None:
    """A queue that does nothing right fills no memory."""
    story = Story().submit()
    for at in range(MOST_VIOLATIONS + 50):
        story.tell(at, "completed", by="A", shown="x")
    assert len(story.broken) == MOST_VIOLATIONS
