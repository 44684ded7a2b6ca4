"""Small things that two threads share, right ones and wrong ones: what the search for schedules is tried on.

Each has `poll`, which both threads call, and `look`, which one calls afterwards. A toy's docstring says what it
is; whether it is wrong, the list that it is in says. The file is executed anew for each run, with stand-ins for
locks.
"""

# ruff: noqa: ARG002, PLW0603, PLW2101  most toys do not ask who polls, and the wrong ones are wrong on purpose
import functools
import heapq
import itertools
import os
import queue
import threading
import time
from threading import Condition, Event, Lock, RLock, Semaphore

GATE = Lock()
SEEN = 0


class Toy:
    """One job."""

    def __init__(self):
        self.jobs = ["J1"]
        self.lock = Lock()

    def look(self):
        """What is left."""
        return list(self.jobs)


class Unlocked(Toy):
    """Nothing keeps two threads out."""

    def poll(self, worker):
        if self.jobs:
            return self.jobs.pop()
        return None


class ReadLocked(Toy):
    """The lock is around the look only."""

    def poll(self, worker):
        with self.lock:
            there = bool(self.jobs)
        return self.jobs.pop() if there else None


class CheckedOutside(Toy):
    """The look is before the lock."""

    def poll(self, worker):
        if not self.jobs:
            return None
        with self.lock:
            return self.jobs.pop()


class LockPerCall(Toy):
    """Everybody has a lock."""

    def poll(self, worker):
        with Lock():
            return self.jobs.pop() if self.jobs else None


class TwoParts(Toy):
    """Look and change are locked, each by itself."""

    def __init__(self):
        super().__init__()
        self.owner = None

    def poll(self, worker):
        with self.lock:
            free = self.owner is None
        if not free:
            return None
        with self.lock:
            self.owner = worker
        return worker


class PeekThenPop:
    """A heap is looked at and then taken from; what is not due yet is handed out as well."""

    def __init__(self):
        self.heap = [(0, "J1"), (99, "J2")]

    def poll(self, worker):
        if self.heap and self.heap[0][0] <= 0:
            return heapq.heappop(self.heap)[1]
        return None

    def look(self):
        return sorted(self.heap)


class SecondStepOutside(PeekThenPop):
    """Taken under the lock, but decided before it."""

    def __init__(self):
        super().__init__()
        self.lock = RLock()

    def poll(self, worker):
        due = self.heap[0][0] <= 0
        with self.lock:
            return heapq.heappop(self.heap)[1] if due else None


class Counter:
    """Adding one is three steps."""

    def __init__(self):
        self.n = 0

    def poll(self, worker):
        self.n += 1

    def look(self):
        return self.n


class ClassCounter(Counter):
    """The same for an attribute of the class."""

    n = 0

    def __init__(self):
        pass

    def poll(self, worker):
        ClassCounter.n += 1


class GlobalCounter(Counter):
    """The same for a global."""

    def poll(self, worker):
        global SEEN
        SEEN += 1

    def look(self):
        return SEEN


class ItemCounter(Counter):
    """The same for an item, on one line with the look."""

    def __init__(self):
        self.n = {"n": 0}

    def poll(self, worker):
        self.n["n"] = self.n.get("n", 0) + 1

    def look(self):
        return dict(self.n)


class TwoOrders(Toy):
    """Two locks, taken in two orders."""

    def __init__(self):
        super().__init__()
        self.other = Lock()

    def poll(self, worker):
        one, two = (self.lock, self.other) if worker == "A" else (self.other, self.lock)
        with one, two:
            return self.jobs.pop() if self.jobs else None


class LeftHeld(Toy):
    """An early return keeps the lock."""

    def poll(self, worker):
        self.lock.acquire()
        if not self.jobs:
            return None
        job = self.jobs.pop()
        self.lock.release()
        return job

    def look(self):
        with self.lock:
            return list(self.jobs)


class OwnLock(Toy):
    """A method waits for the lock that it has."""

    def poll(self, worker):
        with self.lock:
            return self.take()

    def take(self):
        with self.lock:
            return self.jobs.pop() if self.jobs else None


class LostWakeUp:
    """A looks and then waits; B's notify falls in between, and nobody wakes A any more."""

    def __init__(self):
        self.jobs = []
        self.arrived = Condition()

    def poll(self, worker):
        if worker == "B":
            self.jobs.append("J1")
            with self.arrived:
                self.arrived.notify_all()
            return None
        if not self.jobs:
            with self.arrived:
                self.arrived.wait()
        return "woken"

    def look(self):
        return list(self.jobs)


class Torn:
    """A pair is written half by half, under no lock."""

    def __init__(self):
        self.left = self.right = 0

    def poll(self, worker):
        if worker == "A":
            self.left = 1
            self.right = 1
            return None
        return (self.left, self.right)

    def look(self):
        return (self.left, self.right)


WRONG = (
    Unlocked,
    ReadLocked,
    CheckedOutside,
    LockPerCall,
    TwoParts,
    PeekThenPop,
    SecondStepOutside,
    Counter,
    ClassCounter,
    GlobalCounter,
    ItemCounter,
    TwoOrders,
    LeftHeld,
    OwnLock,
    LostWakeUp,
    Torn,
)


class Locked(Toy):
    """One lock."""

    def poll(self, worker):
        with self.lock:
            return self.jobs.pop() if self.jobs else None


class Reentrant(Toy):
    """A lock that its holder takes twice."""

    def __init__(self):
        super().__init__()
        self.lock = RLock()

    def poll(self, worker):
        with self.lock:
            return self.take() if self.jobs else None

    def take(self):
        with self.lock:
            return self.jobs.pop()


class ModuleLocked(Toy):
    """A lock of the module."""

    def poll(self, worker):
        with GATE:
            return self.jobs.pop() if self.jobs else None


class ClassLocked(Toy):
    """A lock of the class."""

    gate = threading.Lock()

    def poll(self, worker):
        with self.gate:
            return self.jobs.pop() if self.jobs else None


class Conditional(Toy):
    """A condition as a lock."""

    def __init__(self):
        super().__init__()
        self.changed = Condition()

    def poll(self, worker):
        with self.changed:
            job = self.jobs.pop() if self.jobs else None
            self.changed.notify_all()
            return job


class Woken(LostWakeUp):
    """A looks and waits in one piece, so no notify is lost."""

    def poll(self, worker):
        with self.arrived:
            if worker == "B":
                self.jobs.append("J1")
                self.arrived.notify_all()
                return None
            self.arrived.wait_for(lambda: self.jobs)
            return "woken"


class TimedOut(Toy):
    """Whoever gets nothing waits a while, and time passes when nobody can do anything else."""

    def __init__(self):
        super().__init__()
        self.changed = Condition()

    def poll(self, worker):
        with self.changed:
            self.changed.wait_for(lambda: self.jobs, timeout=30)
            return self.jobs.pop() if self.jobs else None


class Guarded(Toy):
    """A semaphore of one."""

    def __init__(self):
        super().__init__()
        self.one = Semaphore(1)

    def poll(self, worker):
        with self.one:
            return self.jobs.pop() if self.jobs else None


class HandedOver:
    """B waits for an event that A sets."""

    def __init__(self):
        self.done = Event()
        self.jobs = []

    def poll(self, worker):
        if worker == "A":
            self.jobs.append("J1")
            self.done.set()
            return None
        self.done.wait()
        return self.jobs[0]

    def look(self):
        return list(self.jobs)


class Met:
    """Both wait for each other at a barrier."""

    def __init__(self):
        self.barrier = threading.Barrier(2)

    def poll(self, worker):
        self.barrier.wait()
        return worker

    def look(self):
        return self.barrier.n_waiting


class Queued:
    """Python's own queue."""

    kind = queue.Queue

    def __init__(self):
        self.jobs = self.kind()
        self.jobs.put("J1")

    def poll(self, worker):
        try:
            return self.jobs.get(timeout=5)
        except queue.Empty:
            return None

    def look(self):
        return self.jobs.qsize()


class SimplyQueued(Queued):
    """The one that Python has in C."""

    kind = queue.SimpleQueue


class Spinning(Toy):
    """Whoever does not get the lock asks again at once."""

    def poll(self, worker):
        while not self.lock.acquire(blocking=False):
            pass
        try:
            return self.jobs.pop() if self.jobs else None
        finally:
            self.lock.release()


class Watching:
    """B looks at a variable again and again until A has set it."""

    def __init__(self):
        self.ready = False

    def poll(self, worker):
        if worker == "A":
            self.ready = True
        while not self.ready:
            pass

    def look(self):
        return self.ready


class Sleeping(Toy):
    """A sleep under the lock: it takes no time here."""

    def poll(self, worker):
        with self.lock:
            time.sleep(60)
            return self.jobs.pop() if self.jobs else None


class PoppedWhole:
    """To take a thing out of a dict is one step."""

    def __init__(self):
        self.jobs = {"J1": "mail"}

    def poll(self, worker):
        return self.jobs.pop("J1", None)

    def look(self):
        return dict(self.jobs)


class Counted:
    """The number comes from an iterator: one step."""

    def __init__(self):
        self.numbers = itertools.count()
        self.drawn = 0

    def poll(self, worker):
        next(self.numbers)

    def look(self):
        return next(self.numbers)


class Cached(Toy):
    """Made at first use; in Python 3.11 under a lock of functools."""

    @functools.cached_property
    def shared(self):
        return "shared"

    def poll(self, worker):
        return self.shared


RIGHT = (
    Locked,
    Reentrant,
    ModuleLocked,
    ClassLocked,
    Conditional,
    Woken,
    TimedOut,
    Guarded,
    HandedOver,
    Met,
    Queued,
    SimplyQueued,
    Spinning,
    Watching,
    Sleeping,
    PoppedWhole,
    Counted,
    Cached,
)


class Unseen(Toy):
    """Waits in something that is no lock of Python's."""

    def poll(self, worker):
        reader, _ = os.pipe()
        return os.read(reader, 1)


class Endless(Toy):
    """Never comes back."""

    def poll(self, worker):
        while self.jobs:
            pass


class OwnThread(Toy):
    """Starts a thread of its own."""

    def poll(self, worker):
        thread = threading.Thread(target=self.jobs.clear)
        thread.start()
        thread.join()


UNDECIDED = {Unseen: "waits, near line", Endless: "does a loop never end", OwnThread: "threads of its own"}
