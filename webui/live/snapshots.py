"""Looking at a queue for many viewers: one statistics query for each tick, however many of them look."""

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from jobqueue import JobView, Outcome, Stats, TimeSource, UnknownJobError

TICK_MILLIS = 1000
REST = 4
"""After a snapshot so many times as long as it took are left to others."""
MOST_RUNNING = 200
MOST_NEXT = 20
MOST_WORKERS = 200
FORGOTTEN_MILLIS = 15 * 60_000
"""A worker without a sign for so long is no longer shown."""
MOST_STREAMS = 100


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What everybody sees during one tick: the figures, the paused types, the newest leases, who is next.

    `lease_lengths` is what was left of each lease when it was first seen as it is, so about its whole length.
    """

    stats: Stats
    paused: tuple[str, ...]
    running: tuple[JobView, ...]
    next_up: tuple[str, ...]
    lease_lengths: Mapping[str, int]

    def is_like(self, other: "Snapshot | None") -> bool:
        """Return whether a page would look the same; where something waits or runs, its age has changed."""
        if other is None:
            return False
        stands_still = not (self.running or self.stats.oldest_ready_millis_by_band)
        return stands_still and self._at_rest() == other._at_rest()  # noqa: SLF001 - another snapshot

    def _at_rest(self) -> "Snapshot":
        """Return it without what changes by time alone."""
        return replace(self, stats=replace(self.stats, at=0, dead_ages_millis=()))


class Snapshots:
    """The newest snapshot, taken anew when the last one is a tick old and somebody asks.

    Where a store is so full that its figures take their time, they are asked for more rarely: watching a queue
    must not be what slows it down.

    Args:
        queue: any queue.
        time: for how old a snapshot is.
        workers: what is known of workers; a snapshot adds who has got, renewed or lost a lease since the last.
    """

    def __init__(
        self,
        queue: Any,
        time: TimeSource,
        tick_millis: int = TICK_MILLIS,
        workers: "Workers | None" = None,
    ) -> None:
        self._queue = queue
        self._time = time
        self._tick_millis = tick_millis
        self._workers = Workers(time) if workers is None else workers
        self._lock = threading.Lock()
        self._newest: Snapshot | None = None
        self._leases: dict[str, tuple[int, int]] = {}
        self._running: tuple[JobView, ...] = ()
        self._expired = 0
        self._taken_at = self._took = 0

    def now(self) -> Snapshot:
        """Return a snapshot that is less than a tick old."""
        with self._lock:  # whoever comes while one is taken waits for that one
            now = self._time.now()
            if self._newest is None or now - self._taken_at >= self._due_after():
                self._newest = self._taken()
                self._taken_at = self._time.now()
                self._took = self._taken_at - now
            return self._newest

    def _due_after(self) -> int:
        """Return for how long the newest snapshot is good; without a tick, not at all."""
        return max(self._tick_millis, REST * self._took) if self._tick_millis else 0

    def _taken(self) -> Snapshot:
        stats = self._queue.stats()
        running = tuple(self._queue.list_jobs(status="RUNNING", limit=MOST_RUNNING))
        seen = {job.id: (job.lease_until or stats.at) for job in running}
        for job in running:
            if job.worker_id is not None and self._leases.get(job.id, (None,))[0] != job.lease_until:
                self._workers.saw(job.worker_id)
        self._note_lost(stats, running)
        self._leases = {
            job_id: found
            if (found := self._leases.get(job_id)) is not None and found[0] == until
            else (until, max(1, until - stats.at))
            for job_id, until in seen.items()
        }
        lengths = {job_id: length for job_id, (_, length) in self._leases.items()}
        next_up = tuple(self._queue.next_up(MOST_NEXT))
        return Snapshot(stats, tuple(self._queue.paused()), running, next_up, lengths)

    def _note_lost(self, stats: Stats, running: tuple[JobView, ...]) -> None:
        """Note each worker whose lease has expired since the last snapshot: nobody reported it."""
        before, self._running = self._running, running
        grown, self._expired = stats.attempts_expired > self._expired, stats.attempts_expired
        if not grown:  # so that a busy queue's many reports cost no look each
            return
        held = {(job.id, job.generation) for job in running}
        for job in before:
            if (job.id, job.generation) in held or job.worker_id is None or (job.lease_until or 0) > stats.at:
                continue
            with suppress(UnknownJobError):
                attempts = self._queue.history(job.id)
                if any(a.generation == job.generation and a.outcome == Outcome.EXPIRED for a in attempts):
                    self._workers.lost(job.worker_id, job.id)

    def forget(self) -> None:
        """Let the next look be a new one: somebody has just changed something and wants to see it."""
        with self._lock:
            self._newest = None


@dataclass(frozen=True, slots=True)
class Seen:
    """The last sign of a worker.

    Args:
        millis: how long ago.
        polls: whether it polls through this server, so that it is seen even when it holds no lease.
        lost_job: the job whose lease expired without a report, if that is the last that is known.
    """

    millis: int
    polls: bool = False
    lost_job: str | None = None


class Workers:
    """The last signs of so many workers: a poll or renewal through this server, or a lease in the store.

    A worker that opens the store itself leaves no sign while it holds no lease: whether it is idle or stopped,
    nobody can tell.
    """

    def __init__(self, time: TimeSource) -> None:
        self._time = time
        self._lock = threading.Lock()
        self._seen: OrderedDict[str, Seen] = OrderedDict()

    def saw(self, worker_id: str, *, polls: bool = False) -> None:
        """Note a sign of life."""
        with self._lock:
            polls = polls or (worker_id in self._seen and self._seen[worker_id].polls)
            self._seen[worker_id] = Seen(self._time.now(), polls)
            self._seen.move_to_end(worker_id)
            if len(self._seen) > MOST_WORKERS:
                self._seen.popitem(last=False)

    def lost(self, worker_id: str, job_id: str) -> None:
        """Note that a lease of a worker expired without a report."""
        with self._lock:
            if worker_id in self._seen:
                self._seen[worker_id] = replace(self._seen[worker_id], lost_job=job_id)

    def seen(self) -> dict[str, Seen]:
        """Return the last sign of each that left one lately, the latest first."""
        with self._lock:
            now = self._time.now()
            ages = {
                name: replace(seen, millis=now - seen.millis) for name, seen in reversed(self._seen.items())
            }
        return {name: seen for name, seen in ages.items() if seen.millis < FORGOTTEN_MILLIS}


class Streams:
    """How many pages listen; there is room for so many, for each takes a thread.

    Args:
        most: how many at once.
        wait: lets a time pass in seconds, and returns True when everybody is to go home.
    """

    def __init__(self, most: int, wait: Callable[[float], bool]) -> None:
        self._most = most
        self.wait = wait
        self._lock = threading.Lock()
        self.open = 0

    def enter(self) -> bool:
        """Take a place; return False if there is none."""
        with self._lock:
            if self.open >= self._most:
                return False
            self.open += 1
            return True

    def leave(self) -> None:
        """Give the place back."""
        with self._lock:
            self.open -= 1
