"""Prints everything that the command prints, with each control character written out instead of obeyed.

Names, errors and paths are foreign text. An escape sequence in one could repaint the screen, and a line break
could begin a line that looks like ours. No other module prints.
"""

import logging
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import click

from exercises.grader.explaining.page import Line, plain_text

TONES: dict[str, dict[str, Any]] = {
    "good": {"fg": "green"},
    "bad": {"fg": "red"},
    "strong": {"bold": True},
    "quiet": {"dim": True},
}
LONGEST_ERROR = 2000


def say(text: str = "") -> None:
    """Print one line, however many the text would make."""
    _print(plain_text(text, len(text)))


def say_lines(text: str) -> None:
    """Print a text of ours that has several lines."""
    _print(_plain_lines(text))


def show(lines: Iterable[Line]) -> None:
    """Print lines, coloured only where somebody can see it."""
    for line in lines:
        _print(click.style(line.text, **TONES.get(line.tone, {})))


def beside(words: str) -> None:
    """Print one line beside the output: a machine or a file that takes the output in is not disturbed."""
    click.echo(plain_text(words), err=True)


def say_if_open(text: str) -> None:
    """Print one line of a program that goes on working when nobody reads its output any more."""
    try:
        say(text)
    except (OSError, ValueError):  # the reader has closed the pipe, or the file is closed
        with suppress(OSError, ValueError):  # else Python complains at its end about what it could not write
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _print(text: str) -> None:
    """Print a text that is plain already, also to a terminal or file that knows few characters."""
    color = False if os.environ.get("NO_COLOR") else None
    try:
        click.echo(text, color=color)
    except UnicodeEncodeError:
        click.echo(text.encode("ascii", "backslashreplace").decode(), color=color)


def _plain_lines(text: str) -> str:
    return "\n".join(plain_text(line, len(line)) for line in text.removesuffix("\n").split("\n"))


class PlainGroup(click.Group):
    """The command whose errors, and its subcommands', are shown as one plain line; so is what is logged."""

    def make_context(self, *args: Any, **more: Any) -> click.Context:
        """Read the arguments."""
        if logging.lastResort is not None:
            logging.lastResort.setFormatter(_PlainFormatter())
        with _plain_errors():
            return super().make_context(*args, **more)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with _plain_errors():
            return super().invoke(ctx)


@contextmanager
def _plain_errors() -> Iterator[None]:
    try:
        yield
    except click.ClickException as error:
        vars(error)["message"] = plain_text(
            error.message, LONGEST_ERROR
        )  # what click shows, final for its type
        raise


class _PlainFormatter(logging.Formatter):
    """Formats what is logged, a traceback too, which quotes the words of errors."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as plain lines; each but the first is indented, so that none looks like ours."""
        return _plain_lines(super().format(record)).replace("\n", "\n  ")


def examples(*lines: str, note: str = "") -> str:
    r"""Write the end of a command's help: examples that stay as they are, then a note.

    >>> examples("jobkit check ex03")
    '\x08\nExamples:\n  jobkit check ex03'
    """
    return "\n\n".join(filter(None, ["\n".join(["\b", "Examples:", *_indented(lines)]), note]))


def _indented(lines: Sequence[str]) -> list[str]:
    return [f"  {line}" for line in lines]
