"""Reads Python text as a tree, one thread at a time.

CPython 3.11 keeps one depth of recursion for all threads that build a tree, and a collection of garbage
can change threads half-way: one of them then ends with a SystemError (python/cpython issue 106905). The grader
checks several answers at once, each in a thread that waits for its own process.
"""

import ast
import threading
import warnings

_turn = threading.Lock()


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
