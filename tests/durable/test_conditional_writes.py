"""Whoever decides on what is no longer so writes nothing: the statements themselves see to that."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import ManualClock, RetryPolicy, StoreError
from jobqueue.lifecycle import Lifecycle
from jobqueue.retry import RetryRule
from jobqueue.store import CHANGING
from jobqueue.stores import statements
from jobqueue.stores.rows import kept_from
from tests.contract.observing import everything, outcome, polled, polled_ids
from tests.durable.conftest import POLICY

if TYPE_CHECKING:
    from tests.databases import Place

RULES = Lifecycle(RetryRule(POLICY))


def row_of(queue: Any, number: Any) -> Any:
    """Return the stored row of a job, all of it."""
    with queue._session(CHANGING):
        return queue._session.read(statements.JOB, number=number)[0]


def put_late(queue: Any, read: Any, change: Any, at: Any) -> Any:
    """Write what `change` makes of a row that was read earlier; return whether it was refused."""
    with suppress(StoreError), queue._session(CHANGING):
        kept = kept_from(read)
        queue._session.keep(kept)
        queue._store.put(kept.job, change(kept.job), at)
        return False
    return True


def test_a_sweep_that_read_before_a_completion_does_not_write_over_it(place: Place, clock: ManualClock) -> None:
    """The lease was over when the sweep looked, and the job had succeeded when it wrote: nothing is reaped."""
    one, two = place.open(clock, POLICY), place.open(clock, POLICY)
    one.submit("mail")
    lease = polled(one, lease_millis=1000)
    read = row_of(two, 1)
    clock.advance_to(999)
    one.complete("J1", lease.token, "r")
    clock.advance_to(1000)
    assert put_late(two, read, lambda job: RULES.expired(job, 1000), 1000)
    view = one.view("J1")
    assert (view.status, view.attempts, view.result, view.last_error) == ("SUCCEEDED", 1, "r", None)
    assert [row.outcome for row in two.history("J1")] == ["succeeded"]


def test_a_late_report_leaves_the_new_owners_row_as_it_is(place: Place, clock: ManualClock) -> None:
    """The statement itself changes no row: id and state would fit, the generation does not."""
    one, two = place.open(clock, POLICY), place.open(clock, POLICY)
    one.submit("mail")
    polled(one, "a", 4000)
    read = row_of(one, 1)
    clock.advance_to(5000)
    lease = polled(two, "b", 4000)
    before = row_of(two, 1)
    clock.advance_to(5002)
    assert put_late(one, read, lambda job: RULES.failed(job, 5002, "x"), 5002)
    assert row_of(two, 1) == before
    assert (lease.generation, two.view("J1").worker_id, two.view("J1").lease_until) == (2, "b", 9000)


@pytest.mark.parametrize("by", ["generation", "status"])
def test_a_statement_names_what_it_was_decided_for(place: Any, clock: Any, by: Any) -> None:
    """Without either of the two conditions a row would be changed."""
    queue = place.open(clock, POLICY)
    queue.submit("mail")
    polled(queue)
    wrong = {"was_generation": 0} if by == "generation" else {"was_status": "PENDING"}
    text = statements.update(queue._database.dialect, ("cost",), finishes=False, ends_attempt=False)
    values = {"was_number": 1, "was_generation": 1, "was_status": "RUNNING", "cost": 5}
    with queue._session(CHANGING):
        assert queue._database.write(text, {**values, **wrong}) == 0
        assert queue._database.write(text, values) == 1


def test_cancel_and_claim_in_either_order(place: Place, clock: ManualClock) -> None:
    """Whoever decided on a PENDING job that another has changed since writes nothing."""
    one, two = place.open(clock, POLICY), place.open(clock, POLICY)
    one.submit("mail")
    read = row_of(one, 1)
    polled(two)
    assert put_late(one, read, lambda job: RULES.cancelled(job, 0), 0)
    assert one.view("J1").status == "RUNNING"
    one.submit("mail")
    one.cancel("J2")
    assert two.poll("w", 1000) is None


def test_a_refused_call_changes_nothing_and_later_ones_go_on(place: Place, clock: ManualClock) -> None:
    """Refusals of every kind leave the store as it was, and no transaction open."""
    queue, other = place.open(clock, POLICY), place.open(clock, POLICY)
    queue.submit("mail")
    token = polled(queue).token
    queue.submit_once("k", "fax", run_at_millis=50_000)
    before = everything(queue, submitted=2)
    for call in (
        lambda: queue.complete("J1", "J1:9"),
        lambda: queue.cancel("J1"),
        lambda: queue.cancel("J7"),
        lambda: queue.submit("mail", deadline_millis=0),
        lambda: queue.submit_once("k", "other"),
        lambda: queue.redrive("J1", actor="a", note=""),
    ):
        assert outcome(call) is not None
        assert everything(other, submitted=2) == before
    queue.complete("J1", token)
    assert queue.submit("mail") == "J3"


def test_a_renewal_counts_from_now_in_every_store(place: Place, clock: ManualClock) -> None:
    """Nine renewals of a lease of 1000 end 1000 after the last one."""
    queue = place.open(clock, POLICY)
    queue.submit("mail")
    token = polled(queue, lease_millis=1000).token
    for instant in range(100, 1000, 100):
        clock.advance_to(instant)
        queue.renew("J1", token, 1000)
    assert queue.view("J1").lease_until == 1900
    clock.advance_to(1900)
    assert (queue.sweep(), queue.view("J1").last_error) == (1, "lease expired")


@pytest.mark.parametrize("attempts", [63, 64, 65, 1000])
def test_the_numbers_are_those_that_python_computed(place: Any, clock: Any, attempts: Any) -> None:
    """No shift of 64 bits is made by any database: after many attempts the rest is the cap."""
    queue = place.open(clock, RetryPolicy(10**6, 1000, 2**40))
    queue.submit("mail")
    with queue._session(CHANGING):
        kept = kept_from(queue._session.read(statements.JOB, number=1)[0])
        queue._session.keep(kept)
        queue._store.put(kept.job, {"attempts": attempts - 1}, 0)
    queue.fail("J1", polled(queue).token)
    assert (queue.view("J1").attempts, queue.view("J1").next_run_at) == (attempts, 2**40)


def test_jobs_of_one_instant_come_in_the_order_of_their_numbers(place: Place, clock: ManualClock) -> None:
    """300 jobs submitted at one time, and 300 whose retries fall on one instant."""
    queue = place.open(clock, RetryPolicy(3, 1000, 1000))
    for _ in range(300):
        queue.submit("mail")
    ids = [f"J{number}" for number in range(1, 301)]
    leases = queue.poll_many("w", 100_000, 300)
    assert [lease.job_id for lease in leases] == ids
    for lease in reversed(leases):
        queue.fail(lease.job_id, lease.token)
    clock.advance(1000)
    assert polled_ids(queue) == ids


NASTY = [
    "a\0b",
    "\ud800",
    "\uffff",
    "e\u0301",
    "\u202eabc",
    "\U0001f600",
    "x" * 1_000_000,
    "a\r\nb",
    "\x1b[31mred",
    "%s {0} :name 'quoted\" -- ; \\",
]


def test_text_comes_back_as_it_was_in_every_store(place: Any, clock: Any) -> None:
    """Payload, error, result and names: stored is what was given; what cannot be is refused or mended."""
    queue = place.open(clock, RetryPolicy(1, 0, 0))
    for text in NASTY:
        storable = "\0" not in text and "\ud800" not in text
        found = outcome(queue.submit, "mail", text)
        assert isinstance(found, str) is storable
        if not storable:
            queue.submit("mail")
        lease = polled(queue)
        assert queue.payload(lease.job_id) == (text if storable else "")
        assert (outcome(queue.complete, lease.job_id, lease.token, text) is None) is storable
        queue.submit(text[:200] if storable else "mail", tenant=text[:200] if storable else "t")
        lease = polled(queue)
        queue.fail(lease.job_id, lease.token, text)
        kept = text.replace("\0", "\ufffd").replace("\ud800", "\ufffd")
        assert queue.view(lease.job_id).last_error.startswith(kept[:60_000])


def test_names_are_in_the_order_of_their_code_points(place: Place, clock: ManualClock) -> None:
    """Whatever order a language would give them."""
    queue = place.open(clock, POLICY)
    names = ["b", "a", "B", "\xe4", "\U0001f600", "\uffff", "a b", "aa"]
    for name in names:
        queue.pause(name)
    assert queue.paused() == sorted(names)
