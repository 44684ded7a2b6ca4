"""The retry policy: how often, and how long to wait in between."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from jobqueue import RetryPolicy


@pytest.mark.parametrize(
    ("attempt", "millis"),
    [
        (1, 1000),
        (2, 2000),
        (3, 4000),
        (4, 8000),
        (5, 16_000),
        (6, 32_000),
        (7, 60_000),
        (8, 60_000),
        (9, 60_000),
    ],
)
def test_the_wait_doubles_from_base_to_cap(attempt: Any, millis: Any) -> None:
    """After the n-th attempt: min(cap, base * 2**(n-1))."""
    assert RetryPolicy(3, 1000, 60_000).backoff_millis(attempt) == millis


@pytest.mark.parametrize("attempt", [62, 63, 64, 65, 66, 1000, 1024, 1075, 100_000, 10**9, 2**53 - 1])
def test_a_late_attempt_waits_for_the_cap(attempt: Any) -> None:
    """There is no overflow and no power too large to compute, however late the attempt."""
    assert RetryPolicy(3, 1, 60_000).backoff_millis(attempt) == 60_000
    assert RetryPolicy(3, 1, 2**53 - 1).backoff_millis(attempt) == 2**53 - 1


def test_the_wait_is_exact_where_floats_are_not() -> None:
    """Integers only: beyond the precision of a float no millisecond is lost."""
    base = 2**50 + 1
    assert RetryPolicy(3, base, 2**53 - 1).backoff_millis(2) == 2**51 + 2
    assert RetryPolicy(3, base, 2**53 - 1).backoff_millis(3) == 2**52 + 4
    assert RetryPolicy(3, base, 2**53 - 1).backoff_millis(4) == 2**53 - 1
    assert type(RetryPolicy(3, 1000, 60_000).backoff_millis(1)) is int


@pytest.mark.parametrize("attempt", [1, 2, 64, 100_000, 2**53 - 1])
def test_a_base_of_zero_never_waits(attempt: Any) -> None:
    """Nothing doubled stays nothing, with whatever cap."""
    assert RetryPolicy(3, 0, 60_000).backoff_millis(attempt) == 0
    assert RetryPolicy(3, 0, 0).backoff_millis(attempt) == 0


@pytest.mark.parametrize("attempt", [1, 2, 64])
def test_a_base_at_its_cap_always_waits_the_same(attempt: Any) -> None:
    """A base that equals the cap is allowed and means a constant wait."""
    assert RetryPolicy(3, 500, 500).backoff_millis(attempt) == 500


def test_the_limit_of_attempts_does_not_change_the_wait() -> None:
    """The wait is a matter of base and cap alone, also past the limit."""
    assert [RetryPolicy(n, 10, 99).backoff_millis(4) for n in (1, 3, 10**6)] == [80, 80, 80]


@pytest.mark.parametrize(
    "values",
    [
        (0, 1, 2),
        (-1, 1, 2),
        (3, -1, 2),
        (3, 0, -1),
        (3, -2, -1),
        (3, 3, 2),
        (3, 1, 0),
        (3, 0, 2**53),
        (2**53, 0, 0),
    ],
)
def test_a_policy_that_makes_no_sense_is_refused(values: Any) -> None:
    """At least one attempt, no negative wait, a base within the cap, integers within +-(2**53 - 1)."""
    with pytest.raises(ValueError, match=r"\d"):
        RetryPolicy(*values)


@pytest.mark.parametrize("value", [2.5, 3.0, True, "3", None, b"3"])
@pytest.mark.parametrize("position", [0, 1, 2])
def test_a_policy_takes_integers_alone(position: Any, value: Any) -> None:
    """A float, a bool or a text is no number of attempts and no duration."""
    values = [3, 1, 60_000]
    values[position] = value
    with pytest.raises(TypeError):
        RetryPolicy(*values)


@pytest.mark.parametrize(
    ("attempt", "error"), [(0, ValueError), (-1, ValueError), (1.0, TypeError), (True, TypeError)]
)
def test_there_is_no_wait_after_no_attempt(attempt: Any, error: Any) -> None:
    """Attempts count from 1."""
    with pytest.raises(error):
        RetryPolicy(3, 1000, 60_000).backoff_millis(attempt)


def test_a_policy_is_a_frozen_value() -> None:
    """Equal numbers are equal policies, and none can be changed under a queue that uses it."""
    policy = RetryPolicy(max_attempts=3, base_backoff_millis=1000, max_backoff_millis=60_000)
    assert policy == RetryPolicy(3, 1000, 60_000)
    assert policy != RetryPolicy(4, 1000, 60_000)
    with pytest.raises(dataclasses.FrozenInstanceError):
        policy.max_attempts = 4  # type: ignore[misc]
