"""Streams tell of changes, are few, and leave nothing behind."""

from __future__ import annotations

import socket
import threading
import time
from contextlib import closing, contextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from tests.live.conftest import Live
from webui.server import listen, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jobqueue import JobQueue, ManualClock


def until(condition: Any, seconds: Any = 10.0) -> None:
    """Wait for a condition, with a bound."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come about in time"
        time.sleep(0.01)


def opened(port: Any) -> Any:
    """Return a connection that has asked for the stream and got its first bytes."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=10)
    connection.sendall(b"GET /live/stream HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n")
    head = b""
    while b"\r\n\r\n" not in head:
        head += connection.recv(4096)
    return connection, head


@contextmanager
def served(store: JobQueue, clock: ManualClock, most_streams: Any) -> Iterator[Any]:
    """Serve pages that tick fast and have room for so many streams, at a port."""
    live = Live(store, clock, tick_millis=20, most_streams=most_streams)
    live.app.extensions["service"] = live.service
    with closing(listen("127.0.0.1", 0)) as sock, serving(live.app, sock):
        yield live, sock.getsockname()[1]
        live.service.health.stop()


@pytest.fixture
def quick(store: JobQueue, clock: ManualClock) -> Iterator[Any]:
    """Return pages with room for ten streams."""
    with served(store, clock, 10) as found:
        yield found


def test_a_change_is_told_at_the_next_tick(quick: Any) -> None:
    """And nothing while nothing changes, but a comment now and then."""
    live, port = quick
    connection, head = opened(port)
    with connection:
        assert b"200 OK" in head
        assert b"Content-Type: text/event-stream" in head
        assert b"X-Accel-Buffering: no" in head
        assert b"Cache-Control: no-store" in head
        read = b""
        while b": nothing new" not in read:
            read += connection.recv(4096)
        assert b"data:" not in read
        live.store.submit("mail", run_at_millis=live.clock.now() + 10_000)
        while b"data:" not in read:
            read += connection.recv(4096)
        assert b"data: 1627824019000\n\n" in read


def test_a_thousand_streams_that_are_dropped_leave_nothing(store: JobQueue, clock: ManualClock) -> None:
    """No thread, no place taken: what is closed is noticed at the next beat, without any event."""
    with served(store, clock, 100) as (live, port):
        opened(port)[0].close()
        until(lambda: live.service.streams.open == 0)
        threads = threading.active_count()
        for _ in range(10):
            connections = [opened(port) for _ in range(100)]
            assert all(b"200 OK" in head for _, head in connections)
            for connection, _ in connections:
                connection.close()
            until(lambda: live.service.streams.open == 0)
        until(lambda: threading.active_count() <= threads)


def test_there_is_room_for_so_many(quick: Any) -> None:
    """The eleventh is a 503 with a time to come again; when one leaves, there is room."""
    live, port = quick
    kept = [opened(port)[0] for _ in range(10)]
    late, head = opened(port)
    assert b"503" in head.split(b"\r\n")[0]
    assert b"Retry-After: 5" in head
    late.close()
    for connection in kept:
        connection.close()
    until(lambda: live.service.streams.open == 0)
    connection, head = opened(port)
    assert b"200 OK" in head
    connection.close()


def test_streams_end_with_the_program(quick: Any) -> None:
    """Whoever listens hears the end at once."""
    live, port = quick
    connection, _ = opened(port)
    with connection:
        live.service.health.stop()
        connection.settimeout(10)
        while connection.recv(4096):
            pass
    until(lambda: live.service.streams.open == 0)


def test_a_head_takes_no_place(live: Any) -> None:
    """Nor does an answer that nobody reads."""
    live.client.head("/live/stream").close()
    live.client.get("/live/stream", buffered=False).close()
    assert live.service.streams.open == 0


def test_many_listeners_are_one_query_each_tick(quick: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten streams over many ticks ask for the figures about once a tick, and not ten times."""
    live, port = quick
    asked, stats = [], live.store.stats
    monkeypatch.setattr(live.store, "stats", lambda: asked.append(time.monotonic()) or stats())  # type: ignore[func-returns-value]
    connections = [opened(port)[0] for _ in range(10)]
    until(lambda: len(asked) >= 30)
    gaps = sorted(b - a for a, b in pairwise(asked))
    assert gaps[0] >= 0.015
    for connection in connections:
        connection.close()
    until(lambda: live.service.streams.open == 0)
