"""How a value travels between the answer's process and the grader's: as plain JSON, never as an object.

An object of the answer could claim to equal everything, or to be of another type. So what it is gets decided by
its true type, only its fields cross the pipe, and the grader compares those.
"""

import json
import signal
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum
from types import AsyncGeneratorType, CoroutineType, GeneratorType
from typing import Any

LONGEST_TEXT = 10_000
LONGEST_NAME = 100
MOST_ITEMS = 1_000
DEEPEST = 6
WIDEST_INTEGER_BITS = 4_096
ROOM = 100_000  # for a whole reply: a value takes 1, a text as much as it has characters
LARGEST_REPLY_BYTES = 2_000_000  # a character takes 12 bytes at most, so this is always enough for the room
CANNOT_REPLY = 97  # the exit code of an answer's process that can say nothing any more

NEVER_RUN: dict[type, str] = {
    GeneratorType: "a generator (with a yield in it, a function runs only when somebody asks for its values)",
    CoroutineType: "a coroutine (an async function runs only when somebody awaits it)",
    AsyncGeneratorType: "an async generator (it runs only when somebody asks for its values)",
}
"""What a call gives whose body has not run."""

# What type() itself knows; a class with a metaclass of its own may tell anything about itself.
_name = type.__dict__["__name__"].__get__
_ancestors = type.__dict__["__mro__"].__get__


@dataclass(frozen=True, slots=True)
class Record:
    """An object of the answer, reduced to the name of its type and its fields."""

    name: str
    fields: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in self.fields.items())
        return f"{self.name}({inside})"


@dataclass(frozen=True, slots=True, repr=False)
class Opaque:
    """A value that the grader has no plain form for; it equals nothing that a check expects."""

    description: str

    def __repr__(self) -> str:
        return self.description


@dataclass(frozen=True, slots=True)
class Handle:
    """An object that stays in the answer's process, known here by its name."""

    name: str


class TooLarge(Exception):  # noqa: N818  a verdict, not a fault
    """A value has more parts, or longer ones, than a reply may carry."""


def name_of(kind: type) -> str:
    """The name that a type was made with, in a length that can be shown.

    >>> name_of(int)
    'int'
    """
    return str(_name(kind))[:LONGEST_NAME]


def ancestors_of(kind: type) -> tuple[type, ...]:
    """The types that a type truly descends from, itself first."""
    return tuple(_ancestors(kind))


def pack(value: object) -> Any:
    """Turn a value into JSON.

    Subclasses of int and str lose their own methods on the way, so a text that claims to equal anything
    arrives as the text that it is.

    Raises:
        TooLarge: It would take more than a reply may carry.

    >>> pack((1, "a", None))
    [1, 'a', None]
    >>> pack(object())
    {'opaque': 'a value of type object'}
    """
    return _Packing().value(value, 0)


class _Packing:
    """One value on its way into JSON, and the room that is left in the reply."""

    def __init__(self) -> None:
        self._left = ROOM

    def value(self, value: Any, depth: int) -> Any:
        """Pack a value or one of its parts."""
        self._take(1)
        kind = type(value)
        if value is None or kind is bool:
            return value
        if kind is str or kind is int:  # most are, and need no look at what they descend from
            return self._text(value) if kind is str else self._integer(value)
        if kind is Handle:
            return {"handle": value.name}
        kinds = ancestors_of(kind)
        for plain, packed in ((float, float.__pos__), (str, self._text), (int, self._integer)):
            if plain in kinds and Enum not in kinds:
                return packed(value)
        if depth >= DEEPEST:
            return _opaque("a deeply nested value")
        return self.value(value.value, depth + 1) if Enum in kinds else self._parts(value, kind, kinds, depth)

    def _text(self, told: str) -> Any:
        text = str.__str__(told)
        if len(text) > LONGEST_TEXT:
            return _opaque(f"a text of {len(text)} characters")
        self._take(len(text))
        return text

    def _integer(self, told: int) -> Any:
        number = int.__pos__(told)
        if number.bit_length() > WIDEST_INTEGER_BITS:
            return _opaque("a giant integer")
        self._take(number.bit_length() // 3)
        return number

    def _parts(self, value: Any, kind: type, kinds: tuple[type, ...], depth: int) -> Any:
        names = _field_names(value, kind, kinds)
        if names is not None:
            fields = {self._text(name): self.value(getattr(value, name), depth + 1) for name in names}
            return {"record": name_of(kind), "fields": fields}
        for sequence in (list, tuple):
            if sequence in kinds and sequence.__len__(value) <= MOST_ITEMS:
                return [self.value(item, depth + 1) for item in sequence.__iter__(value)]
        if dict in kinds and dict.__len__(value) <= MOST_ITEMS:
            items = list(dict.items(value))
            return {"pairs": [[self.value(key, depth + 1), self.value(item, depth + 1)] for key, item in items]}
        return _opaque(NEVER_RUN.get(kind) or f"a value of type {name_of(kind)}")

    def _take(self, room: int) -> None:
        self._left -= room
        if self._left < 0:
            raise TooLarge


def _opaque(description: str) -> dict[str, str]:
    return {"opaque": description}


def _field_names(value: Any, kind: type, kinds: tuple[type, ...]) -> list[str] | None:
    """Return the names of a record's fields; None for a value that is no record."""
    if hasattr(kind, "__dataclass_fields__"):
        return _names(kind.__dataclass_fields__)
    if tuple in kinds and hasattr(kind, "_fields"):
        return _names(kind._fields)
    if kind.__module__ != "builtins" and hasattr(value, "__dict__"):
        return [name for name in _names(vars(value)) if not name.startswith("_")]
    return None


def _names(told: Iterable[Any]) -> list[str]:
    return [name for name in told if type(name) is str and len(name) <= LONGEST_NAME][:MOST_ITEMS]


def unpack(value: Any) -> Any:
    """Turn JSON back into plain values and records.

    >>> str(unpack({"record": "Lease", "fields": {"token": "J1:1"}}))
    "Lease(token='J1:1')"
    """
    if isinstance(value, list):
        return [unpack(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "record" in value:
        return Record(str(value["record"]), {name: unpack(item) for name, item in value["fields"].items()})
    if "pairs" in value:
        return {_hashable(unpack(key)): unpack(item) for key, item in value["pairs"]}
    return Opaque(str(value.get("opaque", "an unknown value")))


def _hashable(key: Any) -> Any:
    if isinstance(key, list):
        return tuple(_hashable(item) for item in key)
    return str(key) if isinstance(key, dict | Record) else key


def read_reply(line: bytes) -> dict[str, Any]:
    """Read one reply of an answer's process and look whether it has the form that all others rely on.

    Raises:
        ValueError: It does not: somebody else than the grader's own code has written it.
    """
    try:
        reply = json.loads(line)
        sound = isinstance(reply, dict) and all(_fits(name, told) for name, told in reply.items())
        if not sound or not NEEDED[reply["kind"]] <= reply.keys():
            raise ValueError("a reply lacks something or holds something strange")
        unpack(reply.get("value"))
    except (LookupError, TypeError, AttributeError, RecursionError) as problem:
        raise ValueError(f"a reply cannot be read: {problem}") from problem
    return {"threads": 1, "line": None, **reply}


NEEDED: dict[str, set[str]] = {
    "ready": {"number"},
    "value": {"number", "value"},
    "missing": {"number", "name", "present"},
    "raised": {"number", "error", "message", "ancestors"},
    "too large": {"number"},
    "asks": {"number", "name", "value"},
    "begun": {"number"},  # the rest is about threads that meet; what it holds is read in `together`
    "explored": {"number", "outcomes", "tried", "finished", "nested"},
    "retold": {"number", "outcome", "events", "id"},
    "lost": {"number", "place"},
}
LONGEST_PLACE = 20
WATCHDOG_SHARE = 0.8  # of a call's time, then it tells where it is: early enough to be read before it is ended
TELL_WHERE = getattr(signal, "SIGUSR1", None)  # what asks for that; Windows has nothing of the kind
ABOUT_THREADS = {"outcomes", "tried", "finished", "nested", "outcome", "events", "id", "place"}


def _is_place(kinds: list[type]) -> bool:
    """Line and function, and then the lines whose code stands before."""
    return kinds[:2] == [int, str] and set(kinds[2:]) <= {int} and len(kinds) <= LONGEST_PLACE


def _fits(name: str, told: Any) -> bool:
    match name:
        case "number" | "threads":
            return type(told) is int
        case "kind" | "error" | "message" | "name":
            return isinstance(told, str)
        case "ancestors" | "present":
            return isinstance(told, list) and all(isinstance(item, str) for item in told)
        case "line":
            return told is None or (isinstance(told, list) and _is_place([type(item) for item in told]))
    return name in {"value", "peeked"} | ABOUT_THREADS
