"""When to look at a file again: at once where the system tells of changes, else a few times a second.

Nothing here decides whether a file has changed: who looks compares what it holds. So an event too many costs
nothing, and a missed one (a network folder, a folder that was deleted and came back) is made up for by the next
look.
"""

import importlib.util
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from exercises.grader.judging.answers import read_regular

POLL_SECONDS = 0.3
SURE_MILLIS = 2_000  # even without an event: a folder that was replaced sends none
SETTLE_SECONDS = 0.05
MOST_SETTLING = 20
DEBOUNCE_MILLIS = 200

Looks = Callable[[Path], Iterator[None]]


def way(*, poll: bool) -> tuple[Looks, str]:
    """Choose how to notice changes; return it with the words for it."""
    if poll:
        return polled, f"looking every {POLL_SECONDS} s"
    if importlib.util.find_spec("watchfiles") is None:
        return (
            polled,
            f"looking every {POLL_SECONDS} s; with jobkit[watch] installed the system tells of changes",
        )
    return told, "the system tells of changes"


def polled(path: Path) -> Iterator[None]:
    """Say when to look at the file: a few times a second, for ever."""
    del path
    while True:
        yield
        time.sleep(POLL_SECONDS)


def told(path: Path) -> Iterator[None]:
    """Say when to look at the file: when the system tells of a change in its folder, now and then anyway."""
    from watchfiles import watch  # noqa: PLC0415  an extra

    yield
    while True:
        try:
            changes = watch(
                path.parent,
                watch_filter=lambda _, changed: Path(changed).name == path.name,
                debounce=DEBOUNCE_MILLIS,
                rust_timeout=SURE_MILLIS,
                yield_on_timeout=True,
                recursive=False,
            )
            for _ in changes:
                yield
        except OSError:  # the folder is gone, or the system has no more watches to give
            yield
            time.sleep(POLL_SECONDS)


def changed(path: Path, seen: bytes | None, most_bytes: int) -> bytes | None:
    """Read a file; None if there is none. If it is not what was seen, wait until it holds still.

    An editor may empty a file before it writes.

    Raises:
        OSError: It is there and cannot be read.
    """
    now = _contents(path, most_bytes)
    for _ in range(MOST_SETTLING):
        if now == seen:
            break
        time.sleep(SETTLE_SECONDS)
        before, now = now, _contents(path, most_bytes)
        if now == before:
            break
    return now


def _contents(path: Path, most_bytes: int) -> bytes | None:
    try:
        return read_regular(path, most_bytes)
    except FileNotFoundError:
        return None
