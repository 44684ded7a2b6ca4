"""Reads the exercise folders and checks their form. It never runs an answer."""

import difflib
import importlib.util
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from exercises.grader.errors import BadExerciseError, UnknownExerciseError
from exercises.grader.judging.checking import Check
from exercises.grader.judging.misconceptions import SHARED, Misconception, contradictions, read_misconception
from exercises.grader.judging.verdicts import read_verdicts
from exercises.grader.running.process import Limits

EXERCISES = Path(__file__).resolve().parents[2]
KINDS = ("code", "tests")
TABLE = "checks.toml"  # the checks whose stories are only data, where checks.py reads them from there
FOLDER_NAME = re.compile(r"ex(\d\d)_[a-z][a-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Task:
    """One of an exercise's tasks; `first_step` is what to do when nothing is written yet."""

    number: int
    title: str
    points: int
    first_step: str


@dataclass(frozen=True, slots=True)
class Exercise:
    """One exercise folder, read."""

    folder: Path
    title: str
    summary: str
    kind: str  # "code", or "tests": the learner writes the tests, see `subjects`
    worked_example: str  # for tests: the one of the solution that every flawed queue passes
    prerequisites: tuple[str, ...]
    happy_path: str
    scenario: str  # of the board, one that shows what the exercise is about
    scenarios: Mapping[str, str]  # by check, where another one shows better what that is about
    why: str
    limits: Limits
    server: bool  # whether it needs a database server, see `postgres_server`
    minutes: int  # for a challenge against the clock; 0 if there is none
    threads: bool  # whether answers are run by several threads, under control
    tasks: tuple[Task, ...]
    checks: tuple[Check, ...] = field(repr=False)
    misconceptions: tuple[Misconception, ...] = field(repr=False)
    equivalents: Mapping[str, str] = field(
        repr=False
    )  # mechanical changes that break no promise, each with why

    @property
    def id(self) -> str:
        """The full name, like ex03_tokens."""
        return self.folder.name

    @property
    def short(self) -> str:
        """The short name, like ex03."""
        return self.id.partition("_")[0]

    @property
    def points(self) -> int:
        """All that can be earned."""
        return sum(task.points for task in self.tasks)

    def text(self, name: str) -> str:
        """Read one of the folder's files."""
        return (self.folder / name).read_text(encoding="utf-8")

    def alternatives(self) -> list[Path]:
        """The right answers that are built differently."""
        return sorted((self.folder / "alternatives").glob("*.py"))


def folders(root: Path = EXERCISES) -> list[Path]:
    """All exercise folders in order."""
    return sorted(folder for folder in root.iterdir() if folder.is_dir() and FOLDER_NAME.fullmatch(folder.name))


def catalogue(root: Path = EXERCISES) -> list[Exercise]:
    """Read all exercises in order."""
    return [load(folder) for folder in folders(root)]


def find(name: str, root: Path = EXERCISES) -> Exercise:
    """Find an exercise by any sensible form of its name: ex03, 03, 3, ex03_tokens, ex03_tokens.py.

    Raises:
        UnknownExerciseError: There is none; the message suggests close names.
    """
    wanted = re.split(r"[/\\]", name.strip().lower())[-1].removesuffix(".py")
    names: dict[str, Path] = {}
    for folder in folders(root):
        short, _, topic = folder.name.partition("_")
        digits = short.removeprefix("ex")
        names |= dict.fromkeys((folder.name, short, topic, digits, str(int(digits))), folder)
    if wanted in names:
        return load(names[wanted])
    if re.fullmatch(r"(ex)?\d+", wanted):
        first, *_, last = [folder.name.partition("_")[0] for folder in folders(root)]
        raise UnknownExerciseError(f"There is no exercise {name!r}. There are {first} to {last}.")
    close = difflib.get_close_matches(wanted, names, n=3, cutoff=0.5)
    suggestions = sorted({names[match].name for match in close})
    advice = f"Did you mean {' or '.join(suggestions)}?" if suggestions else "`jobkit list` shows all."
    raise UnknownExerciseError(f"There is no exercise {name!r}. {advice}")


def load(folder: Path) -> Exercise:
    """Read one exercise folder and check that its parts fit together.

    Raises:
        BadExerciseError: They don't; the message says where.
    """
    try:
        return _read(folder)
    except (OSError, KeyError, TypeError, ValueError) as problem:
        raise BadExerciseError(f"{folder.name}: {type(problem).__name__}: {problem}") from problem


def _read(folder: Path) -> Exercise:
    told, wrong = _toml(folder / "exercise.toml"), _toml(folder / "mutants.toml")
    verdicts, shared = read_verdicts(folder), _toml(EXERCISES / SHARED)
    exercise = Exercise(
        folder=folder,
        title=told["title"],
        summary=" ".join(told["summary"].split()),
        kind=told.get("kind", "code"),
        worked_example=told.get("worked_example", ""),
        prerequisites=tuple(told["prerequisites"]),
        happy_path=told["happy_path"],
        scenario=told["scenario"],
        scenarios=told.get("scenarios", {}),
        why=" ".join(told["why"].split()),
        limits=Limits(**told.get("limits", {})),
        server=told.get("server", False),
        minutes=told.get("minutes", 0),
        threads=told.get("threads", False),
        tasks=tuple(Task(**task) for task in told["tasks"]),
        checks=tuple(check for path in check_files(folder) for check in _checks(path)),
        misconceptions=tuple(read_misconception(entry, verdicts, shared) for entry in wrong["mutant"]),
        equivalents={entry["change"]: entry["reason"] for entry in wrong.get("equivalent", [])},
    )
    for problem in _contradictions(exercise):
        raise BadExerciseError(f"{folder.name}: {problem}")
    return exercise


def _toml(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def check_files(folder: Path) -> list[Path]:
    """The files with an exercise's checks in the order of running: checks.py, then those that go on from it."""
    return [folder / "checks.py", *sorted(folder.glob("checks_*.py"))]


def _checks(path: Path) -> tuple[Check, ...]:
    spec = importlib.util.spec_from_file_location(f"{path.parent.name}_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ValueError(f"{path.name} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return tuple(one for value in vars(module).values() for one in _single(value) if isinstance(one, Check))


def _single(value: object) -> tuple[object, ...]:
    """Take a tuple of checks apart: some exercises make theirs from a table."""
    return value if isinstance(value, tuple) else (value,)


def _contradictions(exercise: Exercise) -> list[str]:
    """Everything in which the folder's files contradict each other."""
    names = [check.name for check in exercise.checks]
    found = [] if exercise.happy_path in names else [f"the happy path {exercise.happy_path!r} is no check"]
    if exercise.kind not in KINDS:
        found.append(f"its kind is {exercise.kind!r}, not one of {', '.join(KINDS)}")
    for task in exercise.tasks:
        earned = sum(check.points for check in exercise.checks if check.task == task.number)
        if earned != task.points:
            found.append(f"task {task.number} promises {task.points} points, its checks give {earned}")
    found += [f"{name!r} has a scenario and is no check" for name in exercise.scenarios if name not in names]
    tasks = {task.number for task in exercise.tasks}
    found += [f"{check.name} belongs to no task" for check in exercise.checks if check.task not in tasks]
    for place, check in enumerate(exercise.checks):
        found += [
            f"{check.name} needs {one}, no earlier check" for one in check.needs if one not in names[:place]
        ]
    return found + contradictions(exercise.misconceptions, names)
