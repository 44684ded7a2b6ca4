"""The one command: help everywhere, one clear line for bad use, a clean stop."""

import json
import os
import select
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from jobqueue.simulation import SCENARIOS, run
from jobqueue.simulation.trace import trace
from tests.worker.boards import own_data
from webui.cli import main

ROOT = Path(__file__).parents[2]
COMMANDS = sorted(main.commands)
STOPS = ["SIGINT", "SIGTERM", "SIGHUP"]


def _call(*arguments: Any) -> Any:
    return CliRunner().invoke(main, arguments)


@pytest.mark.parametrize("command", [None, *COMMANDS])
def test_every_command_has_help(command: Any) -> None:
    """`--help` says what a command does."""
    result = _call(*([command] if command else []), "--help")
    assert result.exit_code == 0
    assert len(result.output.splitlines()) > 4


def test_a_trace_is_printed_as_it_is() -> None:
    """`jobkit trace NAME` prints what the trace of that scenario is."""
    result = _call("trace", "zombie")
    assert (result.exit_code, result.output) == (0, trace(run(SCENARIOS["zombie"])))


def test_a_seed_draws_other_working_times() -> None:
    """Another seed gives another trace where working times vary, the same seed the same."""
    own, other, again = (_call("trace", "life_of_a_job", "--seed", seed).output for seed in ("7", "8", "8"))
    assert own != other == again


def test_scenarios_are_listed_with_their_questions() -> None:
    """`jobkit scenarios` names each scenario and asks its question."""
    lines = _call("scenarios").output.splitlines()
    assert [line.split()[0] for line in lines] == list(SCENARIOS)
    assert all(line.endswith("?") for line in lines)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["trace", "zmbie"], "did you mean zombie?"),
        (["trace", "x" * 500], f"there are {len(SCENARIOS)}, and `jobkit scenarios` lists them"),
        (["trace"], "Missing argument 'NAME'"),
        (["trace", "zombie", "--seed", "many"], "'many' is not a valid integer"),
        (["board", "--port", "0"], "0 is not in the range"),
        (["board", "--port", "99999"], "99999 is not in the range"),
        (["board", "--db", "nowhere:"], "url: 'nowhere:' names no store"),
        (["worker", "--url", "http://127.0.0.1:1/"], "--url needs a --token"),
        (["worker", "--url", "nonsense", "--token", "x"], "url: expected an address"),
        (["worker", "--db", "memory:", "--url", "http://127.0.0.1:1/"], "--db and --url: give one of them"),
        (["worker", "--db", "memory:", "--types", "fax"], "--types: expected some of mail, invoice, resize"),
        (["worker", "--db", "memory:", "--lease", "0"], "lease_millis: 0 is not between"),
        (["demo-load", "--db", "memory:", "--jobs", "0"], "0 is not in the range"),
        (
            ["board", "--db", "memory:", "--host", ""],
            "--host: is empty; leave it out, or name an address of this machine.",
        ),
        (["board", "--db", "memory:", "--host", "  "], "--host: is empty"),
        (["board", "--db", "memory:", "--host", "192.0.2.1"], "cannot listen at 192.0.2.1: "),
        (
            ["board", "--db", "memory:", "--host", "192.0.2.1", "--port", "8123"],
            "cannot listen at port 8123 of 192.0.2.1: ",
        ),
        (["bord"], "No such command 'bord'"),
    ],
)
def test_bad_use_gets_a_clear_line(arguments: Any, words: Any) -> None:
    """What is wrong is said in the last line, without a traceback."""
    result = _call(*arguments)
    assert result.exit_code in {1, 2}
    assert words in result.output.splitlines()[-1]
    assert "None" not in result.output
    assert "Traceback" not in result.output


def test_a_taken_port_gets_one_clear_line() -> None:
    """A port that was asked for and is taken is an error, not another port."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = _call("board", "--db", "memory:", "--port", str(port))
    assert result.exit_code == 1
    assert result.output.startswith(f"Error: cannot listen at port {port} of 127.0.0.1: ")
    assert "Choose another with --port" in result.output
    assert len(result.output.splitlines()) == 1


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
@pytest.mark.parametrize("name", STOPS)
def test_the_board_answers_and_stops_at_once(name: Any, tmp_path: Path) -> None:
    """The printed address answers; Ctrl-C, kill and a closed terminal end the program with code 0."""
    sort = getattr(signal, name)
    command = [sys.executable, "-u", "-m", "webui.cli", "board", "--db", "memory:"]
    environment = os.environ | own_data(tmp_path)
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as process:
        lines = list(iter(process.stdout.readline, "Ctrl-C stops it.\n"))[:20]  # type: ignore[union-attr]
        url = lines[0].split()[-1]
        assert [line.split()[0] for line in lines[4:]] == ["producer", "worker", "operator"]
        with urllib.request.urlopen(url, timeout=10) as answer:
            assert b"The zombie" in answer.read()
        process.send_signal(sort)
        assert process.wait(10) == 0
        assert process.stdout.read() == "Stopped.\n"  # type: ignore[union-attr]


def test_two_boards_take_two_ports(tmp_path: Path) -> None:
    """Without --port, the second board finds a free port by itself."""
    command = [sys.executable, "-u", "-m", "webui.cli", "board", "--db", "memory:"]
    more = {"cwd": ROOT, "env": os.environ | own_data(tmp_path), "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **more) as one, subprocess.Popen(command, **more) as two:
        urls = {process.stdout.readline().split()[-1] for process in (one, two)}  # type: ignore[union-attr]
        for process in (one, two):
            process.terminate()
    assert len(urls) == 2


@pytest.mark.skipif(os.name == "nt", reason="make is for POSIX shells; the README has pip lines for Windows")
def test_a_machine_without_a_new_enough_python_gets_one_clear_line(tmp_path: Path) -> None:
    """`make lab` where every python is too old says what is needed and how to point to one."""
    for tool in ("make", "sh", "rm", "touch"):
        (tmp_path / tool).symlink_to(
            next(p for p in ("/usr/bin", "/bin") if (Path(p) / tool).exists()) + f"/{tool}"
        )
    for name in ("python3", "python"):
        (tmp_path / name).write_text("#!/bin/sh\nexit 1\n")
        (tmp_path / name).chmod(0o755)
    copy = tmp_path / "clone"
    copy.mkdir()
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        (copy / name).write_bytes((ROOT / name).read_bytes())
    result = subprocess.run(
        ["make", "lab"], cwd=copy, env={"PATH": str(tmp_path)}, capture_output=True, text=True, check=False
    )
    assert result.returncode != 0
    assert result.stdout.startswith("jobkit needs Python 3.11 or newer, and found none.")
    assert not (copy / ".venv").exists()


class _Lab:
    """A running `jobkit lab` with folders of its own, and the JupyterLab that it started."""

    def __init__(self, folder: Any) -> None:
        self.work, self.scratch = folder / "work", folder / "scratch"
        self.work.mkdir()
        self.scratch.mkdir()
        environment = os.environ | {"TMPDIR": str(self.scratch), "PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-u", "-m", "webui.cli", "lab"]
        self.process = subprocess.Popen(
            command, cwd=self.work, env=environment, stdout=subprocess.PIPE, text=True
        )
        # It gives up by itself after a minute, and then there is no further line.
        self.lines = list(iter(self.process.stdout.readline, "Ctrl-C stops it.\n"))[:6]  # type: ignore[union-attr]
        noted = next(self.scratch.glob("jobkit-*/jpserver-*.json"))
        self.jupyter = os.pidfd_open(json.loads(noted.read_text())["pid"])

    def address(self) -> Any:
        return next(line.split()[-1] for line in self.lines if line.startswith("The lessons:"))

    def ended(self, seconds: Any) -> Any:
        """Wait for the end of JupyterLab, and return whether it came in time."""
        return select.select([self.jupyter], [], [], seconds)[0] != []


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[Any]:
    """Return a running `jobkit lab`; nothing of it outlives the test."""
    pytest.importorskip("jupyterlab")
    lab = _Lab(tmp_path)
    yield lab
    lab.process.kill()
    lab.process.communicate()
    lab.ended(20)
    os.close(lab.jupyter)


ON_LINUX = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="waiting for a foreign process is Linux's")


@ON_LINUX
@pytest.mark.parametrize(
    "name", [STOPS[0], *(pytest.param(name, marks=pytest.mark.long) for name in STOPS[1:])]
)
def test_the_lab_leaves_nothing_behind(lab: Any, name: str) -> None:
    """It ends with code 0, JupyterLab with it, and of its temporary folder nothing is left; the copies stay."""
    with urllib.request.urlopen(lab.address(), timeout=20) as answer:
        assert answer.status == 200
    lab.process.send_signal(getattr(signal, name))
    assert lab.process.wait(30) == 0
    assert lab.ended(0)
    assert list(lab.scratch.glob("jobkit-*")) == []
    assert (lab.work / "answers" / "lessons" / "00_start_here.ipynb").exists()


@ON_LINUX
def test_a_lab_that_is_killed_takes_jupyter_along(lab: Any) -> None:
    """Nobody can tell JupyterLab of a kill -9: it notices that the pipe to its parent is closed."""
    lab.process.kill()
    assert lab.process.wait(10) == -signal.SIGKILL
    assert lab.ended(30)
