"""Lets others act between two statements of one caller, always at the same place: no threads, no waiting.

Runs in the answer's process. Whoever owns the connections tells `statement` of each statement before it is run.
What the others do there is done wholly before the caller goes on; what would have to wait for the caller ends
with an error at once, and counts as waiting.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

LONGEST_STATEMENT = 76
WAITS = "waits"


@dataclass(slots=True)
class Action:
    """One call of somebody else, and how it ended."""

    call: Callable[..., Any]
    args: tuple[Any, ...]
    value: Any = None
    error: BaseException | None = None


class Interleaving:
    """The statements of one caller, numbered from 1, and what others do before one of them."""

    def __init__(self) -> None:
        self._caller, self._place, self._number = "", 0, 0
        self._acting = False
        self._actions: list[Action] = []
        self._before: list[str] = []
        self._after: list[str] = []

    def arm(self, caller: str, place: int) -> None:
        """Begin to count the caller's statements; before number `place` the actions will be done."""
        self._caller, self._place, self._number = caller, place, 0
        self._actions, self._before, self._after = [], [], []

    def then(self, target: Any, method: str, *args: Any) -> None:
        """Add one action: a call of a method of `target`."""
        self._actions.append(Action(getattr(target, method), args))

    def statement(self, caller: str, text: str) -> None:
        """Note a statement that is about to run, and let the others act if it is the one."""
        if self._acting or caller != self._caller:
            return
        self._number += 1
        if self._number == self._place:
            self._acting = True
            try:
                for action in self._actions:
                    self._act(action)
            finally:
                self._acting = False
        told = " ".join(text.split())
        cut = told if len(told) <= LONGEST_STATEMENT else told[: LONGEST_STATEMENT - 3] + "..."
        (self._after if self._number >= self._place else self._before).append(cut)

    def _is_next(self, caller: str) -> bool:
        """Whether the others act before this caller's next statement."""
        return not self._acting and caller == self._caller and self._number + 1 == self._place

    def disarm(self) -> list[Any]:
        """Stop counting. Return whether the place was reached, and the statements before it and from it on."""
        reached, self._caller = self._number >= self._place, ""
        return [reached, self._before, self._after]

    def outcome(self, number: int) -> Any:
        """Return what an action returned, or WAITS; raise what it raised."""
        action = self._actions[number]
        if action.error is not None:
            if self.is_waiting(action.error):
                return WAITS
            raise action.error
        return action.value

    def is_waiting(self, error: BaseException) -> bool:
        """Whether an error means that the call would have to wait for another one's lock."""
        raise NotImplementedError

    @staticmethod
    def _act(action: Action) -> None:
        try:
            action.value = action.call(*action.args)
        except BaseException as error:
            action.error = error
