"""Bars: how much of something there was in each second or for each job, in rows that share one scale."""

from collections.abc import Callable, Mapping, Sequence
from itertools import accumulate

from lesson_shown import Shown

from jobqueue.simulation.svg import tag

_WIDTH, _LEFT, _RIGHT = 920, 168, 24
_TOP, _ROW, _TALLEST, _FOOT = 34, 92, 60, 40
_FEW = 12
"""Up to so many bars each bears its number; beyond that only the tallest of a row does."""
_ROOM_OF_A_LABEL = 44

_STYLE = """
.ch-back{fill:#fffefb}.ch-line{stroke:#a9a597}.ch-bar{fill:#e4ebfb;stroke:#2456c7}
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
    names = list(rows)
    tallest = max((number for row in rows.values() for number in row), default=0)
    height = _TOP + _ROW * len(names) + _FOOT
    floors = accumulate(names, lambda floor, _: floor + _ROW, initial=_TOP + _ROW)
    parts = [
        tag("title", _summary(rows, labels, title, axis, words)),
        tag("style", raw=_STYLE),
        tag("rect", cls="ch-back", width=_WIDTH, height=height, rx=8),
        _text(title, 16, 22, "start", "ch-text ch-name"),
    ]
    for name, floor in zip(names, floors, strict=False):
        parts.append(_row(name, rows[name], labels, floor, max(1, tallest), words))
    parts += [_labels(labels, height - _FOOT + 16), _text(axis, _WIDTH - _RIGHT, height - 8, "end")]
    svg = tag("svg", raw="".join(parts), role="img", viewBox=f"0 0 {_WIDTH} {height}", width="100%")
    return Shown(svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1), _listing(rows, title, words))


def _row(
    name: str, row: Sequence[int], labels: Sequence[object], floor: int, tallest: int, words: Callable[[int], str]
) -> str:
    room = _room(labels)
    parts = [
        _text(name, 16, floor - 4, "start", "ch-text ch-name"),
        tag("line", cls="ch-line", x1=_LEFT, x2=_WIDTH - _RIGHT, y1=floor, y2=floor),
    ]
    for place, (number, label) in enumerate(zip(row, labels, strict=True)):
        x, high = _LEFT + room * place, _TALLEST * number / tallest
        what = tag("title", f"{name}, {label}: {words(number)}")
        box = {"x": f"{x + room * 0.1:.1f}", "y": f"{floor - high:.1f}", "width": f"{room * 0.8:.1f}"}
        parts.append(tag("rect", raw=what, cls="ch-bar", **box, height=f"{high:.1f}") if number else "")
        if number and (len(row) <= _FEW or place == row.index(max(row))):
            parts.append(_text(words(number), x + room / 2, floor - high - 5, "middle"))
    return tag("g", raw="".join(parts))


def _labels(labels: Sequence[object], y: float) -> str:
    """Write the labels below the bars, as many as there is room for."""
    room = _room(labels)
    step = max(1, -(-_ROOM_OF_A_LABEL // max(1, int(room))))
    chosen = list(enumerate(labels))[::step]
    return "".join(_text(str(label), _LEFT + room * (place + 0.5), y, "middle") for place, label in chosen)


def _room(labels: Sequence[object]) -> float:
    return (_WIDTH - _LEFT - _RIGHT) / max(1, len(labels))


def _text(words: str, x: float, y: float, anchor: str, cls: str = "ch-text") -> str:
    return tag("text", words, cls=cls, x=f"{x:.1f}", y=f"{y:.1f}", **{"text-anchor": anchor})


def _summary(
    rows: Mapping[str, Sequence[int]],
    labels: Sequence[object],
    title: str,
    axis: str,
    words: Callable[[int], str],
) -> str:
    """Say in one sentence where each row is highest, for those who listen."""
    highest = (
        f"{name} is highest at {labels[row.index(max(row))]}{axis and f' ({axis})'}, with {words(max(row))}"
        for name, row in rows.items()
        if any(row)
    )
    return f"{title}: {'; '.join(highest) or 'nothing at all'}"


def _listing(rows: Mapping[str, Sequence[int]], title: str, words: Callable[[int], str]) -> str:
    """Return the numbers as text, one line for each row."""
    width = max((len(name) for name in rows), default=0)
    return "\n".join(
        [title, *(f"{name:<{width}}  {' '.join(map(words, row))}".rstrip() for name, row in rows.items())]
    )
