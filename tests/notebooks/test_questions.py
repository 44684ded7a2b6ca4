"""Boxes for guesses: what they say to right, wrong and other answers, with and without buttons."""

import tomllib
from typing import Any

import ipywidgets  # type: ignore[import-untyped]
import lesson  # type: ignore[import-not-found]
import lesson_buttons  # type: ignore[import-not-found]
import pytest
from lesson_questions import FEEDBACK  # type: ignore[import-not-found]

from jobqueue import JobStatus

QUIZZES = ("same_name", "longer_lease", "outside", "receiver")


def box(key: Any = lambda: JobStatus.PENDING, options: Any = ("RUNNING", "PENDING")) -> Any:
    return lesson.predict("What is J1?", key, options, {"RUNNING": "Its lease is over."})


@pytest.mark.parametrize("guess", ["PENDING", "pending", " Pending ", JobStatus.PENDING])
def test_a_right_guess_is_right_however_it_is_written(guess: Any) -> None:
    """Case and spaces do not matter, and a status is as good as its name."""
    assert box().guess(guess).text == "What is J1?\n✓ You said PENDING, and so it is."


def test_a_wrong_guess_is_told_why() -> None:
    """A wrong guess gets the answer, and what it overlooks."""
    assert box().guess("RUNNING").text == (
        "What is J1?\n✗ You said RUNNING. Its lease is over. The answer is PENDING."
    )


def test_another_answer_is_shown_the_options() -> None:
    """What is no option is not counted as a guess."""
    asked = box()
    assert asked.guess("DEAD").text == "What is J1?\n'DEAD' is none of the answers: RUNNING, PENDING."
    assert asked.reply().text == "What is J1?\nNo guess yet. The answer is PENDING."


def test_one_may_guess_again() -> None:
    """The last guess counts."""
    asked = box()
    asked.guess("RUNNING")
    asked.guess("PENDING")
    assert "✓" in lesson.compare(asked).text


def test_without_options_an_answer_is_typed() -> None:
    """A free answer is compared like a chosen one, and words under "" meet every wrong one."""
    asked = lesson.predict("When?", lambda: "31.0 s", why={"": "Add the rest."})
    assert asked.guess("31.0s").text == "When?\n✓ You said 31.0s, and so it is."
    assert asked.guess(30).text == "When?\n✗ You said 30. Add the rest. The answer is 31.0 s."


def test_a_key_is_asked_anew_each_time() -> None:
    """The box keeps no answer: when the queue says something else, so does the box."""
    said = ["RUNNING"]
    asked = box(key=lambda: said[-1])
    assert "✓" in asked.guess("RUNNING").text
    said.append("PENDING")
    assert "✗" in asked.reply().text


def test_a_key_that_lacks_a_cell_says_so() -> None:
    """A name that is not there yet is no traceback, but advice."""
    asked = box(key=lambda: not_there_yet)  # type: ignore[name-defined]  # noqa: F821 - that is the point
    assert asked.guess("PENDING").text.endswith("Run the cells above first: not_there_yet is not there yet.")


def test_compare_shows_all() -> None:
    """Several boxes are compared one below the other."""
    assert lesson.compare(box(), box()).text.count("No guess yet.") == 2
    assert lesson.compare().text == ""


def test_a_box_asks_in_words() -> None:
    """In a terminal a box shows question, options and how to answer."""
    assert repr(box()) == (
        'What is J1? (RUNNING, PENDING)\nNo guess yet. To answer, call .guess("RUNNING") on this box.'
    )


def test_questions_are_shown_and_never_run() -> None:
    """Question, options, guesses and feedback are text on a page."""
    asked = lesson.predict("<b>?", lambda: "<i>", ["<i>", "<u>"], {"<u>": "<s>no"})
    for html in (asked._repr_html_(), asked.guess("<u>").html, asked.guess("<x>").html):
        assert not any(f"<{tag}>" in html.replace("<b>&lt;b&gt;?</b>", "") for tag in "iusx")


@pytest.mark.parametrize("name", QUIZZES)
def test_a_quiz_does_not_give_itself_away(name: str) -> None:
    """Neither silence nor a wrong answer shows the right one; every wrong answer is told why."""
    (asked,) = lesson.quiz(f"03/{name}")
    right = str(asked.key())
    assert right in asked.options
    assert set(asked.why) == set(asked.options) - {right}
    assert asked.reply().text == f"{asked.question}\nNo answer yet."
    for wrong in asked.why:
        reply = asked.guess(wrong).text.removeprefix(asked.question)
        assert "✗" in reply
        assert right not in reply
    assert "✓" in asked.guess(right).text


def test_the_right_answer_is_not_always_at_the_same_place() -> None:
    """Whoever always takes the first option is not right in the end, nor is the last one always right."""
    places = {one.options.index(str(one.key())) for one in lesson.quiz(*(f"03/{name}" for name in QUIZZES))}
    assert len(places) > 1


def test_feedback_is_all_used() -> None:
    """Every section of a feedback file belongs to a box of its lesson."""
    for path in FEEDBACK.glob("*.toml"):
        notebook = (FEEDBACK.parent / f"{path.stem}.ipynb").read_text(encoding="utf-8")
        sections = tomllib.loads(path.read_text(encoding="utf-8"))
        assert [name for name in sections if f"{path.stem[:2]}/{name}" not in notebook] == []


def buttons_of(asked: Any) -> Any:
    question, row, reply = lesson_buttons.buttons(asked).children
    assert asked.question in question.value
    return row.children, reply


def test_a_click_is_a_guess() -> None:
    """A button for each option takes the guess, and the reply appears below."""
    asked = box()
    buttons, reply = buttons_of(asked)
    assert [button.description for button in buttons] == ["RUNNING", "PENDING"]
    buttons[0].click()
    assert asked.said == "RUNNING"
    assert "Its lease is over." in reply.value
    buttons[1].click()
    assert "and so it is" in reply.value


def test_a_typed_line_is_a_guess() -> None:
    """Without options there is a line to type in."""
    asked = lesson.predict("When?", lambda: "31.0 s")
    (line,), reply = buttons_of(asked)
    assert isinstance(line, ipywidgets.Text)
    line.value = "31.0 s"
    assert "and so it is" in reply.value


@pytest.mark.parametrize(
    ("wanted", "started_by", "expected"),
    [("1", "", True), ("0", "JPY_SESSION_NAME", False), ("", "JPY_SESSION_NAME", True), ("", "", False)],
)
def test_buttons_are_for_people(
    wanted: Any, started_by: Any, expected: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Buttons appear where a person's notebook started the kernel, unless JOBKIT_WIDGETS says otherwise."""
    for name in ("JPY_SESSION_NAME", "VSCODE_PID"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("JOBKIT_WIDGETS", wanted)
    if started_by:
        monkeypatch.setenv(started_by, "03_zombies_and_fencing.ipynb")
    assert lesson_buttons.widgets_work() is expected
