"""Row locks on the server: no operation waits for a row while it holds another that somebody may wait for."""

from __future__ import annotations

import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from jobqueue import ManualClock, RedriveRow, RetryPolicy, StaleTokenError, StoreError, WeightedBands
from tests.contract.observing import everything, outcome, polled
from tests.contract.together import run_together
from tests.databases import Place, postgres_url
from tests.durable.conftest import POLICY
from tests.durable.stranger import stranger

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

AT_ONCE = RetryPolicy(9, 0, 0)
ONE_TRY = RetryPolicy(1, 0, 0)
WHO = {"actor": "ann", "note": ""}


@contextmanager
def no_deadlock(queues: Any) -> Iterator[None]:
    """Check that the server has not had to break up a deadlock meanwhile; it would take a second each time."""
    ours = [queue._database.read("SELECT pg_backend_pid()", {})[0][0] for queue in queues]
    count = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
    with psycopg.connect(postgres_url(), autocommit=True) as connection:
        before = connection.execute(count).fetchone()
        yield
        for queue in queues:
            queue.close()
        alive, until = "SELECT 1 FROM pg_stat_activity WHERE pid = ANY(%s)", time.monotonic() + 20
        while connection.execute(alive, (ours,)).fetchone() and time.monotonic() < until:
            threading.Event().wait(0.01)  # a session reports what it has counted when it ends, at the latest
        assert connection.execute(count).fetchone() == before


# Each acts on J2, late or just when it comes due, while J1 is due as well.
LATE: dict[str, Callable] = {  # type: ignore[type-arg]
    "complete": lambda queue: queue.complete("J2", "J2:1"),
    "fail": lambda queue: queue.fail("J2", "J2:1"),
    "renew": lambda queue: queue.renew("J2", "J2:1", 1000),
    "release": lambda queue: queue.release("J2", "J2:1"),
    "cancel": lambda queue: queue.cancel("J2"),
    "retry_dead": lambda queue: queue.retry_dead("J2"),
    "redrive": lambda queue: queue.redrive("J2", **WHO),
    "poll": lambda queue: queue.poll("w", 1000),
    "poll of types": lambda queue: queue.poll("w", 1000, types=["mail"]),
    "redrive_many": lambda queue: queue.redrive_many(["J2"], **WHO),
}


@pytest.mark.parametrize("options", [{}, {"scheduler": WeightedBands()}], ids=["line", "lanes"])
@pytest.mark.parametrize("name", LATE)
def test_who_waits_for_what_is_due_holds_nothing_else(
    postgres: Place, clock: ManualClock, name: str, options: Any
) -> None:
    """Were its own job locked already, whoever has the due one and wants this one would wait for ever."""
    queue, other = (postgres.open(clock, AT_ONCE, **options) for _ in range(2))
    queue.submit("mail")
    polled(queue, lease_millis=100)
    queue.submit("mail")
    if name in {"complete", "fail", "renew", "release"}:
        polled(queue, lease_millis=1000)
    elif name not in {"cancel", "poll", "poll of types"}:
        queue.fail("J2", polled(queue).token, permanent=True)
    with stranger(postgres) as one, stranger(postgres) as two:
        one.lock(1)
        clock.advance_to(300)
        answers: list[object] = []
        thread = threading.Thread(target=lambda: answers.append(outcome(LATE[name], other)), daemon=True)
        thread.start()
        two.wait_for(1)
        assert two.can_lock(2)
        two.go()
        assert not answers
        one.go()
        thread.join(20)
    assert answers
    assert queue.view("J1").last_error == "lease expired"


HERDS: dict[str, Callable] = {  # type: ignore[type-arg]
    "complete": lambda queue, n: queue.complete(f"J{n}", f"J{n}:1"),
    "fail": lambda queue, n: queue.fail(f"J{n}", f"J{n}:1"),
    "renew": lambda queue, n: queue.renew(f"J{n}", f"J{n}:1", 1000),
    "release": lambda queue, n: queue.release(f"J{n}", f"J{n}:1"),
}


@pytest.mark.parametrize("name", HERDS)
def test_a_herd_of_late_reports_is_refused_without_a_deadlock(postgres: Any, name: Any) -> None:
    """Eight workers report at once, all too late: each is refused, as it would be alone."""
    clock = ManualClock()
    queues = [postgres.open(clock, AT_ONCE) for _ in range(8)]
    with no_deadlock(queues):
        for round_ in range(3):
            first = round_ * 8 + 1
            for _ in range(8):
                queues[0].submit("mail")
            before = [lease.job_id for lease in queues[0].poll_many("w", 100, 99)]
            clock.advance(300)
            answers = run_together(8, lambda n, first=first: outcome(HERDS[name], queues[n], first + n))  # type: ignore[misc]
            assert [(type(a), getattr(a, "reason", a)) for a in answers] == [
                (StaleTokenError, "lease_expired")
            ] * 8
            assert [queues[0].view(job_id).status for job_id in before] == ["PENDING"] * 8
            for job_id in before:
                queues[0].cancel(job_id)


def test_a_herd_of_cancels_of_what_just_came_due_meets_no_deadlock(postgres: Any, clock: Any) -> None:
    """Eight delayed jobs come due, and at that instant each is cancelled by somebody."""
    queues = [postgres.open(clock, AT_ONCE) for _ in range(8)]
    with no_deadlock(queues):
        for round_ in range(3):
            ids = [queues[0].submit("mail", run_at_millis=round_ * 100 + 100) for _ in range(8)]
            clock.advance(100)
            run_together(8, lambda n, ids=ids: queues[n].cancel(ids[n]))  # type: ignore[misc]
            assert {queues[0].view(job_id).status for job_id in ids} == {"CANCELLED"}


def test_workers_operators_and_sweeps_meet_no_deadlock(postgres: Any) -> None:
    """Polls, late and timely reports, bulk redrives, prunes and sweeps side by side: none is undone."""
    clock = ManualClock()
    queues = [postgres.open(clock, RetryPolicy(2, 0, 0), keep_finished=20) for _ in range(6)]
    ids = [queues[0].submit("mail") for _ in range(40)]

    def work(queue: Any, n: Any) -> None:
        for lease in queue.poll_many(f"w{n}", 5 + n, 4):
            clock.advance(1)
            outcome(queue.fail if n % 2 else queue.complete, lease.job_id, lease.token)
        queue.submit("mail")

    roles = (
        work,
        work,
        work,
        lambda queue, _: queue.redrive_many(ids[::-1], **WHO),
        lambda queue, _: queue.prune(keep=10, dead=True),
        lambda queue, _: (queue.sweep(), clock.advance(3)),  # type: ignore[func-returns-value]
    )

    def repeat(n: Any) -> None:
        for _ in range(15):
            roles[n](queues[n], n)

    with no_deadlock(queues):
        run_together(6, repeat)


def test_a_prune_passes_over_what_others_hold(postgres: Place, clock: ManualClock) -> None:
    """It would wait for their jobs with those locked that it has found already."""
    queue = postgres.open(clock, ONE_TRY)
    for error in (None, "boom", "boom"):
        queue.submit("mail")
        lease = polled(queue)
        outcome(queue.complete if error is None else queue.fail, lease.job_id, lease.token)
    with stranger(postgres) as one:
        one.lock(2)
        assert queue.prune(keep=0, dead=True) == 2
    assert [view.id for view in queue.list_jobs()] == ["J2"]


def test_a_prune_forgets_no_job_that_somebody_just_redrove(postgres: Any, clock: Any) -> None:
    """What it found dead is looked at again under its lock: a job that was brought back is not forgotten."""
    queue, other = postgres.open(clock, ONE_TRY), postgres.open(clock, ONE_TRY)
    for number in (1, 2):
        queue.submit("mail")
        queue.fail(polled(queue).job_id, f"J{number}:1")
    find_dead = queue._store.dead

    def find_and_be_late() -> Any:
        found = find_dead()
        other.redrive("J1", **WHO)
        return found

    queue._store.dead = find_and_be_late
    assert queue.prune(keep=0, dead=True) == 1
    assert [(view.id, view.status) for view in queue.list_jobs()] == [("J1", "PENDING")]


def test_an_opening_with_another_aging_locks_in_order(postgres: Place, clock: ManualClock) -> None:
    """It places every ready job anew, in the order of their numbers, and what all need comes last."""
    queue = postgres.open(clock, POLICY, scheduler=WeightedBands())
    for priority in (-1, 0, -1):
        queue.submit("mail", priority=priority)
    with stranger(postgres) as one:
        one.lock(2)
        thread = threading.Thread(
            target=postgres.open,
            args=(clock, POLICY),
            kwargs={"scheduler": WeightedBands(aging_millis=500)},
            daemon=True,
        )
        thread.start()
        one.wait_for(1)
        with stranger(postgres) as two:
            assert two.can_lock(3)
            assert not two.can_lock(1)
            two.go()
            two._connection.execute("SELECT 1 FROM totals FOR UPDATE NOWAIT")
        one.go()
        thread.join(20)
    assert queue.next_up(3) == ["J2", "J1", "J3"]


@pytest.mark.parametrize("name", ["sweep", "complete", "redrive_many"])
def test_a_deadlock_with_a_stranger_is_tried_again(postgres: Any, clock: Any, name: Any) -> None:
    """Somebody else may lock in any order. If the server undoes our step for that, we take it once more."""
    queue = postgres.open(clock, ONE_TRY)
    for _ in range(2):
        queue.submit("mail")
        polled(queue, lease_millis=100)
    if name == "redrive_many":
        clock.advance_to(100)
        queue.sweep()
    before = everything(queue, submitted=2)
    with stranger(postgres) as one, stranger(postgres) as two:
        one._connection.execute("SET deadlock_timeout = '60s'")  # so that it is not this one that is undone
        one.lock(2)
        clock.advance_to(100)
        calls: dict[str, Callable] = {  # type: ignore[type-arg]
            "sweep": queue.sweep,
            "complete": lambda: outcome(queue.complete, "J1", "J1:1"),
            "redrive_many": lambda: queue.redrive_many(["J1", "J2"], **WHO),
        }
        answers: list[object] = []
        thread = threading.Thread(target=lambda: answers.append(outcome(calls[name])), daemon=True)
        thread.start()
        two.wait_for(1)
        one.lock(1)
        assert not answers
        one.go()
        thread.join(20)
    (answer,) = answers
    if name == "sweep":
        assert answer == 2
    elif name == "complete":
        assert getattr(answer, "reason", answer) == "lease_expired"
    else:
        assert [row.outcome for row in answer] == ["done", "done"]  # type: ignore[attr-defined]
    assert everything(queue, submitted=2) != before


def test_a_bulk_redrive_does_what_is_free_first(postgres: Place, clock: ManualClock) -> None:
    """Three of 20 jobs are held by somebody: 17 are redriven at once, the three when they are free."""
    queue, other = postgres.open(clock, ONE_TRY), postgres.open(clock, ONE_TRY)
    ids = [queue.submit("mail") for _ in range(20)]
    for lease in queue.poll_many("w", 1000, 20):
        queue.fail(lease.job_id, lease.token)
    with stranger(postgres) as one:
        one.lock(3, 4, 19)
        answers: list[list[RedriveRow]] = []
        asked = ["nothing", *ids[::-1]]
        thread = threading.Thread(
            target=lambda: answers.append(queue.redrive_many(asked, **WHO, spread_millis=10)), daemon=True
        )
        thread.start()
        one.wait_for(1)
        assert [view.id for view in other.dead_letters()] == ["J3", "J4", "J19"]
        assert not answers
        one.go()
        thread.join(20)
    (rows,) = answers
    assert [(row.job_id, row.reason) for row in rows] == [(job_id, None) for job_id in ids] + [
        ("nothing", "unknown")
    ]
    records = [other.redrives(job_id) for job_id in ids]
    assert [len(record) for record in records] == [1] * 20
    assert len({record[0].batch for record in records}) == 1
    run_ats = {record[0].job_id: record[0].run_at for record in records}
    assert sorted(run_ats.values()) == list(range(0, 200, 10))
    assert [run_ats[job_id] for job_id in ("J1", "J20", "J3", "J4", "J19")] == [0, 160, 170, 180, 190]


def test_a_bulk_redrive_says_what_it_did_when_others_never_let_go(postgres: Any, clock: Any) -> None:
    """The free ones are redriven; the error names the others, and asked again for them it redrives them."""
    queue = postgres.open(clock, ONE_TRY, busy_timeout_millis=50)
    for lease in [(queue.submit("mail"), polled(queue))[1] for _ in range(3)]:
        queue.fail(lease.job_id, lease.token)
    with stranger(postgres) as one:
        one.lock(2)
        with pytest.raises(StoreError, match=r"^2 of 3 jobs are redriven; of J2: .* nothing was changed"):
            queue.redrive_many(["J1", "J2", "J3"], **WHO)
    assert [row.outcome for row in queue.redrive_many(["J2"], **WHO)] == ["done"]


def test_two_bulk_redrives_at_once_are_two_batches(postgres: Any, clock: Any) -> None:
    """The second one begins while the first has not ended, and waits for its number."""
    one, two = postgres.open(clock, ONE_TRY), postgres.open(clock, ONE_TRY)
    for lease in [(one.submit("mail"), polled(one))[1] for _ in range(2)]:
        one.fail(lease.job_id, lease.token)
    thread = threading.Thread(target=lambda: two.redrive_many(["J2"], **WHO), daemon=True)
    record = one._store.record

    def record_slowly(redrive: Any) -> None:
        record(redrive)
        thread.start()
        with stranger(postgres) as somebody:
            somebody.wait_for(1)

    one._store.record = record_slowly
    one.redrive_many(["J1"], **WHO)
    thread.join(20)
    assert [one.redrives(job_id)[0].batch for job_id in ("J1", "J2")] == [1, 2]


def test_a_key_whose_job_is_pruned_meanwhile_makes_a_new_job(
    postgres: Place, clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between finding the key and reading its job another transaction forgets it: the key is free."""
    queue, other = (postgres.open(clock, POLICY) for _ in range(2))
    queue.cancel(queue.submit_once("k", "mail").job_id)
    clock.advance(10**9)  # the key's life is over
    find = queue._store.find_key

    def pruned_meanwhile(tenant: str, request_key: str) -> str | None:
        found = find(tenant, request_key)
        assert (found, other.prune(keep=0)) == ("J1", 1)
        return found

    monkeypatch.setattr(queue._store, "find_key", pruned_meanwhile)
    assert (submitted := queue.submit_once("k", "mail")).job_id == "J2"
    assert not submitted.replayed
