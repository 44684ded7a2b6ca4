"""Small functions that a learner writes in a notebook, held against what the queue says."""

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

from lesson_shown import Shown, card

from jobqueue.simulation.svg import tag


def own(answer: Callable[..., Any], key: Callable[..., Any], cases: Mapping[str, tuple[Any, ...]]) -> Shown:
    """Compare a learner's function with the queue, case by case, and show the first one that differs.

    Args:
        answer: what the learner wrote; as long as it returns None for every case it counts as not written.
        key: asks a queue for what is right, and never returns None.
        cases: arguments for both, by a few words that say what is special about them.
    """
    tried = {name: _result(answer, arguments) for name, arguments in cases.items()}
    if all(result is None for result in tried.values()):
        return _said(
            ["Not written yet. Fill in your function above, run its cell, and then run this one again."]
        )
    for number, (name, arguments) in enumerate(cases.items()):
        result, right = tried[name], key(*deepcopy(arguments))
        if type(result) is not type(right) or result != right:
            call = f"{answer.__name__}({', '.join(map(repr, arguments))})"
            found = result if isinstance(result, _Raised) else f"gives {result!r}"
            parts = [f"✗ Not yet. Case “{name}”:", f"Yours: {call} {found}.", f"The queue says: {right!r}."]
            return _said([*parts, f"Before it, {number} of {len(cases)} cases were right."], right=False)
    return _said([f"✓ All {len(cases)} cases are as the queue says. Well done."], right=True)


class _Raised(str):
    """What a function raised instead of giving an answer, in words."""

    __slots__ = ()


def _result(answer: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Return what a function makes of its own copy of the arguments: it may change them and harms nobody."""
    # Whatever goes wrong in there is the learner's to see, and in a sentence.
    try:
        return answer(*deepcopy(arguments))
    except Exception as error:
        return _Raised(f"stops with {type(error).__name__}: {error}")


def _said(lines: list[str], *, right: bool | None = None) -> Shown:
    return Shown(card([tag("div", line) for line in lines], right=right), "\n".join(lines))
