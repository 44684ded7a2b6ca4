"""The statements of a learner's text: which line to show for a place, and several lines shown as one."""

import ast
from collections.abc import Iterator, Sequence
from functools import lru_cache

from exercises.grader.syntax import parse

LONGEST_TEXT = 90
UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


def shown_line(lines: Sequence[str], number: int, before: int = 0) -> int:
    """Choose the line to show for the one at which a call came back.

    A call that comes back from within a `with` was last at the line of the `with`, which gives its lock back.
    What says more is the `return` before, and without one the head of the function.

    Args:
        lines: The text.
        number: The last line that ran, from 1.
        before: The line whose code stands before that of the return; 0 if it is not known.

    >>> text = ["def f():", "    with lock:", "        x = 1", "        return x"]
    >>> [shown_line(text, 2, 4), shown_line(text[:3], 2, 3), shown_line(text, 4, 3)]
    [4, 1, 4]
    """
    found = _statements(tuple(lines))
    opened = [one for one in found if isinstance(one, ast.With | ast.AsyncWith) and one.lineno == number]
    if not any(_holds(one, before) for one in opened):
        return number
    around = [one for one in found if _holds(one, before)]
    last = next((one for one in reversed(around) if isinstance(one, ast.Return)), None)
    within = [one for one in around if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
    return last.lineno if last else within[-1].lineno if within else number


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
