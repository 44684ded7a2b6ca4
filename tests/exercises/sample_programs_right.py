"""Small things that two threads share, each right or beyond what can be known; see `sample_programs`.

The file stands alone, as it is executed anew for each run, with patched locks.
"""

# ruff: noqa: ARG002  most sample programs do not ask who polls

import functools
import itertools
import os
import queue
import threading
import time
from threading import Condition, Event, Lock, RLock, Semaphore

GATE = Lock()


class Toy:
    """One job."""

    def __init__(self):
        self.jobs = ["J1"]
        self.lock = Lock()

    def look(self):
        """What is left."""
        return list(self.jobs)


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


class Woken:
    """A looks and waits in one piece, so no notify is lost."""

    def __init__(self):
        self.jobs = []
        self.arrived = Condition()

    def look(self):
        """What is left."""
        return list(self.jobs)

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
