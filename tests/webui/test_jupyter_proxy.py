"""The board inside of Jupyter: started by jupyter-server-proxy, and whole below Jupyter's own address."""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import tomllib
import urllib.error
import urllib.request
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import pytest

from webui.jupyter.proxy import NAME, server

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
TOKEN = "secret-of-this-test"  # noqa: S105 - no secret of anybody's
LONGEST_SECONDS = 60


def test_the_package_tells_jupyter_about_it() -> None:
    """The entry point of the package is the function that says how to start the board."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module, function = project["entry-points"]["jupyter_serverproxy_servers"][NAME].split(":")
    assert getattr(import_module(module), function) is server
    assert any(name.startswith("jupyter-server-proxy") for name in project["optional-dependencies"]["jupyter"])


def test_the_command_is_one_of_ours() -> None:
    """It runs this interpreter, at the port and below the prefix that Jupyter names."""
    command = server()["command"]
    assert command[0] == sys.executable
    assert command[-4:] == ["--port", "{port}", "--prefix", "{base_url}jobkit"]
    assert Path(server()["launcher_entry"]["icon_path"]).is_file()


def ask(url: str, data: bytes | None = None) -> tuple[int, str, str]:
    """Return status, address and text of an answer; redirects are followed as a browser does."""
    request = urllib.request.Request(url, data, {"Authorization": f"token {TOKEN}"})
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.url, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.url, error.read().decode(errors="replace")


@pytest.fixture(scope="module")
def jupyter(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return the address of a Jupyter server below /user/ada/, with the proxy told of the board."""
    pytest.importorskip("jupyter_server_proxy")
    folder = tmp_path_factory.mktemp("jupyter")
    config = {"ServerProxy": {"servers": {NAME: server()}}}
    (folder / "jupyter_server_config.json").write_text(json.dumps(config), encoding="utf-8")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "jupyter_server", "--allow-root", "--no-browser", "--ip=127.0.0.1"]
    command += [f"--port={port}", "--ServerApp.base_url=/user/ada/", f"--ServerApp.root_dir={folder}"]
    command += ["--ServerApp.open_browser=False"]
    places = ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
    environment = os.environ | dict.fromkeys(places, str(folder))
    environment |= {"JUPYTER_TOKEN": TOKEN, "PYTHONPATH": str(ROOT)}
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
        try:
            yield wait_for(f"http://127.0.0.1:{port}/user/ada/", process, folder / "log")
        finally:
            process.terminate()
            process.wait(20)


def wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> str:
    """Return the address once it answers."""
    end = monotonic() + LONGEST_SECONDS
    while monotonic() < end and process.poll() is None:
        try:
            if ask(f"{url}api/status")[0] == 200:
                return url
        except OSError:
            with suppress(subprocess.TimeoutExpired):
                process.wait(0.1)
    raise AssertionError(log.read_text(errors="replace")[-2000:])


def test_the_board_is_whole_below_jupyters_address(jupyter: str) -> None:
    """Gallery, style, a new board, a step on it: all below /user/ada/jobkit/, none of it leads out."""
    status, _, gallery = ask(f"{jupyter}jobkit/")
    assert status == 200, gallery[-800:]
    found = re.findall(r'(?:href|src|action)="([^"#]+)', gallery)
    assert len(found) > 40
    assert [address for address in found if not address.startswith("/user/ada/jobkit/")] == []
    assert ask(f"{jupyter}jobkit/static/tokens.css")[0] == 200
    status, where, page = ask(f"{jupyter}jobkit/scenarios/zombie/labs", b"")
    assert status == 200
    assert where.startswith(f"{jupyter}jobkit/labs/zombie-")
    status, where, page = ask(f"{where}/step", b"")
    assert status == 200
    assert where.startswith(f"{jupyter}jobkit/labs/zombie-")
    assert '<span id="clock">1.0</span>' in page
