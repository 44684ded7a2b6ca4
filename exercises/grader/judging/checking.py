"""The form of a check: a named promise with points, and the function that puts an answer to the test."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass

from exercises.grader.judging.case import Case

LONGEST_PROMISE = 120

Story = Callable[[Case], None]


@dataclass(frozen=True, slots=True)
class Check:
    """One promise that an answer keeps or breaks.

    `needs` names the checks that must have passed before; otherwise this one is skipped, not red.
    `about` says in one sentence what the story is about; it is the function's docstring.
    `hidden` is the family of a check whose inputs are drawn anew and never told; see `Case.hide`.
    """

    name: str
    promise: str
    task: int
    points: int
    needs: tuple[str, ...]
    about: str
    run: Story
    hidden: str = ""


def check(
    *, promise: str, task: int, points: int, needs: tuple[Check | str, ...] = (), hidden: str = ""
) -> Callable[[Story], Check]:
    """Make a check out of a function that takes a `Case`.

    Args:
        promise: What the learner reads first when it is broken.
        task: The number of the task that it belongs to.
        points: What it is worth.
        needs: Checks that must have passed before; by name if they are in another file.
        hidden: The family that a report may name, if it may tell no more.

    Raises:
        ValueError: The promise is empty or longer than a line, or there is nothing to earn.
    """
    if not promise or len(promise) > LONGEST_PROMISE:
        raise ValueError(f"a promise has 1 to {LONGEST_PROMISE} characters, not {len(promise)}: {promise!r}")
    if points < 1:
        raise ValueError(f"a check is worth at least one point, not {points}")

    def make(function: Story) -> Check:
        about = (inspect.getdoc(function) or "").partition("\n")[0]
        before = tuple(map(_name, needs))
        return Check(function.__name__, promise, task, points, before, about, function, hidden)

    return make


def _name(need: Check | str) -> str:
    return need if isinstance(need, str) else need.name
