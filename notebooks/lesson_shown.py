"""Something to look at: as a page where pages are shown, as plain text everywhere else."""

from collections.abc import Iterable

from jobqueue.simulation.svg import tag

_EDGES = {None: "#2456c7", True: "#1a7f4b", False: "#a15c00"}


class Shown:
    """What a notebook shows in a cell's output: `html` on a page, `text` in a terminal."""

    def __init__(self, html: str, text: str) -> None:
        self.html = html
        self.text = text

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.html


def card(parts: Iterable[str], *, right: bool | None = None) -> str:
    """Return elements in a frame, whose edge is green for right, amber for wrong, blue for open."""
    style = f"border:1px solid #a9a597;border-left:6px solid {_EDGES[right]};border-radius:8px;"
    return tag("div", raw="".join(parts), style=f"{style}padding:8px 14px;margin:6px 0;max-width:56em")
