"""The answer's end of the private pipe to the grader. All names are bound at the start, as in `child`."""

import faulthandler
import io
import os
from _thread import start_new_thread
from collections.abc import Callable
from json import dumps, loads
from os import _exit, getpid, write
from queue import SimpleQueue
from typing import Any

from exercises.grader.running.wire import LARGEST_REPLY_BYTES, TELL_WHERE


class Channel:
    """The private pipe: commands come in, replies go out, each marked with the grader's nonce."""

    def __init__(self) -> None:
        """Take the standard streams away from the answer: it reads nothing and prints to stderr's pipe."""
        self._commands = io.open(os.dup(0), encoding="utf-8")  # noqa: SIM115, UP020  open for the whole life
        self._replies = os.dup(1)
        self._inbox: SimpleQueue[str] = SimpleQueue()
        self._number = 0
        self._owner = getpid()
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(2, 1)
        os.close(nothing)
        self.opening = loads(self._commands.readline())
        self._nonce = self.opening.pop("nonce")

    def listen(self, gone: Callable[[], None]) -> None:
        """Receive commands from now on; call `gone` when the grader's end of the pipe has closed.

        A thread of its own does it, so that an answer that sleeps does not outlive its grader.
        """
        if TELL_WHERE is not None:  # Python's fault handler works even in an endless loop
            faulthandler.register(TELL_WHERE, file=self._replies)
        start_new_thread(self._receive, (gone,))

    def _receive(self, gone: Callable[[], None]) -> None:
        try:
            while line := self._commands.readline():
                self._inbox.put(line)
        finally:
            gone()

    def next_command(self) -> dict[str, Any]:
        """Wait for the next command."""
        command: dict[str, Any] = loads(self._inbox.get())
        self._number = command.get("number", self._number)
        return command

    def ask_back(self, fields: dict[str, Any]) -> dict[str, Any]:
        """Ask the grader for something in the middle of a command, and wait for what it tells."""
        if getpid() != self._owner:
            _exit(0)  # a copy that the answer forked: only one of the two may ask
        self.reply({"number": self._number, **fields})
        return self.next_command()

    def reply(self, fields: dict[str, Any]) -> None:
        """Send one line. It begins with a newline, so that junk written before it cannot swallow it."""
        rest = f"\n{self._nonce} {dumps(fields)}\n".encode()
        if len(rest) > LARGEST_REPLY_BYTES:
            return self.reply({"number": fields["number"], "kind": "too large"})
        while rest:
            rest = rest[write(self._replies, rest) :]
        return None
