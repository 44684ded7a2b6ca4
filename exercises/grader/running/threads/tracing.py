"""Tells the scheduler at which instruction each thread is: by `sys.settrace`, or by `sys.monitoring`.

Until Python 3.11 there is only the first. From 3.12 on it changes the code that other threads stand in, and
Python crashes or sees nothing; so there the instructions of the answer's own code are watched for good, and
nothing is switched on or off while a run is under way.
"""

import sys
from collections.abc import Callable, Iterable
from sys import settrace  # bound now: an answer may patch modules
from types import CodeType, FrameType
from typing import Any, Protocol

LINE_WEIGHT = 10
TOOL = 4  # one of the numbers that sys.monitoring leaves to anybody
NAME = "jobkit"


class Traced(Protocol):
    """A run, as it is told of."""

    @property
    def looking(self) -> bool:
        """Whether instructions matter now."""

    def knows(self, code: CodeType) -> tuple[bytes, list[int]] | None:
        """Where a switch counts in this code, and on which lines its instructions are; None if unwatched."""

    def arrives(self, counts: int, line: int, place: int) -> bool:
        """Report that the thread is before an instruction; return whether further ones matter."""

    def goes_on(self, weight: int, line: int) -> None:
        """Tell that it has gone on a little: loops are known by this."""


class BySettrace:
    """Python 3.11: each thread is traced by itself, by lines, and by instructions as long as they matter."""

    def prepare(self, codes: Iterable[CodeType]) -> None:
        """There is nothing to prepare."""

    def begin(self, run: Traced) -> None:
        """Tell this run, until another one begins."""
        self._run = run
        self._tracers: dict[CodeType, Callable[..., Any]] = {}

    def enter(self) -> None:
        """Begin with the calling thread."""
        settrace(self._called)

    def leave(self) -> None:
        """End with the calling thread."""
        settrace(None)

    def end(self) -> None:
        """The run is over."""

    def _called(self, frame: FrameType, event: str, _: Any) -> Callable[..., Any] | None:  # noqa: ARG002
        known = self._run.knows(frame.f_code)
        if known is None:
            return None
        tracer = self._tracers.get(frame.f_code)
        if tracer is None:
            tracer = self._tracers[frame.f_code] = self._tracer(*known)
        frame.f_trace_opcodes = self._run.looking
        return tracer

    def _tracer(self, counts: bytes, lines: list[int]) -> Callable[..., Any]:
        arrives, goes_on = self._run.arrives, self._run.goes_on
        own = any(lines)  # else it is Python's, and a part of the line that called it

        def trace(frame: FrameType, event: str, _: Any) -> Callable[..., Any]:
            if event == "opcode":
                place = frame.f_lasti >> 1
                frame.f_trace_opcodes = arrives(counts[place], lines[place], place)
            elif event == "line":
                goes_on(LINE_WEIGHT, frame.f_lineno if own else 0)
            return trace

        return trace


class ByMonitoring:
    """Python 3.12 and newer: all instructions of the watched code are told, whichever thread runs them."""

    def __init__(self) -> None:
        self._run: Traced | None = None
        self._watched: dict[int, CodeType] = {}
        self._monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
        if self._monitoring.get_tool(TOOL) is None:
            self._monitoring.use_tool_id(TOOL, NAME)
        self._event = self._monitoring.events.INSTRUCTION
        self._monitoring.register_callback(TOOL, self._event, self._instruction)

    def prepare(self, codes: Iterable[CodeType]) -> None:
        """Watch these codes, before any thread runs them."""
        for code in codes:
            if id(code) not in self._watched:
                self._watched[id(code)] = code  # kept, so that the number stays its own
                self._monitoring.set_local_events(TOOL, code, self._event)

    def begin(self, run: Traced) -> None:
        """Tell this run, until it ends."""
        self._run = run

    def enter(self) -> None:
        """Every thread is watched anyway."""

    def leave(self) -> None:
        """Every thread is watched anyway."""

    def end(self) -> None:
        """The run is over."""
        self._run = None

    def _instruction(self, code: CodeType, offset: int) -> None:
        run = self._run
        if run is None or (known := run.knows(code)) is None:
            return
        place = offset >> 1
        counts, lines = known
        run.goes_on(1, lines[place])
        if run.looking:
            run.arrives(counts[place], lines[place], place)


TRACING: BySettrace | ByMonitoring = BySettrace() if sys.version_info < (3, 12) else ByMonitoring()
