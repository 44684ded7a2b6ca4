"""How retries are spread: within the cap, in whole milliseconds, and the same wherever they are drawn."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import EventLog, Jitter, JobQueue, ManualClock, RetryPolicy
from tests.contract.observing import polled

if TYPE_CHECKING:
    from collections.abc import Callable

KINDS = {"full": Jitter.full, "equal": Jitter.equal, "decorrelated": Jitter.decorrelated}
every_kind = pytest.mark.parametrize("kind", KINDS)


def rests(
    make_queue: Callable[..., JobQueue], policy: Any, jitter: Any, jobs: Any = 1, order: Any = None
) -> Any:
    """Fail each job until it is dead and return the rests of each, in submission order.

    `order` is the order in which the jobs are failed at each round.
    """
    clock = ManualClock()
    queue = make_queue(clock, policy, jitter=jitter)
    for _ in range(jobs):
        queue.submit("mail")
    drawn = {f"J{number}": [] for number in range(1, jobs + 1)}  # type: ignore[var-annotated]
    for attempt in range(1, policy.max_attempts):
        leases = {lease.job_id: lease for lease in queue.poll_many("w", 1000, jobs)}
        for job_id in sorted(leases, key=order or (lambda job_id: int(job_id[1:]))):
            queue.fail(job_id, leases[job_id].token)
            rest = queue.view(job_id).next_run_at - clock.now()
            drawn[job_id].append(rest)
        assert len(leases) == jobs, attempt
        clock.advance(policy.max_backoff_millis)
    return list(drawn.values())


@pytest.mark.parametrize(
    ("kind", "least"), [("full", lambda _backoff: 0), ("equal", lambda backoff: backoff // 2)]
)
@pytest.mark.one_store("one pure rule that every store asks")
def test_a_rest_lies_in_the_range_of_its_kind(
    make_queue: Callable[..., JobQueue], kind: Any, least: Any
) -> None:
    """Full: from 0 to the capped backoff; equal: from half of it. Both ends are met, nothing lies outside."""
    policy = RetryPolicy(5, 3, 12)
    drawn = rests(make_queue, policy, KINDS[kind](seed=1), jobs=600)
    for attempt, backoff in enumerate((3, 6, 12, 12)):
        assert {job[attempt] for job in drawn} == set(range(least(backoff), backoff + 1))


def test_a_decorrelated_rest_grows_from_the_one_before(make_queue: Callable[..., JobQueue]) -> None:
    """From the base to three times the rest before, within the cap; at first the rest before is the base."""
    drawn = rests(make_queue, RetryPolicy(6, 10, 100), Jitter.decorrelated(seed=1), jobs=400)
    assert {job[0] for job in drawn} == set(range(10, 31))
    for job in drawn:
        for before, rest in pairwise(job):
            assert 10 <= rest <= max(10, min(100, 3 * before))
    assert max(max(job) for job in drawn) > 90


def test_after_a_redrive_the_rest_before_is_the_base_again(
    make_queue: Callable[..., JobQueue], clock: ManualClock
) -> None:
    """A new era starts as small as the first."""
    queue = make_queue(clock, RetryPolicy(2, 10, 10_000), jitter=Jitter.decorrelated(seed=1))
    queue.submit("mail")
    drawn = []
    for _ in range(60):
        queue.fail("J1", polled(queue).token)
        drawn.append(queue.view("J1").next_run_at - clock.now())
        clock.advance(10_000)
        queue.fail("J1", polled(queue).token)
        queue.retry_dead("J1")
    assert (min(drawn) >= 10, max(drawn) <= 30, len(set(drawn)) > 5) == (True, True, True)


@every_kind
@pytest.mark.one_store("one pure rule that every store asks")
def test_a_rest_never_exceeds_the_cap(make_queue: Callable[..., JobQueue], kind: Any) -> None:
    """Jitter is drawn within the cap, not added to it, at any attempt and for many seeds."""
    for seed in range(40):
        for job in rests(make_queue, RetryPolicy(12, 1000, 60_000), KINDS[kind](seed), jobs=2):
            assert [rest for rest in job if not 0 <= rest <= 60_000] == []


@every_kind
@pytest.mark.parametrize(("base", "cap"), [(0, 0), (0, 1000)])
def test_no_backoff_has_no_jitter(make_queue: Callable[..., JobQueue], kind: Any, base: Any, cap: Any) -> None:
    """A base of 0 means: at once, whatever the kind."""
    assert rests(make_queue, RetryPolicy(4, base, cap), KINDS[kind](seed=3), jobs=5) == [[0, 0, 0]] * 5


@every_kind
def test_a_backoff_of_one_millisecond_is_never_negative(make_queue: Callable[..., JobQueue], kind: Any) -> None:
    """The smallest range has nothing below zero in it."""
    drawn = rests(make_queue, RetryPolicy(2, 1, 1), KINDS[kind](seed=2), jobs=50)
    assert {job[0] for job in drawn} <= {0, 1}


@every_kind
def test_a_draw_does_not_depend_on_the_order_of_draws(make_queue: Callable[..., JobQueue], kind: Any) -> None:
    """The same jobs, failing in the opposite order, rest for the same times."""
    policy, jitter = RetryPolicy(4, 1000, 60_000), KINDS[kind](seed=5)
    forwards = rests(make_queue, policy, jitter, jobs=20)
    backwards = rests(make_queue, policy, jitter, jobs=20, order=lambda job_id: -int(job_id[1:]))
    assert forwards == backwards


@every_kind
@pytest.mark.one_store("one pure rule that every store asks")
def test_draws_differ_between_jobs_hand_outs_and_seeds(make_queue: Callable[..., JobQueue], kind: Any) -> None:
    """Else those that failed together would come back together."""
    policy = RetryPolicy(4, 10_000, 60_000)
    drawn = rests(make_queue, policy, KINDS[kind](seed=5), jobs=20)
    assert len({job[0] for job in drawn}) >= 19
    assert [job for job in drawn if len(set(job)) < 3] == []
    assert rests(make_queue, policy, KINDS[kind](seed=6), jobs=20) != drawn


@pytest.mark.one_store("one pure rule that every store asks")
def test_draws_are_uniform(make_queue: Callable[..., JobQueue]) -> None:
    """Of 4,000 draws from 0 to 9 each number gets its tenth, give or take what chance allows."""
    drawn = [job[0] for job in rests(make_queue, RetryPolicy(2, 9, 9), Jitter.full(seed=11), jobs=4000)]
    assert sorted(set(drawn)) == list(range(10))
    assert all(320 <= drawn.count(number) <= 480 for number in range(10))


def test_a_generation_of_its_own_draws_anew(make_queue: Callable[..., JobQueue], clock: ManualClock) -> None:
    """The draw is bound to the hand-out, so a release in between changes it, and an era does not repeat it."""
    queue = make_queue(clock, RetryPolicy(2, 60_000, 60_000), jitter=Jitter.full(seed=1))
    drawn: list[Any] = []
    for releases in (0, 1, 2):
        for _ in range(releases):
            queue.release("J1", polled(queue).token)
        if not drawn:
            queue.submit("mail")
        queue.fail("J1", polled(queue).token)
        drawn.append(queue.view("J1").next_run_at - clock.now())
        clock.advance(60_000)
        queue.fail("J1", polled(queue).token)
        queue.retry_dead("J1")
    assert len(set(drawn)) == 3


@every_kind
def test_a_replay_rests_as_long_as_the_queue_did(
    make_queue: Callable[..., JobQueue], clock: ManualClock, log: EventLog, kind: Any
) -> None:
    """What was drawn is drawn again: a job that runs in a replay fails into the same instant."""
    queue = make_queue(clock, RetryPolicy(5, 1000, 60_000), jitter=KINDS[kind](seed=4), log=log)
    queue.submit("mail")
    queue.fail("J1", polled(queue).token)
    clock.advance_to(60_000)
    token = polled(queue).token
    copy = log.replay()
    copy.fail("J1", token)
    queue.fail("J1", token)
    assert copy.view("J1") == queue.view("J1")


@pytest.mark.parametrize(
    ("seed", "error"), [("x", TypeError), (1.5, TypeError), (True, TypeError), (2**53, ValueError)]
)
def test_a_seed_is_a_number(seed: Any, error: Any) -> None:
    """Anything else is refused before any job depends on it."""
    with pytest.raises(error, match="seed"):
        Jitter.full(seed)
