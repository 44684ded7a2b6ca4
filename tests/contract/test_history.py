"""What the queue tells about a job: its view and one row per hand-out."""

from __future__ import annotations

from typing import Any

import pytest

from jobqueue import Attempt, JobQueue, JobStatus, JobView, ManualClock
from tests.contract.observing import everything, polled


def row(number: Any, worker_id: Any, started_at: Any, *ending: Any) -> Any:
    """Return attempt `number`; `ending` is its ended_at, outcome and error, left out while it runs."""
    ended_at, outcome, error = ending or (None, None, None)
    return Attempt(number, number, worker_id, started_at, ended_at, outcome, error, era=0)


def view_of(**changes: Any) -> Any:
    """Return the view of a job submitted at 5 with every option left out, and the changes made to it."""
    values = dict.fromkeys(JobView.__dataclass_fields__) | {
        "id": "J1",
        "type": "mail",
        "priority": 0,
        "status": JobStatus.PENDING,
        "attempts": 0,
        "next_run_at": 5,
        "tenant": "default",
        "cost": 1,
        "submitted_at": 5,
        "generation": 0,
        "redrive_generation": 0,
    }
    return JobView(**(values | changes))  # type: ignore[arg-type]


@pytest.fixture
def submitted(queue: JobQueue, clock: ManualClock) -> Any:
    """Return the queue with one plain job, submitted at 5."""
    clock.advance_to(5)
    queue.submit("mail")
    return queue


def test_a_new_job_is_pending_with_nothing_behind_it(submitted: Any) -> None:
    """What there is not yet is None; attempts and generations are 0."""
    assert submitted.view("J1") == view_of()
    assert submitted.history("J1") == []


def test_a_job_shows_what_it_was_submitted_with(queue: JobQueue) -> None:
    """Every argument can be read back."""
    queue.submit("mail", "hello", -3, 900, tenant="acme", cost=12)
    view = queue.view("J1")
    assert (view.type, view.priority, view.next_run_at, view.tenant, view.cost) == ("mail", -3, 900, "acme", 12)
    assert queue.payload("J1") == "hello"


def test_no_payload_is_an_empty_one(queue: JobQueue) -> None:
    """payload=None is stored as empty text."""
    queue.submit("mail", None)
    queue.submit("mail")
    assert (queue.payload("J1"), queue.payload("J2"), polled(queue).payload) == ("", "", "")


def test_a_running_job_shows_its_lease(submitted: Any, clock: ManualClock) -> None:
    """Worker and end of the lease are shown; next_run_at is the one that made it ready."""
    clock.advance_to(100)
    polled(submitted, "a", 1000)
    running = {"status": JobStatus.RUNNING, "attempts": 1, "generation": 1}
    assert submitted.view("J1") == view_of(**running, worker_id="a", lease_until=1100)
    assert submitted.history("J1") == [row(1, "a", 100)]


def test_a_succeeded_job_shows_when_and_has_no_lease(submitted: Any, clock: ManualClock) -> None:
    """With the attempt the lease is over: nobody holds the job any more."""
    token = polled(submitted, "a").token
    clock.advance_to(300)
    submitted.complete("J1", token)
    done = {"status": JobStatus.SUCCEEDED, "attempts": 1, "generation": 1, "finished_at": 300}
    assert submitted.view("J1") == view_of(**done)
    assert submitted.history("J1") == [row(1, "a", 5, 300, "succeeded", None)]


def test_a_job_that_waits_for_its_retry_has_no_lease(submitted: Any, clock: ManualClock) -> None:
    """It shows its next run and its last error."""
    token = polled(submitted, "a").token
    clock.advance_to(300)
    submitted.fail("J1", token, "x")
    assert submitted.view("J1") == view_of(attempts=1, generation=1, next_run_at=1300, last_error="x")
    assert submitted.history("J1") == [row(1, "a", 5, 300, "failed", "x")]


def test_a_cancelled_job_shows_when(submitted: Any, clock: ManualClock) -> None:
    """Cancelled is finished."""
    clock.advance_to(70)
    submitted.cancel("J1")
    assert submitted.view("J1") == view_of(status=JobStatus.CANCELLED, finished_at=70)


def test_a_dead_job_shows_when_and_why_but_is_not_finished(submitted: Any, clock: ManualClock) -> None:
    """failed_at and dead_reason are for the dead; finished means succeeded or cancelled."""
    for instant in (5, 2005, 5005):
        clock.advance_to(instant)
        polled(submitted, "a", 500)
    clock.advance_to(9000)
    dead = {"status": JobStatus.DEAD, "attempts": 3, "generation": 3, "next_run_at": 4505}
    why = {"last_error": "lease expired", "failed_at": 5505, "dead_reason": "attempts_exhausted"}
    assert submitted.view("J1") == view_of(**dead, **why)


def test_there_is_one_row_per_hand_out_oldest_first(queue: JobQueue, clock: ManualClock) -> None:
    """The history tells who had the job, from when to when, and how each attempt ended."""
    queue.submit("mail")
    polled(queue, "a", 1000)
    clock.advance_to(2500)
    lease = polled(queue, "b", 1000)
    clock.advance_to(2600)
    queue.fail("J1", lease.token, "disk full")
    clock.advance_to(9000)
    polled(queue, "c", 1000)
    told = [
        row(1, "a", 0, 1000, "expired", "lease expired"),
        row(2, "b", 2500, 2600, "failed", "disk full"),
    ]
    assert queue.history("J1") == [*told, row(3, "c", 9000)]
    queue.complete("J1", "J1:3")
    assert queue.history("J1") == [*told, row(3, "c", 9000, 9000, "succeeded", None)]


def test_a_renewal_is_no_hand_out(submitted: Any, clock: ManualClock) -> None:
    """However often a lease is renewed, it is one attempt, from the poll on."""
    token = polled(submitted, "a", 100).token
    for instant in (50, 100, 150):
        clock.advance_to(instant)
        submitted.renew("J1", token, 100)
    assert submitted.history("J1") == [row(1, "a", 5)]
    assert submitted.view("J1").attempts == 1


def test_the_end_of_a_renewed_lease_is_the_end_of_its_attempt(submitted: Any, clock: ManualClock) -> None:
    """ended_at of an expired attempt is the lease end as last renewed."""
    token = polled(submitted, "a", 100).token
    clock.advance_to(50)
    submitted.renew("J1", token, 500)
    clock.advance_to(10_000)
    assert submitted.history("J1") == [row(1, "a", 5, 550, "expired", "lease expired")]


def test_views_and_histories_are_snapshots(submitted: Any, clock: ManualClock) -> None:
    """What was handed out does not change afterwards, and changing the list changes nothing inside."""
    view, history = submitted.view("J1"), submitted.history("J1")
    polled(submitted, "a", 100)
    assert (view, history) == (view_of(), [])
    submitted.history("J1").clear()
    assert submitted.history("J1") == [row(1, "a", 5)]
    clock.advance_to(105)
    assert submitted.view("J1").status == "PENDING"
    submitted.history("J1").clear()
    assert submitted.history("J1") == [row(1, "a", 5, 105, "expired", "lease expired")]
    assert isinstance(submitted.view("J1").status, JobStatus)


def test_looking_changes_nothing(queue: Any, clock: Any) -> None:
    """Views, payloads, histories and dead letters can be read any number of times."""
    queue.submit("mail")
    polled(queue)
    looks = [everything(queue, submitted=1) for _ in range(3)]
    assert looks[0] == looks[1] == looks[2]
    clock.advance_to(999)
    assert queue.complete("J1", "J1:1") is None
