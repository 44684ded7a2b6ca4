"""Writing SVG: one function that makes one element, escaped."""

from html import escape


def tag(name: str, text: str = "", *, raw: str = "", cls: str = "", **attributes: object) -> str:
    """Return one element.

    Args:
        name: the element's name.
        text: its text, escaped here.
        raw: its children in place of a text, made by this function and so escaped already.
        cls: its class.
        attributes: the rest, values escaped here.

    >>> tag("text", "a < b", cls="small", x=3)
    '<text class="small" x="3">a &lt; b</text>'
    """
    if cls:
        attributes = {"class": cls} | attributes
    written = "".join(f' {key}="{escape(str(value))}"' for key, value in attributes.items())
    return f"<{name}{written}>{raw or escape(text)}</{name}>"
