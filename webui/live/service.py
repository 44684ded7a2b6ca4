"""A queue as this program serves it: to workers over the API, and to people on its pages."""

from collections import OrderedDict
from collections.abc import Sequence
from heapq import merge
from secrets import token_urlsafe
from threading import Lock
from typing import Any

from jobqueue import JobView, MonotonicClock, SystemClock, TimeSource
from jobqueue.model import job_number
from webui.auth import Access, Grant
from webui.live.health import Health
from webui.live.snapshots import MOST_STREAMS, TICK_MILLIS, Snapshots, Streams, Workers

MOST_NOTICES = 500
ENOUGH_CHARACTERS = 1024 * 1024
"""A page of jobs has no further one once their results have so many characters."""


class Service:
    """The queue, who may use it, and what the pages and the API share.

    Args:
        queue: any queue.
        access: whose tokens are good.
        wall: the clock that the queue goes by.
        monotonic: the clock for how long something took.
        most_streams: how many pages may listen at once.
        tick_millis: how often pages hear of a change, and how old figures may be.
    """

    def __init__(
        self,
        queue: Any,
        access: Access,
        *,
        wall: TimeSource | None = None,
        monotonic: TimeSource | None = None,
        most_streams: int = MOST_STREAMS,
        tick_millis: int = TICK_MILLIS,
    ) -> None:
        self.queue = queue
        self.access = access
        self.wall = SystemClock() if wall is None else wall
        monotonic = MonotonicClock() if monotonic is None else monotonic
        self.tick_seconds = tick_millis / 1000
        self.workers = Workers(monotonic)
        self.snapshots = Snapshots(queue, monotonic, tick_millis, self.workers)
        self.health = Health(queue, self.snapshots, self.wall, monotonic)
        self.streams = Streams(most_streams, self.health.wait)
        self.notices = Notices()

    def page(
        self, grant: Grant, *, tenant: str | None = None, limit: int, **asked: Any
    ) -> tuple[list[JobView], str | None]:
        """Return one page of the jobs that somebody may see, newest first, and where the next one begins.

        Args:
            grant: who asks.
            tenant: only jobs of this tenant.
            limit: how many at most; fewer if their results are long.
            asked: the other filters of `list_jobs`.
        """
        if tenant is None and grant.tenants is not None:
            names: list[str | None] = sorted(grant.tenants)  # type: ignore[assignment]
        else:
            names = [tenant] if tenant is None or grant.covers(tenant) else []
        # One more than asked for tells whether there is a next page.
        lists = [self.queue.list_jobs(tenant=name, limit=limit + 1, **asked) for name in names]
        jobs = list(merge(*lists, key=lambda job: -job_number(job.id)))
        fits = min(limit, _fitting(jobs))
        return jobs[:fits], jobs[fits - 1].id if len(jobs) > fits else None


def _fitting(jobs: Sequence[JobView]) -> int:
    """Return how many of some jobs make a page of bearable size: at least one."""
    room = ENOUGH_CHARACTERS
    for place, job in enumerate(jobs):
        if room <= 0:
            return place
        room -= len(job.result or "")
    return len(jobs)


class Notices:
    """What became of an action, kept for the page that the browser is sent to after it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[str, tuple[str, bool]] = OrderedDict()

    def keep(self, text: str, *, is_refusal: bool = False) -> str:
        """Keep some words, and return the key under which they are found."""
        key = token_urlsafe(9)
        with self._lock:
            self._kept[key] = (text, is_refusal)
            if len(self._kept) > MOST_NOTICES:
                self._kept.popitem(last=False)
        return key

    def find(self, key: str) -> tuple[str, bool] | None:
        """Return the words, and whether they are about a refusal; None if they were kept too long ago."""
        return self._kept.get(key)
