"""The answer's side of the pipe: executes the answer's file and calls its methods when the grader asks.

It never decides whether something is right. Run as `python -m exercises.grader.running.child`; the grader
writes one JSON command per line to its standard input and reads replies from what was its standard output.

An answer may patch any module. So everything that is used after its first turn is bound by name at the start.
"""

import builtins
import gc
import os
import sys
import types
from _thread import _count as other_threads  # the threading module counts what it is told to count
from functools import partial
from importlib import import_module
from os import _exit, chdir, getpid, makedirs, write
from sys import _getframe, setprofile, setrecursionlimit, settrace
from typing import Any

import jobqueue
from exercises.grader.running.channel import Channel
from exercises.grader.running.process_tree import adopt_orphans, end_process_tree
from exercises.grader.running.remote_proxies import RemoteProxies
from exercises.grader.running.remove_tree import remove_tree
from exercises.grader.running.wire import (
    CANNOT_REPLY,
    LONGEST_NAME,
    NEVER_RUN,
    TooLarge,
    ancestors_of,
    name_of,
    pack,
)

LONGEST_MESSAGE = 500
MOST_NAMES = 100
MOST_BEFORE = 12  # lines before a return that are told with it
BUILTINS = dict(vars(builtins))
JOBQUEUE = os.path.join("jobqueue", "__init__.py")  # noqa: PTH118  pathlib loads slowly
MODULES = dict(sys.modules)
KNOWN_ROOTS = tuple({os.__file__.removesuffix("os.py"), sys.prefix, jobqueue.__file__.removesuffix(JOBQUEUE)})
RECURSION_LIMIT = sys.getrecursionlimit()


_OPENING = frozenset({"open", "os.symlink", "os.link", "os.rename"})
_STARTING = frozenset({"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn"})
_MAKING = frozenset({"exec", "compile"})
"""What Python says before it opens a file, or makes another program do so, or makes code out of a text."""


class Answer:
    """The executed file and the objects made from it, by the names that the grader gave them."""

    def __init__(self, closed_folder: str, proxies: RemoteProxies) -> None:
        self._proxies = proxies
        self._closed = os.path.normcase(os.path.realpath(closed_folder)) + os.sep
        self._names: dict[str, Any] = {}
        self._source = ""
        self._code: Any = None
        self._control: Any = None  # what steers threads that meet, once there are any
        self._floor: Any = None  # where threads meet, once somebody asks for it
        self._objects: dict[str, Any] = {}
        self._path = ""
        self._has_foreign = False
        self._folder = os.getcwd()  # noqa: PTH109  pathlib loads slowly
        self.last_line: tuple[Any, ...] | None = None  # the line, its function, and those before it
        self._returned: tuple[types.CodeType, int, int] | None = None
        self.peeked = False
        sys.addaudithook(self._watch_over)

    def load(self, source: str, path: str, *, threads: bool) -> None:
        """Execute the source as a fresh module: no check sees what an earlier one left behind.

        Args:
            source: The text.
            path: The path under which it runs.
            threads: Whether it will be asked to run several threads; its locks are patched ones then.
        """
        self._forget()
        if threads:
            from exercises.grader.running.threads import service  # noqa: PLC0415  most exercises need none of it

            self._control = service.install()
            self._control.makes_code = self._has_foreign
        if (source, path) != (self._source, self._path) or self._code is None:
            self._code = None  # should it not compile, the one before is not it
            self._source, self._path = source, path
            self._code = compile(source, path, "exec", dont_inherit=True)
        self._execute(self._code)

    def _execute(self, code: types.CodeType) -> dict[str, Any]:
        module = types.ModuleType("answer")
        module.__file__ = self._path
        sys.modules["answer"] = module  # dataclasses look their module up
        self._names = module.__dict__
        exec(code, self._names)  # noqa: S102  the whole point
        return self._names

    def meet(self, command: dict[str, Any]) -> dict[str, Any]:
        """Let threads meet: what is asked about them is answered by `interleavings`."""
        if self._floor is None:
            from exercises.grader.running.threads.service import Floor  # noqa: PLC0415  as in load

            code = self._code

            def names(fresh: bool) -> dict[str, Any]:  # noqa: FBT001  a callback
                return self._execute(code) if fresh else self._names

            self._floor = Floor(code, names, _value, partial(_describe, self))
        reply: dict[str, Any] = getattr(self._floor, command["ask"])(*command["args"])
        return reply

    def _forget(self) -> None:
        """Let go of the module before: two that are large would not fit side by side."""
        self._floor = None
        self._names.clear()
        self._objects.clear()
        self.peeked = False
        makedirs(self._folder, exist_ok=True)  # noqa: PTH103  it may have removed even that
        chdir(self._folder)
        sys.modules.update(MODULES)  # also of what it did to the modules that everybody uses
        gc.collect()

    def make(self, name: str, handle: str, args: list[Any], *, from_library: bool) -> Any:
        """Create an object from a class of the answer, of the kit's library, or of another of its modules.

        It stays here; what is returned is only a call whose body has not run.
        """
        if from_library:
            module, _, name = name.rpartition(".")
            kind = getattr(import_module(module) if module else jobqueue, name)
        elif name not in self._names:
            raise MissingName(name, _public(self._names))
        else:
            kind = self._names[name]
        made = self._objects[handle] = self._watched(kind, args)
        return made if type(made) in NEVER_RUN else None

    def call(self, handle: str, method: str, args: list[Any], options: dict[str, Any]) -> Any:
        """Call a method of an object that was made before."""
        target = self._objects[handle]
        function = getattr(target, method, None)
        if function is None:
            raise MissingName(f"{name_of(type(target))}.{method}", _public(vars(type(target))))
        return self._watched(function, args, options)

    def _watched(self, function: Any, args: list[Any], options: dict[str, Any] | None = None) -> Any:
        code = getattr(function, "__code__", None)
        self.last_line = (
            (code.co_firstlineno, code.co_name) if code and code.co_filename == self._path else None
        )
        self._returned = None
        setprofile(self._remember_return)
        try:
            return function(*[self._resolve(arg) for arg in args], **(options or {}))
        finally:
            setprofile(None)
            if self._returned is not None:
                code, place, line = self._returned
                self.last_line = (line, code.co_name, *_lines_before(code, place, line))

    def _remember_return(self, frame: types.FrameType, event: str, _: Any) -> None:
        # The outermost method returns last, so what remains is the line that gave the final value.
        if event == "return" and frame.f_code.co_filename == self._path:
            self._returned = (frame.f_code, frame.f_lasti, frame.f_lineno)

    def _resolve(self, arg: Any) -> Any:
        if isinstance(arg, dict) and "remote" in arg:
            setprofile(None)  # it makes many calls to remote objects, and is judged by its errors alone
            return self._proxies.maker(arg["remote"])
        return self._objects[arg["handle"]] if isinstance(arg, dict) and "handle" in arg else arg

    def _watch_over(self, event: str, args: tuple[Any, ...]) -> None:
        if event in _MAKING and self._control is not None and _getframe(1).f_code.co_filename == self._path:
            self._control.makes_code = True
        if event == "exec" and self._control is not None and self._is_foreign(args[0]):
            self._has_foreign = self._control.makes_code = True  # a module that it has written itself
        self._forbid_peeking(event, args)

    def _is_foreign(self, code: Any) -> bool:
        """Whether a code's file is neither the answer's nor of Python, its packages or the kit."""
        name = getattr(code, "co_filename", "")
        return name.endswith(".py") and name != self._path and not name.startswith(KNOWN_ROOTS)

    def _forbid_peeking(self, event: str, args: tuple[Any, ...]) -> None:
        if event in _OPENING and isinstance(args[0], str | bytes):
            # Its real place: a link to the folder, or the way through /proc, leads there just as well.
            named = os.path.normcase(os.fsdecode(args[0]))
            path = os.path.normcase(os.path.realpath(named)) + os.sep
            # A relative path may start at any folder that was opened before: see dir_fd of os.open.
            parts = () if os.path.isabs(named) else named.split(os.sep)  # noqa: PTH117, PTH206
            is_closed = path.startswith(self._closed) or os.path.basename(self._closed[:-1]) in parts  # noqa: PTH119
        else:
            is_closed = event in _STARTING and os.path.basename(self._closed[:-1]) in repr(args)  # noqa: PTH119
        if is_closed:
            self.peeked = True
            raise PermissionError("the exercise's own files are closed to answers")

    def deepest_line(self, error: BaseException) -> tuple[Any, ...] | None:
        """Find the innermost line of the answer's file that the error passed through."""
        if isinstance(error, SyntaxError) and error.filename == self._path:
            return (error.lineno or 1, "")
        found, step = self.last_line, error.__traceback__
        while step is not None:
            if step.tb_frame.f_code.co_filename == self._path:
                found = (step.tb_lineno, step.tb_frame.f_code.co_name)
            step = step.tb_next
        return found


def _lines_before(code: types.CodeType, place: int, line: int) -> list[int]:
    """The lines whose instructions stand before those that end the call, the nearest first."""
    others = [number for start, _, number in code.co_lines() if start < place and number and number != line]
    return others[: -MOST_BEFORE - 1 : -1]


class MissingName(Exception):  # noqa: N818  a reply, not a fault
    """The answer has no such class or method."""

    def __init__(self, name: str, present: list[str]) -> None:
        super().__init__(name)
        self.name, self.present = name, present


def _public(names: Any) -> list[str]:
    shown = [name[:LONGEST_NAME] for name in list(names) if type(name) is str and not name.startswith("_")]
    return shown[:MOST_NAMES]


def carry_out(answer: Answer, command: dict[str, Any]) -> dict[str, Any]:
    """Do what one command says and describe how it ended."""
    answer.last_line = None
    try:
        made = _take_turn(answer, command)
        reply = made if command["do"] == "meet" else {**_value(made), "line": answer.last_line}
    except MissingName as missing:
        reply = {"kind": "missing", "name": missing.name, "present": missing.present, "line": None}
    except BaseException as error:
        reply = _describe(answer, error)
    # The thread that receives commands stands for the main thread in this count.
    reply |= {"peeked": answer.peeked, "threads": other_threads()}
    return reply


def _value(value: object) -> dict[str, Any]:
    """Describe what a call returned."""
    try:
        return {"kind": "value", "value": pack(value)}
    except TooLarge:
        return {"kind": "too large"}


def _take_turn(answer: Answer, command: dict[str, Any]) -> Any:
    """Let the answer act, then put back what it may have bent: what follows is the grader's own work."""
    try:
        return _dispatch(answer, command)
    finally:
        vars(builtins).update(BUILTINS)
        setrecursionlimit(RECURSION_LIMIT)
        setprofile(None)
        settrace(None)


def _dispatch(answer: Answer, command: dict[str, Any]) -> Any:
    match command["do"]:
        case "load":
            return answer.load(command["source"], command["path"], threads=command["threads"])
        case "make":
            library = command["from_library"]
            return answer.make(command["name"], command["handle"], command["args"], from_library=library)
        case "mark":
            return write(2, command["text"].encode())
        case "meet":
            return answer.meet(command)
        case "call":
            return answer.call(command["handle"], command["method"], command["args"], command["options"])
    raise ValueError(f"unknown command {command['do']}")


def _describe(answer: Answer, error: BaseException) -> dict[str, Any]:
    """Describe an error in plain values, and let go of it: its frames may hold all the memory."""
    line = answer.deepest_line(error)
    error.__traceback__ = None
    try:
        message = str.__str__(str(error))[:LONGEST_MESSAGE]
    except BaseException:
        message = ""
    return {
        "kind": "raised",
        "error": name_of(type(error)),
        "ancestors": [name_of(kind) for kind in ancestors_of(type(error))[:MOST_NAMES]],
        "message": message,
        "line": line,
    }


def main() -> None:
    """Serve commands until the grader ends this process or is gone itself."""
    own_process = getpid()
    channel = Channel()
    opening = channel.opening
    _limit_resources(opening["memory_bytes"], opening["cpu_seconds"])
    adopt_orphans()
    answer = Answer(opening["closed_folder"], RemoteProxies(channel.ask_back))

    def gone() -> None:
        try:
            end_process_tree(opening["mark"], own_process)
            remove_tree(opening["working_folder"])
        finally:
            _exit(0)

    channel.listen(gone)
    gc.freeze()  # what is here now stays, so looking for garbage of the answer's is quick
    channel.reply({"number": 0, "kind": "ready"})
    try:
        while True:
            serve(channel, answer, own_process)
    finally:
        _exit(CANNOT_REPLY)  # leftover threads would keep an ordinary exit waiting


def serve(channel: Channel, answer: Answer, own_process: int) -> None:
    """Carry out one command."""
    command = channel.next_command()
    reply = carry_out(answer, command)
    if getpid() != own_process:
        _exit(0)  # the answer forked: only one of the two may speak for it
    channel.reply({"number": command["number"], **reply})


def _limit_resources(memory_bytes: int, cpu_seconds: int) -> None:
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


if __name__ == "__main__":
    main()
