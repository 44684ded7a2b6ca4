"""What tests ask of a page: its elements, its words, its forms; and a board that is driven like htmx does."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from flask import Flask
    from werkzeug.test import TestResponse

    from webui.board.labs import Lab

HTMX = {"HX-Request": "true"}
_VOID = frozenset({"meta", "link", "input", "br", "hr", "img"})


class Parsed(HTMLParser):
    """A page, read strictly: every element that is opened is closed, in order.

    `elements` holds (tag, attributes) in the order of the page, `text` all words outside of the tags.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == [], f"left open: {self._open}"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), f"an attribute twice in <{tag}>"
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in _VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        assert self._open, f"</{tag}> closes nothing"
        assert self._open.pop() == tag, f"</{tag}> closes another element"

    def handle_data(self, data: str) -> None:
        self.text += data

    def all(self, tag: str) -> list[dict[str, str]]:
        """Return the attributes of each element with a tag."""
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def ids(self) -> Counter[str]:
        """How often each id is given."""
        return Counter(a["id"] for _, a in self.elements if "id" in a)

    @property
    def shape(self) -> list[tuple[str, list[str]]]:
        """Every element with the names of its attributes: what hostile text must not change."""
        return [(tag, sorted(attributes)) for tag, attributes in self.elements]


def words(html: str) -> str:
    """Return the words of a page in one line."""
    return " ".join(Parsed(html).text.split())


def spaced(html: str) -> str:
    """Return the words of a page, those of neighbouring cells apart."""
    return words(html.replace("><", "> <"))


def fields(html: str) -> dict[str, str]:
    """Return the hidden fields of a page's form."""
    return {i["name"]: i["value"] for i in Parsed(html).all("input") if i.get("type") == "hidden"}


def notice_of(html: str) -> str:
    """Return what a board says about the last action; empty if it says nothing."""
    found = re.search(r'<p id="notice"[^>]*>(.*?)</p>', html, re.DOTALL)
    return words(found[1]) if found else ""


def over_of(html: str) -> str:
    """Return why nothing more happens by itself, as it stands beside the clock; empty while something does."""
    found = re.search(r'<p class="next over">(.*?)</p>', html, re.DOTALL)
    return words(found[1]) if found else ""


def next_of(html: str) -> str:
    """Return what stands beside the clock while something is still to come."""
    found = re.search(r'<p class="next faint">(.*?)</p>', html, re.DOTALL)
    return words(found[1]) if found else ""


def is_refusal(html: str) -> bool:
    """Return whether a board says that the last action was refused."""
    return 'class="notice refuse" role="alert"' in html


class BoardClient:
    """One open board, driven as the page's own script does; `as_page` asks as a plain form."""

    def __init__(self, app: Flask, scenario: str) -> None:
        self.client = app.test_client()
        self.url = self.client.post(f"/scenarios/{scenario}/labs").headers["Location"]
        self.lab: Lab = app.extensions["labs"].find(self.url.rsplit("/", 1)[-1])

    def answer(self, verb: str, data: Any = None, headers: Any = None, **form: Any) -> TestResponse:
        """Return the answer to an action."""
        headers = HTMX | (headers or {})
        return self.client.post(f"{self.url}/{verb}", data=form or data, headers=headers)

    def do(self, verb: str, **form: Any) -> str:
        """Return the board after an action."""
        answer = self.answer(verb, **form)
        assert answer.status_code == 200
        return answer.text

    def page(self) -> str:
        """Return the whole page."""
        answer = self.client.get(self.url)
        assert answer.status_code == 200
        return answer.text

    def tick(self) -> str:
        """Return the board after a tick of the page as it is."""
        return self.do("tick", revision=self.lab.revision)


def dump(lab: Lab) -> dict[str, Any]:
    """Return everything about a lab that an action may change."""
    world = lab.world
    return {
        "control": (lab.revision, lab.speed, lab.playing, lab.notice, dict(lab.draft)),
        "time": world.now(),
        "entries": world.chronicle.entries,
        "workers": {name: (w.state, w.lease, w.refusal) for name, w in world.workers.items()},
        "jobs": world.jobs(),
    }
