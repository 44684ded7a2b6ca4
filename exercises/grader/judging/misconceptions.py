"""The wrong ideas that an exercise knows, read from its mutants.toml: how each is built, and its words.

A wrong idea is known by what it *does*: which checks it fails, and how each of them fails. A call that is
wrongly accepted and one that is refused with the wrong error fail the same check, but not the same way.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from exercises.grader.errors import BadExerciseError
from exercises.grader.judging.verdicts import Written

HINTS = 3
SHARED = "misconceptions.toml"  # the words about ideas that are met in several exercises


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

    `killed_by` is the check whose trace shows the idea best. `written` holds what this form fails, and how.
    """

    edits: tuple[tuple[str, str], ...]
    killed_by: str
    written: Written = field(default=Written({}), repr=False)

    @property
    def fails(self) -> Mapping[str, str]:
        """Each check that it fails, and how that check fails; empty as long as nobody has written it down."""
        return self.written.fails

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


def read_misconception(
    entry: Mapping[str, Any], verdicts: Mapping[str, Sequence[Written]], shared: Mapping[str, Mapping[str, Any]]
) -> Misconception:
    """Read one entry of mutants.toml. Its own edit is the usual form; `form` lists others, if there are any.

    Args:
        entry: The entry. Where it has `words` instead of a title, a sentence and hints, they are in `shared`.
        verdicts: What each form fails, by the id of the idea.
        shared: The words about ideas that are met in several exercises.
    """
    words = shared[entry["words"]] if "words" in entry else entry
    forms = [entry, *entry.get("form", [])]
    written = [*verdicts.get(entry["id"], ()), *[Written({})] * len(forms)]  # a new form has none yet
    return Misconception(
        entry["id"],
        words["title"],
        words["sentence"],
        tuple(words["hints"]),
        tuple(
            _form({"killed_by": entry["killed_by"], **form}, found)
            for form, found in zip(forms, written, strict=False)
        ),
        entry.get("scenario", ""),
    )


def _form(entry: Mapping[str, Any], written: Written) -> Form:
    edits = zip(_texts(entry["old"]), _texts(entry["new"]), strict=True)
    return Form(tuple(edits), entry["killed_by"], written)


def _texts(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def contradictions(known: Sequence[Misconception], checks: Sequence[str]) -> list[str]:
    """Everything in which the entries contradict each other or the names of the checks."""
    found = [
        f"{wrong.id}: killed_by names {form.killed_by!r}, which is no check"
        for wrong in known
        for form in wrong.forms
        if form.killed_by not in checks
    ]
    found += [
        f"{wrong.id}: needs {HINTS} hints, has {len(wrong.hints)}"
        for wrong in known
        if len(wrong.hints) != HINTS
    ]
    ids = [wrong.id for wrong in known]
    return found + [f"{name}: two misconceptions of this id" for name in sorted({*ids}) if ids.count(name) > 1]
