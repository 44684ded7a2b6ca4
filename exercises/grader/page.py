"""Lines of text as a terminal shows them: their tone, and how long a line may be."""

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from exercises.grader.plain_text import plain_text

WIDTH = 100


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
