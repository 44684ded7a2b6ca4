"""How long a job belongs to a worker, and what happens when that time is over."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from jobqueue import EventLog, JobQueue, Lease, ManualClock, RetryPolicy, StaleTokenError
from tests.contract.observing import everything, outcome, polled, polled_ids

pytestmark = pytest.mark.over_http

OPERATIONS = {
    "submit": lambda queue: queue.submit("mail"),
    "poll": lambda queue: queue.poll("w", 1000),
    "poll for other types": lambda queue: queue.poll("w", 1000, types=["other"]),
    "complete": lambda queue: queue.complete("J2", "J2:9"),
    "fail": lambda queue: queue.fail("J2", "J2:9"),
    "renew": lambda queue: queue.renew("J2", "J2:9", 1000),
    "view": lambda queue: queue.view("J2"),
    "payload": lambda queue: queue.payload("J2"),
    "history": lambda queue: queue.history("J2"),
    "dead_letters": lambda queue: queue.dead_letters(),
    "retry_dead": lambda queue: queue.retry_dead("J2"),
    "cancel": lambda queue: queue.cancel("J2"),
    "sweep": lambda queue: queue.sweep(),
    "an unknown id": lambda queue: queue.view("J99"),
}


def test_a_lease_carries_all_that_a_worker_needs(queue: JobQueue, clock: ManualClock) -> None:
    """The worker gets the job, its token, its attempt and the end of its lease, and needs no second call."""
    clock.advance_to(250)
    queue.submit("mail", "hello", tenant="acme")
    assert queue.poll("worker-a", 5000) == Lease(
        job_id="J1",
        token="J1:1",  # noqa: S106 - a token fences, it is no secret
        type="mail",
        payload="hello",
        attempt=1,
        lease_until=5250,
        generation=1,
        worker_id="worker-a",
        tenant="acme",
        checkpoint=None,
    )


def test_an_attempt_counts_from_the_hand_out(queue: JobQueue) -> None:
    """A worker that dies without a word has still used up an attempt."""
    queue.submit("mail")
    polled(queue)
    assert (queue.view("J1").status, queue.view("J1").attempts) == ("RUNNING", 1)


def test_a_lease_is_valid_until_just_before_its_end(queue: Any, clock: Any) -> None:
    """A lease of 1000 from 0 still counts at 999."""
    queue.submit("mail")
    token = polled(queue, lease_millis=1000).token
    clock.advance_to(999)
    assert queue.complete("J1", token) is None
    assert queue.view("J1").status == "SUCCEEDED"


@pytest.mark.parametrize(
    "call",
    [
        lambda queue: queue.complete("J1", "J1:1"),
        lambda queue: queue.fail("J1", "J1:1", "x"),
        lambda queue: queue.renew("J1", "J1:1", 1000),
    ],
    ids=["complete", "fail", "renew"],
)
def test_at_its_end_a_lease_is_over_although_nobody_else_came(
    queue: JobQueue, clock: ManualClock, call: Any
) -> None:
    """The old holder is refused from lease_until on, also when no other call came in between."""
    queue.submit("mail")
    polled(queue, lease_millis=1000)
    clock.advance_to(1000)
    with pytest.raises(StaleTokenError) as refusal:
        call(queue)
    assert refusal.value.reason == "lease_expired"
    view = queue.view("J1")
    assert (view.status, view.attempts, view.next_run_at) == ("PENDING", 1, 2000)
    assert view.last_error == "lease expired"
    assert [(row.attempt, row.ended_at) for row in queue.history("J1")] == [(1, 1000)]


def test_a_poll_at_the_instant_settles_the_expiry_first(queue: JobQueue, clock: ManualClock) -> None:
    """At lease_until the job waits for its backoff; the poll that notices does not get it."""
    queue.submit("mail")
    polled(queue, lease_millis=1000)
    clock.advance_to(1000)
    assert queue.poll("v", 1000) is None
    assert (queue.view("J1").status, queue.view("J1").next_run_at) == ("PENDING", 2000)


def test_a_late_poll_counts_the_backoff_from_the_end_of_the_lease(queue: JobQueue, clock: ManualClock) -> None:
    """The attempt failed at lease_until, not when somebody noticed."""
    queue.submit("mail")
    polled(queue, lease_millis=5000)
    clock.advance_to(60_000)
    lease = polled(queue, lease_millis=5000)
    assert (lease.job_id, lease.attempt, lease.lease_until) == ("J1", 2, 65_000)
    assert queue.view("J1").next_run_at == 6000


def test_two_late_expiries_queue_up_by_the_ends_of_their_leases(queue: JobQueue, clock: ManualClock) -> None:
    """Whose lease ended first is due first, although both were noticed at once."""
    queue.submit("mail")
    queue.submit("mail")
    polled(queue, lease_millis=9000)
    polled(queue, lease_millis=5000)
    clock.advance_to(20_000)
    first, second = polled(queue), polled(queue)
    assert (first.job_id, queue.view("J2").next_run_at) == ("J2", 6000)
    assert (second.job_id, queue.view("J1").next_run_at) == ("J1", 10_000)


@pytest.mark.not_over_http("events stay where the queue is")
def test_what_is_due_is_settled_by_instant_then_by_submission_order(
    queue: JobQueue, clock: ManualClock, log: EventLog
) -> None:
    """Leases that end at one instant are settled in submission order, not in the order of hand-out."""
    for priority in (0, 1, 2):
        queue.submit("mail", priority=priority)
    polled(queue, lease_millis=2000)
    polled(queue, lease_millis=1000)
    polled(queue, lease_millis=2000)
    clock.advance_to(9000)
    queue.sweep()
    expiries = [(event.at, event.job_id) for event in log.events if event.kind == "lease_expired"]
    assert expiries == [(1000, "J2"), (2000, "J1"), (2000, "J3")]


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.not_over_http("events stay where the queue is")
def test_every_operation_first_settles_what_is_due(
    queue: JobQueue, clock: ManualClock, log: EventLog, name: str
) -> None:
    """Whoever touches the queue first after the end of a lease finds the expiry settled, refused or not."""
    queue.submit("mail")
    queue.submit("mail", run_at_millis=500_000)
    polled(queue, lease_millis=1000)
    clock.advance_to(1000)
    settled_before = len(log.events)
    outcome(OPERATIONS[name], queue)
    events = [(event.kind, event.job_id, event.at) for event in log.events[settled_before:]]
    assert events[:2] == [("lease_expired", "J1", 1000), ("retry_scheduled", "J1", 1000)]


@pytest.mark.parametrize("name", [name for name in OPERATIONS if name != "poll"])
def test_no_operation_settles_a_lease_that_still_runs(queue: JobQueue, clock: ManualClock, name: str) -> None:
    """One millisecond before its end the lease is untouched by whatever others do."""
    queue.submit("mail")
    queue.submit("mail", run_at_millis=500_000)
    polled(queue, lease_millis=1000)
    clock.advance_to(999)
    outcome(OPERATIONS[name], queue)
    assert (queue.view("J1").status, queue.view("J1").lease_until) == ("RUNNING", 1000)


@pytest.mark.parametrize("look", ["view", "history", "dead_letters"])
def test_nobody_sees_a_running_job_whose_lease_is_over(
    one_try: JobQueue, clock: ManualClock, look: Any
) -> None:
    """Looking at a job shows it as time has left it, also when nobody polled or swept."""
    one_try.submit("mail")
    polled(one_try, lease_millis=1000)
    clock.advance_to(1000)
    if look == "view":
        assert one_try.view("J1").status == "DEAD"
    elif look == "history":
        assert [row.outcome for row in one_try.history("J1")] == ["expired"]
    else:
        assert [view.id for view in one_try.dead_letters()] == ["J1"]


def test_sweep_says_how_many_leases_it_ended(queue: JobQueue, clock: ManualClock) -> None:
    """Sweep counts what it settled itself, once."""
    for _ in range(3):
        queue.submit("mail")
    for lease_millis in (1000, 2000, 3000):
        polled(queue, lease_millis=lease_millis)
    clock.advance_to(999)
    assert queue.sweep() == 0
    clock.advance_to(2000)
    assert queue.sweep() == 2
    assert queue.sweep() == 0
    clock.advance_to(3000)
    queue.view("J3")
    assert queue.sweep() == 0


def test_sweep_does_nothing_else(queue: JobQueue, clock: ManualClock) -> None:
    """A job that came due is no business of sweep: it is neither counted nor handed out."""
    queue.submit("mail", run_at_millis=100)
    queue.submit("mail")
    clock.advance_to(5000)
    before = everything(queue, submitted=2)
    assert queue.sweep() == 0
    assert everything(queue, submitted=2) == before
    assert polled_ids(queue) == ["J2", "J1"]


@pytest.mark.parametrize(
    ("renewed_at", "lease_millis", "lease_until"),
    [(0, 1000, 2000), (0, 2000, 2000), (0, 2001, 2001), (1500, 2000, 3500), (1999, 1, 2000), (1999, 2, 2001)],
)
def test_renew_reaches_from_now_and_never_shortens(
    queue: JobQueue, clock: ManualClock, renewed_at: Any, lease_millis: Any, lease_until: Any
) -> None:
    """lease_until becomes max(old, now + lease), never old + lease."""
    queue.submit("mail")
    lease = polled(queue, "a", 2000)
    clock.advance_to(renewed_at)
    renewed = queue.renew("J1", lease.token, lease_millis)
    assert renewed.lease_until == queue.view("J1").lease_until == lease_until
    assert (renewed.token, renewed.attempt, renewed.generation) == (lease.token, 1, 1)
    assert (renewed.worker_id, renewed.payload, renewed.type) == ("a", "", "mail")


def test_the_renewed_end_is_the_one_that_counts(queue: JobQueue, clock: ManualClock) -> None:
    """After a renewal the old end passes without effect, and the new end is as sharp as the old one was."""
    queue.submit("mail")
    token = polled(queue, lease_millis=2000).token
    clock.advance_to(1500)
    queue.renew("J1", token, 2000)
    clock.advance_to(2500)
    assert queue.sweep() == 0
    assert queue.renew("J1", token, 1000).lease_until == 3500
    clock.advance_to(3500)
    with pytest.raises(StaleTokenError):
        queue.complete("J1", token)
    assert queue.view("J1").next_run_at == 4500


def test_a_job_completed_in_its_renewed_time_is_done(queue: JobQueue, clock: ManualClock) -> None:
    """The check looks at the end as renewed, not at the end as first promised."""
    queue.submit("mail")
    token = polled(queue, lease_millis=2000).token
    clock.advance_to(1500)
    queue.renew("J1", token, 2000)
    clock.advance_to(3499)
    queue.complete("J1", token)
    assert queue.view("J1").status == "SUCCEEDED"


def test_nothing_happens_at_the_end_of_a_lease_that_was_completed(queue: JobQueue, clock: ManualClock) -> None:
    """A success is final: no clean-up finds the old lease later."""
    queue.submit("mail")
    token = polled(queue, lease_millis=1000).token
    clock.advance_to(900)
    queue.complete("J1", token)
    for instant in (1000, 5000, 10**9):
        clock.advance_to(instant)
        assert queue.sweep() == 0
    assert (queue.view("J1").status, queue.view("J1").last_error) == ("SUCCEEDED", None)
    assert [row.outcome for row in queue.history("J1")] == ["succeeded"]


def test_the_end_of_an_earlier_lease_does_not_touch_a_later_one(queue: JobQueue, clock: ManualClock) -> None:
    """The long lease of a failed attempt ends in the middle of the next attempt, without effect."""
    queue.submit("mail")
    queue.fail("J1", polled(queue, lease_millis=10_000).token)
    clock.advance_to(1000)
    polled(queue, lease_millis=20_000)
    clock.advance_to(10_000)
    assert queue.sweep() == 0
    assert (queue.view("J1").status, queue.view("J1").lease_until) == ("RUNNING", 21_000)


def test_a_lease_end_that_was_put_off_twice_expires_once(queue: JobQueue, clock: ManualClock) -> None:
    """However often a lease was renewed, its end is one failure and no more."""
    queue.submit("mail")
    token = polled(queue, lease_millis=100).token
    for instant in (50, 60, 70):
        clock.advance_to(instant)
        queue.renew("J1", token, 100)
    clock.advance_to(10_000)
    assert queue.sweep() == 1
    assert [row.ended_at for row in queue.history("J1")] == [170]
    assert queue.view("J1").next_run_at == 1170


@pytest.mark.parametrize("max_attempts", [1, 3])
def test_an_expiry_is_like_a_failure_reported_at_that_instant(
    make_queue: Any, clock: Any, max_attempts: Any
) -> None:
    """Only the outcome in the history tells a lease that ran out from a failure reported at its end."""
    policy = RetryPolicy(max_attempts, 1000, 60_000)
    silent, honest = make_queue(clock, policy), make_queue(clock, policy)
    for queue in (silent, honest):
        queue.submit("mail")
    polled(silent, "a", 1000)
    token = polled(honest, "a", 9000).token
    clock.advance_to(1000)
    honest.fail("J1", token, "lease expired")
    clock.advance_to(5000)
    assert silent.view("J1") == honest.view("J1")
    assert silent.dead_letters() == honest.dead_letters()
    (ran_out,), (reported,) = silent.history("J1"), honest.history("J1")
    assert (ran_out.outcome, reported.outcome) == ("expired", "failed")
    assert replace(ran_out, outcome="failed") == reported


def test_a_lease_that_ends_at_the_instant_zero_ends_there(make_queue: Any, log: Any) -> None:
    """Zero is an instant like any other: a renewal of another job settles it first."""
    clock = ManualClock(-10)
    queue = make_queue(clock, RetryPolicy(3, 1000, 60_000), log=log)
    for lease_millis in (10, 50):
        queue.submit("mail")
        lease = queue.poll("w", lease_millis)
    clock.advance_to(10)
    queue.renew("J2", lease.token, 1000)
    told = [(event.kind, event.job_id, event.at) for event in log.events[-3:]]
    assert told == [("lease_expired", "J1", 0), ("retry_scheduled", "J1", 0), ("renewed", "J2", 10)]
