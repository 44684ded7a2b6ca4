"""What is still there when a store is closed and opened again, or opened twice."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import (
    EventLog,
    JobQueue,
    ManualClock,
    RetryPolicy,
    StaleTokenError,
    UnknownJobError,
    WeightedBands,
)
from tests.contract.observing import everything, outcome, polled, polled_ids, submit_as
from tests.durable.conftest import POLICY

if TYPE_CHECKING:
    from tests.databases import Place

ONE_TRY = RetryPolicy(1, 1000, 60_000)


def test_everything_is_as_it_was(place: Place, clock: ManualClock) -> None:
    """Views, payloads, histories, dead letters, redrives and the figures of the store."""
    queue = place.open(clock, ONE_TRY)
    for status in ("SUCCEEDED", "DEAD", "CANCELLED", "DEAD"):
        submit_as(queue, status)
    queue.redrive("J2", actor="ann", note="again", payload="new")
    queue.submit_once("k", "fax", "text", 3, tenant="acme", deadline_millis=90_000, cost=7)
    before = everything(queue, submitted=5), queue.redrives("J2"), replace(queue.stats(), actual_share={})
    queue.close()
    again = place.open(clock, ONE_TRY)
    assert (everything(again, submitted=5), again.redrives("J2"), again.stats()) == before
    assert again.submit_once("k", "fax", "text", 3, tenant="acme", deadline_millis=90_000, cost=7).replayed
    assert polled_ids(again) == ["J5", "J2"]
    assert again.submit("mail") == "J6"


def test_a_lease_goes_on_to_its_stored_end(place: Place, clock: ManualClock) -> None:
    """The end is an instant that was promised, whatever lease the next process would give."""
    polled(submitted(place.open(clock, POLICY)), "a", 1000)
    clock.advance_to(999)
    queue = place.open(clock, POLICY)
    assert queue.view("J1").lease_until == 1000
    clock.advance_to(1000)
    assert queue.poll("b", 60_000) is None
    assert (queue.view("J1").status, queue.view("J1").next_run_at) == ("PENDING", 2000)
    clock.advance_to(2000)
    lease = polled(queue, "b", 60_000)
    assert (lease.attempt, lease.generation, lease.lease_until) == (2, 2, 62_000)


def test_a_worker_of_the_same_name_keeps_nothing_alive(place: Place, clock: ManualClock) -> None:
    """After a restart under the old name, only the token counts."""
    polled(submitted(place.open(clock, POLICY)), "w", 1000)
    queue = place.open(clock, POLICY)
    queue.submit("mail")
    lease = polled(queue, "w", 1000)
    for instant in (200, 400, 600, 800):
        clock.advance_to(instant)
        queue.renew(lease.job_id, lease.token, 1000)
    clock.advance_to(1000)
    assert [queue.view(job_id).status for job_id in ("J1", "J2")] == ["PENDING", "RUNNING"]


def test_an_attempt_counts_before_any_work(place: Place, clock: ManualClock) -> None:
    """A second connection sees it as soon as the poll has returned."""
    polled(submitted(place.open(clock, POLICY)))
    other = place.open(clock, POLICY)
    assert (other.view("J1").status, other.view("J1").attempts, len(other.history("J1"))) == ("RUNNING", 1, 1)


def test_a_token_is_good_on_any_connection(place: Place, clock: ManualClock) -> None:
    """Whoever holds it may report; after that nobody may."""
    one, two = place.open(clock, POLICY), place.open(clock, POLICY)
    lease = polled(submitted(one))
    two.complete("J1", lease.token, "done")
    with pytest.raises(StaleTokenError):
        one.complete("J1", lease.token)
    assert (one.view("J1").result, one.stats().attempts_succeeded) == ("done", 1)


def test_a_pause_survives_and_counts_for_all(place: Place, clock: ManualClock) -> None:
    """Pausing on one connection stops hand-outs on the other and after a restart; the order is kept."""
    one, two = place.open(clock, POLICY), place.open(clock, POLICY)
    for priority in (0, 2, 1):
        one.submit("mail", priority=priority)
    one.submit("fax", priority=-1)
    one.pause("mail")
    assert two.paused() == ["mail"]
    assert polled_ids(two) == ["J4"]
    one.close()
    again = place.open(clock, POLICY)
    assert (again.paused(), again.poll("w", 1000)) == (["mail"], None)
    again.resume("mail")
    assert polled_ids(again) == ["J2", "J3", "J1"]


def test_what_is_recovered_stays_paused(place: Place, clock: ManualClock) -> None:
    """A lease that ends while its type is paused leads to a retry that waits for the resume."""
    queue = submitted(place.open(clock, POLICY))
    polled(queue, lease_millis=1000)
    clock.advance_to(500)
    queue.pause("mail")
    for instant, status in ((1000, "PENDING"), (2000, "PENDING"), (90_000, "PENDING")):
        clock.advance_to(instant)
        assert (place.open(clock, POLICY).poll("w", 1000), queue.view("J1").status) == (None, status)
    assert queue.view("J1").next_run_at == 2000
    queue.resume("mail")
    assert polled_ids(queue) == ["J1"]


def test_redriven_jobs_wait_with_the_others_while_paused(place: Place, clock: ManualClock) -> None:
    """10 PENDING and 5 brought back are 15 ready; after the resume 15 succeed."""
    queue = place.open(clock, ONE_TRY)
    for _ in range(5):
        submit_as(queue, "DEAD")
    for _ in range(10):
        queue.submit("mail")
    queue.pause("mail")
    queue.redrive_many([f"J{n}" for n in range(1, 6)], actor="ann", note="")
    assert (queue.stats().by_status["PENDING"], queue.stats().running) == (15, 0)
    again = place.open(clock, ONE_TRY)
    again.resume("mail")
    while (lease := again.poll("w", 1000)) is not None:
        again.complete(lease.job_id, lease.token)
    assert queue.stats().by_status["SUCCEEDED"] == 15


def test_a_cancelled_job_stays_cancelled(place: Place, clock: ManualClock) -> None:
    """Whether ready or waiting for a retry: no sweep, restart or poll brings it back, and its history stays."""
    queue = place.open(clock, POLICY)
    for _ in range(3):
        queue.submit("mail")
    queue.fail("J1", polled(queue).token, "boom")
    queue.cancel("J2")
    clock.advance_to(500)
    queue.cancel("J1")
    clock.advance_to(5000)
    queue.sweep()
    again = place.open(clock, POLICY)
    assert polled_ids(again) == ["J3"]
    assert [again.view(job_id).status for job_id in ("J1", "J2")] == ["CANCELLED", "CANCELLED"]
    assert [row.outcome for row in again.history("J1")] == ["failed"]


def test_a_number_is_not_given_twice_although_its_job_was_dropped(place: Place, clock: ManualClock) -> None:
    """Also if the newest job is forgotten before the restart."""
    queue = place.open(clock, POLICY, keep_finished=0)
    queue.cancel(queue.submit("mail"))
    with pytest.raises(UnknownJobError):
        queue.view("J1")
    assert place.open(clock, POLICY).submit("mail") == "J2"


def test_totals_count_what_was_dropped_and_what_others_did(place: Place, clock: ManualClock) -> None:
    """Attempts by how they went, over all connections and since ever."""
    queue = place.open(clock, RetryPolicy(5, 0, 0), keep_finished=0)
    other = place.open(clock, RetryPolicy(5, 0, 0), keep_finished=0)
    for number in range(1, 4):
        queue.submit("mail")
        other.fail(f"J{number}", polled(other).token)
        polled(queue, lease_millis=10)
        clock.advance(10)
        queue.complete(f"J{number}", polled(queue).token)
    stats = place.open(clock, POLICY).stats()
    assert (stats.attempts_started, stats.attempts_failed, stats.attempts_expired) == (9, 3, 3)
    assert (stats.attempts_succeeded, stats.attempt_amplification, stats.by_status["SUCCEEDED"]) == (3, 3.0, 0)


def test_redrives_are_counted_for_all_objects_together(place: Place, clock: ManualClock) -> None:
    """Also those of jobs that are forgotten since, and those without an actor."""
    queue, other = (place.open(clock, RetryPolicy(1, 0, 0), keep_finished=0) for _ in range(2))
    for number in range(1, 4):
        queue.submit("mail")
        queue.fail(f"J{number}", polled(queue).token)
    queue.redrive("J1", actor="ann", note="")
    other.retry_dead("J2")
    other.redrive_many(["J3"], actor="ann", note="")
    queue.complete("J1", polled(queue).token)
    assert (queue.stats().redrives, other.stats().redrives, queue.stats().by_status["SUCCEEDED"]) == (3, 3, 0)


def test_time_begins_at_the_newest_instant_that_is_stored(place: Place) -> None:
    """A clock that was set back between two runs makes no job too early, and revives no lease."""
    queue = submitted(place.open(ManualClock(50_000), POLICY))
    polled(queue, lease_millis=1000)
    again = place.open(ManualClock(10), POLICY)
    again.submit("mail")
    assert again.view("J2").submitted_at == 50_000
    assert again.view("J1").lease_until == 51_000


def test_a_clock_that_wanders_loses_no_job_and_makes_no_second_lease(place: Any) -> None:
    """10 restarts with clocks that go back and forth: a job never has two leases, and all come to their end."""
    draw, live = random.Random(7), {}  # type: ignore[var-annotated]  # noqa: S311 - the same disorder each time
    queue = place.open(ManualClock(0), RetryPolicy(50, 100, 1000))
    for _ in range(12):
        queue.submit("mail", run_at_millis=draw.randrange(4000))
    for _ in range(10):
        clock = ManualClock(draw.randrange(20_000))
        queue = place.open(clock, RetryPolicy(50, 100, 1000))
        for _ in range(30):
            clock.advance(draw.randrange(300))
            lease = queue.poll("w", draw.randrange(1, 900))
            if lease is not None:
                assert live.get(lease.job_id, 0) < lease.generation
                live[lease.job_id] = lease.generation
                if draw.random() < 0.3:
                    outcome(queue.complete, lease.job_id, lease.token)
    last = place.open(ManualClock(10**7), RetryPolicy(50, 100, 1000))
    while (lease := last.poll("w", 1000)) is not None:
        last.complete(lease.job_id, lease.token)
    assert last.stats().by_status["SUCCEEDED"] == 12
    for number in range(1, 13):
        rows = last.history(f"J{number}")
        assert all(early.ended_at <= late.started_at for early, late in pairwise(rows))


def test_another_aging_places_ready_jobs_anew(place: Place, clock: ManualClock) -> None:
    """A store is not bound to the options that it was first opened with."""
    queue = place.open(clock, POLICY)
    queue.submit("mail", priority=-1)
    clock.advance_to(130_000)
    queue.submit("mail")
    aged = place.open(clock, POLICY, scheduler=WeightedBands("N", aging_millis=60_000))
    assert (aged.next_up(2), aged.why_not("J1")) == (
        ["J2", "J1"],
        "band L, aged to H has no slot, and others have work",
    )
    plain = place.open(clock, POLICY)
    assert plain.next_up(2) == ["J2", "J1"]


def test_a_log_that_began_later_does_not_pretend_to_know_what_was_before(
    place: Place, clock: ManualClock
) -> None:
    """A replay of it is refused."""
    submitted(place.open(clock, POLICY))
    log = EventLog()
    place.open(clock, POLICY, log=log).cancel("J1")
    with pytest.raises(ValueError, match="had jobs before this log"):
        log.replay()


def test_a_closed_queue_connects_again(place: Place, clock: ManualClock) -> None:
    """Closing lets go of the connection, not of the queue; a with statement closes too."""
    with place.open(clock, POLICY) as queue:
        queue.submit("mail")
    queue.close()
    assert queue.view("J1").status == "PENDING"


def submitted(queue: JobQueue) -> Any:
    """Submit one job, and return the queue."""
    queue.submit("mail")
    return queue
