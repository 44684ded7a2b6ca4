"""How near a call of the core is: functions, files and levels, so that layers cannot grow back unseen."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import jobqueue
from jobqueue import JobQueue, ManualClock, RetryPolicy

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

OURS = str(Path(jobqueue.__file__).parent)
MOST_FUNCTIONS, MOST_FILES, MOST_LEVELS = 30, 8, 6
MOST_LINES_TO_READ = 716


def walked(call: Callable[[], Any]) -> tuple[Any, int, int, int]:
    """Return what a call returns, and how many of our functions, files and levels it goes through."""
    functions, files, depth, deepest = 0, set[str](), 0, 0

    def look(frame: FrameType, event: str, _: object) -> None:
        nonlocal functions, depth, deepest
        if not frame.f_code.co_filename.startswith(OURS):
            return
        if event == "call":
            functions, depth = functions + 1, depth + 1
            deepest = max(deepest, depth)
            files.add(frame.f_code.co_filename)
        elif event == "return":
            depth -= 1

    sys.setprofile(look)
    try:
        returned = call()
    finally:
        sys.setprofile(None)
    return returned, functions, len(files), deepest


@pytest.mark.parametrize("call", ["submit", "poll", "complete"])
def test_a_call_with_default_options_stays_near(call: str) -> None:
    """At most 30 of our functions, in 8 files, 6 levels deep: options cost nothing until somebody asks."""
    queue = JobQueue(ManualClock(), RetryPolicy(3, 1000, 60_000))
    queue.submit("mail")
    queue.submit("mail")
    lease, *polled = walked(lambda: queue.poll("worker-a", 30_000))
    calls = {
        "submit": walked(lambda: queue.submit("mail"))[1:],
        "poll": tuple(polled),
        "complete": walked(lambda: queue.complete(lease.job_id, lease.token))[1:],
    }
    functions, files, levels = calls[call]
    assert 0 < functions <= MOST_FUNCTIONS
    assert 0 < files <= MOST_FILES
    assert 0 < levels <= MOST_LEVELS


def test_the_queue_is_read_in_three_short_files() -> None:
    """Record, rules and operations have at most 716 lines together: what isn't the idea is elsewhere."""
    files = ("model.py", "lifecycle.py", "queue.py")
    lines = [len((Path(OURS) / name).read_text(encoding="utf-8").splitlines()) for name in files]
    assert sum(lines) <= MOST_LINES_TO_READ, dict(zip(files, lines, strict=True))
