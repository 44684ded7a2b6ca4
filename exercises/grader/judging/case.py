"""The conversation of one check with an answer: passes calls on, and writes the trace in words."""

import logging
import math
import random
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NoReturn, Protocol

from exercises.grader.judging.records import How, SourceLine
from exercises.grader.judging.statements import shown_line, statement_text
from exercises.grader.judging.syntax import lines_of
from exercises.grader.running.process import Serve
from exercises.grader.running.wire import Handle, Record, pack, unpack

LOG = logging.getLogger(__name__)
NO_REPLY = "no answer"
TAKEN = re.compile(r"taken in line (\d{1,7}) was never given back")
# Nobody means to raise these. Something that was not found may stand for a refusal, but not where none is due.
SLIPS = {"AttributeError", "ImportError", "NameError", "RecursionError", "TypeError"}
SLIPS_WHERE_ALL_IS_WELL = SLIPS | {"ArithmeticError", "LookupError"}
WITHOUT_ERROR = {
    How.ACCEPTED: "accepted",
    How.SILENT: "no error, and nothing changed",
    How.CHANGED: "no error, and the job changed",
    How.NO_ERROR: "no error",
}


class Broken(Exception):  # noqa: N818  a verdict, not a fault
    """A promise is broken at the last step of the trace."""

    def __init__(self, expected: str, got: str, line: SourceLine | None, how: str) -> None:
        super().__init__(f"expected {expected}, got {got}")
        self.expected, self.got, self.line, self.how = expected, got, line, how


class Hole(Exception):  # noqa: N818  a verdict, not a fault
    """The check came to a part that is not written yet."""

    def __init__(self, reason: str, line: SourceLine | None = None) -> None:
        super().__init__(reason)
        self.reason, self.line = reason, line


class Stop(Exception):  # noqa: N818  a verdict, not a fault
    """The answer ran out of memory or ended the program."""

    def __init__(self, reason: str, line: SourceLine | None) -> None:
        super().__init__(reason)
        self.reason, self.line = reason, line


class Undecided(Exception):  # noqa: N818  a verdict, not a fault
    """A bound was reached before the promise was seen kept or broken."""

    def __init__(self, reason: str, line: SourceLine | None = None) -> None:
        super().__init__(reason)
        self.reason, self.line = reason, line


class Asks(Protocol):
    """Whatever carries a command to the answer and brings back the reply."""

    def __call__(self, command: dict[str, Any], serve: Serve | None = None, /) -> dict[str, Any]:
        """Send the command, wait, return the reply. `serve` answers what is asked back meanwhile."""


class Case:
    """One check's conversation with an answer.

    A step appears in the trace before the answer is asked: a step that never ends is the last one seen.
    """

    def __init__(self, ask: Asks, source: str, replay: str | None = None, seed: int = 0) -> None:
        self._ask = ask
        self.source = lines_of(source)
        self._trace: list[str] = []
        self.here: int | None = None  # which step of the trace is the broken one; None for the last
        self.line: SourceLine | None = None
        self.stray_threads = False
        self.replay = replay  # the id of the one schedule of threads to tell; None to search for one
        self.schedule = ""  # the id of the schedule that was told
        self.note = ""  # what was searched, and how far
        self.hidden = ""  # all that a report may tell: of what, and of which family
        self._seed = seed
        self.begin_again: Callable[..., None] = _nowhere  # executes the answer's file afresh
        self.seconds_left: Callable[[], float] = lambda: math.inf  # for all checks together
        self.memory: dict[str, Any] = {}  # what earlier checks of this answer found out

    @property
    def trace(self) -> tuple[str, ...]:
        """The steps so far, in words."""
        return tuple(self._trace)

    def make(self, name: str, *args: Any, library: bool = False, called: str = "") -> Handle:
        """Create an object of the answer's class `name`, or of the kit's own; it stays over there.

        A second one of the same class needs a name of its own, `called`.
        """
        handle = Handle(called or name)
        command = {"do": "make", "name": name, "handle": handle.name, "from_library": library}
        packed = [pack(arg) for arg in args]
        if library and (reply := self._ask({**command, "args": packed}))["kind"] != "value":
            raise RuntimeError(f"the kit's own {name} cannot be made: {reply.get('message')}")
        if not library:
            self._settle({**command, "args": packed}, expected=f"{name} can be created")
        return handle

    def call(
        self,
        words: str,
        target: Handle,
        method: str,
        *args: Any,
        expected: str = "an answer",
        tell: Callable[[Any], str] = str,
        **options: Any,
    ) -> Any:
        """Take one step of the story and return what the answer returned.

        Args:
            words: The step in words, for the trace.
            target: The object to call.
            method: Its method.
            *args: Plain values, or handles.
            expected: What should happen, in words; shown if the call raises.
            tell: Turns the returned value into the words that end the step.
            **options: Keyword arguments of the call.

        Raises:
            Broken: The call raised.
            Hole: The method is not written yet.
        """
        command = self._step(words, target, method, args, options)
        value = self._settle(command, expected=expected)
        self._end_step(tell(value))
        return value

    def refuses(
        self, words: str, target: Handle, method: str, *args: Any, error: str, effect: Callable[[], How]
    ) -> None:
        """Take one step that the answer must refuse with the error of this name.

        Args:
            words: The step in words, for the trace.
            target: The object to call.
            method: Its method.
            *args: Plain values, or handles.
            error: The name of the agreed error.
            effect: Called if nothing was raised; looks what the call did instead.

        Raises:
            Broken: Nothing was raised, or another error.
        """
        reply = self._ask(self._step(words, target, method, args, {}))
        self._note(reply)
        expected = f"refused with {error}"
        if reply["kind"] == "raised" and error in reply["ancestors"]:
            self._end_step(f"refused: {reply['message'] or reply['error']}")
            return
        if reply["kind"] == "value":
            self._end_step(WITHOUT_ERROR[How.NO_ERROR])  # the look at the effect may never come back
            how = effect()
            self._trace[-1] = self._trace[-1].removesuffix(WITHOUT_ERROR[How.NO_ERROR]) + WITHOUT_ERROR[how]
            returned = "" if reply["value"] is None else f" (it returned {unpack(reply['value'])!r})"
            self.broken(expected, WITHOUT_ERROR[how] + returned, how)
        self._raise_for(reply, expected, How.OTHER_ERROR)

    def call_with_objects(self, function: str, name: str, serve: Serve) -> dict[str, Any]:
        """Call a function of the answer with something that stays here; the reply is as it came.

        Args:
            function: The function's name.
            name: The function gets a maker of remote objects, under this name. See `remote_objects`.
            serve: Carries out what is asked of them.
        """
        command = {"do": "make", "name": function, "handle": function, "from_library": False}
        reply = self._ask({**command, "args": [{"remote": name}]}, serve)
        self._note(reply)
        return reply

    def glance(self, target: Handle, method: str, *args: Any) -> Any:
        """Call without taking a step of the story; None if that does not work. For a look behind a failure."""
        reply = self._ask(_call(target, method, args, {}))
        return unpack(reply["value"]) if reply["kind"] == "value" else None

    def hide(self, family: str, what: str = "story") -> random.Random:
        """From now on a report names this family only. Return what its inputs are to be drawn from."""
        self.hidden = f"a hidden {what} of the family {family!r}"
        LOG.info("hidden family %s is drawn with seed %d", family, self._seed)
        return random.Random(f"{family} {self._seed}")  # noqa: S311  a story, no secret

    def meet(self, ask: str, *args: Any) -> dict[str, Any]:
        """Ask for something about threads that meet; see `together`. The reply is as it came."""
        reply = self._ask({"do": "meet", "ask": ask, "args": args})
        self._note({**reply, "line": None})
        if (problem := problem_of(reply, None)) is not None:
            raise problem
        return reply

    def broken(self, expected: str, got: object, how: str) -> NoReturn:
        """End the check: the last step is not what was promised; `how` says in which way, see `How`."""
        raise Broken(expected, str(got), self.line, how)

    def same(self, what: str, expected: object, got: object) -> None:
        """Compare one value; `what` names it. True is not 1, and 1.0 is not 1."""
        if type(expected) is not type(got) or expected != got:
            found = f"{what} {got!r}" if not isinstance(got, Record) else str(got)
            how = How.MISSING if got is None else How.WRONG
            self.broken(f"{what} {expected!r}", found, f"{how} {what}")

    def field(self, record: Any, name: str) -> Any:
        """Read one field of a record that the answer returned."""
        if not isinstance(record, Record):
            self.broken(f"a record with the field {name}", repr(record), How.NO_RECORD)
        if name not in record.fields:
            self.broken(f"a record with the field {name}", record, How.NO_RECORD)
        return record.fields[name]

    def retell(self, trace: tuple[str, ...]) -> None:
        """Put another story in place of the one so far: of several tellings only one is shown."""
        self._trace, self.here = list(trace), None

    def replace_last(self, words: str) -> None:
        """Rewrite the last step of the trace: some steps are known in full only afterwards."""
        self._trace[-1] = words

    def _step(
        self, words: str, target: Handle, method: str, args: tuple[Any, ...], options: dict[str, Any]
    ) -> dict[str, Any]:
        self._trace.append(f"{words} -> {NO_REPLY}")
        return _call(target, method, args, options)

    def _end_step(self, outcome: str) -> None:
        self._trace[-1] = self._trace[-1].removesuffix(NO_REPLY) + outcome

    def _settle(self, command: dict[str, Any], expected: str) -> Any:
        reply = self._ask(command)
        self._note(reply)
        if reply["kind"] == "value":
            return unpack(reply["value"])
        return self._raise_for(reply, expected, How.RAISED)

    def _note(self, reply: dict[str, Any]) -> None:
        self.line = source_line(reply.get("line"), self.source)
        self.stray_threads = self.stray_threads or reply.get("threads", 1) > 1

    def _raise_for(self, reply: dict[str, Any], expected: str, how: How) -> NoReturn:
        """Turn a reply that carries no value into the verdict that it means; `how` names an ordinary error."""
        problem = problem_of(reply, self.line)
        if problem is not None:
            raise problem
        got = f"{reply['error']}: {reply['message']}".rstrip(": ")
        if self._trace:
            waits = "WaitsForEver" in reply["ancestors"]
            self._end_step(NO_REPLY if waits else f"raised {reply['error']}")
        if "WaitsForEver" in reply["ancestors"]:
            taken = TAKEN.search(reply["message"])
            if taken:
                self.line = source_line((int(taken[1]), ""), self.source)  # who waits is not to blame
            how_long = How.OWN_LOCK if "WaitsForItself" in reply["ancestors"] else How.WAITS
            self.broken(expected, f"it waits for ever: {reply['message']}", how_long)
        slips = SLIPS if how is How.OTHER_ERROR else SLIPS_WHERE_ALL_IS_WELL
        self.broken(expected, got, How.CRASHED if slips & set(reply["ancestors"]) else how)


def _nowhere(**_: bool) -> None:
    raise RuntimeError("there is no answer to begin again with")


def _call(target: Handle, method: str, args: tuple[Any, ...], options: dict[str, Any]) -> dict[str, Any]:
    packed = [pack(arg) for arg in args]
    return {"do": "call", "handle": target.name, "method": method, "args": packed, "options": options}


def source_line(place: Any, lines: list[str]) -> SourceLine | None:
    """Find a reported line in the learner's text; None when the report fits no line."""
    if not place or not 1 <= place[0] <= len(lines):
        return None
    number, function, *before = place
    return _own_line(tuple(lines), number, function, tuple(before))


@lru_cache(maxsize=1_000)
def _own_line(lines: tuple[str, ...], number: int, function: str, before: tuple[int, ...]) -> SourceLine:
    """Every call comes back from somewhere, mostly from where the last one did; few lines are shown."""
    number = shown_line(lines, number, before)
    return SourceLine(number, function, statement_text(lines, number))


def problem_of(reply: dict[str, Any], line: SourceLine | None) -> Hole | Stop | None:
    """Say what an unusual reply means; None for a value or an ordinary error."""
    if reply.get("peeked"):
        return Hole("The answer opens the exercise's own files. Write your own; the hints help.", line)
    if reply["kind"] == "missing":
        return Hole(_missing_words(reply["name"], reply["present"]))
    ancestors = reply.get("ancestors", [])
    if "NotImplementedError" in ancestors:
        return Hole(f"Still to write: {reply['message'] or 'a part that raises NotImplementedError'}", line)
    if "MemoryError" in ancestors:
        return Stop("Your code used more memory than it may and was stopped.", line)
    if "SystemExit" in ancestors:
        return Stop("Your code asked Python to exit, with sys.exit or the like.", line)
    return None


def _missing_words(name: str, present: list[str]) -> str:
    there = f" There is {', '.join(present[:6])}." if present else ""
    return f"There is no {name} in the file yet.{there}"
