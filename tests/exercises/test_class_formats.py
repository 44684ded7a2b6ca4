"""Every format says the same as the record, whatever a learner has written into a name or a file."""

import base64
import csv
import hashlib
import io
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree.ElementTree import fromstring

import pytest

from exercises.grader.classroom.formats.github import as_output, github
from exercises.grader.classroom.formats.gradescope import gradescope
from exercises.grader.classroom.formats.junit import junit
from exercises.grader.classroom.formats.page import page
from exercises.grader.classroom.formats.table import table
from exercises.grader.classroom.record import CheckMark, Grade, Record, graded
from exercises.grader.judging.records import CheckResult, Diagnosis, Result, Verdict
from tests.exercises.grading import EXERCISE

EVIL = "</script><script>alert(1)</script>\"'&<b>"
CHECKS = (
    CheckMark("in_order", 1, "The first comes first.", "pass", 3, 3, ()),
    CheckMark("late", 2, f"Late is late {EVIL}", "fail", 0, 4, (f"expected {EVIL}", "got \x00 \x1b[2J \ufffe")),
    CheckMark("loops", 2, "It ends.", "stopped", 0, 2, ("Your code gave no answer.",)),
    CheckMark("after", 2, "It goes on.", "skipped", 0, 2, ("It waits for late.",)),
    CheckMark("bound", 2, "It is safe.", "inconclusive", 0, 2, ("12 of 90 were run.",)),
)
GOOD = Grade(
    "ex03_tokens", "Tokens", f"{EVIL}.py", 3, 13, False, "", "", CHECKS, ((EVIL, "bad"), ("fine", "plain"))
)
LOST = Grade("ex04_backoff", "Backoff", "=x.py", 0, 20, False, problem=f"The grader failed {EVIL}")
RECORD = Record(f"={EVIL}", (GOOD, LOST))
OTHER = Record("ada", (replace(GOOD, checks=CHECKS[:1], points=3, possible=3, passed=True),))


def test_a_record_survives_its_own_json():
    """What is written is all that there is."""
    assert Record.read(json.loads(json.dumps(RECORD.as_json()))) == RECORD
    assert (RECORD.as_json()["points"], RECORD.as_json()["possible"]) == (3, 33)


def test_the_table_has_a_row_for_each_learner_and_no_formula():
    """A spreadsheet takes a text that begins with = for a formula."""
    head, first, second = csv.reader(io.StringIO(table([RECORD, OTHER])))
    assert head == [
        "learner",
        "points",
        "possible",
        "ex03_tokens",
        "ex04_backoff",
        "problems",
        "undecided",
        "not counted",
    ]
    assert first[:5] == [f"'={EVIL}", "3", "33", "3", "not graded"]
    assert first[5].startswith("'=x.py: The grader failed")
    assert second == ["ada", "3", "3", "3", "", "", "", ""]


def test_junit_counts_what_it_holds():
    """Every check is a case; failures, errors and skipped ones add up; no character breaks it."""
    root = fromstring(junit([RECORD, OTHER]))  # noqa: S314  our own text
    counts = {name: root.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "7", "failures": "2", "errors": "2", "skipped": "1"}
    late = root.find(".//testcase[@name='late']/failure")
    assert late.get("message") == f"expected {EVIL}"
    assert late.text.endswith(r"got \x00 \x1b[2J \ufffe")
    assert root.find(".//testcase[@name='in_order']/*") is None
    assert len(root.findall(".//testcase[@name='graded']/error")) == 1


def test_gradescope_gets_points_for_each_check():
    """The sums are the record's, and an exercise without a grade is a test that failed."""
    told = json.loads(gradescope(RECORD))
    assert told["score"] == sum(test["score"] for test in told["tests"]) == 3
    assert sum(test["max_score"] for test in told["tests"]) == 33
    assert {test["status"] for test in told["tests"]} == {"passed", "failed"}
    assert {test["output_format"] for test in told["tests"]} == {"text"}  # html would be run
    assert told["tests"][1]["output"].startswith("fail:\nexpected")


def test_github_classroom_gets_what_its_reporter_reads():
    """The reporter adds up the scores, compares with max_score, and fails the step by status."""
    told = json.loads(github(RECORD))
    assert (told["version"], told["status"], told["max_score"]) == (1, "error", 33)
    assert [test["status"] for test in told["tests"]] == ["pass", "fail", "fail", "fail", "error", "error"]
    assert sum(test["score"] for test in told["tests"]) == 3
    assert json.loads(github(OTHER))["status"] == "pass"
    assert json.loads(github(Record("nobody", ())))["status"] == "fail"
    name, _, value = as_output(github(RECORD)).partition("=")
    assert (name, json.loads(base64.b64decode(value))) == ("result", told)


class _Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.words = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.words.append(data)


def test_a_page_shows_everything_and_runs_nothing():
    """What learners wrote is text there; the policy allows the page's own style and nothing else."""
    text = page(RECORD)
    seen = _Tags(text)
    assert not {tag for tag, _ in seen.tags} & {"script", "b", "iframe", "img", "link", "object", "form"}
    assert "".join(seen.words).count("<script>alert(1)</script>") == 5  # title, heading, file, report, problem
    style = re.search(r"<style>(.*?)</style>", text, re.DOTALL)[1]
    mark = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'sha256-{mark}'" in text
    assert not [name for _, attrs in seen.tags for name in attrs if name.startswith("on") or name == "style"]
    assert "prefers-color-scheme: dark" in style
    assert "@media print" in style


@pytest.mark.parametrize("written", [json.dumps, str])
def test_of_a_hidden_check_a_learner_sees_the_family_only(written):
    """Its input is in no trace, no value, no line, no diagnosis; and nothing says that all passed."""
    first, second = EXERCISE.checks[0], replace(EXERCISE.checks[1], hidden="any kin")
    kept = "payload-7281"
    results = (
        CheckResult(first.name, 1, first.points, first.promise, Verdict.PASS, first.about),
        CheckResult(
            second.name, 1, second.points, second.promise, Verdict.FAIL, second.about, f"because {kept}",
            (f'submit("{kept}")',), kept, kept, "wrong", None, kept,
        ),
    )  # fmt: skip
    diagnosis = Diagnosis("x", "X", kept, second.name, (kept,) * 3, exact=True)
    exercise = replace(EXERCISE, checks=(first, second))
    grade = graded(Result(EXERCISE.id, "a.py", results, diagnosis), exercise)
    said = written(Record("ada", (grade,)).as_json())
    assert kept not in said
    assert "The hidden family 'any kin' fails." in said or r"The hidden family \'any kin\' fails." in said
    assert "checks pass" not in said
    assert (grade.points, grade.passed) == (first.points, False)
