"""Finds submissions in a folder: whose each is, and what it answers. It goes by names and opens no file."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import NamedTuple

from exercises.grader.errors import ExerciseError

MOST_FILES = 50_000
LONGEST_LEARNER = 100
LINK = "it is a link, and links are not followed"
GRADED = {".py", ".ipynb"}
PASSED_OVER = {"__pycache__", "__macosx", "node_modules"}
OF_THE_KIT = re.compile(r"progress(\.broken-\d+)?\.json|ex\d\d_\w+\.md|ex\d\d_\w+\.backup-\d+\.py")
NAMED = re.compile(
    r"(?:(?P<learner>.+?)[ _.+-]+)??"  # nothing before it: the folder tells whose it is
    r"ex(?P<number>\d{1,2})(?P<topic>(?:_[a-z][a-z0-9]*)*)"
    r"(?:[ _.-]*\(?\d+\)?)?",  # as browsers and course systems number a second one
    re.IGNORECASE,
)


class Found(NamedTuple):
    """What a name tells: whose it is (None if it does not say) and the exercise's id."""

    learner: str | None
    exercise: str


@dataclass(frozen=True, slots=True)
class Submission:
    """One answer of one learner; `path` is as it lies in the folder."""

    learner: str
    exercise: str
    path: PurePath


@dataclass(frozen=True, slots=True)
class Listing:
    """What lies in a folder and below: files, and what is not looked into, with the reason."""

    files: tuple[PurePath, ...]
    refused: tuple[tuple[PurePath, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Sorted:
    """All that a folder holds: submissions by learner and exercise; each other file with the reason why not."""

    submissions: tuple[Submission, ...]
    others: tuple[tuple[PurePath, str], ...]

    @property
    def learners(self) -> list[str]:
        """All learners in order."""
        return sorted({one.learner for one in self.submissions}, key=in_order)


def in_order(learner: str) -> tuple[str, str]:
    """The order of learners: as in a list of names, the same on every machine."""
    return learner.casefold(), learner


def named(stem: str, ids: Mapping[int, str]) -> Found | None:
    """Read a file's name without its ending; `ids` are the exercises by number.

    >>> ids = {3: "ex03_tokens"}
    >>> named("ex03_tokens", ids), named("ada_ex03", ids)
    (Found(learner=None, exercise='ex03_tokens'), Found(learner='ada', exercise='ex03_tokens'))
    >>> named("Lovelace Ada-4711 EX3 (2)", ids)
    Found(learner='Lovelace Ada-4711', exercise='ex03_tokens')
    >>> named("ex03_leases", ids), named("ex99", ids), named("index03", ids)
    (None, None, None)
    """
    match = NAMED.fullmatch(stem.strip())
    exercise = ids.get(int(match["number"])) if match else None
    if match is None or exercise is None:
        return None
    topic = match["topic"].lower().lstrip("_")
    if topic and topic != exercise.partition("_")[2]:
        return None
    return Found(match["learner"], exercise)


def recognise(path: PurePath, ids: Mapping[int, str]) -> Submission | str:
    r"""Tell whose the file at this path in the folder is, or why nobody can tell.

    >>> from pathlib import PureWindowsPath
    >>> ids = {3: "ex03_tokens"}
    >>> one = recognise(PureWindowsPath(r"ada\answers\ex03_tokens.py"), ids)
    >>> one.learner, one.exercise
    ('ada', 'ex03_tokens')
    >>> recognise(PureWindowsPath(r"ex03\ada.py"), ids).learner
    'ada'
    >>> recognise(PureWindowsPath("ex03_tokens.py"), ids)
    'its name does not tell whose it is'
    """
    if path.suffix.lower() not in GRADED:
        return "no Python file and no notebook"
    *folders, _ = path.parts
    told = named(path.stem, ids)
    of_folder = named(folders[0], ids) if folders else None
    if of_folder is not None and of_folder.learner is None:  # a folder for each exercise
        folders = folders[1:]
        if told is not None and told.exercise != of_folder.exercise:
            return "its name and its folder tell of different exercises"
        told = told or (None if folders else Found(path.stem, of_folder.exercise))
    if told is None:
        return "its name tells no exercise"
    learner = (folders[0] if folders else told.learner or "").strip()
    if not learner:
        return "its name does not tell whose it is"
    if len(learner) > LONGEST_LEARNER or not learner.isprintable():
        return "the learner's name is too long, or no name"
    return Submission(learner, told.exercise, path)


def sort_out(listing: Listing, exercises: Sequence[str], learner: str | None = None) -> Sorted:
    """Sort the files of a folder into submissions and others.

    Args:
        listing: What lies in the folder.
        exercises: The ids of the exercises that are graded.
        learner: Whose the whole folder is, if it is one learner's.
    """
    ids = {int(one[2:4]): one for one in exercises}
    taken: dict[tuple[str, str], Submission] = {}
    others = [*listing.refused]
    for path in listing.files:
        if OF_THE_KIT.fullmatch(path.name):
            continue
        one = recognise(type(path)("-", path) if learner else path, ids)
        if isinstance(one, str):
            others.append((path, one))
            continue
        one = Submission(learner or one.learner, one.exercise, path)
        first = taken.setdefault((one.learner, one.exercise), one)
        if first is not one:
            others.append((path, f"{one.learner} has another answer to {one.exercise}: {first.path} is graded"))
    submissions = sorted(taken.values(), key=lambda one: (in_order(one.learner), one.exercise))
    return Sorted(tuple(submissions), tuple(others))


def files_below(folder: Path, most: int = MOST_FILES) -> Listing:
    """List the files below a folder, each as it lies in it. Hidden files and folders are passed over.

    Raises:
        ExerciseError: There is no such folder, or it holds more files than any class hands in.
    """
    if not folder.is_dir():
        raise ExerciseError(f"There is no folder {folder}.")
    files: list[PurePath] = []
    refused: list[tuple[PurePath, str]] = []

    def unreadable(problem: OSError) -> None:
        where = Path(problem.filename) if problem.filename else folder
        refused.append((PurePath(where.relative_to(folder)), f"it cannot be read: {problem.strerror}"))

    for place, folders, names in os.walk(folder, onerror=unreadable):
        folders[:] = [one for one in folders if one[0] != "." and one.lower() not in PASSED_OVER]
        paths = [Path(place, name) for name in names if name[0] != "."]
        links = {path for path in (*paths, *(Path(place, one) for one in folders)) if path.is_symlink()}
        refused += [(PurePath(path.relative_to(folder)), LINK) for path in links]
        files += [PurePath(path.relative_to(folder)) for path in paths if path not in links]
        if len(files) + len(refused) > most:
            raise ExerciseError(f"{folder} holds more than {most} files. Is it the folder of the submissions?")
    return Listing(tuple(sorted(files)), tuple(sorted(refused)))
