"""The timeline's picture: well-formed, escaped, inside its frame, told in words, without inline styles."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from jobqueue.simulation import SCENARIOS, Habits, World, run
from jobqueue.simulation.picture import TimelinePicture
from tests.simulation.worlds import mails, world

LETTER = 7.2  # px, a letter of a 12 px monospace font
HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=1>',
    "'&amp;&",
    "]]>",
    "\N{RIGHT-TO-LEFT OVERRIDE}A",
    "🧟",
]


def parsed(svg: str) -> ET.Element:
    return ET.fromstring(svg)  # noqa: S314 - the picture is our own


def outside(root: ET.Element) -> list[str]:
    """Return what reaches out of the view box, letters included."""
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    inside = [element for element in root.iter() if element.tag.split("}")[-1] not in {"defs", "pattern"}]
    hatch = {id(e) for p in root.iter() if p.tag.endswith("pattern") for e in p}
    found = []
    for element in inside:
        if id(element) in hatch:
            continue
        xs, ys = extent(element)
        if any(not 0 <= x <= width for x in xs) or any(not 0 <= y <= height for y in ys):
            found.append(ET.tostring(element, encoding="unicode"))
    return found


def extent(element: ET.Element) -> tuple[list[float], list[float]]:
    """Return the outermost places that an element touches."""
    number = {key: float(value) for key, value in element.attrib.items() if re.fullmatch(r"-?[\d.]+", value)}
    kind = element.tag.split("}")[-1]
    if kind == "text":
        long = len(element.text or "") * LETTER
        before = {"start": 0.0, "middle": long / 2, "end": long}[element.get("text-anchor", "start")]
        return [number["x"] - before, number["x"] - before + long], [number["y"] - 10, number["y"]]
    if kind == "rect":
        x, y = number.get("x", 0), number.get("y", 0)
        return [x, x + number["width"]], [y, y + number["height"]]
    if kind == "line":
        return [number["x1"], number["x2"]], [number["y1"], number["y2"]]
    if kind == "path":
        x, y, *moves = (float(n) for n in re.findall(r"-?[\d.]+", element.attrib["d"]))
        xs, ys = [x], [y]
        for dx, dy in zip(moves[::2], moves[1::2], strict=True):
            xs.append(xs[-1] + dx)
            ys.append(ys[-1] + dy)
        return xs, ys
    return [], []


@pytest.mark.parametrize("width", [320, 440, 920])
@pytest.mark.parametrize("name", SCENARIOS)
def test_every_moment_of_a_scenario_fits_into_its_frame(name: str, width: int) -> None:
    """At each event the picture is well-formed, and no bar, mark or word reaches over the edge."""
    w = World(SCENARIOS[name])
    pictures = 0
    while w.step():
        root = parsed(TimelinePicture(w.timeline(), width=width).svg())
        assert outside(root) == []
        pictures += 1
    assert pictures >= 4


@pytest.mark.parametrize("standalone", [False, True])
@pytest.mark.parametrize("name", SCENARIOS)
def test_looks_are_classes(name: str, standalone: bool) -> None:
    """No element has a style of its own; a sheet is there only where the picture stands alone."""
    root = parsed(TimelinePicture(run(SCENARIOS[name]).timeline(), standalone=standalone).svg())
    assert [e for e in root.iter() if "style" in e.attrib] == []
    sheets = [e for e in root.iter() if e.tag.endswith("style")]
    assert len(sheets) == standalone


def test_every_class_has_a_look() -> None:
    """What the picture names is defined in the sheet that it brings along."""
    used: set[str] = set()
    sheet = ""
    for scenario in SCENARIOS.values():
        w = World(scenario)
        while w.step():
            root = parsed(TimelinePicture(w.timeline(), standalone=True).svg())
            used |= {name for e in root.iter() for name in e.get("class", "").split()}
            sheet = next(e.text or "" for e in root.iter() if e.tag.endswith("style"))
    neutral = {"tl-running"}  # a running lease looks like any bar
    assert {name for name in used - neutral if f".{name}" not in sheet} == set()
    assert {"tl-ghost", "tl-refused", "tl-crashed", "tl-expiry", "tl-rest", "tl-ahead"} <= used


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_is_text_and_nothing_else(name: str) -> None:
    """It makes no element and no attribute, and reads as it was given."""
    pictures = {}
    for worker in ("A", name):
        w = world(Habits(worker, lease_millis=1000), tasks=mails(1))
        w.advance_to(4000)
        pictures[worker] = parsed(TimelinePicture(w.timeline()).svg())
    plain, hostile = pictures["A"], pictures[name]
    assert [e.tag for e in hostile.iter()] == [e.tag for e in plain.iter()]
    assert [sorted(e.attrib) for e in hostile.iter()] == [sorted(e.attrib) for e in plain.iter()]
    assert name in [e.text for e in hostile.iter() if e.tag.endswith("text")]


@pytest.mark.parametrize("length", [20, 60, 200])
def test_a_long_name_leaves_room_for_the_bars(length: int) -> None:
    """Names may have 200 letters; the picture still shows its bars, and inside its frame."""
    w = world(Habits("w" * length, lease_millis=1000), tasks=mails(1))
    w.advance_to(4000)
    root = parsed(TimelinePicture(w.timeline()).svg())
    assert outside(root) == []
    assert max(float(e.attrib["width"]) for e in root.iter() if "tl-bar" in e.get("class", "")) > 50


def test_the_picture_is_told_in_words() -> None:
    """Its title says who held what, how each lease ended, and who was refused."""
    picture = TimelinePicture(run(SCENARIOS["zombie"]).timeline())
    root = parsed(picture.svg())
    assert root.attrib["role"] == "img"
    assert picture.summary() == next(e.text for e in root if e.tag.endswith("title"))
    assert picture.summary() == (
        "Timeline until 41.0 s: A holds J1 from 0.0 s, attempt 1, token J1:1, expired at 30.0 s; "
        "B holds J1 from 31.0 s, attempt 2, token J1:2, succeeded at 41.0 s; "
        "A holds J2 from 36.0 s, attempt 1, token J2:1, succeeded at 39.0 s; A is refused at 35.0 s"
    )


def test_an_empty_picture_says_so() -> None:
    """Before the first lease there are lanes, an axis and words."""
    picture = TimelinePicture(world(Habits("A")).timeline())
    assert picture.summary() == "Timeline until 0.0 s: no job was handed out yet"
    assert outside(parsed(picture.svg())) == []


def test_marks_show_what_happened() -> None:
    """The zombie's end has one hatched bar, one refusal, one expiry; the crash loop three crosses."""
    root = parsed(run_picture("zombie"))
    assert [count(root, cls) for cls in ("tl-ghost", "tl-refused", "tl-expiry", "tl-rest")] == [1, 1, 1, 1]
    assert count(parsed(run_picture("crash_loop")), "tl-crashed") == 3


def test_pictures_on_one_page_have_their_own_ids() -> None:
    """A name given to the picture is in each of its ids, and its hatching refers to it."""
    w = World(SCENARIOS["zombie"])
    w.advance_to(32_500)
    one, two = (TimelinePicture(w.timeline(), name=name).svg() for name in ("one", "two"))
    ids = [{e.attrib["id"] for e in parsed(svg).iter() if "id" in e.attrib} for svg in (one, two)]
    assert ids[0]
    assert ids[0].isdisjoint(ids[1])
    assert "url(#one-hatch)" in one


def run_picture(name: str) -> str:
    return TimelinePicture(run(SCENARIOS[name]).timeline()).svg()


def count(root: ET.Element, cls: str) -> int:
    return sum(cls in e.get("class", "").split() for e in root.iter())
