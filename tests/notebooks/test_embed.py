"""The board inside a notebook: one per process, at a free port, gone with the process."""

import os
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from tests.notebooks.cells import ROOT
from webui.jupyter.embed import EmbeddedBoard, board_address


@pytest.fixture
def embedded() -> Iterator[Any]:
    """A board of this process, stopped afterwards."""
    board = EmbeddedBoard()
    yield board
    board.stop()


def get(address: Any) -> Any:
    with urllib.request.urlopen(address, timeout=5) as answer:
        return answer.status, answer.headers, answer.read().decode()


def test_the_gallery_is_served(embedded: Any) -> None:
    """The address leads to the scenarios, and a notebook's page may frame it."""
    status, headers, page = get(embedded.address())
    assert status == 200
    assert "The zombie" in page
    assert "frame-ancestors 'self' http://127.0.0.1:* http://localhost:*" in headers["Content-Security-Policy"]


def test_it_is_for_this_machine_only(embedded: Any) -> None:
    """The board listens at the loopback address, at a port that the system chose."""
    host, port = embedded.address().removeprefix("http://").rstrip("/").split(":")
    assert host == "127.0.0.1"
    assert int(port) > 1023


def test_there_is_only_one(embedded: Any) -> None:
    """Threads that ask at once get the same address, from one server."""
    barrier, found = threading.Barrier(8), []

    def ask() -> None:
        barrier.wait(timeout=5)
        found.append(embedded.address())

    before = threading.active_count()
    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=5)
    assert len(found) == 8
    assert len(set(found)) == 1
    assert threading.active_count() == before + 1


def test_it_stops_and_can_start_again(embedded: Any) -> None:
    """After a stop nobody answers; stopping twice does no harm; the next who asks gets a new one."""
    old = embedded.address()
    embedded.stop()
    embedded.stop()
    with pytest.raises(urllib.error.URLError):
        get(old)
    assert get(embedded.address())[0] == 200


@pytest.mark.parametrize("named", ["http://127.0.0.1:9000/", " http://127.0.0.1:9000 "])
def test_a_named_board_comes_first(named: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """With JOBKIT_BOARD set that address is taken, with one slash at its end, and no server is started."""
    monkeypatch.setenv("JOBKIT_BOARD", named)
    before = threading.active_count()
    assert board_address() == "http://127.0.0.1:9000/"
    assert threading.active_count() == before


def test_it_ends_with_the_process() -> None:
    """A process that started the board and has nothing more to do ends by itself, without a word."""
    script = "from webui.jupyter.embed import board_address; print(board_address())"
    environment = {k: v for k, v in os.environ.items() if k != "JOBKIT_BOARD"} | {"PYTHONWARNINGS": "error"}
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    with pytest.raises(urllib.error.URLError):
        get(done.stdout.strip())
