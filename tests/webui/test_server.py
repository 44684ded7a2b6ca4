"""The server around the application: its port, its threads, slow clients, its end."""

from __future__ import annotations

import socket
import threading
import urllib.request
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from jobqueue.simulation import SCENARIOS
from webui import create_app, server
from webui.server import PortTakenError, listen, serving

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webui.board.labs import Lab


@pytest.fixture
def served() -> Iterator[tuple[int, Lab]]:
    """Serve an application with one board; return its port and the board's lab."""
    app = create_app()
    with closing(listen("127.0.0.1", 0)) as sock, serving(app, sock):
        yield sock.getsockname()[1], app.extensions["labs"].open(SCENARIOS["zombie"])


def half_sent(port: int, path: str, body: bytes) -> socket.socket:
    """Send a POST whose last byte is missing, and return the open connection."""
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {len(body) + 1}\r\n"
    kind = "Content-Type: application/x-www-form-urlencoded\r\n\r\n"
    client = socket.create_connection(("127.0.0.1", port), timeout=10)
    client.sendall((head + kind).encode() + body)
    return client


def post(port: int, path: str) -> int:
    request = urllib.request.Request(f"http://127.0.0.1:{port}{path}", data=b"", headers={"HX-Request": "true"})
    with urllib.request.urlopen(request, timeout=5) as answer:
        return int(answer.status)


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


@pytest.mark.parametrize(
    ("verb", "body"),
    [("submit", b"type=mai"), ("step", b"shown="), ("tick", b"revision="), ("play", b"speed=")],
)
def test_a_half_sent_form_holds_up_nobody_else(served: tuple[int, Lab], verb: str, body: bytes) -> None:
    """While one client has not sent its last byte, the same board is stepped, looked at, and stepped again."""
    port, lab = served
    with closing(half_sent(port, f"/labs/{lab.id}/{verb}", body)) as slow:
        assert post(port, f"/labs/{lab.id}/step") == 200
        assert get(port, f"/labs/{lab.id}") == 200
        assert post(port, f"/labs/{lab.id}/step") == 200
        assert lab.world.now() == 30_000
        slow.sendall(b"1")
        assert slow.recv(12).startswith(b"HTTP/1.")


def test_a_client_that_never_finishes_is_let_go(
    served: tuple[int, Lab], monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the handler's timeout the connection is closed, and the board has not changed."""
    port, lab = served
    assert server._Quiet.timeout == 30
    monkeypatch.setattr(server._Quiet, "timeout", 0.2)
    with closing(half_sent(port, f"/labs/{lab.id}/submit", b"type=mail")) as slow:
        while slow.recv(4096):
            pass  # an error page may come first; then the end
    assert len(lab.world.jobs()) == 1


def test_the_server_writes_no_lines(
    served: tuple[int, Lab], capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """Neither for a request nor for one that makes no sense: a playing board would fill the terminal."""
    port, lab = served
    caplog.set_level("INFO")  # what would be written, had not pytest a handler of its own
    assert get(port) == 200
    assert post(port, f"/labs/{lab.id}/step") == 200
    with closing(socket.create_connection(("127.0.0.1", port), timeout=10)) as client:
        client.sendall(b"nonsense\r\n\r\n")
        while client.recv(4096):
            pass
    assert [record.getMessage() for record in caplog.records if record.name == "werkzeug"] == []
    assert capfd.readouterr() == ("", "")


def test_an_address_that_is_not_ours_names_no_port_none() -> None:
    """The message names the host, and the port only if one was asked for."""
    with pytest.raises(PortTakenError) as failure:
        listen("192.0.2.1", None)  # an address for documentation, which no machine has
    assert "192.0.2.1" in str(failure.value)
    assert "None" not in str(failure.value)
    with pytest.raises(PortTakenError, match=r"port 8123 of 192\.0\.2\.1"):
        listen("192.0.2.1", 8123)
