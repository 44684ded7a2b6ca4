"""A real browser: Chromium as the machine has it, and the board served from this process.

Where there is no Chromium these tests are skipped with one line; where `CI` is set that is a failure.
"""

from __future__ import annotations

import os
import shutil
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from jobqueue.simulation import SCENARIOS
from webui import create_app
from webui.server import listen, serving

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import BrowserContext, Page

    from webui.board.labs import Lab

NAMES = [os.environ.get("JOBKIT_CHROMIUM", ""), "chromium", "chromium-browser", "google-chrome"]
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
MISSING = "no Chromium on this machine: install the package chromium to run the browser tests"
HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark everything in this folder."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker("browser")


@pytest.fixture(scope="session")
def browser_type_launch_args() -> dict[str, Any]:
    """Launch the installed Chromium, able to run as root, and quiet on the network."""
    if CHROMIUM is None:
        if os.environ.get("CI"):
            pytest.fail(MISSING)
        pytest.skip(MISSING)
    quiet = ["first-run", "background-networking", "component-update", "sync"]
    flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]
    return {"executable_path": CHROMIUM, "args": flags + [f"--disable-{name}" for name in quiet[1:]]}


class Site:
    """The board served at an address of its own, with a way past the pages into its labs."""

    def __init__(self, url: str, app: Any) -> None:
        self.url = url
        self.labs = app.extensions["labs"]

    def board(self, scenario: str, at: int = 0) -> tuple[str, Lab]:
        """Return the address of a new board that stands at an instant, and its lab."""
        lab = self.labs.open(SCENARIOS[scenario])
        lab.world.advance_to(at)
        return f"{self.url}/labs/{lab.id}", lab


def visit(page: Page, url: str) -> None:
    """Open a board and wait for its script: before that, a button is a plain form and loads the page anew."""
    page.goto(url)
    page.wait_for_selector("#board form[data-htmx-powered]", state="attached")


@contextmanager
def served() -> Iterator[Site]:
    """Serve a fresh application at a free port until the end of the block."""
    app = create_app()
    with closing(listen("127.0.0.1", 0)) as sock, serving(app, sock):
        yield Site(f"http://127.0.0.1:{sock.getsockname()[1]}", app)


@pytest.fixture(scope="session")
def site() -> Iterator[Site]:
    """Return the one site of these tests; each of them opens boards of its own."""
    with served() as site:
        yield site


@pytest.fixture(scope="session")
def base_url(site: Site) -> str:
    """Return where relative addresses begin; the plugin's own fixture of this name warns under pytest 9."""
    return site.url


Looks = list[tuple[Any, int]]

LOOKS: dict[str, Looks] = {
    "light and wide": [("light", 1280)],
    "the other three": [("dark", 390), ("dark", 1280), ("light", 390)],
}


@pytest.fixture(params=["light and wide", pytest.param("the other three", marks=pytest.mark.long)])
def looks(request: pytest.FixtureRequest) -> Looks:
    """Return themes and widths to look at a page in: one pair, and the other three in heavy runs."""
    return LOOKS[request.param]


@pytest.fixture
def complaints() -> list[str]:
    """Return what the browser's console said; a test that provokes something takes it out."""
    return []


@pytest.fixture(autouse=True)
def well_behaved(context: BrowserContext, complaints: list[str]) -> Iterator[None]:
    """No page asks another host for anything, breaks its own security policy, or throws."""
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    context.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    context.on("weberror", lambda error: complaints.append(str(error.error)))
    context.set_default_timeout(10_000)
    yield
    assert [url for url in asked if not url.startswith("http://127.0.0.1:")] == []
    assert complaints == []


@pytest.fixture
def plain(new_context: Callable[..., BrowserContext]) -> Page:
    """Return a page whose browser runs no scripts."""
    page = new_context(java_script_enabled=False).new_page()
    page.set_default_timeout(10_000)
    return page
