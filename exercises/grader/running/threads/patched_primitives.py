"""Replaces Python's locks, queues and waits. Under a scheduler they report who waits; else they just work.

Only the innermost parts are replaced: locks, sleeping, the clock of time-outs. Condition, Semaphore, Event,
Barrier and queue.Queue are Python's own, built on them.
"""

import functools
import queue
import sys
import threading
import time
import weakref
from _thread import _count as running_threads
from _thread import allocate_lock, get_ident
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, ModuleType
from typing import Any, NoReturn, Protocol

NO_LIMIT = -1.0
_REAL_SLEEP, _REAL_NOW, _REAL_TIME = time.sleep, time.monotonic, time.time
_REAL_START = threading.Thread.start
BUILT_ON_LOCKS = {__name__, "threading", "queue", "contextlib"}
REAL_KINDS = (type(allocate_lock()), type(threading.RLock()))


class WaitsForEver(BaseException):
    """The only thread waits for a lock that nobody will give back."""


class WaitsForItself(WaitsForEver):
    """Nobody else has the lock: the call that waits for it has taken it already."""


class Waiting(Protocol):
    """What the scheduler offers to a thread that has the turn."""

    name: str
    muted: bool

    def here(self) -> int:
        """The line of the watched text in which it is."""

    def wait(self, lock: "Lock | None", seconds: float) -> bool:
        """Wait until the lock may be free; False when the time was over before."""

    def took(self, lock: "Lock") -> None:
        """Tell that the lock is taken."""

    def freed(self, lock: "Lock") -> None:
        """Tell that the lock is free: whoever waits for it may try again."""

    def give_way(self) -> None:
        """Let another thread go on, if one can."""


class Control:
    """Which threads run under a scheduler, how much time they skipped, how many others were started.

    `makes_code` says that the answer has made code out of a text (exec and the like): nobody sees inside it.
    `timed` says that somebody waited with a time limit; those who are `impatient` lose so many such waits at
    once, as if the others had taken longer than that.
    """

    def __init__(self) -> None:
        self.threads: dict[int, Waiting] = {}
        self.skipped = 0.0
        self.started = 0
        self.makes_code = self.timed = False
        self.impatient: dict[str, int] = {}

    def current(self) -> Waiting | None:
        """The calling thread, as its scheduler knows it."""
        return self.threads.get(get_ident())


CONTROL = Control()
LOCKS: "weakref.WeakSet[Lock]" = weakref.WeakSet()


class Lock:
    """A lock. Who holds it, and since which line, is for the report of a deadlock."""

    again = False  # whether the holder may take it once more
    wakes = False  # whether it is a condition's: then it is no lock that somebody forgot, but a missing notify

    def __init__(self) -> None:
        self._reset()
        LOCKS.add(self)

    def _reset(self) -> None:
        self._inner = allocate_lock()
        self._owner: int | None = None
        self._depth = 0
        self.holder, self.since = "", 0
        self._taker: FrameType | None = None  # of a single thread: the call of the answer that has it

    def acquire(self, blocking: bool = True, timeout: float = NO_LIMIT) -> bool:  # noqa: FBT001, FBT002  as threading has it
        """Take the lock, as `threading.Lock.acquire` does."""
        me = get_ident()
        if self.again and self._owner == me:
            self._depth += 1
            return True
        if not self._inner.acquire(blocking=False) and not self._wait(timeout if blocking else 0.0):
            return False
        self._owner, self._depth = me, 1
        thread = CONTROL.current()
        if thread is None:
            self._taker = _caller()
            self.holder, self.since = "", self._taker.f_lineno if self._taker else 0
        else:
            self.holder, self.since = thread.name, thread.here()
            thread.took(self)
        return True

    def _wait(self, seconds: float) -> bool:
        thread = CONTROL.current()
        if thread is None:
            # A thread that was started counts as running only later, and may be the one to give it back.
            alone = running_threads() <= 1 and not CONTROL.started and not self.wakes
            if seconds == NO_LIMIT and self._owner == get_ident() and alone:
                self._give_up()
            return self._inner.acquire(True, seconds)  # noqa: FBT003  the real lock's own signature
        if seconds == 0:
            thread.give_way()  # whoever asks again and again would never let the holder go on
            return self._inner.acquire(blocking=False)
        if seconds != NO_LIMIT:
            CONTROL.timed = True
            if CONTROL.impatient.get(thread.name, 0) > 0:
                CONTROL.impatient[thread.name] -= 1
                CONTROL.skipped += seconds
                return False
        while not self._inner.acquire(blocking=False):
            if not thread.wait(self, seconds):
                return False
        return True

    def _give_up(self) -> NoReturn:
        where = f" in line {self.since}" if self.since else ""
        frame = _caller()
        again = f" in line {frame.f_lineno}" if frame else ""
        while frame is not None and frame is not self._taker:
            frame = frame.f_back
        if frame is None:
            raise WaitsForEver(f"a lock that was taken{where} was never given back")
        twice = "the same call has taken this lock already"
        raise WaitsForItself(f"it asks for a lock{again}, and {twice}{where}")

    def release(self) -> None:
        """Give the lock back, as `threading.Lock.release` does."""
        if not self._inner.locked() or (self.again and self._owner != get_ident()):
            raise RuntimeError("release of a lock that is not held")
        self._depth -= 1
        if self.again and self._depth > 0:
            return
        self._owner, self.holder, self._taker = None, "", None
        self._inner.release()
        thread = CONTROL.current()
        if thread is not None:
            thread.freed(self)

    def locked(self) -> bool:
        """Whether somebody holds it."""
        return self._inner.locked()

    def open(self) -> None:
        """Make it free, whoever held it: a new run begins."""
        if self._inner.locked():
            self._reset()

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()

    def _is_owned(self) -> bool:  # threading.Condition asks for these three
        return self._owner == get_ident()

    def _release_save(self) -> int:
        depth, self._depth = self._depth, 1
        self.release()
        return depth

    def _acquire_restore(self, depth: int) -> None:
        self.acquire()
        self._depth = depth

    def _at_fork_reinit(self) -> None:
        self._reset()


class RLock(Lock):
    """A lock that its holder may take again."""

    again = True


class Waiter(Lock):
    """The lock that a Condition makes for each thread that waits to be notified."""

    wakes = True


class SimpleQueue(queue.Queue[Any]):
    """A queue in Python: the original is written in C and would wait where no scheduler sees it."""

    def __init__(self) -> None:
        super().__init__()


def _caller() -> FrameType | None:
    """The innermost call that is neither of this module nor of Python's own that are built on it."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001  there is no other way to ask
    while frame is not None and frame.f_globals.get("__name__") in BUILT_ON_LOCKS:
        frame = frame.f_back
    return frame


def sleep(seconds: float) -> None:
    """Sleep. Under a scheduler this takes no time: the clock moves on once no other thread can run."""
    thread = CONTROL.current()
    if thread is None:
        _REAL_SLEEP(seconds)
    elif seconds <= 0:
        thread.give_way()
    else:
        thread.wait(None, seconds)


def _start(thread: threading.Thread) -> None:
    CONTROL.started += 1  # nobody steers it, so nothing that is seen from now on is certain
    _REAL_START(thread)


def _not_now(_: Any) -> None:
    """Leave the tracing as it is: who is not seen cannot be steered, and such races would not be found."""


def _shifted(real: Callable[[], float]) -> Callable[[], float]:
    return lambda: real() + CONTROL.skipped


REPLACED: tuple[tuple[ModuleType | type, str, object], ...] = (
    (sys, "settrace", _not_now),
    (threading.Thread, "start", _start),
    (threading, "Lock", Lock),
    (threading, "RLock", RLock),
    (threading, "_allocate_lock", Waiter),
    (threading, "_time", _shifted(_REAL_NOW)),
    (functools, "RLock", RLock),  # of cached_property, in Python 3.11
    (queue, "SimpleQueue", SimpleQueue),
    (queue, "time", _shifted(_REAL_NOW)),
    (time, "sleep", sleep),
    (time, "monotonic", _shifted(_REAL_NOW)),
    (time, "time", _shifted(_REAL_TIME)),
)


@contextmanager
def patched() -> Iterator[None]:
    """Patch Python's modules for a while; what is made or imported meanwhile keeps the patched primitives."""
    before = [(module, name, getattr(module, name, None)) for module, name, _ in REPLACED]
    for module, name, ours in REPLACED:
        setattr(module, name, ours)
    try:
        yield
    finally:
        for module, name, real in before:
            setattr(module, name, real)


def adopt(namespace: Any) -> None:
    """Replace the real locks that a module or class made before: in itself and in the classes it defines."""
    for name, value in list(vars(namespace).items()):
        if isinstance(value, REAL_KINDS):
            setattr(namespace, name, RLock() if isinstance(value, REAL_KINDS[1]) else Lock())
        elif isinstance(value, threading.Condition) and isinstance(value._lock, REAL_KINDS):  # type: ignore[attr-defined]  # noqa: SLF001
            with patched():
                setattr(namespace, name, threading.Condition())
        elif isinstance(value, type) and value.__module__ == getattr(namespace, "__name__", None):
            adopt(value)
