"""The kinds of values that requests carry: how each is read, and what the API's description says of it.

Both in one place, so that the description cannot say anything else than what is done. A wrong type is a
`TypeError`, a wrong value a `ValueError`, each naming the field, as everywhere in the library.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, Protocol

from jobqueue.arguments import LARGEST_INTEGER, LONGEST_NAME, check_integer, check_name, check_text
from webui.api.bodies import Digits, canonical

Schema = dict[str, Any]

_WHOLE = re.compile(r"-?(0|[1-9][0-9]*)")
_LONGEST_NUMBER = 25
_INSTANT = r"\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?([Zz]|[+-]\d{2}:\d{2})"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Kind(Protocol):
    """One kind of value."""

    def read(self, name: str, value: Any) -> Any:
        """Return a value of a JSON body as the queue wants it."""
        ...

    def schema(self) -> Schema:
        """Return what it looks like in a body, as JSON Schema."""
        ...


@dataclass(frozen=True, slots=True)
class Integer:
    """A whole number."""

    low: int = -LARGEST_INTEGER
    high: int = LARGEST_INTEGER

    def read(self, name: str, value: Any) -> int:
        """Return the number; 5.0 is one, as JSON Schema has it, and 5.5 is none."""
        if not isinstance(value, Digits):
            raise TypeError(f"{name}: expected an integer, found {_called(value)}")
        shown = value.text[:_LONGEST_NUMBER]
        try:
            number = Decimal(value.text)
            is_whole = number == number.to_integral_value()
        except ArithmeticError:  # its exponent alone is beyond all reading
            raise ValueError(f"{name}: {shown} is not between {self.low} and {self.high}") from None
        if not is_whole:
            raise TypeError(f"{name}: expected an integer, found {shown}")
        if abs(number) > 2 * LARGEST_INTEGER:  # before its digits are written out, which takes its time
            raise ValueError(f"{name}: {shown} is not between {self.low} and {self.high}")
        return check_integer(name, int(number), low=self.low, high=self.high)

    def schema(self) -> Schema:
        """Return its bounds."""
        return {"type": "integer", "minimum": self.low, "maximum": self.high}


@dataclass(frozen=True, slots=True)
class Flag:
    """True or false."""

    def read(self, name: str, value: Any) -> bool:
        """Return it."""
        if not isinstance(value, bool):
            raise TypeError(f"{name}: expected true or false, found {_called(value)}")
        return value

    def schema(self) -> Schema:
        """Return its type."""
        return {"type": "boolean"}


@dataclass(frozen=True, slots=True)
class Name:
    """A name: 1 to 200 characters, not blank."""

    def read(self, name: str, value: Any) -> str:
        """Return it."""
        return check_name(name, _string(name, value))

    def schema(self) -> Schema:
        """Return its length; a NUL or a lone surrogate is refused, and so is one of blanks only."""
        return {"type": "string", "minLength": 1, "maxLength": LONGEST_NAME, "pattern": r"^[^\u0000]*$"}


@dataclass(frozen=True, slots=True)
class Text:
    """Text of any length, or up to a bound."""

    longest: int | None = None

    def read(self, name: str, value: Any) -> str:
        """Return it."""
        text = check_text(name, _string(name, value))
        if self.longest is not None and len(text) > self.longest:
            raise ValueError(f"{name}: has {len(text)} characters, at most {self.longest} are allowed")
        return text

    def schema(self) -> Schema:
        """Return its length."""
        longest = {} if self.longest is None else {"maxLength": self.longest}
        return {"type": "string", "pattern": r"^[^\u0000]*$", **longest}


@dataclass(frozen=True, slots=True)
class AnyText:
    """Text in which nothing is refused, for an error that is reported: reporting a failure never fails."""

    def read(self, name: str, value: Any) -> str:
        """Return it."""
        return _string(name, value)

    def schema(self) -> Schema:
        """Return its type."""
        return {"type": "string"}


@dataclass(frozen=True, slots=True)
class Document:
    """Text; an object or an array is stored as JSON text, keys sorted, number digits as sent."""

    def read(self, name: str, value: Any) -> str:
        """Return the text that is stored."""
        if isinstance(value, dict | list):
            return canonical(value, name)
        if not isinstance(value, str):
            raise TypeError(f"{name}: expected text, an object or an array, found {_called(value)}")
        return check_text(name, value)

    def schema(self) -> Schema:
        """Return its types."""
        return {"anyOf": [Text().schema(), {"type": "object"}, {"type": "array"}]}


@dataclass(frozen=True, slots=True)
class Instant:
    """An instant: integer milliseconds since 1970-01-01T00:00Z, or ISO 8601 with an offset."""

    def read(self, name: str, value: Any) -> int:
        """Return the milliseconds; what is finer than that is cut off."""
        if not isinstance(value, str):
            return Integer().read(name, value)
        found = re.fullmatch(_INSTANT, value, re.ASCII)
        if found is None:
            raise TypeError(
                f"{name}: expected integer milliseconds, or ISO 8601 with an offset, such as "
                f"2026-03-29T01:30:00Z or ...+02:00, found {value[:40]!a}"
            )
        try:
            instant = datetime.fromisoformat(value.upper())
            return (instant - _EPOCH) // timedelta(milliseconds=1)
        except ValueError as error:
            raise TypeError(f"{name}: {value[:40]!a} is no instant: {error}") from error

    def schema(self) -> Schema:
        """Return both forms."""
        return {"anyOf": [Integer().schema(), {"type": "string", "format": "date-time"}]}


@dataclass(frozen=True, slots=True)
class JobId:
    """The id of a job."""

    def read(self, name: str, value: Any) -> str:
        """Return it."""
        if not isinstance(value, str) or not re.fullmatch(r"J[1-9][0-9]{0,15}", value, re.ASCII):
            raise TypeError(f"{name}: expected the id of a job, such as J12, found {_called(value)}")
        return value

    def schema(self) -> Schema:
        """Return its form."""
        return {"type": "string", "pattern": "^J[1-9][0-9]{0,15}$"}


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of a few words."""

    words: Sequence[str]

    def read(self, name: str, value: Any) -> str:
        """Return it."""
        if value not in self.words:
            raise TypeError(f"{name}: expected one of {', '.join(self.words)}, found {_called(value)}")
        return str(value)

    def schema(self) -> Schema:
        """Return the words."""
        return {"type": "string", "enum": list(self.words)}


@dataclass(frozen=True, slots=True)
class Several:
    """A list with a bound."""

    kind: Kind
    most: int

    def read(self, name: str, value: Any) -> list[Any]:
        """Return its values."""
        if not isinstance(value, list):
            raise TypeError(f"{name}: expected an array, found {_called(value)}")
        if not 1 <= len(value) <= self.most:
            raise ValueError(f"{name}: has {len(value)} values, expected 1 to {self.most}")
        return [self.kind.read(f"{name}[{place}]", inner) for place, inner in enumerate(value)]

    def schema(self) -> Schema:
        """Return its bounds."""
        return {"type": "array", "items": self.kind.schema(), "minItems": 1, "maxItems": self.most}


def from_query(text: str, kind: Kind) -> Any:
    """Return what is read of a value in an address, where everything is text."""
    if isinstance(kind, Integer) and _WHOLE.fullmatch(text) and len(text) <= _LONGEST_NUMBER:
        return Digits(text)
    return text


def _string(name: str, value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name}: expected text, found {_called(value)}")
    return value


def _called(value: Any) -> str:
    """Return what JSON calls a value."""
    names: Mapping[type, str] = {dict: "an object", list: "an array", bool: f"{value}".lower()}
    if value is None:
        return "null"
    if isinstance(value, str):
        return f"the text {value[:40]!a}"
    return names.get(type(value), "a number")
