"""Many threads on one queue: each job goes to exactly one worker at a time."""

from __future__ import annotations

import sys
from collections import Counter
from functools import partial
from itertools import count, pairwise
from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import JobQueue, ManualClock, RetryPolicy, StaleTokenError
from tests.contract.observing import outcome, polled
from tests.contract.together import run_interrupted, run_together

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture(autouse=True)
def eager_switching() -> Iterator[Any]:
    """Let threads switch as often as they can, so that a missing lock shows."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def test_no_job_is_leased_twice(queue: JobQueue) -> None:
    """16 threads poll 2,000 jobs; each job is leased once and each lease can be completed."""
    for _ in range(2000):
        queue.submit("mail")

    def work(number: Any) -> Any:
        leases = []
        while (lease := queue.poll(f"worker-{number}", 1_000_000)) is not None:
            leases.append(lease)
            queue.complete(lease.job_id, lease.token)
        return leases

    leases = [lease for found in run_together(16, work) for lease in found]
    assert sorted(int(lease.job_id[1:]) for lease in leases) == list(range(1, 2001))
    assert len({lease.token for lease in leases}) == 2000
    assert {queue.view(f"J{n}").status for n in range(1, 2001)} == {"SUCCEEDED"}


def test_one_job_goes_to_one_of_many_pollers(queue: JobQueue) -> None:
    """Whenever 16 threads ask for the only job at once, one gets it and the others get None."""
    for _ in range(40):
        job_id = queue.submit("mail")
        leases = [lease for lease in run_together(16, lambda n: queue.poll(f"w{n}", 1_000_000)) if lease]
        assert [lease.job_id for lease in leases] == [job_id]
        assert queue.view(job_id).worker_id == leases[0].worker_id


@pytest.mark.one_store("the lock of the queue in memory")
def test_two_polls_that_meet_anywhere_get_one_job(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """Wherever a second worker breaks into a poll, the only job goes to one of the two."""
    for step in count(1):
        queue = make_queue(clock, RetryPolicy(3, 1000, 60_000))
        queue.submit("mail")
        leases = run_interrupted(step, partial(queue.poll, "a", 1000), partial(queue.poll, "b", 1000))
        if leases is None:
            break
        (holder,) = [lease.worker_id for lease in leases if lease]
        assert (queue.view("J1").worker_id, len(queue.history("J1"))) == (holder, 1), f"met at line {step}"
    assert step > 10, "the polls never met"


@pytest.mark.one_store("the lock of the queue in memory")
def test_two_reports_that_meet_anywhere_count_as_one(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """Wherever a failure is reported in the middle of a completion, one of the two is accepted."""
    for step in count(1):
        queue = make_queue(clock, RetryPolicy(1, 1000, 60_000))
        queue.submit("mail")
        token = polled(queue).token
        answers = run_interrupted(
            step, partial(outcome, queue.complete, "J1", token), partial(outcome, queue.fail, "J1", token)
        )
        if answers is None:
            break
        assert answers.count(None) == 1, f"met at line {step}"
        assert queue.view("J1").status == ("SUCCEEDED" if answers[0] is None else "DEAD")
    assert step > 10, "the reports never met"


def test_one_report_is_accepted_of_many(queue: JobQueue) -> None:
    """Whenever 16 threads report the same attempt at once, one is accepted and 15 are refused."""
    for _ in range(40):
        job_id = queue.submit("mail")
        token = polled(queue).token

        def report(number: Any, job_id: Any = job_id, token: Any = token) -> Any:
            return outcome(queue.complete if number % 2 else queue.fail, job_id, token)

        answers = run_together(16, report)
        refused = [answer for answer in answers if answer is not None]
        assert [type(refusal) for refusal in refused] == [StaleTokenError] * 15
        assert {refusal.reason for refusal in refused} == {"wrong_state"}
        assert len(queue.history(job_id)) == 1


def test_one_redrive_is_accepted_of_many(one_try: JobQueue) -> None:
    """Whenever 8 threads bring back the same dead job, it comes back once."""
    one_try.submit("mail")
    for era in range(1, 21):
        one_try.fail("J1", polled(one_try).token)
        answers = run_together(8, lambda _n: outcome(one_try.retry_dead, "J1"))
        assert answers.count(None) == 1
        assert one_try.view("J1").redrive_generation == era


def test_a_job_is_either_cancelled_or_handed_out(queue: JobQueue) -> None:
    """When a cancel and a poll race, exactly one of them wins."""
    for _ in range(100):
        job_id = queue.submit("mail")

        def act(number: Any, job_id: Any = job_id) -> Any:
            return queue.poll("w", 1_000_000) if number else outcome(queue.cancel, job_id)

        answers = run_together(2, act)
        cancelled, leased = answers[0] is None, answers[1] is not None
        assert cancelled != leased
        assert queue.view(job_id).status == ("CANCELLED" if cancelled else "RUNNING")


def test_ids_are_given_once(queue: JobQueue) -> None:
    """16 threads submit 1,600 jobs; the ids are J1 to J1600, and every payload is under its id."""
    results = run_together(16, lambda n: [(queue.submit("mail", f"{n}-{k}"), f"{n}-{k}") for k in range(100)])
    given = dict(pair for found in results for pair in found)
    assert sorted(int(job_id[1:]) for job_id in given) == list(range(1, 1601))
    assert {job_id: queue.payload(job_id) for job_id in given} == given


def test_attempts_of_a_job_never_overlap(make_queue: Any, clock: Any) -> None:
    """While time runs and workers vanish, each attempt starts after the one before it has ended."""
    queue = make_queue(clock, RetryPolicy(10**6, 0, 0))
    for _ in range(5):
        queue.submit("mail")

    def work(number: Any) -> Any:
        endings: Counter[Any] = Counter()
        for turn in range(150):
            lease = queue.poll(f"worker-{number}", 20)
            clock.advance(1 if turn % 5 else 30)
            if lease is not None and turn % 3:
                endings[type(outcome(queue.fail, lease.job_id, lease.token)).__name__] += 1
        return endings

    endings = sum(run_together(8, work), Counter())  # type: ignore[var-annotated]
    assert min(endings["NoneType"], endings["StaleTokenError"]) > 0, "both accepted and late reports must occur"
    for n in range(1, 6):
        history = queue.history(f"J{n}")
        assert [row.generation for row in history] == list(range(1, len(history) + 1))
        assert all(earlier.ended_at <= later.started_at for earlier, later in pairwise(history))
        assert all(row.started_at <= row.ended_at <= row.started_at + 20 for row in history[:-1])


def test_readers_never_see_half_a_step(one_try: JobQueue) -> None:
    """While others work, every view fits together: a running job has a holder, any other has none."""
    for _ in range(300):
        one_try.submit("mail")

    def work(number: Any) -> Any:
        while number and (lease := one_try.poll("w", 1_000_000)) is not None:
            (one_try.complete if number % 2 else one_try.fail)(lease.job_id, lease.token)
        return [] if number else [one_try.view(f"J{n}") for _ in range(5) for n in range(1, 301)]

    views = run_together(5, work)[0]
    torn = [view for view in views if (view.status == "RUNNING") != (view.worker_id == "w")]
    torn += [view for view in views if (view.status == "DEAD") != (view.failed_at is not None)]
    torn += [view for view in views if view.attempts != (0 if view.status == "PENDING" else 1)]
    assert torn == []
    assert len(views) == 1500
