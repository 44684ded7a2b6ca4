"""What a page is made of: nothing from elsewhere, nothing inline, and a script that is the one we vendored."""

import hashlib
import re
from pathlib import Path

import pytest

import webui

ROOT = Path(webui.__file__).parent
VENDOR = ROOT / "static" / "vendor"
OURS = sorted(
    path
    for folder in ("templates", "static")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in {".html", ".css", ".js"} and VENDOR not in path.parents
)
FORBIDDEN = {
    "a style of its own": r"\sstyle\s*=|<style\b|\.style\b|cssText",
    "a script of its own": r"<script(?![^>]*\bsrc=)|javascript:",
    "an event handler": r"\son[a-z]+\s*=\s*[\"']|\bhx-on\b",
    "another host": r"https?://|[\"'(]//\w|@import",
    "an address from the root": r"(?:href|src|action|hx-\w+)\s*=\s*[\"']/|(?:url|fetch|open)\([\"'`]?/",
    "code from text": r"\beval\(|new Function|innerHTML|document\.write",
}


def versions() -> dict[str, dict[str, str]]:
    """Return the records of the vendored files, by file."""
    records = (VENDOR / "VERSIONS.txt").read_text(encoding="utf-8").strip().split("\n\n")
    fields = [dict(line.split(": ", 1) for line in record.splitlines()) for record in records]
    return {record["file"]: record for record in fields}


@pytest.mark.parametrize("what", FORBIDDEN)
@pytest.mark.parametrize("path", OURS, ids=lambda path: path.name)
def test_a_file_of_ours_has_none_of(path: Path, what: str) -> None:
    """The content security policy forbids it, or a prefix in front of the address would break it."""
    assert re.findall(FORBIDDEN[what], path.read_text(encoding="utf-8")) == []


def test_the_search_finds_what_it_looks_for() -> None:
    """Each pattern would see the thing itself."""
    samples = {
        "a style of its own": '<p style="color: red">',
        "a script of its own": "<script>go()</script>",
        "an event handler": '<b onclick="go()">',
        "another host": '<link href="https://cdn.example/x.css">',
        "an address from the root": '<a href="/labs">',
        "code from text": "box.innerHTML = text",
    }
    assert [what for what, pattern in FORBIDDEN.items() if not re.search(pattern, samples[what])] == []
    assert len(OURS) >= 12


def test_each_vendored_file_is_the_one_that_was_written_down() -> None:
    """Name, version, source, licence and SHA-256 of every script in the folder, and of no other."""
    scripts = {path.name for path in VENDOR.iterdir() if path.suffix in {".js", ".css"}}
    assert scripts == set(versions())
    for name, record in versions().items():
        content = (VENDOR / name).read_bytes()
        assert hashlib.sha256(content).hexdigest() == record["sha256"]
        assert f'"{record["version"]}"' in content.decode("utf-8")
        assert record.keys() == {"file", "name", "version", "source", "licence", "licence file", "sha256"}
        assert (VENDOR / record["licence file"]).is_file()
