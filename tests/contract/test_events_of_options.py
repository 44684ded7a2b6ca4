"""What the events of releases, redrives, pauses, deadlines and refused submits carry."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import EventLog, JobQueue, Limits, ManualClock, RetryPolicy
from tests.contract.observing import outcome, polled

if TYPE_CHECKING:
    from collections.abc import Callable


def kinds_since(log: EventLog, since: Any) -> Any:
    """Return (at, kind, worker, attempt, generation) of the events after the first `since`."""
    told = list(log.events)[since:]
    return [(event.at, event.kind, event.worker_id, event.attempt, event.generation) for event in told]


def test_submitted_carries_the_newer_arguments_too(queue: JobQueue, log: EventLog) -> None:
    """Deadline, request key, cost: from this event alone the submit could be repeated."""
    queue.submit_once("k", "mail", "p", 2, 50, tenant="acme", deadline_millis=900, cost=7)
    assert dict(log.events[0].detail) == {
        "type": "mail",
        "payload": "p",
        "priority": 2,
        "run_at_millis": 50,
        "tenant": "acme",
        "deadline_millis": 900,
        "cost": 7,
        "request_key": "k",
    }


def test_a_replayed_request_is_no_event(queue: JobQueue, log: EventLog) -> None:
    """Nothing happened that had not happened before."""
    queue.submit_once("k", "mail")
    queue.submit_once("k", "mail")
    assert [event.kind for event in log.events] == ["submitted"]


def test_a_release_is_told_with_the_attempt_that_was_given_back(
    queue: JobQueue, clock: ManualClock, log: EventLog
) -> None:
    """One event: the worker's, with the number that its lease had."""
    queue.submit("mail")
    clock.advance_to(5)
    queue.release("J1", polled(queue, "a").token)
    assert kinds_since(log, 1) == [(5, "leased", "a", 1, 1), (5, "released", "a", 1, 1)]


def test_a_release_past_the_deadline_is_told_in_two_events(
    queue: JobQueue, clock: ManualClock, log: EventLog
) -> None:
    """First that the job came back, then that it was too late, both of that attempt."""
    queue.submit("mail", deadline_millis=100)
    token = polled(queue, "a").token
    clock.advance_to(200)
    queue.release("J1", token)
    assert kinds_since(log, 2) == [(200, "released", "a", 1, 1), (200, "dead_lettered", "a", 1, 1)]
    assert log.events[-1].detail["reason"] == "deadline"


@pytest.mark.parametrize(("permanent", "reason"), [(True, "permanent"), (False, "attempts_exhausted")])
def test_a_dead_letter_is_told_with_its_reason(
    make_queue: Callable[..., JobQueue], clock: ManualClock, log: EventLog, permanent: Any, reason: Any
) -> None:
    """Apart from the error, which belongs to the attempt."""
    queue = make_queue(clock, RetryPolicy(1, 0, 0), log=log)
    queue.submit("mail")
    queue.fail("J1", polled(queue).token, "boom", permanent=permanent)
    failed, dead = log.events[-2:]
    assert (failed.kind, failed.detail["error"]) == ("failed", "boom")
    assert (dead.kind, dead.detail["reason"]) == ("dead_lettered", reason)


def test_a_checkpoint_is_told_with_its_renewal(queue: JobQueue, log: EventLog) -> None:
    """A replay hands it out as the queue does."""
    queue.submit("mail")
    token = polled(queue).token
    queue.renew("J1", token, 2000, "page 7")
    assert (log.events[-1].kind, log.events[-1].detail["checkpoint"]) == ("renewed", "page 7")
    copy = log.replay()
    queue.release("J1", token)
    copy.release("J1", token)
    assert polled(copy).checkpoint == polled(queue).checkpoint == "page 7"


def test_a_submit_that_is_turned_away_is_told_as_refused(
    make_queue: Callable[..., JobQueue], clock: ManualClock, log: EventLog
) -> None:
    """Of no job and nobody, with what was found."""
    queue = make_queue(clock, RetryPolicy(1, 0, 0), limits=Limits(max_queued=0), log=log)
    refusal = outcome(queue.submit, "mail")
    event = log.events[-1]
    assert (event.kind, event.job_id, event.worker_id, event.attempt, event.generation) == (
        "refused",
        None,
        None,
        0,
        0,
    )
    assert (event.detail["operation"], event.detail["message"]) == ("submit", str(refusal))


def test_a_deadline_without_time_is_a_wrong_argument_and_no_event(queue: JobQueue, log: EventLog) -> None:
    """As other ValueErrors."""
    outcome(queue.submit, "mail", deadline_millis=0)
    assert list(log.events) == []


@pytest.mark.parametrize("operation", ["release", "redrive"])
def test_refusals_of_the_newer_operations_are_told(queue: JobQueue, log: EventLog, operation: str) -> None:
    """With the operation's name, whoever it came from."""
    queue.submit("mail")
    arguments = ["J1:1"] if operation == "release" else []
    told = {"actor": "ann", "note": ""} if operation == "redrive" else {}
    refusal = outcome(getattr(queue, operation), "J1", *arguments, **told)
    event = log.events[-1]
    assert (event.kind, event.detail["operation"], event.detail["message"]) == (
        "refused",
        operation,
        str(refusal),
    )


def test_the_newer_details_are_json(
    make_queue: Callable[..., JobQueue], clock: ManualClock, log: EventLog
) -> None:
    """Also those of pauses, redrives, releases, results and drops."""
    queue = make_queue(clock, RetryPolicy(1, 0, 0), keep_finished=0, log=log)
    queue.submit_once("k", "mail", deadline_millis=10**6)
    queue.release("J1", polled(queue).token)
    queue.fail("J1", polled(queue).token, permanent=True)
    queue.redrive_many(["J1"], actor="ann", note="")
    queue.redrive("J1", actor="ann", note="\U0001f600", payload="better", unchanged=True)
    queue.pause("fax")
    queue.resume("fax")
    queue.complete("J1", polled(queue).token, "done")
    queue.cancel(queue.submit("mail"))
    kinds = {str(event.kind) for event in log.events}
    assert {"released", "redriven", "paused", "resumed", "completed", "dropped"} <= kinds
    for event in log.events:
        assert json.loads(json.dumps(dict(event.detail))) == dict(event.detail)
