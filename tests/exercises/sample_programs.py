"""Small things that two threads share, each of them wrong: what the search for schedules must find.

Each has `poll`, which both threads call, and `look`, which one calls afterwards. Its docstring says what
it is. The file is executed anew for each run, with patched locks.
"""

# ruff: noqa: ARG002, PLW0603, PLW2101  most sample programs do not ask who polls, and the wrong ones are wrong on purpose
import heapq
from threading import Condition, Lock, RLock

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
