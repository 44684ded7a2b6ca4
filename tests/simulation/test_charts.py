"""The bars of shares and ages: whole, inside their frame, told in words."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from jobqueue.simulation.charts import BarChart, Row
from tests.simulation.test_picture import HOSTILE, outside


def parsed(chart: BarChart) -> ET.Element:
    return ET.fromstring(chart.svg())  # noqa: S314 - the picture is our own


def bars(chart: BarChart) -> list[float]:
    """Return the widths of the bars, top to bottom."""
    return [float(e.attrib["width"]) for e in parsed(chart).iter() if "ch-bar" in e.get("class", "").split()]


def test_a_bar_is_as_long_as_its_value() -> None:
    """On one scale, where the largest is a full bar unless it is said what is."""
    rows = [Row("bo", 10_500, "10.5 s"), Row("acme", 5250, "5.25 s")]
    one, half = bars(BarChart("Age", rows))
    assert half == pytest.approx(one / 2)
    assert bars(BarChart("Age", rows, 21_000)) == pytest.approx([one / 2, one / 4])


def test_a_value_of_nothing_has_a_rail_and_no_bar() -> None:
    """Nothing is drawn for it, and nothing is divided by it."""
    assert bars(BarChart("Age", [Row("bo", 0, "0.0 s")])) == []


def test_the_promise_is_a_mark_on_the_same_scale() -> None:
    """Where value and promise are equal, the mark stands at the end of the bar."""
    root = parsed(BarChart("Share", [Row("H", 0.5, "50%", 0.5)], 1))
    bar = next(e for e in root.iter() if "ch-bar" in e.get("class", ""))
    mark = next(e for e in root.iter() if e.get("class") == "ch-promise")
    assert float(mark.attrib["x1"]) == pytest.approx(float(bar.attrib["x"]) + float(bar.attrib["width"]))


@pytest.mark.parametrize("name", [*HOSTILE, "a tenant with a long name", "H"])
@pytest.mark.parametrize("words", ["100% of 100%", "3600.125 s"])
def test_a_chart_fits_into_its_frame(name: str, words: str) -> None:
    """Names are text, cut where the margin ends; the whole name is in the tooltip."""
    chart = BarChart("Share", [Row(name, 1, words, 1), Row("L", 0, "0%", 0)], 1)
    root = parsed(chart)
    assert outside(root) == []
    assert f"{name} {words}" in [e.text for e in root.iter() if e.tag.endswith("title")]
    assert len([e for e in root.iter() if e.tag.endswith("script")]) == 0


def test_a_chart_is_told_in_words() -> None:
    """Title, then each row; an empty one says so."""
    assert (
        BarChart("Age", [Row("bo", 1, "1.0 s"), Row("cy", 2, "2.0 s")]).summary() == "Age: bo 1.0 s; cy 2.0 s"
    )
    assert BarChart("Age", []).summary() == "Age: nothing yet"
    assert outside(parsed(BarChart("Age", []))) == []


def test_no_bar_is_longer_than_its_rail() -> None:
    """A value beyond the full bar is a full bar."""
    assert bars(BarChart("Share", [Row("H", 7, "7")], 1)) == bars(BarChart("Share", [Row("H", 1, "1")], 1))
