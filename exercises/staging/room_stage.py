"""The stage for the exercise about who is next: a waiting room, in the words of the task."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from exercises.grader import Case
from exercises.grader.judging.case import Broken
from exercises.grader.judging.records import How
from exercises.staging.plain_stage import PlainStage
from exercises.staging.queue_driver import seconds

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


class Room(PlainStage):
    """A waiting room of the answer, in the words of the task."""

    def __init__(self, case: Case) -> None:
        super().__init__(case, "WaitingRoom")
        self._submitted = 0

    def submits(self, priority: int = 0, run_at: int = 0) -> None:
        """Submit one job; its id must be the next one."""
        self._submitted += 1
        words = f"submit, priority {priority}, run_at {seconds(run_at)} s"
        self.gives(words, "submit", priority, run_at, gives=f"J{self._submitted}", what="job id")

    def submits_plainly(self) -> None:
        """Submit one job, and say nothing about it."""
        self._submitted += 1
        self.gives("submit", "submit", gives=f"J{self._submitted}", what="job id")

    def best(self, now: int, job_id: str | None) -> None:
        """Ask who is best."""
        self._tells(f"best at {seconds(now)} s", "best", now, job_id, "best job")

    def takes(self, now: int, job_id: str | None) -> None:
        """Take the best job."""
        self._tells(f"take at {seconds(now)} s", "take", now, job_id, "job taken")

    def _tells(self, words: str, method: str, now: int, job_id: str | None, what: str) -> None:
        """Ask who it is; it must be this one."""
        with _told_by_python(nobody=job_id is None):
            got = self._case.call(words, self.object, method, now, expected=f"{what} {job_id!r}", tell=repr)
        given = {f"J{number}" for number in range(1, self._submitted + 1)}
        if isinstance(got, str) and (job_id is None or got not in given):
            how = SOMEBODY if got in given else STRANGER
            self._case.broken(f"{what} {job_id!r}", f"{what} {got!r}", how)
        self._case.same(what, job_id, got)

    def gets_back(self, job_id: str, run_at: int) -> None:
        """Give a job back."""
        self.asks(
            f"give back {job_id}, run_at {seconds(run_at)} s", "give_back", job_id, run_at, what="accepted"
        )


@contextmanager
def _told_by_python(*, nobody: bool) -> Iterator[None]:
    """Where nobody is ready and the answer breaks off: say whether it is about that, in Python's own words."""
    try:
        yield
    except Broken as broken:
        if nobody and broken.how in {How.RAISED, How.CRASHED}:
            kinds = {OF_NONE: _NOTHING_TO_CHOOSE, ASKS_NONE: _NONE_HAS_NONE}
            found = (how for how, words in kinds.items() if words.match(broken.got))
            broken.how = next(found, broken.how)
        raise
