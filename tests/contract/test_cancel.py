"""Taking back a job that nobody has started."""

from __future__ import annotations

from typing import Any

import pytest

from jobqueue import IllegalStateError, JobQueue, ManualClock, StaleTokenError
from tests.contract.observing import everything, polled, polled_ids, submit_as

pytestmark = pytest.mark.over_http


def test_a_cancelled_job_is_never_handed_out(queue: Any, clock: Any) -> None:
    """A cancel takes the job out of the line and leaves the others in their order."""
    for _ in range(3):
        queue.submit("mail")
    clock.advance_to(5)
    assert queue.cancel("J2") is None
    assert polled_ids(queue) == ["J1", "J3"]
    clock.advance_to(10**9)
    queue.sweep()
    view = queue.view("J2")
    assert (view.status, view.attempts, view.finished_at, view.last_error) == ("CANCELLED", 0, 5, None)
    assert (queue.history("J2"), queue.payload("J2")) == ([], "")


def test_a_delayed_job_can_be_cancelled_before_and_when_it_is_due(queue: JobQueue, clock: ManualClock) -> None:
    """PENDING is all that counts, ready or not."""
    queue.submit("mail", run_at_millis=1000)
    queue.submit("mail", run_at_millis=1000)
    queue.cancel("J1")
    clock.advance_to(1000)
    queue.cancel("J2")
    assert queue.poll("w", 1000) is None


def test_a_job_that_waits_for_its_retry_can_be_cancelled(queue: JobQueue, clock: ManualClock) -> None:
    """The attempts that it had stay in its history; no retry follows."""
    queue.submit("mail")
    queue.fail("J1", polled(queue).token, "x")
    queue.cancel("J1")
    clock.advance_to(100_000)
    assert queue.poll("w", 1000) is None
    view = queue.view("J1")
    assert (view.status, view.attempts, view.last_error) == ("CANCELLED", 1, "x")
    assert [row.outcome for row in queue.history("J1")] == ["failed"]


def test_a_redriven_job_can_be_cancelled(one_try: JobQueue) -> None:
    """Back from the dead it is PENDING like any other."""
    submit_as(one_try, "DEAD")
    one_try.retry_dead("J1")
    one_try.cancel("J1")
    assert (one_try.view("J1").status, one_try.poll("w", 1000)) == ("CANCELLED", None)


@pytest.mark.parametrize("status", ["RUNNING", "SUCCEEDED", "DEAD", "CANCELLED"])
def test_only_a_pending_job_can_be_cancelled(one_try: JobQueue, status: str) -> None:
    """From any other state cancel is refused, says what it found, and changes nothing."""
    submit_as(one_try, status)
    before = everything(one_try, submitted=1)
    with pytest.raises(IllegalStateError) as refusal:
        one_try.cancel("J1")
    assert not isinstance(refusal.value, StaleTokenError)
    assert [part for part in ("cancel", "J1", status, "PENDING") if part not in str(refusal.value)] == []
    assert everything(one_try, submitted=1) == before


def test_a_lease_that_ends_now_can_be_cancelled_now(queue: JobQueue, clock: ManualClock) -> None:
    """At lease_until the expiry is settled first, so the job is PENDING; just before, it still runs."""
    queue.submit("mail")
    polled(queue, lease_millis=1000)
    clock.advance_to(999)
    with pytest.raises(IllegalStateError):
        queue.cancel("J1")
    clock.advance_to(1000)
    queue.cancel("J1")
    assert (queue.view("J1").status, queue.view("J1").last_error) == ("CANCELLED", "lease expired")


def test_a_job_whose_last_lease_ends_now_cannot_be_cancelled(one_try: JobQueue, clock: ManualClock) -> None:
    """The settled expiry has made it DEAD."""
    one_try.submit("mail")
    polled(one_try, lease_millis=1000)
    clock.advance_to(1000)
    with pytest.raises(IllegalStateError, match="DEAD"):
        one_try.cancel("J1")
