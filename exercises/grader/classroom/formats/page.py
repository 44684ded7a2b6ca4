"""One learner's grades as a page: a single file without script, which any browser shows and prints.

Everything in it was written by somebody else, or quotes somebody: all of it is escaped, and a policy in the
page forbids it to load or run anything.
"""

import base64
import hashlib
from collections.abc import Iterator
from functools import cache
from html import escape
from pathlib import Path

from exercises.grader.classroom.record import Grade, Record

HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-{mark}'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
<main>
"""
TABLE_HEAD = """<table>
<thead><tr><th scope="col">Exercise</th><th scope="col">File</th>
<th scope="col" class="number">Points</th><th scope="col" class="number">Of</th></tr></thead>
<tbody>
"""
TONES = {"good", "bad", "strong", "quiet"}


def page(record: Record) -> str:
    """Write one learner's page."""
    return "".join(_parts(record))


@cache
def _style() -> str:
    return (Path(__file__).parent / "page.css").read_text(encoding="utf-8")


def _parts(record: Record) -> Iterator[str]:
    style = _style()
    mark = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    learner = escape(record.learner)
    yield HEAD.format(mark=mark, title=f"{learner}: {record.points} of {record.possible}", style=style)
    yield f'<h1>{learner}</h1>\n<p class="strong">{record.points} of {record.possible} points</p>\n'
    yield TABLE_HEAD
    for grade in record.grades:
        name = f'<a href="#{escape(grade.exercise)}">{escape(grade.short)} {escape(grade.title)}</a>'
        points = "not graded" if grade.problem else f"{grade.points}{'?' if grade.undecided else ''}"
        yield f'<tr><th scope="row">{name}</th><td>{escape(grade.file)}</td>'
        yield f'<td class="number">{points}</td><td class="number">{grade.possible}</td></tr>\n'
    yield "</tbody>\n</table>\n"
    for grade in record.grades:
        yield from _section(grade)
    yield "</main>\n</body>\n</html>\n"


def _section(grade: Grade) -> Iterator[str]:
    yield f'<section id="{escape(grade.exercise)}">\n<h2>{escape(grade.short)} {escape(grade.title)}</h2>\n'
    if grade.problem:
        yield f'<p class="bad">Not graded: {escape(grade.problem)}</p>\n</section>\n'
        return
    if grade.undecided:
        yield f'<p class="bad">Not all of it could be decided: {escape(grade.undecided)}</p>\n'
    yield "<pre>"
    for text, tone in grade.report:
        words = escape(text)
        yield f'<span class="{tone}">{words}</span>\n' if tone in TONES else f"{words}\n"
    yield "</pre>\n</section>\n"
