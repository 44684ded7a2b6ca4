"""An application of its own for each test, asked without a network."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.webui.asking import BoardClient
from webui import create_app

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient


@pytest.fixture
def app() -> Flask:
    """Return a fresh application; what goes wrong in it is raised here and not made a page."""
    return create_app({"TESTING": True})


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def board(app: Flask) -> BoardClient:
    """Return an open board of the zombie scenario."""
    return BoardClient(app, "zombie")
