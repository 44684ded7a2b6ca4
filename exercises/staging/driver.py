"""Drives an object of the answer through a story: calls it, compares what comes back, puts each step in words.

Knows no method's name and no exercise.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from exercises.grader import Case
from exercises.grader.judging.case import Broken
from exercises.grader.judging.records import How


class Driver:
    """One object of the answer. With a clock, each step has its instant, and only the story moves time."""

    def __init__(
        self, case: Case, kind: str, *args: Any, clock: bool = False, begins: int = 0, called: str = ""
    ) -> None:
        """Create an object of the class `kind`.

        Args:
            case: The check's conversation with the answer.
            kind: The class.
            *args: What the object is created with, after the clock if it has one.
            clock: Whether it has one.
            begins: The instant that the clock shows first.
            called: What a second object of the class is called.
        """
        self.case, self.now = case, begins
        self._called = f"{called}: " if called else ""
        self._clock: Any = None
        if clock:
            self._clock = case.make("ManualClock", *(begins,) if begins else (), library=True)
            args = (self._clock, *args)
        self.object = case.make(kind, *args, called=called)

    def at(self, instant: int) -> None:
        """Let time pass until `instant`. Nobody calls the answer meanwhile."""
        untouched = "only the check moves the clock"
        self.case.call("time passes", self._clock, "advance_to", instant, expected=untouched)
        self.now = instant
        self.case.replace_last(self.words("time passes"))

    def words(self, words: str) -> str:
        """Return a step's words as the trace shows them: with the instant, or with the object's name."""
        return f"{f't={seconds(self.now)} s':<11} {words}" if self._clock else self._called + words

    def call(self, words: str, method: str, *args: Any, **how: Any) -> Any:
        """Call a method; see `Case.call`."""
        return self.case.call(self.words(words), self.object, method, *args, **how)

    def gives(self, words: str, method: str, *args: Any, gives: Any, what: str) -> None:
        """Call a method; what it gives back must be `gives`. `what` names that value."""
        got = self.call(words, method, *args, expected=f"{what} {gives!r}", tell=repr)
        self.case.same(what, gives, got)

    def asks(self, words: str, method: str, *args: Any, what: str) -> Any:
        """Call a method and look at what it gives back later."""
        return self.call(words, method, *args, expected=what, tell=repr)

    def refuses(
        self, words: str, method: str, *args: Any, error: str, effect: Callable[[], How] = lambda: How.NO_ERROR
    ) -> None:
        """Call a method that must raise the error of this name; `effect` looks what it did instead."""
        self.case.refuses(self.words(words), self.object, method, *args, error=error, effect=effect)

    def glance(self, method: str, *args: Any) -> dict[str, Any]:
        """Return the fields of a record that a method gives, behind a failure; none if it gives no record."""
        return getattr(self.case.glance(self.object, method, *args), "fields", {})

    def has(self, record: Any, wanted: dict[str, Any]) -> None:
        """Compare fields of a record that the answer gave."""
        same_fields(self.case, record, wanted)


def same_fields(case: Case, record: Any, wanted: dict[str, Any]) -> None:
    """Compare fields of a record. Every driver does it here: here all of its fields could be demanded."""
    for name, value in wanted.items():
        case.same(name, value, case.field(record, name))


def seconds(millis: int) -> str:
    """Write milliseconds as seconds, with at least one decimal.

    >>> seconds(30_000), seconds(9_999)
    ('30.0', '9.999')
    """
    text = f"{millis / 1_000:.3f}".rstrip("0")
    return text + "0" if text.endswith(".") else text


@contextmanager
def broken_as(circumstance: str) -> Iterator[None]:
    """Add to how a step breaks its promise what tells it from the same breach elsewhere."""
    try:
        yield
    except Broken as broken:
        broken.how = f"{broken.how}, {circumstance}"
        raise


def field_words(*names: str) -> Callable[[Any], str]:
    """Show of a record what the check looks at."""

    def words(record: Any) -> str:
        fields = getattr(record, "fields", None)
        if fields is None:
            return repr(record)
        return ", ".join(f"{name} {fields[name]!r}" for name in names if name in fields) or str(record)

    return words
