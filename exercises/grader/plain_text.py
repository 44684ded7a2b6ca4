"""The one filter for foreign text on its way to a terminal: what an answer prints, raises or is called.

Escape sequences could paint a report of their own over ours, and a line break could begin a line of it.
"""

MOST_CHARACTERS = 400


def plain_text(text: str, most: int = MOST_CHARACTERS) -> str:
    r"""Make a text one visible line: what a terminal would obey instead of show is written out.

    >>> plain_text("All pass.\x1b[2J\n")
    'All pass.\\x1b[2J\\n'
    >>> plain_text("too long a text", most=8)
    'too long ... (7 more characters)'
    """
    cut = text if len(text) <= most else f"{text[:most]}... ({len(text) - most} more characters)"
    if cut.isprintable():
        return cut
    return "".join(char if char.isprintable() else _written_out(char) for char in cut)


def _written_out(char: str) -> str:
    return char.encode("unicode_escape").decode()
