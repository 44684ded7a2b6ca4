"""Finds the line of a learner's text to show for a place, and shows a statement of several lines as one."""

import ast
from collections.abc import Iterator, Sequence
from functools import lru_cache

from exercises.grader.judging.syntax import parse

LONGEST_TEXT = 90
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


def shown_line(lines: Sequence[str], number: int, before: Sequence[int] = ()) -> int:
    """Choose the line to show for the one at which a call came back.

    A call that comes back from within a `with` was last at the line of the `with`, which gives its lock back;
    one from within a `try` was last in its `finally`. What says more is the `return` before, and without one
    the head of the function.

    Args:
        lines: The text.
        number: The last line that ran, from 1.
        before: The lines whose code stands before that of the return, the nearest first.

    >>> text = ["def f():", "    with lock:", "        x = 1", "        return x"]
    >>> [shown_line(text, 2, [4, 3]), shown_line(text[:3], 2, [3, 1]), shown_line(text, 4, [3, 2])]
    [4, 1, 4]
    """
    found = _statements(tuple(lines))
    leaving = [one for one in found if _is_left_at(one, number)]
    last = next((line for line in before if not any(_is_left_at(one, line) for one in found)), 0)
    if not any(_holds(one, last) for one in leaving):
        return number
    returns = [one for one in found if isinstance(one, ast.Return) and _holds(one, last)]
    around = [one for one in found if isinstance(one, FUNCTIONS) and _holds(one, number)]
    return returns[0].lineno if returns else around[-1].lineno if around else number


def _is_left_at(one: ast.stmt, number: int) -> bool:
    """Whether this line is where a statement is left, behind the line that said so."""
    if isinstance(one, ast.With | ast.AsyncWith):
        return one.lineno == number
    return isinstance(one, ast.Try) and any(_holds(last, number) for last in one.finalbody)


def _holds(one: ast.stmt, number: int) -> bool:
    return one.lineno <= number <= (one.end_lineno or one.lineno)


def statement_text(lines: Sequence[str], number: int) -> str:
    """The text of a line; if a simple statement goes on over further lines, all of it, cut to a length.

    >>> statement_text(["x = f(", "    1,", ")", "if x:", "    y = 2"], 1)
    'x = f(1,)'
    >>> statement_text(["if x:", "    y = 2"], 1)
    'if x:'
    """
    text = lines[number - 1].strip()
    parts = [one for one in _statements(tuple(lines)) if not hasattr(one, "body") and _holds(one, number)]
    if not parts or parts[-1].lineno == parts[-1].end_lineno:
        return text
    whole = _joined([line.strip() for line in lines[parts[-1].lineno - 1 : parts[-1].end_lineno]])
    return whole if len(whole) <= LONGEST_TEXT else f"{whole[: LONGEST_TEXT - 4]} ..."


def _joined(parts: list[str]) -> str:
    """Put lines together as one would write them on one line."""
    whole = parts[0]
    for part in parts[1:]:
        is_tight = whole.endswith(("(", "[", "{")) or part.startswith((")", "]", "}"))
        whole += part if is_tight else f" {part}"
    return whole


@lru_cache(maxsize=8)
def _statements(lines: tuple[str, ...]) -> list[ast.stmt]:
    """All statements, those that stand within others after them; none if Python cannot read the text."""
    try:
        return list(_walk(parse("\n".join(lines)).body))
    except UNREADABLE:
        return []


def _walk(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    for one in body:
        yield one
        for name in ("body", "orelse", "finalbody"):
            yield from _walk(getattr(one, name, []))
        for handler in getattr(one, "handlers", []):
            yield from _walk(handler.body)
        for case in getattr(one, "cases", []):
            yield from _walk(case.body)
