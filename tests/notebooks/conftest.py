"""Lets the tests import what the lessons import: a kernel's own folder is notebooks/."""

import sys

import pytest

from tests.notebooks.cells import NOTEBOOKS

sys.path.insert(0, str(NOTEBOOKS))


@pytest.fixture(autouse=True)
def one_address(monkeypatch):
    """The board is said to be at a fixed address, and nobody is there to click on a button."""
    monkeypatch.setenv("JOBKIT_BOARD", "http://127.0.0.1:8000")
    monkeypatch.setenv("JOBKIT_WIDGETS", "0")
