"""An application of its own for each test, asked without a network."""

from __future__ import annotations

import random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from jinja2 import FileSystemBytecodeCache

from tests.webui.asking import BoardClient
from webui import create_app

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flask import Flask
    from flask.testing import FlaskClient


@pytest.fixture(scope="session")
def compiled() -> Iterator[FileSystemBytecodeCache]:
    """Return what templates were compiled to, for all applications: each would compile them anew."""
    with TemporaryDirectory() as folder:
        yield FileSystemBytecodeCache(folder)


@pytest.fixture
def app(compiled: FileSystemBytecodeCache) -> Flask:
    """Return a fresh application; what goes wrong in it is raised here and not made a page."""
    app = create_app({"TESTING": True})
    app.jinja_env.bytecode_cache = compiled
    return app


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    return app.test_client()


@pytest.fixture
def board(app: Flask) -> BoardClient:
    """Return an open board of the zombie scenario."""
    return BoardClient(app, "zombie")


@pytest.fixture
def dice() -> random.Random:
    """Return dice that a test throws after it has said from which seed."""
    return random.Random(0)  # noqa: S311 - a walk, no secret
