"""Jobs that are worth nothing after an instant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import EventLog, IllegalStateError, JobQueue, ManualClock, RetryPolicy
from tests.contract.observing import polled

if TYPE_CHECKING:
    from collections.abc import Callable


def dead(queue: JobQueue, job_id: str = "J1") -> Any:
    """Return what a dead letter says of its death."""
    view = queue.view(job_id)
    return view.status, view.dead_reason, view.failed_at


@pytest.mark.parametrize(
    ("now", "run_at", "deadline"), [(100, None, 100), (100, None, 99), (0, 500, 500), (0, 500, 1)]
)
def test_a_deadline_that_leaves_no_time_to_start_is_refused(
    queue: JobQueue, clock: ManualClock, now: Any, run_at: Any, deadline: Any
) -> None:
    """It must be later than now and later than run_at; the refused submit uses up no id."""
    clock.advance_to(now)
    with pytest.raises(ValueError, match="deadline_millis"):
        queue.submit("mail", run_at_millis=run_at, deadline_millis=deadline)
    assert queue.submit("mail", run_at_millis=run_at, deadline_millis=501) == "J1"
    assert queue.view("J1").deadline == 501


def test_a_job_that_nobody_started_dies_at_its_deadline(queue: JobQueue, clock: ManualClock) -> None:
    """At the very instant, not before, and without anybody's poll."""
    queue.submit("mail", deadline_millis=4000)
    clock.advance_to(3999)
    assert queue.view("J1").status == "PENDING"
    clock.advance_to(4000)
    assert queue.sweep() == 1
    assert dead(queue) == ("DEAD", "deadline", 4000)
    assert (queue.view("J1").attempts, queue.view("J1").last_error) == (0, None)
    assert queue.sweep() == 0


def test_a_deadline_noticed_late_was_still_missed_on_time(queue: JobQueue, clock: ManualClock) -> None:
    """failed_at is the deadline, whenever somebody looks; a poll hands the job to nobody."""
    queue.submit("mail", deadline_millis=4000)
    clock.advance_to(60_000)
    assert queue.poll("w", 1000) is None
    assert dead(queue) == ("DEAD", "deadline", 4000)
    assert [view.id for view in queue.dead_letters()] == ["J1"]


def test_a_poll_just_before_the_deadline_is_in_time(queue: JobQueue, clock: ManualClock) -> None:
    """Intervals are half-open: at 3999 it can start, at 4000 it cannot."""
    queue.submit("mail", deadline_millis=4000)
    clock.advance_to(3999)
    assert polled(queue).job_id == "J1"


def test_nothing_happens_to_a_running_job_at_its_deadline(queue: JobQueue, clock: ManualClock) -> None:
    """Who has started may finish: renewals and the completion go on."""
    queue.submit("mail", deadline_millis=4000)
    token = polled(queue, lease_millis=3000).token
    clock.advance_to(2000)
    queue.renew("J1", token, 3000)
    clock.advance_to(4500)
    assert queue.view("J1").status == "RUNNING"
    queue.renew("J1", token, 3000)
    clock.advance_to(6000)
    queue.complete("J1", token)
    assert queue.view("J1").status == "SUCCEEDED"


def test_a_deadline_survives_every_retry(queue: JobQueue, clock: ManualClock) -> None:
    """After a failure it is the same; a failure whose retry would come too late is the last."""
    queue.submit("mail", deadline_millis=5000)
    clock.advance_to(1000)
    queue.fail("J1", polled(queue).token, "first")
    assert (queue.view("J1").next_run_at, queue.view("J1").deadline) == (2000, 5000)
    clock.advance_to(4500)
    queue.fail("J1", polled(queue).token, "second")
    assert dead(queue) == ("DEAD", "deadline", 4500)
    assert (queue.view("J1").attempts, queue.view("J1").last_error) == (2, "second")


@pytest.mark.parametrize(("deadline", "status"), [(1001, "PENDING"), (1000, "DEAD"), (999, "DEAD")])
def test_a_retry_that_could_only_start_at_the_deadline_is_too_late(
    queue: JobQueue, deadline: Any, status: str
) -> None:
    """With a rest of 1000, a deadline of 1001 leaves one millisecond."""
    queue.submit("mail", deadline_millis=deadline)
    queue.fail("J1", polled(queue).token)
    assert queue.view("J1").status == status


def test_an_expiry_is_a_failure_at_the_end_of_the_lease(queue: JobQueue, clock: ManualClock) -> None:
    """The retry's start counts from there, and so does the death."""
    queue.submit("mail", deadline_millis=4000)
    polled(queue, lease_millis=3000)
    clock.advance_to(90_000)
    assert dead(queue) == ("DEAD", "deadline", 3000)
    assert queue.view("J1").last_error == "lease expired"


def test_a_retry_waits_for_its_start_and_then_for_its_deadline(queue: JobQueue, clock: ManualClock) -> None:
    """Noticed very late, the retry was due at 2000 and dead at 2500."""
    queue.submit("mail", deadline_millis=2500)
    polled(queue, lease_millis=1000)
    clock.advance_to(90_000)
    assert queue.sweep() == 2
    assert dead(queue) == ("DEAD", "deadline", 2500)


@pytest.mark.parametrize(("now", "expected"), [(3999, "PENDING"), (4000, "DEAD"), (4700, "DEAD")])
def test_a_release_at_or_after_the_deadline_is_the_end(
    queue: JobQueue, clock: ManualClock, now: Any, expected: Any
) -> None:
    """There is nothing left to wait for; failed_at is then now, and the outcome is a release all the same."""
    queue.submit("mail", deadline_millis=4000)
    token = polled(queue, lease_millis=9000).token
    clock.advance_to(now)
    queue.release("J1", token)
    assert queue.view("J1").status == expected
    if expected == "DEAD":
        assert dead(queue) == ("DEAD", "deadline", now)
    assert (queue.view("J1").attempts, queue.history("J1")[0].outcome) == (0, "released")


def test_a_redrive_keeps_a_deadline_that_is_still_ahead(one_try: JobQueue, clock: ManualClock) -> None:
    """And the job dies of it as before."""
    one_try.submit("mail", deadline_millis=4000)
    one_try.fail("J1", polled(one_try).token)
    clock.advance_to(3000)
    one_try.retry_dead("J1")
    assert one_try.view("J1").deadline == 4000
    clock.advance_to(4000)
    assert dead(one_try) == ("DEAD", "deadline", 4000)


@pytest.mark.parametrize("call", ["retry_dead", "redrive"])
def test_a_deadline_that_has_passed_must_be_replaced(one_try: JobQueue, clock: ManualClock, call: Any) -> None:
    """Without a new one the job could only die again."""
    one_try.submit("mail", deadline_millis=4000)
    clock.advance_to(4000)
    told = {} if call == "retry_dead" else {"actor": "ann", "note": "again"}
    with pytest.raises(IllegalStateError, match="deadline"):
        getattr(one_try, call)("J1", **told)
    assert dead(one_try) == ("DEAD", "deadline", 4000)
    one_try.redrive("J1", actor="ann", note="", deadline_millis=5000)
    assert (one_try.view("J1").status, one_try.view("J1").deadline) == ("PENDING", 5000)
    clock.advance_to(5000)
    assert dead(one_try) == ("DEAD", "deadline", 5000)


@pytest.mark.parametrize("deadline", [4000, 3999])
def test_the_new_deadline_must_be_later_than_now(one_try: JobQueue, clock: ManualClock, deadline: Any) -> None:
    """As with a submit."""
    one_try.submit("mail", deadline_millis=4000)
    clock.advance_to(4000)
    with pytest.raises(ValueError, match="deadline_millis"):
        one_try.redrive("J1", actor="ann", note="", deadline_millis=deadline)


def test_a_missed_deadline_is_told_alone_and_as_nobodys_attempt(
    queue: JobQueue, clock: ManualClock, log: EventLog
) -> None:
    """One event at the deadline, without a worker, even if an earlier attempt had one."""
    queue.submit("mail", deadline_millis=2500)
    queue.fail("J1", polled(queue, "a").token)
    clock.advance_to(9000)
    queue.sweep()
    event = log.events[-1]
    assert (event.at, event.kind, event.worker_id) == (2500, "dead_lettered", None)
    assert event.detail["reason"] == "deadline"
    assert [event.kind for event in log.events[-2:]] == ["retry_scheduled", "dead_lettered"]


def test_expiries_and_deadlines_are_settled_by_instant_then_submission_order(
    make_queue: Callable[..., JobQueue], clock: ManualClock, log: EventLog
) -> None:
    """J2's lease ends at 1000, J1 and J3 miss their deadlines at 2000 and 1000."""
    queue = make_queue(clock, RetryPolicy(1, 0, 0), log=log)
    queue.submit("mail", priority=-1, deadline_millis=2000)
    queue.submit("mail")
    queue.submit("mail", priority=-1, deadline_millis=1000)
    polled(queue, lease_millis=1000)
    clock.advance_to(5000)
    assert queue.sweep() == 3
    deaths = [(event.at, event.job_id) for event in log.events if event.kind == "dead_lettered"]
    assert deaths == [(1000, "J2"), (1000, "J3"), (2000, "J1")]
