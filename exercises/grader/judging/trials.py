"""The stage for exercises in which the learner writes the tests: each is tried on right and on flawed queues.

A test counts only if it passes on every right queue. A flaw is caught if such a test fails on it, and does so
again when nothing but that test has run: what depends on chance or on other tests proves nothing.
"""

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import cached_property
from typing import Any, NoReturn

from exercises.grader.judging.case import Case, Hole, Stop, Undecided, problem_of
from exercises.grader.judging.records import SourceLine
from exercises.grader.judging.subjects import Flaw, Maker, Subjects
from exercises.grader.judging.syntax import parse
from exercises.grader.running.process import Stopped
from exercises.grader.running.remote_objects import Asked, RemoteObjects
from exercises.grader.running.wire import NEVER_RUN, Opaque, Record, unpack

SHOWN_CALLS = 30
MOST_TESTS = 60
NOT_MET = "not met"  # no test makes a call at which the flaw shows
NOT_NOTICED = "not noticed"  # some test does, and passes all the same
NOTHING_RAN = tuple(map(Opaque, NEVER_RUN.values()))


class End(Enum):
    """How a test ended on one queue."""

    PASSED = auto()
    FAILED = auto()
    STOPPED = auto()
    HOLE = auto()


@dataclass(frozen=True, slots=True)
class Outcome:
    """One test on one queue. `how` is a word or two, `words` a sentence."""

    end: End
    how: str = ""
    words: str = ""
    line: SourceLine | None = None
    remote: RemoteObjects | None = None

    @property
    def asked(self) -> tuple[Asked, ...]:
        """The calls that the test made."""
        return tuple(self.remote.asked) if self.remote else ()


@dataclass(slots=True)
class Survey:
    """What is known of the tests, for as long as one answer is checked: how each ends on each right queue.

    While more than `kept_seconds` are left, further tests are tried; the rest of the time is for the flaws.
    """

    kept_seconds: float
    outcomes: dict[str, dict[str, Outcome]] = field(default_factory=dict)
    steady: set[str] = field(default_factory=set)
    unsteady: set[str] = field(default_factory=set)


class Trials:
    """An answer's tests, and the queues to run them on."""

    def __init__(self, case: Case, subjects: Subjects) -> None:
        self._case, self._subjects = case, subjects
        self._first = next(iter(subjects.rights))
        self._survey: Survey = case.memory.setdefault("survey", Survey(case.seconds_left() / 2))

    def demands_a_sound_test(self) -> None:
        """Require a test that asks a queue something and passes on every right one."""
        if self._asking():
            return
        self._demand_written(None)
        self.demands_passing(*self._subjects.rights)

    def _asking(self) -> bool:
        """Whether some sound test asks a queue anything."""
        return any(self._survey.outcomes[name][self._first].asked for name in self._sound())

    def demands_passing(self, *rights: str) -> None:
        """Require that every test that is written passes on these right queues."""
        found = [
            (name, outcome)
            for name, on in self._all().items()
            for right, outcome in on.items()
            if right in rights and outcome.end in {End.FAILED, End.STOPPED}
        ]
        if not found:
            self._demand_written(None, unless_any=True)
            if not self._asking():
                got = f"{', '.join(self._sound())}: no call"
                self._case.broken("a test that calls a method of the queue", got, "asks nothing")
            self.demand_tried()
            return
        name, worst = min(found, key=lambda one: one[1].end is End.STOPPED)
        others = sorted({other for other, _ in found} - {name})
        also = f"; so does {', '.join(others)}" if others else ""
        self._tell(name, worst)
        if worst.end is End.STOPPED:
            raise Stop(f"{name}, on the right queue: {worst.words}", worst.line)
        self._case.broken(f"{name} passes: this queue keeps every rule", worst.words + also, worst.how)

    def demands_caught(self, flaw: Flaw, task: int) -> None:
        """Require that some sound test fails on the queue with this flaw."""
        if self.catches(flaw):
            return
        make = self._subjects.flawed(flaw)
        self._demand_written(task)
        meeting = [name for name in self._sound() if self._met(name, make)]
        self.demand_tried()
        if meeting:
            self._not_noticed(meeting[0], flaw)
        self._retell(self._standing())
        self._case.line = None
        got = "none of them makes a call that this queue answers in another way than the right one"
        self._case.broken("a test that fails on this queue", got, NOT_MET)

    def catches(self, flaw: Flaw) -> bool:
        """Whether some sound test fails on the queue with this flaw, and does so again."""
        make = self._subjects.flawed(flaw)
        return any(self._is_proven(name, make) for name in self.catching(make))

    def catching(self, make: Maker) -> Iterator[str]:
        """Name the sound tests that fail on a queue. Those to which it tells nothing else are not run."""
        for name in self._sound():
            if self._met(name, make) and self._run(name, make).end is not End.PASSED:
                yield name

    def end(self, name: str, make: Maker) -> End:
        """How a test ends on a queue."""
        return self._run(name, make).end

    def _met(self, name: str, make: Maker) -> tuple[Asked, ...] | None:
        """Return a test's calls up to the first that a queue answers in another way; None if there is none."""
        if self._case.seconds_left() <= 0:
            raise Undecided(f"The time was used up before {name} could be tried on this queue.")
        remote = self._survey.outcomes[name][self._first].remote
        return remote.difference(make) if remote else None

    def _not_noticed(self, name: str, flaw: Flaw) -> NoReturn:
        """End the check: a test meets the flaw and passes."""
        got = f"{name} is answered in another way than by the right queue, and passes all the same"
        self._case.line = self._line(name)
        met = self._met(name, self._subjects.flawed(flaw)) or ()
        self._retell([f"{name}:", *_last([_call_words(one) for one in met])])
        self._case.broken("a test that fails on this queue", got, NOT_NOTICED)

    def _is_proven(self, name: str, make: Maker) -> bool:
        """Whether the failure comes again, and the right queue is still passed. Asked once for each test."""
        if name in self._survey.steady:
            return True
        if (
            self._run(name, self._subjects.rights[self._first]).end is End.PASSED
            and self._run(name, make).end is not End.PASSED
        ):
            self._survey.steady.add(name)
            return True
        self._survey.unsteady.add(name)
        return False

    def _standing(self) -> Iterator[str]:
        sound = self._sound()
        for name, on in self._all().items():
            if name in sound:
                continue
            if name in self._survey.unsteady:
                yield f"{name} -> now it passes, now it fails: it does not count"
            elif any(outcome.end is not End.HOLE for outcome in on.values()):
                yield f"{name} -> does not pass on every right queue: it does not count"
        yield f"the tests that count, {len(sound)} in all -> pass"

    def _sound(self) -> list[str]:
        return [
            name
            for name, on in self._all().items()
            if name not in self._survey.unsteady and all(one.end is End.PASSED for one in on.values())
        ]

    def _all(self) -> dict[str, dict[str, Outcome]]:
        """Run each test on each right queue, once: up to the first it hangs on, and while there is time."""
        known = self._survey.outcomes
        for name in [name for name in self._names if name not in known]:
            if self._case.seconds_left() < self._survey.kept_seconds:
                break
            on: dict[str, Outcome] = {}
            for right, make in self._subjects.rights.items():
                on[right] = self._run(name, make)
                if on[right].end in {End.STOPPED, End.HOLE}:
                    break
            known[name] = on  # only now: the check may have been broken off on the way
        return known

    @cached_property
    def _names(self) -> dict[str, int]:
        """The tests at the file's top level, each with its line."""
        body = parse("\n".join(self._case.source)).body
        defined = [node for node in body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
        names = {node.name: node.lineno for node in defined if node.name.startswith("test")}
        return dict(list(names.items())[:MOST_TESTS])

    def _run(self, name: str, make: Maker) -> Outcome:
        """Run one test on one queue, in a module that was just executed."""
        self._case.begin_again()
        remote = RemoteObjects(make, self._subjects.methods)
        try:
            reply = self._case.call_with_objects(name, "make_queue", remote.serve)
        except Stopped as stopped:
            return Outcome(End.STOPPED, "stopped", stopped.reason, self._line(name), remote)
        line = self._case.line
        problem = problem_of(reply, line)
        if isinstance(problem, Stop):
            self._case.begin_again(anew=True)
            return Outcome(End.STOPPED, "stopped", problem.reason, line, remote)
        if problem is not None:
            if not problem.reason.startswith("Still to write"):
                raise problem
            return Outcome(End.HOLE, "hole", problem.reason, line)
        if reply["kind"] == "raised":
            words = f"{name} fails by {reply['error']}: {reply['message']}".rstrip(": ")
            return Outcome(End.FAILED, f"fails by {reply['error']}", words, line, remote)
        if (told := unpack(reply["value"])) in NOTHING_RAN:
            words = f"{name} returns {told}: nothing of it has run"
            return Outcome(End.FAILED, "never runs", words, line, remote)
        return Outcome(End.PASSED, remote=remote)

    def _line(self, name: str) -> SourceLine:
        number = self._names[name]
        return SourceLine(number, "", self._case.source[number - 1].strip())

    def _demand_written(self, task: int | None, *, unless_any: bool = False) -> None:
        """End the check as not attempted while a test of this task is a hole, or there is no test at all."""
        holes = [one for on in self._all().values() for one in on.values() if one.end is End.HOLE]
        if unless_any and len(holes) < len(self._all()):
            return
        mine = [hole for hole in holes if task is None or f"task {task}:" in hole.words]
        if mine:
            raise Hole(mine[0].words, mine[0].line)
        if not self._all():
            raise Hole("There is no test in the file yet: a function whose name begins with test_.")

    def demand_tried(self) -> None:
        """End the check as undecided if the time did not suffice for every test."""
        tried, tests = len(self._all()), len(self._names)
        if tried < tests:
            raise Undecided(f"{tried} of your {tests} tests were tried: half of the time was used up by them.")

    def _tell(self, name: str, outcome: Outcome) -> None:
        self._case.line = outcome.line
        self._retell([f"{name}:", *_last([_call_words(one) for one in outcome.asked])])

    def _retell(self, steps: Iterable[str]) -> None:
        self._case.retell(tuple(steps))


def _last(calls: list[str]) -> list[str]:
    left_out = [f"({len(calls) - SHOWN_CALLS} calls before)"] if len(calls) > SHOWN_CALLS else []
    return [*left_out, *calls[-SHOWN_CALLS:]]


def _call_words(asked: Asked) -> str:
    """Write one call down.

    >>> _call_words(Asked(1_500, "submit", ("mail",), "J1"))
    "  1,500 ms  submit('mail') -> 'J1'"
    """
    given = ", ".join(repr(one)[:40] for one in asked.args)
    outcome = f"raises {asked.error}" if asked.error else _value_words(asked.value)
    return f"{asked.at:>7,} ms  {asked.method}({given}) -> {outcome}"


def _value_words(value: Any) -> str:
    if isinstance(value, Record):
        return ", ".join(f"{name} {_value_words(one)}" for name, one in value.fields.items())
    if isinstance(value, list):
        return f"[{'; '.join(map(_value_words, value))}]"
    return repr(value)
