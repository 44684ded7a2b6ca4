"""The state machine of a job as an SVG picture, with the path of one job through it.

The arrows come from `transitions.TRANSITIONS`, every one of them, so the picture cannot forget an arrow that
the queue has. Only where the boxes stand is decided here. Looks are classes, never inline styles.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from math import hypot

from jobqueue.events import EventKind
from jobqueue.model import JobStatus
from jobqueue.simulation.chronicle import Entry, Note
from jobqueue.simulation.svg import tag
from jobqueue.simulation.units import seconds
from jobqueue.transitions import TRANSITIONS, Arrow

WIDTH, HEIGHT = 920, 406
_HALF_WIDTH, _HALF_HEIGHT, _DOT = 74, 29, 8
_LANE, _LANES = 13, 24
"""How far arrows between the same two boxes keep from the middle, and from each other."""
_MOST_TIMES = 2
_STEEP = 0.35
"""From this slope of its side on, a label stands beside its arrow, not above or below it."""
_LABEL_AT = 0.42
"""How far along its arrow a label stands: nearer to where it comes from, so that two that meet have room."""

Point = tuple[float, float]

PLACES: dict[JobStatus | None, Point] = {
    None: (48, 160),
    JobStatus.PENDING: (236, 160),
    JobStatus.RUNNING: (544, 160),
    JobStatus.SUCCEEDED: (826, 160),
    JobStatus.CANCELLED: (236, 360),
    JobStatus.DEAD: (544, 360),
}
"""The middle of each box; None is the dot from which a job comes in."""

VERBS = {
    EventKind.SUBMITTED: "submit",
    EventKind.LEASED: "poll",
    EventKind.RENEWED: "renew",
    EventKind.COMPLETED: "complete",
    EventKind.RETRY_SCHEDULED: "retry",
    EventKind.RELEASED: "release",
    EventKind.DEAD_LETTERED: "bury",
    EventKind.CANCELLED: "cancel",
    EventKind.REDRIVEN: "retry_dead",
}
"""The arrow that each kind of event tells of. A refusal is no arrow: it changed nothing."""

MISS = "miss"
"""The arrow of a dead letter that no worker held."""

_STYLE = """
.sm-back{fill:#fffefb}.sm-text{font:13px ui-monospace,"DejaVu Sans Mono",monospace;fill:#5b6068}
.sm-small{font-size:12px}.sm-arrow{stroke:#a9a597;stroke-width:1.5;fill:none}.sm-head{fill:#a9a597}
.sm-gone .sm-arrow{stroke:#2456c7;stroke-width:3}.sm-gone .sm-head{fill:#2456c7}
.sm-gone .sm-text{fill:#1b439b;font-weight:700}.sm-dot{fill:#1f2328}
.sm-box{fill:#f6f5f1;stroke:#c9c4b5;stroke-width:1.5}.sm-name{font-weight:700}
.sm-been .sm-box{stroke:#2456c7}.sm-been .sm-name,.sm-now .sm-text{fill:#1f2328}
.sm-now .sm-box{stroke-width:3.5}.sm-now.sm-pending .sm-box{fill:#e4ebfb;stroke:#2456c7}
.sm-now.sm-running .sm-box{fill:#fbefd9;stroke:#a15c00}.sm-now.sm-succeeded .sm-box{fill:#e0f3e8;stroke:#1a7f4b}
.sm-now.sm-dead .sm-box{fill:#fbe5e3;stroke:#b3261e}.sm-now.sm-cancelled .sm-box{fill:#eceef1;stroke:#585f6a}
"""


@dataclass(frozen=True, slots=True)
class Step:
    """One arrow that a job went along, and when."""

    verb: str
    at: int


def path_of(entries: Iterable[Entry], job_id: str) -> tuple[Step, ...]:
    """Return the way of one job through the state machine, as the events tell it."""
    path: list[Step] = []
    for entry in entries:
        if isinstance(entry, Note) or entry.job_id != job_id or entry.kind not in VERBS:
            continue
        verb = VERBS[entry.kind]
        if entry.kind is EventKind.DEAD_LETTERED and entry.worker_id is None:
            verb = MISS
        elif entry.kind is EventKind.DEAD_LETTERED and path[-1].verb == "release":
            path.pop()  # given back after its deadline: told in two events, and one arrow
        path.append(Step(verb, entry.at))
    return tuple(path)


class LifeDiagram:
    """Draws the state machine.

    Args:
        path: the way of one job, drawn on top; nothing for the bare machine.
        job_id: whose way it is.
        standalone: bring a style sheet and a background along, for a notebook or a file.
    """

    def __init__(self, path: Iterable[Step] = (), job_id: str = "", *, standalone: bool = False) -> None:
        self._path = tuple(path)
        self._job_id = job_id
        self._standalone = standalone
        self._been = {TRANSITIONS[step.verb].target for step in self._path}
        self._status = TRANSITIONS[self._path[-1].verb].target if self._path else None

    def svg(self) -> str:
        """Return the picture."""
        parts = [tag("title", self.summary())]
        if self._standalone:
            parts += [
                tag("style", raw=_STYLE),
                tag("rect", cls="sm-back", width=WIDTH, height=HEIGHT, rx=8),
            ]
        # What was gone along is drawn last, so that no grey arrow lies over it.
        parts += sorted(self._arrows(), key=lambda drawn: "sm-gone" in drawn)
        x, y = PLACES[None]
        parts.append(tag("circle", cls="sm-dot", cx=x, cy=y, r=_DOT))
        parts += [self._state(status) for status in JobStatus]
        view_box = f"0 0 {WIDTH} {HEIGHT}"
        return tag("svg", raw="".join(parts), xmlns="http://www.w3.org/2000/svg", viewBox=view_box, role="img")

    def _repr_html_(self) -> str:
        """Return the picture for a notebook."""
        return self.svg()

    def summary(self) -> str:
        """Return what the picture shows, in words."""
        if not self._path:
            return "State machine of a job: " + "; ".join(_arrow_words(verb) for verb in TRANSITIONS)
        steps = "; ".join(f"{seconds(s.at)} {s.verb}, {TRANSITIONS[s.verb].target}" for s in self._path)
        return f"The way of {self._job_id} through its states: {steps}"

    # -- parts -------------------------------------------------------------------------------------------

    def _state(self, status: JobStatus) -> str:
        (x, y), is_now = PLACES[status], status is self._status
        looks = ["sm-state", f"sm-{status.lower()}"]
        looks += ["sm-been"] * (status in self._been) + ["sm-now"] * is_now
        box = tag(
            "rect",
            cls="sm-box",
            x=x - _HALF_WIDTH,
            y=y - _HALF_HEIGHT,
            width=2 * _HALF_WIDTH,
            height=2 * _HALF_HEIGHT,
            rx=9,
        )
        words = [_text(status, x, y - 2 if is_now else y + 5, "middle", "sm-name")]
        if is_now:
            words.append(_text(f"{self._job_id} is here", x, y + 16, "middle", "sm-small"))
        return tag("g", raw=box + "".join(words), cls=" ".join(looks))

    def _arrows(self) -> list[str]:
        taken: dict[tuple[JobStatus | None, JobStatus], int] = {}
        drawn = []
        for verb, arrow in TRANSITIONS.items():
            ends = (arrow.source, arrow.target)
            lane = taken[ends] = taken.get(ends, -1) + 1
            drawn.append(self._arrow(verb, _line(arrow, lane)))
        return drawn

    def _arrow(self, verb: str, line: "_Line") -> str:
        times = [seconds(step.at) for step in self._path if step.verb == verb]
        shaft = tag("path", cls="sm-arrow", d=line.path)
        head = tag("path", cls="sm-head", d=_head(line.tip, line.heading))
        words = [verb] + ([_in_short(times)] if times else [])
        label = _label(words, line.middle, line.side)
        title = tag("title", f"{_arrow_words(verb)}. {TRANSITIONS[verb].rule}")
        return tag("g", raw=title + shaft + head + label, cls="sm-gone" if times else "sm-open")


@dataclass(frozen=True, slots=True)
class _Line:
    """Where an arrow runs: its tip with the way it points there, and where its label goes."""

    path: str
    tip: Point
    heading: Point
    middle: Point
    side: Point


def _line(arrow: Arrow, lane: int) -> _Line:
    """Lay an arrow; `lane` counts those that already lead from the same box to the same one."""
    if arrow.source is arrow.target:
        return _loop(arrow, lane)
    is_level = PLACES[arrow.source][1] == PLACES[arrow.target][1]
    # Between two boxes side by side there is room for one arrow each way, with its times.
    return _arc(arrow, lane) if is_level and lane else _straight(arrow, lane)


def _straight(arrow: Arrow, lane: int) -> _Line:
    """Lay an arrow from box to box; where another one comes back, each keeps to its left."""
    (x1, y1), (x2, y2) = PLACES[arrow.source], PLACES[arrow.target]
    length = hypot(x2 - x1, y2 - y1)
    ux, uy = (x2 - x1) / length, (y2 - y1) / length
    side = (uy, -ux)
    comes_back = any(a.source is arrow.target and a.target is arrow.source for a in TRANSITIONS.values())
    off = (_LANE if comes_back else 0) + lane * _LANES
    ox, oy = side[0] * off, side[1] * off
    out = _DOT + 4.0 if arrow.source is None else _way_out((ox, oy), (ux, uy))
    back = _way_out((ox, oy), (-ux, -uy)) + 3
    start = (x1 + ox + ux * out, y1 + oy + uy * out)
    tip = (x2 + ox - ux * back, y2 + oy - uy * back)
    middle = (start[0] + (tip[0] - start[0]) * _LABEL_AT, start[1] + (tip[1] - start[1]) * _LABEL_AT)
    # The shaft ends inside the head: a thick one would blunt the tip.
    end = (tip[0] - ux * 6, tip[1] - uy * 6)
    return _Line(f"M{_xy(start)}L{_xy(end)}", tip, (ux, uy), middle, side)


def _loop(arrow: Arrow, lane: int) -> _Line:
    """Lay an arrow that leads back to its own box, above it."""
    x, y = PLACES[arrow.source]
    x, top = x + lane * 3 * _LANES, y - _HALF_HEIGHT - 2
    path = f"M{x - 24} {top}C{x - 34} {top - 52} {x + 34} {top - 52} {x + 24.5} {top - 7}"
    return _Line(path, (x + 23, top), (-0.2, 0.98), (x, top - 40), (0, -1))


def _arc(arrow: Arrow, lane: int) -> _Line:
    """Lay an arrow over the straight ones between two boxes side by side."""
    (x1, y), (x2, _) = PLACES[arrow.source], PLACES[arrow.target]
    toward, top, rise = (1 if x2 > x1 else -1), y - _HALF_HEIGHT - 2, 8 + 40 * lane
    start, tip = x1 + toward * 56, x2 - toward * 56
    path = f"M{start} {top}C{start + toward * 20} {top - rise} {tip - toward * 20} {top - rise} {tip} {top - 6}"
    return _Line(path, (tip, top), (toward * 0.43, 0.9), ((start + tip) / 2, top - 0.75 * rise + 4), (0, -1))


def _way_out(offset: Point, heading: Point) -> float:
    """Return how far it is from beside the middle of a box to its edge."""
    ways = []
    for off, toward, half in zip(offset, heading, (_HALF_WIDTH, _HALF_HEIGHT), strict=True):
        if abs(toward) > 1e-9:  # noqa: PLR2004 - a level line never leaves through the top
            ways.append((half - (off if toward > 0 else -off)) / abs(toward))
    return min(ways)


def _head(tip: Point, heading: Point) -> str:
    (x, y), (ux, uy) = tip, heading
    left, right = (x - 11 * ux + 5 * uy, y - 11 * uy - 5 * ux), (x - 11 * ux - 5 * uy, y - 11 * uy + 5 * ux)
    return f"M{_xy(tip)}L{_xy(left)}L{_xy(right)}Z"


def _label(lines: list[str], middle: Point, side: Point) -> str:
    """Write beside the middle of an arrow, on its own side, so that no arrow of the pair runs through it."""
    x, y = middle[0] + side[0] * 10, middle[1] + side[1] * 10
    anchor = "middle" if abs(side[0]) < _STEEP else "start" if side[0] > 0 else "end"
    if anchor != "middle":
        y += 5 - 8 * (len(lines) - 1) + side[1] * 6
    else:
        y += 10 if side[1] > 0 else -16 * (len(lines) - 1)
    looks = ("sm-verb", "sm-small")
    return "".join(_text(words, x, y + 16 * row, anchor, looks[row]) for row, words in enumerate(lines))


def _text(words: str, x: float, y: float, anchor: str, look: str) -> str:
    return tag("text", words, cls=f"sm-text {look}", x=f"{x:.1f}", y=f"{y:.1f}", **{"text-anchor": anchor})


def _in_short(times: list[str]) -> str:
    more = len(times) - _MOST_TIMES
    return ", ".join(times[:_MOST_TIMES]) + (f" +{more}" if more > 0 else "")


def _arrow_words(verb: str) -> str:
    arrow = TRANSITIONS[verb]
    origin = "" if arrow.source is None else f" from {arrow.source}"
    return f"{verb} leads{origin} to {arrow.target}"


def _xy(point: Point) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}"
