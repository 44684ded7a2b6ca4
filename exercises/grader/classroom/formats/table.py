"""The class as one table (CSV): a learner a row, an exercise a column."""

import csv
import io
from collections.abc import Sequence

from exercises.grader.classroom.record import Grade, Record

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet would take for one, and run


def table(records: Sequence[Record]) -> str:
    """Write the table: learner, sum, possible, points of each exercise; empty where nothing was handed in."""
    exercises = sorted({grade.exercise for record in records for grade in record.grades})
    written = io.StringIO()
    rows = csv.writer(written, lineterminator="\n")
    rows.writerow(["learner", "points", "possible", *exercises, "problems", "undecided", "not counted"])
    for record in records:
        by_exercise = {grade.exercise: grade for grade in record.grades}
        cells = [_cell(by_exercise.get(name)) for name in exercises]
        problems = "; ".join(f"{grade.file}: {grade.problem}" for grade in record.problems)
        undecided = "; ".join(f"{grade.file}: {grade.undecided}" for grade in record.undecided)
        last = [harmless(one) for one in (problems, undecided, "; ".join(record.older))]
        rows.writerow([harmless(record.learner), record.points, record.possible, *cells, *last])
    return written.getvalue()


def _cell(grade: Grade | None) -> str:
    if grade is None:
        return ""
    return "not graded" if grade.problem else str(grade.points)


def harmless(text: str) -> str:
    """Keep a spreadsheet from running a text as a formula.

    >>> harmless("=1+1"), harmless("ada")
    ("'=1+1", 'ada')
    """
    return f"'{text}" if text.startswith(FORMULA) else text
