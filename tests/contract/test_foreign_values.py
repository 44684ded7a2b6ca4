"""Values that bring code of their own: subclasses, broken errors, wrong clocks. The queue runs none of it."""

import copy
import json
import pickle
from typing import Any

import pytest

from jobqueue import EventLog, JobQueue, ManualClock, RetryPolicy, StaleTokenError


class Negless(int):
    """An int that cannot be negated, as ordering by priority does."""

    def __neg__(self) -> int:
        raise ArithmeticError("no")


class Hashless(str):
    """A str that cannot be a key."""

    __slots__ = ()

    def __hash__(self) -> int:
        raise ArithmeticError("no")


class Yes(str):
    """A str that is equal to everything."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return True


class Liar(int):
    """An int that is between any two numbers."""

    def __le__(self, other: Any) -> Any:
        return True

    __ge__ = __lt__ = __gt__ = __le__


def test_a_subclass_is_taken_for_the_plain_value_that_it_is(queue: Any) -> None:
    """What is stored of an int or str subclass is an exact int or str, without its code."""
    assert queue.submit(Hashless("mail"), Yes("p"), Negless(3), tenant=Hashless("acme")) == "J1"
    lease = queue.poll(Yes("a"), Negless(1000))
    assert [type(value) for value in (lease.type, lease.payload, lease.worker_id, lease.tenant)] == [str] * 4
    assert (type(queue.view("J1").priority), type(lease.lease_until)) == (int, int)


def test_a_token_that_is_equal_to_everything_opens_nothing(queue: JobQueue) -> None:
    """Tokens are compared as the texts that they are."""
    queue.submit("mail")
    queue.poll("a", 1000)
    with pytest.raises(StaleTokenError):
        queue.complete("J1", Yes("J1:9"))


@pytest.mark.parametrize(("name", "value"), [("cost", Liar(-5)), ("priority", Liar(2**60))])
def test_a_number_that_lies_about_its_size_is_refused(queue: JobQueue, name: str, value: Any) -> None:
    """Limits are checked on the plain number; a refused submit leaves nothing behind."""
    with pytest.raises(ValueError, match=name):
        queue.submit("mail", **{name: value})
    assert queue.submit("mail") == "J1"


class InterruptingError(Exception):
    """An error whose text interrupts the program."""

    def __str__(self) -> str:
        raise KeyboardInterrupt


class DisguisedError(Exception):
    """An error that raises when asked for its class."""

    @property  # type: ignore[misc]
    def __class__(self) -> None:  # type: ignore[override]
        raise ArithmeticError("no")


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (InterruptingError, "InterruptingError: (its text could not be read)"),
        (DisguisedError, "DisguisedError"),
    ],
)
def test_reporting_a_failure_never_fails(queue: Any, error: Any, text: Any) -> None:
    """Whatever an error object does when it is asked, the failure is recorded."""
    queue.submit("mail")
    lease = queue.poll("a", 1000)
    queue.fail("J1", lease.token, error())
    assert queue.view("J1").last_error == text


@pytest.mark.parametrize("instant", [1.5, True, None, "5"])
def test_a_clock_that_tells_no_instant_is_refused(instant: Any) -> None:
    """What a clock tells must be an int."""

    class Broken:
        def now(self) -> Any:
            return instant

    with pytest.raises(TypeError, match="now"):
        JobQueue(Broken(), RetryPolicy(1, 0, 0))


def test_a_clock_cannot_be_moved_past_the_last_instant() -> None:
    """The sum counts, not only the step; nothing has moved after the refusal."""
    clock = ManualClock(2**53 - 2)
    with pytest.raises(ValueError, match="instant"):
        clock.advance(2)
    assert clock.now() == 2**53 - 2


def test_no_instant_is_past_the_last_one(make_queue: Any) -> None:
    """A lease and a retry that would reach past the largest integer end there, and the log can be replayed."""
    clock = ManualClock(2**53 - 1000)
    queue, log = make_queue(clock, RetryPolicy(3, 5000, 5000)), None
    queue.submit("mail")
    lease = queue.poll("a", 10_000)
    assert lease.lease_until == 2**53 - 1
    queue.fail("J1", lease.token)
    assert (queue.view("J1").next_run_at, log) == (2**53 - 1, None)


def test_an_event_can_be_copied_pickled_and_written_as_json(queue: JobQueue, log: EventLog) -> None:
    """The detail is read-only and yet an ordinary value."""
    queue.submit("mail", "hello")
    event = log.events[0]
    assert copy.deepcopy(event) == pickle.loads(pickle.dumps(event)) == event
    assert json.loads(json.dumps(event.detail))["payload"] == "hello"
    for change in (lambda d: d.update(x=1), lambda d: d.pop("type"), lambda d: d.clear()):
        with pytest.raises(TypeError):
            change(event.detail)  # type: ignore[no-untyped-call]


def test_a_refused_token_is_kept_only_as_far_as_it_could_be_one(queue: JobQueue, log: EventLog) -> None:
    """A log does not grow by what somebody sends in place of a token."""
    queue.submit("mail")
    queue.poll("a", 1000)
    with pytest.raises(StaleTokenError):
        queue.complete("J1", "x" * 1_000_000)
    assert len(json.dumps(log.events[-1].detail)) < 1000


def test_a_replay_from_before_the_first_event_stands_where_it_was_asked_to(
    queue: Any, log: Any, clock: Any
) -> None:
    """Between the queue's beginning and its first event there was a queue, an empty one."""
    clock.advance_to(200)
    queue.submit("mail")
    clock.advance_to(500)
    assert log.replay(150).submit("mail") == "J1"
    assert log.replay(150).sweep() == 0
    with pytest.raises(TypeError, match="now"):
        log.replay("5")


def test_only_a_function_can_subscribe(queue: Any) -> None:
    """A subscriber that could not be called would be found out too late."""
    with pytest.raises(TypeError, match="subscriber"):
        queue.subscribe(None)
