"""What the first lesson says about what is installed, and what is not."""

from importlib.metadata import PackageNotFoundError, version
from typing import Any

import lesson  # type: ignore[import-not-found]
import lesson_setup  # type: ignore[import-not-found]
import pytest


def test_everything_is_found_here() -> None:
    """With all extras installed nothing is missing, and each line says what it is for."""
    assert lesson.installed().text.endswith("Everything is here.")
    assert [f.what for f in lesson_setup.look() if not f.needed_for] == []


@pytest.mark.parametrize("package", ["jobkit", "jupyterlab", "ipywidgets"])
def test_a_missing_package_comes_with_advice(package: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is missing is named, with what it is needed for and what to do; the others are still looked for."""

    def without(name: Any) -> Any:
        if name == package:
            raise PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(lesson_setup, "version", without)
    (line,) = [line for line in lesson.installed().text.splitlines() if line.startswith("MISSING")]
    assert package in line
    assert "needed for" in line
    assert "make lab" in line
    assert lesson.installed().text.endswith("1 of 6 missing: see above.")


def test_a_broken_board_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot even be imported is no traceback."""

    def broken(name: Any) -> None:
        raise ImportError(f"no <{name}> today")

    monkeypatch.setattr(lesson_setup, "import_module", broken)
    shown = lesson.installed()
    assert "(ImportError: no <webui> today)" in shown.text
    assert shown.text.endswith("2 of 6 missing: see above.")
    assert "&lt;webui&gt;" in shown.html


def test_an_old_python_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before 3.11 the kit says which Python to install."""
    monkeypatch.setattr(lesson_setup, "_OLDEST_PYTHON", (99, 0))
    assert "MISSING  Python      needed for everything. Install Python 3.11" in lesson.installed().text
