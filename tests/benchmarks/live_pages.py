"""How quick the live pages are over a full store: `python tests/benchmarks/live_pages.py [sqlite] [postgres]`.

Prints the 95th percentile of each page with 100,000 jobs that are due later and 1,000,000 that have finished,
and how many statistics queries fifty viewers cause.
"""

import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from jobqueue import MonotonicClock, RetryPolicy, SystemClock, WeightedBands
from tests.benchmarks.store_cost import fill
from tests.databases import PLACES
from webui import create_app
from webui.auth import Access
from webui.live.service import Service

PAGES = {
    "overview": "/live/",
    "newest jobs": "/live/jobs",
    "jobs after a key half-way": "/live/jobs?after=J550000",
    "search by id": "/live/jobs?q=J550000",
    "tenant and state": "/live/jobs?tenant=tenant-7&status=SUCCEEDED",
    "dead letters": "/live/dead",
    "one job": "/live/jobs/J550000",
}
TIMES = 20


def compare(kind: str, folder: Path) -> None:
    """Print the cost of each page."""
    place = PLACES[kind](folder)
    queue = place.open(SystemClock(), RetryPolicy(3, 1000, 60_000), scheduler=WeightedBands())
    fill(queue, kind)
    service = Service(queue, Access([], is_configured=False))
    begin = time.perf_counter()
    service.snapshots.now()
    print(f"{kind}: one snapshot takes {(time.perf_counter() - begin) * 1000:.0f} ms")
    client = create_app({}, service).test_client()
    for name, url in PAGES.items():
        spent = []
        for _ in range(TIMES):
            begin = time.perf_counter()
            answer = client.get(url)
            spent.append(time.perf_counter() - begin)
            assert answer.status_code == 200, answer.text
        spent.sort()
        print(f"{kind}: {name:<28} p95 {spent[int(TIMES * 0.95)] * 1000:7.1f} ms, {len(answer.data):,} bytes")
    asked, stats = [], queue.stats
    queue.stats = lambda: asked.append(1) or stats()  # type: ignore[method-assign,func-returns-value]
    client.application.extensions["service"] = Service(
        queue, Access([], is_configured=False), monotonic=MonotonicClock()
    )
    begin = time.perf_counter()
    for _ in range(50):
        client.get("/live/")
    ticks = int(time.perf_counter() - begin) + 1
    print(f"{kind}: fifty viewers within {ticks} ticks made {len(asked)} statistics queries")
    place.close()


def main() -> None:
    """Measure for each kind that was named, or all."""
    for kind in sys.argv[1:] or PLACES:
        with tempfile.TemporaryDirectory() as folder:
            compare(kind, Path(folder))


if __name__ == "__main__":
    main()
