"""The steps of a story about a database as values: what a worker holds, what others do between statements."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any

from exercises.grader import Case
from exercises.grader.running.wire import Handle

MOST_PLACES = 12  # a call with more statements is not looked at behind them


@dataclass(frozen=True, slots=True)
class Hold:
    """What a worker has in hand after a claim."""

    job_id: str
    generation: Any
    worker_id: str
    record: Any = None


@dataclass(frozen=True, slots=True)
class Action:
    """What somebody else does between two statements, in words and as a call."""

    words: str
    target: Handle
    method: str
    args: tuple[Any, ...]
    tell: Callable[[Any], str]


def each_place(case: Case, tell: Callable[[int], bool]) -> None:
    """Tell a story once for each statement of a call; `tell` returns whether the call had so many.

    Only the telling that goes wrong is shown.
    """
    for place in count(1):
        case.retell(())
        if place > MOST_PLACES or not tell(place):
            break
    if place == 1:
        case.broken("a statement over the connection that was given", "none", "no statement")


def complete_words(hold: Hold) -> str:
    """Say who completes what."""
    return f"{hold.worker_id} completes {hold.job_id}, generation {hold.generation}"


def lease_words(lease: Any) -> str:
    """Say in words what a claim gave."""
    fields = getattr(lease, "fields", None)
    if fields is None:
        return "nothing" if lease is None else str(lease)
    return f"{fields.get('job_id')}, generation {fields.get('generation')}"
