"""What a failed attempt leads to: another one later, or the end."""

from __future__ import annotations

from itertools import pairwise, product
from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import DeficitRoundRobin, EventLog, JobQueue, ManualClock, RetryBudget, RetryPolicy, WeightedBands
from tests.contract.observing import polled, use_policy

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.over_http

LONGEST_ERROR = 65_536


def fail_once(queue: JobQueue, error: Any) -> Any:
    """Submit a job, fail its first attempt with `error` and return its last_error."""
    job_id = queue.submit("mail")
    queue.fail(job_id, polled(queue).token, error)
    (row,) = queue.history(job_id)
    assert row.error == queue.view(job_id).last_error
    return row.error


def test_the_backoff_doubles_up_to_its_cap(make_queue: Callable[..., JobQueue], clock: ManualClock) -> None:
    """After the n-th attempt a job waits min(cap, base * 2**(n-1)) from the failure on."""
    queue = make_queue(clock, RetryPolicy(9, 1000, 60_000))
    queue.submit("mail")
    waits = []
    for _ in range(8):
        queue.fail("J1", polled(queue).token)
        waits.append(queue.view("J1").next_run_at - clock.now())
        clock.advance_to(queue.view("J1").next_run_at)
    assert waits == [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]


def test_the_backoff_counts_from_the_failure(queue: Any, clock: Any) -> None:
    """The wait begins when the worker reports, not when the job was polled or submitted."""
    queue.submit("mail")
    token = polled(queue, lease_millis=10_000).token
    clock.advance_to(700)
    assert queue.fail("J1", token, "x") is None
    view = queue.view("J1")
    assert (view.status, view.attempts, view.next_run_at, view.last_error) == ("PENDING", 1, 1700, "x")


def test_a_failed_job_is_ready_at_the_end_of_its_backoff_and_not_before(
    queue: JobQueue, clock: ManualClock
) -> None:
    """A retry is due at failure time + backoff exactly."""
    queue.submit("mail")
    queue.fail("J1", polled(queue).token)
    clock.advance_to(999)
    assert queue.poll("w", 1000) is None
    clock.advance_to(1000)
    assert polled(queue).attempt == 2


def test_the_second_backoff_is_the_second_also_when_expiries_are_noticed_late(
    queue: JobQueue, clock: ManualClock
) -> None:
    """The backoff goes by the number of the attempt, whatever ended it."""
    queue.submit("mail")
    polled(queue, lease_millis=1000)
    clock.advance_to(50_000)
    polled(queue, lease_millis=1000)
    clock.advance_to(90_000)
    assert queue.view("J1").next_run_at == 53_000


@pytest.mark.parametrize("endings", list(product(["failed", "expired"], repeat=3)))
def test_any_mix_of_three_failures_ends_a_job_with_three_attempts(
    queue: JobQueue, clock: ManualClock, endings: Any
) -> None:
    """Every kind of failure counts against the limit, in whatever order they come."""
    queue.submit("mail")
    for number, ending in enumerate(endings, start=1):
        lease = polled(queue, lease_millis=1000)
        assert lease.attempt == number
        if ending == "failed":
            queue.fail("J1", lease.token, "x")
        clock.advance(1000 + 4000)
    view = queue.view("J1")
    assert (view.status, view.attempts) == ("DEAD", 3)
    assert tuple(row.outcome for row in queue.history("J1")) == endings
    assert queue.poll("w", 1000) is None


@pytest.mark.not_over_http("the same a thousand times")
@pytest.mark.long_over_stores
def test_a_service_that_retries_for_ever_keeps_its_rhythm(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """After a thousand failures the gap is still exactly the cap, and nothing overflows."""
    queue = make_queue(clock, RetryPolicy(10**6, 1, 60_000))
    queue.submit("mail")
    failed_at = []
    for _ in range(1100):
        queue.fail("J1", polled(queue).token)
        failed_at.append(clock.now())
        clock.advance_to(queue.view("J1").next_run_at)
    gaps = [later - earlier for earlier, later in pairwise(failed_at)]
    assert gaps[:4] == [1, 2, 4, 8]
    assert gaps[-1000:] == [60_000] * 1000
    assert queue.view("J1").attempts == 1100


def test_a_success_on_the_last_attempt_is_a_success(queue: JobQueue, clock: ManualClock) -> None:
    """The limit counts hand-outs; it does not spoil the last one."""
    queue.submit("mail")
    for instant in (0, 1000, 3000):
        clock.advance_to(instant)
        lease = polled(queue)
        if lease.attempt < 3:
            queue.fail("J1", lease.token, f"attempt {lease.attempt}")
    queue.complete("J1", lease.token)
    view = queue.view("J1")
    assert (view.status, view.attempts, view.last_error) == ("SUCCEEDED", 3, "attempt 2")


def test_only_a_failed_attempt_changes_the_last_error(queue: JobQueue, clock: ManualClock) -> None:
    """Polls, renewals, successes and cancels leave last_error as it was."""
    queue.submit("mail")
    assert queue.view("J1").last_error is None
    queue.fail("J1", polled(queue).token, "first")
    clock.advance_to(1000)
    lease = polled(queue)
    assert queue.view("J1").last_error == "first"
    queue.renew("J1", lease.token, 5000)
    assert queue.view("J1").last_error == "first"
    queue.fail("J1", lease.token, "second")
    queue.cancel("J1")
    assert queue.view("J1").last_error == "second"


class BrokenError(Exception):
    """An exception that cannot even say what it is."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (None, "failed"),
        ("", ""),
        ("disk full", "disk full"),
        (ValueError("bad size"), "ValueError: bad size"),
        (KeyError("k"), "KeyError: 'k'"),
        (KeyboardInterrupt("stop"), "KeyboardInterrupt: stop"),
    ],
    ids=repr,
)
def test_an_error_is_kept_as_text(queue: JobQueue, error: Any, text: Any) -> None:
    """None reads as `failed`, an exception as its type and text, anything else as it came."""
    assert fail_once(queue, error) == text


def test_a_failure_without_a_word_is_still_a_failure(queue: JobQueue) -> None:
    """The error may be left out."""
    queue.submit("mail")
    queue.fail("J1", polled(queue).token)
    assert queue.view("J1").last_error == "failed"


@pytest.mark.parametrize(
    ("error", "text"),
    [
        ("a\0b", "a\ufffdb"),
        ("a\ud800b\udfff", "a\ufffdb\ufffd"),
        ("\ud83d\ude00", "\ufffd\ufffd"),
        (ValueError("a\0"), "ValueError: a\ufffd"),
        ("\U0001f600", "\U0001f600"),
    ],
    ids=ascii,
)
def test_characters_that_no_store_could_keep_are_replaced(queue: JobQueue, error: Any, text: Any) -> None:
    """A NUL or lone surrogate becomes U+FFFD; reporting a failure never fails."""
    assert fail_once(queue, error) == text


def test_an_error_of_the_largest_length_is_kept_whole(queue: JobQueue) -> None:
    """65,536 characters fit."""
    assert fail_once(queue, "x" * LONGEST_ERROR) == "x" * LONGEST_ERROR


@pytest.mark.parametrize("error", ["x" * (LONGEST_ERROR + 1), "x" * 1_000_000, ValueError("x" * LONGEST_ERROR)])
def test_a_longer_error_is_cut_with_a_note(queue: JobQueue, error: Any) -> None:
    """What is kept is 65,536 characters with the note, so that a report of any length is accepted."""
    text = fail_once(queue, error)
    assert len(text) == LONGEST_ERROR
    assert "cut" in text[-200:]
    assert text.startswith("ValueError: xx" if isinstance(error, ValueError) else "xx")


def test_an_exception_that_cannot_be_read_is_reported_by_its_type(queue: JobQueue) -> None:
    """Reporting a failure never fails, not even when the exception's own text does."""
    assert fail_once(queue, BrokenError()).startswith("BrokenError")


def test_a_dead_end_does_not_change_the_policy(make_queue: Callable[..., JobQueue], clock: ManualClock) -> None:
    """The limit of attempts is a setting, not a counter that rescues change."""
    policy = RetryPolicy(1, 1000, 60_000)
    queue = make_queue(clock, policy)
    queue.submit("mail")
    polled(queue, lease_millis=1000)
    clock.advance_to(1000)
    assert queue.poll("w", 1000) is None
    view = queue.view("J1")
    assert (view.status, view.attempts, view.last_error) == ("DEAD", 1, "lease expired")
    assert queue.dead_letters() == [view]
    assert policy == RetryPolicy(1, 1000, 60_000)


@pytest.mark.not_over_http("a policy belongs to the queue, and no request changes it")
def test_a_job_with_no_attempt_left_dies_where_it_would_be_handed_out(
    queue: JobQueue, clock: ManualClock, log: EventLog
) -> None:
    """The maximum was lowered while it waited: there is no attempt 3 of 2, and the poll goes on to the next."""
    queue.submit("mail")
    for instant in (0, 1000):
        clock.advance_to(instant)
        queue.fail("J1", polled(queue).token, "no route")
    clock.advance_to(4000)
    queue.submit("mail")
    queue.submit("mail", priority=1)
    use_policy(queue, RetryPolicy(2, 1000, 60_000))
    assert queue.next_up(9) == ["J3", "J2"]
    assert queue.why_not("J1") == "it has had 2 of 2 attempts, and will die instead of being handed out"
    assert polled(queue).job_id == "J3"
    assert (queue.view("J1").status, queue.why_not("J2")) == ("PENDING", "it is next")
    assert polled(queue).job_id == "J2"
    dead = queue.view("J1")
    assert (dead.status, dead.dead_reason, dead.failed_at) == ("DEAD", "attempts_exhausted", 4000)
    assert (dead.attempts, dead.last_error, len(queue.history("J1"))) == (2, "no route", 2)
    (told,) = [event for event in log.events if event.kind == "dead_lettered"]
    assert (told.at, told.worker_id, dict(told.detail)) == (4000, None, {"reason": "attempts_exhausted"})
    assert log.replay(4000).dead_letters() == queue.dead_letters()
    queue.retry_dead("J1")
    assert polled(queue).attempt == 1


IN_TURNS = ["J3", "J2", "J6", "J4", "J7", "J5"]


@pytest.mark.not_over_http("a policy belongs to the queue, and no request changes it")
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, ["J2", "J4", "J5", "J3", "J6", "J7"]),
        ({"retry_budget": RetryBudget()}, ["J2", "J4", "J5", "J3", "J6", "J7"]),
        ({"scheduler": WeightedBands("HN")}, IN_TURNS),
        ({"scheduler": WeightedBands("HN", tenants=DeficitRoundRobin(10))}, IN_TURNS),
    ],
    ids=["strict", "budget", "bands", "credit"],
)
def test_a_job_with_no_attempt_left_takes_no_turn(
    make_queue: Callable[..., JobQueue], clock: ManualClock, options: Any, expected: Any
) -> None:
    """J1 dies in the fourth poll: that poll's slot, turn and credit are for J4, and J7 and J5 come after it."""
    queue = make_queue(clock, RetryPolicy(3, 0, 0), **options)
    queue.submit("mail", priority=1, tenant="a", cost=7)
    for _ in range(2):
        queue.fail("J1", polled(queue).token)
    for tenant, priority in (("b", 1), ("a", 0), ("a", 1), ("b", 1), ("a", 0), ("a", 0)):
        queue.submit("mail", priority=priority, tenant=tenant, cost=7)
    use_policy(queue, RetryPolicy(2, 0, 0))
    assert queue.next_up(9) == expected
    assert [lease.job_id for lease in queue.poll_many("w", 1000, 9)] == expected
    assert queue.view("J1").dead_reason == "attempts_exhausted"
