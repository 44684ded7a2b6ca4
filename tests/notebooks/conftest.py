"""Lets the tests import what the lessons import: a kernel's own folder is notebooks/."""

import sys
from importlib import import_module

import pytest

from tests.notebooks.cells import NOTEBOOKS

sys.path.insert(0, str(NOTEBOOKS))


@pytest.fixture(autouse=True)
def one_address(monkeypatch: pytest.MonkeyPatch) -> None:
    """The board is at a fixed address, nobody is there to click on a button, and nothing was answered yet."""
    monkeypatch.setenv("JOBKIT_BOARD", "http://127.0.0.1:8000")
    monkeypatch.setenv("JOBKIT_WIDGETS", "0")
    monkeypatch.setattr(import_module("lesson_questions"), "_ANSWERS", {})
