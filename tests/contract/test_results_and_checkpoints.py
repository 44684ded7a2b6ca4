"""What a worker leaves behind: a result at the end, a checkpoint on the way."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from jobqueue import EventLog, JobQueue, ManualClock, StaleTokenError
from tests.contract.observing import outcome, polled

pytestmark = pytest.mark.over_http


def test_a_result_is_kept_with_its_job(queue: JobQueue) -> None:
    """The view shows the text that the worker reported, exactly."""
    queue.submit("mail")
    queue.complete("J1", polled(queue).token, "sent to 3\r\n\U0001f600")
    assert queue.view("J1").result == "sent to 3\r\n\U0001f600"


@pytest.mark.parametrize("result", [None, ""])
def test_no_result_and_an_empty_one_are_two_things(queue: JobQueue, result: Any) -> None:
    """None means that there is none."""
    queue.submit("mail")
    queue.complete("J1", polled(queue).token, result)
    assert queue.view("J1").result == result


def test_the_first_result_is_the_only_one(queue: JobQueue) -> None:
    """A second report is refused and changes nothing."""
    queue.submit("mail")
    token = polled(queue).token
    queue.complete("J1", token, "first")
    with pytest.raises(StaleTokenError):
        queue.complete("J1", token, "second")
    assert queue.view("J1").result == "first"


@pytest.mark.not_over_http("events stay where the queue is")
def test_a_result_is_told_with_its_hash(queue: JobQueue, log: EventLog) -> None:
    """The event carries the text and its SHA-256; without a result, neither."""
    queue.submit("mail")
    queue.submit("mail")
    queue.complete("J1", polled(queue).token, "\u00e4")
    queue.complete("J2", polled(queue).token)
    first, second = [event.detail for event in log.events if event.kind == "completed"]
    assert (first["result"], first["result_sha256"]) == ("\u00e4", hashlib.sha256(b"\xc3\xa4").hexdigest())
    assert (second["result"], second["result_sha256"]) == (None, None)


@pytest.mark.parametrize(
    ("text", "error"), [("a\0b", ValueError), ("\ud800", ValueError), (7, TypeError), (b"x", TypeError)]
)
def test_a_result_and_a_checkpoint_must_be_storable_text(queue: Any, text: Any, error: Any) -> None:
    """Anything else is refused by name, and the lease goes on."""
    queue.submit("mail")
    token = polled(queue).token
    with pytest.raises(error, match="result"):
        queue.complete("J1", token, text)
    with pytest.raises(error, match="checkpoint"):
        queue.renew("J1", token, 1000, text)
    assert queue.complete("J1", token) is None


def test_a_later_attempt_goes_on_from_the_checkpoint(queue: JobQueue, clock: ManualClock) -> None:
    """What a renewal left behind is handed out with the next lease, also after a crash."""
    queue.submit("mail")
    first = polled(queue, lease_millis=1000)
    assert first.checkpoint is None
    assert queue.renew("J1", first.token, 1000, checkpoint="page 7").checkpoint == "page 7"
    clock.advance_to(2000)
    assert polled(queue).checkpoint == "page 7"


def test_a_renewal_without_a_checkpoint_keeps_the_last_one(queue: JobQueue) -> None:
    """None leaves it as it is; an empty text replaces it."""
    queue.submit("mail")
    token = polled(queue).token
    queue.renew("J1", token, 1000, "one")
    assert queue.renew("J1", token, 1000).checkpoint == "one"
    assert queue.renew("J1", token, 1000, "").checkpoint == ""


def test_a_checkpoint_outlives_a_failure_a_release_and_a_redrive(one_try: JobQueue) -> None:
    """It belongs to the job, not to the attempt."""
    one_try.submit("mail")
    token = polled(one_try).token
    one_try.renew("J1", token, 1000, "half")
    one_try.release("J1", token)
    again = polled(one_try)
    assert again.checkpoint == "half"
    one_try.fail("J1", again.token)
    one_try.retry_dead("J1")
    assert polled(one_try).checkpoint == "half"


def test_a_stale_worker_leaves_no_checkpoint(queue: JobQueue, clock: ManualClock) -> None:
    """Who lost the job cannot move the successor's starting point."""
    queue.submit("mail")
    stale = polled(queue, lease_millis=1000).token
    clock.advance_to(2000)
    lease = polled(queue)
    assert isinstance(outcome(queue.renew, "J1", stale, 1000, "old"), StaleTokenError)
    assert queue.renew("J1", lease.token, 1000).checkpoint is None
