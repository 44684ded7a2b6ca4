"""Telling open pages that something has changed, by a stream of events; what it is, the pages ask themselves.

Each stream takes a thread, so there is room for so many; whoever finds none asks now and then instead.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from flask import Response

from jobqueue import StoreError
from webui.api.calls import service
from webui.failures import problem
from webui.live.access import live
from webui.live.service import Service

if TYPE_CHECKING:
    from webui.live.snapshots import Snapshot

BEAT_TICKS = 5
"""After so many ticks without news a comment is sent: only by writing is a closed tab noticed."""


@live.get("/stream")
def stream() -> Response:
    """Stream one event for each change."""
    found = service()
    if not found.streams.enter():
        answer = problem(503, "Too many listen", "There is no room for one more; ask now and then instead.")
        answer.headers["Retry-After"] = "5"
        return answer
    answer = Response(_events(found), mimetype="text/event-stream")
    answer.headers["X-Accel-Buffering"] = "no"
    # Not in the generator: one that is never begun never ends either.
    answer.call_on_close(found.streams.leave)
    return answer


def _events(found: Service) -> Iterator[str]:
    """Yield an event whenever a page would look different, and a comment when it would not for long."""
    yield ": welcome\n\n"
    shown: Snapshot | None = None
    quiet = 0
    while not found.streams.wait(found.tick_seconds):
        snapshot: Snapshot | None
        try:
            snapshot = found.snapshots.now()
        except StoreError:
            snapshot = shown  # the pages say it when they are asked for
        if snapshot is not None and shown is not None and not snapshot.is_like(shown):
            quiet = 0
            yield f"data: {snapshot.stats.at}\n\n"
        else:
            quiet += 1
        shown = snapshot
        if quiet >= BEAT_TICKS:
            quiet = 0
            # How long ago a worker was seen goes on also where nothing else does.
            is_aging = snapshot is not None and found.workers.seen()
            yield "data: workers\n\n" if is_aging else ": nothing new\n\n"
