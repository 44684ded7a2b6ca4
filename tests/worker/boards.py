"""Boards and workers in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

from jobqueue.client import QueueClient
from tests.webui.asking import words

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-u", "-m", "webui.cli"]


def until(condition: Any, seconds: Any = 30.0) -> Any:
    """Wait for a condition, with a bound."""
    end = time.monotonic() + seconds
    while not (found := condition()):
        assert time.monotonic() < end, "it did not come about in time"
        time.sleep(0.02)
    return found


def own_data(folder: Any) -> Any:
    """Return the environment in which a user's own data are in a folder, on any system."""
    return dict.fromkeys(("XDG_DATA_HOME", "LOCALAPPDATA", "HOME"), str(folder))


class Board:
    """A board in a process of its own, and the workers that are started for it.

    Args:
        folder: where they run, and where a user's own data lie.
        db: the queue's address; None for the user's own.
    """

    def __init__(self, folder: Any, db: Any = "memory:") -> None:
        self.folder = folder
        self.db = [] if db is None else ["--db", db]
        self.environment = os.environ | {"PYTHONPATH": str(ROOT)} | own_data(folder)
        self.processes = []  # type: ignore[var-annotated]
        lines = self.serve()
        told = {line.split(":")[0].strip(): line.split()[-1] for line in lines}
        self.url = told["The board"]
        self.tokens = {line.split()[0]: line.split()[1] for line in lines if line.startswith("  ")}
        self.producer, self.operator = (QueueClient(self.url, self.tokens[r]) for r in ("producer", "operator"))

    def serve(self, *arguments: Any) -> Any:
        """Start the board, and return what it says."""
        self.process = self.start("board", *self.db, *arguments)
        return list(iter(self.process.stdout.readline, "Ctrl-C stops it.\n"))[:20]

    def start(self, *arguments: Any) -> Any:
        process = subprocess.Popen(
            [*COMMAND, *arguments],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.processes.append(process)
        return process

    def worker(self, *arguments: Any, name: Any = "w", lease: Any = "2", over_http: Any = True) -> Any:
        """Start a worker and wait until it says that it works."""
        way = ["--url", self.url, "--token", self.tokens["worker"]] if over_http else self.db
        process = self.start("worker", "--pace", "0", *way, "--id", name, "--lease", lease, *arguments)
        assert process.stdout.readline().startswith(f"{name}: works on ")
        return process

    def status(self, job_id: Any = "J1") -> Any:
        return self.operator.view(job_id).status

    def page(self, path: Any = "") -> Any:
        """Return the status of a live page, and its words."""
        try:
            with urlopen(f"{self.url}live/{path}", timeout=30) as answer:
                return answer.status, words(answer.read().decode().replace("><", "> <"))
        except HTTPError as error:
            return error.code, words(error.read().decode())

    def stop(self) -> None:
        """End every process that is left."""
        for process in self.processes[::-1]:
            process.kill()
            process.wait()
            process.stdout.close()


def says(process: Any, words: Any) -> Any:
    """Return the next line of a process that has these words."""
    return next(line for line in iter(process.stdout.readline, "") if words in line)


def ends_with(process: Any, signal_: Any) -> Any:
    process.send_signal(signal_)
    output, _ = process.communicate(timeout=30)
    return process.returncode, output
