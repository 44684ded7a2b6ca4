"""Bars: a share beside the promised one, an age beside others; for the board and the notebooks."""

from dataclasses import dataclass

from jobqueue.simulation.svg import tag

_WIDTH, _ROW, _BAR, _LEFT, _RIGHT = 440, 30, 14, 76, 144

STYLE = """
.ch-back{fill:#fffefb}.ch-rail{fill:#efede6}.ch-bar{fill:#2456c7}.ch-promise{stroke:#1f2328;stroke-width:2}
.ch-bar.band-H{fill:#b3261e}.ch-bar.band-N{fill:#2456c7}.ch-bar.band-L{fill:#17693f}
.tl-text{font:12px ui-monospace,"DejaVu Sans Mono",monospace;fill:#5b6068}.tl-name{font-weight:700;fill:#1f2328}
"""
"""The style sheet of a chart that stands alone."""


@dataclass(frozen=True, slots=True)
class Row:
    """One bar: how much it is, in words too, and where a mark says how much was promised."""

    label: str
    value: float
    words: str
    promised: float | None = None
    look: str = ""


class BarChart:
    """Horizontal bars on one scale.

    Args:
        title: what is shown.
        rows: the bars, top to bottom.
        most: the value of a full bar; by default the largest value there is.
        standalone: bring a style sheet and a background along, for a file.
    """

    def __init__(
        self, title: str, rows: list[Row], most: float | None = None, *, standalone: bool = False
    ) -> None:
        self._title = title
        self._standalone = standalone
        self._rows = rows
        largest = max((max(row.value, row.promised or 0) for row in rows), default=0)
        self._most = most or largest or 1

    def svg(self) -> str:
        """Return the picture."""
        height = _ROW * max(1, len(self._rows))
        parts = [tag("title", self.summary())]
        if self._standalone:
            parts += [
                tag("style", raw=STYLE),
                tag("rect", cls="ch-back", width=_WIDTH, height=height),
            ]
        parts += [self._row(row, place) for place, row in enumerate(self._rows)]
        view_box = f"0 0 {_WIDTH} {height}"
        return tag("svg", raw="".join(parts), xmlns="http://www.w3.org/2000/svg", viewBox=view_box, role="img")

    def summary(self) -> str:
        """Return what the picture shows, in words."""
        return f"{self._title}: " + (
            "; ".join(f"{row.label} {row.words}" for row in self._rows) or "nothing yet"
        )

    def _row(self, row: Row, place: int) -> str:
        y = _ROW * place + (_ROW - _BAR) // 2
        label = row.label if len(row.label) <= 9 else row.label[:8] + "…"  # noqa: PLR2004 - what the margin holds
        parts = [tag("title", f"{row.label} {row.words}")]
        parts.append(tag("text", label, cls="tl-text tl-name", x=0, y=y + _BAR - 3))
        parts.append(tag("rect", cls="ch-rail", x=_LEFT, y=y, width=_WIDTH - _LEFT - _RIGHT, height=_BAR, rx=4))
        width = self._x(row.value) - _LEFT
        if width > 0:
            parts.append(
                tag("rect", cls=f"ch-bar {row.look}".strip(), x=_LEFT, y=y, width=width, height=_BAR, rx=4)
            )
        if row.promised is not None:
            x = self._x(row.promised)
            parts.append(tag("line", cls="ch-promise", x1=x, x2=x, y1=y - 4, y2=y + _BAR + 4))
        parts.append(tag("text", row.words, cls="tl-text", x=_WIDTH - _RIGHT + 8, y=y + _BAR - 3))
        return tag("g", raw="".join(parts))

    def _x(self, value: float) -> float:
        return round(_LEFT + (_WIDTH - _LEFT - _RIGHT) * min(1.0, value / self._most), 1)
