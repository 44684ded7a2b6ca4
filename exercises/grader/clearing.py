"""Removes a folder with all that is in it: an answer can nest folders deeper than Python recurses."""

import os
from collections.abc import Callable

OWNER_MAY_ALL = 0o700


def clear(folder: str) -> None:
    """Remove the folder as far as the system allows. What still holds a file there only delays its end.

    Folders inside folders are first moved up to the top, so no path grows long and nothing recurses.
    """
    waiting = [folder]
    while waiting:
        path = waiting.pop()
        inner = _folders_after_unlinking(path)
        waiting += inner if path == folder else [_move_up(one, folder) for one in inner]
        if path != folder:
            _attempt(os.rmdir, path)
    _attempt(os.rmdir, folder)


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
