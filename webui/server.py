"""Serving the board on this machine: choose a port, say where, stop at once on Ctrl-C."""

import signal
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Thread
from types import FrameType

from flask import Flask
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server

DEFAULT_PORT = 8000
DEFAULT_PORTS = (DEFAULT_PORT, 8001, 8002, 8003, 8004)  # few: whoever looks for a board asks at each of them


class PortTakenError(Exception):
    """Another program listens at the port that was asked for."""


class _Quiet(WSGIRequestHandler):
    """Does not write a line for each request: a playing board would fill the terminal."""

    # What is no HTTP at all never reaches the application, so the answer is the kit's from here.
    error_content_type = "text/plain; charset=utf-8"
    error_message_format = "This request can't be read (%(code)d %(message)s). Open the board's own address.\n"
    timeout = 30  # seconds without a byte, after which a slow client is let go

    def log(self, *_: object) -> None:
        """Write nothing."""


def listen(host: str, port: int | None, *, defaults: Sequence[int] = DEFAULT_PORTS) -> socket.socket:
    """Return a socket that listens at `port`; None means the first default that is free, or else any free port.

    Raises:
        PortTakenError: the port that was asked for is taken.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    failure: Exception
    for candidate in [port] if port is not None else [*defaults, 0]:
        sock = socket.socket(family, socket.SOCK_STREAM)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            sock.bind((host, candidate))
            sock.listen(128)
        except (OSError, TypeError, UnicodeError) as error:  # the latter two for what can be no name of a host
            sock.close()
            reason = error.strerror if isinstance(error, OSError) else str(error)
            failure = error
        else:
            return sock
    where = host if port is None else f"port {port} of {host}"
    raise PortTakenError(f"cannot listen at {where}: {reason}") from failure


@contextmanager
def serving(app: Flask, sock: socket.socket) -> Iterator[BaseWSGIServer]:
    """Serve an application from a socket in the background, and stop at the end of the block."""
    host, port = sock.getsockname()[:2]
    # One thread a request: with a fixed pool, a few slow pages would hold up everybody.
    server = make_server(host, port, app, threaded=True, request_handler=_Quiet, fd=sock.fileno())
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.1}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        sock.close()
        thread.join()


def stop_politely() -> None:
    """Let Ctrl-C, `kill` and a closed terminal end the program alike, so that what was started is stopped too.

    Also where Ctrl-C was switched off by whoever started this, as a shell does for its background jobs.
    """

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):  # Windows has no SIGHUP
            signal.signal(getattr(signal, name), stop)


def wait_for_stop() -> None:
    """Wait until Ctrl-C."""
    try:
        # In small bits, for Windows; not on a lock, which an exception out of nowhere would leave half done.
        while True:
            time.sleep(0.5)
    except KeyboardInterrupt:
        return
