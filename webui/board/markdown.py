"""Texts written in Markdown, as pages show them: tasks and lessons. What looks like HTML in them stays text."""

from collections.abc import Callable, Iterator
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup

Place = Callable[[str], str | None]
"""Where a link of a text leads on the site; None where it leads nowhere, and only its words are shown."""

HIGHEST_HEADING = 2
"""The first one is the title of the page."""


@cache
def _reader() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table")


def prose(text: str, place: Place) -> Markup:
    """Return a text as HTML, with no heading as high as the title of the page.

    Nothing in it is styled inline, which the pages forbid, and tables can be scrolled with the keyboard.
    """
    tokens = _reader().parse(text)
    for token in _all(tokens):
        _fit(token, place)
    return Markup(_reader().renderer.render(tokens, _reader().options, {}))  # noqa: S704 - html is off: all is escaped


def _all(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _all(token.children or [])


def _fit(token: Token, place: Place) -> None:
    token.attrs.pop("style", None)
    if token.type in {"heading_open", "heading_close"}:
        token.tag = f"h{max(int(token.tag[1:]), HIGHEST_HEADING)}"
    elif token.type == "table_open":
        token.attrs |= {"tabindex": "0"}
    elif token.type == "link_open":
        found = place(str(token.attrs.get("href", "")))
        token.attrs = {} if found is None else {"href": found}
