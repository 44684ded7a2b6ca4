"""What goes wrong is said on a page of the kit's own, with a way back; and what downloads say of themselves."""

from __future__ import annotations

import re
from typing import Any

import pytest

from jobqueue import StoreError
from tests.live.conftest import Live
from tests.webui.asking import Parsed, words


def broken(*_: Any, **__: Any) -> None:
    raise RuntimeError("a fault")


@pytest.mark.parametrize(
    "asked",
    [
        (400, "GET", "/live/jobs?type=%00"),
        (400, "POST", "/live/dead/redrive"),
        (401, "POST", "/live/jobs"),
        (403, "POST", "/live/dead/confirm"),
        (404, "GET", "/live/jobs/J99"),
        (404, "GET", "/live/jobs/J1/x"),
        (404, "GET", "/live/nothing"),
        (404, "GET", "/scenarios/nothing"),
        (404, "GET", "/labs/a/b/c"),
        (405, "GET", "/live/dead/redrive"),
        (405, "POST", "/live/dead"),
        (405, "GET", "/live/types/pause?type=mail"),
        (413, "POST", "/live/jobs"),
        (500, "GET", "/live/jobs/J1"),
        (503, "GET", "/live/stream"),
    ],
)
@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}], ids=["page", "htmx"])
def test_every_error_is_the_kits_own_page(
    live: Any, monkeypatch: pytest.MonkeyPatch, asked: Any, headers: Any
) -> None:
    """In its words, with a way back: never the framework's."""
    status, method, path = asked
    live.dead(1)
    form = {"payload": "x" * 100_000} if status == 413 else {}
    if status == 401:
        live = Live(live.store, live.clock, with_tokens=True)
    elif status == 403:
        headers = headers | {"Sec-Fetch-Site": "cross-site"}
    elif status == 500:
        monkeypatch.setitem(live.app.config, "PROPAGATE_EXCEPTIONS", False)
        monkeypatch.setattr(live.service.queue, "view", broken)
    elif status == 503:
        live = Live(live.store, live.clock, most_streams=0)
    answer = live.client.open(path, method=method, headers=headers, data=form)
    assert answer.status_code == status
    page = Parsed(answer.text)
    assert page.ids["problem"] == 1
    assert not re.search(
        r"URL|server|not allowed for|capacity|Not Found|Bad Request|Internal|Unauthorized|Forbidden", page.text
    )
    links = {a["href"] for a in page.all("a")}
    assert ("/live/sign-in" if status == 401 else "/live/" if path.startswith("/live") else "/") in links


def test_every_download_says_what_it_is_once(live: Any) -> None:
    """One type, one charset, a name, no guessing by the browser."""
    live.store.submit("mail", "x")
    board = live.client.post("/scenarios/zombie/labs").headers["Location"]
    for path in ("/live/jobs/J1/payload", f"{board}/story.json", f"{board}/test.py", f"{board}/timeline.svg"):
        answer = live.client.get(path)
        assert answer.status_code == 200, path
        assert answer.headers["Content-Type"].count("charset") <= 1
        assert len(answer.headers.getlist("Content-Type")) == 1
        assert "filename=" in answer.headers["Content-Disposition"]
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


def test_a_job_that_is_not_there_is_a_friendly_404(live: Any) -> None:
    """For each address that has an id."""
    for path in ("/jobs/J9", "/jobs/x", "/jobs/J9/payload", "/jobs/%00"):
        assert "There is no such job" in words(live.page(path, 404))
    for path in ("/jobs/J9/cancel", "/jobs/J9/redrive"):
        assert live.client.post(f"/live{path}").status_code == 404


def test_a_store_that_does_not_answer_is_a_friendly_503(live: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """On every page and for every action, with words and a way on."""

    def broken(*_: Any, **__: Any) -> None:
        raise StoreError("the disk is full")

    live.dead(1)
    for name in ("stats", "list_jobs", "view", "submit", "cancel", "redrive", "redrive_many", "pause"):
        monkeypatch.setattr(live.store, name, broken)
    for path in ("/", "/jobs", "/dead", "/jobs/J1"):
        assert "the disk is full" in words(live.page(path, 503))
    for path in ("/jobs", "/types/pause?type=mail", "/jobs/J1/cancel"):
        assert live.client.post(f"/live{path}", data={"type": "mail"}).status_code == 503
