"""That a log alone rebuilds the whole queue."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import EventLog, JobQueue, ManualClock, RetryPolicy
from tests.contract.observing import everything, outcome, polled

if TYPE_CHECKING:
    from collections.abc import Callable


def live(queue: JobQueue, clock: ManualClock) -> None:
    """Lead jobs through every state and several refusals, with up to three attempts; end at 20000."""
    for priority in (0, 1, 2, 3):
        queue.submit("mail", f"letter {priority}", priority, tenant="acme", cost=priority + 1)
    queue.complete("J4", polled(queue, "a", 1000).token)
    queue.fail("J3", polled(queue, "a", 1000).token, ValueError("x"))
    queue.renew("J2", polled(queue, "b", 1000).token, 2000)
    queue.cancel("J1")
    outcome(queue.cancel, "J4")
    clock.advance_to(2500)
    outcome(queue.complete, "J2", "J2:1")
    outcome(queue.retry_dead, "J3")
    queue.poll("c", 1000)
    clock.advance_to(10_000)
    outcome(queue.retry_dead, "J2")
    queue.poll("d", 30_000)
    queue.poll("d", 5000)
    clock.advance_to(20_000)
    queue.submit("fax", run_at_millis=50_000)
    queue.submit("fax", run_at_millis=0)


@pytest.mark.parametrize("keep_finished", [None, 0, 1])
@pytest.mark.parametrize("max_attempts", [1, 2, 3])
def test_a_log_rebuilds_the_whole_state(
    make_queue: Callable[..., JobQueue],
    clock: ManualClock,
    log: EventLog,
    max_attempts: Any,
    keep_finished: Any,
) -> None:
    """A replay is equal in views, payloads, histories, dead letters, next id and next token."""
    queue = make_queue(clock, RetryPolicy(max_attempts, 1000, 60_000), keep_finished=keep_finished, log=log)
    live(queue, clock)
    copy = log.replay(20_000)
    assert everything(copy, submitted=6) == everything(queue, submitted=6)
    assert copy.submit("mail", priority=9) == queue.submit("mail", priority=9)
    assert copy.poll("w", 1000) == queue.poll("w", 1000)


def test_a_replay_stands_at_the_instant_of_the_last_event(
    queue: JobQueue, clock: ManualClock, log: EventLog
) -> None:
    """Without an instant, the copy knows nothing of what time did after the last event."""
    queue.submit("mail")
    polled(queue, lease_millis=1000)
    clock.advance_to(700)
    queue.submit("mail")
    clock.advance_to(5000)
    copy = log.replay()
    assert (copy.view("J1").status, copy.view("J1").lease_until) == ("RUNNING", 1000)
    assert copy.view(copy.submit("mail")).submitted_at == 700


def test_a_replay_at_a_later_instant_finds_what_is_due_by_then(
    queue: JobQueue, clock: ManualClock, log: EventLog
) -> None:
    """The copy's clock stands where it was told to, and settling happens as in any queue."""
    queue.submit("mail")
    polled(queue, lease_millis=1000)
    copy = log.replay(5000)
    assert (copy.view("J1").status, copy.view("J1").next_run_at) == ("PENDING", 2000)
    clock.advance_to(5000)
    assert everything(copy, submitted=1) == everything(queue, submitted=1)


def test_a_replay_lives_a_life_of_its_own(queue: JobQueue, log: EventLog) -> None:
    """What happens to the copy does not happen to the queue, nor to its log."""
    queue.submit("mail")
    copy = log.replay()
    copy.cancel("J1")
    assert (copy.view("J1").status, queue.view("J1").status) == ("CANCELLED", "PENDING")
    assert [event.kind for event in log.events] == ["submitted"]


def test_a_replay_of_nothing_is_an_empty_queue(queue: JobQueue, log: EventLog) -> None:
    """A log without events rebuilds a queue without jobs."""
    copy = log.replay()
    assert (copy.dead_letters(), copy.poll("w", 1000)) == ([], None)
    assert copy.submit("mail") == queue.submit("mail") == "J1"


def test_a_replayed_lease_can_be_completed_with_its_token(queue: JobQueue, log: EventLog) -> None:
    """Tokens live on: the holder in the log is the holder in the copy."""
    queue.submit("mail", "hello")
    token = polled(queue, "a").token
    copy = log.replay()
    copy.complete("J1", token)
    assert copy.view("J1").status == "SUCCEEDED"


def test_a_replay_keeps_the_policy(
    make_queue: Callable[..., JobQueue], clock: ManualClock, log: EventLog
) -> None:
    """Retries in the copy follow the limits of the queue that wrote the log."""
    queue = make_queue(clock, RetryPolicy(2, 70, 100), log=log)
    queue.submit("mail")
    queue.fail("J1", polled(queue).token)
    copy = log.replay(70)
    copy.fail("J1", polled(copy).token)
    assert (copy.view("J1").status, copy.view("J1").failed_at) == ("DEAD", 70)
