"""Reads Python text as a tree, one thread at a time.

CPython 3.11 keeps one depth of recursion for all threads that build a tree, and a collection of garbage
can change threads half-way: one of them then ends with a SystemError (python/cpython issue 106905). The grader
checks several answers at once, each in a thread that waits for its own process.
"""

import ast
import re
import threading
import warnings

_turn = threading.Lock()
_LINE_END = re.compile(r"\r\n|\r|\n")


def parse(source: str) -> ast.Module:
    """Read a text. What Python would warn of is not ours to tell: the answer's own process does.

    Raises:
        SyntaxError: It is no Python.
        ValueError: It has a null character.
        RecursionError, MemoryError: It is nested too deeply.
    """
    with _turn, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source)


def lines_of(source: str) -> list[str]:
    r"""Split a text into lines as Python counts them: a form feed or a foreign line separator ends none.

    >>> lines_of("a\u2028b\r\nc\x0c\n")
    ['a\u2028b', 'c\x0c']
    """
    lines = _LINE_END.split(source)
    return lines if lines[-1] else lines[:-1]
