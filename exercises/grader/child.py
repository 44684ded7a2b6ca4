"""The answer's side of the pipe: executes the answer's file and calls its methods when the grader asks.

It never decides whether something is right. Run as `python -m exercises.grader.child`; the grader writes one
JSON command per line to its standard input and reads replies from what was its standard output.
"""

import faulthandler
import io
import os
import sys
import threading
import types
from json import dumps, loads  # bound by name: an answer that patches the json module breaks nothing here
from typing import Any

from exercises.grader.wire import pack

LONGEST_MESSAGE = 500
WATCHDOG_SHARE = 0.8  # early enough to be read before the grader ends the process


class Channel:
    """The private pipe: commands come in, replies go out, each marked with the grader's nonce."""

    def __init__(self) -> None:
        """Take the standard streams away from the answer: it reads nothing and prints to stderr's pipe."""
        self._commands = io.open(os.dup(0), encoding="utf-8")  # noqa: SIM115, UP020  open for the whole life
        self._replies = os.dup(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(2, 1)
        os.close(nothing)
        self.opening = loads(self._commands.readline())
        self._nonce = self.opening.pop("nonce")

    def tell_where_after(self, seconds: float) -> None:
        """Write the running lines, unless stopped before; Python's watchdog works even in an endless loop."""
        faulthandler.dump_traceback_later(seconds, file=self._replies)

    def next_command(self) -> dict[str, Any] | None:
        """Wait for the next command; None when the grader has gone."""
        line = self._commands.readline()
        return loads(line) if line else None

    def reply(self, fields: dict[str, Any]) -> None:
        """Send one line. It begins with a newline, so that junk written before it cannot swallow it."""
        rest = f"\n{self._nonce} {dumps(fields)}\n".encode()
        while rest:
            rest = rest[os.write(self._replies, rest) :]


class Answer:
    """The executed file and the objects made from it, by the names that the grader gave them."""

    def __init__(self, closed_folder: str) -> None:
        self._closed = os.path.normcase(os.path.abspath(closed_folder)) + os.sep  # noqa: PTH100  pathlib is patchable
        self._names: dict[str, Any] = {}
        self._objects: dict[str, Any] = {}
        self._path = ""
        self.last_line: tuple[int, str] | None = None
        self.peeked = False
        sys.addaudithook(self._forbid_peeking)

    def load(self, source: str, path: str) -> None:
        """Execute the source as a fresh module: no check sees what an earlier one left behind."""
        self._path, self._objects, self.peeked = path, {}, False
        module = types.ModuleType("answer")
        module.__file__ = path
        sys.modules["answer"] = module  # dataclasses look their module up
        self._names = module.__dict__
        exec(compile(source, path, "exec", dont_inherit=True), self._names)  # noqa: S102  the whole point

    def make(self, name: str, handle: str, args: list[Any], *, from_library: bool) -> None:
        """Create an object from a class of the answer, or from the kit's own library."""
        if from_library:
            import jobqueue  # noqa: PLC0415  answers that need no library start faster

            kind = getattr(jobqueue, name)
        elif name not in self._names:
            raise MissingName(name, _public(self._names))
        else:
            kind = self._names[name]
        self._objects[handle] = self._watched(kind, args)

    def call(self, handle: str, method: str, args: list[Any], options: dict[str, Any]) -> Any:
        """Call a method of an object that was made before."""
        target = self._objects[handle]
        function = getattr(target, method, None)
        if function is None:
            raise MissingName(f"{type(target).__name__}.{method}", _public(type(target).__dict__))
        return self._watched(function, args, options)

    def _watched(self, function: Any, args: list[Any], options: dict[str, Any] | None = None) -> Any:
        code = getattr(function, "__code__", None)
        self.last_line = (
            (code.co_firstlineno, code.co_name) if code and code.co_filename == self._path else None
        )
        sys.setprofile(self._remember_return)
        try:
            return function(*[self._resolve(arg) for arg in args], **(options or {}))
        finally:
            sys.setprofile(None)

    def _remember_return(self, frame: types.FrameType, event: str, _: Any) -> None:
        # The outermost method returns last, so what remains is the line that gave the final value.
        if event == "return" and frame.f_code.co_filename == self._path:
            self.last_line = (frame.f_lineno, frame.f_code.co_name)

    def _resolve(self, arg: Any) -> Any:
        return self._objects[arg["handle"]] if isinstance(arg, dict) and "handle" in arg else arg

    def _forbid_peeking(self, event: str, args: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(args[0], str | bytes):
            path = os.path.normcase(os.path.abspath(os.fsdecode(args[0])))  # noqa: PTH100
            if path.startswith(self._closed):
                self.peeked = True
                raise PermissionError("the exercise's own files are closed to answers")

    def deepest_line(self, error: BaseException) -> tuple[int, str] | None:
        """Find the innermost line of the answer's file that the error passed through."""
        if isinstance(error, SyntaxError) and error.filename == self._path:
            return (error.lineno or 1, "")
        found, step = self.last_line, error.__traceback__
        while step is not None:
            if step.tb_frame.f_code.co_filename == self._path:
                found = (step.tb_lineno, step.tb_frame.f_code.co_name)
            step = step.tb_next
        return found


class MissingName(Exception):  # noqa: N818  a reply, not a fault
    """The answer has no such class or method."""

    def __init__(self, name: str, present: list[str]) -> None:
        super().__init__(name)
        self.name, self.present = name, present


def _public(names: Any) -> list[str]:
    return [name for name in list(names)[:100] if not name.startswith("_")]


def carry_out(answer: Answer, command: dict[str, Any]) -> dict[str, Any]:
    """Do what one command says and describe how it ended."""
    answer.last_line = None
    try:
        value = _dispatch(answer, command)
        reply: dict[str, Any] = {"kind": "value", "value": pack(value), "line": answer.last_line}
    except MissingName as missing:
        reply = {"kind": "missing", "name": missing.name, "present": missing.present, "line": None}
    except BaseException as error:
        reply = _describe(answer, error)
    reply |= {"peeked": answer.peeked, "threads": threading.active_count()}
    return reply


def _dispatch(answer: Answer, command: dict[str, Any]) -> Any:
    match command["do"]:
        case "load":
            return answer.load(command["source"], command["path"])
        case "make":
            library = command["from_library"]
            return answer.make(command["name"], command["handle"], command["args"], from_library=library)
        case "mark":
            return os.write(2, command["text"].encode())
        case "call":
            return answer.call(command["handle"], command["method"], command["args"], command["options"])
    raise ValueError(f"unknown command {command['do']}")


def _describe(answer: Answer, error: BaseException) -> dict[str, Any]:
    """Describe an error in plain values, and let go of it: its frames may hold all the memory."""
    line = answer.deepest_line(error)
    error.__traceback__ = None
    try:
        message = str(error)[:LONGEST_MESSAGE]
    except Exception:
        message = ""
    return {
        "kind": "raised",
        "error": type(error).__name__,
        "ancestors": [kind.__name__ for kind in type(error).__mro__],
        "message": message,
        "line": line,
    }


def limit_resources(memory_bytes: int, cpu_seconds: int) -> None:
    """Lower this process's own limits where the system has them; the grader's clock bounds it anyway."""
    try:
        import resource  # noqa: PLC0415  absent on Windows
    except ImportError:
        return
    wanted = {"RLIMIT_AS": memory_bytes, "RLIMIT_CPU": cpu_seconds, "RLIMIT_CORE": 0}
    for name, limit in wanted.items():
        try:
            resource.setrlimit(getattr(resource, name), (limit, limit))
        except (ValueError, OSError):  # macOS refuses some of them
            continue


def main() -> None:
    """Serve commands until the grader closes the pipe."""
    channel = Channel()
    opening = channel.opening
    limit_resources(opening["memory_bytes"], opening["cpu_seconds"])
    answer = Answer(opening["closed_folder"])
    own_process, process_id, end = os.getpid(), os.getpid, os._exit
    channel.reply({"number": 0, "kind": "ready"})
    while command := channel.next_command():
        channel.tell_where_after(command["seconds"] * WATCHDOG_SHARE)
        reply = carry_out(answer, command)
        faulthandler.cancel_dump_traceback_later()
        if process_id() != own_process:
            end(0)  # the answer forked: only one of the two may speak for it
        channel.reply({"number": command["number"], **reply})
    end(0)  # leftover threads would keep an ordinary exit waiting


if __name__ == "__main__":
    main()
