"""Which exercises there are and what each folder holds. Reads them, checks their form, never runs an answer."""

import difflib
import importlib.util
import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from exercises.grader.checking import Check
from exercises.grader.process import Limits

EXERCISES = Path(__file__).resolve().parent.parent
FOLDER_NAME = re.compile(r"ex(\d\d)_[a-z][a-z0-9_]*")
HINTS = 3


class ExerciseError(Exception):
    """Something about an exercise that one line can say."""


class UnknownExercise(ExerciseError):  # noqa: N818  reads as what it is
    """No exercise has this name."""


class BadExercise(ExerciseError):  # noqa: N818  reads as what it is
    """An exercise folder lacks something or contradicts itself."""


@dataclass(frozen=True, slots=True)
class Task:
    """One of an exercise's tasks; `first_step` is what to do when nothing is written yet."""

    number: int
    title: str
    points: int
    first_step: str


@dataclass(frozen=True, slots=True)
class Misconception:
    """A one-place edit of the solution that stands for one wrong idea.

    `killed_by` is the check whose trace shows it best; `fails` are all the checks that it fails.
    """

    id: str
    title: str
    old: str
    new: str
    killed_by: str
    fails: tuple[str, ...]
    sentence: str
    hints: tuple[str, ...]

    def applied_to(self, solution: str) -> str:
        """Return the solution with the edit made.

        Raises:
            BadExercise: The old text is not there exactly once.
        """
        if (count := solution.count(self.old)) != 1:
            raise BadExercise(f"{self.id}: its old text is {count} times in solution.py, not once")
        return solution.replace(self.old, self.new)


@dataclass(frozen=True, slots=True)
class Exercise:
    """One exercise folder, read."""

    folder: Path
    title: str
    summary: str
    prerequisites: tuple[str, ...]
    happy_path: str
    why: str
    limits: Limits
    tasks: tuple[Task, ...]
    checks: tuple[Check, ...] = field(repr=False)
    misconceptions: tuple[Misconception, ...] = field(repr=False)

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
        UnknownExercise: There is none; the message suggests close names.
    """
    wanted = re.split(r"[/\\]", name.strip().lower())[-1].removesuffix(".py")
    names: dict[str, Path] = {}
    for folder in folders(root):
        short, _, topic = folder.name.partition("_")
        digits = short.removeprefix("ex")
        names |= dict.fromkeys((folder.name, short, topic, digits, str(int(digits))), folder)
    if wanted in names:
        return load(names[wanted])
    close = difflib.get_close_matches(wanted, names, n=3, cutoff=0.5)
    suggestions = sorted({names[match].name for match in close})
    advice = f"Did you mean {' or '.join(suggestions)}?" if suggestions else "`jobkit list` shows all."
    raise UnknownExercise(f"There is no exercise {name!r}. {advice}")


def load(folder: Path) -> Exercise:
    """Read one exercise folder and check that its parts fit together.

    Raises:
        BadExercise: They don't; the message says where.
    """
    try:
        return _read(folder)
    except (OSError, KeyError, TypeError, ValueError) as problem:
        raise BadExercise(f"{folder.name}: {type(problem).__name__}: {problem}") from problem


def _read(folder: Path) -> Exercise:
    told = _toml(folder / "exercise.toml")
    exercise = Exercise(
        folder=folder,
        title=told["title"],
        summary=" ".join(told["summary"].split()),
        prerequisites=tuple(told["prerequisites"]),
        happy_path=told["happy_path"],
        why=" ".join(told["why"].split()),
        limits=Limits(**told.get("limits", {})),
        tasks=tuple(Task(**task) for task in told["tasks"]),
        checks=_checks(folder / "checks.py"),
        misconceptions=tuple(_misconception(entry) for entry in _toml(folder / "mutants.toml")["mutant"]),
    )
    for problem in _contradictions(exercise):
        raise BadExercise(f"{folder.name}: {problem}")
    return exercise


def _toml(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _misconception(entry: dict[str, Any]) -> Misconception:
    return Misconception(**{**entry, "fails": tuple(entry["fails"]), "hints": tuple(entry["hints"])})


def _checks(path: Path) -> tuple[Check, ...]:
    spec = importlib.util.spec_from_file_location(f"{path.parent.name}_checks", path)
    if spec is None or spec.loader is None:
        raise ValueError(f"{path.name} cannot be imported")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return tuple(value for value in vars(module).values() if isinstance(value, Check))


def _contradictions(exercise: Exercise) -> list[str]:
    """Everything in which the folder's files contradict each other."""
    names = [check.name for check in exercise.checks]
    found = [] if exercise.happy_path in names else [f"the happy path {exercise.happy_path!r} is no check"]
    for task in exercise.tasks:
        earned = sum(check.points for check in exercise.checks if check.task == task.number)
        if earned != task.points:
            found.append(f"task {task.number} promises {task.points} points, its checks give {earned}")
    tasks = {task.number for task in exercise.tasks}
    found += [f"{check.name} belongs to no task" for check in exercise.checks if check.task not in tasks]
    for wrong in exercise.misconceptions:
        if not {wrong.killed_by, *wrong.fails} <= set(names) or wrong.killed_by not in wrong.fails:
            found.append(f"{wrong.id}: killed_by must be one of fails, and each of them a check")
        if len(wrong.hints) != HINTS:
            found.append(f"{wrong.id}: needs {HINTS} hints, has {len(wrong.hints)}")
    ids = [wrong.id for wrong in exercise.misconceptions]
    return found + [f"{name}: two misconceptions of this id" for name in sorted({*ids}) if ids.count(name) > 1]
