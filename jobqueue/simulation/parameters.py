"""Every number and word that a learner may set: what it means, and from where to where it goes.

Forms, links and the free lab all read these tables, so that what one of them takes the others take too.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from jobqueue.arguments import check_integer, check_text

HOUR = 3_600_000
SOME_SEED = 2**31 - 1


class Unit(StrEnum):
    """How a value is typed in: milliseconds as seconds, all others as they are."""

    SECONDS = "seconds"
    NUMBER = "number"
    TEXT = "text"
    CHOICE = "choice"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One thing to set.

    Args:
        name: the field of the record that it is kept in.
        label: how people call it.
        help: what it does, in one sentence.
        unit: how it is typed in; what is kept of seconds is milliseconds.
        default: what it is when nobody sets it; None, where that is allowed, for "off".
        low: the least number, or the least length of a text.
        high: the greatest number, or the greatest length of a text.
        choices: for a choice, each value with its words.
    """

    name: str
    label: str
    help: str
    unit: Unit
    default: Any
    low: int = 0
    high: int = HOUR
    choices: tuple[tuple[str, str], ...] = ()

    def check(self, value: Any) -> Any:
        """Return a value that may be set.

        Raises:
            ValueError: it may not; the message begins with the name and says what is expected.
        """
        if value is None and self.default is None:
            return None
        try:
            if self.unit in {Unit.SECONDS, Unit.NUMBER}:
                return check_integer(self.name, value, low=self.low, high=self.high)
            text = check_text(self.name, value)
        except TypeError as wrong:
            raise ValueError(str(wrong)) from wrong
        if self.unit is Unit.CHOICE and text not in dict(self.choices):
            known = ", ".join(repr(name) for name, _ in self.choices)
            raise ValueError(f"{self.name}: expected one of {known}, found {text[:40]!a}")
        if self.unit is Unit.TEXT and not self.low <= len(text.strip() if self.low else text) <= self.high:
            least = f"{self.low} to " if self.low else "at most "
            raise ValueError(f"{self.name}: has {len(text)} characters, expected {least}{self.high}")
        return text


def packed(record: Any, parameters: Iterable[Parameter]) -> dict[str, Any]:
    """Return what of a record is not as it would be by itself: plain values by the names of their fields."""
    values = {p.name: getattr(record, p.name) for p in parameters}
    return {p.name: values[p.name] for p in parameters if values[p.name] != p.default}


def unpacked(values: object, parameters: Iterable[Parameter]) -> dict[str, Any]:
    """Return what `packed` was made of, each value checked, for the record's constructor.

    Raises:
        ValueError: it is no mapping, a value may not be set, or nothing of that name can be.
    """
    if not isinstance(values, Mapping):
        raise ValueError(f"expected names with values, found {type(values).__name__}")  # noqa: TRY004 - a bad link
    known = {p.name: p for p in parameters}
    for name in values:
        if name not in known:
            raise ValueError(f"nothing is called {str(name)[:40]!a}; there are {', '.join(known)}")
    return {p.name: p.check(values.get(p.name, p.default)) for p in parameters}
