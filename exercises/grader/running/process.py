"""Runs an answer in a process of its own, with limits, and ends it with all processes that it started."""

import json
import os
import queue
import re
import secrets
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import thread_time
from typing import IO, Any

from exercises.grader.running.interpreter import close_quietly, signal_group, signal_name, spawn
from exercises.grader.running.process_tree import end_process_tree
from exercises.grader.running.stopwatch import Stopwatch
from exercises.grader.running.wire import (
    CANNOT_REPLY,
    LARGEST_REPLY_BYTES,
    TELL_WHERE,
    WATCHDOG_SHARE,
    read_reply,
)

START_SECONDS = 20.0  # Python itself may start slowly on a busy machine; that is not the answer's fault
CHUNK_BYTES = 65_536
JUNK_BYTES = 4_000_000
SHORT_BYTES = 4_096
KEPT_OUTPUT_BYTES = 4_000
MARK_SECONDS = 1.0
FRAME = re.compile(rb'  File "([ -~]+)", line (\d{1,7}) in ([ -~]+)')
MOST_FRAMES = 100
ENDING_SECONDS = 5.0
Serve = Callable[[dict[str, Any]], dict[str, Any]]
KILLED = -9  # what we do to a process that is silent but alive; Windows knows no signals


@dataclass(frozen=True, slots=True)
class Limits:
    """What an answer may use up. Its seconds are those that a `Stopwatch` counts."""

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


class NoAnswer(Stopped):
    """The time for one command was over before its reply came."""


class Starved(Stopped):
    """The machine was so busy that the answer could not use the time that it has."""


class AnswerProcess:
    """A child process that holds one answer.

    Nothing in here knows the exercise. Replies count only with this process's nonce: whatever else the answer
    writes, to whichever stream, is output.
    """

    def __init__(self, closed_folder: Path, limits: Limits, working_folder: Path) -> None:
        self._limits = limits
        self._nonce, self._mark = secrets.token_hex(16), secrets.token_hex(16)
        self._asked = 0
        self.used_seconds = 0.0  # by all commands so far
        self._code: int | None = None
        self._frames: list[Frame] = []
        self._flooded, self._spoiled = threading.Event(), threading.Event()
        self._output = bytearray()
        self._begin: bytes | None = None
        self._arrived = threading.Condition()
        self._replies: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._commands: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._process = spawn(working_folder, self._mark)
        tasks = (self._read_replies, self._read_output, self._write_commands)
        pipes = (self._process.stdout, self._process.stderr, self._process.stdin)
        self._threads = [
            threading.Thread(target=task, args=(pipe,), daemon=True)
            for task, pipe in zip(tasks, pipes, strict=True)
        ]
        for thread in self._threads:
            thread.start()
        self._send(
            {
                "nonce": self._nonce,
                "mark": self._mark,
                "memory_bytes": limits.memory_megabytes * 1_000_000,
                "cpu_seconds": int(limits.total_seconds) + 10,
                "closed_folder": str(closed_folder),
                "working_folder": str(working_folder),
            }
        )
        self._await_reply(0, Stopwatch(None, START_SECONDS), "Python itself did not start in time.")

    @property
    def ended(self) -> bool:
        """Whether it was ended already: by itself, or because it broke a rule."""
        return self._code is not None

    def ask(
        self,
        command: dict[str, Any],
        seconds: float,
        serve: Serve | None = None,
        net_seconds: float | None = None,
    ) -> dict[str, Any]:
        """Send one command and wait for its reply. After anything but a reply the process has ended.

        Args:
            command: What to do.
            seconds: The time for all of it, as a `Stopwatch` counts it.
            serve: Answers what is asked back meanwhile, if the command lends something to the answer.
            net_seconds: How long to wait on the wall clock; by default generously.

        Raises:
            NoAnswer: No reply within the time.
            Starved: The wall clock's bound was reached first.
            Stopped: Too much output, too large a reply, or the process ended.
        """
        self._asked += 1
        self._frames.clear()
        self._send_at_once({**command, "number": self._asked})
        too_late = f"Your code gave no answer within {seconds:.1f} s and was stopped."
        watch = Stopwatch(self._process.pid, seconds, net_seconds)
        try:
            reply = self._await_reply(self._asked, watch, too_late)
            while reply["kind"] == "asks":
                before = thread_time()
                self._send_at_once(self._served(reply, serve))
                watch.counted += thread_time() - before  # the grader has computed it, for the answer
                watch.begin_again()
                reply = self._await_reply(self._asked, watch, too_late)
        finally:
            self.used_seconds += watch.counted
        if reply["kind"] == "too large":
            self.close()
            raise Stopped("What your code answered is too large to be looked at.")
        return reply

    def _served(self, request: dict[str, Any], serve: Serve | None) -> dict[str, Any]:
        if serve is None:
            self.close()
            raise Stopped("Your code wrote into the grader's own pipe and was stopped.")
        try:
            return serve(request)
        except Stopped:
            self.close()
            raise

    def begin_output(self) -> None:
        """Let what is printed from now on count as new."""
        self._begin = self._write_mark()

    def printed(self) -> str:
        """What the answer has printed since `begin_output`, its beginning."""
        begin, end = self._begin, self._write_mark()
        if begin is None or end is None:
            return ""  # the answer has closed its output
        with self._arrived:
            self._arrived.wait_for(lambda: end in self._output, timeout=MARK_SECONDS)
            since = bytes(self._output).rpartition(begin)[2]
        return since.partition(end)[0][:KEPT_OUTPUT_BYTES].decode("utf-8", "replace")

    def _write_mark(self) -> bytes | None:
        """Write a new mark into the output: replies take another pipe, so they can't tell what came when."""
        mark = f"[{self._nonce} {self._asked}]"
        reply = self.ask({"do": "mark", "text": mark}, MARK_SECONDS)
        return mark.encode() if reply["kind"] == "value" else None

    def close(self) -> int:
        """End the process and every process it started; return its exit code."""
        if self._code is None:
            self._end_tree()
            self._code = self._wait()
            self._commands.put(None)
            for thread in self._threads:
                thread.join(timeout=1)
            pipes = (self._process.stdin, self._process.stdout, self._process.stderr)
            # A thread that still waits holds its pipe open for a process that escaped: closing would block.
            for pipe in pipes if not any(thread.is_alive() for thread in self._threads) else ():
                close_quietly(pipe)
        return self._code

    def _wait(self) -> int:
        try:
            return self._process.wait(timeout=ENDING_SECONDS)
        except subprocess.TimeoutExpired:  # stuck inside the system: it is killed as soon as it comes back
            return KILLED

    def _send(self, command: dict[str, Any]) -> None:
        self._commands.put(json.dumps(command).encode() + b"\n")

    def _send_at_once(self, command: dict[str, Any]) -> None:
        """Send to a process that waits for just this: a short line fits into its empty pipe."""
        line = json.dumps(command).encode() + b"\n"
        if len(line) > SHORT_BYTES or self._process.stdin is None:
            self._commands.put(line)
            return
        try:
            os.write(self._process.stdin.fileno(), line)
        except (OSError, ValueError):  # the process has gone; waiting for the reply tells how
            return

    def _await_reply(self, number: int, watch: Stopwatch, too_late: str) -> dict[str, Any]:
        asked_where = False
        while True:
            try:
                reply = self._replies.get(timeout=watch.next_look(WATCHDOG_SHARE))
            except queue.Empty:
                watch.count(waited=True)
                if watch.left > 0 and not watch.starved:
                    if not asked_where and watch.counted >= WATCHDOG_SHARE * watch.seconds:
                        asked_where = self._ask_where()
                    continue
                # A copy that the answer forked may hold the pipe open long after the answer itself has gone.
                gone = self._process.poll() is not None
                why = self._why_it_ended()
                if gone:
                    raise Stopped(why) from None
                if watch.left > 0:
                    raise Starved("The machine was too busy to run your code.", self._frames) from None
                raise NoAnswer(too_late, self._frames) from None
            watch.count(waited=False)
            if reply is None:
                self._replies.put(None)  # whoever asks again finds the end again
                why = self._why_it_ended()
                if asked_where and self._code == -signal.SIGSEGV:
                    # Python reads frames while they change, and once in a while this crashes it.
                    raise NoAnswer(too_late, self._frames)
                raise Stopped(why)
            if reply["number"] == number:
                return reply

    def _ask_where(self) -> bool:
        """Let the process write the lines that are running, in a loop that never ends too."""
        if TELL_WHERE is not None:
            with suppress(OSError):
                self._process.send_signal(TELL_WHERE)
        return True

    def _why_it_ended(self) -> str:
        code = self.close()
        if self._flooded.is_set():
            return f"Your code printed more than {self._limits.output_kilobytes} KB and was stopped."
        if self._spoiled.is_set():
            return "Your code wrote into the grader's own pipe and was stopped."
        if code == CANNOT_REPLY:
            return "Your code cut the pipe to the grader, or broke a part of Python that the grader needs."
        if code == KILLED:
            return "Your code cut the pipe to the grader, or the system killed it."
        if code < 0:
            return f"Your code crashed Python ({signal_name(-code)})."
        return f"Your code ended the Python process itself (exit code {code})."

    def _write_commands(self, pipe: IO[bytes]) -> None:
        """Write in a thread of its own: a process that does not read must not keep the grader waiting."""
        try:
            while command := self._commands.get():
                pipe.write(command)
                pipe.flush()
        except (OSError, ValueError):  # the process has gone; waiting for the reply tells how
            return

    def _read_replies(self, pipe: IO[bytes]) -> None:
        """Read until the end, or until something comes that the grader's own code would never write."""
        try:
            self._read_lines(pipe)
        except Exception:
            self._spoiled.set()
            self._end_tree()
        finally:
            self._replies.put(None)

    def _read_lines(self, pipe: IO[bytes]) -> None:
        junk = 0
        mark = self._nonce.encode() + b" "
        while line := pipe.readline(LARGEST_REPLY_BYTES):
            if line.startswith(mark):
                self._replies.put(read_reply(line[len(mark) :]))
                continue
            frame = FRAME.match(line)
            if frame and len(self._frames) < MOST_FRAMES:
                self._frames.append(Frame(frame[1].decode(), int(frame[2]), frame[3].decode()))
            if (junk := junk + len(line)) > JUNK_BYTES:
                self._stop_flood()

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
            self._end_tree()

    def _end_tree(self) -> None:
        """Kill the process and what it started. Harmless when all have gone."""
        alive = self._process.returncode is None  # else its number may belong to somebody else by now
        if alive and sys.platform != "win32":
            signal_group(self._process, signal.SIGSTOP)  # what stands still starts nothing more
        end_process_tree(self._mark, self._process.pid if alive else None)
        if alive and sys.platform == "win32":
            taskkill = ["taskkill", "/PID", str(self._process.pid), "/T", "/F"]
            subprocess.run(taskkill, check=False, capture_output=True)  # noqa: S603  ships with Windows
        elif alive:
            signal_group(self._process, signal.SIGKILL)
