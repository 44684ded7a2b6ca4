"""What tests of several folders share."""

import pytest


@pytest.fixture
def no_board(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever else runs on this machine: no board is at the address that reports name."""
    monkeypatch.setenv("JOBKIT_BOARD", "http://127.0.0.1:9/")
