"""The stage for exercises whose calls give plain values back: an object of the answer, and words for each call.

Knows no method's name and no exercise; a check's file puts its own words on top.
"""

from collections.abc import Callable
from typing import Any

from exercises.grader import Case
from exercises.grader.judging.records import How
from exercises.grader.running.wire import Handle


class PlainStage:
    """One object of the answer."""

    def __init__(self, case: Case, kind: str, *args: Any) -> None:
        """Create an object of the class `kind`."""
        self._case = case
        self._object = case.make(kind, *args)

    @property
    def object(self) -> Handle:
        """The object, for a glance at it."""
        return self._object

    def gives(self, words: str, method: str, *args: Any, gives: Any, what: str) -> None:
        """Call a method; what it gives back must be `gives`. `what` names that value."""
        told = {"expected": f"{what} {gives!r}", "tell": repr}
        got = self._case.call(words, self._object, method, *args, **told)
        self._case.same(what, gives, got)

    def asks(self, words: str, method: str, *args: Any, what: str) -> Any:
        """Call a method and look at what it gives back later."""
        return self._case.call(words, self._object, method, *args, expected=what, tell=repr)

    def refuses(
        self, words: str, method: str, *args: Any, error: str, effect: Callable[[], How] = lambda: How.NO_ERROR
    ) -> None:
        """Call a method that must raise the error of this name."""
        self._case.refuses(words, self._object, method, *args, error=error, effect=effect)
