"""Types of which no job is handed out for a while."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import EventLog, JobQueue, ManualClock, RetryPolicy, WeightedBands
from tests.contract.observing import polled, polled_ids
from tests.contract.scheduling import banded, bands_served

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture(params=["strict", "bands"])
def line(
    request: pytest.FixtureRequest, make_queue: Callable[..., JobQueue], clock: ManualClock, log: EventLog
) -> Any:
    """Return a queue of either scheduler; pauses come before both."""
    options = {} if request.param == "strict" else {"scheduler": WeightedBands()}
    return make_queue(clock, RetryPolicy(3, 1000, 60_000), log=log, **options)


def test_a_paused_type_is_not_handed_out_and_others_are(line: Any) -> None:
    """Resumed, its jobs come in their old order."""
    for type_ in ("mail", "fax", "mail", "mail"):
        line.submit(type_)
    line.pause("mail")
    assert polled_ids(line) == ["J2"]
    assert line.poll("w", 1000, types=["mail"]) is None
    line.resume("mail")
    assert polled_ids(line) == ["J1", "J3", "J4"]


def test_pausing_and_resuming_are_idempotent(line: Any, log: EventLog) -> None:
    """Twice is once, also in the log; one resume ends it."""
    line.submit("mail")
    line.pause("mail")
    line.pause("mail")
    assert line.paused() == ["mail"]
    line.resume("mail")
    line.resume("mail")
    assert (line.paused(), polled(line).job_id) == ([], "J1")
    assert [event.kind for event in log.events] == ["submitted", "paused", "resumed", "leased"]


def test_any_type_can_be_paused(line: Any) -> None:
    """Also one that nobody ever submitted; they are listed by name."""
    for type_ in ("sms", "a b", "fax"):
        line.pause(type_)
    assert line.paused() == ["a b", "fax", "sms"]
    line.submit("fax")
    assert line.poll("w", 1000) is None


@pytest.mark.parametrize(
    ("type_", "error"), [("", ValueError), ("x" * 201, ValueError), ("a\0", ValueError), (None, TypeError)]
)
@pytest.mark.parametrize("call", ["pause", "resume"])
def test_what_is_paused_is_a_type(line: Any, call: Any, type_: Any, error: Any) -> None:
    """Anything else is refused."""
    with pytest.raises(error, match="type"):
        getattr(line, call)(type_)
    assert line.paused() == []


def test_only_hand_outs_stop(make_queue: Callable[..., JobQueue], clock: ManualClock) -> None:
    """Renewals, completions, failures, cancels and submits of the type go on."""
    queue = make_queue(clock, RetryPolicy(3, 1000, 60_000))
    for _ in range(4):
        queue.submit("mail")
    leases = queue.poll_many("w", 1000, 3)
    queue.pause("mail")
    queue.renew("J1", leases[0].token, 5000)
    queue.complete("J1", leases[0].token)
    queue.fail("J2", leases[1].token)
    queue.release("J3", leases[2].token)
    queue.cancel("J4")
    queue.submit("mail")
    states = [queue.view(f"J{n}").status for n in range(1, 6)]
    assert states == ["SUCCEEDED", "PENDING", "PENDING", "CANCELLED", "PENDING"]
    assert queue.poll("w", 1000) is None


def test_a_lease_that_ends_meanwhile_is_settled_and_not_handed_out(line: Any, clock: ManualClock) -> None:
    """The sweep goes on; the retry waits for the resume."""
    line.submit("mail")
    polled(line, lease_millis=1000)
    clock.advance_to(500)
    line.pause("mail")
    clock.advance_to(1000)
    assert line.sweep() == 1
    assert line.view("J1").next_run_at == 2000
    clock.advance_to(2000)
    assert line.poll("w", 1000) is None
    line.resume("mail")
    assert polled(line).attempt == 2


def test_run_at_and_deadlines_are_instants_that_no_pause_moves(queue: JobQueue, clock: ManualClock) -> None:
    """Due at 10 and 20 seconds, resumed at 60: both are ready, in order; a deadline at 30 has passed."""
    queue.submit("mail", run_at_millis=20_000)
    queue.submit("mail", run_at_millis=10_000)
    queue.submit("mail", deadline_millis=30_000)
    clock.advance_to(5000)
    queue.pause("mail")
    clock.advance_to(60_000)
    queue.resume("mail")
    assert (queue.view("J3").dead_reason, queue.view("J3").failed_at) == ("deadline", 30_000)
    assert polled_ids(queue) == ["J2", "J1"]


def test_dead_letters_that_are_redriven_meanwhile_wait_with_the_others(one_try: JobQueue) -> None:
    """Ten wait and five come back: fifteen are ready, none runs, and all are handed out after the resume."""
    dead = [one_try.submit("mail") for _ in range(5)]
    for lease in one_try.poll_many("w", 1000, 5):
        one_try.fail(lease.job_id, lease.token)
    waiting = [one_try.submit("mail") for _ in range(10)]
    one_try.pause("mail")
    one_try.redrive_many(dead, actor="ann", note="")
    assert (one_try.stats().by_status["PENDING"], one_try.poll("w", 1000)) == (15, None)
    one_try.resume("mail")
    assert polled_ids(one_try) == dead + waiting


def test_the_slots_of_a_paused_type_are_lent(make_queue: Callable[..., JobQueue], clock: ManualClock) -> None:
    """A band that has nothing but paused work is skipped."""
    queue = banded(make_queue, clock)
    for priority, type_ in ((1, "fax"), (0, "mail"), (-1, "mail")):
        for _ in range(6):
            queue.submit(type_, priority=priority)
    queue.pause("fax")
    assert bands_served(queue, 6) == "NNLNNL"


def test_ageing_goes_on(make_queue: Callable[..., JobQueue], clock: ManualClock) -> None:
    """A paused job gains its band all the same."""
    queue = banded(make_queue, clock, WeightedBands("HNL", aging_millis=60_000))
    queue.submit("mail", priority=-1)
    queue.pause("mail")
    clock.advance_to(120_000)
    queue.resume("mail")
    queue.submit("mail", priority=1, run_at_millis=0)
    assert polled(queue).job_id == "J1"


def test_pauses_are_told_and_replayed(line: Any, log: EventLog) -> None:
    """An event about a type and no job; a replay is paused as the queue was."""
    line.pause("mail")
    line.pause("fax")
    line.resume("mail")
    event = log.events[0]
    assert (event.kind, event.job_id, event.worker_id, dict(event.detail)) == (
        "paused",
        None,
        None,
        {"type": "mail"},
    )
    assert log.replay().paused() == ["fax"]
