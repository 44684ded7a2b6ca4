"""The wrong ideas that an exercise knows, read from its mutants.toml: how each is built, and what it fails.

A wrong idea is known by what it *does*: which checks it fails, and how each of them fails. A call that is
wrongly accepted and one that is refused with the wrong error fail the same check, but not the same way.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from exercises.grader.errors import BadExerciseError

HINTS = 3


def edited(text: str, edits: Sequence[tuple[str, str]], name: str) -> str:
    """Return a text with the old texts replaced by the new ones.

    Raises:
        BadExerciseError: An old text is not there exactly once; the message calls the text by `name`.
    """
    for old, new in edits:
        if (count := text.count(old)) != 1:
            raise BadExerciseError(f"its old text is {count} times in {name}, not once")
        text = text.replace(old, new)
    return text


@dataclass(frozen=True, slots=True)
class Form:
    """One way to build a wrong idea into the solution: texts to replace, mostly a single one.

    `fails` maps each check that it fails to how that check fails. `killed_by` is the one among them whose
    trace shows the idea best.
    """

    edits: tuple[tuple[str, str], ...]
    killed_by: str
    fails: Mapping[str, str]

    def applied_to(self, solution: str) -> str:
        """Return the solution with the edits made.

        Raises:
            BadExerciseError: An old text is not there exactly once.
        """
        return edited(solution, self.edits, "solution.py")


@dataclass(frozen=True, slots=True)
class Misconception:
    """One wrong idea, in the words that a learner reads, and the forms in which it is met.

    The first form is the usual one: it passes the happy path, where others may break at once.

    The sentence and the hints must be true of every form: what they claim, the failed checks have shown.
    """

    id: str
    title: str
    sentence: str
    hints: tuple[str, ...]
    forms: tuple[Form, ...]
    scenario: str = ""  # of the board, one that shows the same mistake; empty if none does

    @property
    def killed_by(self) -> str:
        """The check that shows the usual form best."""
        return self.forms[0].killed_by

    def applied_to(self, solution: str) -> str:
        """Return the solution with the usual form built in."""
        return self.forms[0].applied_to(solution)


def read_misconception(entry: dict[str, Any]) -> Misconception:
    """Read one entry of mutants.toml. Its own edit is the usual form; `form` lists others, if there are any."""
    others = [_form({"killed_by": entry["killed_by"], **form}) for form in entry.get("form", [])]
    forms = (_form(entry), *others)
    hints, scenario = tuple(entry["hints"]), entry.get("scenario", "")
    return Misconception(entry["id"], entry["title"], entry["sentence"], hints, forms, scenario)


def _form(entry: dict[str, Any]) -> Form:
    edits = zip(_texts(entry["old"]), _texts(entry["new"]), strict=True)
    fails = {check: how for how, checks in entry["fails"].items() for check in checks}
    return Form(tuple(edits), entry["killed_by"], fails)


def _texts(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def contradictions(known: Sequence[Misconception], checks: Sequence[str]) -> list[str]:
    """Everything in which the entries contradict each other or the names of the checks."""
    found = [
        f"{wrong.id}: killed_by must be one of fails, and each of them a check"
        for wrong in known
        for form in wrong.forms
        if not set(form.fails) <= set(checks) or form.killed_by not in form.fails
    ]
    found += [
        f"{wrong.id}: needs {HINTS} hints, has {len(wrong.hints)}"
        for wrong in known
        if len(wrong.hints) != HINTS
    ]
    ids = [wrong.id for wrong in known]
    return found + [f"{name}: two misconceptions of this id" for name in sorted({*ids}) if ids.count(name) > 1]
