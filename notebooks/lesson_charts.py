"""Bars: how much of something there was in each second or for each job, in rows that share one scale."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from lesson_shown import Shown

from jobqueue.simulation.svg import tag

_WIDTH, _LEFT, _RIGHT = 920, 168, 24
_TOP, _ROW, _TALLEST, _FOOT = 34, 92, 60, 40
_FEW = 12
"""Up to so many bars each bears its number; beyond that only the tallest of a row does."""
_ROOM_OF_A_LABEL = 44

_STYLE = """
.ch-back{fill:#fffefb}.ch-line{stroke:#a9a597}.ch-bar{fill:#c3d2f5;stroke:#2456c7}
.ch-text{font:12px ui-monospace,"DejaVu Sans Mono",monospace;fill:#5b6068}.ch-name{font-weight:700;fill:#1f2328}
"""


def bars(
    rows: Mapping[str, Sequence[int]],
    labels: Sequence[object],
    *,
    title: str,
    axis: str = "",
    words: Callable[[int], str] = str,
) -> Shown:
    """Draw one row of bars for each name, all to the same scale, and say the same in words.

    Args:
        rows: the numbers by the name of their row; each row has one for each label, none below 0.
        labels: what each bar stands for, such as the second.
        title: what is counted.
        axis: what the labels are, below the last row.
        words: how a number is written, such as `lesson.seconds` for durations.
    """
    if any(len(row) != len(labels) for row in rows.values()):
        raise ValueError(f"bars: each row needs {len(labels)} numbers, one for each label")
    chart = _Chart(rows, labels, title, axis, words)
    return Shown(chart.svg(), chart.listing())


@dataclass(frozen=True, slots=True)
class _Chart:
    """Draws the bars that `bars` was asked for."""

    rows: Mapping[str, Sequence[int]]
    labels: Sequence[object]
    title: str
    axis: str
    words: Callable[[int], str]

    def svg(self) -> str:
        """Return the picture. It brings its own style sheet, as it stands alone."""
        height = _TOP + _ROW * len(self.rows) + _FOOT
        parts = [
            tag("title", self.summary()),
            tag("style", raw=_STYLE),
            tag("rect", cls="ch-back", width=_WIDTH, height=height, rx=8),
            _text(self.title, 16, 22, "start", "ch-text ch-name"),
            *(self._row(name, _TOP + _ROW * (place + 1)) for place, name in enumerate(self.rows)),
            *self._below(height - _FOOT + 16),
            _text(self.axis, _WIDTH - _RIGHT, height - 8, "end"),
        ]
        box = {"viewBox": f"0 0 {_WIDTH} {height}", "width": "100%"}
        return tag("svg", raw="".join(parts), xmlns="http://www.w3.org/2000/svg", role="img", **box)

    def summary(self) -> str:
        """Say in one sentence where each row is highest, for those who listen."""
        axis = f" ({self.axis})" if self.axis else ""
        highest = (
            f"{name} is highest at {self.labels[row.index(max(row))]}{axis}, with {self.words(max(row))}"
            for name, row in self.rows.items()
            if any(row)
        )
        return f"{self.title}: {'; '.join(highest) or 'nothing at all'}"

    def listing(self) -> str:
        """Return the numbers as text, one line for each row."""
        width = max(map(len, self.rows), default=0)
        lines = (f"{name:<{width}}  {' '.join(map(self.words, row))}" for name, row in self.rows.items())
        return "\n".join([self.title, *map(str.rstrip, lines)])

    def _row(self, name: str, floor: int) -> str:
        row = self.rows[name]
        line = tag("line", cls="ch-line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=floor, y2=floor)
        parts = [_text(name, 16, floor - 4, "start", "ch-text ch-name"), line]
        for place, number in enumerate(row):
            if number:
                parts.append(self._bar(name, place, floor))
            if number and (len(row) <= _FEW or place == row.index(max(row))):
                above = floor - self._high(number) - 5
                parts.append(_text(self.words(number), self._middle(place), above, "middle"))
        return tag("g", raw="".join(parts))

    def _bar(self, name: str, place: int, floor: int) -> str:
        number = self.rows[name][place]
        high, wide = self._high(number), 0.8 * self._room()
        what = tag("title", f"{name}, {self.labels[place]}: {self.words(number)}")
        shape = {"x": self._middle(place) - wide / 2, "y": floor - high, "width": wide, "height": high}
        return tag("rect", raw=what, cls="ch-bar", **{side: f"{size:.1f}" for side, size in shape.items()})

    def _below(self, y: float) -> list[str]:
        """Write the labels below the bars, as many as there is room for."""
        step = max(1, -(-_ROOM_OF_A_LABEL // max(1, int(self._room()))))
        chosen = range(0, len(self.labels), step)
        return [_text(str(self.labels[place]), self._middle(place), y, "middle") for place in chosen]

    def _high(self, number: int) -> float:
        return _TALLEST * number / max(max(row) for row in self.rows.values() if row)

    def _middle(self, place: int) -> float:
        return _LEFT + self._room() * (place + 0.5)

    def _room(self) -> float:
        return (_WIDTH - _LEFT - _RIGHT) / max(1, len(self.labels))


def _text(words: str, x: float, y: float, anchor: str, cls: str = "ch-text") -> str:
    return tag("text", words, cls=cls, x=f"{x:.1f}", y=f"{y:.1f}", **{"text-anchor": anchor})
