"""Many learners play at once: how long does a tick take, does anything go wrong, how much memory is used?

    python tests/benchmarks/board_load.py --learners 300 --seconds 20

The board runs in a process of its own, as `jobkit board` does. Each learner opens a board and plays it; a story
that is over is begun again. Together they ask for `--rate` ticks a second.
"""

from __future__ import annotations

import argparse
import http.client
import re
import statistics
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlencode

ROOT = Path(__file__).parents[2]
SCENARIOS = ("life_of_a_job", "zombie", "hhhnnl", "backoff", "fair_neighbours", "retry_storm")
MOST_SENDERS = 24
TICK = re.compile(r'name="revision" value="(\d+)"')
HTMX = {"HX-Request": "true", "Content-Type": "application/x-www-form-urlencoded"}


@dataclass
class Learner:
    """One open board, and the revision that its page shows."""

    url: str
    revision: str = ""


@dataclass
class Tally:
    """What was measured, by all senders together."""

    ticks: list[float] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    errors: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)


def post(port: int, path: str, form: dict[str, str]) -> tuple[int, str, str]:
    """Send a form over a connection of its own, as the board's server has it; return status, place and text."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        connection.request("POST", path, urlencode(form), HTMX)
        answer = connection.getresponse()
        return answer.status, answer.getheader("Location", ""), answer.read().decode()
    finally:
        connection.close()


def play(port: int, learner: Learner) -> None:
    """Begin a board's story and let it play."""
    post(port, f"{learner.url}/reset", {})
    _, _, html = post(port, f"{learner.url}/play", {"speed": "5"})
    learner.revision = "".join(TICK.findall(html)[:1])


def send(port: int, learners: list[Learner], pause: float, end: float, tally: Tally) -> None:
    """Ask for ticks in turn, one each `pause` seconds, until `end`."""
    turn, due = 0, time.perf_counter()
    while (now := time.perf_counter()) < end:
        if now < due:
            time.sleep(min(due - now, max(0.0, end - now)))
        due += pause
        learner = learners[turn % len(learners)]
        turn += 1
        try:
            if not learner.revision:
                play(port, learner)
            begun = time.perf_counter()
            status, _, html = post(port, f"{learner.url}/tick", {"revision": learner.revision})
            took = time.perf_counter() - begun
        except OSError as error:
            with tally.lock:
                tally.errors[type(error).__name__] += 1
            continue
        learner.revision = "".join(TICK.findall(html)[:1])
        with tally.lock:
            tally.ticks.append(took)
            tally.sizes.append(len(html))
            if status != http.HTTPStatus.OK:
                tally.errors[str(status)] += 1


def memory_of(pid: int) -> str:
    """Return the memory that a process uses, where the system says so."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    except OSError:
        return "unknown"
    kilobytes = int(re.findall(r"VmRSS:\s+(\d+)", status)[0])
    return f"{kilobytes / 1024:.0f} MB"


def measure(port: int, pid: int, learners: int, rate: float, seconds: float) -> int:
    """Open the boards, let them play, print what was measured; return how many errors there were."""
    before, boards = memory_of(pid), []
    for number in range(learners):
        status, place, _ = post(port, f"/scenarios/{SCENARIOS[number % len(SCENARIOS)]}/labs", {})
        assert status == http.HTTPStatus.SEE_OTHER, status
        boards.append(Learner(place))
    senders = min(MOST_SENDERS, learners)
    tally, end = Tally(), time.perf_counter() + seconds
    threads = [
        threading.Thread(target=send, args=(port, boards[n::senders], senders / rate, end, tally))
        for n in range(senders)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ticks = sorted(tally.ticks)
    print(f"{learners} learners, {seconds:.0f} s: {len(ticks) / seconds:.0f} ticks/s of {rate:.0f} asked for")
    print(f"errors: {dict(tally.errors) or 'none'}")
    cuts = statistics.quantiles(ticks, n=100) if len(ticks) > 1 else ticks * 100
    print(
        f"a tick: p50 {cuts[49] * 1000:.1f} ms, p95 {cuts[94] * 1000:.1f} ms, longest {ticks[-1] * 1000:.1f} ms"
    )
    print(f"an answer: {statistics.mean(tally.sizes) / 1024:.1f} KB; memory: {before} -> {memory_of(pid)}")
    return sum(tally.errors.values())


def main() -> int:
    """Serve, measure, stop; 0 if nothing went wrong."""
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("--learners", type=int, default=300)
    reader.add_argument("--rate", type=float, default=120, help="ticks a second, of all together")
    reader.add_argument("--seconds", type=float, default=20)
    asked = reader.parse_args()
    server = subprocess.Popen(
        [sys.executable, "-u", "-c", _SERVE], cwd=ROOT, stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    try:
        port = int(server.stdout.readline())
        return 1 if measure(port, server.pid, asked.learners, asked.rate, asked.seconds) else 0
    finally:
        server.terminate()
        server.wait(10)


_SERVE = """
import sys
from webui import create_app
from webui.server import listen, serving
sock = listen("127.0.0.1", 0)
with serving(create_app(), sock):
    print(sock.getsockname()[1], flush=True)
    sys.stdin.read()
"""

if __name__ == "__main__":
    sys.exit(main())
