"""Everything that can happen reads as a plain sentence, with the rule behind it."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from jobqueue import EventLog, JobQueue, JobQueueError, ManualClock, RetryPolicy
from jobqueue.events import Event, EventKind
from jobqueue.simulation import SCENARIOS, run
from jobqueue.simulation.chronicle import Note
from jobqueue.simulation.narration import narrate, seconds

if TYPE_CHECKING:
    from collections.abc import Callable

NOT_YET = {EventKind.RELEASED: "release", EventKind.PAUSED: "pause", EventKind.RESUMED: "resume"}
KINDS = [kind for kind in EventKind if hasattr(JobQueue, NOT_YET.get(kind, "poll"))]
PLAIN = re.compile(r'[A-Za-z][^{}<>_\n]*[\w".)]')


class Story:
    """A queue with short leases, led into every situation that there is a sentence for."""

    def __init__(self, most: int = 2) -> None:
        self.clock, self.log = ManualClock(), EventLog()
        self.queue = JobQueue(self.clock, RetryPolicy(most, 1000, 60_000), keep_finished=1, log=self.log)
        self.queue.submit("mail", "hello", 3, 500)
        self.clock.advance_to(1000)
        self.token = self.poll("A")

    def poll(self, worker: str, lease: int = 5000) -> str:
        lease_ = self.queue.poll(worker, lease)
        assert lease_ is not None
        return lease_.token

    def refused(self, operation: str, *arguments: object) -> Event:
        """Do what is refused, and return the event of it."""
        with suppress(JobQueueError):
            getattr(self.queue, operation)(*arguments)
        event = self.log.events[-1]
        assert event.kind is EventKind.REFUSED
        return event


def held_by_another() -> tuple[Story, tuple[object, ...]]:
    story = Story()
    story.clock.advance_to(7000)
    story.poll("B")
    return story, ("J1", "J1:1")


def ran_out() -> tuple[Story, tuple[object, ...]]:
    story = Story()
    story.clock.advance_to(6000)
    return story, ("J1", "J1:1")


def ran_out_twice() -> tuple[Story, tuple[object, ...]]:
    story, arguments = held_by_another()
    story.clock.advance_to(12_000)
    return story, arguments


def done_already() -> tuple[Story, tuple[object, ...]]:
    story = Story()
    story.queue.complete("J1", "J1:1")
    return story, ("J1", "J1:1")


def never_a_token() -> tuple[Story, tuple[object, ...]]:
    return Story(), ("J1", "J9:9")


def never_a_token_of_an_ended_job() -> tuple[Story, tuple[object, ...]]:
    return done_already()[0], ("J1", "J9:9")


FOUND: dict[Callable[[], tuple[Story, tuple[object, ...]]], tuple[str, str]] = {
    held_by_another: ("A", "Refused: the current lease is J1:2, held by B until 12.0 s"),
    ran_out: ("A", "Refused: the lease of that token ran out at 6.0 s"),
    ran_out_twice: ("A", "Refused: the job was handed out again since, and is DEAD"),
    done_already: ("A", "Refused: the job is SUCCEEDED"),
    never_a_token: ("operator", "Refused: the current lease is J1:1, held by A until 6.0 s"),
    never_a_token_of_an_ended_job: ("operator", "Refused: the job is SUCCEEDED"),
}
ASKED = {
    "complete": "reports success for J1",
    "fail": "reports a failure of J1",
    "renew": "asks to renew the lease of J1",
}


@pytest.mark.parametrize("operation", ASKED)
@pytest.mark.parametrize("situation", FOUND, ids=lambda f: f.__name__)
def test_a_refused_token_is_told_with_what_was_found(
    situation: Callable[[], tuple[Story, tuple[object, ...]]], operation: str
) -> None:
    """Who asked for what with which token, what stood against it, and the rule of the token."""
    story, arguments = situation()
    more = (1000,) if operation == "renew" else ()
    sentence = narrate(story.refused(operation, *arguments, *more), 2)
    who, found = FOUND[situation]
    assert sentence.who == who
    assert sentence.text == f"{ASKED[operation]} with token {arguments[1]}. {found}"
    assert sentence.rule is not None
    assert sentence.rule.text == "only the token of the current lease counts"


@pytest.mark.parametrize(
    ("operation", "text"),
    [
        ("cancel", "asks to cancel J1. Refused: the current lease is J1:1, held by A until 6.0 s"),
        ("retry_dead", "asks to bring back J1. Refused: the current lease is J1:1, held by A until 6.0 s"),
    ],
)
def test_a_refused_operator_is_told_what_the_job_is(operation: str, text: str) -> None:
    """Without a token it is the job's state that forbids."""
    sentence = narrate(Story().refused(operation, "J1"), 2)
    assert (sentence.who, sentence.text) == ("operator", text)
    assert sentence.rule is not None
    assert sentence.rule.text == "an operation that the job's state does not allow is refused"


def everything() -> tuple[Event, ...]:
    """Return the events of a queue in which everything happens that can happen."""
    story = Story()
    queue, clock = story.queue, story.clock
    queue.renew("J1", story.token, 6000)
    queue.fail("J1", story.token, "no route")
    clock.advance_to(9000)
    story.poll("B", 500)
    clock.advance_to(9500)
    queue.retry_dead("J1")
    queue.complete("J1", story.poll("A"))
    queue.submit("mail")
    queue.cancel("J2")
    story.refused("cancel", "J2")
    return story.log.events


def test_every_kind_of_event_reads_as_a_sentence() -> None:
    """No kind that a queue tells is without words, and none shows a hole, a raw name or a brace."""
    events = everything()
    assert {event.kind for event in events} == set(KINDS)
    for event in events:
        sentence = narrate(event, 2)
        assert PLAIN.fullmatch(sentence.text), sentence.text
        assert "None" not in f"{sentence.who} {sentence.text}"
        assert str(event.job_id) in sentence.text
        assert sentence.who in {"producer", "queue", "operator", "A", "B"}
        assert (sentence.at, sentence.kind, sentence.job_id) == (event.at, event.kind, event.job_id)


@pytest.mark.parametrize("kind", ["crashed", "restarted", "froze", "thawed", "effect"])
@pytest.mark.parametrize("job_id", [None, "J1"])
def test_every_note_reads_as_a_sentence(kind: str, job_id: str | None) -> None:
    """What no queue can see is told as well, with a job in hand or without."""
    if kind == "effect" and job_id is None:
        job_id = "J2"  # there is no work without a job
    sentence = narrate(Note(5, kind, "A", job_id), 3)
    assert PLAIN.fullmatch(sentence.text), sentence.text
    assert "None" not in sentence.text
    assert sentence.who == "A"
    assert (sentence.rule is not None) is (kind == "effect")


@pytest.mark.parametrize("name", SCENARIOS)
def test_each_rule_is_kept_by_a_function_that_exists(name: str) -> None:
    """A rule names a function of the queue's own code, where a reader finds it."""
    rules = {s.rule for e in run(SCENARIOS[name]).chronicle.entries if (s := narrate(e, 3)).rule is not None}
    assert len(rules) >= 3
    for rule in rules:
        assert rule.source.__module__ == "jobqueue.lifecycle"
        assert rule.text[0].islower()
        assert not rule.text.endswith(".")


@pytest.mark.parametrize(
    ("millis", "text"),
    [
        (0, "0.0 s"),
        (5, "0.005 s"),
        (50, "0.05 s"),
        (-1500, "-1.5 s"),
        (3_600_000, "3600.0 s"),
        (999, "0.999 s"),
    ],
)
def test_seconds_have_as_many_digits_as_they_need(millis: int, text: str) -> None:
    """At least one, never a rounded one."""
    assert seconds(millis) == text
