"""Finds submissions in a folder: whose each is, and what it answers. It goes by names, and never by content."""

import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import NamedTuple

from exercises.grader.classroom.notebook import LARGEST_NOTEBOOK_BYTES
from exercises.grader.errors import ExerciseError
from exercises.grader.judging.answers import read_regular

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


LATE = re.compile(r"[ _.-]+late$", re.IGNORECASE)
COURSE_SYSTEMS = (
    re.compile(r"(?P<learner>.+)_\d+_assignsubmission_(?:file|onlinetext)_?"),  # Moodle
    re.compile(r"(?P<learner>.+?)(?:_late)?_\d+_\d+", re.IGNORECASE),  # Canvas
    re.compile(r"(?P<learner>.+)[ _.-]late", re.IGNORECASE),
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
    """What lies in a folder and below: files, and what is not looked into, with the reason.

    `saved_at` says when a file was last written, as far as that is known.
    """

    files: tuple[PurePath, ...]
    refused: tuple[tuple[PurePath, str], ...] = ()
    saved_at: Mapping[PurePath, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sorted:
    """All that a folder holds: submissions by learner and exercise; each other file with the reason why not."""

    submissions: tuple[Submission, ...]
    others: tuple[tuple[PurePath, str], ...]
    older: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # by learner: answers that do not count

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
    match = NAMED.fullmatch(LATE.sub("", stem.strip()))
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
        told = told or Found(None if folders else path.stem, of_folder.exercise)
    if told is None:
        return "its name tells no exercise"
    learner = _without_numbers((folders[0] if folders else told.learner or "").strip())
    if not learner:
        return "its name does not tell whose it is"
    if len(learner) > LONGEST_LEARNER or not learner.isprintable():
        return "the learner's name is too long, or no name"
    return Submission(learner, told.exercise, path)


def _without_numbers(name: str) -> str:
    """Take from a learner's name what a course system adds to it, which is another thing each time.

    >>> _without_numbers("Zoë Löwe_99_assignsubmission_file"), _without_numbers("lovelaceada_LATE_4711_1234")
    ('Zoë Löwe', 'lovelaceada')
    """
    match = next((found for one in COURSE_SYSTEMS if (found := one.fullmatch(name))), None)
    return match["learner"] if match else name


def sort_out(listing: Listing, exercises: Sequence[str], learner: str | None = None) -> Sorted:
    """Sort the files of a folder into submissions and others.

    Of several answers of one learner to one exercise the newest counts. One whose own name tells the exercise
    comes before one that only lies in the exercise's folder; of equals the first in order counts.

    Args:
        listing: What lies in the folder.
        exercises: The ids of the exercises that are graded.
        learner: Whose the whole folder is, if it is one learner's.
    """
    ids = {int(one[2:4]): one for one in exercises}
    taken: dict[tuple[str, str], list[Submission]] = {}
    others = [*listing.refused]
    for path in listing.files:
        if OF_THE_KIT.fullmatch(path.name):
            continue
        one = recognise(type(path)("-", path) if learner else path, ids)
        if isinstance(one, str):
            others.append((path, one))
            continue
        one = Submission(learner or one.learner, one.exercise, path)
        taken.setdefault((one.learner, one.exercise), []).append(one)
    submissions = list[Submission]()
    older: dict[str, tuple[str, ...]] = {}

    def rank(one: Submission) -> tuple[bool, float]:
        return named(one.path.stem, ids) is not None, listing.saved_at.get(one.path, 0.0)

    for (name, exercise), answers in taken.items():
        best = max(answers, key=rank)
        submissions.append(best)
        for one in answers:
            if one is not best:
                older[name] = (*older.get(name, ()), one.path.as_posix())
                others.append((one.path, f"{name} has another answer to {exercise}: {best.path} is graded"))
    submissions.sort(key=lambda one: (in_order(one.learner), one.exercise))
    return Sorted(tuple(submissions), tuple(others), older)


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
    saved_at = {path: (folder / path).lstat().st_mtime for path in files}
    return Listing(tuple(sorted(files)), tuple(sorted(refused)), saved_at)


def keep(folder: Path, found: Sorted, to: Path) -> None:
    """Copy all submissions before the first is run: an answer could write over those of others.

    What cannot be read is left out; whoever grades it says so.
    """
    for one in found.submissions:
        target = to / one.path
        target.parent.mkdir(parents=True, exist_ok=True)
        with suppress(OSError):
            target.write_bytes(read_regular(folder / one.path, LARGEST_NOTEBOOK_BYTES))
