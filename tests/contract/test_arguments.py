"""What the queue refuses before it looks at any job."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from jobqueue import EventLog, JobQueue, JobQueueError, ManualClock, RetryPolicy, UnknownJobError
from tests.contract.observing import everything, outcome, polled

checked_first = pytest.mark.one_store("arguments are checked before any store is asked")

Call = Callable[[JobQueue, Any], Any]

LARGEST = 2**53 - 1

INTEGER_ARGUMENTS: dict[str, Call] = {
    "priority": lambda queue, value: queue.submit("mail", "", value),
    "run_at_millis": lambda queue, value: queue.submit("mail", "", 0, value),
    "cost": lambda queue, value: queue.submit("mail", cost=value),
    "lease_millis of poll": lambda queue, value: queue.poll("w", value),
    "lease_millis of renew": lambda queue, value: queue.renew("J1", "J1:1", value),
}
NAME_ARGUMENTS: dict[str, Call] = {
    "type": lambda queue, value: queue.submit(value),
    "tenant": lambda queue, value: queue.submit("mail", tenant=value),
    "worker": lambda queue, value: queue.poll(value, 1000),
    "types": lambda queue, value: queue.poll("w", 1000, types=["mail", value]),
}
FILTER: dict[str, Call] = {"types": lambda queue, value: queue.poll("w", 1000, types=value)}
PAYLOAD: dict[str, Call] = {"payload": lambda queue, value: queue.submit("mail", value)}


@pytest.fixture
def busy(queue: JobQueue) -> JobQueue:
    """Return a queue where J1 is running and J2 is ready."""
    queue.submit("mail")
    polled(queue, lease_millis=5000)
    queue.submit("mail")
    return queue


def is_refused(queue: JobQueue, error: type[Exception], call: Call, value: Any, word: str = "") -> bool:
    """Return whether the call is refused with `error`, naming `word`, and changed nothing that can be seen."""
    before = everything(queue, submitted=2)
    refusal = outcome(call, queue, value)
    is_meant = isinstance(refusal, error) and not isinstance(
        refusal, JobQueueError
    )  # the caller's fault, no state
    return is_meant and word in str(refusal) and everything(queue, submitted=2) == before


def taken(
    queue: JobQueue, error: type[Exception], calls: dict[str, Call], values: Iterable[Any], words: bool = False
) -> list[tuple[str, Any]]:
    """Return the arguments that are not refused as they should be; afterwards, the next id is still J3."""
    found = [
        (name, value)
        for name, call in calls.items()
        for value in values
        if not is_refused(queue, error, call, value, name.removesuffix("s") if words else "")
    ]
    assert found or queue.submit("next") == "J3", "a refused call uses up no id"
    return found


@checked_first
def test_what_is_no_integer_is_a_type_error(busy: JobQueue) -> None:
    """An integer argument takes an int and nothing that resembles one; a bool is none."""
    assert taken(busy, TypeError, INTEGER_ARGUMENTS, [True, False, 1.0, 1.5, "1", b"1", [1]]) == []


@checked_first
def test_none_is_no_integer(busy: JobQueue) -> None:
    """Only run_at_millis may be left open with None."""
    arguments = {name: call for name, call in INTEGER_ARGUMENTS.items() if name != "run_at_millis"}
    assert taken(busy, TypeError, arguments, [None]) == []


@checked_first
def test_an_integer_beyond_the_range_of_json_is_a_value_error(busy: JobQueue) -> None:
    """Integers stay within +-(2**53 - 1), so that every client can represent them."""
    assert taken(busy, ValueError, INTEGER_ARGUMENTS, [LARGEST + 1, -LARGEST - 1, 10**30]) == []


@pytest.mark.parametrize("value", [LARGEST, -LARGEST])
@pytest.mark.parametrize("argument", ["priority", "run_at_millis"])
def test_the_ends_of_the_range_are_accepted(busy: JobQueue, argument: str, value: int) -> None:
    """The largest and the smallest integer are still integers; negative priorities and instants are fine."""
    assert INTEGER_ARGUMENTS[argument](busy, value) == "J3"
    view = busy.view("J3")
    assert value in (view.priority, view.next_run_at)


def test_the_longest_lease_is_accepted(queue: JobQueue) -> None:
    """A lease may be as long as an integer goes."""
    queue.submit("mail")
    assert polled(queue, lease_millis=LARGEST).lease_until == LARGEST


@checked_first
def test_a_lease_that_would_be_over_at_once_is_refused(busy: JobQueue) -> None:
    """A lease lasts at least one millisecond."""
    leases = {name: INTEGER_ARGUMENTS[name] for name in ("lease_millis of poll", "lease_millis of renew")}
    assert taken(busy, ValueError, leases, [0, -1, -LARGEST]) == []


@checked_first
def test_a_cost_outside_one_to_a_million_is_refused(busy: JobQueue) -> None:
    """Cost runs from 1 to 1,000,000."""
    assert taken(busy, ValueError, {"cost": INTEGER_ARGUMENTS["cost"]}, [0, -1, 1_000_001]) == []


def test_the_smallest_and_the_largest_cost_are_accepted(queue: JobQueue) -> None:
    """Cost runs from 1 to 1,000,000, both included."""
    assert [queue.view(queue.submit("mail", cost=cost)).cost for cost in (1, 1_000_000)] == [1, 1_000_000]


@checked_first
def test_a_name_that_is_no_text_is_a_type_error(busy: JobQueue) -> None:
    """Type, worker and tenant are str."""
    assert taken(busy, TypeError, NAME_ARGUMENTS, [None, 3, b"mail", ["mail"], True]) == []


@checked_first
def test_a_name_that_is_blank_or_too_long_is_refused(busy: JobQueue) -> None:
    """Names have 1 to 200 characters and are not blank, whatever kind of space they are made of."""
    assert taken(busy, ValueError, NAME_ARGUMENTS, ["", " ", "\t\n", "\u2003\u00a0", "x" * 201]) == []


@checked_first
def test_a_name_that_no_store_could_keep_is_refused_by_field(busy: JobQueue) -> None:
    """A NUL or a lone surrogate is refused here, by the field's name, rather than by a database later."""
    names = ["m\0", "\0", "a\ud800b", "\udfff", "\ud83d\ude00"]
    assert taken(busy, ValueError, NAME_ARGUMENTS, names, words=True) == []


def test_any_other_name_is_accepted_as_it_is(queue: JobQueue) -> None:
    """Names are kept character by character: no trimming, no folding, length counted in code points."""
    for name in ["x", "x" * 200, "\U0001f600" * 200, " mail ", "naïve"]:
        job_id = queue.submit(name, tenant=name)
        lease = queue.poll(name, 1000, types=[name])
        assert lease is not None
        assert (lease.job_id, lease.type, lease.worker_id, lease.tenant) == (job_id, name, name, name)


@checked_first
def test_a_payload_with_a_nul_or_a_lone_surrogate_is_refused(busy: JobQueue) -> None:
    """A payload is text that every store can keep; the message names the field."""
    assert taken(busy, ValueError, PAYLOAD, ["a\0b", "\ud800", '["x", "\0"]'], words=True) == []


@checked_first
def test_a_payload_that_is_no_text_is_a_type_error(busy: JobQueue) -> None:
    """The queue does not guess how a value should be written down."""
    assert taken(busy, TypeError, PAYLOAD, [3, b"x", {"a": 1}, True]) == []


def test_any_other_payload_is_handed_out_as_it_came(queue: JobQueue) -> None:
    """A payload is opaque: it comes back character by character."""
    for payload in ["", " ", "\n", "\\u0000", '{"n": 1e400}', "\U0001f600", "x" * 100_000]:
        assert queue.payload(queue.submit("mail", payload)) == payload
        assert polled(queue).payload == payload


@checked_first
def test_an_empty_filter_is_refused(busy: JobQueue) -> None:
    """It could never match."""
    assert taken(busy, ValueError, FILTER, [[], (), set()]) == []


@checked_first
def test_a_filter_that_is_a_single_text_is_refused(busy: JobQueue) -> None:
    """It would be read letter by letter."""
    assert taken(busy, TypeError, FILTER, ["mail", 3]) == []


@checked_first
def test_a_token_that_is_no_text_is_a_type_error(busy: JobQueue) -> None:
    """A missing token is a mistake in the caller's code, not a stale lease."""
    calls: dict[str, Call] = {
        "complete": lambda queue, token: queue.complete("J1", token),
        "fail": lambda queue, token: queue.fail("J1", token, "x"),
        "renew": lambda queue, token: queue.renew("J1", token, 1000),
    }
    assert taken(busy, TypeError, calls, [None, 1, b"J1:1", ["J1:1"], True]) == []


@pytest.mark.parametrize(
    "call",
    [
        lambda queue, job_id: queue.view(job_id),
        lambda queue, job_id: queue.payload(job_id),
        lambda queue, job_id: queue.history(job_id),
        lambda queue, job_id: queue.cancel(job_id),
        lambda queue, job_id: queue.retry_dead(job_id),
        lambda queue, job_id: queue.complete(job_id, "J1:1"),
        lambda queue, job_id: queue.fail(job_id, "J1:1"),
        lambda queue, job_id: queue.renew(job_id, "J1:1", 1000),
    ],
    ids=["view", "payload", "history", "cancel", "retry_dead", "complete", "fail", "renew"],
)
def test_an_id_that_was_never_handed_out_is_unknown(busy: JobQueue, call: Call) -> None:
    """Only the exact text that submit returned names a job; the id is checked before state and token."""
    before = everything(busy, submitted=2)
    for job_id in ["J3", "J0", "J01", "j1", "J1 ", " J1", "1", "", "J-1", "J1:1", "J" + "9" * 5000]:
        refusal = outcome(call, busy, job_id)
        assert isinstance(refusal, UnknownJobError), f"{job_id:.20}: {refusal}"
        assert job_id[:20] in str(refusal)
    assert everything(busy, submitted=2) == before


@checked_first
@pytest.mark.parametrize(
    ("value", "error"),
    [(-1, ValueError), (True, TypeError), (1.0, TypeError), ("1", TypeError), (2**53, ValueError)],
)
def test_a_senseless_retention_is_refused(make_queue: Any, value: Any, error: type[Exception]) -> None:
    """keep_finished is a number of jobs, or None for all of them."""
    with pytest.raises(error):
        make_queue(ManualClock(), RetryPolicy(3, 1000, 60_000), keep_finished=value)


@pytest.mark.parametrize(
    "call",
    [
        lambda queue: queue.poll("w", 0),
        lambda queue: queue.poll("", 1000),
        lambda queue: queue.poll("w", 1000, types=[]),
        lambda queue: queue.submit("mail", cost=0),
        lambda queue: queue.submit("mail", "\0"),
        lambda queue: queue.renew("J1", "J1:1", 0),
        lambda queue: queue.renew("J1", None, 1000),
        lambda queue: queue.complete("J1", None),
        lambda queue: queue.fail("J1", None),
    ],
)
@checked_first
def test_arguments_are_checked_before_anything_is_settled(
    queue: JobQueue, clock: ManualClock, log: EventLog, call: Callable[[JobQueue], Any]
) -> None:
    """A call with bad arguments does not even settle a lease that is over."""
    queue.submit("mail")
    polled(queue, lease_millis=1000)
    clock.advance_to(1000)
    with pytest.raises((TypeError, ValueError)):
        call(queue)
    assert [event.kind for event in log.events] == ["submitted", "leased"]


def test_what_is_due_is_settled_before_the_id_is_looked_up(
    queue: JobQueue, clock: ManualClock, log: EventLog
) -> None:
    """A call for an unknown job is refused after it has settled what was due."""
    queue.submit("mail")
    polled(queue, lease_millis=1000)
    clock.advance_to(1000)
    with pytest.raises(UnknownJobError):
        queue.complete("J9", "J9:1")
    assert [event.kind for event in log.events][2:] == ["lease_expired", "retry_scheduled"]


def test_a_refused_submit_uses_up_no_id(queue: JobQueue) -> None:
    """Ids have no gaps, however many calls were refused in between."""
    assert isinstance(outcome(queue.submit, "mail", cost=0), ValueError)
    assert isinstance(outcome(queue.submit, ""), ValueError)
    assert isinstance(outcome(queue.submit, "mail", "\0"), ValueError)
    assert queue.submit("mail") == "J1"
    assert isinstance(outcome(queue.submit, "mail", 3), TypeError)
    assert queue.submit("mail") == "J2"
