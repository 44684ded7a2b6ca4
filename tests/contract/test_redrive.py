"""Dead letters that somebody brings back, with a record of who did it and why."""

from __future__ import annotations

from typing import Any

import pytest

from jobqueue import (
    IllegalStateError,
    JobQueue,
    Limits,
    ManualClock,
    RetryPolicy,
    StaleTokenError,
    UnknownJobError,
)
from tests.contract.observing import everything, polled, polled_ids, submit_as

WHO = {"actor": "ann", "note": "mailbox mended"}


def bury(queue: JobQueue, jobs: Any) -> Any:
    """Submit jobs to a queue with one attempt per job, and fail all that is handed out."""
    ids = [queue.submit("mail", f"payload {number}") for number in range(jobs)]
    while (lease := queue.poll("w", 1000)) is not None:
        queue.fail(lease.job_id, lease.token, "boom")
    return ids


def rows(answer: Any) -> Any:
    """Return what became of each id."""
    return [(row.job_id, row.outcome, row.reason) for row in answer]


def test_a_redriven_job_is_the_same_job_with_new_attempts(make_queue: Any, clock: Any) -> None:
    """Id, place, history and last error stay; attempts start again, the generation goes on."""
    queue = make_queue(clock, RetryPolicy(2, 0, 0))
    queue.submit_once("k", "mail")
    for _ in range(2):
        queue.fail("J1", polled(queue).token, "boom")
    clock.advance_to(10_000)
    queue.redrive("J1", **WHO)
    view = queue.view("J1")
    assert (view.status, view.attempts, view.next_run_at, view.redrive_generation) == ("PENDING", 0, 10_000, 1)
    assert (view.request_key, view.last_error, view.failed_at, view.dead_reason) == ("k", "boom", None, None)
    lease = polled(queue)
    assert (lease.attempt, lease.token) == (1, "J1:3")
    queue.fail("J1", lease.token)
    assert queue.view("J1").status == "PENDING"
    assert [(row.attempt, row.era) for row in queue.history("J1")] == [(1, 0), (2, 0), (1, 1)]


def test_a_redrive_is_recorded(one_try: Any, clock: Any) -> None:
    """Who, why, when and the how-manieth: one record each time, oldest first."""
    bury(one_try, 1)
    assert one_try.redrives("J1") == []
    clock.advance_to(70)
    first = one_try.redrive("J1", **WHO)
    assert (first.job_id, first.redrive_generation, first.at, first.actor, first.note) == (
        *("J1", 1, 70, "ann"),
        "mailbox mended",
    )
    one_try.fail("J1", polled(one_try).token)
    second = one_try.redrive("J1", actor="bob", note="")
    assert one_try.redrives("J1") == [first, second]
    assert (second.redrive_generation, second.actor) == (2, "bob")


def test_retry_dead_is_a_redrive_without_actor_and_note(one_try: JobQueue) -> None:
    """It counts as one, and its record says that nobody is known."""
    bury(one_try, 1)
    one_try.retry_dead("J1")
    record = one_try.redrives("J1")[0]
    assert (record.redrive_generation, record.actor, record.note) == (1, None, None)
    assert one_try.view("J1").redrive_generation == 1


def test_a_corrected_payload_is_what_the_next_worker_gets(one_try: Any) -> None:
    """And what everybody sees from then on; without one the old payload stays."""
    bury(one_try, 2)
    one_try.redrive("J1", **WHO, payload="better")
    one_try.redrive("J2", **WHO)
    assert (one_try.payload("J1"), one_try.payload("J2")) == ("better", "payload 1")
    assert [polled(one_try).payload, polled(one_try).payload] == ["better", "payload 1"]
    assert [one_try.redrives(job_id)[0].has_new_payload for job_id in ("J1", "J2")] == [True, False]


@pytest.mark.parametrize(
    ("told", "accepted"),
    [({}, False), ({"payload": "better"}, True), ({"payload": ""}, True), ({"unchanged": True}, True)],
)
def test_a_permanent_failure_needs_a_correction_or_a_clear_word(one_try: Any, told: Any, accepted: Any) -> None:
    """A new payload, or the statement that it is to go unchanged."""
    one_try.submit("mail", "bad")
    one_try.fail("J1", polled(one_try).token, permanent=True)
    if accepted:
        one_try.redrive("J1", **WHO, **told)
    else:
        with pytest.raises(IllegalStateError, match="permanent"):
            one_try.redrive("J1", **WHO, **told)
    assert one_try.view("J1").status == ("PENDING" if accepted else "DEAD")
    assert len(one_try.redrives("J1")) == accepted


@pytest.mark.parametrize("status", ["PENDING", "RUNNING", "SUCCEEDED", "CANCELLED"])
def test_only_a_dead_job_can_be_redriven(one_try: Any, status: Any) -> None:
    """Anything else is refused and recorded nowhere."""
    submit_as(one_try, status)
    before = everything(one_try, submitted=1)
    with pytest.raises(IllegalStateError, match=status):
        one_try.redrive("J1", **WHO)
    assert (everything(one_try, submitted=1), one_try.redrives("J1")) == (before, [])


def test_an_unknown_job_can_not_be_redriven(one_try: Any) -> None:
    """The id is looked up first, here and in the audit."""
    with pytest.raises(UnknownJobError):
        one_try.redrive("J1", **WHO)
    with pytest.raises(UnknownJobError):
        one_try.redrives("J1")


@pytest.mark.parametrize(
    ("told", "error"),
    [
        ({"actor": ""}, ValueError),
        ({"actor": None}, TypeError),
        ({"note": "a\0"}, ValueError),
        ({"note": None}, TypeError),
        ({"payload": "\ud800"}, ValueError),
        ({"deadline_millis": "soon"}, TypeError),
    ],
)
def test_what_is_recorded_is_checked(one_try: JobQueue, told: Any, error: Any) -> None:
    """Refused by name, before anything is settled; the job stays dead."""
    bury(one_try, 1)
    with pytest.raises(error, match=next(iter(told))):
        one_try.redrive("J1", **{**WHO, **told})
    assert one_try.view("J1").status == "DEAD"


def test_the_token_of_an_earlier_era_is_refused(one_try: Any) -> None:
    """The worker of the first life cannot finish the second."""
    bury(one_try, 1)
    one_try.redrive("J1", **WHO)
    polled(one_try)
    with pytest.raises(StaleTokenError) as refusal:
        one_try.complete("J1", "J1:1")
    assert refusal.value.reason == "stale_generation"


def test_nothing_of_its_death_is_left_after_a_success(make_queue: Any, clock: Any) -> None:
    """A job that was dead and then done is done: it is in no list and no figure of the dead."""
    queue = make_queue(clock, RetryPolicy(1, 0, 0))
    bury(queue, 1)
    clock.advance_to(20_000)
    queue.redrive("J1", **WHO)
    clock.advance_to(21_000)
    queue.complete("J1", polled(queue).token)
    view, stats = queue.view("J1"), queue.stats()
    assert (view.status, view.finished_at, view.failed_at, view.dead_reason) == (
        "SUCCEEDED",
        21_000,
        None,
        None,
    )
    assert (queue.dead_letters(), stats.by_status["DEAD"], stats.dead_ages_millis) == ([], 0, ())


def test_many_are_redriven_in_submission_order_once_each(one_try: Any) -> None:
    """The order of the ids does not matter, nor does a repetition: J2 before J10, one row per id."""
    bury(one_try, 11)
    answer = one_try.redrive_many(["J10", "J2", "J10", "J1"], **WHO)
    assert rows(answer) == [("J1", "done", None), ("J2", "done", None), ("J10", "done", None)]
    assert polled_ids(one_try) == ["J1", "J2", "J10"]
    assert [len(one_try.redrives(f"J{number}")) for number in (1, 2, 3, 10)] == [1, 1, 0, 1]


def test_each_row_says_what_became_of_its_id(one_try: Any, clock: Any) -> None:
    """What cannot be brought back is skipped with a reason, and keeps nothing else from coming back."""
    bury(one_try, 1)
    one_try.submit("mail", "permanent")
    one_try.fail("J2", polled(one_try).token, permanent=True)
    submit_as(one_try, "RUNNING")
    one_try.submit("mail", "too late", deadline_millis=200)
    clock.advance_to(200)
    answer = one_try.redrive_many(["J4", "J2", "J404", "J1", "J3"], **WHO)
    assert rows(answer) == [
        ("J1", "done", None),
        ("J2", "skipped", "permanent"),
        ("J3", "skipped", "wrong_state"),
        ("J4", "skipped", "deadline"),
        ("J404", "skipped", "unknown"),
    ]
    states = [one_try.view(job_id).status for job_id in ("J1", "J2", "J3", "J4")]
    assert states == ["PENDING", "DEAD", "RUNNING", "DEAD"]


def test_many_can_be_spread(one_try: JobQueue, clock: ManualClock) -> None:
    """Each starts that much later than the one before; the skipped ones leave no gap."""
    bury(one_try, 4)
    clock.advance_to(1000)
    one_try.retry_dead("J2")
    one_try.redrive_many(["J1", "J2", "J3", "J4"], **WHO, spread_millis=250)
    assert [one_try.view(f"J{n}").next_run_at for n in (1, 2, 3, 4)] == [1000, 1000, 1250, 1500]
    assert polled_ids(one_try) == ["J1", "J2"]
    clock.advance_to(1250)
    assert polled_ids(one_try) == ["J3"]


def test_a_spread_that_passes_a_deadline_skips_the_job(one_try: JobQueue) -> None:
    """It could only die again."""
    for _ in range(2):
        one_try.submit("mail", deadline_millis=500)
        lease = polled(one_try)
        one_try.fail(lease.job_id, lease.token)
    answer = one_try.redrive_many(["J1", "J2"], **WHO, spread_millis=500)
    assert rows(answer) == [("J1", "done", None), ("J2", "skipped", "deadline")]


@pytest.mark.parametrize(("now", "spread_millis"), [(0, 0), (100, 0), (100, 99), (100, 100), (200, 0)])
def test_what_can_be_redriven_is_what_would_be(
    one_try: JobQueue, clock: ManualClock, now: Any, spread_millis: Any
) -> None:
    """Before anybody confirms: one row for each id, with the reasons that a bulk redrive would give."""
    bury(one_try, 2)
    one_try.submit("mail", "permanent")
    one_try.fail("J3", polled(one_try).token, permanent=True)
    submit_as(one_try, "RUNNING")
    submit_as(one_try, "CANCELLED")
    one_try.submit("mail", deadline_millis=200)
    one_try.fail("J6", polled(one_try).token)
    one_try.submit("mail", "not started in time", deadline_millis=200)
    clock.advance_to(now)
    ids = ["J404", "J6", "J7", "J1", "J3", "J1", "J4", "nothing", "J2", "J5"]
    before = everything(one_try, submitted=7)
    found = one_try.redrivable(ids, spread_millis=spread_millis)
    assert everything(one_try, submitted=7) == before
    answer = one_try.redrive_many(ids, **WHO, spread_millis=spread_millis)
    assert found == [(row.job_id, row.reason) for row in answer]
    reasons = {row.job_id: row.reason for row in found}
    assert [row.job_id for row in found if row.reason is None][:2] == ["J1", "J2"]
    assert reasons["J6"] == ("deadline" if now + 2 * spread_millis >= 200 else None)
    assert [reasons[job_id] for job_id in ("J404", "nothing", "J3")] == ["unknown", "unknown", "permanent"]
    assert [reasons[job_id] for job_id in ("J4", "J5")] == ["wrong_state"] * 2
    assert reasons["J7"] == ("deadline" if now == 200 else "wrong_state")


@pytest.mark.parametrize(
    ("ids", "told", "error"),
    [("J1", {}, TypeError), (["J1", 2], {}, TypeError), (["J1"], {"spread_millis": -1}, ValueError)],
)
def test_the_arguments_of_a_look_at_what_can_be_redriven_are_checked(
    one_try: JobQueue, ids: Any, told: Any, error: Any
) -> None:
    """As those of the bulk redrive itself; no ids, no rows."""
    with pytest.raises(error):
        one_try.redrivable(ids, **told)
    assert one_try.redrivable([]) == []


def test_a_job_that_dies_again_meanwhile_is_not_brought_back_twice(one_try: Any) -> None:
    """51 dead letters come back once each, although each one fails at once; the call ends."""
    ids = bury(one_try, 51)

    def fail_at_once(event: Any) -> None:
        if event.kind == "redriven":
            lease = one_try.poll("w", 1000)
            if lease is not None:
                one_try.fail(lease.job_id, lease.token)

    one_try.subscribe(fail_at_once)
    answer = one_try.redrive_many([view.id for view in one_try.dead_letters()], **WHO)
    assert [row.outcome for row in answer] == ["done"] * 51
    records = [one_try.redrives(job_id) for job_id in ids]
    assert [len(record) for record in records] == [1] * 51
    assert len({record[0].batch for record in records}) == 1
    assert len(one_try.dead_letters()) == 51


def test_two_bulk_redrives_are_two_batches_numbered_by_the_queue(make_queue: Any, clock: Any) -> None:
    """The number says which call it was, in this queue and in any other that was used alike."""
    numbers = []
    for _ in range(2):
        queue = make_queue(clock, RetryPolicy(1, 0, 0))
        bury(queue, 2)
        queue.redrive_many(["J1"], **WHO)
        queue.redrive_many(["J2"], **WHO)
        numbers.append([queue.redrives(job_id)[0].batch for job_id in ("J1", "J2")])
    assert numbers[0] == numbers[1]
    assert numbers[0][0] != numbers[0][1]


def test_a_redrive_of_none_is_no_redrive(one_try: Any) -> None:
    """No ids, no rows."""
    assert one_try.redrive_many([], **WHO) == []


@pytest.mark.parametrize(
    ("ids", "told", "error"),
    [
        ("J1", {}, TypeError),
        (["J1", 2], {}, TypeError),
        (["J1"], {"spread_millis": -1}, ValueError),
        (["J1"], {"actor": " "}, ValueError),
    ],
)
def test_the_arguments_of_a_bulk_redrive_are_checked(
    one_try: JobQueue, ids: Any, told: Any, error: Any
) -> None:
    """One bad argument and nothing has been brought back."""
    bury(one_try, 1)
    with pytest.raises(error):
        one_try.redrive_many(ids, **{**WHO, **told})
    assert one_try.view("J1").status == "DEAD"


def test_redrives_are_never_refused_by_limits(make_queue: Any, clock: Any) -> None:
    """Only a submit can be turned away."""
    queue = make_queue(clock, RetryPolicy(1, 0, 0), limits=Limits(max_queued=1))
    bury(queue, 1)
    queue.submit("mail")
    queue.redrive("J1", **WHO)
    assert queue.stats().by_status["PENDING"] == 2


def test_a_redrive_is_told_with_its_record(make_queue: Any, clock: Any, log: Any) -> None:
    """From the event the audit can be written again."""
    queue = make_queue(clock, RetryPolicy(1, 0, 0), log=log)
    bury(queue, 1)
    queue.redrive("J1", **WHO, payload="better")
    event = log.events[-1]
    assert (event.kind, event.job_id, event.worker_id) == ("redriven", "J1", None)
    assert [event.detail[name] for name in ("actor", "note", "payload")] == ["ann", "mailbox mended", "better"]
    assert log.replay().redrives("J1") == queue.redrives("J1")
