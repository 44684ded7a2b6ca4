"""Request bodies: JSON read strictly, numbers kept as they were written, and JSON text made of them again.

Whatever two readers could understand differently is refused: a name twice, NaN, a number that no double can
hold, a text that is no Unicode.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from math import isinf
from typing import Any, NoReturn

DEEPEST = 64
"""How deep objects and arrays may be nested: a reader that recurses must not run out of stack."""

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class UnreadableError(Exception):
    """The body is not the JSON that it should be."""


@dataclass(frozen=True, slots=True)
class Digits:
    """A number as it was written: 1, 1.0 and 1e0 are not the same text."""

    text: str


def parse(body: bytes) -> Any:
    """Return what a body says, each number as `Digits`.

    >>> parse(b'{"id": 1970670598291982290}')
    {'id': Digits(text='1970670598291982290')}
    >>> parse(b'{"a": 1, "a": 2}')
    Traceback (most recent call last):
    webui.api.bodies.UnreadableError: the name "a" is there twice
    """
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UnreadableError(f"is not UTF-8 at byte {error.start}") from error
    try:
        return json.loads(
            text,
            parse_int=_digits,
            parse_float=_digits,
            parse_constant=_refuse_constant,
            object_pairs_hook=_object,
        )
    except RecursionError:
        raise UnreadableError(f"is nested deeper than {DEEPEST}") from None
    except json.JSONDecodeError as error:
        raise UnreadableError(f"is not JSON: {error}") from error


def canonical(value: Any, name: str) -> str:
    """Return JSON text of what `parse` returned: no blanks, keys sorted, the digits as they were sent.

    Raises:
        ValueError: a text inside contains what no store can keep; the message says where.

    >>> canonical(parse(b'{"b": 1.50, "a": [true, null]}'), "payload")
    '{"a":[true,null],"b":1.50}'
    """
    return "".join(_written(value, name, 0))


def _written(value: Any, where: str, depth: int) -> Iterable[str]:
    if depth > DEEPEST:
        raise UnreadableError(f"is nested deeper than {DEEPEST}")
    if isinstance(value, dict):
        yield "{"
        for place, key in enumerate(sorted(value)):
            yield ("," if place else "") + _text(key, f"{where}.{key[:40]}") + ":"
            yield from _written(value[key], f"{where}.{key[:40]}", depth + 1)
        yield "}"
    elif isinstance(value, list):
        yield "["
        for place, inner in enumerate(value):
            yield "," * bool(place)
            yield from _written(inner, f"{where}[{place}]", depth + 1)
        yield "]"
    elif isinstance(value, Digits):
        yield value.text
    else:
        yield _text(value, where) if isinstance(value, str) else json.dumps(value)


def _text(value: str, where: str) -> str:
    found = _UNSTORABLE.search(value)
    if found:
        what = "a NUL character" if found[0] == "\x00" else "a lone surrogate"
        shown = where.encode("ascii", "backslashreplace").decode().replace("\x00", "\\0")
        raise ValueError(f"{shown}: contains {what}, which cannot be stored")
    return json.dumps(value, ensure_ascii=False)


def _digits(text: str) -> Digits:
    # Also an integer of a thousand digits: whoever reads it as a double gets infinity, or another number.
    if isinf(float(text)):
        raise UnreadableError(f"the number {text[:20]}... is too large")
    return Digits(text)


def _refuse_constant(name: str) -> NoReturn:
    raise UnreadableError(f"{name} is no number of JSON")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise UnreadableError(f"the name {json.dumps(twice[:40])} is there twice")
    return made
