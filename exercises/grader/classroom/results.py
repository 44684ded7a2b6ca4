r"""The folder with the results of a class: which file is whose, written whole, never over anybody else's.

grades.json  grades.csv  junit.xml                       the class
learners/ada.json  learners/ada.html                     one learner
gradescope/ada/results.json  github/ada.json  github/ada.output
"""

import json
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from exercises.grader.classroom.formats.github import as_output, github
from exercises.grader.classroom.formats.gradescope import gradescope
from exercises.grader.classroom.formats.junit import junit
from exercises.grader.classroom.formats.page import page
from exercises.grader.classroom.formats.table import table
from exercises.grader.classroom.record import VERSION, Record
from exercises.grader.errors import ExerciseError

SIGN = "grades.json"  # a folder that has it is ours
RESERVED = re.compile(
    r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE
)  # Windows opens devices under these
NOT_IN_NAMES = re.compile(r'[<>:"/\\|?*%\x00-\x1f]')
LONGEST_NAME = 80

Texts = dict[str, str]


def _as_json(records: Sequence[Record]) -> str:
    told = {"version": VERSION, "learners": [record.as_json() for record in records]}
    return json.dumps(told, indent=2, ensure_ascii=False) + "\n"


OF_THE_CLASS: dict[str, Callable[[Sequence[Record]], Texts]] = {
    "json": lambda records: {SIGN: _as_json(records)},
    "csv": lambda records: {"grades.csv": table(records)},
    "junit": lambda records: {"junit.xml": junit(records)},
}
OF_A_LEARNER: dict[str, Callable[[Record, str], Texts]] = {
    "json": lambda record, name: {
        f"learners/{name}.json": json.dumps(record.as_json(), indent=2, ensure_ascii=False) + "\n"
    },
    "html": lambda record, name: {f"learners/{name}.html": page(record)},
    "gradescope": lambda record, name: {f"gradescope/{name}/results.json": gradescope(record)},
    "github": lambda record, name: {
        f"github/{name}.json": (result := github(record)),
        f"github/{name}.output": as_output(result),
    },
}
FORMATS = ("json", "csv", "html", "junit", "gradescope", "github")


def file_names(learners: Sequence[str]) -> dict[str, str]:
    """Give each learner a file name that every system takes and that no other has, also where case is ignored.

    >>> file_names(["ada", "Ada", "a/b", "con", "Zoë."])
    {'ada': 'ada', 'Ada': 'Ada-2', 'a/b': 'a_b', 'con': '_con', 'Zoë.': 'Zoë_'}
    """
    names: dict[str, str] = {}
    taken: set[str] = set()
    for learner in learners:
        name = NOT_IN_NAMES.sub("_", learner)[:LONGEST_NAME]
        name = re.sub(r"[. ]+$|^[. ]+", lambda found: "_" * len(found[0]), name) or "_"
        name = f"_{name}" if RESERVED.fullmatch(name) else name
        number, free = 1, name
        while free.casefold() in taken:
            number += 1
            free = f"{name}-{number}"
        taken.add(free.casefold())
        names[learner] = free
    return names


@dataclass(slots=True)
class Results:
    """The results folder of one run.

    `names` are the learners' file names, `formats` what is written; `json` always is, as everything is in it.
    """

    folder: Path
    names: dict[str, str]
    formats: Collection[str] = FORMATS
    written: set[Path] = field(default_factory=set)

    def prepare(self) -> None:
        """Make the folder.

        Raises:
            ExerciseError: It holds something that no earlier run wrote.
            OSError: The system does not allow it.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        if any(self.folder.iterdir()) and not (self.folder / SIGN).is_file():
            raise ExerciseError(f"{self.folder} holds other files. Choose an empty or new folder with --out.")
        if not (self.folder / SIGN).exists():
            self._write({SIGN: _as_json([])})

    def write_learner(self, record: Record) -> None:
        """Write the files of one learner, as soon as all is known of them."""
        for name, made in OF_A_LEARNER.items():
            if name == "json" or name in self.formats:
                self._write(made(record, self.names[record.learner]))

    def write_class(self, records: Sequence[Record]) -> None:
        """Write the files of the class."""
        for name, made in OF_THE_CLASS.items():
            if name == "json" or name in self.formats:
                self._write(made(records))

    def left_over(self) -> list[Path]:
        """The learners' files that an earlier run wrote and this one did not: they may be out of date."""
        there = {
            path
            for kind in ("learners", "gradescope", "github")
            for path in (self.folder / kind).rglob("*")
            if path.is_file()
        }
        return sorted(there - self.written)

    def _write(self, texts: Texts) -> None:
        for name, text in texts.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            fresh = path.with_name(f"{path.name}.new")
            fresh.write_text(text, encoding="utf-8", newline="\n")
            fresh.replace(path)
            self.written.add(path)
