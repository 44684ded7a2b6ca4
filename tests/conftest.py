"""What tests of several folders share: the flag that rewrites golden files, and what heavy runs are called."""

from __future__ import annotations

import os
from collections import Counter

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the one flag: golden files are rewritten only when somebody asks for it."""
    parser.addoption(
        "--rewrite",
        action="store_true",
        help="write all golden files anew; then read the difference before you keep it",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Hand the flag on to the processes that run tests side by side."""
    if config.getoption("--rewrite"):
        os.environ["JOBKIT_WRITE_GOLDEN"] = "1"


def pytest_report_collectionfinish(config: pytest.Config, items: list[pytest.Item]) -> list[str]:
    """Before heavy runs, say what each is: minutes may pass without a dot."""
    if config.getoption("markexpr") != "long":
        return []
    cases = Counter((item.nodeid.partition("[")[0], _rule(item)) for item in items)
    return [f"{count} x {test}: {rule}" for (test, rule), count in cases.items()]


def _rule(item: pytest.Item) -> str:
    """Return the first line of a test's docstring."""
    return (getattr(getattr(item, "function", None), "__doc__", None) or "").partition("\n")[0]


@pytest.fixture
def rewrite() -> bool:
    """Return whether golden files are to be rewritten."""
    return bool(os.environ.get("JOBKIT_WRITE_GOLDEN"))


@pytest.fixture
def no_board(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever else runs on this machine: no board is at the address that reports name."""
    monkeypatch.setenv("JOBKIT_BOARD", "http://127.0.0.1:9/")
