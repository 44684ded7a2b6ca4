"""Removes a folder with all that is in it: an answer can nest folders deeper than Python recurses."""

import os
from collections.abc import Callable

OWNER_MAY_ALL = 0o700


def clear(folder: str) -> None:
    """Remove the folder as far as the system allows. What still holds a file there only delays its end.

    Folders inside folders are first moved up to the top, so no path grows long and nothing recurses.
    """
    while inner := _folders_after_unlinking(folder):
        done = 0
        for path in inner:
            for deeper in _folders_after_unlinking(path):
                done += _attempt(os.rename, deeper, f"{folder}{os.sep}{os.urandom(8).hex()}")
            done += _attempt(os.rmdir, path)
        if not done:
            return  # nothing moves any more: somebody holds it
    _attempt(os.rmdir, folder)


def _folders_after_unlinking(folder: str) -> list[str]:
    """Unlink everything in a folder that is no folder; return the folders in it. Links are never followed."""
    _attempt(os.chmod, folder, OWNER_MAY_ALL)
    found = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    _attempt(os.chmod, entry.path, OWNER_MAY_ALL)  # a folder that moves has to be writable
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
