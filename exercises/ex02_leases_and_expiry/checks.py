"""The lease queue of ex02. What an answer must promise is in checks.toml."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from exercises.grader import Case
from exercises.grader.judging.case import Broken
from exercises.staging.drawn_stories import drawn, tell_drawn
from exercises.staging.followed import Followed
from exercises.staging.oracle import Oracle
from exercises.staging.queue_driver import DEAD_ALREADY, QueueDriver
from exercises.staging.story_tables import checks

ACTS = {"submit": 2, "poll": 6, "complete": 1, "renew": 3, "view": 4, "sweep": 1}
STEPS = 60
PAUSES = (0, 0, 1, 999, 1_000, 1_000, 2_000, 4_000)
LEASES = (1_000, 2_000, 3_000)
RECENT = 4
LEASE = ("attempt", "lease_until")
VIEW = ("status", "attempts", "run_at", "last_error", "failed_at")


class LeaseQueue(QueueDriver):
    """A `LeaseQueue` of the answer: two attempts, and three seconds of rest."""

    def __init__(self, case: Case, most: int = 2, rest: int = 3_000) -> None:
        super().__init__(case, "LeaseQueue", "LeaseOverError", most, rest)

    def view(self, job_id: str, **wanted: Any) -> None:
        """Look at a job; to die too early breaks more than the promise of one field."""
        try:
            super().view(job_id, **wanted)
        except Broken as broken:
            if broken.got == "status 'DEAD'":
                broken.how = DEAD_ALREADY
            raise


Step = tuple[str, int, int, int]


def any_story(case: Case) -> None:
    """Tell calls drawn at random, at and around the ends of leases."""
    tell_drawn(case, (1, 2, 3), _draw, _tell)


def _draw(chance: random.Random) -> list[Step]:
    """What is done, when, to which job or by which hold, and for how long."""

    def details(chance: random.Random) -> tuple[int, int, int]:
        return chance.choice(PAUSES), chance.randrange(12), chance.choice(LEASES)

    return drawn(chance, ACTS, STEPS, details, timed=True)


def _tell(case: Case, story: Sequence[Step]) -> None:
    queue = Followed(LeaseQueue(case, 2, 2_000), Oracle(2, 2_000), view=VIEW, lease=LEASE)
    for act, now, number, millis in story:
        queue.at(now)
        jobs, holds = queue.oracle.jobs, queue.holds
        match act:
            case "submit":
                queue.submit()
            case "sweep":
                queue.queue.sweep(gives=queue.oracle.settle(now))
            case "poll":
                queue.poll("ABC"[number % 3], millis)
            case "view" if jobs:
                queue.view(number % len(jobs) + 1)
            case "complete" if holds:
                queue.report("complete", holds[-1 - number % min(len(holds), RECENT)])
            case "renew" if holds:
                queue.report("renew", holds[-1 - number % min(len(holds), RECENT)], millis)


CHECKS = checks(Path(__file__).parent, LeaseQueue, any_story=any_story)
