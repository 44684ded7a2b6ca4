"""The durable queue of ex10, on one connection. What an answer must promise is in checks.toml."""

from functools import partial
from pathlib import Path

from exercises.grader import Case
from exercises.grader.judging.case import Broken
from exercises.staging.database_driver import LOCKED, LOST, DatabaseDriver
from exercises.staging.story_tables import checks

sqlite_queue = partial(
    DatabaseDriver, module="exercises.staging.sqlite_database", kind="DurableQueue", error="StaleLeaseError"
)


def submitted_is_kept(case: Case) -> None:
    """Say of a job that is not as acknowledged that it was lost."""
    queue = sqlite_queue(case)
    queue.submit(gives="J1")
    queue.cut_power()
    _is_there(queue, "PENDING", 0)


def claimed_is_kept(case: Case) -> None:
    """Likewise of a claim."""
    queue = sqlite_queue(case)
    queue.submit(gives="J1")
    queue.claim("A", gives="J1")
    queue.cut_power()
    _is_there(queue, "RUNNING", 1)
    queue.claim("B", gives=None)


def _is_there(queue: DatabaseDriver, status: str, attempts: int) -> None:
    try:
        view = queue.look("J1")
    except Broken as broken:
        if broken.how == LOCKED:
            raise
        # The row is not there, so the look at it breaks off.
        queue.case.broken(f"J1 is {status}", "J1 is not in the file", LOST)
    if view["status"] != status:
        queue.case.broken(f"J1 is {status}", f"J1 is {view['status']}", LOST)
    queue.case.same("attempts", attempts, view["attempts"])


CHECKS = checks(
    Path(__file__).parent,
    sqlite_queue,
    submitted_is_kept=submitted_is_kept,
    claimed_is_kept=claimed_is_kept,
)
