"""The same request twice makes one job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import EventLog, JobQueue, Limits, ManualClock, RequestKeyConflictError, RetryPolicy, Submission
from tests.contract.observing import everything, outcome, polled, submit_as
from tests.contract.together import run_together

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.over_http

CONTENT = {"payload": "p", "priority": 1, "cost": 2, "run_at_millis": 50, "deadline_millis": 900}


def test_the_same_request_again_finds_the_same_job(queue: JobQueue) -> None:
    """The first creates, each later one is a replay; there is one job."""
    assert queue.submit_once("k", "mail", "p") == Submission("J1", replayed=False)
    assert queue.submit_once("k", "mail", "p") == Submission("J1", replayed=True)
    assert queue.view("J1").request_key == "k"
    assert queue.submit("mail") == "J2"
    assert queue.view("J2").request_key is None


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("type", "fax"),
        ("payload", "q"),
        ("priority", 0),
        ("cost", 3),
        ("run_at_millis", 51),
        ("deadline_millis", 901),
    ],
)
def test_other_content_under_the_same_key_is_a_conflict(queue: Any, name: Any, other: Any) -> None:
    """The key is bound to each argument; the job that is there is left alone."""
    content = {"type": "mail", **CONTENT}
    queue.submit_once("k", **content)
    before = everything(queue, submitted=1)
    with pytest.raises(RequestKeyConflictError):
        queue.submit_once("k", **{**content, name: other})
    assert everything(queue, submitted=1) == before
    assert queue.submit_once("k", **content).replayed


def test_a_conflict_names_the_key_and_both_hashes_and_no_payload(queue: JobQueue) -> None:
    """Whoever made the mistake can compare; a payload may be a secret and stays out of it."""
    queue.submit_once("order-7", "mail", "first secret")
    texts = [
        str(outcome(queue.submit_once, "order-7", "mail", text)) for text in ("second secret", "third secret")
    ]
    hashes = [{word.strip(",;:.") for word in text.split() if len(word.strip(",;:.")) == 64} for text in texts]
    assert ["order-7" in text for text in texts] == [True, True]
    assert ["secret" in text for text in texts] == [False, False]
    assert ([len(found) for found in hashes], len(hashes[0] & hashes[1])) == ([2, 2], 1)


def test_now_and_none_are_two_contents(queue: JobQueue) -> None:
    """What counts is what the caller gave: None stays None, whatever it came to mean."""
    queue.submit_once("k", "mail")
    assert isinstance(outcome(queue.submit_once, "k", "mail", run_at_millis=0), RequestKeyConflictError)


def test_a_late_repeat_of_a_request_for_now_is_a_replay(queue: JobQueue, clock: ManualClock) -> None:
    """Its run_at was given as None both times, although now is another instant."""
    queue.submit_once("k", "mail")
    clock.advance_to(70_000)
    assert queue.submit_once("k", "mail") == Submission("J1", replayed=True)
    assert queue.view("J1").next_run_at == 0


def test_each_tenant_has_its_own_keys(queue: JobQueue) -> None:
    """One tenant's key says nothing of another's."""
    first = queue.submit_once("k", "mail", tenant="a")
    second = queue.submit_once("k", "fax", tenant="b")
    assert (first, second) == (Submission("J1", replayed=False), Submission("J2", replayed=False))
    assert queue.view("J1").type == "mail"


@pytest.mark.parametrize("status", ["RUNNING", "SUCCEEDED", "DEAD", "CANCELLED"])
def test_a_replay_finds_the_job_whatever_its_state(make_queue: Any, clock: Any, status: Any) -> None:
    """Finished or dead, it is still the job of this request."""
    queue = make_queue(clock, RetryPolicy(1, 0, 0))
    submit = queue.submit
    queue.submit = lambda type_: queue.submit_once("k", type_).job_id
    submit_as(queue, status)
    queue.submit = submit
    assert queue.submit_once("k", "mail") == Submission("J1", replayed=True)
    assert queue.view("J1").status == status


def test_a_replay_is_refused_neither_by_a_deadline_nor_by_limits(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """The request was accepted once; that its time is over now is told by the job."""
    queue = make_queue(
        clock, RetryPolicy(3, 1000, 60_000), limits=Limits(max_queued=1, max_queued_per_tenant=1)
    )
    queue.submit_once("k", "mail", deadline_millis=1000)
    assert queue.submit_once("k", "mail", deadline_millis=1000).replayed
    clock.advance_to(5000)
    assert queue.submit_once("k", "mail", deadline_millis=1000) == Submission("J1", replayed=True)
    assert queue.view("J1").dead_reason == "deadline"


def test_a_conflict_is_told_before_a_deadline_or_a_limit(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """The key is looked at first, then the deadline, then the limits."""
    queue = make_queue(clock, RetryPolicy(3, 1000, 60_000), limits=Limits(max_queued=1))
    queue.submit_once("k", "mail")
    clock.advance_to(10)
    assert type(outcome(queue.submit_once, "k", "fax", deadline_millis=5)) is RequestKeyConflictError
    assert type(outcome(queue.submit_once, "l", "fax", deadline_millis=5)) is ValueError


@pytest.mark.not_over_http("the actor is the token's")
def test_a_redriven_job_keeps_its_key_and_the_content_it_was_asked_for(one_try: JobQueue) -> None:
    """A corrected payload is the operator's; the producer's repeat is still the same request."""
    one_try.submit_once("k", "mail", "p")
    one_try.fail("J1", polled(one_try).token, permanent=True)
    one_try.redrive("J1", actor="ann", note="", payload="better")
    assert one_try.submit_once("k", "mail", "p") == Submission("J1", replayed=True)
    assert isinstance(outcome(one_try.submit_once, "k", "mail", "better"), RequestKeyConflictError)


def test_a_refused_request_does_not_take_the_key(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """No job, no key."""
    queue = make_queue(clock, RetryPolicy(3, 1000, 60_000), limits=Limits(max_queued=1))
    first = queue.submit("mail")
    outcome(queue.submit_once, "k", "mail")
    queue.cancel(first)
    assert queue.submit_once("k", "fax") == Submission("J2", replayed=False)


def test_retention_passes_over_jobs_with_a_young_key(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """At 1000 the key is old enough; until then the job stays, and so do the newest beside it."""
    queue = make_queue(clock, RetryPolicy(3, 1000, 60_000), keep_finished=1, key_life_millis=1000)
    for key in "abc":
        queue.cancel(queue.submit_once(key, "mail").job_id)
    for _ in range(3):
        queue.cancel(queue.submit("mail"))
    kept = [number for number, seen in enumerate(everything(queue, submitted=6).values(), 1) if seen]
    assert kept[:4] == [1, 2, 3, 6]
    clock.advance_to(999)
    assert queue.submit_once("a", "mail").replayed
    clock.advance_to(1000)
    queue.cancel(queue.submit("mail"))
    assert queue.submit_once("a", "mail") == Submission("J8", replayed=False)


def test_a_key_lives_as_long_as_its_job_is_kept(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """Its life is what it has at least: nobody takes a key from a job that is remembered."""
    queue = make_queue(clock, RetryPolicy(3, 1000, 60_000), key_life_millis=1000)
    queue.cancel(queue.submit_once("k", "mail").job_id)
    clock.advance_to(50_000)
    assert queue.submit_once("k", "mail").replayed
    assert queue.prune(keep=0) == 1
    assert queue.submit_once("k", "mail") == Submission("J2", replayed=False)


def test_twenty_threads_with_one_request_make_one_job(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """One creates, nineteen replay."""
    queue = make_queue(clock, RetryPolicy(3, 1000, 60_000))
    answers = run_together(20, lambda _number: queue.submit_once("k", "mail", "p"))
    assert sorted(answer.replayed for answer in answers) == [False] + [True] * 19
    assert {answer.job_id for answer in answers} == {"J1"}


def test_twenty_threads_with_twenty_contents_make_one_job(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """One creates, nineteen conflict."""
    queue = make_queue(clock, RetryPolicy(3, 1000, 60_000))
    answers = run_together(20, lambda number: outcome(queue.submit_once, "k", "mail", str(number)))
    kinds = sorted(type(answer).__name__ for answer in answers)
    assert kinds == ["RequestKeyConflictError"] * 19 + ["Submission"]
    assert queue.submit("mail") == "J2"


@pytest.mark.parametrize(
    ("key", "error"),
    [("", ValueError), (" ", ValueError), ("k" * 201, ValueError), ("k\0", ValueError), (7, TypeError)],
)
def test_a_key_is_a_name(queue: JobQueue, key: Any, error: Any) -> None:
    """One to 200 characters, not blank, storable."""
    with pytest.raises(error, match="request_key"):
        queue.submit_once(key, "mail")
    assert queue.submit_once("k" * 200, "mail").job_id == "J1"


@pytest.mark.not_over_http("events stay where the queue is")
def test_a_conflict_is_told_as_refused(queue: JobQueue, log: EventLog) -> None:
    """It is an event like every refusal, about the job that has the key."""
    queue.submit_once("k", "mail")
    refusal = outcome(queue.submit_once, "k", "fax")
    event = log.events[-1]
    assert (event.kind, event.job_id, event.worker_id) == ("refused", "J1", None)
    assert (event.detail["operation"], event.detail["message"]) == ("submit_once", str(refusal))
