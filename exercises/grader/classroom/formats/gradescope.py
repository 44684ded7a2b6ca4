"""Gradescope's `results.json` of one learner: a check a test, with its points.

Source: Gradescope's autograder specification, output format.
"""

import json
from collections.abc import Iterator
from typing import Any

from exercises.grader.classroom.record import CheckMark, Grade, Record
from exercises.grader.judging.records import Verdict


def gradescope(record: Record) -> str:
    """Write one learner's results."""
    told: dict[str, Any] = {
        "score": record.points,
        "output": "\n".join(_summary(grade) for grade in record.grades),
        "output_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [test for grade in record.grades for test in _tests(grade)],
        "extra_data": {"learner": record.learner, "possible": record.possible},
    }
    return json.dumps(told, indent=2) + "\n"


def _summary(grade: Grade) -> str:
    ended = f"not graded: {grade.problem}" if grade.problem else f"{grade.points} of {grade.possible} points"
    return f"{grade.short} {grade.title}: {ended}"


def _tests(grade: Grade) -> Iterator[dict[str, Any]]:
    if grade.problem:
        yield {
            "name": f"{grade.short}: not graded",
            "score": 0,
            "max_score": grade.possible,
            "status": "failed",
            "output": grade.problem,
            "output_format": "text",
            "visibility": "visible",
        }
    yield from (_test(grade, check) for check in grade.checks)


def _test(grade: Grade, check: CheckMark) -> dict[str, Any]:
    passed = check.verdict == Verdict.PASS
    return {
        "name": f"{grade.short}, task {check.task}: {check.name.replace('_', ' ')}",
        "score": check.earned,
        "max_score": check.points,
        "status": "passed" if passed else "failed",
        "output": check.promise if passed else "\n".join((f"{check.verdict}:", *check.finding)),
        "output_format": "text",
        "visibility": "visible",
    }
