"""The answer's side of the search: carries out what the grader asks, in the process that holds the answer."""

from collections.abc import Callable, Mapping
from enum import Enum
from types import BuiltinFunctionType, CodeType, FunctionType, MemberDescriptorType, ModuleType
from typing import Any

import jobqueue
from exercises.grader.running.threads.patched_primitives import CONTROL, REPLACED, Control, Lock
from exercises.grader.running.threads.play import Outcome, Play, Reply
from exercises.grader.running.threads.points import Points
from exercises.grader.running.threads.schedules import Bounds, Place, Schedule, read_id
from exercises.grader.running.threads.search import Exploration, found_again, id_of

CONSTANT = (
    int, str, bytes, float, type(None), frozenset, Lock, FunctionType, BuiltinFunctionType, ModuleType,
    property, staticmethod, classmethod, MemberDescriptorType, type,
)  # fmt: skip


MOST_PLACES = 10  # in an id: more switches than that are never planned
PLAIN = frozenset((str, int, bool, type(None)))


def install() -> Control:
    """Put the patched primitives into Python's modules for good: this process has no other purpose."""
    for module, name, ours in REPLACED:
        setattr(module, name, ours)
    return CONTROL


class Floor:
    """Where the threads of one loaded answer meet.

    Args:
        code: The answer's code, as it was executed.
        names: Gives the answer's names; a fresh execution each time if asked to.
        value: Turns what a call returned into plain values.
        error: Turns what a call raised into plain values.
    """

    known: tuple[CodeType, Points] | None = None

    def __init__(
        self,
        code: CodeType,
        names: Callable[[bool], Mapping[str, Any]],
        value: Callable[[Any], Reply],
        error: Callable[[BaseException], Reply],
    ) -> None:
        if Floor.known is None or Floor.known[0] is not code:
            Floor.known = code, Points([code])  # a text is loaded for check after check
        self._points = Floor.known[1]
        self._names, self._value, self._error = names, value, error
        loaded = names(False)  # noqa: FBT003  not a fresh one
        self._fresh = self._points.rebinds(loaded) or _keeps_state(loaded)
        self._play: Play | None = None
        self._search: Exploration | None = None

    def begin(self, kind: str, args: list[Any], story: dict[str, Any], bounds: dict[str, int]) -> Reply:
        """Begin with a story; what follows is about it."""

        def make() -> Any:
            return self._names(self._fresh)[kind](*map(_made, args))

        self._play = Play(make, story, self._points, self._value, _lasts, self._error)
        self._search = Exploration(self._play, Bounds(**bounds)) if bounds else None
        return {"kind": "begun"}

    def more(self, seconds: float) -> Reply:
        """Try some more schedules."""
        if self._search is None:
            raise ValueError("nothing to explore")
        made = self._search.more(seconds)
        plain = [_plain(outcome) for outcome in made.outcomes]
        told = {"outcomes": plain, "tried": made.tried, "finished": made.done, "nested": made.nested}
        return {"kind": "explored", **told}

    def retell(self, order: str, switches: list[tuple[str, int]]) -> Reply:
        """Tell one schedule again, watched line by line."""
        if self._play is None:
            raise ValueError("no story")
        steps = tuple((name, step) for name, step in switches)
        outcome = self._play.tell(Schedule(order, steps), watch=True)
        return {"kind": "retold", "outcome": _plain(outcome), "events": outcome.events, "id": id_of(outcome)}

    def find(self, name: str) -> Reply:
        """Tell the schedule of this id."""
        read = read_id(name)
        if self._play is None or read is None or sorted(read[0]) != sorted(self._play.names):
            return {"kind": "lost", "place": name}
        unknown = [place for place in read[1] if place.thread not in self._play.names]
        if unknown or len(read[1]) > MOST_PLACES:
            return {"kind": "lost", "place": str(unknown[0]) if unknown else name}
        found = found_again(self._play, *read)
        if isinstance(found, Place):
            return {"kind": "lost", "place": str(found)}
        return self.retell(found.order, list(found.switches))


def _made(arg: Any) -> Any:
    return getattr(jobqueue, arg["library"])() if isinstance(arg, dict) else arg


def _plain(outcome: Outcome) -> Reply:
    schedule = outcome.schedule
    return {
        "order": schedule.order,
        "switches": [list(step) for step in schedule.switches],
        "calls": outcome.calls,
        "end": outcome.end,
        "number": outcome.number,
        "impatient": outcome.impatient,
    }


def _lasts(value: Any) -> bool:
    """Whether a value can never change: plain, or a frozen record of plain parts."""
    kind = type(value)
    if kind in PLAIN:
        return True
    params, fields = getattr(kind, "__dataclass_params__", None), getattr(kind, "__dataclass_fields__", ())
    return bool(params and params.frozen) and all(type(getattr(value, name)) in PLAIN for name in fields)


def _keeps_state(names: Mapping[str, Any]) -> bool:
    """Whether a module, or a class of it, may remember anything from run to run: then each needs its own."""
    own = [value for value in names.values() if isinstance(value, type) and value.__module__ == "answer"]
    spaces = [names, *(vars(kind) for kind in own if not issubclass(kind, Enum))]
    return any(
        not (name.startswith("__") or isinstance(value, CONSTANT))
        for space in spaces
        for name, value in space.items()
    )
