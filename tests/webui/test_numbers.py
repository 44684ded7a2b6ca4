"""Numbers from forms: odd ones, repeated ones, missing ones. Never an error page, never a surprise."""

from __future__ import annotations

import pytest
from werkzeug.datastructures import MultiDict

from tests.webui.asking import BoardClient, dump, is_refusal, notice_of

ODD = [
    "-1",
    "0",
    "1e9",
    "NaN",
    "nan",
    "inf",
    "-inf",
    "0x10",
    "1,5",
    "1.5",
    "١٢",
    "½",
    "9" * 400,
    "",
    " ",
    "--1",
    "1 2",
]


@pytest.mark.parametrize(
    "typed", ["NaN", "inf", "1e9", "1.5", "0x10", "--1", "1 2", "½", "five", "١٢", "1_000", "+", "1."]
)
def test_a_priority_that_is_no_whole_number_is_refused(board: BoardClient, typed: str) -> None:
    """The page says what it expected and what it found."""
    html = board.do("submit", type="mail", priority=typed)
    assert is_refusal(html)
    assert notice_of(html).startswith("Priority: expected a whole number")
    assert typed in notice_of(html)
    assert len(board.lab.world.jobs()) == 1


@pytest.mark.parametrize(
    "typed", ["-1", "NaN", "inf", "-inf", "1e9", "3600.001", "1,5", "soon", "0x10", "١٢", "1_0"]
)
def test_a_delay_that_is_no_time_is_refused(board: BoardClient, typed: str) -> None:
    """From 0 to an hour, in seconds."""
    html = board.do("submit", type="mail", delay=typed)
    assert is_refusal(html)
    assert notice_of(html).startswith("Delay: expected seconds from 0 to 3600")
    assert len(board.lab.world.jobs()) == 1


@pytest.mark.parametrize(
    ("priority", "delay", "expected"),
    [
        ("", "", (0, 0)),
        ("-1", "0", (-1, 0)),
        (" 7 ", " 1.5 ", (7, 1500)),
        ("+2", "3600", (2, 3_600_000)),
        ("0", "0.0004", (0, 0)),
    ],
)
def test_numbers_that_are_meant_well_are_taken(
    board: BoardClient, priority: str, delay: str, expected: tuple[int, int]
) -> None:
    """Nothing typed means 0; blanks around a number do no harm."""
    assert not is_refusal(board.do("submit", type="mail", priority=priority, delay=delay))
    job = board.lab.world.queue.view("J2")
    assert (job.priority, job.next_run_at) == expected


@pytest.mark.parametrize(
    ("field", "typed", "value"),
    [
        ("priority", "-0000000000000000000000005", -5),
        ("delay", "0000000000000000000000012", 12_000),
        ("delay", "0" * 18 + "1e2", 100_000),
    ],
)
def test_a_long_number_is_read_whole_or_refused(board: BoardClient, field: str, typed: str, value: int) -> None:
    """Reading only its beginning would submit another number than the one that was typed."""
    html = board.do("submit", type="mail", **{field: typed})
    if not is_refusal(html):
        job = board.lab.world.queue.view("J2")
        assert {"priority": job.priority, "delay": job.next_run_at}[field] == value


def test_a_number_beyond_the_queues_bounds_is_refused(board: BoardClient) -> None:
    """2**53 is too much for a priority; the queue's words are shown."""
    html = board.do("submit", type="mail", priority=str(2**53))
    assert is_refusal(html)
    assert "riority" in notice_of(html)


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("verb", ["step", "second", "pause", "play", "freeze", "submit"])
def test_an_odd_instant_shown_is_no_reason_to_fail(board: BoardClient, verb: str, odd: str) -> None:
    """What a page claims to show lets time go on to the next event at most, and then comes the action."""
    board.do("play", speed="1")
    board.do(verb, shown=odd, target="A", type="mail")
    assert 0 <= board.lab.world.now() <= {"step": 30_000, "second": 2000}.get(verb, 1000)


@pytest.mark.parametrize("odd", ODD)
def test_a_tick_for_an_odd_revision_changes_nothing(board: BoardClient, odd: str) -> None:
    """Only the board's own revision counts."""
    board.do("play", speed="1")
    before = dump(board.lab)
    board.do("tick", revision=odd)
    assert dump(board.lab) == before


def test_of_repeated_fields_the_first_counts(board: BoardClient) -> None:
    """A form that names a field twice is no error."""
    form = MultiDict([("type", "mail"), ("type", "resize"), ("priority", "3"), ("priority", "x")])
    answer = board.answer("submit", data=form)
    assert answer.status_code == 200
    job = board.lab.world.queue.view("J2")
    assert (job.type, job.priority) == ("mail", 3)


@pytest.mark.parametrize(
    "verb", ["step", "second", "play", "pause", "reset", "submit", "crash", "cancel", "tick"]
)
@pytest.mark.parametrize(
    "kind", ["application/json", "text/plain", "multipart/form-data; boundary=x", "", "nonsense"]
)
def test_a_request_without_a_form_is_answered(board: BoardClient, verb: str, kind: str) -> None:
    """Missing fields mean nothing typed: the board comes back, with a refusal where one is due."""
    answer = board.client.post(
        f"{board.url}/{verb}", data=b'{"target": "A"}', headers={"HX-Request": "true", "Content-Type": kind}
    )
    assert answer.status_code == 200
    assert is_refusal(answer.text) is (verb in {"submit", "crash", "cancel"})
