"""The timeline as an SVG picture: workers as lanes, leases as bars. The board and the notebooks show this one.

Looks are classes, never inline styles, which a strict content security policy forbids; a picture that stands
alone brings its own style sheet.
"""

from typing import Any

from jobqueue.simulation.svg import tag
from jobqueue.simulation.timeline import Bar, Mark, Rest, Timeline
from jobqueue.simulation.units import seconds

WIDTH = 920
_MARKED = {"refused": "is refused", "believed": "is believed", "crashed": "crashes"}
_LEFT, _RIGHT, _TOP, _LANE, _BAR, _FOOT = 64, 24, 34, 50, 26, 30
_SHORTEST_SPAN = 1000
_ANSWERS = ("refused", "believed")
_STEPS = (100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 30_000, 60_000, 120_000, 300_000, 600_000)
_ROOM_OF_A_TICK = 76
_LONGEST_NAME = 28
_LETTER = 7.3
"""The width of one letter of the 12 px monospace font, a little rounded up."""

STYLE = """
.tl-back{fill:#fffefb}.tl-grid{stroke:#dcd8cc}
.tl-text{font:12px ui-monospace,"DejaVu Sans Mono",monospace;fill:#5b6068}
.tl-name{font-weight:700;fill:#1f2328}.tl-on{fill:#1f2328}
.tl-bar{fill:#fbefd9;stroke:#a15c00}.tl-ahead{fill:none;stroke:#a15c00;stroke-dasharray:5 4}
.tl-succeeded{fill:#e0f3e8;stroke:#1a7f4b}.tl-failed,.tl-expired{fill:#fbe5e3;stroke:#b3261e}
.tl-ghost{stroke:#7a4fb5}.tl-hatch{stroke:#7a4fb5;stroke-width:3}
.tl-expiry{stroke:#a15c00;stroke-width:2;stroke-dasharray:4 3}.tl-ends{fill:#a15c00}
.tl-refused,.tl-crashed{stroke:#b3261e;stroke-width:3;fill:none}.tl-alarm{fill:#b3261e}
.tl-now{stroke:#2456c7;stroke-width:2}
.tl-rest{stroke:#7a4fb5;stroke-width:2;stroke-dasharray:2 4}.tl-dead{stroke:#b3261e}
"""
"""The style sheet of a picture that stands alone."""


class TimelinePicture:
    """Draws one timeline.

    Args:
        timeline: what to draw.
        standalone: bring a style sheet and a background along, for a notebook or a file.
        name: makes ids unique where several pictures share a page.
        width: how wide it is drawn; letters keep their size.
    """

    def __init__(
        self, timeline: Timeline, *, standalone: bool = False, name: str = "tl", width: int = WIDTH
    ) -> None:
        self._t = timeline
        self._standalone = standalone
        self._name = name
        self._width = width
        self._span = max(_SHORTEST_SPAN, timeline.end - timeline.begin)
        self._written: list[tuple[float, float, float]] = []  # where words are: height, from, to
        self._left = max(_LEFT, round(16 + max((len(_name(w)) for w in timeline.workers), default=0) * _LETTER))
        self._height = _TOP + _LANE * max(1, len(timeline.workers)) + _FOOT

    def svg(self) -> str:
        """Return the picture."""
        t = self._t
        parts = [tag("title", self.summary()), self._hatching()]
        if self._standalone:
            parts += [
                tag("style", raw=STYLE),
                tag("rect", cls="tl-back", width=self._width, height=self._height),
            ]
        parts += self._axis()
        parts += [self._lane(worker) for worker in t.workers]
        parts += [self._rest(rest) for rest in t.rests]
        parts += [self._bar(bar) for bar in t.bars]
        parts += [self._mark(mark) for mark in t.marks]
        if t.begin <= t.now <= t.begin + self._span:
            x = self._x(t.now)
            parts.append(tag("line", cls="tl-now", x1=x, x2=x, y1=14, y2=self._height - _FOOT + 4))
        view_box = f"0 0 {self._width} {self._height}"
        return tag("svg", raw="".join(parts), xmlns="http://www.w3.org/2000/svg", viewBox=view_box, role="img")

    def _repr_html_(self) -> str:
        """Return the picture for a notebook."""
        return self.svg()

    def summary(self) -> str:
        """Return what the picture shows, in words."""
        bars = "; ".join(_bar_words(bar) for bar in self._t.bars) or "no job was handed out yet"
        answers = [
            f"{m.worker} {_MARKED[m.kind]} at {seconds(m.at)}" for m in self._t.marks if m.kind in _ANSWERS
        ]
        whole = self._t.begin == 0 and self._t.end >= self._t.now
        part = f"until {seconds(self._t.now)}"
        if not whole:
            part = f"from {seconds(self._t.begin)} to {seconds(self._t.end)}"
        return f"Timeline {part}: {'; '.join([bars, *answers])}"

    # -- parts -------------------------------------------------------------------------------------------

    def _x(self, at: int) -> float:
        """Return where an instant is; what lies outside of the window, at its edge."""
        inner = self._width - self._left - _RIGHT
        within = min(max(at, self._t.begin), self._t.begin + self._span)
        return round(self._left + inner * (within - self._t.begin) / self._span, 1)

    def _y(self, worker: str) -> int:
        """Return the top of the bars on a worker's lane."""
        return _TOP + _LANE * self._t.workers.index(worker) + (_LANE - _BAR) // 2

    def _hatching(self) -> str:
        line = tag("line", cls="tl-hatch", x1=0, y1=0, x2=0, y2=6)
        rotate = {"patternUnits": "userSpaceOnUse", "patternTransform": "rotate(45)"}
        pattern = tag("pattern", raw=line, id=f"{self._name}-hatch", width=6, height=6, **rotate)
        return tag("defs", raw=pattern)

    def _axis(self) -> list[str]:
        most = (self._width - self._left) // _ROOM_OF_A_TICK
        step = next((s for s in _STEPS if self._span / s <= most), self._span // most + 1)
        foot, parts = self._height - _FOOT, []
        first = -(-self._t.begin // step) * step  # round instants, wherever the window begins
        for at in range(first, self._t.begin + self._span + 1, step):
            x = self._x(at)
            parts.append(tag("line", cls="tl-grid", x1=x, x2=x, y1=20, y2=foot))
            label = f"{at / 1000:g}" + (" s" if at == first else "")
            parts.append(tag("text", label, cls="tl-text", x=x, y=foot + 18, **{"text-anchor": "middle"}))
        return parts

    def _lane(self, worker: str) -> str:
        name = tag("text", _name(worker), cls="tl-text tl-name", x=8, y=self._y(worker) + 17)
        return tag("g", raw=tag("title", worker) + name)

    def _rest(self, rest: Rest) -> str:
        y = self._y(rest.worker) + _BAR + 6
        cls = "tl-rest tl-dead" if rest.kind == "dead" else "tl-rest"
        words = f"{rest.worker} is {rest.kind} from {seconds(rest.start)} to {seconds(rest.end)}"
        line = tag("title", words)
        return tag("line", raw=line, cls=cls, x1=self._x(rest.start), x2=self._x(rest.end), y1=y, y2=y)

    def _bar(self, bar: Bar) -> str:
        y, start, end = self._y(bar.worker), self._x(bar.start), self._x(bar.end or self._t.now)
        shape: dict[str, Any] = {"y": y, "height": _BAR, "rx": 5}
        parts = [tag("title", _bar_words(bar))]
        room = end - start
        if bar.end is None:
            room = self._x(bar.lease_until) - start
            parts.append(tag("rect", cls="tl-ahead", x=start, width=max(2, round(room, 1)), **shape))
        parts.append(
            tag("rect", cls=f"tl-bar tl-{bar.outcome}", x=start, width=max(2, round(end - start, 1)), **shape)
        )
        if bar.outcome == "expired" and self._t.begin <= bar.lease_until <= self._t.begin + self._span:
            parts.append(self._expiry(end, y, bar.lease_until))
        if bar.ghost_until is not None:
            width = max(2, round(self._x(bar.ghost_until) - end, 1))
            fill = f"url(#{self._name}-hatch)"
            parts.append(tag("rect", cls="tl-ghost", x=end, width=width, fill=fill, **shape))
        parts.append(_label(bar, start + 7, y + 17, room - 10))
        return tag("g", raw="".join(parts))

    def _expiry(self, x: float, y: int, at: int) -> str:
        words = f"lease ends {at / 1000:g}"
        line = tag("line", raw=tag("title", words), cls="tl-expiry", x1=x, x2=x, y1=y - 12, y2=y + _BAR + 6)
        return line + self._words(words, "tl-ends", x, y - 4, rightwards=False)

    def _mark(self, mark: Mark) -> str:
        if mark.kind == "restarted":
            return ""
        x, y = self._x(mark.at), self._y(mark.worker)
        words = f"{mark.worker} {_MARKED[mark.kind]} at {seconds(mark.at)}"
        is_answer = mark.kind != "crashed"
        half, top, high = (7, y - 4, _BAR + 8) if is_answer else (4, y + _BAR + 2, 8)
        shape = f"M{x - half} {top}l{2 * half} {high}m0 {-high}l{-2 * half} {high}"
        if mark.kind == "believed":
            shape = f"M{x - half} {top + high // 2}l{half} {high // 2}l{half} {-high}"
        label = self._words(mark.kind, "tl-alarm", x, y - 4, rightwards=True) if is_answer else ""
        look = "crashed" if mark.kind == "crashed" else "refused"
        path = tag("path", raw=tag("title", words), cls=f"tl-{look}", d=shape)
        return tag("g", raw=path + label)

    def _words(self, text: str, cls: str, x: float, y: int, *, rightwards: bool) -> str:
        """Write beside an instant, on the other side where the edge of the picture is too near."""
        width = len(text) * _LETTER + 10
        if rightwards and x + width > self._width:
            rightwards = False
        elif not rightwards and x - width < 0:
            rightwards = True
        left, right = (x + 9, x + width) if rightwards else (x - width, x - 5)
        if any(high == y and left < until and begin < right for high, begin, until in self._written):
            return ""  # words over words could not be read; the tooltip has them
        self._written.append((y, left, right))
        anchor, shift = ("start", 9) if rightwards else ("end", -5)
        return tag("text", text, cls=f"tl-text {cls}", x=round(x + shift, 1), y=y, **{"text-anchor": anchor})


def _name(worker: str) -> str:
    """Return a name as it fits beside a lane."""
    return worker if len(worker) <= _LONGEST_NAME else worker[: _LONGEST_NAME - 1] + "…"


def _bar_words(bar: Bar) -> str:
    held = (
        f"{bar.worker} holds {bar.job_id} from {seconds(bar.start)}, attempt {bar.attempt}, token {bar.token}"
    )
    if bar.end is None:
        return f"{held}, lease until {seconds(bar.lease_until)}"
    return f"{held}, {bar.outcome} at {seconds(bar.end)}"


def _label(bar: Bar, x: float, y: int, room: float) -> str:
    """Write into a bar as much as it has room for."""
    for words in (f"{bar.job_id} · attempt {bar.attempt} · token {bar.token}", bar.token, bar.job_id):
        if len(words) * _LETTER <= room:
            return tag("text", words, cls="tl-text tl-on", x=x, y=y)
    return ""
