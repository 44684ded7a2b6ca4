"""That a log alone rebuilds a queue with all options on, and what it will do next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from jobqueue import (
    DeficitRoundRobin,
    DispatchLimit,
    EventLog,
    Jitter,
    JobQueue,
    Limits,
    ManualClock,
    RetryBudget,
    RetryPolicy,
    WeightedBands,
)
from tests.contract.observing import everything, outcome
from tests.sampling import one_in

if TYPE_CHECKING:
    from collections.abc import Callable

OPTIONS: dict[str, dict[str, Any]] = {
    "bands": {"scheduler": WeightedBands()},
    "cost": {"scheduler": WeightedBands(tenants=DeficitRoundRobin(quantum=7))},
    "aging": {"scheduler": WeightedBands("HHNL", aging_millis=700)},
    "limits": {"limits": Limits(max_queued=25, max_running_per_tenant=3, max_running_per_band={"H": 4})},
    "budget": {"retry_budget": RetryBudget(20, 1)},
    "dispatch": {"dispatch_limit": DispatchLimit(6)},
    "jitter": {"jitter": Jitter.decorrelated(seed=3)},
    "max run": {"max_run_millis": 1500},
    "retention": {"keep_finished": 2, "key_life_millis": 900},
}
OPTIONS["everything"] = {name: value for options in OPTIONS.values() for name, value in options.items()}


def live(queue: JobQueue, clock: ManualClock) -> None:
    """Lead thirty jobs through all operations, with delays, so that time alone moves jobs between the calls."""
    for number in range(30):
        clock.advance_to(number * 130)
        told = {"priority": number % 3 - 1, "tenant": "abc"[number % 3], "cost": number % 9 + 1}
        told |= {"run_at_millis": number * 130 + number % 4 * 200}
        told |= {"deadline_millis": number * 130 + 2000} if number % 5 == 0 else {}
        outcome(queue.submit_once, f"key {number}", "fax" if number % 4 else "mail", **told)
        leases = outcome(queue.poll_many, "w", 1000, 2, types=["fax"] if number % 3 else None)
        for lease in leases[: number % 3]:
            ends = [
                lambda lease: queue.complete(lease.job_id, lease.token, "done"),
                lambda lease: queue.fail(lease.job_id, lease.token, "x", permanent=lease.generation > 1),
                lambda lease: queue.release(lease.job_id, lease.token),
                lambda lease: queue.renew(lease.job_id, lease.token, 2000, "half"),
            ]
            ends[number % 4](lease)  # type: ignore[no-untyped-call]
        if number % 7 == 6:
            queue.redrive_many(
                [view.id for view in queue.dead_letters()], actor="ann", note="", spread_millis=50
            )
            (queue.pause if number % 2 else queue.resume)("mail")


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
@pytest.mark.parametrize("tail", one_in(2, [0, 1, 800, 100_000]))
def test_a_log_rebuilds_what_is_and_what_comes_next(
    make_queue: Callable[..., JobQueue], clock: ManualClock, log: EventLog, options: Any, tail: Any
) -> None:
    """Views, histories, figures and audits are equal, and so is whatever the next polls hand out."""
    queue = make_queue(clock, RetryPolicy(4, 200, 1000), log=log, **options)
    live(queue, clock)
    now = clock.now() + tail
    copy = log.replay(now)
    clock.advance_to(now)
    assert everything(copy, submitted=30) == everything(queue, submitted=30)
    assert (copy.stats(), copy.paused(), copy.next_up(30)) == (queue.stats(), queue.paused(), queue.next_up(30))
    for other in (copy, queue):
        other.resume("mail")
    for number in range(15):
        leases = [other.poll_many("w", 1000, 2) for other in (copy, queue)]
        assert leases[0] == leases[1]
        for lease in leases[0][: number % 2 + 1]:
            assert outcome(copy.fail, lease.job_id, lease.token) == outcome(
                queue.fail, lease.job_id, lease.token
            )
    assert everything(copy, submitted=30) == everything(queue, submitted=30)


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS.keys())
@pytest.mark.long_over_stores
def test_a_log_shows_the_queue_as_it_was(
    make_queue: Callable[..., JobQueue], clock: ManualClock, log: EventLog, options: Any
) -> None:
    """Replayed at an earlier instant, it is the queue of that instant."""
    queue = make_queue(clock, RetryPolicy(4, 200, 1000), log=log, **options)
    twin_clock = type(clock)()
    twin = make_queue(twin_clock, RetryPolicy(4, 200, 1000), **options)
    live(twin, twin_clock)
    live(queue, clock)
    past = twin_clock.now()
    for _ in range(3):
        clock.advance(500)
        for lease in queue.poll_many("w", 1000, 3):
            queue.complete(lease.job_id, lease.token)
    copy = log.replay(past)
    assert everything(copy, submitted=30) == everything(twin, submitted=30)
    assert copy.next_up(30) == twin.next_up(30)
