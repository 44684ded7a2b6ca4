"""The server around the application: its port, its threads, its end."""

from __future__ import annotations

import socket
import threading
import urllib.request
from contextlib import closing

import pytest

from webui import create_app
from webui.server import PortTakenError, listen, serving


def get(port: int, path: str = "/") -> int:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
        return int(answer.status)


def test_a_port_that_is_taken_is_said_so() -> None:
    """Whoever asked for this one gets no other, and learns which it was."""
    with closing(listen("127.0.0.1", 0)) as sock:
        port = sock.getsockname()[1]
        with pytest.raises(PortTakenError, match=str(port)):
            listen("127.0.0.1", port)


def test_without_a_wish_any_free_port_will_do() -> None:
    """Also when the usual one is taken."""
    with closing(listen("127.0.0.1", None)) as one, closing(listen("127.0.0.1", None)) as other:
        assert one.getsockname()[1] != other.getsockname()[1]


def test_it_serves_many_at_once_and_stops() -> None:
    """Eight at one moment are answered; after the end of the block nobody listens any more."""
    with closing(listen("127.0.0.1", 0)) as sock:
        port = sock.getsockname()[1]
        with serving(create_app(), sock):
            barrier, codes = threading.Barrier(8), []

            def ask() -> None:
                barrier.wait()
                codes.append(get(port))

            threads = [threading.Thread(target=ask) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert codes == [200] * 8
            names = [thread.name for thread in threading.enumerate()]
    assert len(threading.enumerate()) < len(names)


def test_nobody_listens_after_the_end() -> None:
    """A page that asks then is refused at once, instead of waiting for an answer that never comes."""
    sock = listen("127.0.0.1", 0)
    port = sock.getsockname()[1]
    with closing(sock):
        with serving(create_app(), sock):
            assert get(port) == 200
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port), timeout=2).close()
