"""Removes a folder with all that is in it: an answer can nest folders deeper than Python recurses."""

import os
from collections.abc import Callable
from functools import partial

OWNER_MAY_ALL = 0o700
MANY = 50
THREADS = 8


def remove_tree(folder: str) -> None:
    """Remove the folder as far as the system allows. What still holds a file there only delays its end.

    Folders inside folders are first moved up to the top, so no path grows long and nothing recurses.
    """
    waiting, seen = [folder], []
    while waiting:
        path = waiting.pop()
        inner = _folders_after_unlinking(path)
        waiting += inner if path == folder else [_move_up(one, folder) for one in inner]
        seen.append(path)
    _remove(seen)


def _remove(folders: list[str]) -> None:
    """Remove folders that should be empty by now, the first one last."""
    if len(folders) > MANY:  # some file systems take milliseconds for each, but do several at a time
        from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  slow to load, seldom needed

        with ThreadPoolExecutor(THREADS) as threads:
            removed = list(threads.map(partial(_attempt, os.rmdir), folders))
        folders = [path for path, gone in zip(folders, removed, strict=True) if not gone]
    for path in reversed(folders):
        _attempt(os.rmdir, path)


def _move_up(inner: str, folder: str) -> str:
    """Move one folder to the top and return where it is; if it will not move, what is in it may still go."""
    above = f"{folder}{os.sep}{os.urandom(8).hex()}"
    if _attempt(os.rename, inner, above):
        return above
    _attempt(os.chmod, inner, OWNER_MAY_ALL)  # a folder that moves has to be writable
    return above if _attempt(os.rename, inner, above) else inner


def _folders_after_unlinking(folder: str) -> list[str]:
    """Unlink everything in a folder that is no folder; return the folders in it. Links are never followed."""
    _attempt(os.chmod, folder, OWNER_MAY_ALL)
    found = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    found.append(entry.path)
                else:
                    _attempt(os.unlink, entry.path)
    except OSError:
        return []
    return found


def _attempt(act: Callable[..., object], *args: object) -> bool:
    try:
        act(*args)
    except OSError:
        return False
    return True
