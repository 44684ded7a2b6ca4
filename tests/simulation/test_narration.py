"""Everything that can happen reads as a plain sentence, with the rule behind it."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import EventLog, JobQueue, JobQueueError, Limits, ManualClock, RetryPolicy
from jobqueue.events import Event, EventKind
from jobqueue.simulation import SCENARIOS, run
from jobqueue.simulation.chronicle import Note
from jobqueue.simulation.narration import narrate
from jobqueue.simulation.units import in_seconds, seconds

if TYPE_CHECKING:
    from collections.abc import Callable

PLAIN = re.compile(r'[A-Za-z][^{}<>_\n]*[\w".)]')


def reasons() -> dict[str, str]:
    """Return what the queue itself says of jobs in every state, and of refusals that name an instant."""
    clock = ManualClock(20_000)
    queue = JobQueue(clock, RetryPolicy(1, 0, 0))
    for _ in range(7):
        queue.submit("mail", deadline_millis=25_000)
    queue.submit("mail", run_at_millis=43_000)
    queue.cancel("J7")
    tokens = [lease.token for lease in queue.poll_many("B", 10_000, 4)]
    queue.complete("J2", tokens[1])
    queue.fail("J3", tokens[2], "x")
    queue.renew("J1", tokens[0], 41_000)
    clock.advance_to(30_000)
    said = {job.id: queue.why_not(job.id) for job in queue.list_jobs()}
    for what, act in {
        "stale": lambda: queue.complete("J1", "J1:9"),
        "expired": lambda: queue.complete("J4", tokens[3]),
        "deadline": lambda: queue.redrive("J5", actor="ann", note="x"),
    }.items():
        with pytest.raises(JobQueueError) as refusal:
            act()  # type: ignore[no-untyped-call]
        said[what] = str(refusal.value)
    return said


@pytest.mark.parametrize(("what", "said"), reasons().items())
def test_no_instant_of_the_queue_is_shown_in_bare_milliseconds(what: str, said: str) -> None:
    """Seconds with their unit, whichever sentence of the queue's it is."""
    assert re.search(r"\d{4}", said), f"{what} names an instant"
    shown = in_seconds(said)
    assert not re.search(r"\d{4}| ms", shown)
    assert re.search(r"\d\.\d s\b", shown)


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
        (
            "retry_dead",
            "asks to bring back J1. Refused: it is RUNNING, and only a DEAD job can be brought back",
        ),
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
    queue.pause("mail")
    queue.resume("mail")
    queue.submit("mail")
    queue.release("J3", story.poll("B"))
    return story.log.events


def test_every_kind_of_event_reads_as_a_sentence() -> None:
    """No kind that a queue tells is without words, and none shows a hole, a raw name or a brace."""
    events = everything()
    assert {event.kind for event in events} == set(EventKind)
    for event in events:
        sentence = narrate(event, 2)
        assert PLAIN.fullmatch(sentence.text), sentence.text
        assert "None" not in f"{sentence.who} {sentence.text}"
        assert (event.job_id or event.detail["type"]) in sentence.text
        assert sentence.who in {"producer", "queue", "operator", "A", "B"}
        assert (sentence.at, sentence.kind, sentence.job_id) == (event.at, event.kind, event.job_id)


@pytest.mark.parametrize("kind", ["crashed", "restarted", "froze", "thawed", "effect", "report_lost"])
@pytest.mark.parametrize("job_id", [None, "J1"])
def test_every_note_reads_as_a_sentence(kind: str, job_id: str | None) -> None:
    """What no queue can see is told as well, with a job in hand or without."""
    if kind in {"effect", "report_lost"} and job_id is None:
        job_id = "J2"  # there is no work without a job
    sentence = narrate(Note(5, kind, "A", job_id), 3)
    assert PLAIN.fullmatch(sentence.text), sentence.text
    assert "None" not in sentence.text
    assert sentence.who == "A"
    assert (sentence.rule is not None) is (kind == "effect")


def test_a_repeated_effect_says_what_receivers_have() -> None:
    """The first time there is nothing to count; the third time a naive receiver has it 3 times."""
    once, thrice = (narrate(Note(5, "effect", "A", "J1", times), 3).text for times in (1, 3))
    assert once == "has done the work of J1, out in the world"
    assert thrice == f"{once}, again: a naive receiver has it 3 times, one that keeps job ids once"


def last_sentence(do: Callable[[JobQueue, ManualClock], object], **options: Any) -> tuple[str, str, str]:
    """Return who, what and rule of the last thing that happened to a queue, which may be a refusal."""
    clock, log = ManualClock(), EventLog()
    queue = JobQueue(clock, RetryPolicy(2, 1000, 60_000), log=log, **options)
    with suppress(JobQueueError):
        do(queue, clock)
    sentence = narrate(log.events[-1], 2)
    return sentence.who, sentence.text, sentence.rule.source.__name__ if sentence.rule else ""


def permanent(queue: JobQueue, _: ManualClock) -> None:
    queue.submit("mail")
    lease = queue.poll("A", 5000)
    assert lease is not None
    queue.fail("J1", lease.token, "no such address", permanent=True)


def missed(queue: JobQueue, clock: ManualClock) -> None:
    queue.submit("code", deadline_millis=6000)
    clock.advance_to(9000)
    queue.sweep()


def too_late_to_retry(queue: JobQueue, _: ManualClock) -> None:
    queue.submit("code", deadline_millis=900)
    lease = queue.poll("A", 5000)
    assert lease is not None
    queue.fail("J1", lease.token, "try later")


def brought_back_for_later(queue: JobQueue, clock: ManualClock) -> None:
    permanent(queue, clock)
    clock.advance_to(2000)
    queue.redrive("J1", actor="ada", note="address mended", payload="ada@example.org")


def one_too_many(queue: JobQueue, _: ManualClock) -> None:
    queue.submit("mail")
    queue.submit("mail")


def other_content(queue: JobQueue, _: ManualClock) -> None:
    queue.submit_once("order-1", "mail", "one")
    queue.submit_once("order-1", "mail", "two")


def of_a_tenant(queue: JobQueue, _: ManualClock) -> None:
    queue.submit("film", "x", -2, 3000, tenant="bo", deadline_millis=9000, cost=30)


@pytest.mark.parametrize(
    ("do", "options", "told"),
    [
        (permanent, {}, ("queue", "J1 is a dead letter: its failure was reported as permanent", "to_bury")),
        (
            missed,
            {},
            ("queue", "J1 is a dead letter: its deadline came, and nobody had started it", "missed"),
        ),
        (
            too_late_to_retry,
            {},
            ("queue", "J1 is a dead letter: a retry could only start after its deadline", "to_bury"),
        ),
        (
            brought_back_for_later,
            {},
            ("operator", "brings J1 back: ready now, with a new set of attempts", "redriven"),
        ),
        (
            one_too_many,
            {"limits": Limits(max_queued=1)},
            (
                "producer",
                "asks to submit one more job. Refused: as many jobs wait as the limits allow",
                "",
            ),
        ),
        (
            of_a_tenant,
            {},
            (
                "producer",
                "submits J1 (film, priority -2, cost 30) for bo, due at 3.0 s, to be started before 9.0 s",
                "",
            ),
        ),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_what_the_full_queue_adds_is_told_in_its_own_words(
    do: Callable[[JobQueue, ManualClock], object], options: dict[str, Any], told: tuple[str, str, str]
) -> None:
    """Deadlines, permanent failures, redrives, limits and tenants each have their sentence and their rule."""
    assert last_sentence(do, **options) == told


def test_a_key_with_other_content_is_refused_without_the_payloads() -> None:
    """The producer learns that the key stands for another job; neither payload is told."""
    who, text, rule = last_sentence(other_content)
    assert (who, rule) == ("producer", "")
    assert text.startswith("asks to submit one more job. Refused: ")
    assert "one" not in text.partition("Refused")[2].split()
    assert "two" not in text.partition("Refused")[2].split()


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
