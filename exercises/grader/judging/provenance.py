"""Decides from an answer's text alone whether it is the learner's own work; the answer doesn't run.

It finds what is written plainly: an import that does the task's work, and the kit's own answer copied, also
with other names and comments. Whoever wants to get around it can. It is no sandbox and no search for
plagiarism; it keeps learners from fooling themselves.
"""

import ast
from collections.abc import Iterator

from exercises.grader.judging.catalogue import Exercise
from exercises.grader.judging.records import SourceLine
from exercises.grader.judging.syntax import lines_of, parse

LIBRARY = "jobqueue"
KIT = "exercises"
LOADERS = {"__import__", "import_module", "find_spec", "run_module"}
UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


def objection(exercise: Exercise, source: str, *, copies: bool = True) -> tuple[str, SourceLine | None] | None:
    """Say in one line why this text is not the learner's own work; None if nothing speaks against it.

    Args:
        exercise: The exercise that it is an answer to.
        source: The answer's text. One that Python cannot read is none of our business.
        copies: Whether the kit's own right answers count as copied; not when the kit checks itself.
    """
    tree = _tree(source)
    if tree is None:
        return None
    allowed = _from_library(exercise.text("starter.py"))
    for line, module, name in _imports(tree):
        words = _words(module, name, allowed)
        if words:
            text = lines_of(source)[line - 1].strip() if line <= len(lines_of(source)) else ""
            return words, SourceLine(line, "", text)
    if copies and _is_the_kits_own(exercise, tree):
        return "This is the kit's own solution, perhaps with other names. Write your own; the hints help.", None
    return None


def _words(module: str, name: str, allowed: set[str]) -> str:
    top = module.partition(".")[0]
    if top == KIT:
        return "The answer opens the exercise's own files. Write your own; the hints help."
    if top == LIBRARY and (module != LIBRARY or name not in allowed):
        only = f"only {', '.join(sorted(allowed))}" if allowed else "nothing"
        return f"Build it yourself: {only} may be imported from {LIBRARY}."
    return ""


def _imports(tree: ast.AST) -> Iterator[tuple[int, str, str]]:
    """Every import, wherever it stands: line, module, and the name taken from it if there is one."""
    for node in ast.walk(tree):
        match node:
            case ast.Import():
                yield from ((node.lineno, alias.name, "") for alias in node.names)
            case ast.ImportFrom(level=0, module=str(module)):
                yield from ((node.lineno, module, alias.name) for alias in node.names)
            case ast.Call(
                func=ast.Name(id=called) | ast.Attribute(attr=called), args=[ast.Constant(str(module)), *_]
            ):
                of_ours = module.partition(".")[0] in {LIBRARY, KIT}
                if called in LOADERS or (called in {"get", "pop"} and of_ours):
                    yield node.lineno, module, ""
            case ast.Subscript(slice=ast.Constant(str(module))) if module.partition(".")[0] in {LIBRARY, KIT}:
                yield node.lineno, module, ""  # out of sys.modules


def _from_library(starter: str) -> set[str]:
    return {name for _, module, name in _imports(parse(starter)) if module == LIBRARY}


def _is_the_kits_own(exercise: Exercise, tree: ast.Module) -> bool:
    shape = normalised(tree)
    own = [exercise.folder / "solution.py", *exercise.alternatives()]
    return shape is not None and any(
        shape == normalised(parse(path.read_text(encoding="utf-8"))) for path in own
    )


def _tree(source: str) -> ast.Module | None:
    try:
        return parse(source)
    except UNREADABLE:
        return None


def normalised(tree: ast.Module) -> str | None:
    r"""The form of a text without comments, docstrings, types and layout; names are numbers.

    >>> one = normalised(parse("def f(x: int) -> int:\n    return x + 1"))
    >>> one == normalised(parse("def g(n):  # better\n    'Add one.'\n    return n + 1"))
    True
    >>> one == normalised(parse("def g(n):\n    return n + 2"))
    False
    """
    try:
        return ast.dump(_Normaliser().visit(tree))
    except UNREADABLE:  # nested deeper than any sane text
        return None


class _Normaliser(ast.NodeTransformer):
    """Numbers the names, drops what only people read."""

    def __init__(self) -> None:
        self._numbers: dict[str, str] = {}

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for field in ("name", "id", "arg", "attr"):
            value = getattr(node, field, None)
            if isinstance(value, str):
                setattr(node, field, self._numbers.setdefault(value, f"n{len(self._numbers)}"))
        for field in ("annotation", "returns"):
            if getattr(node, field, None) is not None:
                setattr(node, field, ast.Constant(None) if isinstance(node, ast.AnnAssign) else None)
        body = getattr(node, "body", None)
        if isinstance(body, list):
            setattr(node, "body", [step for step in body if not _is_text(step)])  # noqa: B010  not every node has one
        return super().generic_visit(node)


def _is_text(step: ast.AST) -> bool:
    return isinstance(step, ast.Expr) and isinstance(step.value, ast.Constant)
