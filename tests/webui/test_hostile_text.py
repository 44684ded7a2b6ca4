"""Text in a field stays text: no element more or less, whatever is typed."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest

from tests.webui.asking import HTMX, BoardClient, Parsed, dump, is_refusal, notice_of
from webui import create_app

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient

HOSTILE = [
    "<script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "</textarea></form></div></body></html>",
    "<!-- --><![CDATA[ ]]>",
    "{{ 7 * 7 }}{% raw %}",
    "\N{RIGHT-TO-LEFT OVERRIDE}gnp.exe",
    "🧟‍♀️🏳️‍🌈e\u0301\u202e",
    "x" * 150,
]
FIELDS = {
    "submit": ["type", "payload", "priority", "delay", "tenant"],
    "cancel": ["target"],
    "crash": ["target"],
    "thaw": ["target"],
    "pause_type": ["target"],
    "resume_type": ["target"],
    "play": ["speed"],
    "tick": ["revision"],
    "step": ["shown"],
}
BORING = {"type": "mail", "payload": "text", "priority": "0", "delay": "0", "tenant": "bo"}


def typed_fields(html: str) -> dict[str, str]:
    """Return what stands in the form that submits a job."""
    inputs = Parsed(html).all("input")
    return {i["name"]: i["value"] for i in inputs if i.get("id", "").startswith("submit-")}


def page_after(app: Flask, verb: str, field: str, text: str) -> str:
    """Return the page after an action with a text in one field."""
    board = BoardClient(app, "zombie")
    form = (BORING if verb == "submit" else {}) | {field: text}
    assert board.answer(verb, data=form).status_code == 200
    return board.page()


@cache
def plain_shape(verb: str, field: str) -> list[tuple[str, list[str]]]:
    """Return the elements of the page after an action with a harmless text."""
    return Parsed(page_after(create_app(), verb, field, "harmless")).shape


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize(("verb", "field"), [(verb, field) for verb in FIELDS for field in FIELDS[verb]])
def test_a_hostile_text_makes_no_element(app: Flask, verb: str, field: str, text: str) -> None:
    """The page has the same elements, with the same attributes, as for a harmless text."""
    assert Parsed(page_after(app, verb, field, text)).shape == plain_shape(verb, field)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_is_shown_as_it_was_typed(app: Flask, text: str) -> None:
    """As a payload and as a type it can be read on the card, letter by letter."""
    board = BoardClient(app, "zombie")
    board.do("submit", type=text, payload=text)
    shown = Parsed(board.page()).text
    assert shown.count(text) >= 2


@pytest.mark.parametrize("text", HOSTILE[:2])
@pytest.mark.parametrize("headers", [{}, HTMX], ids=["page", "htmx"])
def test_a_hostile_address_is_text_as_well(client: FlaskClient, text: str, headers: dict[str, str]) -> None:
    """A lost board, an unknown scenario, a file that is not there: the page does not grow an element."""
    for prefix in ("/labs/", "/scenarios/", "/code/jobqueue/", "/"):
        hostile = client.get(prefix + quote(text.replace("/", "")), headers=headers)
        plain = client.get(prefix + "harmless", headers=headers)
        assert hostile.status_code == plain.status_code
        assert Parsed(hostile.text).shape == Parsed(plain.text).shape


@pytest.mark.parametrize(
    ("field", "text", "says"),
    [
        ("type", "x" * 201, "Type: has 201 characters, expected 1 to 200"),
        ("type", "x" * 10_240, "Type: has 10240 characters"),
        ("type", "", "Type"),
        ("type", "   ", "Type"),
        ("type", "a\0b", "NUL"),
        ("payload", "x" * 1001, "Payload: at most 1000 characters, these are 1001"),
        ("payload", "x" * 10_240, "these are 10240"),
        ("payload", "a\0b", "NUL"),
        ("tenant", "x" * 201, "Tenant: has 201 characters, expected 1 to 200"),
        ("tenant", "a\0b", "NUL"),
    ],
)
def test_what_the_queue_does_not_take_is_refused_with_words(
    app: Flask, field: str, text: str, says: str
) -> None:
    """The page names the field and the reason, and no job comes in."""
    board = BoardClient(app, "zombie")
    before = dump(board.lab)["entries"]
    html = board.do("submit", **(BORING | {field: text}))
    assert is_refusal(html)
    assert says in notice_of(html)
    assert dump(board.lab)["entries"] == before


def test_what_was_refused_stays_in_the_form(app: Flask) -> None:
    """Nobody types it twice: all five fields keep their words, on the page as well, until it is taken."""
    board = BoardClient(app, "zombie")
    typed = {
        "type": "mail",
        "payload": 'a "long" <letter>',
        "priority": "high",
        "delay": "soon",
        "tenant": "b o",
    }
    board.do("submit", **typed)
    for html in (board.page(), board.do("step"), board.page()):
        assert typed_fields(html) == typed
    html = board.do("submit", **(typed | {"priority": "1", "delay": "1"}))
    assert typed_fields(html) == {
        "type": "mail",
        "payload": "",
        "priority": "0",
        "delay": "0",
        "tenant": "default",
    }


def test_a_long_text_is_cut_on_the_card_only(app: Flask) -> None:
    """The card shows the beginning of a payload of 1000 letters; the queue keeps it whole."""
    board = BoardClient(app, "zombie")
    html = board.do("submit", type="mail", payload="y" * 1000)
    longest = max(map(len, re.findall("y+", html)))
    assert 100 <= longest < 200
    assert board.lab.world.queue.payload("J2") == "y" * 1000


def test_a_form_that_is_too_large_is_refused(app: Flask) -> None:
    """413 with a friendly page, and nothing has happened."""
    board = BoardClient(app, "zombie")
    before = dump(board.lab)
    answer = board.answer("submit", type="mail", payload="x" * 70_000)
    assert answer.status_code == 413
    assert "All scenarios" in Parsed(answer.text).text
    assert dump(board.lab) == before
