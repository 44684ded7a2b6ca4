"""Finds and ends the processes that an answer has started, also those that left its process group.

Linux shows every process in /proc. There a process belongs to the answer if it descends from the answer's
process, or has the answer's mark in its environment. Elsewhere only the process group is known.
"""

import os
import signal
import time
from collections.abc import Iterator

MARK = "JOBKIT_ANSWER"
SHORTEST_MARK = 16
LONGEST_HUNT_SECONDS = 1.0  # a fork bomb may breed as fast as it is hunted; the rest is left to its limits
SET_CHILD_SUBREAPER = 36  # from <linux/prctl.h>


def adopt_orphans() -> None:
    """Let descendants whose parents ended become this process's own children, so that they stay findable."""
    try:
        import ctypes  # noqa: PLC0415  slow to load, and only Linux needs it

        ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (ImportError, OSError, AttributeError, TypeError):
        return


def end_process_tree(mark: str, root: int | None) -> None:
    """Kill everything that belongs to the answer, except the root itself and the process that calls.

    Args:
        mark: What the answer's environment carries under `MARK`; a text that nobody else has.
        root: The answer's own process; what descends from it is found while it is not yet waited for. None when
            it has been: then only the mark tells. Never a number that stands for more than one process.

    Raises:
        ValueError: The mark is too short to be unique, or the root is no process of ours. As everything
            descends from the first process, a wrong root would end the whole machine's work.
    """
    if len(mark) < SHORTEST_MARK:
        raise ValueError(f"the mark {mark!r} is too short to tell an answer's processes from others")
    if root is not None and (root <= 1 or root == os.getpid()):
        raise ValueError(f"process {root} is not that of an answer")
    spared = {root, os.getpid(), os.getppid()}
    until = time.monotonic() + LONGEST_HUNT_SECONDS
    while found := set(_members(f"{MARK}={mark}".encode(), root)) - spared:
        for pid in found:
            _kill(pid)
        if time.monotonic() > until:
            return


def _members(mark: bytes, root: int | None) -> Iterator[int]:
    parents = dict(_living())
    for pid in parents:
        if (root is not None and _descends(pid, root, parents)) or mark in _environment(pid):
            yield pid


def _descends(pid: int, root: int, parents: dict[int, int]) -> bool:
    seen: set[int] = set()
    while pid in parents and pid not in seen:  # read one by one, so numbers reused meanwhile may form a ring
        seen.add(pid)
        pid = parents[pid]
        if pid == root:
            return True
    return False


def _living() -> Iterator[tuple[int, int]]:
    """All processes that have not ended yet, each with its parent."""
    try:
        numbers = [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208  pathlib loads slowly
    except OSError:
        return
    for pid in numbers:
        # The name may hold spaces and brackets; after the last bracket come the state and the parent.
        state, parent = (*_read(f"/proc/{pid}/stat").rpartition(b")")[2].split()[:2], b"", b"")[:2]
        if parent and state not in {b"Z", b"X"}:
            yield pid, int(parent)


def _environment(pid: int) -> list[bytes]:
    return _read(f"/proc/{pid}/environ").split(b"\0")


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:  # noqa: PTH123  pathlib loads slowly
            return file.read()
    except OSError:  # ended meanwhile, or somebody else's
        return b""


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        return
