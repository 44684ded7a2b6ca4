"""What happened, in order: events, the log that keeps them, and the outbox that hands them to subscribers.

An event is told after the change it tells of; nobody who listens can prevent or delay a change.
"""

import logging
import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import NoneType
from typing import Any, NoReturn
from weakref import WeakSet

from jobqueue.arguments import check_instance, check_integer

_logger = logging.getLogger(__name__)

Subscriber = Callable[["Event"], object]


class EventKind(StrEnum):
    """What an event tells of."""

    SUBMITTED = "submitted"
    LEASED = "leased"
    RENEWED = "renewed"
    RELEASED = "released"
    COMPLETED = "completed"
    FAILED = "failed"
    LEASE_EXPIRED = "lease_expired"
    RETRY_SCHEDULED = "retry_scheduled"
    DEAD_LETTERED = "dead_lettered"
    REDRIVEN = "redriven"
    CANCELLED = "cancelled"
    PAUSED = "paused"
    RESUMED = "resumed"
    DROPPED = "dropped"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that happened to one job.

    `seq` counts from 1 without gaps. `at` is the instant at which it took effect, which for an expired lease
    is the lease's end, however late anybody noticed; it never decreases. Worker, attempt and generation are
    those of the attempt that it is about (of a refusal: the one that the token was made for); where it is about
    none, there is no worker, and a refusal has zeros. `detail` holds JSON values only.
    """

    seq: int
    at: int
    kind: EventKind
    job_id: str | None
    worker_id: str | None
    attempt: int
    generation: int
    detail: Mapping[str, Any]


class Detail(dict[str, Any]):
    """A read-only mapping of JSON values that can be copied, pickled and written as JSON."""

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("an event's detail cannot be changed")

    __setitem__ = __delitem__ = __ior__ = clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[type["Detail"], tuple[dict[str, Any]]]:
        return Detail, (dict(self),)


class EventLog:
    """Keeps every event of the one queue that it is given to as `log=`.

    The queue writes to it inside its lock, so whoever calls an operation finds its events here on return.
    """

    def __init__(self) -> None:
        self._events: list[Event] = []
        self._rebuild: Callable[[Sequence[Event], int | None], Any] | None = None

    @property
    def events(self) -> tuple[Event, ...]:
        """All events so far, oldest first."""
        return tuple(self._events)

    def since(self, seq: int) -> tuple[Event, ...]:
        """Return the events that came after the event number `seq` (0 for all)."""
        return tuple(self._events[seq:])

    def __len__(self) -> int:
        return len(self._events)

    def __iter__(self) -> Iterator[Event]:
        return iter(self.events)

    def attach(self, rebuild: Callable[[Sequence[Event], int | None], Any]) -> None:
        """Bind the log to its queue, which knows how to rebuild itself; a second queue is refused."""
        if self._rebuild is not None:
            raise ValueError("log: this EventLog already belongs to a queue; give each queue its own")
        self._rebuild = rebuild

    def append(self, event: Event) -> None:
        """Keep one more event. Only the queue calls this."""
        self._events.append(event)

    def replay(self, now: int | None = None) -> Any:
        """Return a new `JobQueue` in the state that the events lead to, made from nothing else.

        Args:
            now: where the new queue's `ManualClock` stands, by default at the last event's instant; later
                events are left out, so an earlier instant shows the queue as it was then.

        Raises:
            ValueError: the log was never given to a queue.
        """
        if now is not None:
            now = check_integer("now", now)
        if self._rebuild is None:
            raise ValueError(
                "replay: this EventLog belongs to no queue; hand it over as JobQueue(..., log=log)"
            )
        return self._rebuild([e for e in self._events if now is None or e.at <= now], now)


_DISPATCHERS: "WeakSet[EventDispatcher]" = WeakSet()


def _begin_in_child() -> None:
    for dispatcher in list(_DISPATCHERS):
        dispatcher.begin_in_child()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_in_child)


class EventDispatcher:
    """Takes events inside the queue's lock, and delivers them to the subscribers outside of it.

    `listening` says whether anybody would see an event, so that none is built for nobody; `waiting` are those
    that are not delivered yet.
    """

    def __init__(self, log: EventLog | None) -> None:
        check_instance("log", log, EventLog, NoneType)
        self.listening = log is not None
        self.waiting: deque[tuple[Event, dict[object, Subscriber]]] = deque()
        self._log = log
        self._subscribers: dict[object, Subscriber] = {}
        self._delivering = threading.Lock()
        self._subscribing = threading.Lock()
        self._seq = 0
        _DISPATCHERS.add(self)

    def begin_in_child(self) -> None:
        """Begin anew after a fork: who was delivering is in the parent, and what waits is delivered there."""
        self.waiting.clear()
        self._delivering, self._subscribing = threading.Lock(), threading.Lock()

    def subscribe(self, subscriber: Subscriber) -> Callable[[], None]:
        """Hand every later event to `subscriber`; call the returned function to stop."""
        if not callable(subscriber):
            raise TypeError(f"subscriber: expected a function of one event, found {type(subscriber).__name__}")
        key = object()
        # A new dict each time: a delivery that runs meanwhile goes on over the old one.
        with self._subscribing:
            self._subscribers = {**self._subscribers, key: subscriber}
            self.listening = True

        def unsubscribe() -> None:
            with self._subscribing:
                self._subscribers = {k: f for k, f in self._subscribers.items() if k is not key}
                self.listening = self._log is not None or bool(self._subscribers)

        return unsubscribe

    def post(  # noqa: PLR0917 - in the order of the event's own fields
        self,
        at: int,
        kind: EventKind,
        job_id: str | None,
        worker_id: str | None,
        attempt: int,
        generation: int,
        detail: Mapping[str, Any],
    ) -> None:
        """Number an event and put it out for delivery. The caller holds the queue's lock."""
        self._seq += 1
        read_only = Detail(detail)
        event = Event(self._seq, at, kind, job_id, worker_id, attempt, generation, read_only)
        if self._log is not None:
            self._log.append(event)
        if self._subscribers:
            # Those who listen now: who subscribes before the delivery gets what comes from then on.
            self.waiting.append((event, self._subscribers))

    def deliver(self) -> None:
        """Hand over what waits, one event at a time, in order. The caller does not hold the queue's lock.

        Whoever finds a delivery already going on leaves its events to that one: waiting here would let a
        subscriber that calls the queue wait for itself. The loop looks again after letting go, so an event
        posted in that moment is not left behind.
        """
        while self.waiting and self._delivering.acquire(blocking=False):
            try:
                while self.waiting:
                    self._tell(*self.waiting.popleft())
            finally:
                self._delivering.release()

    def _tell(self, event: Event, subscribers: dict[object, Subscriber]) -> None:
        for key, subscriber in subscribers.items():
            if key not in self._subscribers:
                continue  # it has had enough since
            try:
                subscriber(event)
            except Exception:  # a listener's fault must not become the caller's
                _logger.exception("a subscriber raised on event %d (%s)", event.seq, event.kind)
