"""The queue with dead letters of ex05. What an answer must promise is in checks.toml."""

import random
from collections.abc import Sequence
from pathlib import Path

from exercises.grader import Case
from exercises.grader.judging.case import Broken
from exercises.staging.drawn_stories import drawn, tell_drawn
from exercises.staging.followed import Followed
from exercises.staging.oracle import Oracle
from exercises.staging.queue_driver import QueueDriver
from exercises.staging.story_tables import checks, steps_of, take

ACTS = {"submit": 3, "poll": 8, "complete": 1, "fail": 4, "fail for good": 3, "retry": 2, "many": 2, "look": 4}
STEPS = 50
RECENT = 3
FIELDS = ("status", "attempts", "run_at", "last_error", "failed_at", "dead_reason")
EXHAUSTED = """
submit -> J1; poll A 10_000 -> J1; fail A "disk full"
5_000: poll B 10_000 -> J1; fail B "no network"
20_000: retry_dead J1
"""
SPREAD = """
begin 1; submit -> J1; submit -> J2; submit -> J3
poll A 10_000 -> J1; fail A "disk full" permanent=True
poll A 10_000 -> J2; fail A "disk full" permanent=True
poll A 10_000 -> J3; fail A "disk full" permanent=True
7_000: redrive_many J1 J2 J3 spread=2_000 -> J1:done J2:done J3:done
"""


def queue(case: Case, most: int = 2, rest: int = 3_000, begins: int = 0) -> QueueDriver:
    """Set up an empty DeadLetterQueue: two attempts, and three seconds of rest."""
    return QueueDriver(case, "DeadLetterQueue", "StaleTokenError", most, rest, begins=begins)


def brought_back(case: Case) -> None:
    """Where it is ready at another instant: say which."""
    dead = take(lambda *args: queue(case, *args), steps_of(EXHAUSTED))
    try:
        dead.view("J1", status="PENDING", run_at=20_000)
    except Broken as broken:
        tells = {"run_at 3000": "the old run_at", "run_at 23000": "rests"}
        broken.how = tells.get(broken.got, broken.how)
        raise
    dead.poll("C", 10_000, gives="J1")


def spread_out(case: Case) -> None:
    """Where they are not spread: say whether all of them are ready at once."""
    dead = take(lambda *args: queue(case, *args), steps_of(SPREAD))
    try:
        for name, run_at in {"J1": 7_000, "J2": 9_000, "J3": 11_000}.items():
            dead.view(name, run_at=run_at)
    except Broken as broken:
        broken.how = "at once" if broken.got == "run_at 7000" else broken.how
        raise


Step = tuple[str, int, int]


def any_story(case: Case) -> None:
    """Tell calls drawn at random."""
    tell_drawn(case, (1, 2), _draw, _tell)


def _draw(chance: random.Random) -> list[Step]:
    """What is done, when, and a number that chooses for what."""

    def details(chance: random.Random) -> tuple[int, int]:
        return chance.choice((0, 0, 1, 1_000, 2_000)), chance.randrange(1_000)

    return drawn(chance, ACTS, STEPS, details, timed=True)


def _tell(case: Case, story: Sequence[Step]) -> None:
    both = Followed(queue(case, 2, 2_000), Oracle(2, 2_000, leases=False), view=FIELDS)
    for act, now, number in story:
        both.at(now)
        jobs = both.oracle.jobs
        chosen = number % max(len(jobs), 1) + 1
        match act:
            case "submit":
                both.submit(deadline=now + 2_000 + number % 3 if number % 2 else None)
            case "poll":
                both.poll("ABC"[number % 3], 10_000)
            case "complete" | "fail" | "fail for good" if both.holds:
                _report(both, act, number)
            case "retry" if jobs:
                gives = ("refused", jobs[chosen].status, jobs[chosen].attempts)
                accepted = both.oracle.retry_dead(now, chosen)
                both.queue.retry_dead(f"J{chosen}", gives="accepted" if accepted else gives)
            case "many" if jobs:
                ids = [f"J{(number * factor) % (len(jobs) + 3) + 1}" for factor in (1, 3, 5, 7)]
                spread = number % 3 * 1_000
                both.queue.redrive_many(*ids, spread=spread, gives=both.oracle.redrive_many(now, ids, spread))
            case "look" if jobs:
                both.view(chosen)
                both.queue.history(f"J{chosen}", gives=jobs[chosen].history)
                both.queue.dead(gives=[job.id for job in both.oracle.dead(now)])


def _report(both: Followed, act: str, number: int) -> None:
    """Let somebody who holds a job, or once held it, complete or fail it."""
    hold = both.holds[-1 - number % min(len(both.holds), RECENT)]
    if act == "complete":
        both.report("complete", hold)
    else:
        more = {"permanent": True} if act == "fail for good" else {}
        both.report("fail", hold, f"error of {hold.token}", **more)


CHECKS = checks(
    Path(__file__).parent, queue, brought_back=brought_back, spread_out=spread_out, any_story=any_story
)
