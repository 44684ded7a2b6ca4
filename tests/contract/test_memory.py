"""What stays of finished jobs, and that nothing else stays."""

from __future__ import annotations

import gc
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import JobQueue, ManualClock, RetryPolicy, UnknownJobError
from tests.contract.observing import everything, polled, seen

if TYPE_CHECKING:
    from collections.abc import Callable

NOT_OURS = (type, ModuleType, FunctionType, BuiltinFunctionType)
FOREVER = 10**12


def objects_held_by(queue: JobQueue) -> Any:
    """Count the objects that can be reached from the queue, whatever its inner structures are called."""
    found, frontier = {id(queue)}, [queue]
    while frontier:
        neighbours = gc.get_referents(*frontier)
        frontier = []
        for item in neighbours:
            if id(item) not in found and not isinstance(item, NOT_OURS):
                found.add(id(item))
                frontier.append(item)
    return len(found)


def run_through(queue: JobQueue, jobs: Any, **options: Any) -> None:
    """Submit, poll and complete so many jobs, one after the other."""
    for _ in range(jobs):
        job_id = queue.submit("mail", **options)
        queue.complete(job_id, polled(queue, lease_millis=FOREVER).token)


@pytest.fixture
def keeping(make_queue: Callable[..., JobQueue], clock: ManualClock) -> Any:
    """Return a function that makes a queue which keeps the newest n finished jobs."""
    return lambda n, attempts=3: make_queue(clock, RetryPolicy(attempts, 1000, 60_000), keep_finished=n)


def test_by_default_every_finished_job_is_kept(queue: JobQueue) -> None:
    """Without keep_finished nothing is forgotten, history included."""
    run_through(queue, 200)
    assert [queue.view(f"J{n}").status for n in range(1, 201)] == ["SUCCEEDED"] * 200
    assert len(queue.history("J1")) == 1


def test_the_newest_finished_jobs_are_kept_with_their_history(keeping: Any) -> None:
    """The oldest finished job is forgotten as soon as there are more than n."""
    queue = keeping(2)
    run_through(queue, 2)
    assert queue.view("J1").status == "SUCCEEDED"
    run_through(queue, 1)
    assert seen(queue, "J1") is None
    assert [row.outcome for n in (2, 3) for row in queue.history(f"J{n}")] == ["succeeded", "succeeded"]


def test_newest_means_finished_last(keeping: Any) -> None:
    """A job that was submitted early but finished late is a new one."""
    queue = keeping(1)
    queue.submit("mail")
    queue.submit("mail")
    first, second = polled(queue, lease_millis=FOREVER), polled(queue, lease_millis=FOREVER)
    queue.complete("J2", second.token)
    queue.complete("J1", first.token)
    assert (queue.view("J1").status, seen(queue, "J2")) == ("SUCCEEDED", None)


def test_cancelled_jobs_are_finished_too(keeping: Any) -> None:
    """A cancel counts like a success."""
    queue = keeping(1)
    queue.cancel(queue.submit("mail"))
    run_through(queue, 1)
    assert (seen(queue, "J1"), queue.view("J2").status) == (None, "SUCCEEDED")
    queue.cancel(queue.submit("mail"))
    assert (seen(queue, "J2"), queue.view("J3").status) == (None, "CANCELLED")


def test_with_a_retention_of_none_a_finished_job_is_gone_at_once(keeping: Any) -> None:
    """keep_finished=0 keeps no finished job; its id is unknown and never given again."""
    queue = keeping(0)
    run_through(queue, 1)
    for call in (queue.view, queue.payload, queue.history, queue.cancel, queue.retry_dead):
        with pytest.raises(UnknownJobError, match="J1"):
            call("J1")
    with pytest.raises(UnknownJobError):
        queue.complete("J1", "J1:1")
    assert queue.submit("mail") == "J2"


def test_an_unknown_id_is_told_how_many_were_submitted(keeping: Any) -> None:
    """Those that were dropped count, too, in the same words on every store."""
    queue = keeping(0)
    with pytest.raises(UnknownJobError, match=r"^no job has the id 'J1': 0 were submitted so far"):
        queue.view("J1")
    for _ in range(11):
        queue.submit("mail")
    queue.cancel("J11")
    with pytest.raises(UnknownJobError, match=r"^no job has the id 'J11': 11 were submitted so far"):
        queue.view("J11")


def test_jobs_that_are_not_finished_stay_however_many_there_are(keeping: Any, clock: ManualClock) -> None:
    """DEAD, RUNNING and PENDING jobs are not subject to keep_finished."""
    queue = keeping(1, attempts=1)
    for _ in range(4):
        queue.submit("mail")
    for _ in range(2):
        lease = polled(queue, lease_millis=FOREVER)
        queue.fail(lease.job_id, lease.token)
    polled(queue, lease_millis=FOREVER)
    before = everything(queue, submitted=4)
    for _ in range(50):
        queue.cancel(queue.submit("mail", run_at_millis=clock.now() + 9))
    assert everything(queue, submitted=4) == before
    assert [view.id for view in queue.dead_letters()] == ["J1", "J2"]


def test_a_redriven_job_that_succeeds_is_finished_at_last(keeping: Any) -> None:
    """Once back from the dead and done, it counts among the finished by the instant of its success."""
    queue = keeping(1, attempts=1)
    queue.submit("mail")
    queue.fail("J1", polled(queue).token)
    run_through(queue, 1)
    queue.retry_dead("J1")
    queue.complete("J1", polled(queue).token)
    assert (queue.view("J1").status, seen(queue, "J2")) == ("SUCCEEDED", None)


def churn_by_completing(queue: JobQueue, clock: ManualClock, rounds: Any) -> None:
    """End long leases early: nothing must wait for their far ends."""
    del clock
    run_through(queue, rounds)


def churn_by_cancelling(queue: JobQueue, clock: ManualClock, rounds: Any) -> None:
    """Cancel jobs that are due in the far future and jobs that are ready."""
    for n in range(rounds):
        queue.cancel(queue.submit("mail", run_at_millis=clock.now() + FOREVER * (n % 2), priority=n % 3))


def churn_by_retrying(queue: JobQueue, clock: ManualClock, rounds: Any) -> None:
    """Fail each job once under a long lease, then complete it."""
    for _ in range(rounds):
        job_id = queue.submit("mail")
        queue.fail(job_id, polled(queue, lease_millis=FOREVER).token)
        clock.advance(1000)
        queue.complete(job_id, polled(queue, lease_millis=FOREVER).token)


def churn_by_expiring(queue: JobQueue, clock: ManualClock, rounds: Any) -> None:
    """Let each job expire once, then complete it."""
    for _ in range(rounds):
        job_id = queue.submit("mail")
        polled(queue, lease_millis=10)
        clock.advance(1010)
        queue.complete(job_id, polled(queue, lease_millis=FOREVER).token)


def churn_by_redriving(queue: JobQueue, clock: ManualClock, rounds: Any) -> None:
    """Let each job die, redrive it and complete it."""
    for _ in range(rounds):
        job_id = queue.submit("mail")
        for _attempt in range(3):
            queue.fail(job_id, polled(queue, lease_millis=FOREVER).token)
            clock.advance(10_000)
        queue.retry_dead(job_id)
        queue.complete(job_id, polled(queue, lease_millis=FOREVER).token)


def churn_by_renewing(queue: JobQueue, clock: ManualClock, rounds: Any) -> None:
    """Renew one lease over and over, then complete it."""
    job_id = queue.submit("mail")
    token = polled(queue, lease_millis=1000).token
    for _ in range(rounds):
        clock.advance(1)
        queue.renew(job_id, token, 1000)
    assert objects_held_by(queue) < 2000, "renewals pile up while the job still runs"
    queue.complete(job_id, token)


def churn_by_many_names(queue: Any, clock: Any, rounds: Any) -> None:
    """Use every type, tenant, worker and priority once and never again."""
    for n in range(rounds):
        job_id = queue.submit(f"type-{n}", tenant=f"tenant-{n}", priority=n, run_at_millis=clock.now() + n % 2)
        clock.advance(1)
        lease = queue.poll(f"worker-{n}", FOREVER, types=[f"type-{n}"])
        queue.complete(job_id, lease.token)


def churn_by_refusals(queue: JobQueue, clock: ManualClock, rounds: Any) -> None:
    """Call for jobs and with tokens that do not exist, and poll in vain for types that nobody uses."""
    del clock
    for n in range(rounds):
        with pytest.raises(UnknownJobError):
            queue.complete(f"J{10**6 + n}", f"J1:{n}")
        assert queue.poll(f"worker-{n}", 1000, types=[f"type-{n}"]) is None


CHURNS = [
    churn_by_completing,
    churn_by_cancelling,
    churn_by_retrying,
    churn_by_expiring,
    churn_by_redriving,
    churn_by_renewing,
    churn_by_many_names,
    churn_by_refusals,
]


@pytest.mark.one_store("what is held in this process")
@pytest.mark.parametrize("churn", CHURNS, ids=lambda churn: churn.__name__.removeprefix("churn_by_"))
def test_what_is_over_leaves_nothing_behind(keeping: Any, clock: ManualClock, churn: Any) -> None:
    """An ended lease, a retry or a cancel leaves nothing in any structure that grows without bound."""
    queue = keeping(5)
    churn(queue, clock, 500)
    after_few = objects_held_by(queue)
    churn(queue, clock, 3000)
    assert objects_held_by(queue) < after_few + 600, "3,000 more rounds may not leave even 600 objects"


@pytest.mark.one_store("what is held in this process")
def test_the_count_of_held_objects_sees_what_a_queue_keeps(queue: JobQueue) -> None:
    """The measure used here does grow with jobs that are kept; otherwise its tests would prove nothing."""
    run_through(queue, 10)
    after_few = objects_held_by(queue)
    run_through(queue, 600)
    assert objects_held_by(queue) > after_few + 600


@pytest.mark.one_store("what is held in this process")
def test_a_lease_that_outlives_many_others_does_not_hold_them(keeping: Any) -> None:
    """One long-running job at the head of the timers does not keep the ends of thousands of others alive."""
    queue = keeping(5)
    queue.submit("mail")
    polled(queue, lease_millis=1000)
    queue.submit("mail", run_at_millis=1000, priority=9)
    run_through(queue, 500)
    after_few = objects_held_by(queue)
    run_through(queue, 3000)
    assert objects_held_by(queue) < after_few + 600


def size_after(queue: JobQueue, jobs: Any, begun: Any = 0) -> Any:
    """Run jobs through, each of its own tenant and type, and count what the queue holds."""
    for n in range(begun, jobs):
        run_through(queue, 1, tenant=f"tenant-{n % 100_000}")
    return objects_held_by(queue)


@pytest.mark.one_store("what is held in this process")
def test_twenty_thousand_jobs_take_no_more_room_than_five_thousand(keeping: Any) -> None:
    """With a retention, size depends on what is kept, not on what has passed through."""
    queue = keeping(1000)
    early = size_after(queue, 5000)
    late = size_after(queue, 20_000, begun=5000)
    assert late < early * 1.1
    assert [seen(queue, f"J{n}") is None for n in (1, 19_000, 19_001, 20_000)] == [True, True, False, False]


@pytest.mark.long
@pytest.mark.one_store("what is held in this process")
def test_a_million_jobs_take_no_more_room_than_two_hundred_thousand(keeping: Any) -> None:
    """The same over the life of a busy queue."""
    queue = keeping(1000)
    early = size_after(queue, 200_000)
    late = size_after(queue, 1_000_000, begun=200_000)
    assert early * 0.9 < late < early * 1.1
