"""Lines of text as a terminal shows them: their tone, and how long a line may be."""

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

WIDTH = 100
MOST_CHARACTERS = 400


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a report; tone is plain, good, bad, strong or quiet. The words never need the tone."""

    text: str = ""
    tone: str = "plain"

    def __post_init__(self) -> None:
        """Whatever a line quotes, a terminal shows it and does not obey it."""
        object.__setattr__(self, "text", plain_text(self.text))


def wrapped(text: str, tone: str = "plain", indent: str = "") -> Iterator[Line]:
    """Break a text into lines that fit; a path or a long word stays whole.

    >>> [line.text for line in wrapped("one two", indent="  ")]
    ['  one two']
    """
    room = WIDTH - len(indent)
    for line in textwrap.wrap(text, room, break_long_words=False, break_on_hyphens=False):
        yield Line(indent + line, tone)


def plain_text(text: str, most: int = MOST_CHARACTERS) -> str:
    r"""Make foreign text one visible line: what a terminal would obey instead of show is written out.

    Escape sequences could paint a report of their own over ours, and a line break could begin a line of it.

    >>> plain_text("All pass.\x1b[2J\n")
    'All pass.\\x1b[2J\\n'
    >>> plain_text("too long a text", most=8)
    'too long... (7 more characters)'
    """
    cut = text if len(text) <= most else f"{text[:most]}... ({len(text) - most} more characters)"
    if cut.isprintable():
        return cut
    return "".join(char if char.isprintable() else _written_out(char) for char in cut)


def _written_out(char: str) -> str:
    return char.encode("unicode_escape").decode()
