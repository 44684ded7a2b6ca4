"""Remembers what was found about the kit's own texts, so that only what has changed is graded again.

An entry belongs to a text and to everything that decides how the text is judged: the exercise's checks and
limits, the kit's files that these and the grader import, and the version of Python. Change one of them, and the
entry isn't found any more. An entry that cannot be read counts as missing. So it does no harm to delete the
cache, or to use it from several processes at once.
"""

import ast
import hashlib
import json
import os
import shutil
import sys
import time
from functools import cache
from pathlib import Path
from typing import Any

from exercises.grader.judging.catalogue import EXERCISES, TABLE, Exercise, check_files
from exercises.grader.judging.subjects import FLAWS, OTHERS, RIGHT

KIT = EXERCISES.parent
PACKAGES = ("exercises", "jobqueue")
GRADER = EXERCISES / "grader"
DAYS_KEPT = 14  # after its last use: whoever changes between branches finds the other branch's findings again


def cache_folder() -> Path | None:
    """Return the folder of a checkout's cache; None where the kit is installed, which keeps nothing on disk."""
    return KIT / ".jobkit-cache" if (KIT / "pyproject.toml").is_file() else None


class GradingCache:
    """What is known of one exercise's texts as the exercise is now."""

    _in_memory: dict[tuple[str, str], Any] = {}  # noqa: RUF012  shared by all: for where nothing is kept on disk

    def __init__(self, exercise: Exercise, folder: Path | None = None) -> None:
        self._version = version(exercise)
        root = folder or cache_folder()
        self._folder = root / exercise.id / self._version if root else None

    def get(self, what: str, text: str) -> Any:
        """Return what was found about a text; None if nothing is known."""
        name = _hash(what, text)
        if self._folder is None:
            return self._in_memory.get((self._version, name))
        try:
            os.utime(self._folder)
            return json.loads((self._folder / f"{name}.json").read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None

    def put(self, what: str, text: str, found: Any) -> None:
        """Keep what was found about a text; it is plain data."""
        name = _hash(what, text)
        if self._folder is None:
            self._in_memory[self._version, name] = found
            return
        try:
            if not self._folder.is_dir():
                self._folder.mkdir(parents=True, exist_ok=True)
                self._drop_old()
            own = self._folder / f"{name}.{os.getpid()}"
            own.write_text(json.dumps(found), encoding="utf-8")
            own.replace(self._folder / f"{name}.json")  # at once: nobody reads half an entry
        except OSError:  # no room, or no right to write: then it is graded again next time
            return

    def _drop_old(self) -> None:
        assert self._folder is not None  # noqa: S101  for the type checker
        oldest = time.time() - DAYS_KEPT * 24 * 3600
        for one in self._folder.parent.iterdir():
            if one.stat().st_mtime < oldest:
                shutil.rmtree(one, ignore_errors=True)


def version(exercise: Exercise) -> str:
    """Return a hash of all that decides how an answer to this exercise is judged, but for the answer."""
    settings = (exercise.limits, exercise.server, exercise.threads, exercise.kind, exercise.worked_example)
    subjects = [exercise.folder / RIGHT, *sorted((exercise.folder / OTHERS).glob("*.py"))]
    own = [exercise.folder / "starter.py", *check_files(exercise.folder), *filter(Path.is_file, subjects)]
    running = GRADER / "running"
    runs = [GRADER / "judging" / "runner.py", running / "child.py", *sorted((running / "threads").glob("*.py"))]
    data = [exercise.folder / FLAWS, exercise.folder / TABLE]
    files = [*with_imports([*own, *runs]), *filter(Path.is_file, data)]
    texts = [f"{path.name}\n{path.read_text(encoding='utf-8')}" for path in files]
    return _hash(sys.version, repr(settings), *texts)


def with_imports(roots: list[Path]) -> list[Path]:
    """Return these files and all of the kit's files that they import, directly or not, in a fixed order."""
    found = dict.fromkeys(roots)
    waiting = list(roots)
    while waiting:
        path = waiting.pop()
        for module in _imported(path.read_text(encoding="utf-8")):
            for file in _files_of(module):
                if file not in found:
                    found[file] = None
                    waiting.append(file)
    return list(found)


@cache
def _imported(text: str) -> tuple[str, ...]:
    names: list[str] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return tuple(name for name in dict.fromkeys(names) if name.partition(".")[0] in PACKAGES)


@cache
def _files_of(module: str) -> tuple[Path, ...]:
    """Return the file of a module, and those of the packages that it is in; none for a name inside a module."""
    parts = module.split(".")
    paths = [KIT.joinpath(*parts[:number]) for number in range(1, len(parts) + 1)]
    files = [file for path in paths for file in (path / "__init__.py", path.with_suffix(".py"))]
    return tuple(filter(Path.is_file, files))


def _hash(*texts: str) -> str:
    made = hashlib.sha256()
    for text in texts:
        made.update(f"{len(text)}:{text}".encode())
    return made.hexdigest()[:24]
