"""Opening the queue that board and workers share, with one set of rules for all of them."""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from jobqueue import Limits, RetryPolicy, SystemClock, WeightedBands, open_queue
from webui.auth import Access, Role, own_tokens, read_tokens
from webui.live.service import Service

POLICY = RetryPolicy(max_attempts=5, base_backoff_millis=1000, max_backoff_millis=60_000)
MOST_QUEUED = 1_000_000
AGING_MILLIS = 60_000
BUSY_MILLIS = 3000
FILE = "jobkit.db"
TOKENS = "board-tokens.toml"


def own_folder(platform: str, environment: Mapping[str, str], home: Path) -> Path:
    """Return where a program of this user keeps what it must not lose, as the platform has it.

    >>> own_folder("linux", {}, Path("/home/bo")).as_posix()
    '/home/bo/.local/share/jobkit'
    """
    if platform == "win32":
        base = environment.get("LOCALAPPDATA") or str(home / "AppData" / "Local")
    elif platform == "darwin":
        base = str(home / "Library" / "Application Support")
    else:
        told = environment.get("XDG_DATA_HOME", "")
        # The standard says: a relative one is to be ignored.
        base = told if told.startswith("/") else str(home / ".local" / "share")
    return Path(base) / "jobkit"


def own_token_file() -> Path:
    """Return where the hashes are of the tokens that a board made because its owner configured none."""
    return own_folder(sys.platform, os.environ, Path.home()) / TOKENS


def default_url() -> str:
    """Return the address of the queue of somebody who names none; its folder is made."""
    folder = own_folder(sys.platform, os.environ, Path.home())
    folder.mkdir(parents=True, exist_ok=True)
    return f"sqlite:///{(folder / FILE).as_posix()}"


def open_shared(url: str | None) -> Any:
    """Return the queue at an address; None for the file in the user's own folder.

    Everybody who opens it must play by the same rules, so they are written down here and nowhere else.
    """
    url = default_url() if url is None else url
    # A page or a request should not hang for as long as a program in the background may.
    patience: dict[str, Any] = {"busy_timeout_millis": BUSY_MILLIS} if url.startswith("sqlite:") else {}
    return open_queue(
        url,
        SystemClock(),
        POLICY,
        scheduler=WeightedBands(aging_millis=AGING_MILLIS),
        limits=Limits(max_queued=MOST_QUEUED),
        **patience,
    )


def close(queue: Any) -> None:
    """Close a queue that needs it."""
    if hasattr(queue, "close"):
        queue.close()


@contextmanager
def serving_queue(url: str | None, token_file: Path | None) -> Iterator[tuple[Service, dict[Role, str]]]:
    """Open a queue to be served, and sweep it in the background, until the end of the block.

    Yields:
        The service, and by role the tokens that were made for it because none are configured. They outlive this
        program once `keep_tokens` has kept them, which is for whoever shows them.
    """
    access: Access
    tokens: dict[Role, str] = {}
    if token_file is None:
        access, tokens = own_tokens(own_token_file())
    else:
        access = read_tokens(token_file)
    queue = open_shared(url)
    service = Service(queue, access)
    service.health.start()
    try:
        yield service, tokens
    finally:
        service.health.stop()
        with suppress(Exception):  # what cannot be closed any more is closed
            close(queue)
