"""The one flag of these tests: golden traces are rewritten only when somebody asks for it."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the flag; it is known where this folder is named: `pytest tests/simulation --rewrite-golden`."""
    parser.addoption(
        "--rewrite-golden",
        action="store_true",
        help="write the golden traces anew; then read the difference before you keep it",
    )


@pytest.fixture
def rewrite_golden(request: pytest.FixtureRequest) -> bool:
    """Return whether the flag was given; without this folder on the command line there is no flag."""
    return bool(request.config.getoption("--rewrite-golden", default=False))
