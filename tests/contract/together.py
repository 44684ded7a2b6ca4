"""Threads that start at one moment, and threads that meet at an exact step."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


def run_together(threads: int, work: Callable[[int], Any], timeout: float = 60) -> list[Any]:
    """Run `work(0)`, `work(1)`, ... in threads that meet at a barrier first, and return their results.

    The threads are daemons and are waited for with a limit, so that a deadlock fails the test, not the run.

    Raises:
        AssertionError: a thread is still running after `timeout` seconds.
        BaseException: whatever the first thread that failed raised.
    """
    barrier = threading.Barrier(threads)
    results: list[Any] = [None] * threads
    failures: list[BaseException] = []

    def run(number: int) -> None:
        try:
            barrier.wait(timeout)
            results[number] = work(number)
        except BaseException as failure:  # carried over to the thread that runs the test
            failures.append(failure)

    started = [threading.Thread(target=run, args=(number,), daemon=True) for number in range(threads)]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join(timeout)
    assert not any(thread.is_alive() for thread in started), "a thread hangs: deadlock"
    if failures:
        raise failures[0]
    return results


def run_interrupted(
    step: int,
    work: Callable[[], Any],
    intruder: Callable[[], Any],
    *,
    by: str = "line",
    since: Callable[[], Any] = lambda: True,
    patience: float = 0.01,
) -> list[Any] | None:
    """Run `work`, and when it is at its n-th step, `intruder` in another thread; return what both returned.

    Trying step 1, 2, 3, ... until None is returned meets every place where a thread switch could matter, which
    luck would not. If the intruder has to wait for `work` (that is what a lock is for), work goes on meanwhile.

    Args:
        step: which step, counted from 1.
        work: what this thread does.
        intruder: what the other thread does.
        by: "line" counts lines, "opcode" the smaller steps that a line consists of.
        since: steps count once this is true.
        patience: for how many seconds an intruder may run before it is taken to wait.

    Returns:
        The two results, or None if `work` has fewer steps; then the intruder has not run.
    """
    results: list[Any] = []
    other = threading.Thread(target=lambda: results.append(intruder()), daemon=True)
    steps_left = step

    def trace(frame: Any, what: str, _arg: object) -> Any:
        nonlocal steps_left
        frame.f_trace_opcodes = by == "opcode"
        if what == by and since():
            steps_left -= 1
            if steps_left == 0:
                other.start()
                other.join(patience)
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        result = work()
    finally:
        sys.settrace(before)
    if steps_left > 0:
        return None
    other.join(20)
    assert not other.is_alive(), "the other thread hangs: deadlock"
    assert results, "the other thread raised"
    return [result, *results]
