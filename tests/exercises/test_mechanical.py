"""Small wrong changes by rule: which ones are made, and that one which nobody notices is told."""

import ast
from dataclasses import replace

import pytest

from exercises.grader.proving import verify
from exercises.grader.proving.mechanical import Mechanical, mechanical_mutants
from tests.exercises.grading import EXERCISE, SOLUTION

SAMPLE = """
def settle(self, jobs):
    for job in jobs:
        if job.late < 1:
            self.end(job)
            job.count += 1
"""


def test_each_rule_makes_its_change() -> None:
    """Every kind once, in the order of the source."""
    assert [one.change.removeprefix("settle: ") for one in mechanical_mutants(SAMPLE)] == [
        "for job in jobs: -> break",
        "if job.late < 1: -> if not job.late < 1:",
        "if job.late < 1: -> break",
        "if job.late < 1: -> if job.late <= 1:",
        "if job.late < 1: -> if 1 < job.late:",
        "if job.late < 1: -> if job.late < 2:",
        "self.end(job) -> dropped",
        "job.count += 1 -> dropped",
        "job.count += 1 -> job.count += 2",
    ]


def test_each_change_is_one_and_makes_a_text_that_python_reads() -> None:
    """No two texts are the same, none is the original."""
    texts = [one.text for one in mechanical_mutants(SOLUTION)]
    assert len(texts) > 25
    assert len({*texts, ast.unparse(ast.parse(SOLUTION)) + "\n"}) == len(texts) + 1


@pytest.mark.parametrize(
    ("listed", "says"),
    [
        ({}, ["no check fails 'harmless': add one, or list it as equivalent with the reason"]),
        ({"harmless": "why"}, []),
        ({"harmless": "why", "gone": "why"}, ["equivalent 'gone' is no change that is made"]),
        (
            {"harmless": "why", "harmful": "why"},
            ["'harmful' is listed as equivalent, but a check fails it"],
        ),
    ],
    ids=["unnoticed", "listed", "no such change", "wrongly listed"],
)
def test_a_change_that_no_check_notices_must_be_listed(
    monkeypatch: pytest.MonkeyPatch, listed: dict[str, str], says: list[str]
) -> None:
    """And what is listed must exist and must be harmless."""
    made = [
        Mechanical("harmless", SOLUTION.replace("generation: int = 0", "generation: int = 5")),
        Mechanical("harmful", SOLUTION.replace("now >= job", "now > job")),
    ]
    monkeypatch.setattr(verify, "mechanical_mutants", lambda _: made)
    found = verify.PARTS["mechanical mutants"](replace(EXERCISE, equivalents=listed))
    assert sorted(found) == sorted(says)
