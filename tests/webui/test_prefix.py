"""Below any prefix: every address leads to a page of ours, whether the proxy cuts the prefix or hands it on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

import pytest

from jobqueue.simulation import SCENARIOS
from tests.webui.asking import HTMX, Parsed
from webui import create_app

if TYPE_CHECKING:
    from flask.testing import FlaskClient

PREFIXES = ["", "/user/ada/proxy/8888", "/lab"]
ADDRESSES = ("href", "src", "action", "formaction", "hx-get", "hx-post", "data-address")
REDIRECTS = {302, 303, 308}
FINE = {200, 303, 400, 422}
"""An empty form is refused with words, which is as good as an answer here."""


def shape(address: str) -> str:
    """Return an address without what differs from board to board: boards of one sort are alike."""
    return re.sub(r"/(labs|b)/[^/]+", r"/\1/*", urlsplit(address).path)


class Crawler:
    """Follows every sort of address on every page, as a browser would, through a proxy at a prefix."""

    def __init__(self, client: FlaskClient, prefix: str, *, cuts: bool) -> None:
        self.client = client
        self.prefix = prefix
        self.cuts = cuts
        self.answers: dict[tuple[str, str], int] = {}

    def go(self, method: str, address: str, headers: dict[str, str] | None = None) -> None:
        """Ask for an address, and for all that its answer leads to."""
        assert address.startswith(f"{self.prefix}/"), f"{address} leaves the prefix"
        key = (f"{method} as fragment" if headers else method, shape(address))
        if key in self.answers:
            return
        path = address.partition("#")[0]
        path = path.removeprefix(self.prefix) if self.cuts else path
        form = {"type": "mail"} if method == "POST" else None
        answer = self.client.open(path, method=method, data=form, headers=headers)
        self.answers[key] = answer.status_code
        for name in ("Location", "HX-Redirect"):
            if name in answer.headers:
                self.go("GET", urljoin(address, answer.headers[name]))
        if answer.mimetype == "text/html" and answer.status_code not in REDIRECTS:
            self.follow(address, answer.text)
        answer.close()

    def follow(self, address: str, html: str) -> None:
        """Go on to everything that a page names."""
        for tag, attributes in Parsed(html).elements:
            is_post = tag == "form" and attributes.get("method") == "post"
            for name in ADDRESSES:
                if name not in attributes or attributes[name].startswith("#"):
                    continue
                found = urljoin(address, attributes[name])
                if name == "hx-post":
                    self.go("POST", found, HTMX)
                else:
                    self.go("POST" if is_post and name == "action" else "GET", found)


@pytest.mark.parametrize("cuts", [True, False], ids=["cuts", "hands on"])
@pytest.mark.parametrize("prefix", PREFIXES)
def test_no_address_leaves_the_prefix_or_leads_nowhere(prefix: str, cuts: bool) -> None:
    """All pages, styles, scripts, forms and redirects: none is 404, none begins elsewhere."""
    app = create_app({"TESTING": True, "PREFIX": prefix, "MOST_LABS": 40})
    crawler = Crawler(app.test_client(), prefix, cuts=cuts)
    crawler.go("GET", f"{prefix}/")
    assert {key: status for key, status in crawler.answers.items() if status not in FINE} == {}
    asked = {method: [key for key in crawler.answers if key[0] == method] for method, _ in crawler.answers}
    assert {method: len(keys) >= 15 for method, keys in asked.items()} == dict.fromkeys(asked, True)
    assert len(asked["GET"]) >= len(SCENARIOS) + 15


@pytest.mark.parametrize("path", ["/user/ada/jobkit", "/user/ada/jobkit/", "/"])
def test_the_first_page_is_there_with_and_without_a_slash(path: str) -> None:
    """Whatever a proxy makes of the bare prefix."""
    client = create_app({"TESTING": True, "PREFIX": "user/ada/jobkit/"}).test_client()
    answer = client.get(path)
    assert answer.status_code == 200
    assert 'href="/user/ada/jobkit/static/tokens.css"' in answer.text


def test_a_name_that_only_begins_like_the_prefix_is_another() -> None:
    """/labs is not below /lab."""
    client = create_app({"TESTING": True, "PREFIX": "/lab"}).test_client()
    assert client.get("/labs/zombie-gone").status_code == 410
    assert client.get("/lab/labs/zombie-gone").status_code == 410
