"""A board and workers in processes of their own over one file: each sees what the others did."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from tests.worker.boards import Board, ends_with, until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

POSIX = pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
MAIL = '{"to": "bo@example.org", "subject": "Hello"}'


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Any]:
    """Return a running board over a file; nothing of it, or of its workers, outlives the test."""
    board = Board(tmp_path, f"sqlite:///{tmp_path.as_posix()}/jobs.db")
    yield board
    board.stop()


def test_the_board_shows_what_a_worker_did_that_it_never_heard_of(board: Any) -> None:
    """The worker opens the file itself; figures, pages and histories of the board tell of it."""
    board.producer.submit("mail", MAIL)
    board.producer.submit("mail", '{"to": "nobody"}')
    worker = board.worker("--types", "mail", over_http=False)
    until(lambda: {board.status(f"J{n}") for n in (1, 2)} == {"SUCCEEDED", "DEAD"})
    assert ends_with(worker, signal.SIGTERM)[0] == 0
    assert until(lambda: "1 SUCCEEDED 1 DEAD" in board.page()[1])
    assert "attempts that succeeded 1 of 2 attempts" in board.page()[1]
    assert "J2 mail default" in board.page("dead")[1]
    assert [(a.worker_id, a.outcome) for a in board.operator.history("J1")] == [("w", "succeeded")]


def test_a_worker_that_holds_no_lease_any_more_was_seen(board: Any) -> None:
    """It was seen with one, although it never asked the board."""
    board.producer.submit("mail", MAIL)
    board.worker("--types", "mail", "--pace", "2.5", name="anna", over_http=False)
    until(lambda: "anna working" in board.page()[1])
    until(lambda: board.status() == "SUCCEEDED")
    assert until(
        lambda: re.search(
            r"anna no lease Last seen [\d.]+ s ago. Idle or stopped: the store can't tell.", board.page()[1]
        )
    )


def test_the_job_of_a_killed_worker_is_done_by_the_other(board: Any) -> None:
    """Kill -9; the page shows the lease that runs out, then two attempts, and the whole way."""
    board.producer.submit("mail", MAIL)
    anna = board.worker("--types", "mail", "--behave", "slow", name="anna", over_http=False)
    until(lambda: board.status() == "RUNNING")
    anna.kill()
    anna.wait()
    assert "J1 RUNNING held by anna" in board.page("jobs/J1")[1]
    board.worker("--types", "mail", name="bob")
    until(lambda: board.status() == "SUCCEEDED")
    history = board.operator.history("J1")
    assert [(a.worker_id, a.outcome) for a in history] == [("anna", "expired"), ("bob", "succeeded")]
    page = board.page("jobs/J1")[1]
    for words in (
        "J1 SUCCEEDED",
        "Last error, before it succeeded lease expired",
        "J1:1 anna",
        "J1:2 bob",
        "Attempts 2",
    ):
        assert words in page
    assert len(list((board.folder / "jobkit-out").glob("mail-J1*"))) == 1


def test_a_dead_letter_is_brought_back_with_a_corrected_payload(board: Any) -> None:
    """The worker that opened the file does it then; the audit is on the page."""
    board.producer.submit("mail", '{"to": "nobody"}')
    board.worker("--types", "mail", over_http=False)
    until(lambda: board.status() == "DEAD")
    board.operator.redrive("J1", note="the address is mended", payload=MAIL)
    until(lambda: board.status() == "SUCCEEDED")
    page = board.page("jobs/J1")[1]
    assert "Redrives" in page
    assert "the address is mended" in page
    assert until(lambda: "redrives 1" in board.page()[1])


def test_a_worker_outlives_a_restart_of_the_board(board: Any) -> None:
    """The tokens that were shown at the first start work at the second: what is done meanwhile is reported."""
    board.producer.submit("mail", MAIL)
    board.worker("--types", "mail", "--pace", "2", lease="60")
    until(lambda: board.status() == "RUNNING")
    board.process.terminate()
    board.process.communicate(timeout=30)
    lines = board.serve("--port", board.url.rsplit(":", 1)[1].strip("/"))
    assert not any(line.startswith("  ") for line in lines)
    assert "those that were shown when" in lines[-1]
    until(lambda: board.status() == "SUCCEEDED")
    assert [a.outcome for a in board.operator.history("J1")] == ["succeeded"]


def test_a_file_that_another_keeps_is_a_503(board: Any) -> None:
    """A request that writes gets a time to come again; a page only reads, and is there; then all is well."""
    board.producer.submit("mail", MAIL)
    other = sqlite3.connect(board.folder / "jobs.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        request = Request(
            f"{board.url}api/v1/jobs/J1/cancel",
            method="POST",
            data=b"{}",
            headers={"Authorization": f"Bearer {board.tokens['operator']}"},
        )
        with pytest.raises(HTTPError) as refused:
            urlopen(request, timeout=60)
        told = json.load(refused.value)
        status, page = board.page("jobs/J1")
    finally:
        other.close()
    assert (refused.value.code, refused.value.headers["Content-Type"]) == (503, "application/problem+json")
    assert (refused.value.headers["Retry-After"], told["error"]) == ("1", "StoreError")
    assert (status, "J1" in page) == (200, True)
    assert board.status() == "PENDING"


def test_who_names_no_queue_has_one_of_their_own(tmp_path: Path) -> None:
    """Board, worker and demo-load meet in a file in the user's data folder."""
    board = Board(tmp_path, None)
    try:
        load = board.start("demo-load", "--jobs", "20")
        assert load.wait(60) == 0
        board.worker("--types", "mail,invoice", over_http=False)
        until(lambda: board.operator.list_jobs(status="SUCCEEDED"))
        assert (tmp_path / "jobkit" / "jobkit.db").exists() or os.name == "nt"
    finally:
        board.stop()
