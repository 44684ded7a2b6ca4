"""The queue's own lock, proven by schedules: threads meet in its code in every way that the search tries."""

import functools
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from types import CodeType, FunctionType
from typing import Any

import pytest

from exercises.grader.running.threads.patched_primitives import patched
from exercises.grader.running.threads.play import Outcome, Play
from exercises.grader.running.threads.points import Points
from exercises.grader.running.threads.schedules import Bounds
from exercises.grader.running.threads.search import Exploration
from jobqueue import JobQueue, ManualClock, RetryPolicy

pytestmark = pytest.mark.one_store("the lock of the queue in memory")
WATCHED = ("queue", "operator", "memory")


def codes() -> Iterator[CodeType]:
    """All functions of the modules in which a turn of the queue happens."""
    for name in WATCHED:
        module = sys.modules[f"jobqueue.{name}"]
        kinds = [value for value in vars(module).values() if isinstance(value, type)]
        spaces = [vars(module), *(vars(kind) for kind in kinds)]
        for value in (value for space in spaces for value in space.values()):
            inner = value.fget if isinstance(value, property) else getattr(value, "__wrapped__", value)
            if isinstance(inner, FunctionType) and inner.__module__ == module.__name__:
                yield inner.__code__


@functools.cache
def points() -> Points:
    """Where threads may switch."""
    return Points(list(dict.fromkeys(codes())))


def outcomes_of(story: dict[str, Any], *, locked: bool = True) -> list[Outcome]:
    """All outcomes of a story on a fresh queue for each schedule; without its lock if asked for."""

    def make() -> JobQueue:
        queue = JobQueue(ManualClock(), RetryPolicy(3, 0, 0))
        if not locked:
            queue._store.transaction = lambda _access: nullcontext()  # type: ignore[assignment, method-assign]
        return queue

    def plain(value: object) -> dict[str, Any]:
        return {"kind": "value", "value": repr(value)}

    def error(raised: BaseException) -> dict[str, Any]:
        return {"kind": "raised", "error": type(raised).__name__}

    found: list[Outcome] = []
    with patched():
        search = Exploration(Play(make, story, points(), plain, lambda _: True, error), Bounds(60, 60, 20))
        while not (progress := search.more(1.0)).done:
            found += progress.outcomes
    return found + progress.outcomes


def strange_among(outcomes: list[Outcome]) -> list[Outcome]:
    """Those that whole calls, one after the other, do not give, and those that end nowhere."""
    allowed = [one.calls for one in outcomes if not one.schedule.switches]
    return [one for one in outcomes if one.end or one.calls not in allowed]


def call(method: str, *args: object) -> dict[str, Any]:
    return {"method": method, "args": list(args)}


def taken(field: str) -> dict[str, Any]:
    """What the lease of the second call before the meeting holds."""
    return {"take": ["before", 1, field]}


HELD = (taken("job_id"), taken("token"))
SUBMIT, POLL = call("submit", "mail"), call("poll", "w", 1_000)
STORIES = {
    "two polls": {"before": [SUBMIT], "A": [POLL], "B": [POLL], "after": [POLL, call("view", "J1")]},
    "two submits": {"A": [SUBMIT], "B": [SUBMIT], "after": [POLL, POLL]},
    "complete twice": {
        "before": [SUBMIT, POLL],
        "A": [call("complete", *HELD)],
        "B": [call("complete", *HELD)],
        "after": [call("history", "J1")],
    },
    "complete or fail": {
        "before": [SUBMIT, POLL],
        "A": [call("complete", *HELD)],
        "B": [call("fail", *HELD, "x")],
        "after": [call("view", "J1"), POLL],
    },
    "cancel or poll": {
        "before": [SUBMIT],
        "A": [call("cancel", "J1")],
        "B": [POLL],
        "after": [call("view", "J1")],
    },
}


@pytest.mark.parametrize("name", STORIES)
def test_whatever_meets_the_queue_stays_itself(name: str) -> None:
    """Two threads, in every way with one switch and some with more: as if the calls had come one by one."""
    found = outcomes_of(STORIES[name])
    assert found
    assert strange_among(found) == []


@pytest.mark.parametrize("name", STORIES)
def test_without_its_lock_the_same_search_finds_the_fault(name: str) -> None:
    """So the silence above means something."""
    assert strange_among(outcomes_of(STORIES[name], locked=False))


def test_three_workers_and_two_jobs() -> None:
    """Two get one each, the third gets nothing; without the lock that is not so."""
    story = {"before": [SUBMIT, SUBMIT], "A": [POLL], "B": [POLL], "C": [POLL], "after": [call("stats")]}
    for one in outcomes_of(story):
        assert one.end is None
        got = [one.calls[name][0]["value"] for name in "ABC"]
        assert sorted(value == "None" for value in got) == [False, False, True]
        assert ("J1" in "".join(got), "J2" in "".join(got)) == (True, True)
    assert strange_among(outcomes_of(story, locked=False))
