"""GitHub Classroom: the result that its autograding reporter takes, and the line that hands it over.

The reporter is a step of a workflow. It reads, for each runner, the variable `<RUNNER>_RESULTS`: this JSON in
base64, which an earlier step writes as its output `result`.
Source: github.com/classroom-resources/autograding-grading-reporter.
"""

import base64
import json
from typing import Any

from exercises.grader.classroom.record import CheckMark, Grade, Record
from exercises.grader.judging.records import Verdict

VERSION = 1
STATUS = {Verdict.PASS: "pass", Verdict.INCONCLUSIVE: "error", Verdict.GRADER_FAULT: "error"}


def github(record: Record) -> str:
    """Write one learner's result."""
    tests = [test for grade in record.grades for test in _tests(grade)]
    states = {test["status"] for test in tests}
    told: dict[str, Any] = {
        "version": VERSION,
        "status": "error" if "error" in states else "fail" if "fail" in states or not tests else "pass",
        "max_score": record.possible,
        "tests": tests,
    }
    return json.dumps(told, indent=2) + "\n"


def as_output(result: str) -> str:
    """The same result as one line for a step's $GITHUB_OUTPUT."""
    return f"result={base64.b64encode(result.encode()).decode()}\n"


def _tests(grade: Grade) -> list[dict[str, Any]]:
    if grade.problem:
        name = f"{grade.short} {grade.title}"
        return [{"name": name, "status": "error", "score": 0, "message": grade.problem, "filename": grade.file}]
    return [_test(grade, check) for check in grade.checks]


def _test(grade: Grade, check: CheckMark) -> dict[str, Any]:
    return {
        "name": f"{grade.short}, task {check.task}: {check.name.replace('_', ' ')}",
        "status": STATUS.get(Verdict(check.verdict), "fail"),
        "score": check.earned,
        "message": "\n".join(check.finding) or None,
        "test_code": check.promise,
        "filename": grade.file,
    }
