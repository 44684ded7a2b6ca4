"""One answer in a process of its own: started, asked, bounded in time, memory, output, ended with its kin."""

import json
import os
import queue
import re
import secrets
import signal
import subprocess
import sys
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

PACKAGE_ROOT = Path(__file__).resolve().parent.parent.parent
START_SECONDS = 20.0  # Python itself may start slowly on a busy machine; that is not the answer's fault
CHUNK_BYTES = 65_536
JUNK_BYTES = 4_000_000
KEPT_OUTPUT_BYTES = 4_000
MARK_SECONDS = 1.0
FRAME = re.compile(rb'  File "([ -~]+)", line (\d{1,7}) in ([ -~]+)')
KILLED = -9  # what we do to a process that is silent but alive; Windows knows no signals


@dataclass(frozen=True, slots=True)
class Limits:
    """What an answer may use up."""

    call_seconds: float = 1.0
    total_seconds: float = 4.0
    memory_megabytes: int = 512
    output_kilobytes: int = 256


@dataclass(frozen=True, slots=True)
class Frame:
    """Where the answer was when it did not reply: a file (non-ASCII letters escaped), line and function."""

    path: str
    line: int
    function: str


class Stopped(Exception):  # noqa: N818  a verdict, not a fault
    """The answer was ended, or ended itself, before it replied."""

    def __init__(self, reason: str, frames: Iterable[Frame] = ()) -> None:
        super().__init__(reason)
        self.reason, self.frames = reason, tuple(frames)


class AnswerProcess:
    """A child process that holds one answer.

    Nothing in here knows the exercise. Replies count only with this process's nonce: whatever else the answer
    writes, to whichever stream, is output.
    """

    def __init__(self, closed_folder: Path, limits: Limits, working_folder: Path) -> None:
        self._limits = limits
        self._nonce = secrets.token_hex(16)
        self._asked = 0
        self._frames: list[Frame] = []
        self._flooded = threading.Event()
        self._output = bytearray()
        self._begin: bytes | None = None
        self._arrived = threading.Condition()
        self._replies: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._process = _spawn(working_folder)
        self._readers = [
            threading.Thread(target=self._read_replies, args=(self._process.stdout,), daemon=True),
            threading.Thread(target=self._read_output, args=(self._process.stderr,), daemon=True),
        ]
        for reader in self._readers:
            reader.start()
        self._send(
            {
                "nonce": self._nonce,
                "memory_bytes": limits.memory_megabytes * 1_000_000,
                "cpu_seconds": int(limits.total_seconds) + 10,
                "closed_folder": str(closed_folder),
            }
        )
        self._await_reply(0, START_SECONDS, "Python itself did not start in time.")

    def ask(self, command: dict[str, Any], seconds: float) -> dict[str, Any]:
        """Send one command and wait for its reply.

        Raises:
            Stopped: No reply within the time, too much output, or the process ended.
        """
        self._asked += 1
        self._frames.clear()
        self._send({**command, "number": self._asked, "seconds": seconds})
        return self._await_reply(
            self._asked, seconds, f"Your code gave no answer within {seconds:.1f} s and was stopped."
        )

    def begin_output(self) -> None:
        """Let what is printed from now on count as new."""
        self._begin = self._mark()

    def printed(self) -> str:
        """What the answer has printed since `begin_output`, its beginning."""
        begin, end = self._begin, self._mark()
        if begin is None or end is None:
            return ""  # the answer has closed its output
        with self._arrived:
            self._arrived.wait_for(lambda: end in self._output, timeout=MARK_SECONDS)
            since = bytes(self._output).rpartition(begin)[2]
        return since.partition(end)[0][:KEPT_OUTPUT_BYTES].decode("utf-8", "replace")

    def _mark(self) -> bytes | None:
        """Write a new mark into the output: replies take another pipe, so they can't tell what came when."""
        mark = f"[{self._nonce} {self._asked}]"
        reply = self.ask({"do": "mark", "text": mark}, MARK_SECONDS)
        return mark.encode() if reply["kind"] == "value" else None

    def close(self) -> int:
        """End the process and every process it started; return its exit code."""
        _end_tree(self._process)
        code = self._process.wait()
        for reader in self._readers:
            reader.join(timeout=1)
        pipes = (self._process.stdin, self._process.stdout, self._process.stderr)
        # A reader that still waits holds its pipe open for a process that escaped; closing would block on it.
        for pipe in pipes if not any(reader.is_alive() for reader in self._readers) else ():
            _close_quietly(pipe)
        return code

    def _send(self, command: dict[str, Any]) -> None:
        pipe = self._process.stdin
        assert pipe is not None  # noqa: S101  for the type checker: Popen was asked for a pipe
        try:
            pipe.write(json.dumps(command).encode() + b"\n")
            pipe.flush()
        except OSError:  # the process has gone; waiting for the reply tells how
            return

    def _await_reply(self, number: int, seconds: float, too_late: str) -> dict[str, Any]:
        while True:
            try:
                reply = self._replies.get(timeout=max(seconds, 0.01))
            except queue.Empty:
                self.close()
                raise Stopped(too_late, self._frames) from None
            if reply is None:
                raise Stopped(self._why_it_ended())
            if reply.get("number") == number:
                return reply

    def _why_it_ended(self) -> str:
        code = self.close()
        if self._flooded.is_set():
            return f"Your code printed more than {self._limits.output_kilobytes} KB and was stopped."
        if code == KILLED:
            return "Your code cut the pipe to the grader, or the system killed it."
        if code < 0:
            return f"Your code crashed Python ({signal.Signals(-code).name})."
        return f"Your code ended the Python process itself (exit code {code})."

    def _read_replies(self, pipe: IO[bytes]) -> None:
        junk = 0
        mark = self._nonce.encode() + b" "
        while line := pipe.readline(2_000_000):
            if line.startswith(mark):
                self._replies.put(json.loads(line[len(mark) :]))
            elif frame := FRAME.match(line):
                self._frames.append(Frame(frame[1].decode(), int(frame[2]), frame[3].decode()))
            elif (junk := junk + len(line)) > JUNK_BYTES:
                self._stop_flood()
        self._replies.put(None)

    def _read_output(self, pipe: IO[bytes]) -> None:
        while chunk := os.read(pipe.fileno(), CHUNK_BYTES):
            if self._flooded.is_set():
                continue  # read on, so that nobody waits, but keep nothing more
            with self._arrived:
                self._output += chunk
                self._arrived.notify_all()
            if len(self._output) > self._limits.output_kilobytes * 1_000:
                self._stop_flood()

    def _stop_flood(self) -> None:
        if not self._flooded.is_set():
            self._flooded.set()
            _end_tree(self._process)


def _spawn(working_folder: Path) -> subprocess.Popen[bytes]:
    # -P keeps the learner's folder off the import path: a file named json.py there must break nothing.
    command = [sys.executable, "-P", "-m", "exercises.grader.child"]
    environment = {
        **os.environ,
        "PYTHONPATH": str(PACKAGE_ROOT),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "PYTHONUTF8": "1",
        "PYTHONUNBUFFERED": "1",
    }
    own_group: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        own_group = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    pipe = subprocess.PIPE
    return subprocess.Popen(  # noqa: S603  the command is our own interpreter
        command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=working_folder, env=environment, **own_group
    )


def _end_tree(process: subprocess.Popen[bytes]) -> None:
    """Kill the process and what it started. Harmless when all have gone."""
    if process.returncode is not None:
        return  # already waited for: its number may belong to somebody else by now
    if sys.platform == "win32":
        taskkill = ["taskkill", "/PID", str(process.pid), "/T", "/F"]
        subprocess.run(taskkill, check=False, capture_output=True)  # noqa: S603  ships with Windows
    else:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            process.kill()


def _close_quietly(pipe: IO[bytes] | None) -> None:
    try:
        if pipe is not None:
            pipe.close()
    except OSError:
        return
