"""The events that the queue builds: kinds, order, instants and what each one carries."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import (
    Event,
    EventLog,
    IllegalStateError,
    JobQueue,
    ManualClock,
    RetryPolicy,
    StaleTokenError,
    UnknownJobError,
)
from tests.contract.observing import outcome, polled

if TYPE_CHECKING:
    from collections.abc import Callable


def told(log: EventLog, since: Any = 0) -> Any:
    """Return (at, kind, job id) of the events after the first `since`."""
    return [(event.at, event.kind, event.job_id) for event in log.events[since:]]


def last(log: EventLog, kind: Any) -> Any:
    """Return the newest event of a kind."""
    return [event for event in log.events if event.kind == kind][-1]


def test_a_new_log_is_empty(log: EventLog, queue: JobQueue) -> None:
    """Making a queue is no event, and neither is looking at it."""
    assert list(log.events) == []
    queue.dead_letters()
    assert (queue.sweep(), queue.poll("w", 1000)) == (0, None)
    assert list(log.events) == []


def test_the_life_of_a_job_is_told_in_events(queue: JobQueue, clock: ManualClock, log: EventLog) -> None:
    """Each step of a job is one event, in the order in which it happened."""
    queue.submit("mail")
    clock.advance_to(10)
    token = polled(queue, "a").token
    clock.advance_to(20)
    queue.renew("J1", token, 2000)
    clock.advance_to(30)
    queue.complete("J1", token)
    assert told(log) == [
        (0, "submitted", "J1"),
        (10, "leased", "J1"),
        (20, "renewed", "J1"),
        (30, "completed", "J1"),
    ]


def test_a_failed_attempt_is_two_events_at_one_instant(
    make_queue: Callable[..., JobQueue], clock: ManualClock, log: EventLog
) -> None:
    """First that it failed, then what follows from it."""
    queue = make_queue(clock, RetryPolicy(2, 1000, 60_000), log=log)
    queue.submit("mail")
    clock.advance_to(5)
    queue.fail("J1", polled(queue).token, "x")
    clock.advance_to(1005)
    queue.fail("J1", polled(queue).token, "y")
    assert told(log, 2) == [
        (5, "failed", "J1"),
        (5, "retry_scheduled", "J1"),
        (1005, "leased", "J1"),
        (1005, "failed", "J1"),
        (1005, "dead_lettered", "J1"),
    ]


def test_an_expiry_is_told_at_the_end_of_the_lease(
    make_queue: Callable[..., JobQueue], clock: ManualClock, log: EventLog
) -> None:
    """`at` is the instant at which it took effect, not the one at which somebody noticed."""
    queue = make_queue(clock, RetryPolicy(2, 1000, 60_000), log=log)
    queue.submit("mail")
    polled(queue, lease_millis=1000)
    clock.advance_to(50_000)
    polled(queue, lease_millis=1000)
    clock.advance_to(90_000)
    queue.view("J1")
    assert told(log, 2) == [
        (1000, "lease_expired", "J1"),
        (1000, "retry_scheduled", "J1"),
        (50_000, "leased", "J1"),
        (51_000, "lease_expired", "J1"),
        (51_000, "dead_lettered", "J1"),
    ]


def test_redrive_and_cancel_are_told(one_try: JobQueue, clock: ManualClock) -> None:
    """retry_dead is told as `redriven`, cancel as `cancelled`."""
    heard: list[Any] = []
    one_try.subscribe(heard.append)
    one_try.submit("mail")
    one_try.fail("J1", polled(one_try).token)
    clock.advance_to(7)
    one_try.retry_dead("J1")
    clock.advance_to(8)
    one_try.cancel("J1")
    assert [(event.at, event.kind) for event in heard[-2:]] == [(7, "redriven"), (8, "cancelled")]
    assert [event.worker_id for event in heard if event.kind in {"submitted", "redriven", "cancelled"}] == [
        None
    ] * 3


def test_a_job_that_is_forgotten_is_told_as_dropped(
    make_queue: Callable[..., JobQueue], clock: ManualClock, log: EventLog
) -> None:
    """What keep_finished removes is an event of its own, after the one that finished a job."""
    queue = make_queue(clock, RetryPolicy(3, 1000, 60_000), keep_finished=1, log=log)
    queue.cancel(queue.submit("mail"))
    queue.submit("mail")
    clock.advance_to(9)
    queue.complete("J2", polled(queue).token)
    assert told(log, 4) == [(9, "completed", "J2"), (9, "dropped", "J1")]


def test_events_are_numbered_without_gaps_and_their_instants_never_decrease(
    queue: JobQueue, clock: ManualClock, log: EventLog
) -> None:
    """Numbers count from 1; late settled expiries come before the event of the call that noticed them."""
    queue.submit("mail")
    queue.submit("mail")
    polled(queue, lease_millis=3000)
    polled(queue, lease_millis=1000)
    clock.advance_to(5000)
    outcome(queue.complete, "J1", "J1:1")
    polled(queue)
    queue.submit("mail")
    assert [event.seq for event in log.events] == list(range(1, len(log.events) + 1))
    assert [event.at for event in log.events] == [0, 0, 0, 0, 1000, 1000, 3000, 3000, 5000, 5000, 5000]


def test_submitted_carries_every_argument(queue: JobQueue, log: EventLog) -> None:
    """From this event alone the submit could be repeated."""
    queue.submit("mail", "hello", -2, 500, tenant="acme", cost=3)
    detail = log.events[0].detail
    asked = {"type": "mail", "payload": "hello", "priority": -2, "run_at_millis": 500}
    asked |= {"tenant": "acme", "cost": 3}
    assert {name: detail[name] for name in asked} == asked


def test_the_events_of_an_attempt_name_worker_attempt_and_generation(
    one_try: JobQueue, clock: ManualClock
) -> None:
    """Whose attempt it was can be read from each of its events."""
    heard: list[Any] = []
    one_try.subscribe(heard.append)
    one_try.submit("mail")
    one_try.fail("J1", polled(one_try, "a").token)
    one_try.retry_dead("J1")
    one_try.renew("J1", polled(one_try, "b").token, 1000)
    clock.advance_to(1000)
    one_try.retry_dead("J1")
    one_try.complete("J1", polled(one_try, "c").token)
    kinds = ("leased", "renewed", "failed", "lease_expired", "completed")
    whose = [(e.kind, e.worker_id, e.attempt, e.generation) for e in heard if e.kind in kinds]
    assert whose == [
        ("leased", "a", 1, 1),
        ("failed", "a", 1, 1),
        ("leased", "b", 1, 2),
        ("renewed", "b", 1, 2),
        ("lease_expired", "b", 1, 2),
        ("leased", "c", 1, 3),
        ("completed", "c", 1, 3),
    ]


def test_details_are_json_and_read_only(queue: Any, clock: Any, log: Any) -> None:
    """An event can be written down and read back, and nobody can change it."""
    queue.submit("mail", "\U0001f600", 2**53 - 1, -(2**53) + 1)
    lease = polled(queue)
    queue.renew("J1", lease.token, 2000)
    outcome(queue.complete, "J1", "\ud800")
    queue.fail("J1", lease.token, "a\0b")
    clock.advance_to(1000)
    queue.complete("J1", polled(queue).token)
    for event in log.events:
        assert json.loads(json.dumps(dict(event.detail))) == dict(event.detail)
        with pytest.raises(TypeError):
            event.detail["type"] = "other"
        with pytest.raises(AttributeError):
            event.at = 0
    assert len(log.events) == 8


@pytest.mark.parametrize("operation", ["complete", "fail", "renew"])
def test_a_stale_call_is_told_as_refused(
    queue: JobQueue, clock: ManualClock, log: EventLog, operation: str
) -> None:
    """The event says what was asked with which token, why it was refused, and whose attempt the token names."""
    queue.submit("mail")
    polled(queue, "a", 1000)
    clock.advance_to(2000)
    polled(queue, "b", 1000)
    call = getattr(queue, operation)
    refusal = outcome(call, "J1", "J1:1", *([500] if operation == "renew" else []))
    event = log.events[-1]
    assert (event.at, event.kind, event.job_id) == (2000, "refused", "J1")
    assert (event.worker_id, event.attempt, event.generation) == ("a", 1, 1)
    told_why = {"operation": operation, "token": "J1:1", "reason": "stale_generation", "message": str(refusal)}
    assert isinstance(refusal, StaleTokenError)
    assert {name: event.detail[name] for name in told_why} == told_why


@pytest.mark.parametrize("token", ["junk", "J1:7", "J2:1", "J1:01", ""])
def test_a_refused_token_of_nobody_names_no_attempt(queue: JobQueue, log: EventLog, token: Any) -> None:
    """A token that names no attempt of the job leaves worker, attempt and generation empty."""
    queue.submit("mail")
    polled(queue, "a")
    outcome(queue.complete, "J1", token)
    event = log.events[-1]
    assert (event.kind, event.worker_id, event.attempt, event.generation) == ("refused", None, 0, 0)
    assert event.detail["token"] == token


@pytest.mark.parametrize(("operation", "status"), [("cancel", "RUNNING"), ("retry_dead", "PENDING")])
def test_a_call_in_the_wrong_state_is_told_as_refused(
    queue: JobQueue, log: EventLog, operation: str, status: str
) -> None:
    """Operators' refusals are events like those of workers, without a token."""
    queue.submit("mail")
    if status == "RUNNING":
        polled(queue)
    refusal = outcome(getattr(queue, operation), "J1")
    event = log.events[-1]
    assert isinstance(refusal, IllegalStateError)
    assert (event.kind, event.job_id, event.worker_id) == ("refused", "J1", None)
    told_why = {"operation": operation, "token": None, "reason": "wrong_state", "message": str(refusal)}
    assert {name: event.detail.get(name, "missing") for name in told_why} == told_why


def test_bad_arguments_and_unknown_ids_are_no_events(queue: JobQueue, log: EventLog) -> None:
    """`refused` is for calls that came at the wrong moment, not for calls that make no sense."""
    queue.submit("mail")
    refusals = [
        outcome(queue.submit, ""),
        outcome(queue.poll, "w", 0),
        outcome(queue.complete, "J1", None),
        outcome(queue.complete, "J9", "J9:1"),
        outcome(queue.cancel, "J9"),
    ]
    unknown = [UnknownJobError, UnknownJobError]
    assert [type(refusal) for refusal in refusals] == [ValueError, ValueError, TypeError, *unknown]
    assert told(log) == [(0, "submitted", "J1")]


def test_an_expiry_that_a_refused_call_noticed_is_told_before_the_refusal(
    queue: JobQueue, clock: ManualClock, log: EventLog
) -> None:
    """First what time had decided, then what the late worker was told."""
    queue.submit("mail")
    polled(queue, lease_millis=1000)
    clock.advance_to(1500)
    outcome(queue.complete, "J1", "J1:1")
    expired = [(1000, "lease_expired", "J1"), (1000, "retry_scheduled", "J1")]
    assert told(log, 2) == [*expired, (1500, "refused", "J1")]
    assert last(log, "refused").detail["reason"] == "lease_expired"


def test_without_a_listener_no_event_is_built(
    make_queue: Callable[..., JobQueue], clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who does not listen does not pay: neither log nor subscriber, then no Event."""
    built = []
    build = Event.__init__

    def counted(event: Any, *args: Any, **fields: Any) -> None:
        built.append(event)
        build(event, *args, **fields)

    monkeypatch.setattr(Event, "__init__", counted)
    queue = make_queue(clock, RetryPolicy(1, 1000, 60_000))
    queue.submit("mail")
    outcome(queue.complete, "J1", "x")
    queue.fail("J1", polled(queue).token)
    assert built == []
    unsubscribe = queue.subscribe(lambda _event: None)
    queue.retry_dead("J1")
    assert len(built) == 1
    unsubscribe()
    queue.cancel("J1")
    assert len(built) == 1


def test_a_log_and_a_subscriber_are_told_the_same(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """There is one stream of events, whoever listens."""
    log, heard = EventLog(), []  # type: ignore[var-annotated]
    queue = make_queue(clock, RetryPolicy(3, 1000, 60_000), log=log)
    queue.subscribe(heard.append)
    queue.submit("mail")
    queue.fail("J1", polled(queue).token)
    assert len(heard) == 4
    assert heard == list(log.events)
