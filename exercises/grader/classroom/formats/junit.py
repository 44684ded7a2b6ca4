"""JUnit XML, as build servers read it: a learner's exercise is a suite, a check a test case.

Source: the schema that Jenkins reads (testsuites, testsuite, testcase; failure, error and skipped inside).
"""

import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from exercises.grader.classroom.record import CheckMark, Grade, Record
from exercises.grader.judging.records import Verdict

NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
KINDS = {
    Verdict.FAIL: "failure",
    Verdict.STOPPED: "failure",
    Verdict.NOT_ATTEMPTED: "failure",
    Verdict.INCONCLUSIVE: "error",
    Verdict.GRADER_FAULT: "error",
    Verdict.SKIPPED: "skipped",
}


def junit(records: Sequence[Record]) -> str:
    """Write all records as one file."""
    root = Element("testsuites", name="jobkit")
    for record in records:
        for grade in record.grades:
            _suite(root, record.learner, grade)
    for count in ("tests", "failures", "errors", "skipped"):
        root.set(count, str(sum(int(suite.get(count, "0")) for suite in root)))
    indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _suite(root: Element, learner: str, grade: Grade) -> None:
    suite = SubElement(root, "testsuite", name=in_xml(f"{learner} {grade.exercise}"))
    if grade.problem:
        case = SubElement(suite, "testcase", classname=in_xml(f"{learner}.{grade.exercise}"), name="graded")
        SubElement(case, "error", message=in_xml(grade.problem)).text = in_xml(grade.file)
    for check in grade.checks:
        _case(suite, f"{learner}.{grade.exercise}", check)
    inside = [part.tag for case in suite for part in case]
    counts = {"failures": "failure", "errors": "error", "skipped": "skipped"}
    suite.set("tests", str(len(suite)))
    for name, tag in counts.items():
        suite.set(name, str(inside.count(tag)))


def _case(suite: Element, learner: str, check: CheckMark) -> None:
    case = SubElement(suite, "testcase", classname=in_xml(learner), name=check.name)
    if check.verdict in KINDS:
        tag = KINDS[Verdict(check.verdict)]
        part = SubElement(case, tag, message=in_xml(check.finding[0] if check.finding else check.promise))
        if tag != "skipped":
            part.set("type", check.verdict)
            part.text = in_xml("\n".join(check.finding))


def in_xml(text: str) -> str:
    r"""Write out what XML knows no way to write.

    >>> in_xml("a\x00b")
    'a\\x00b'
    """
    return NOT_IN_XML.sub(lambda found: found[0].encode("unicode_escape").decode(), text)
