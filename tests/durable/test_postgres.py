"""What is special on a server: its clock, its locks, connections that are lost, and forks."""

from __future__ import annotations

import itertools
import os
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import (
    JobQueue,
    Limits,
    ManualClock,
    RequestKeyConflictError,
    RetryPolicy,
    StoreError,
    SystemClock,
    WeightedBands,
)
from jobqueue.store import Access
from tests.contract.observing import outcome, polled
from tests.contract.together import run_together
from tests.databases import Place, restart_server
from tests.durable.conftest import POLICY

if TYPE_CHECKING:
    from pathlib import Path

QUICK = RetryPolicy(5, 0, 0)


def on_the_server(queue: Any, sql: Any, **values: Any) -> Any:
    """Return the rows of a statement that is run beside the queue's turns, over its connection."""
    return queue._database.read(sql, values)


def server_time(queue: JobQueue) -> Any:
    """Return the server's time in milliseconds."""
    return on_the_server(queue, "SELECT extract(epoch FROM clock_timestamp()) * 1000")[0][0]


def test_the_system_clock_is_that_of_the_server(postgres: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker whose own clock is wrong by days does no harm."""
    queue = postgres.open(SystemClock(), POLICY)
    monkeypatch.setattr(SystemClock, "now", lambda _self: 5)
    queue.submit("mail")
    lease = polled(queue, lease_millis=60_000)
    now = float(server_time(queue))
    assert now + 50_000 < lease.lease_until <= now + 60_000
    assert abs(queue.view("J1").submitted_at - now) < 10_000


@pytest.mark.parametrize("options", [{}, {"scheduler": WeightedBands()}], ids=["line", "lanes"])
def test_a_lease_begins_when_its_lock_was_obtained(postgres: Any, options: Any) -> None:
    """A poll that had to wait 1.5 s gives a whole lease from then on, not one that is over."""
    queue, other = (postgres.open(SystemClock(), POLICY, **options) for _ in range(2))
    queue.submit("mail")
    database, begun = other._database, threading.Event()
    real_begin = database.begin

    def slow_begin() -> None:
        real_begin()
        begun.set()
        database.read("SELECT pg_sleep(1.5)", {})

    database.begin = slow_begin
    lease = other.poll("w", 1000)
    left = lease.lease_until - float(server_time(other))
    assert begun.is_set()
    assert 500 < left <= 1000


def test_a_report_that_waited_past_the_end_of_its_lease_is_refused(postgres: Any) -> None:
    """The clock is read once the row is locked: what was sent in time may be late when it counts."""
    queue, other = postgres.open(SystemClock(), POLICY), postgres.open(SystemClock(), POLICY)
    queue.submit("mail")
    lease = polled(queue, lease_millis=700)
    locked = threading.Event()

    def hold() -> None:
        with other._session(Access("J1")):
            other._session.look()
            locked.set()
            other._database.read("SELECT pg_sleep(1)", {})

    thread = threading.Thread(target=hold, daemon=True)
    thread.start()
    assert locked.wait(20)
    refusal = outcome(queue.complete, "J1", lease.token)
    thread.join(20)
    assert getattr(refusal, "reason", None) == "lease_expired"
    assert queue.view("J1").last_error == "lease expired"


def test_claims_do_not_wait_for_each_other(postgres: Any, clock: Any) -> None:
    """While one claim has not committed yet, another takes the next job at once."""
    one, two = postgres.open(clock, POLICY), postgres.open(clock, POLICY)
    one.submit("mail")
    one.submit("mail")
    with one._session(Access(polls=True)):
        one._session.look()
        begun = time.monotonic()
        assert polled(two).job_id == "J2"
        assert time.monotonic() - begun < 5
    assert polled(two).job_id == "J1"


def test_no_transaction_is_open_while_a_job_runs(postgres: Place, clock: ManualClock) -> None:
    """Between poll and report the server sees an idle connection; the lease alone keeps others off."""
    queue, other = postgres.open(clock, POLICY), postgres.open(clock, POLICY)
    queue.submit("mail")
    lease = polled(queue)
    (pid,) = on_the_server(queue, "SELECT pg_backend_pid()")[0]
    states = on_the_server(other, "SELECT state FROM pg_stat_activity WHERE pid = :pid", pid=pid)
    assert states == [("idle",)]
    assert other.poll("w", 1000) is None
    other.complete("J1", lease.token)


@pytest.mark.parametrize("content", ["same", "other"])
def test_a_key_does_not_wait_for_the_job_that_runs_under_it(
    postgres: Place, clock: ManualClock, content: Any
) -> None:
    """Replay and conflict are answered at once, however long the handler takes."""
    queue, other = postgres.open(clock, POLICY), postgres.open(clock, POLICY)
    queue.submit_once("k", "mail", "same")
    polled(queue)
    begun = time.monotonic()
    answer = outcome(other.submit_once, "k", "mail", content)
    assert time.monotonic() - begun < 5
    if content == "same":
        assert answer.replayed
    else:
        assert isinstance(answer, RequestKeyConflictError)


def test_reports_in_opposite_orders_do_not_block_each_other(postgres: Any, clock: Any) -> None:
    """Two objects complete, bring back and sweep the same jobs in opposite orders, round after round."""
    queues = [postgres.open(clock, RetryPolicy(1, 0, 0)) for _ in range(2)]
    for _ in range(20):
        queues[0].submit("mail")
    ids = [f"J{number}" for number in range(1, 21)]
    for _ in range(8):
        queues[0].poll_many("w", 1000, 20)
        clock.advance(1000)
        run_together(2, lambda n: queues[n].sweep())
        orders = (ids, ids[::-1])
        rows = run_together(2, lambda n, orders=orders: queues[n].redrive_many(orders[n], actor="a", note=""))  # type: ignore[misc]
        assert sum(row.outcome == "done" for found in rows for row in found) == 20


def cut(queue: Any, at: Any) -> None:
    """Let the server end the queue's session just before its n-th call to it."""
    database, left = queue._database, itertools.count(1)

    class Cutting:
        def __getattr__(self, name: Any) -> Any:
            found = getattr(database, name)
            if name not in {"begin", "commit", "read", "write"}:
                return found

            def call(*args: Any) -> Any:
                if next(left) == at:
                    outcome(database.read, "SELECT pg_terminate_backend(pg_backend_pid())", {})
                return found(*args)

            return call

    queue._database = queue._session.database = Cutting()


STEPS = (
    lambda queue: queue.submit("mail"),
    lambda queue: queue.poll("w", 1000),
    lambda queue: queue.renew("J1", "J1:1", 2000),
    lambda queue: queue.complete("J1", "J1:1"),
)
STATES = (None, ("PENDING", None), ("RUNNING", 1000), ("RUNNING", 2000), ("SUCCEEDED", None))


def test_a_connection_that_is_cut_leaves_nothing_half_done(postgres: Place, clock: ManualClock) -> None:
    """At whichever call: a step that is an error has not happened, and made again it succeeds."""
    errors, other = 0, postgres.open(clock, POLICY)
    for at in range(1, 17):
        queue = postgres.open(clock, POLICY)
        first = queue.submit("other", run_at_millis=10**9)
        number = int(first[1:]) + 1
        cut(queue, at)
        for step, (before, after) in zip(STEPS, itertools.pairwise(STATES), strict=True):
            renamed = {"J1": f"J{number}", "J1:1": f"J{number}:1"}
            proxy = Renaming(queue, renamed)
            answer = outcome(step, proxy)
            if isinstance(answer, StoreError):
                errors += 1
                found = seen(other, f"J{number}")
                assert found == before, (at, found)
                if before is None:
                    number = int(queue.submit("mail")[1:])  # the number of what was undone may be skipped
                else:
                    step(proxy)  # type: ignore[no-untyped-call]
            assert seen(other, f"J{number}") == after, at
        queue.cancel(first)
    assert errors == 12, "one for each read, write and commit; a begin makes a new connection"


class Renaming:
    """Calls a queue with the ids that a story has in the place of those that its text has."""

    def __init__(self, queue: JobQueue, names: Any) -> None:
        self._queue, self._names = queue, names

    def __getattr__(self, name: Any) -> Any:
        call = getattr(self._queue, name)
        return lambda *args: call(*(self._names.get(arg, arg) for arg in args))


def seen(queue: JobQueue, job_id: str) -> Any:
    """Return state and lease of a job; None if there is none."""
    view = outcome(queue.view, job_id)
    return None if isinstance(view, Exception) else (view.status, view.lease_until)


def test_a_server_that_was_restarted_is_reconnected_to(postgres: Place, clock: ManualClock) -> None:
    """Idle queues go on over new connections; leases and jobs are as they were."""
    queue, other = postgres.open(clock, POLICY), postgres.open(clock, POLICY)
    queue.submit("mail")
    lease = polled(queue, lease_millis=5000)
    restart_server()
    assert other.submit("mail") == "J2"
    queue.complete("J1", lease.token)
    assert [queue.view(job_id).status for job_id in ("J1", "J2")] == ["SUCCEEDED", "PENDING"]


def test_a_server_that_is_not_there_is_a_store_error(
    postgres: Place, clock: ManualClock, tmp_path: Path
) -> None:
    """It says so, and does not hang."""
    postgres.url = f"postgresql://nobody@/none?host={tmp_path}"
    with pytest.raises(StoreError, match="cannot begin"):
        postgres.open(clock, POLICY)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_child_after_a_fork_has_a_connection_of_its_own(place: Place, clock: ManualClock) -> None:
    """Parent and child take 60 jobs between them; nobody gets the other's answers, and each job goes to one."""
    queue = place.open(clock, POLICY)
    for _ in range(60):
        queue.submit("mail")
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:  # pragma: no cover - in the child
        found = outcome(lambda: [lease.job_id for lease in iter(lambda: queue.poll("child", 10**6), None)])
        os.write(writing, repr(found).encode())
        os._exit(0)
    os.close(writing)
    own = [lease.job_id for lease in iter(lambda: queue.poll("parent", 10**6), None)]
    with os.fdopen(reading) as pipe:
        theirs = eval(pipe.read())  # noqa: S307 - the repr of a list that this file wrote
    os.waitpid(child, 0)
    assert sorted(own + theirs) == sorted(f"J{number}" for number in range(1, 61))
    holders = [queue.view(job_id).worker_id for job_id in theirs]
    assert holders == ["child"] * len(theirs)
    assert queue.submit("mail") == "J61", "the parent's connection is as good as before"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_what_a_child_was_told_is_kept_outlives_its_parents_connection(
    place: Place, clock: ManualClock
) -> None:
    """The parent closes its queue while the child goes on: each acknowledged job is there, each id is one."""
    queue = place.open(clock, POLICY)
    queue.submit("parent")
    (hearing, saying), (waiting, telling) = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:  # pragma: no cover - in the child
        os.write(saying, queue.submit("child").encode())
        os.read(waiting, 1)
        os._exit(outcome(lambda: [queue.submit("child") for _ in range(20)]) != [f"J{n}" for n in range(3, 23)])
    assert os.read(hearing, 10) == b"J2"
    queue.close()
    os.write(telling, b"x")
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    again = place.open(clock, POLICY)
    assert [view.id for view in again.list_jobs()] == [f"J{number}" for number in range(22, 0, -1)]
    assert again.submit("parent") == "J23"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_child_is_heard_though_the_parent_was_just_delivering(place: Place, clock: ManualClock) -> None:
    """A subscriber forks: in the child the delivery that goes on in the parent keeps nothing back."""
    queue, heard, codes = place.open(clock, POLICY), [], []

    def fork_once(event: Any) -> None:
        heard.append(event.job_id)
        if event.job_id == "J1":
            child = os.fork()
            if child == 0:  # pragma: no cover - in the child
                heard.clear()
                queue.submit("child")
                os._exit(heard != ["J2"])
            codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

    queue.subscribe(fork_once)
    queue.submit("parent")
    assert codes == [0]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_child_is_another_session_of_the_server(postgres: Place, clock: ManualClock) -> None:
    """The backends' process ids differ."""
    queue = postgres.open(clock, POLICY)
    (own,) = on_the_server(queue, "SELECT pg_backend_pid()")[0]
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:  # pragma: no cover - in the child
        os.write(writing, str(on_the_server(queue, "SELECT pg_backend_pid()")[0][0]).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as pipe:
        theirs = int(pipe.read())
    os.waitpid(child, 0)
    assert theirs != own
    assert on_the_server(queue, "SELECT pg_backend_pid()") == [(own,)]


def test_a_poll_under_limits_waits_for_the_one_before(postgres: Place, clock: ManualClock) -> None:
    """The count and the hand-out are one step: two that poll at once for the last place get one job."""
    queues = [postgres.open(clock, QUICK, limits=Limits(max_running_per_tenant=1)) for _ in range(2)]
    for _ in range(6):
        queues[0].submit("mail")
    for _ in range(6):
        leases = [lease for lease in run_together(2, lambda n: queues[n].poll("w", 1000)) if lease]
        assert len(leases) == 1
        queues[0].complete(leases[0].job_id, leases[0].token)
