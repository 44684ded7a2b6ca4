"""A program that works on a store and may be killed in the middle; it prints each answer that it got.

Run as `python -m tests.durable.child '{"url": ..., "options": {...}, "do": "story", ...}'`.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from typing import Any

from jobqueue import ManualClock, RetryPolicy, SystemClock, open_queue


def tell(*words: object) -> None:
    """Print one line at once: what was told before a kill has been told."""
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


class KillingDatabase:
    """Stands before a database, and kills this process before or after its n-th call."""

    def __init__(self, database: Any, at: int, when: str) -> None:
        self._database = database
        self._left = at
        self._when = when

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._database, name)
        if name not in {"begin", "commit", "read", "write"}:
            return found

        def call(*args: Any) -> Any:
            self._left -= 1
            if self._left == 0 and self._when == "before":
                os.kill(os.getpid(), signal.SIGKILL)
            answer = found(*args)
            if self._left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return answer

        return call


def story(queue: Any, told: dict[str, Any]) -> None:
    """Go once through everything that a job can go through, at instant 0."""
    if told.get("kill_at"):
        killing = KillingDatabase(queue._database, told["kill_at"], told["when"])
        queue._database = queue._session.database = killing
    for name in ("one", "two", "three"):
        tell("submitted", queue.submit("mail", name))
    once = queue.submit_once("key", "mail", "four")
    tell("submitted", once.job_id)
    lease = queue.poll("child", 1000)
    tell("leased", lease.job_id, lease.token)
    queue.renew(lease.job_id, lease.token, 2000)
    queue.complete(lease.job_id, lease.token, "done")
    tell("completed", lease.job_id)
    lease = queue.poll("child", 1000)
    tell("leased", lease.job_id, lease.token)
    queue.fail(lease.job_id, lease.token, "boom", permanent=True)
    tell("failed", lease.job_id)
    queue.redrive(lease.job_id, actor="child", note="", unchanged=True)
    tell("redriven", lease.job_id)
    queue.cancel("J3")
    tell("cancelled", "J3")
    lease = queue.poll("child", 1000)
    tell("leased", lease.job_id, lease.token)
    tell("end", told.get("kill_at", 0))


def cycles(queue: Any, told: dict[str, Any]) -> None:
    """Submit, claim and complete so often; each claim is of whatever job is next."""
    for number in range(told["cycles"]):
        tell("submitted", queue.submit("mail", f"{told['name']}-{number}"))
        lease = queue.poll(told["name"], 600_000)
        if lease is not None:
            tell("leased", lease.job_id, lease.token)
            queue.complete(lease.job_id, lease.token)
            tell("completed", lease.job_id)
    tell("end", told["name"])


def drain(queue: Any, told: dict[str, Any]) -> None:
    """Claim and complete until nothing is left."""
    while (lease := queue.poll(told["name"], 600_000)) is not None:
        tell("leased", lease.job_id, lease.token)
        queue.complete(lease.job_id, lease.token)
        tell("completed", lease.job_id)
    tell("end", told["name"])


def sweep(queue: Any, _told: dict[str, Any]) -> None:
    """Settle all that is due, and tell how much this process has settled."""
    tell("settled", queue.sweep())


def hold(queue: Any, told: dict[str, Any]) -> None:
    """Claim one job and wait to be killed."""
    lease = queue.poll("child", told["lease_millis"])
    tell("leased", lease.job_id, lease.token)
    threading.Event().wait(60)


def main() -> None:
    """Do what the argument says."""
    told = json.loads(sys.argv[1])
    clock = SystemClock() if told.get("real_time") else ManualClock(told.get("now", 0))
    queue = open_queue(told["url"], clock, RetryPolicy(3, 1000, 60_000), **told["options"])
    tell("opened")
    {"story": story, "cycles": cycles, "drain": drain, "hold": hold, "sweep": sweep}[told["do"]](queue, told)
    queue.close()


if __name__ == "__main__":
    main()
