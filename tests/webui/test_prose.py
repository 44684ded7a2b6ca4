"""Tasks and lessons as pages: their Markdown is shown as what it means, and nothing in it becomes a tag."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.webui.asking import Parsed
from webui.board.markdown import prose

if TYPE_CHECKING:
    from flask import Flask


def nowhere(address: str) -> str | None:
    """Leave no link."""
    return "/there" if address == "known" else None


def test_headings_lists_tables_and_code_are_shown_as_such() -> None:
    """Headings go one step lower, for the page has its own; a table can be reached by keyboard."""
    html = prose("# A\n\n1. one\n\n| time | call |\n|--:|--|\n| 1 | `x` |\n", nowhere)
    for part in ("<h2>A</h2>", "<li>one</li>", '<table tabindex="0">', "<td>1</td>", "<code>x</code>"):
        assert part in html
    assert "style" not in html


def test_what_looks_like_html_stays_text() -> None:
    """Neither a tag nor a link to a script comes through."""
    html = prose('<script>x</script> [a](javascript:x) ![i](x" onerror="y) <b onclick=x>', nowhere)
    assert "<script" not in html
    assert "<b " not in html
    assert "href" not in html
    assert 'onerror="' not in html


def test_a_link_leads_where_the_site_has_it() -> None:
    """Others are words only."""
    assert prose("[a](known) [b](unknown)", nowhere) == '<p><a href="/there">a</a> <a>b</a></p>\n'


@pytest.mark.parametrize("page", ["/lessons/03_zombies_and_fencing", "/exercises/ex03"])
def test_a_page_has_one_title_and_no_marks_of_markdown(app: Flask, page: str) -> None:
    """No heading, table or bold text is left as it was typed."""
    html = app.test_client().get(page).text
    assert html.count("<h1>") == 1
    words = Parsed(html).text
    assert "**" not in words
    assert "| time" not in words
