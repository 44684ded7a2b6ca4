"""`jobkit postgres`: a server for as long as the command runs, and not longer."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from jobqueue import ManualClock, StoreError, open_queue
from tests.databases import need_postgres
from tests.durable.conftest import POLICY
from webui.cli import main

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]


@pytest.fixture
def folder() -> Iterator[Any]:
    """Return a folder with a short name: the path of a socket is at most about 100 characters long."""
    need_postgres()
    pytest.importorskip("psutil", reason="the wheel's server is not installed")
    path = Path(tempfile.mkdtemp(prefix="jk-"))
    yield path
    shutil.rmtree(path, ignore_errors=True)


def started(folder: Any) -> Any:
    """Start the command, and return it with the URL that it prints."""
    command = [sys.executable, "-W", "ignore", "-m", "webui.cli", "postgres", "--data", str(folder / "data")]
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONUNBUFFERED": "1"}
    )
    line = process.stdout.readline()  # type: ignore[union-attr]
    assert line.startswith("PostgreSQL:"), line
    return process, line.split()[1]


@pytest.mark.skipif(sys.platform == "win32", reason="other signals")
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_server_runs_until_it_is_stopped_and_keeps_its_data(folder: Any, name: str) -> None:
    """What was submitted in the first run is there in the second; between them nobody answers."""
    for ids in (["J1"], ["J2", "J1"]):
        process, url = started(folder)
        try:
            with open_queue(url, ManualClock(), POLICY) as queue:
                queue.submit("mail")
                assert [view.id for view in queue.list_jobs()] == ids
        finally:
            process.send_signal(getattr(signal, name))
            out, _ = process.communicate(timeout=60)
        assert (process.returncode, out.splitlines()[-1]) == (0, "Stopped.")
        with pytest.raises(StoreError):
            open_queue(url, ManualClock(), POLICY)


def test_a_second_server_in_the_same_folder_is_refused(folder: Any) -> None:
    """It tells the URL of the one that runs, and leaves it alone."""
    process, url = started(folder)
    try:
        answer = CliRunner().invoke(main, ["postgres", "--data", str(folder / "data")])
        assert (answer.exit_code, url in answer.output) == (1, True)
        open_queue(url, ManualClock(), POLICY).close()
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
