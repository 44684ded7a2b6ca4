"""The clocks: one that is moved by hand, one that shows wall time."""

from __future__ import annotations

import time
from functools import partial
from itertools import count
from typing import Any

import pytest

from jobqueue import ManualClock, SystemClock
from tests.contract.together import run_interrupted, run_together


def test_a_manual_clock_starts_at_zero_or_where_it_is_told() -> None:
    """The first instant is an argument; before 0 is an instant too."""
    assert ManualClock().now() == 0
    assert ManualClock(250).now() == 250
    assert ManualClock(start=-5).now() == -5


def test_a_manual_clock_moves_only_by_hand() -> None:
    """It moves by a duration or to an instant, and stands in between."""
    clock = ManualClock(10)
    clock.advance(5)
    assert (clock.now(), clock.now()) == (15, 15)
    clock.advance_to(100)
    assert clock.now() == 100
    clock.advance(0)
    clock.advance_to(100)
    assert clock.now() == 100


@pytest.mark.parametrize(
    "move", [lambda c: c.advance(-1), lambda c: c.advance_to(9), lambda c: c.advance_to(-10)]
)
def test_a_manual_clock_refuses_to_go_back(move: Any) -> None:
    """Time never goes back, and a refused move leaves the clock where it was."""
    clock = ManualClock(10)
    with pytest.raises(ValueError, match=r"-?\d"):
        move(clock)
    assert clock.now() == 10


@pytest.mark.parametrize("value", [1.0, "1", None, True])
@pytest.mark.parametrize(
    "move", [ManualClock, lambda v: ManualClock().advance(v), lambda v: ManualClock().advance_to(v)]
)
def test_a_manual_clock_takes_whole_milliseconds(move: Any, value: Any) -> None:
    """Instants and durations are int; a bool is none."""
    with pytest.raises(TypeError):
        move(value)


def test_threads_that_advance_a_manual_clock_lose_no_step() -> None:
    """Eight threads move it 2,000 times each by 1."""
    clock = ManualClock()
    run_together(8, lambda _n: [clock.advance(1) for _ in range(2000)])  # type: ignore[func-returns-value]
    assert clock.now() == 16_000


def test_two_threads_that_advance_a_clock_at_any_moment_both_count() -> None:
    """Wherever one thread breaks into the step of another, both steps are made."""
    # CPython 3.12 reports no instruction of a function on the first run under a tracer.
    run_interrupted(1, partial(ManualClock().advance, 1), partial(ManualClock().advance, 2), by="opcode")
    for step in count(1):
        clock = ManualClock()
        if run_interrupted(step, partial(clock.advance, 1), partial(clock.advance, 2), by="opcode") is None:
            break
        assert clock.now() == 3, f"met at instruction {step}"
    assert step > 5, "the threads never met"


def test_a_clock_does_not_go_back_whoever_moves_it_at_any_moment() -> None:
    """A jump that was checked before another thread jumped further does not undo the further jump."""

    def jump(clock: ManualClock, instant: Any) -> Any:
        try:
            clock.advance_to(instant)
        except ValueError:
            return "refused"
        return "moved"

    for step in count(1):
        clock = ManualClock()
        met = run_interrupted(step, partial(jump, clock, 5), partial(jump, clock, 9), by="opcode")
        if met is None:
            break
        assert clock.now() == 9, f"met at instruction {step}"
    assert step > 5, "the threads never met"


def test_a_reader_of_a_manual_clock_sees_time_go_forward() -> None:
    """While others move it, what one thread reads never decreases."""
    clock = ManualClock()

    def work(number: Any) -> Any:
        if number:
            return [clock.advance(1) for _ in range(1000)]  # type: ignore[func-returns-value]
        return [clock.now() for _ in range(1000)]

    readings = run_together(3, work)[0]
    assert readings == sorted(readings)
    assert clock.now() == 2000


def test_the_system_clock_shows_whole_milliseconds_since_the_epoch() -> None:
    """It lies between two readings of the wall clock."""
    before = int(time.time() * 1000)
    now = SystemClock().now()
    after = int(time.time() * 1000) + 1
    assert type(now) is int
    assert before - 1 <= now <= after
