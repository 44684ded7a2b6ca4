"""The written verdicts of an exercise: what each known mistake fails, how, and what the learner reads of it.

`jobkit verify --write` writes them from what it finds; nobody types them. A diagnosis compares a learner's
failures with them. They are read in a diff, so each mistake has its own place, in the order of mutants.toml.
"""

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

FILE = "verdicts.toml"
LONGEST_LINE = 110
HEADING = """\
# Written by `jobkit verify {short} --write`. Don't edit it: read the difference before you commit it.
# For each form of each mistake of mutants.toml: by *how* a check fails, the checks that fail so. `report` is
# what a learner reads of the usual form, up to the diagnosis.
"""


@dataclass(frozen=True, slots=True)
class Written:
    """What one form of a mistake does: `fails` maps each check that it fails to how that check fails.

    `report` is the head of the learner's report; only the usual form of a mistake has one.
    """

    fails: Mapping[str, str]
    report: str = ""


def read_verdicts(folder: Path) -> dict[str, list[Written]]:
    """Read an exercise's file: the forms of each mistake, by its id. Empty if there is none yet."""
    path = folder / FILE
    if not path.is_file():
        return {}
    told = tomllib.loads(path.read_text(encoding="utf-8"))
    return {name: [_form(**form) for form in forms] for name, forms in told.items()}


def _form(fails: Mapping[str, Sequence[str]] | None = None, report: str = "") -> Written:
    by_how = fails or {}
    return Written({check: how for how, checks in by_how.items() for check in checks}, report)


def as_text(short: str, verdicts: Mapping[str, Sequence[Written]]) -> str:
    """Write the file's text."""
    lines = [HEADING.format(short=short)]
    for name, forms in verdicts.items():
        for form in forms:
            lines += [f"[[{name}]]", *_lines(form), ""]
    return "\n".join(lines).rstrip("\n") + "\n"


def _lines(form: Written) -> Iterator[str]:
    by_how: dict[str, list[str]] = {}
    for check, how in form.fails.items():
        by_how.setdefault(how, []).append(check)
    for how, checks in by_how.items():
        key = how if how.isidentifier() and how.isascii() else json.dumps(how)
        names = [json.dumps(check) for check in checks]
        line = f"fails.{key} = [{', '.join(names)}]"
        if len(line) <= LONGEST_LINE:
            yield line
        else:
            yield f"fails.{key} = ["
            yield from (f"  {name}," for name in names)
            yield "]"
    if form.report:
        # A literal text reads as the learner reads it; what cannot be in one is written with escapes.
        literal = "'''" not in form.report and form.report.replace("\n", "").isprintable()
        yield f"report = '''\n{form.report}'''" if literal else f"report = {json.dumps(form.report)}"
