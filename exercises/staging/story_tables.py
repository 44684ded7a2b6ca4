"""Stories that are only data: read from an exercise's checks.toml, and told step by step to a driver.

    [2.leased_once]
    needs = ["happy_path"]
    promise = "A leased job is handed to nobody else while its lease runs."
    about = "While A works, B gets nothing, also in the last millisecond."
    story = '''
    submit -> J1; poll A 10_000 -> J1; poll B 10_000 -> None
    9_999: poll B 10_000 -> None
    '''

A table's name is the task and the check. A step is a method of the driver, its arguments, and what must come
back; `9_999:` lets time pass first. A check without a story is a function of this name in checks.py.
"""

import shlex
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from exercises.grader import Case, Check, check
from exercises.grader.judging.catalogue import TABLE

CONSTANTS = {"None": None, "True": True, "False": False}
Make = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Step:
    """One call of a driver's method. What must come back is named `gives`, or after the field that has it."""

    method: str
    args: tuple[Any, ...]
    named: dict[str, Any]


def checks(folder: Path, make: Make, **code: Callable[[Case], None]) -> tuple[Check, ...]:
    """Read an exercise's checks, in the order of the table.

    Args:
        folder: The exercise's.
        make: Makes the driver of a story; a step `begin` gives it arguments, and begins anew.
        **code: The stories that are functions.
    """
    tasks = tomllib.loads((folder / TABLE).read_text(encoding="utf-8"))
    return tuple(
        _check(int(task), name, told, make, code)
        for task, names in tasks.items()
        for name, told in names.items()
    )


def _check(
    task: int, name: str, told: dict[str, Any], make: Make, code: dict[str, Callable[[Case], None]]
) -> Check:
    if "story" in told:
        steps = list(steps_of(told["story"]))

        def story(case: Case) -> None:
            take(partial(make, case), steps)
    else:
        story = partial(code[name])  # of its own, so that its name and words can be the table's
    story.__name__, story.__doc__ = name, told["about"]
    more = {"points": told.get("points", 1), "needs": tuple(told.get("needs", ()))}
    return check(task=task, promise=told["promise"], hidden=told.get("hidden", ""), **more)(story)


def take(make: Make, steps: Iterable[Step]) -> Any:
    """Take one step after the other; return the driver."""
    driver = None
    for step in steps:
        if step.method == "begin":
            driver = make(*step.args, **step.named)
        else:
            driver = driver or make()
            getattr(driver, step.method)(*step.args, **step.named)
    return driver


def steps_of(story: str) -> Iterator[Step]:
    r"""Read the steps of a story.

    >>> for step in steps_of('9_999: poll A 10_000 -> J1 attempt=2\nfail A "disk full"; dead ->'): print(step)
    Step(method='at', args=(9999,), named={})
    Step(method='poll', args=('A', 10000), named={'gives': 'J1', 'attempt': 2})
    Step(method='fail', args=('A', 'disk full'), named={})
    Step(method='dead', args=(), named={'gives': ()})
    """
    for line in story.strip().splitlines():
        instant, colon, rest = line.strip().partition(": ")
        if colon and instant.replace("_", "").lstrip("-").isdigit():
            yield Step("at", (int(instant),), {})
            line = rest  # noqa: PLW2901
        words: list[str] = []
        for word in _words(line):
            if word == ";":
                yield _step(words)
                words = []
            else:
                words.append(word)


def _words(line: str) -> list[str]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=";")
    lexer.whitespace_split, lexer.commenters = True, ""
    return [*lexer, ";"]


def _step(words: list[str]) -> Step:
    method, *words = words
    given, wanted = (
        (words[: words.index("->")], words[words.index("->") + 1 :]) if "->" in words else (words, [])
    )
    pairs = [word.partition("=") for word in given + wanted]
    named = {name: value_of(value) for name, equals, value in pairs if equals}
    args = tuple(value_of(word) for word in given if "=" not in word)
    gives = tuple(value_of(word) for word in wanted if "=" not in word)
    if "->" in words and (gives or not wanted):
        named = {"gives": gives[0] if len(gives) == 1 else gives, **named}
    return Step(method, args, named)


def value_of(word: str) -> Any:
    """Read a value: a constant, a whole number, or text."""
    if word in CONSTANTS:
        return CONSTANTS[word]
    return int(word) if word.replace("_", "").lstrip("-").isdigit() else word
