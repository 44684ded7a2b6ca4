"""What the README says is so."""

import re
import subprocess
from typing import Any

import pytest

from tests.project.readme_blocks import README, ROOT, written
from webui.cli import main

TEXT = README.read_text(encoding="utf-8")


def _named(pattern: Any) -> Any:
    """Return what the README's code names: in indented lines and between backticks."""
    code = re.findall(r"^    .*$|`[^`\n]+`", TEXT, re.MULTILINE)
    return sorted({name for piece in code for name in re.findall(r"(?<![\w-])" + pattern, piece)})


def test_the_made_parts_are_as_made() -> None:
    """Trace, scenarios, lessons and exercises are those of the project; `make readme` writes them anew."""
    assert written(TEXT) == TEXT


@pytest.mark.parametrize("target", _named(r"make ([a-z][a-z-]+)"))
def test_each_make_target_exists(target: Any) -> None:
    """A target that the README names is one that make knows."""
    known = subprocess.run(["make", "--dry-run", target], cwd=ROOT, capture_output=True, check=False)
    assert known.returncode == 0


@pytest.mark.parametrize("command", _named(r"jobkit ([a-z-]+)"))
def test_each_command_exists(command: Any) -> None:
    """A command that the README names is one of jobkit's."""
    assert command in main.commands


@pytest.mark.parametrize(
    "path", sorted(set(re.findall(r"`((?:jobqueue|webui|notebooks|tests)/[\w./]*)`", TEXT)))
)
def test_each_path_exists(path: Any) -> None:
    """A file or folder that the README names is there."""
    assert (ROOT / path).exists()


def test_the_picture_is_there() -> None:
    """The README's picture is in the project."""
    for path in re.findall(r"\]\((\S+?)\)", TEXT):
        assert (ROOT / path).exists()


def test_each_file_of_the_kit_that_is_named_exists() -> None:
    """Where README, CONTRIBUTING or a lesson sends a reader to a file, it is there."""
    texts = [README, ROOT / "CONTRIBUTING.md", *sorted((ROOT / "notebooks").glob("*.ipynb"))]
    named = re.compile(r"\b(?:jobqueue|webui|exercises|tests|notebooks)/[a-z_0-9/]+\.(?:py|toml|html)\b")
    missing = [
        f"{text.name} names {name}"
        for text in texts
        for name in sorted(set(named.findall(text.read_text(encoding="utf-8"))))
        if not (ROOT / name).exists()
    ]
    assert missing == []
