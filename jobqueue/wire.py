"""The records of a queue as JSON values, and back: for an HTTP API and its client, so that they cannot differ.

Names are in camelCase; everything else is as it is. It knows no HTTP and no queue.
"""

import re
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from enum import StrEnum
from functools import cache
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from jobqueue.errors import PERHAPS_DONE, StoreError

T = TypeVar("T")

LARGEST_BODY = 256 * 1024
"""The most bytes that a request may have."""
LARGEST_ANSWER = 64 * 1024 * 1024
"""The most bytes that an answer has, and that its reader accepts."""

_REFERENCE = "payload-ref\n"


def camel(name: str) -> str:
    """Return a name as JSON has it.

    >>> camel("next_run_at"), camel("id")
    ('nextRunAt', 'id')
    """
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def snake(name: str) -> str:
    """Return a name as Python has it.

    >>> snake("nextRunAt")
    'next_run_at'
    """
    return re.sub("[A-Z]", lambda found: "_" + found[0].lower(), name)


def to_wire(value: Any) -> Any:
    """Return a record, or several, as JSON values.

    >>> from jobqueue.submission import Submission
    >>> to_wire(Submission("J1", replayed=False))
    {'jobId': 'J1', 'replayed': False}
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {camel(field.name): to_wire(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_wire(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [to_wire(inner) for inner in value]
    return str(value) if isinstance(value, StrEnum) else value


class Answered(dict[str, Any]):
    """A JSON object of an answer. A proxy can answer 200 with an object of its own, which ends no worker."""

    def __missing__(self, name: str) -> Any:
        raise _foreign(f"has no field {name!a}")

    def rows(self, name: str, of: type = dict) -> list[Any]:
        """Return a field that is a list of objects, or of what else it has to be."""
        found = self[name]
        if not isinstance(found, list) or not all(isinstance(row, of) for row in found):
            raise _foreign(f"has no list of what belongs there in {name!a}")
        return found


def _foreign(what: str) -> StoreError:
    return StoreError(f"the answer {what}: is it from a board? {PERHAPS_DONE}")


def from_wire(kind: type[T], told: Any) -> T:
    """Return the record that JSON values tell of; names that it does not have are passed over.

    >>> from jobqueue.submission import Submission
    >>> from_wire(Submission, {"jobId": "J1", "replayed": True, "new": 1})
    Submission(job_id='J1', replayed=True)
    """
    if not isinstance(told, Mapping):
        raise _foreign(f"has no object where a {kind.__name__} belongs")
    hints: dict[str, Any] = _hints(kind)  # type: ignore[arg-type]
    needed = {field.name for field in fields(kind) if field.default is MISSING}  # type: ignore[arg-type]
    known = {name: told[camel(name)] for name in hints if name in needed or camel(name) in told}
    return kind(**{name: _read(hints[name], value) for name, value in known.items()})


def _read(hint: Any, value: Any) -> Any:
    """Return one JSON value as the type that a record wants."""
    if value is None:
        return None
    if isinstance(hint, UnionType):  # the only unions of records are with None
        hint = next(inner for inner in get_args(hint) if inner is not type(None))
    if is_dataclass(hint):
        return from_wire(hint, value)  # type: ignore[arg-type]
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        if value not in set(hint):
            raise _foreign(f"has no {hint.__name__} where one belongs")
        return hint(value)
    if hint in {int, str, bool} and not isinstance(value, hint):
        raise _foreign(f"has a value where {hint.__name__} belongs that is none")
    return tuple(value) if get_origin(hint) is tuple else value


@cache
def _hints(kind: Any) -> dict[str, Any]:
    return get_type_hints(kind)


# -- payloads that are elsewhere -------------------------------------------------------------------------


def reference(where: str) -> str:
    """Return the text that is stored for a payload that the worker fetches itself.

    >>> reference_of(reference("s3://bucket/key"))
    's3://bucket/key'
    """
    return _REFERENCE + where


def reference_of(payload: str) -> str | None:
    """Return where the payload is, if the stored text says so; None of a payload that is here."""
    return payload.removeprefix(_REFERENCE) if payload.startswith(_REFERENCE) else None
