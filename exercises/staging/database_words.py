"""Words and small parts that the stages of queues in a database share."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any

from exercises.grader import Case
from exercises.grader.running.wire import Handle, Record

MOST_PLACES = 12  # a call with more statements is not looked at behind them

# The ways in which a queue in a database can fail, beside those that every exercise knows.
LOCKED = "locked"
TWO_WORKERS = "one job, two workers"
ONE_ID = "one id twice"
LOST = "lost"
HALF = "half a change"
BOTH = "both"
NO_STATEMENT = "no statement"


@dataclass(frozen=True, slots=True)
class Hold:
    """What a worker has in hand after a claim."""

    job_id: str
    generation: Any
    worker_id: str
    record: Any


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
        case.broken("a statement over the connection that was given", "none", NO_STATEMENT)


def accepted(_: Any) -> str:
    """Say that a report was accepted."""
    return "accepted"


def complete_words(hold: Hold) -> str:
    """Say who completes what."""
    return f"{hold.worker_id} completes {hold.job_id}, generation {hold.generation}"


def lease_words(lease: Any) -> str:
    """Say in words what a claim gave."""
    fields = getattr(lease, "fields", None)
    if fields is None:
        return "nothing" if lease is None else str(lease)
    return f"{fields.get('job_id')}, generation {fields.get('generation')}"


def view_words(wanted: dict[str, Any]) -> Callable[[Any], str]:
    """Show of a view what the check looks at."""

    def words(view: Any) -> str:
        fields = view.fields if isinstance(view, Record) else None
        if fields is None:
            return repr(view)
        return ", ".join(f"{name} {fields[name]!r}" for name in wanted if name in fields) or str(view)

    return words
