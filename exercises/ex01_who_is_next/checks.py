"""The waiting room of ex01, in the words of the task. What an answer must promise is in checks.toml."""

import random
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from exercises.grader import Case
from exercises.grader.judging.case import Broken
from exercises.grader.judging.records import How
from exercises.staging.drawn_stories import drawn, tell_drawn
from exercises.staging.driver import Driver, seconds
from exercises.staging.oracle import PENDING, RUNNING, Oracle
from exercises.staging.queue_words import several
from exercises.staging.story_tables import checks

ACTS = {"submit": 5, "best": 3, "take": 4, "give back": 2}
STEPS = 60
# The ways in which a check can fail here, beside those that every exercise knows.
SOMEBODY = "somebody"  # where nobody is ready
STRANGER = "a stranger"  # an id that was never given
OF_NONE = "first of none"  # an error by which Python says that there is nothing to choose from
ASKS_NONE = "asks None"  # an error by which Python says that None has no such thing

# Python's own words, from 3.11 on. An error of another kind, or raised on purpose, means something else.
_NOTHING_TO_CHOOSE = re.compile(
    r"ValueError: (min|max)\(\) (arg is an empty sequence|iterable argument is empty)"
    r"|IndexError: ((list|tuple|deque|string) )?index out of range"
    r"|IndexError: (pop from (an )?empty (list|deque)|Cannot choose from an empty sequence)"
    r"|KeyError: '(pop from an empty set|popitem\(\): dictionary is empty)'"
    r"|TypeError: reduce\(\) of empty (sequence|iterable) with no initial value"
    r"|StopIteration"
)
_NONE_HAS_NONE = re.compile(
    r"(AttributeError|TypeError): ('NoneType' object |cannot unpack non-iterable NoneType object)"
)


class Room(Driver):
    """A waiting room of the answer."""

    def __init__(self, case: Case) -> None:
        super().__init__(case, "WaitingRoom")
        self._submitted = 0

    def submit(self, **told: int) -> None:
        """Submit one job, and say all about it or nothing; its id must be the next one."""
        self._submitted += 1
        priority, run_at = told.get("priority", 0), told.get("run_at", 0)
        words = f"submit, priority {priority}, run_at {seconds(run_at)} s" if told else "submit"
        args = (priority, run_at) if told else ()
        self.gives(words, "submit", *args, gives=f"J{self._submitted}", what="job id")

    def best(self, now: int, *, gives: Any) -> None:
        """Ask who is best, once or again and again."""
        for job_id in several(gives):
            self._names("best", "best job", now, job_id)

    def take(self, now: int, *, gives: Any) -> None:
        """Take the best job, once or again and again."""
        for job_id in several(gives):
            self._names("take", "job taken", now, job_id)

    def _names(self, method: str, what: str, now: int, job_id: str | None) -> None:
        """Ask who it is; it must be this one."""
        with _in_pythons_words(nobody=job_id is None):
            got = self.asks(f"{method} at {seconds(now)} s", method, now, what=f"{what} {job_id!r}")
        given = {f"J{number}" for number in range(1, self._submitted + 1)}
        if isinstance(got, str) and (job_id is None or got not in given):
            how = SOMEBODY if got in given else STRANGER
            self.case.broken(f"{what} {job_id!r}", f"{what} {got!r}", how)
        self.case.same(what, job_id, got)

    def give_back(self, job_id: str, run_at: int) -> None:
        """Give a job back."""
        words = f"give back {job_id}, run_at {seconds(run_at)} s"
        self.asks(words, "give_back", job_id, run_at, what="accepted")


@contextmanager
def _in_pythons_words(*, nobody: bool) -> Iterator[None]:
    """Where nobody is ready and the answer breaks off: say whether it is about that, in Python's own words."""
    try:
        yield
    except Broken as broken:
        if nobody and broken.how in {How.RAISED, How.CRASHED}:
            kinds = {OF_NONE: _NOTHING_TO_CHOOSE, ASKS_NONE: _NONE_HAS_NONE}
            found = (how for how, words in kinds.items() if words.match(broken.got))
            broken.how = next(found, broken.how)
        raise


Step = tuple[str, int, int]


def any_story(case: Case) -> None:
    """Compare calls drawn at random with the rules: what is done, and two numbers for it."""
    tell_drawn(case, (1, 2, 3), lambda chance: drawn(chance, ACTS, STEPS, _numbers), _tell)


def _numbers(chance: random.Random) -> tuple[int, int]:
    return chance.randint(-2, 2), chance.choice((0, 500, 999, 1_000, 1_001))


def _tell(case: Case, story: Sequence[Step]) -> None:
    room, oracle = Room(case), Oracle(leases=False)
    for act, number, instant in story:
        best, taken = oracle.best(instant), [job for job in oracle.jobs.values() if job.status == RUNNING]
        match act:
            case "submit":
                oracle.submit(0, number, instant)
                room.submit(priority=number, run_at=instant)
            case "best":
                room.best(instant, gives=best and best.id)
            case "take":
                room.take(instant, gives=best and best.id)
                if best:
                    best.status = RUNNING
            case "give back" if taken:
                back = taken[number % len(taken)]
                back.status, back.run_at = PENDING, instant
                room.give_back(back.id, instant)


CHECKS = checks(Path(__file__).parent, Room, any_story=any_story)
