"""What the queue refuses before it looks at any job."""

from __future__ import annotations

import pytest

from jobqueue import JobQueueError, ManualClock, RetryPolicy, UnknownJobError
from tests.contract.observing import everything, outcome, polled

LARGEST = 2**53 - 1
NOT_INTEGERS = [True, False, 1.0, 1.5, "1", b"1", [1]]

INTEGER_ARGUMENTS = {
    "priority": lambda queue, value: queue.submit("mail", "", value),
    "run_at_millis": lambda queue, value: queue.submit("mail", "", 0, value),
    "cost": lambda queue, value: queue.submit("mail", cost=value),
    "lease_millis of poll": lambda queue, value: queue.poll("w", value),
    "lease_millis of renew": lambda queue, value: queue.renew("J1", "J1:1", value),
}
NAME_ARGUMENTS = {
    "type": lambda queue, value: queue.submit(value),
    "tenant": lambda queue, value: queue.submit("mail", tenant=value),
    "worker": lambda queue, value: queue.poll(value, 1000),
    "types": lambda queue, value: queue.poll("w", 1000, types=["mail", value]),
}


@pytest.fixture
def busy(queue):
    """Return a queue where J1 is running and J2 is ready."""
    queue.submit("mail")
    polled(queue, lease_millis=5000)
    queue.submit("mail")
    return queue


def refuse(queue, error, call, *values, match=None):
    """Assert that the call is refused with `error` and changed nothing that can be seen."""
    before = everything(queue, submitted=2)
    with pytest.raises(error, match=match) as refusal:
        call(queue, *values)
    assert not isinstance(refusal.value, JobQueueError), "a bad argument is the caller's fault, not a state"
    assert everything(queue, submitted=2) == before
    assert queue.submit("next") == "J3", "a refused call uses up no id"


@pytest.mark.parametrize("value", NOT_INTEGERS)
@pytest.mark.parametrize("argument", INTEGER_ARGUMENTS)
def test_what_is_no_integer_is_a_type_error(busy, argument, value):
    """An integer argument takes an int and nothing that resembles one; a bool is none."""
    refuse(busy, TypeError, INTEGER_ARGUMENTS[argument], value)


@pytest.mark.parametrize("argument", [name for name in INTEGER_ARGUMENTS if name != "run_at_millis"])
def test_none_is_no_integer(busy, argument):
    """Only run_at_millis may be left open with None."""
    refuse(busy, TypeError, INTEGER_ARGUMENTS[argument], None)


@pytest.mark.parametrize("value", [LARGEST + 1, -LARGEST - 1, 10**30])
@pytest.mark.parametrize("argument", INTEGER_ARGUMENTS)
def test_an_integer_beyond_the_range_of_json_is_a_value_error(busy, argument, value):
    """Integers stay within +-(2**53 - 1), so that every client can represent them."""
    refuse(busy, ValueError, INTEGER_ARGUMENTS[argument], value)


@pytest.mark.parametrize("value", [LARGEST, -LARGEST])
@pytest.mark.parametrize("argument", ["priority", "run_at_millis"])
def test_the_ends_of_the_range_are_accepted(busy, argument, value):
    """The largest and the smallest integer are still integers; negative priorities and instants are fine."""
    assert INTEGER_ARGUMENTS[argument](busy, value) == "J3"
    view = busy.view("J3")
    assert value in (view.priority, view.next_run_at)


def test_the_longest_lease_is_accepted(queue):
    """A lease may be as long as an integer goes."""
    queue.submit("mail")
    assert polled(queue, lease_millis=LARGEST).lease_until == LARGEST


@pytest.mark.parametrize("value", [0, -1, -LARGEST])
@pytest.mark.parametrize("argument", ["lease_millis of poll", "lease_millis of renew"])
def test_a_lease_that_would_be_over_at_once_is_refused(busy, argument, value):
    """A lease lasts at least one millisecond."""
    refuse(busy, ValueError, INTEGER_ARGUMENTS[argument], value)


@pytest.mark.parametrize("value", [0, -1, 1_000_001])
def test_a_cost_outside_one_to_a_million_is_refused(busy, value):
    """Cost runs from 1 to 1,000,000."""
    refuse(busy, ValueError, INTEGER_ARGUMENTS["cost"], value)


@pytest.mark.parametrize("value", [1, 1_000_000])
def test_the_smallest_and_the_largest_cost_are_accepted(queue, value):
    """Cost runs from 1 to 1,000,000, both included."""
    assert queue.view(queue.submit("mail", cost=value)).cost == value


@pytest.mark.parametrize("value", [None, 3, b"mail", ["mail"], True])
@pytest.mark.parametrize("argument", NAME_ARGUMENTS)
def test_a_name_that_is_no_text_is_a_type_error(busy, argument, value):
    """Type, worker and tenant are str."""
    refuse(busy, TypeError, NAME_ARGUMENTS[argument], value)


@pytest.mark.parametrize("value", ["", " ", "\t\n", "\u2003\u00a0", "x" * 201])
@pytest.mark.parametrize("argument", NAME_ARGUMENTS)
def test_a_name_that_is_blank_or_too_long_is_refused(busy, argument, value):
    """Names have 1 to 200 characters and are not blank, whatever kind of space they are made of."""
    refuse(busy, ValueError, NAME_ARGUMENTS[argument], value)


@pytest.mark.parametrize("value", ["m\0", "\0", "a\ud800b", "\udfff", "\ud83d\ude00"])
@pytest.mark.parametrize("argument", NAME_ARGUMENTS)
def test_a_name_that_no_store_could_keep_is_refused_by_field(busy, argument, value):
    """A NUL or a lone surrogate is refused here, by the field's name, rather than by a database later."""
    refuse(busy, ValueError, NAME_ARGUMENTS[argument], value, match=argument.removesuffix("s"))


@pytest.mark.parametrize("value", ["x", "x" * 200, "\U0001f600" * 200, " mail ", "naïve"])
def test_any_other_name_is_accepted_as_it_is(queue, value):
    """Names are kept character by character: no trimming, no folding, length counted in code points."""
    job_id = queue.submit(value, tenant=value)
    lease = queue.poll(value, 1000, types=[value])
    assert (lease.job_id, lease.type, lease.worker_id, lease.tenant) == (job_id, value, value, value)


@pytest.mark.parametrize("value", ["a\0b", "\ud800", '["x", "\0"]'])
def test_a_payload_with_a_nul_or_a_lone_surrogate_is_refused(busy, value):
    """A payload is text that every store can keep; the message names the field."""
    refuse(busy, ValueError, lambda queue: queue.submit("mail", value), match="payload")


@pytest.mark.parametrize("value", [3, b"x", {"a": 1}, True])
def test_a_payload_that_is_no_text_is_a_type_error(busy, value):
    """The queue does not guess how a value should be written down."""
    refuse(busy, TypeError, lambda queue: queue.submit("mail", value))


@pytest.mark.parametrize("value", ["", " ", "\n", "\\u0000", '{"n": 1e400}', "\U0001f600", "x" * 100_000])
def test_any_other_payload_is_handed_out_as_it_came(queue, value):
    """A payload is opaque: it comes back character by character."""
    job_id = queue.submit("mail", value)
    assert queue.payload(job_id) == value
    assert polled(queue).payload == value


@pytest.mark.parametrize(
    ("types", "error"),
    [([], ValueError), ((), ValueError), (set(), ValueError), ("mail", TypeError), (3, TypeError)],
)
def test_a_filter_that_is_empty_or_a_single_text_is_refused(busy, types, error):
    """An empty filter could never match, and a bare str would be read letter by letter."""
    refuse(busy, error, lambda queue: queue.poll("w", 1000, types=types))


@pytest.mark.parametrize("token", [None, 1, b"J1:1", ["J1:1"], True])
@pytest.mark.parametrize(
    "call",
    [
        lambda queue, token: queue.complete("J1", token),
        lambda queue, token: queue.fail("J1", token, "x"),
        lambda queue, token: queue.renew("J1", token, 1000),
    ],
    ids=["complete", "fail", "renew"],
)
def test_a_token_that_is_no_text_is_a_type_error(busy, call, token):
    """A missing token is a mistake in the caller's code, not a stale lease."""
    refuse(busy, TypeError, call, token)


@pytest.mark.parametrize(
    "job_id", ["J3", "J0", "J01", "j1", "J1 ", " J1", "1", "", "J-1", "J1:1", "J" + "9" * 5000]
)
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
def test_an_id_that_was_never_handed_out_is_unknown(busy, call, job_id):
    """Only the exact text that submit returned names a job; the id is checked before state and token."""
    before = everything(busy, submitted=2)
    with pytest.raises(UnknownJobError) as refusal:
        call(busy, job_id)
    assert job_id[:20] in str(refusal.value)
    assert everything(busy, submitted=2) == before


@pytest.mark.parametrize(
    ("value", "error"),
    [(-1, ValueError), (True, TypeError), (1.0, TypeError), ("1", TypeError), (2**53, ValueError)],
)
def test_a_senseless_retention_is_refused(make_queue, value, error):
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
def test_arguments_are_checked_before_anything_is_settled(queue, clock, log, call):
    """A call with bad arguments does not even settle a lease that is over."""
    queue.submit("mail")
    polled(queue, lease_millis=1000)
    clock.advance_to(1000)
    with pytest.raises((TypeError, ValueError)):
        call(queue)
    assert [event.kind for event in log.events] == ["submitted", "leased"]


def test_what_is_due_is_settled_before_the_id_is_looked_up(queue, clock, log):
    """A call for an unknown job is refused after it has settled what was due."""
    queue.submit("mail")
    polled(queue, lease_millis=1000)
    clock.advance_to(1000)
    with pytest.raises(UnknownJobError):
        queue.complete("J9", "J9:1")
    assert [event.kind for event in log.events][2:] == ["lease_expired", "retry_scheduled"]


def test_a_refused_submit_uses_up_no_id(queue):
    """Ids have no gaps, however many calls were refused in between."""
    assert isinstance(outcome(queue.submit, "mail", cost=0), ValueError)
    assert isinstance(outcome(queue.submit, ""), ValueError)
    assert isinstance(outcome(queue.submit, "mail", "\0"), ValueError)
    assert queue.submit("mail") == "J1"
    assert isinstance(outcome(queue.submit, "mail", 3), TypeError)
    assert queue.submit("mail") == "J2"
