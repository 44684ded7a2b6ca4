"""The board through jupyter-server-proxy, as somebody sees it who opens it from JupyterLab."""

from __future__ import annotations

from urllib.parse import urlsplit

from playwright.sync_api import Page, expect

from tests.webui.test_jupyter_proxy import TOKEN, jupyter

__all__ = ["jupyter"]  # the fixture: a Jupyter server below /user/ada/


def test_the_board_plays_below_jupyters_address(page: Page, jupyter: str) -> None:
    """Signed in to Jupyter, one steps, goes back and plays; every request stays below the prefix."""
    asked: list[str] = []
    wrong: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda line: wrong.append(line.text) if line.type == "error" else None)
    page.goto(f"{jupyter}jobkit/?token={TOKEN}")
    page.get_by_role("link", name="The zombie").click()
    page.get_by_role("button", name="Open the board").click()
    page.wait_for_selector("#board form[data-htmx-powered]", state="attached")
    clock = page.locator("#clock")
    page.get_by_role("button", name="next expiry").click()
    expect(clock).to_have_text("30.0")
    page.get_by_role("button", name="back").first.click()
    expect(clock).to_have_text("1.0")
    page.locator("#speed-50").click()
    expect(clock).to_have_text("41.0", timeout=20_000)
    prefix = f"{urlsplit(jupyter).path}jobkit/"
    assert [url for url in asked if not urlsplit(url).path.startswith(prefix)] == []
    assert {urlsplit(url).netloc for url in asked} == {urlsplit(jupyter).netloc}
    assert wrong == []
