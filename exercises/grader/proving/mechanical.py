"""Makes small wrong changes to a right answer, by rule.

The misconceptions in mutants.toml are what an author thought of. These show what the author did not think of:
a change that no check notices is a promise that no check keeps.
"""

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from exercises.grader.judging.syntax import parse

NEIGHBOURS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
}

Change = Callable[[], None]


@dataclass(frozen=True, slots=True)
class Mechanical:
    """One change. `change` names it: where it is, the statement's first line before, and after."""

    change: str
    text: str


def mechanical_mutants(source: str) -> list[Mechanical]:
    r"""Make all changes, one text for each, in the order of the source.

    >>> [one.change for one in mechanical_mutants("def late(now, end):\n    return now >= end")]
    ['late: return now >= end -> return now > end', 'late: return now >= end -> return end >= now']
    """
    tree = parse(source)
    above = _parents(tree)
    found = []
    for place, node in enumerate(ast.walk(tree)):
        for number in range(len(list(_changes(node, above)))):
            changed = copy.deepcopy(tree)
            parents = _parents(changed)
            target = _node(changed, place)
            statement, where = _statement(target, parents), _where(target, parents)
            before = _first_line(statement)
            breaks = _breaks(statement)
            list(_changes(target, parents))[number]()
            after = "break" if _breaks(statement) > breaks else _first_line(statement)
            if after == before:
                after = "dropped"
            found.append((getattr(statement, "lineno", 0), f"{where}: {before} -> {after}", changed))
    found.sort(key=lambda one: one[0])
    return [Mechanical(change, ast.unparse(changed) + "\n") for _, change, changed in found]


def _changes(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> Iterator[Change]:
    """Everything that may be done to this node; each is done in place when called."""
    match node:
        case (
            ast.Expr(value=ast.Call())
            | ast.Assign(targets=[ast.Attribute()])
            | ast.AugAssign(target=ast.Attribute())
        ):
            yield lambda: _drop(node, parents[node])
        case ast.With():
            yield lambda: _unwrap(node, parents[node])
        case ast.Compare(ops=[op]) if type(op) in NEIGHBOURS:
            yield lambda: setattr(node, "ops", [NEIGHBOURS[type(op)]()])
            yield lambda: _swap(node)
        case ast.For() | ast.While():
            yield lambda: node.body.append(ast.Break())
        case ast.BoolOp():
            yield from (_negation(node.values, place) for place in range(len(node.values)))
        case ast.comprehension():
            yield from (_negation(node.ifs, place) for place in range(len(node.ifs)))
        case ast.IfExp():
            yield lambda: setattr(node, "test", _not(node.test))
        case ast.If():
            yield lambda: setattr(node, "test", _not(node.test))
            if any(isinstance(one, ast.For | ast.While) for one in _above(node, parents)):
                yield lambda: node.body.append(ast.Break())
        case ast.Constant(value=int(number)) if not isinstance(number, bool):
            yield lambda: setattr(node, "value", number + 1)


def _drop(step: ast.stmt, parent: ast.AST) -> None:
    for _, steps in ast.iter_fields(parent):
        if isinstance(steps, list) and step in steps:
            steps[steps.index(step)] = ast.Pass()


def _unwrap(block: ast.With, parent: ast.AST) -> None:
    """Do without what a `with` holds, mostly a lock."""
    for _, steps in ast.iter_fields(parent):
        if isinstance(steps, list) and block in steps:
            place = steps.index(block)
            steps[place : place + 1] = block.body


def _swap(node: ast.Compare) -> None:
    node.left, node.comparators = node.comparators[0], [node.left]


def _negation(conditions: list[ast.expr], place: int) -> Change:
    def negate() -> None:
        conditions[place] = _not(conditions[place])

    return negate


def _not(condition: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.Not(), condition)


def _parents(tree: ast.AST) -> dict[ast.AST, ast.AST]:
    return {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}


def _above(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> Iterator[ast.AST]:
    """What the node is in, innermost first, up to its function."""
    while (node := parents[node]) in parents and not isinstance(node, ast.FunctionDef):
        yield node


def _node(tree: ast.AST, place: int) -> ast.AST:
    return list(ast.walk(tree))[place]


def _statement(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> ast.AST:
    while not isinstance(node, ast.stmt):
        node = parents[node]
    return node


def _where(node: ast.AST, parents: dict[ast.AST, ast.AST]) -> str:
    names = []
    while node in parents:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names.append(node.name)
        node = parents[node]
    return ".".join(reversed(names)) or "module"


def _first_line(statement: ast.AST) -> str:
    return ast.unparse(statement).partition("\n")[0]


def _breaks(statement: ast.AST) -> int:
    return sum(isinstance(one, ast.Break) for one in ast.walk(statement))
