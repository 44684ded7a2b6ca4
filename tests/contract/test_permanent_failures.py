"""Failures that no second attempt would mend, and why a job died."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import IllegalStateError, JobQueue, ManualClock, RetryPolicy
from tests.contract.observing import polled

if TYPE_CHECKING:
    from collections.abc import Callable


def test_a_permanent_failure_is_the_last(queue: JobQueue, clock: ManualClock) -> None:
    """DEAD at once, with attempts left, and the error that was reported."""
    queue.submit("mail")
    clock.advance_to(70)
    queue.fail("J1", polled(queue).token, "no such address", permanent=True)
    view = queue.view("J1")
    assert (view.status, view.attempts, view.failed_at) == ("DEAD", 1, 70)
    assert (view.dead_reason, view.last_error) == ("permanent", "no such address")
    assert queue.history("J1")[0].outcome == "failed"


@pytest.mark.parametrize(
    ("attempts", "deadline", "permanent", "reason"),
    [
        (1, 500, True, "permanent"),
        (1, None, True, "permanent"),
        (2, 500, True, "permanent"),
        (1, 500, False, "attempts_exhausted"),
        (1, None, False, "attempts_exhausted"),
        (2, 500, False, "deadline"),
    ],
)
def test_the_first_reason_that_fits_is_told(
    make_queue: Callable[..., JobQueue],
    clock: ManualClock,
    *,
    attempts: Any,
    deadline: Any,
    permanent: Any,
    reason: Any,
) -> None:
    """Permanent before attempts exhausted, and that before the deadline."""
    queue = make_queue(clock, RetryPolicy(attempts, 1000, 60_000))
    queue.submit("mail", deadline_millis=deadline)
    queue.fail("J1", polled(queue).token, "x", permanent=permanent)
    assert (queue.view("J1").status, queue.view("J1").dead_reason) == ("DEAD", reason)


def test_the_reason_is_there_only_while_the_job_is_dead(one_try: JobQueue) -> None:
    """Brought back, the job has neither a reason nor a time of death; its last error stays."""
    one_try.submit("mail")
    one_try.fail("J1", polled(one_try).token, "x")
    one_try.retry_dead("J1")
    view = one_try.view("J1")
    assert (view.dead_reason, view.failed_at, view.last_error) == (None, None, "x")
    one_try.complete("J1", polled(one_try).token)
    assert one_try.view("J1").dead_reason is None


def test_a_permanent_failure_can_not_simply_be_tried_again(queue: JobQueue) -> None:
    """Without a correction it would fail again: retry_dead is refused and changes nothing."""
    queue.submit("mail")
    queue.fail("J1", polled(queue).token, permanent=True)
    with pytest.raises(IllegalStateError, match="permanent"):
        queue.retry_dead("J1")
    assert queue.view("J1").status == "DEAD"
