"""What a learner writes is compared with the queue case by case, and answered kindly."""

from typing import Any
from xml.etree import ElementTree as ET

import lesson  # type: ignore[import-not-found]
import pytest

CASES = {"nothing left": (5, 5), "some left": (9, 5), "a list": ([4], 1)}


def left(until: Any, now: Any) -> Any:
    """What is right here: how much is left; of a list, how many."""
    return len(until) if isinstance(until, list) else until - now


def shown(answer: Any) -> Any:
    return lesson.own(answer, left, CASES).text


def test_an_empty_function_is_not_written_yet() -> None:
    """A starter that returns None everywhere is neither right nor wrong."""
    assert shown(lambda *_: ...).startswith("✗ Not yet.")
    assert shown(lambda *_: None) == (
        "Not written yet. Fill in your function above, run its cell, and then run this one again."
    )


def test_a_right_function_is_praised() -> None:
    """All cases as the queue says: the number of cases is told."""
    assert shown(left) == "✓ All 3 cases are as the queue says. Well done."


def test_the_first_difference_is_shown() -> None:
    """The case, the call, both results, and how many were right before."""

    def mine(*_: Any) -> Any:
        return 0

    assert shown(mine) == (
        "✗ Not yet. Case “some left”:\n"
        "Yours: mine(9, 5) gives 0.\n"
        "The queue says: 4.\n"
        "Before it, 1 of 3 cases were right."
    )


def test_an_exception_is_a_sentence() -> None:
    """A function that raises is told where and with what, and there is no traceback."""
    said = shown(lambda until, now: 1 // (until - now)).splitlines()
    assert said[0] == "✗ Not yet. Case “nothing left”:"
    assert "stops with ZeroDivisionError" in said[1]


def test_none_in_one_case_is_a_wrong_answer() -> None:
    """Only a function that returns None for all cases is not written; one hole is a difference."""
    assert "gives None" in shown(lambda until, now: 0 if until == now else None)


@pytest.mark.parametrize("wrong", [0.0, False, "0"])
def test_an_equal_value_of_another_type_is_no_match(wrong: Any) -> None:
    """0.0, False and "0" are not the integer 0: an instant is an int."""
    assert f"gives {wrong!r}" in shown(lambda *_: wrong)


def test_arguments_can_be_changed_without_harm() -> None:
    """Each side gets its own copy, so that a function that sorts or pops its list spoils nothing."""

    def popping(until: Any, now: Any) -> Any:
        return 1 if isinstance(until, list) and until.pop() else left(until, now)

    assert shown(popping) == shown(popping) == "✓ All 3 cases are as the queue says. Well done."
    assert CASES["a list"] == ([4], 1)


def test_what_is_shown_is_text() -> None:
    """Whatever a function returns is shown on the page and never run."""
    html = lesson.own(lambda *_: "<script>", left, CASES).html
    assert "<script" not in html
    ET.fromstring(html)  # noqa: S314 - our own
