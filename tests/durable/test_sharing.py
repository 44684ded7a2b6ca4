"""Several queue objects over one store: limits hold for all together, and nothing goes to two."""

from __future__ import annotations

import random
import threading
from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import (
    Limits,
    ManualClock,
    RequestKeyConflictError,
    RetryPolicy,
    StaleTokenError,
    WeightedBands,
)
from jobqueue.store import CHANGING, Access
from tests.contract.observing import outcome, polled, polled_ids, submit_as
from tests.contract.scheduling import tenants_served
from tests.contract.together import run_together
from tests.durable.conftest import POLICY, fill
from tests.durable.ledger import lines_of, started

if TYPE_CHECKING:
    from tests.databases import Place


def test_each_job_goes_to_one_of_many_objects(place: Place, clock: ManualClock) -> None:
    """8 objects take 120 jobs; each job is handed out once, and its row counts the hand-outs."""
    queues = [place.open(clock, RetryPolicy(1, 0, 0)) for _ in range(8)]
    for _ in range(120):
        queues[0].submit("mail")
    found = run_together(8, lambda n: polled_ids(queues[n]))
    handed_out = sorted(int(job_id[1:]) for ids in found for job_id in ids)
    assert handed_out == list(range(1, 121))
    assert [queues[1].view(f"J{number}").attempts for number in handed_out] == [1] * 120


def test_each_job_of_some_tenants_goes_to_one_of_many_objects(place: Place, clock: ManualClock) -> None:
    """8 objects poll at once for two tenants of three, who have 60 jobs in two types; the third one's stay."""
    queues = [place.open(clock, RetryPolicy(1, 0, 0)) for _ in range(8)]
    for number in range(90):
        queues[0].submit("mail" if number % 2 else "pdf", tenant="abc"[number % 3])
    found = run_together(8, lambda n: queues[n].poll_many("w", 1000, 99, tenants=["a", "c"]))
    handed_out = sorted(int(lease.job_id[1:]) for leases in found for lease in leases)
    assert handed_out == [number for number in range(1, 91) if number % 3 != 2]
    assert queues[1].stats().by_status == {**queues[1].stats().by_status, "RUNNING": 60, "PENDING": 30}


def test_a_limit_holds_for_all_who_ask_for_some_tenants(place: Place, clock: ManualClock) -> None:
    """8 objects ask at once for acme, who may have 3 running, or for acme and another: 3 of acme run."""
    limits = Limits(max_running_per_tenant=3)
    queues = [place.open(clock, RetryPolicy(9, 0, 0), limits=limits) for _ in range(8)]
    for number in range(30):
        queues[0].submit("mail" if number % 2 else "pdf", tenant="acme")
    for _ in range(5):
        polls = run_together(8, lambda n: queues[n].poll("w", 1000, tenants=["acme", "beta"][: n % 2 + 1]))
        leases = [lease for lease in polls if lease]
        assert len(leases) == 3
        for lease in leases:
            queues[0].complete(lease.job_id, lease.token)


def test_a_limit_holds_for_all_objects_together(place: Place, clock: ManualClock) -> None:
    """8 objects poll at once for a tenant that may have 3 running; 3 are handed out, in every round."""
    limits = Limits(max_running_per_tenant=3)
    queues = [place.open(clock, RetryPolicy(9, 0, 0), limits=limits) for _ in range(8)]
    for _ in range(30):
        queues[0].submit("mail", tenant="acme")
    for _ in range(5):
        leases = [lease for lease in run_together(8, lambda n: queues[n].poll("w", 1000)) if lease]
        assert len(leases) == 3
        for lease in leases:
            queues[0].complete(lease.job_id, lease.token)


def test_admission_holds_for_all_objects_together(place: Place, clock: ManualClock) -> None:
    """8 objects submit at once to a queue that takes 5."""
    queues = [place.open(clock, POLICY, limits=Limits(max_queued=5)) for _ in range(8)]
    answers = run_together(8, lambda n: outcome(queues[n].submit, "mail"))
    assert sorted(answer for answer in answers if isinstance(answer, str)) == ["J1", "J2", "J3", "J4", "J5"]


def test_a_double_release_frees_one_place(place: Any, clock: Any) -> None:
    """With a limit of one: complete twice, fail, sweep; then one of five more jobs is handed out."""
    queue = place.open(clock, POLICY, limits=Limits(max_running_per_tenant=1))
    queue.submit("mail")
    lease = queue.poll("w", 1000)
    queue.complete("J1", lease.token)
    assert outcome(queue.complete, "J1", lease.token) is not None
    assert outcome(queue.fail, "J1", lease.token) is not None
    assert queue.sweep() == 0
    for _ in range(5):
        queue.submit("mail")
    assert len(queue.poll_many("w", 1000, 5)) == 1


def test_no_more_than_the_limit_run_whatever_happens(place: Place, clock: ManualClock) -> None:
    """300 random calls on two objects: a tenant with a limit of one never has two running."""
    draw = random.Random(5)  # noqa: S311 - the same disorder each time
    options = {"limits": Limits(max_running_per_tenant=1)}
    queues = [place.open(clock, RetryPolicy(3, 0, 100), **options) for _ in range(2)]
    tokens: list[tuple[str, str]] = []
    for _ in range(300):
        queue, what = draw.choice(queues), draw.randrange(6)
        clock.advance(draw.randrange(60))
        if what == 0:
            queue.submit("mail")
        elif what < 3:
            tokens += [(lease.job_id, lease.token) for lease in queue.poll_many("w", 100, 2)]
        elif tokens:
            call = (queue.complete, queue.fail, queue.release)[what - 3]
            outcome(call, *draw.choice(tokens))
        assert queues[0].stats().running <= 1


def test_a_limit_is_counted_within_one_poll_for_many(place: Place, clock: ManualClock) -> None:
    """Ten jobs and a limit of one: one. Two tenants with the limits that they share: two."""
    queue = place.open(clock, POLICY, limits=Limits(max_running_per_tenant=1))
    for _ in range(10):
        queue.submit("mail", tenant="a")
    assert len(queue.poll_many("w", 1000, 10)) == 1
    queue.submit("mail", tenant="b")
    assert [lease.tenant for lease in queue.poll_many("w", 1000, 10)] == ["b"]


def test_many_types_of_one_tenant_are_one_tenant(place: Place, clock: ManualClock) -> None:
    """A with ten types and B with one take turns; A's limit is for all its types together."""
    queue = place.open(clock, POLICY, scheduler=WeightedBands("N"))
    for number in range(100):
        queue.submit(f"type-{number % 10}", tenant="A")
    for _ in range(10):
        queue.submit("mail", tenant="B")
    served = tenants_served(queue, 20).split()
    assert (served.count("A"), served.count("B"), served[:4]) == (10, 10, ["A", "B", "A", "B"])


def test_one_of_twenty_equal_requests_makes_the_job(place: Place, clock: ManualClock) -> None:
    """At a barrier, over 4 objects: all get the same id, one of them has made it."""
    queues = [place.open(clock, POLICY) for _ in range(4)]
    answers = run_together(20, lambda n: queues[n % 4].submit_once("k", "mail", "same"))
    assert {answer.job_id for answer in answers} == {answers[0].job_id}
    assert [answer.replayed for answer in answers].count(False) == 1
    assert sum(queues[0].stats().by_status.values()) == 1


def test_one_of_twenty_different_requests_wins(place: Place, clock: ManualClock) -> None:
    """The others are told of the conflict."""
    queues = [place.open(clock, POLICY) for _ in range(4)]
    answers = run_together(20, lambda n: outcome(queues[n % 4].submit_once, "k", "mail", str(n)))
    assert sum(isinstance(answer, RequestKeyConflictError) for answer in answers) == 19
    assert sum(queues[0].stats().by_status.values()) == 1


def test_a_key_belongs_to_its_tenant_and_is_bound_to_its_type(place: Place, clock: ManualClock) -> None:
    """Two tenants, two jobs; another type is a conflict and changes nothing."""
    queue = place.open(clock, POLICY)
    first, second = (queue.submit_once("k", "mail", "p", tenant=tenant) for tenant in ("t1", "t2"))
    assert (first.job_id, second.job_id) == ("J1", "J2")
    before = queue.view("J1"), queue.payload("J1")
    assert isinstance(outcome(queue.submit_once, "k", "pdf", "p", tenant="t1"), RequestKeyConflictError)
    assert (queue.view("J1"), queue.payload("J1")) == before


def test_readers_see_no_lease_that_is_over_while_others_sweep(place: Place, clock: ManualClock) -> None:
    """8 objects look while the leases of 40 jobs end: nobody sees a RUNNING job whose lease is over."""
    queues = [place.open(clock, RetryPolicy(2, 5000, 5000)) for _ in range(8)]
    for _ in range(40):
        queues[0].submit("mail")
    queues[0].poll_many("w", 1000, 40)
    clock.advance(1000)
    views = run_together(8, lambda n: [queues[n].view(f"J{number}") for number in range(1, 41)])
    assert {view.status for found in views for view in found} == {"PENDING"}
    assert [len(queues[0].history(f"J{number}")) for number in range(1, 41)] == [1] * 40


def due_yet(queue: Any) -> Any:
    """Return how many jobs have missed their deadline of 1000, and nobody has settled that."""
    database = queue._database
    database.begin_reading()
    ((found,),) = database.read("SELECT count(*) FROM jobs WHERE due_at <= 1000", {})
    database.rollback()
    return found


def with_deadlines(place: Place, clock: ManualClock, jobs: Any) -> Any:
    """Return a queue in which J1 runs, and so many jobs have just missed their deadlines."""
    queue = place.open(clock, POLICY)
    queue.submit("mail")
    polled(queue, "w", 10**6)
    queue.submit("mail", deadline_millis=1000)
    fill(queue, jobs - 1)
    clock.advance_to(1000)
    return queue


CALLS = {
    "renew": lambda queue: queue.renew("J1", "J1:1", 2 * 10**6),
    "view": lambda queue: queue.view("J1"),
    "complete": lambda queue: queue.complete("J1", "J1:1"),
    "submit": lambda queue: queue.submit("mail"),
    "cancel": lambda queue: outcome(queue.cancel, "J1"),
}


@pytest.mark.parametrize("call", CALLS)
def test_a_call_about_one_job_settles_one_batch(place: Place, clock: ManualClock, call: Any) -> None:
    """1,200 deadlines are due: it settles 500 of them, and answers what it would if it had settled all."""
    queue = with_deadlines(place, clock, 1200)
    CALLS[call](queue)
    assert due_yet(queue) == 700
    assert queue.poll("w", 1000, types=["fax"]) is None
    assert due_yet(queue) == 0, "what a poll hands out may depend on all of them"


def test_a_report_that_comes_too_late_is_refused_however_much_is_due(place: Place, clock: ManualClock) -> None:
    """Its lease ended behind 1,200 deadlines: nobody takes it for one that still runs."""
    queue = place.open(clock, POLICY)
    queue.submit("mail")
    polled(queue, "w", 1001)
    queue.submit("mail", deadline_millis=1000)
    fill(queue, 1200)
    clock.advance_to(1001)
    assert queue.view("J1").status == "PENDING"
    assert isinstance(outcome(queue.complete, "J1", "J1:1"), StaleTokenError)


def test_threads_get_in_between_batches(
    place: Place, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While one thread settles 1,200 deadlines, another one's renewal is answered after each batch."""
    queue = with_deadlines(place, clock, 1200)
    pause, renewed = type(queue._database).let_others_in, []

    def let_others_in(database: Any) -> None:
        pause(database)
        if not any(thread.name == "renewing" for thread in threading.enumerate()):
            thread = threading.Thread(target=lambda: renewed.append(CALLS["renew"](queue)), name="renewing")
            thread.start()
            thread.join(60)
            assert not thread.is_alive(), "it waits for the whole sweep"

    monkeypatch.setattr(type(queue._database), "let_others_in", let_others_in)
    assert queue.sweep() == 700
    assert len(renewed) == 2


def test_processes_get_in_between_batches(sqlite: Any, clock: Any) -> None:
    """While another process settles 10,000 deadlines, renewals are answered, again and again."""
    queue = with_deadlines(sqlite, clock, 10_000)
    child = started(sqlite, "sweep", now=1000)
    assert child.stdout.readline() == "opened\n"  # type: ignore[union-attr]
    left = [10_000]
    while left[-1] and len(left) < 100:
        CALLS["renew"](queue)
        left.append(due_yet(queue))
    ((_, settled),) = lines_of(child)
    assert int(settled) >= 1000, "the sweep had its turns, too"
    assert len([due for due in left[1:] if due]) >= 3


@pytest.mark.parametrize("end", ["CANCELLED", "DEAD"])
def test_a_prune_lets_others_in(
    place: Place, clock: ManualClock, monkeypatch: pytest.MonkeyPatch, end: Any
) -> None:
    """1,200 jobs are forgotten in three transactions, and all of them are counted."""
    queue = place.open(clock, RetryPolicy(1, 0, 0))
    submit_as(queue, end)
    fill(queue, 1199)
    with queue._session(CHANGING):  # type: ignore[attr-defined]
        queue._session.write("UPDATE jobs SET finish_order = number WHERE status = 'CANCELLED'")  # type: ignore[attr-defined]
    pause, pauses = type(queue._database).let_others_in, []  # type: ignore[attr-defined]
    monkeypatch.setattr(
        type(queue._database),  # type: ignore[attr-defined]
        "let_others_in",
        lambda database: (pauses.append(1), pause(database)),  # type: ignore[func-returns-value]
    )
    assert queue.prune(keep=0, dead=True) == 1200
    assert len(pauses) == 3
    assert queue.list_jobs() == []


@pytest.mark.parametrize("options", [{}, {"scheduler": WeightedBands()}], ids=["line", "lanes"])
def test_a_pick_may_be_of_some_tenants_only(place: Any, clock: Any, options: Any) -> None:
    """The best of theirs in the scheduler's order, of types that are open; others keep their place."""
    queue = place.open(clock, POLICY, **options)
    for tenant, type_ in (("a", "mail"), ("b", "mail"), ("c", "fax"), ("b", "fax"), ("b", "pdf")):
        queue.submit(type_, tenant=tenant)
    queue.pause("pdf")
    found = []
    for _ in range(4):
        with queue._session(Access(polls=True, tenants=frozenset("bc"))):
            list(queue._store.due(0))
            job = queue._store.pick(None, frozenset("bc"))
            if job is not None:
                queue._store.put(job, queue._rules.leased(job, 0, "w", 1000), 0)
                found.append(job.id)
    assert found == ["J2", "J3", "J4"]
    assert [queue.view(job_id).status for job_id in ("J1", "J5")] == ["PENDING", "PENDING"]
