"""A real worker: poll, run, renew, report, and stop without losing anything.

Handlers run in a thread of their own. The worker's thread renews their leases meanwhile, and can give up on a
handler that does not return. Nothing that a handler or a listener raises ends the worker.

A worker never reports what it may have lost, and never repeats what the queue refused: the job belongs to
another worker by then, or soon will.
"""

import logging
import threading
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from queue import SimpleQueue
from random import Random
from typing import Any

from jobqueue.arguments import check_integer, check_name, check_text, error_text
from jobqueue.clock import MonotonicClock, TimeSource
from jobqueue.errors import JobQueueError, StoreError
from jobqueue.heartbeat import Heartbeat, Held
from jobqueue.model import Lease

_logger = logging.getLogger(__name__)

SHORTEST_IDLE_MILLIS = 100
LONGEST_IDLE_MILLIS = 5000
_BIT_MILLIS = 50
_LOOK_MILLIS = 200
"""How long a worker waits for its handler before it looks whether it was told to stop."""
MARGIN_PARTS = 10
"""A lease is given up for lost a tenth of its length before its end."""


class PermanentError(Exception):
    """Raised by a handler for which trying again would be useless: the job becomes a dead letter at once."""


class Context:
    """What a handler gets: the job, and how it stands with it."""

    def __init__(self, held: Held, heart: Heartbeat) -> None:
        self._held = held
        self._heart = heart
        self._is_stopped = threading.Event()

    @property
    def lease(self) -> Lease:
        """The lease, as it was last confirmed."""
        return self._held.lease

    @property
    def cancelled(self) -> bool:
        """Whether to stop: the lease may be somebody else's by now, or the worker is to end."""
        return self._is_stopped.is_set() or self._heart.is_lost(self._held)

    def checkpoint(self, text: str) -> bool:
        """Store a text for later attempts to continue from; return False, and never raise, if that failed."""
        return self._heart.keep(self._held, text)

    def wait(self, millis: int) -> bool:
        """Let time pass, in bits, and return True as soon as the handler should stop."""
        while millis > 0 and not self.cancelled:
            self._is_stopped.wait(min(_BIT_MILLIS, millis) / 1000)
            millis -= _BIT_MILLIS
        return self.cancelled

    def stop(self) -> None:
        """Tell the handler to stop."""
        self._is_stopped.set()


Handler = Callable[[Context], str | None]
Tell = Callable[[str, Lease | None, str], None]
"""Hears what happens: a word, the lease that it is about, and more words."""


@dataclass(slots=True)
class _Run:
    """One run of a handler, and how it ended.

    A handler's objects stay in the handler's thread: their code may raise or hang, even where it only says what
    they are. What comes out of here is plain text.
    """

    context: Context
    handler: Handler
    ended: threading.Event
    result: str | None = None
    failure: str | None = None
    is_permanent: bool = False

    def go(self) -> None:
        try:
            result = self.handler(self.context)
            self.result = None if result is None else check_text("result", result)
        except BaseException as error:  # SystemExit too: a handler ends its attempt, never the worker
            # Of the type, because an object can lie about its class.
            self.is_permanent = issubclass(type(error), PermanentError)
            self.failure = error_text(error)
        finally:
            self.ended.set()


def _undisturbed(tell: Tell) -> Tell:
    """Return a listener that never raises: what it would have raised is logged."""

    def hears(word: str, lease: Lease | None, words: str) -> None:
        try:
            tell(word, lease, words)
        except BaseException:
            with suppress(Exception):  # the log can be as closed as the terminal
                _logger.exception("a listener of a worker raised; the worker goes on")

    return hears


class Worker:
    """Works off a queue until it is told to stop.

    Args:
        queue: a queue, or a client of one.
        handlers: what to do, by type of job: a function of a `Context` that returns the result as text or None.
        worker_id: who it is, for people; it gives no rights.
        lease_millis: how long a lease lasts; a handler may take as long as it likes, for leases are renewed.
        types: which types to ask for; by default those that there is a handler for.
        batch: how many jobs to take at once; they are done one after the other.
        margin_millis: how long before its end an unconfirmed lease is given up for lost.
        grace_millis: how long a running job may go on after the worker was told to stop.
        idle_millis: the shortest and the longest rest of a worker that finds nothing to do.
        seed: what draws the length of its rests, so that idle workers don't all ask at once.
        time: the worker's clock.
        wait: lets so many milliseconds pass, but returns as soon as the worker is told to stop.
        tell: hears what happens; what it raises is logged.
    """

    def __init__(
        self,
        queue: Any,
        handlers: Mapping[str, Handler],
        *,
        worker_id: str,
        lease_millis: int,
        types: Iterable[str] | None = None,
        batch: int = 1,
        margin_millis: int | None = None,
        grace_millis: int = 10_000,
        idle_millis: tuple[int, int] = (SHORTEST_IDLE_MILLIS, LONGEST_IDLE_MILLIS),
        seed: int | None = None,
        time: TimeSource | None = None,
        wait: Callable[[int], object] | None = None,
        tell: Tell | None = None,
    ) -> None:
        self._queue = queue
        self._handlers = dict(handlers)
        self.worker_id = check_name("worker_id", worker_id)
        self._lease_millis = check_integer("lease_millis", lease_millis, low=1)
        self._types = sorted(self._handlers if types is None else set(types))
        missing = [name for name in self._types if name not in self._handlers]
        if missing or not self._types:
            raise ValueError(f"types: there is no handler for {', '.join(missing) or 'any type'}")
        self._batch = check_integer("batch", batch, low=1)
        self._grace_millis = check_integer("grace_millis", grace_millis, low=0)
        self._idle_millis = idle_millis
        self._random = Random(seed)  # noqa: S311 - it spreads polls, it guards nothing
        self._time = MonotonicClock() if time is None else time
        self._stopping = threading.Event()
        self._grace_ends: int | None = None
        self._wait = (lambda millis: self._stopping.wait(millis / 1000)) if wait is None else wait
        # Between two tries of a report, which go on after the worker was told to stop.
        self._pause = (lambda millis: threading.Event().wait(millis / 1000)) if wait is None else wait
        self._tell = (lambda *_: None) if tell is None else _undisturbed(tell)
        margin = lease_millis // MARGIN_PARTS if margin_millis is None else margin_millis
        self._heart = Heartbeat(queue, lease_millis, margin, self._time, self._tell)
        self._runs: SimpleQueue[_Run | None] | None = None

    def stop(self) -> None:
        """Tell the worker to end: it gives back what it has not started, and lets the running job finish."""
        self._stopping.set()

    def beat(self) -> int:
        """Renew what is due, and return after how many milliseconds to come again."""
        return self._heart.beat()

    def run(self) -> None:
        """Work until told to stop.

        Raises:
            PermissionError: the queue is reached over HTTP, and the board does not accept our token. A job that
                is already held is finished first, and its report tried until its lease ends.
        """
        idle = 0
        try:
            while not self._stopping.is_set():
                idle = 0 if self._found_work() else idle + 1
                if idle:
                    self._wait(self.rest_millis(idle))
        finally:
            self._end_thread()

    def _found_work(self) -> int:
        """Do one batch, and return how many jobs it had."""
        try:
            found = self.run_once()
        except StoreError as error:
            self._tell("unanswered", None, str(error))
            return 0
        if self._heart.denied is not None and not self._stopping.is_set():
            raise self._heart.denied
        return found

    def _end_thread(self) -> None:
        if self._runs is not None:
            self._runs.put(None)

    def rest_millis(self, idle: int) -> int:
        """Return how long to rest after so many polls that found nothing: doubling, bounded, spread."""
        shortest, longest = self._idle_millis
        most = min(longest, shortest * 2 ** min(idle - 1, 30))
        return self._random.randint(most // 2, most)

    def run_once(self) -> int:
        """Take a batch of jobs, do them, and return how many there were."""
        asked_at = self._time.now()
        leases = self._queue.poll_many(self.worker_id, self._lease_millis, self._batch, types=self._types)
        waiting = [self._heart.hold(lease, asked_at) for lease in leases]
        for held in waiting:
            self._tell("leased", held.lease, "")
        while waiting:
            held = waiting.pop(0)
            if self._stopping.is_set():
                self._give_back(held)
            elif self._heart.is_lost(held):
                self._abandon(held, "its lease is over before it was begun")
            else:
                self._work(held, waiting)
        return len(leases)

    # -- one job -----------------------------------------------------------------------------------------

    def _work(self, held: Held, waiting: list[Held]) -> None:
        """Run one job to its end and report it; told to stop meanwhile, give back those that wait behind it."""
        context = Context(held, self._heart)
        run = _Run(context, self._handlers[held.lease.type], threading.Event())
        self._thread().put(run)
        while not run.ended.wait(self._until_next() / 1000):
            is_over = self._is_grace_over()
            while self._stopping.is_set() and waiting:
                self._give_back(waiting.pop(0))
            if is_over:
                context.stop()
                # The handler can still end now that it was told to, but not take forever.
                if not run.ended.wait(min(1000, self._grace_millis) / 1000):
                    self._runs = None
                    self._abandon(held, "it did not end in time")
                    return
        self._report(held, run)

    def _is_grace_over(self) -> bool:
        """Return whether the worker was told to stop, and the time for what it had begun is over."""
        if not self._stopping.is_set():
            return False
        if self._grace_ends is None:
            self._grace_ends = self._time.now() + self._grace_millis
        return self._time.now() >= self._grace_ends

    def _until_next(self) -> int:
        """Renew what is due, and return how long to wait for the handler before looking again."""
        millis = min(self.beat(), _LOOK_MILLIS)
        return millis if self._grace_ends is None else max(0, min(millis, self._grace_ends - self._time.now()))

    def _report(self, held: Held, run: _Run) -> None:
        lease = held.lease
        if self._heart.is_lost(held):
            self._abandon(held, "its lease is no longer confirmed, so nothing is reported")
            return
        try:
            while not self._is_reported(lease, run):
                if self._heart.is_lost(held) or self._is_grace_over():
                    self._abandon(held, "its report was not accepted in time")
                    return
                self._pause(SHORTEST_IDLE_MILLIS)
        except JobQueueError as refusal:
            # The job is no longer ours, whatever we think: asking again could only do harm.
            self._tell("refused", lease, str(refusal))
        finally:
            self._heart.drop(held)

    def _is_reported(self, lease: Lease, run: _Run) -> bool:
        """Report how a run ended; return False if that has to be tried again."""
        try:
            if run.failure is None:
                self._queue.complete(lease.job_id, lease.token, run.result)
            else:
                self._queue.fail(lease.job_id, lease.token, run.failure, permanent=run.is_permanent)
        except (StoreError, PermissionError) as error:
            # Perhaps it arrived: the same report again is accepted by the API, and refused by a store.
            self._heart.unanswered(lease, error)
            return False
        except (TypeError, ValueError) as error:
            if run.failure is not None:
                raise
            run.failure = error_text(error)  # a result that cannot be stored is the handler's failure
            return False
        self._heart.denied = None
        self._tell("done" if run.failure is None else "failed", lease, run.failure or "")
        return True

    def _give_back(self, held: Held) -> None:
        self._heart.drop(held)
        try:
            self._queue.release(held.lease.job_id, held.lease.token)
            self._tell("released", held.lease, "")
        except (JobQueueError, PermissionError) as refusal:
            self._tell("refused", held.lease, str(refusal))  # then its lease runs out, as after a crash

    def _abandon(self, held: Held, why: str) -> None:
        self._heart.drop(held)
        self._tell("abandoned", held.lease, why)

    def _thread(self) -> "SimpleQueue[_Run | None]":
        """Return the line to the thread that handlers run in: one for all of them, until one hangs."""
        if self._runs is None:
            runs: SimpleQueue[_Run | None] = SimpleQueue()
            thread = threading.Thread(target=_run_all, args=(runs,), name="handler", daemon=True)
            thread.start()
            self._runs = runs
        return self._runs


def _run_all(runs: "SimpleQueue[_Run | None]") -> None:
    while (run := runs.get()) is not None:
        run.go()
