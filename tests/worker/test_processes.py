"""Real worker processes against a real board: what becomes of a job when its worker stops or dies."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.worker.boards import COMMAND, ROOT, Board, ends_with, says, until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

POSIX = pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")


@pytest.fixture
def board(tmp_path: Path) -> Iterator[Any]:
    """Return a running board; nothing of it, or of its workers, outlives the test."""
    board = Board(tmp_path)
    yield board
    board.stop()


def test_a_worker_does_the_work(board: Any) -> None:
    """Mails and invoices lie in its folder, each once; it says what it did, and SIGTERM ends it with code 0."""
    board.producer.submit("mail", '{"to": "bo@example.org", "subject": "Hello"}')
    board.producer.submit("invoice", '{"customer": "<b>Bo</b>", "lines": [["Hosting", 990]]}')
    board.producer.submit("mail", '{"to": "nobody"}')
    worker = board.worker("--types", "mail,invoice")
    until(lambda: {board.status(f"J{n}") for n in (1, 2, 3)} == {"SUCCEEDED", "DEAD"})
    code, output = ends_with(worker, signal.SIGTERM)
    assert code == 0
    assert output.endswith("w: stopped\n")
    assert "w: J1 leased: mail, attempt 1, token J1:1\nw: J1 done\n" in output
    assert "w: J3 failed: PermanentError: 'nobody' is no mail address" in output
    folder = board.folder / "jobkit-out"
    assert sorted(path.name for path in folder.iterdir()) == ["invoice-J2.html", "mail-J1.eml"]
    assert "Subject: Hello" in (folder / "mail-J1.eml").read_text()
    assert "&lt;b&gt;Bo&lt;/b&gt;" in (folder / "invoice-J2.html").read_text()


@POSIX
def test_sigterm_lets_the_running_job_finish_and_gives_the_rest_back(board: Any) -> None:
    """Three are taken at once; the first is done, the others are PENDING with no attempt counted."""
    for _ in range(3):
        board.producer.submit("mail")
    worker = board.worker("--types", "mail", "--behave", "slow", "--batch", "3", lease="1")
    assert says(worker, "J1 renewed")  # so it is begun
    code, output = ends_with(worker, signal.SIGTERM)
    assert code == 0
    views = [board.operator.view(f"J{n}") for n in (1, 2, 3)]
    assert [(view.status, view.attempts) for view in views] == [
        ("SUCCEEDED", 1),
        ("PENDING", 0),
        ("PENDING", 0),
    ]
    said = [line for line in output.splitlines() if not line.endswith("renewed")]
    assert said == ["w: J2 released", "w: J3 released", "w: J1 done", "w: stopped"]


@POSIX
def test_sigterm_gives_back_at_once_what_is_not_begun(board: Any) -> None:
    """Long before the grace of the running job is over: another worker can take the four others meanwhile."""
    for _ in range(5):
        board.producer.submit("mail")
    worker = board.worker("--types", "mail", "--behave", "slow", "--batch", "5", "--grace", "60", lease="6")
    assert says(worker, "J1 renewed")  # so it is begun
    worker.send_signal(signal.SIGTERM)
    until(lambda: [board.status(f"J{n}") for n in (2, 3, 4, 5)] == ["PENDING"] * 4, seconds=10)
    assert (worker.poll(), board.status("J1")) == (None, "RUNNING")


@POSIX
def test_a_worker_whose_output_nobody_reads_goes_on(board: Any) -> None:
    """The reader of the pipe is gone, as after `| head`: jobs are done, and it ends with code 0."""
    worker = board.worker("--types", "mail")
    worker.stdout.close()
    for _ in range(2):
        board.producer.submit("mail")
    until(lambda: board.status("J2") == "SUCCEEDED")
    worker.send_signal(signal.SIGTERM)
    assert worker.wait(30) == 0


@POSIX
def test_killed_right_after_sigterm_a_job_is_not_lost(board: Any) -> None:
    """SIGTERM, then SIGKILL after 100 ms: the lease runs out, the job is retried, and never counted as done."""
    board.producer.submit("mail")
    worker = board.worker("--types", "mail", "--behave", "slow", lease="3")
    assert says(worker, "J1 renewed")
    worker.send_signal(signal.SIGTERM)
    time.sleep(0.1)  # the case itself: so long the worker has
    worker.kill()
    worker.communicate()
    assert board.status() == "RUNNING"
    view = until(lambda: board.status() == "PENDING" and board.operator.view("J1"))
    (attempt,) = board.operator.history("J1")
    assert (attempt.outcome, view.attempts, view.last_error) == ("expired", 1, "lease expired")
    assert view.next_run_at == attempt.ended_at + 1000


def test_a_crash_is_noticed_by_the_end_of_the_lease(board: Any) -> None:
    """A worker of the same name cannot keep the dead one's job alive; it gets it by a new lease."""
    board.producer.submit("mail")
    crashed = board.worker("--types", "mail", "--behave", "crash", lease="1")
    assert crashed.wait(30) == 1
    worker = board.worker("--types", "mail", lease="60")
    until(lambda: board.status() == "SUCCEEDED")
    history = board.operator.history("J1")
    assert [(a.worker_id, a.outcome) for a in history] == [("w", "expired"), ("w", "succeeded")]
    assert history[1].started_at >= history[0].ended_at + 1000
    worker.terminate()


@POSIX
def test_a_zombie_is_refused(board: Any) -> None:
    """Frozen past its lease, it reports all the same; the queue has given the job to another."""
    other = board.worker("--types", "mail", name="other", lease="60")
    other.send_signal(signal.SIGSTOP)  # it must be there in time, and not before
    board.producer.submit("mail")
    zombie = board.worker("--types", "mail", "--behave", "freeze", name="zombie", lease="2")
    assert says(zombie, "J1 freeze")
    until(lambda: board.status() == "PENDING")
    other.send_signal(signal.SIGCONT)
    assert "stale" in says(zombie, "refused")
    until(lambda: board.status() == "SUCCEEDED")
    assert [a.worker_id for a in board.operator.history("J1")] == ["zombie", "other"]


def test_without_a_board_a_worker_waits_for_one(tmp_path: Path) -> None:
    """It says that nobody answers, and stops when it is told to."""
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [*COMMAND, "worker", "--url", "http://127.0.0.1:9/", "--token", "x", "--id", "w"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout.readline().startswith("w: works on")  # type: ignore[union-attr]
        assert "w: unanswered: POST /api/v1/leases/claim: no answer from 127.0.0.1" in process.stdout.readline()  # type: ignore[union-attr]
        code, output = ends_with(process, signal.SIGTERM)
    assert (code, output.splitlines()[-1]) == (0, "w: stopped")


def test_a_bad_token_ends_a_worker_with_one_line(board: Any) -> None:
    """Trying again would not help."""
    board.tokens["worker"] = board.tokens["operator"]
    worker = board.worker()
    output, _ = worker.communicate(timeout=30)
    assert worker.returncode == 1
    assert output.startswith(
        "Error: the board does not accept this worker's token: this is for a token of the role worker, and "
        "yours is for operator. Start the worker again with a token for workers"
    )
    assert output.count("\n") == 1


def test_a_mixture_is_submitted(board: Any) -> None:
    """`jobkit demo-load` over HTTP: it says what it did, and the jobs are there."""
    load = board.start("demo-load", "--url", board.url, "--token", board.tokens["producer"], "--jobs", "30")
    output, _ = load.communicate(timeout=60)
    assert load.returncode == 0
    assert output.splitlines()[-1].startswith("Submitted 30 jobs: ")
    assert len(board.operator.list_jobs(limit=100)) == 30
