"""Lesson 00 works for somebody who has never seen a queue."""

from tests.notebooks.cells import prose, run

NAME = "00_start_here"


def test_every_cell_works() -> None:
    """From top to bottom no cell fails, and the little queue ends where the text says."""
    session = run(NAME)
    assert session.failed == {}
    assert session.text("submit") == "J1\n"
    assert session.text("complete") == "SUCCEEDED\n"
    assert "MISSING" not in session.text("installed")


def test_the_key_is_what_the_queue_says() -> None:
    """The one guess has its answer from a queue, and each wrong option has feedback."""
    box = run(NAME).names["in_hand"]
    assert box.key() == "RUNNING"
    assert set(box.why) == {"PENDING", "SUCCEEDED"} == set(box.options) - {"RUNNING"}


def test_it_names_everything_that_there_is() -> None:
    """Board, exercises, reading path and the next lesson each have their place."""
    text = prose(NAME)
    for part in ("## The board", "## The exercises", "## Reading the code", "## Where to go next"):
        assert part in text
