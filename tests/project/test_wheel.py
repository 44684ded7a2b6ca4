"""The package as somebody else gets it: built, installed elsewhere, and run from an empty folder."""

import os
import re
import signal
import subprocess
import sys
import sysconfig
import urllib.request
import venv
import zipfile
from email import message_from_bytes
from pathlib import Path
from typing import Any

import pytest

from tests.project.readme_blocks import ROOT
from tests.worker.boards import own_data


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Build the wheel once."""
    pytest.importorskip("hatchling", reason="the wheel is built with hatchling: pip install --group dev")
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (found,) = folder.glob("*.whl")
    return found


def test_the_wheel_holds_what_runs_and_nothing_else(wheel: Any) -> None:
    """Packages, data, licences and the marker for type checkers; no tests, and no picture of the README."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        told = message_from_bytes(archive.read(metadata))
    tops = {name.split("/")[0] for name in names if ".dist-info" not in name}
    assert tops == {"jobqueue", "webui", "exercises", "notebooks"}
    assert {"jobqueue/py.typed", "webui/py.typed", "webui/static/vendor/VERSIONS.txt"} <= set(names)
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not [name for name in names if name.endswith((".png", ".pyc"))]
    assert told["License-Expression"] == "MIT"
    assert {extra for key, extra in told.items() if key == "Provides-Extra"} == {
        "postgres",
        "jupyter",
        "watch",
        "demo",
    }
    assert told.get_payload().startswith("# jobkit")  # type: ignore[union-attr]
    assert re.findall(r"\]\((?!https?:)", told.get_payload()) == []  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def installed(wheel: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Install the wheel into a fresh environment; what it depends on is lent by this one."""
    folder = tmp_path_factory.mktemp("fresh")
    venv.create(folder, with_pip=True)
    programs = folder / ("Scripts" if os.name == "nt" else "bin")
    install = [programs / "python", "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", wheel]
    subprocess.run(install, check=True, capture_output=True)
    (site,) = folder.glob("**/site-packages")
    # After its own packages; an editable jobkit there is not found, for it is an entry of a .pth file itself.
    (site / "lent.pth").write_text(sysconfig.get_path("purelib"))
    return programs


def test_the_installed_command_runs_from_an_empty_folder(installed: Any, tmp_path: Path) -> None:
    """It says its version, plays a scenario, begins and checks an exercise, and serves the board."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= own_data(tmp_path / "own")
    more = {"cwd": tmp_path, "env": environment, "text": True, "encoding": "utf-8"}

    def jobkit(*arguments: Any) -> Any:
        told = subprocess.run([installed / "jobkit", *arguments], capture_output=True, check=False, **more)  # type: ignore[call-overload]
        assert "Traceback" not in told.stderr
        return told.returncode, told.stdout

    where = "import jobqueue, webui; print(jobqueue.__file__, webui.__file__)"
    found = subprocess.run([installed / "python", "-c", where], capture_output=True, check=True, **more).stdout  # type: ignore[call-overload]
    assert found.count(str(installed.parent)) == 2
    assert jobkit("--version") == (0, "jobkit, version 0.1.0\n")
    assert "zombie" in jobkit("trace", "zombie")[1]
    assert jobkit("start", "ex01")[0] == 0
    code, output = jobkit("check", "ex01")
    assert (code, "Task 1" in output) == (1, True)
    board = [installed / "jobkit", "board"]
    with subprocess.Popen(board, stdout=subprocess.PIPE, **more) as process:  # type: ignore[call-overload]
        try:
            lines = list(iter(process.stdout.readline, "Ctrl-C stops it.\n"))[:20]
            url = lines[0].split()[-1]
            for page in ("", "live/", "scenarios/zombie", "exercises/ex01", "static/vendor/htmx.min.js"):
                with urllib.request.urlopen(url + page, timeout=30) as answer:
                    assert answer.status == 200
        finally:
            process.send_signal(getattr(signal, "SIGTERM", signal.SIGINT))
