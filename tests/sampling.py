"""Which cases of a long list run each time: every so many; the others are heavy runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable


def one_in(step: int, cases: Iterable[Any]) -> list[Any]:
    """Return all cases; of each `step` in a row the first runs in `make test`, the others are heavy runs.

    >>> [len(case.marks) for case in one_in(3, "abcd")]
    [0, 1, 1, 0]
    """
    marked = enumerate((case if isinstance(case, tuple) else (case,)) for case in cases)
    return [pytest.param(*case, marks=[pytest.mark.long] if number % step else []) for number, case in marked]
