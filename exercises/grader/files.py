"""Reads a learner's file: a regular one only, no more of it than asked, and without ever waiting."""

import errno
import os
import stat
from pathlib import Path

NEVER_WAIT = getattr(os, "O_NONBLOCK", 0)  # opening a pipe would wait for its other end
AS_IT_IS = getattr(os, "O_BINARY", 0)  # Windows would translate line ends


def read_regular(path: Path, most_bytes: int) -> bytes:
    """Read a file, but one byte more than `most_bytes` at most: enough to see that it is too large.

    Raises:
        FileNotFoundError: There is none.
        OSError: It cannot be read, or it is a folder, a pipe or a device.
    """
    descriptor = os.open(path, os.O_RDONLY | NEVER_WAIT | AS_IT_IS)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is no regular file")
        with open(descriptor, "rb", closefd=False) as file:
            return file.read(most_bytes + 1)
    finally:
        os.close(descriptor)
