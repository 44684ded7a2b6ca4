"""An answer outlives its cell."""

import lesson  # type: ignore[import-not-found]


def test_a_question_that_is_asked_again_knows_what_was_said() -> None:
    """Running a cell once more, as Shift+Enter after a click does, keeps the guess."""
    first = lesson.predict("Which way up is this test?", lambda: "up", ["up", "down"])
    first.guess("down")
    again = lesson.predict("Which way up is this test?", lambda: "up", ["up", "down"])
    assert "You said down" in again.reply().text
    assert lesson.predict("And this one?", lambda: "up", ["up", "down"]).said is None
