"""Bars: one scale for all rows, a number where there is room, and the same in words."""

import re
from typing import Any
from xml.etree import ElementTree as ET

import lesson  # type: ignore[import-not-found]
import pytest

SVG = "{http://www.w3.org/2000/svg}"
ROWS = {"without": [0, 40, 10], "with": [20, 20, 10]}


def drawn(rows: Any, labels: Any, **options: Any) -> Any:
    return ET.fromstring(lesson.bars(rows, labels, title="Retries", **options).html)  # noqa: S314 - our own


def boxes(root: Any) -> Any:
    return [box for box in root.iter(f"{SVG}rect") if box.get("class") == "ch-bar"]


def words(root: Any) -> Any:
    return [text.text for text in root.iter(f"{SVG}text")]


def test_all_rows_have_one_scale() -> None:
    """A bar of 20 is half as high as one of 40, in whichever row it stands; nothing has no bar."""
    heights = [float(box.get("height")) for box in boxes(drawn(ROWS, range(3)))]
    assert heights == [60.0, 15.0, 30.0, 30.0, 15.0]


def test_few_bars_bear_their_numbers() -> None:
    """Up to twelve bars each has its number above it, written as asked."""
    said = words(drawn({"a": [4500, 0]}, ["J1", "J2"], words=lesson.seconds))
    assert said == ["Retries", "a", "4.5 s", "J1", "J2", None]


def test_of_many_bars_only_the_tallest_bears_its_number() -> None:
    """With more bars than there is room for numbers, one number a row is left: the first of the highest."""
    said = words(drawn({"a": [1] * 20 + [7, 7]}, [f"n{i}" for i in range(22)]))
    assert [word for word in said if word and word.isdigit()] == ["7"]


@pytest.mark.parametrize(("many", "step"), [(3, 1), (30, 2), (100, 7)])
def test_labels_do_not_touch_each_other(many: Any, step: Any) -> None:
    """Where bars are narrow only some labels are written, evenly, and the first always is."""
    said = words(drawn({"a": [0] * many}, range(many)))
    assert said[2:-1] == [str(i) for i in range(0, many, step)]


def test_the_picture_lies_within_its_frame() -> None:
    """No bar and no number reaches out of the view box."""
    root = drawn({f"row {i}": [5, 60, 0] for i in range(4)}, range(3), axis="seconds")
    _, _, width, height = map(float, root.get("viewBox").split())
    for box in boxes(root):
        x, y, wide, high = (float(box.get(side)) for side in ("x", "y", "width", "height"))
        assert 0 <= x <= x + wide <= width
        assert 0 <= y <= y + high <= height
    assert all(12 <= float(text.get("y")) <= height for text in root.iter(f"{SVG}text"))


def test_the_picture_is_said_in_words() -> None:
    """For those who listen it says where each row is highest; in a terminal it lists the numbers."""
    shown = lesson.bars(ROWS, range(3), title="Retries", axis="seconds")
    assert ET.fromstring(shown.html).find(f"{SVG}title").text == (  # type: ignore[union-attr]  # noqa: S314 - our own
        "Retries: without is highest at 1 (seconds), with 40; with is highest at 0 (seconds), with 20"
    )
    assert shown.text == "Retries\nwithout  0 40 10\nwith     20 20 10"
    assert drawn(ROWS, range(3)).get("role") == "img"


@pytest.mark.parametrize("rows", [{}, {"a": []}, {"a": [0, 0]}])
def test_nothing_can_be_drawn(rows: Any) -> None:
    """No rows, no bars, or nothing but zeros: a picture without bars that says so."""
    root = drawn(rows, range(len(rows.get("a", ()))))
    assert boxes(root) == []
    assert root.find(f"{SVG}title").text == "Retries: nothing at all"


def test_each_bar_needs_a_label() -> None:
    """A row that is longer or shorter than its labels is a mistake of whoever draws."""
    with pytest.raises(ValueError, match="each row needs 2 numbers"):
        lesson.bars({"a": [1, 2, 3]}, range(2), title="Retries")


def test_names_are_shown_and_never_run() -> None:
    """Names, labels and titles are text; looks are classes."""
    html = lesson.bars({"<i>": [1]}, ["<u>"], title="<s>", axis="<b>").html
    assert not re.search(r"<[iusb]>", html)
    assert "style=" not in html
