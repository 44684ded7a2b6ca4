"""Who listens to a queue: told everything once, in order, and unable to disturb it."""

from __future__ import annotations

import sys
import threading
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import EventLog, JobQueue, ManualClock, RetryPolicy
from tests.contract.observing import outcome, polled
from tests.contract.together import run_interrupted, run_together

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def eager_switching() -> Iterator[Any]:
    """Let threads switch as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("eager_switching")
def test_threads_are_told_everything_once_and_in_order(queue: JobQueue, log: EventLog) -> None:
    """Whatever threads cause the events, a subscriber gets them one at a time, by number, without a gap."""
    heard, inside, overlaps = [], threading.Lock(), []

    def listen(event: Any) -> None:
        if not inside.acquire(blocking=False):
            overlaps.append(event)
            return
        heard.append(event)
        inside.release()

    queue.subscribe(listen)

    def work(number: Any) -> None:
        for _ in range(40):
            queue.submit("mail", tenant=f"t{number}")
            if (lease := queue.poll("w", 1_000_000)) is not None:
                outcome(queue.complete, lease.job_id, "junk")
                queue.complete(lease.job_id, lease.token)

    run_together(8, work)
    assert overlaps == []
    assert [event.seq for event in heard] == list(range(1, 8 * 40 * 4 + 1))
    assert heard == list(log.events)
    kinds = [event.kind for event in heard if event.job_id == "J1"]
    assert kinds == ["submitted", "leased", "refused", "completed"]


@pytest.mark.one_store("the lock of the queue in memory")
def test_no_event_is_left_behind_wherever_two_threads_meet(make_queue: Any, clock: Any) -> None:
    """When all calls have returned, all events have been told: none waits for the next call to come by."""
    for step in count(1):
        queue, heard = make_queue(clock, RetryPolicy(3, 1000, 60_000)), []  # type: ignore[var-annotated]
        queue.subscribe(heard.append)
        submit = partial(queue.submit, "mail")
        met = run_interrupted(step, submit, submit, since=lambda heard=heard: heard, patience=1)  # type: ignore[misc]
        assert [event.seq for event in heard] == ([1, 2] if met else [1]), f"met at line {step}"
        if not met:
            break
    assert step > 1, "the threads never met"


def test_every_subscriber_is_told_until_it_unsubscribes(queue: JobQueue) -> None:
    """Subscribe returns the way out, and only for the one who called it."""
    first: list[Any] = []
    second: list[Any] = []
    leave = queue.subscribe(first.append)
    queue.subscribe(second.append)
    queue.submit("mail")
    leave()
    queue.submit("mail")
    assert [event.job_id for event in first] == ["J1"]
    assert [event.job_id for event in second] == ["J1", "J2"]


def test_a_subscriber_that_raises_is_logged_and_disturbs_nobody(
    queue: JobQueue, log: EventLog, caplog: pytest.LogCaptureFixture
) -> None:
    """Neither the caller nor the other listeners notice; the next event is delivered as before."""
    heard: list[Any] = []

    def broken(event: Any) -> None:
        raise RuntimeError(f"cannot draw event {event.seq}")

    queue.subscribe(broken)
    queue.subscribe(heard.append)
    assert queue.submit("mail") == "J1"
    assert polled(queue).token == "J1:1"  # noqa: S105 - a token fences, it is no secret
    assert [event.kind for event in heard] == ["submitted", "leased"]
    assert heard == list(log.events)
    assert [seq for seq in (1, 2) if f"cannot draw event {seq}" not in caplog.text] == []


def test_a_subscriber_may_call_the_queue(queue: JobQueue) -> None:
    """Events come outside the lock: a listener can read and write without deadlock, and order is kept."""
    heard, found = [], []

    def react(event: Any) -> None:
        heard.append((event.seq, event.kind, event.job_id))
        found.append(queue.view(event.job_id).status)
        if event.kind == "submitted" and event.job_id == "J1":
            queue.submit("follow-up")
            queue.cancel("J2")

    queue.subscribe(react)
    run_together(1, lambda _n: queue.submit("mail"), timeout=20)
    assert heard == [(1, "submitted", "J1"), (2, "submitted", "J2"), (3, "cancelled", "J2")]
    assert found == ["PENDING", "CANCELLED", "CANCELLED"]


def test_one_listener_sees_events_in_order_although_another_one_calls_the_queue(queue: JobQueue) -> None:
    """What a listener causes is told to everybody after the event that it reacts to."""
    heard = []
    queue.subscribe(lambda event: queue.submit("follow-up") if event.seq == 1 else None)
    queue.subscribe(lambda event: heard.append(event.seq))
    run_together(1, lambda _n: queue.submit("mail"), timeout=20)
    assert heard == [1, 2]


def test_while_a_subscriber_is_told_other_threads_may_use_the_queue(queue: Any) -> None:
    """A slow listener does not hold the lock."""
    answers = []

    def wait_for_another(event: Any) -> None:
        other = threading.Thread(target=lambda: answers.append(queue.view(event.job_id).status), daemon=True)
        other.start()
        other.join(20)
        answers.append(other.is_alive())

    queue.subscribe(wait_for_another)
    run_together(1, lambda _n: queue.submit("mail"))
    assert answers == ["PENDING", False]


def test_an_event_is_told_after_it_took_effect(queue: Any) -> None:
    """Whoever hears of a change finds it made."""
    found = []
    queue.subscribe(lambda event: found.append((event.kind, queue.view(event.job_id).status)))

    def live(_number: Any) -> None:
        queue.submit("mail")
        queue.complete("J1", polled(queue).token)

    run_together(1, live, timeout=20)
    assert found == [("submitted", "PENDING"), ("leased", "RUNNING"), ("completed", "SUCCEEDED")]


def test_a_listener_may_leave_while_it_is_told(queue: JobQueue) -> None:
    """Unsubscribing in the middle of an event takes nothing from the others."""
    heard = []

    def once(event: Any) -> None:
        heard.append(("once", event.seq))
        leave()

    leave = queue.subscribe(once)
    queue.subscribe(lambda event: heard.append(("always", event.seq)))
    queue.submit("mail")
    queue.submit("mail")
    assert sorted(heard) == [("always", 1), ("always", 2), ("once", 1)]


def test_who_subscribes_during_a_delivery_gets_what_comes_after(queue: JobQueue, clock: ManualClock) -> None:
    """A subscriber gets the events of the calls after its own, not the rest of those on their way."""
    late: list[Any] = []

    def listener(event: Any) -> None:
        if event.kind == "lease_expired":
            queue.subscribe(late.append)

    queue.submit("mail")
    queue.poll("a", 1000)
    queue.subscribe(listener)
    clock.advance_to(1000)
    queue.sweep()
    assert late == []
    clock.advance_to(2000)
    queue.poll("b", 1000)
    assert [event.kind for event in late] == ["leased"]
