"""How a value travels between the answer's process and the grader's: as plain JSON, never as an object.

An object of the answer could claim to equal everything. So only its fields cross the pipe, and the grader
compares those.
"""

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

LONGEST_TEXT = 10_000
MOST_ITEMS = 1_000
DEEPEST = 6
WIDEST_INTEGER_BITS = 4_096


@dataclass(frozen=True, slots=True)
class Record:
    """An object of the answer, reduced to the name of its type and its fields."""

    name: str
    fields: dict[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in self.fields.items())
        return f"{self.name}({inside})"


@dataclass(frozen=True, slots=True)
class Opaque:
    """A value that the grader has no plain form for; it equals nothing that a check expects."""

    description: str

    def __str__(self) -> str:
        return self.description


@dataclass(frozen=True, slots=True)
class Handle:
    """An object that stays in the answer's process, known here by its name."""

    name: str


def pack(value: object, depth: int = 0) -> Any:
    """Turn a value into JSON.

    Subclasses of int and str lose their own methods on the way, so a text that claims to equal anything
    arrives as the text that it is.

    >>> pack((1, "a", None))
    [1, 'a', None]
    >>> pack(object())
    {'opaque': 'a value of type object'}
    """
    if value is None or isinstance(value, bool | float):
        return value
    if isinstance(value, Handle):
        return {"handle": value.name}
    if isinstance(value, Enum):
        return pack(value.value, depth + 1)
    if isinstance(value, str):
        text = str.__str__(value)
        return text if len(text) <= LONGEST_TEXT else _opaque(f"a text of {len(text)} characters")
    if isinstance(value, int):
        number = int.__add__(value, 0)
        return number if number.bit_length() <= WIDEST_INTEGER_BITS else _opaque("a giant integer")
    return _pack_container(value, depth) if depth < DEEPEST else _opaque("a deeply nested value")


def _pack_container(value: object, depth: int) -> Any:
    names = _field_names(value)
    if names is not None:
        fields = {name: pack(getattr(value, name), depth + 1) for name in names[:MOST_ITEMS]}
        return {"record": type(value).__name__, "fields": fields}
    if isinstance(value, list | tuple) and len(value) <= MOST_ITEMS:
        return [pack(item, depth + 1) for item in value]
    if isinstance(value, dict) and len(value) <= MOST_ITEMS:
        pairs = [[pack(key, depth + 1), pack(item, depth + 1)] for key, item in value.items()]
        return {"pairs": pairs}
    return _opaque(f"a value of type {type(value).__name__}")


def _opaque(description: str) -> dict[str, str]:
    return {"opaque": description}


def _field_names(value: object) -> list[str] | None:
    """Return the names of a record's fields; None for a value that is no record."""
    kind = type(value)
    if hasattr(kind, "__dataclass_fields__"):
        return list(kind.__dataclass_fields__)
    if isinstance(value, tuple) and hasattr(kind, "_fields"):
        return list(kind._fields)
    if kind.__module__ != "builtins" and hasattr(value, "__dict__"):
        return [name for name in vars(value) if not name.startswith("_")]
    return None


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
        return Record(value["record"], {name: unpack(item) for name, item in value["fields"].items()})
    if "pairs" in value:
        return {_hashable(unpack(key)): unpack(item) for key, item in value["pairs"]}
    return Opaque(value.get("opaque", "an unknown value"))


def _hashable(key: Any) -> Any:
    return tuple(key) if isinstance(key, list) else key
