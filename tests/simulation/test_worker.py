"""Workers that crash, freeze and come back, in every odd order."""

from __future__ import annotations

import pytest

from jobqueue import RetryPolicy
from jobqueue.simulation import Habits, Mishap, Task
from jobqueue.simulation.scenario import MishapKind, Outage
from jobqueue.simulation.worker import WorkerState
from tests.simulation.worlds import REST, at, mails, state, told, world

A = Habits("A", work_millis=3000, lease_millis=10_000)
THREE_SLOW = RetryPolicy(3, 60_000, 60_000)


def test_freezing_twice_is_freezing_once() -> None:
    """The second freeze changes nothing: the work goes on after the one second that A stood still."""
    w = world(A, tasks=mails(1))
    at(w, 1000, "freeze")
    at(w, 1500, "freeze")
    at(w, 2000, "thaw")
    w.advance_to(9000)
    assert told(w, *REST, "completed") == [
        (1000, "froze", "J1"),
        (2000, "thawed", "J1"),
        (4000, "completed", "J1"),
    ]


def test_waking_twice_is_waking_once() -> None:
    """A second thaw neither plans the work again nor says so."""
    w = world(A, tasks=mails(1))
    at(w, 1000, "freeze")
    at(w, 2000, "thaw")
    at(w, 2500, "thaw")
    w.advance_to(20_000)
    assert told(w, *REST, "completed") == [
        (1000, "froze", "J1"),
        (2000, "thawed", "J1"),
        (4000, "completed", "J1"),
    ]


@pytest.mark.parametrize("verb", ["thaw", "restart"])
def test_waking_who_is_awake_changes_nothing(verb: str) -> None:
    """Thawing or restarting a worker that works leaves it at its work."""
    w = world(A, tasks=mails(1))
    at(w, 1000, verb)
    assert state(w) == (WorkerState.WORKING, "J1:1")
    w.advance_to(9000)
    assert told(w, *REST, "completed") == [(3000, "completed", "J1")]


def test_a_worker_killed_in_its_freeze_does_not_wake() -> None:
    """A crash ends a freeze for good: the thaw finds a dead worker, and nothing of its work goes on."""
    w = world(A, tasks=mails(1))
    at(w, 1000, "freeze")
    at(w, 2000, "crash")
    at(w, 3000, "thaw")
    assert state(w) == (WorkerState.CRASHED, None)
    w.advance_to(60_000)
    assert told(w, *REST, "completed", "leased") == [
        (0, "leased", "J1"),
        (1000, "froze", "J1"),
        (2000, "crashed", "J1"),
    ]


@pytest.mark.parametrize("verb", ["freeze", "thaw", "crash"])
def test_a_dead_worker_takes_no_notice(verb: str) -> None:
    """Only a restart does anything to a crashed worker."""
    w = world(A, tasks=mails(1))
    at(w, 1000, "crash")
    at(w, 1500, verb)
    assert state(w) == (WorkerState.CRASHED, None)
    assert told(w, *REST) == [(1000, "crashed", "J1")]


def test_an_idle_worker_that_freezes_asks_for_nothing() -> None:
    """Its next poll comes as long after the thaw as it was away at the freeze."""
    w = world(A, tasks=(Task(2000, "mail"),))
    at(w, 1400, "freeze")  # the next poll would be at 2000, in 600 ms
    at(w, 5000, "thaw")
    w.advance_to(9000)
    assert told(w, *REST, "leased") == [(1400, "froze", None), (5000, "thawed", None), (5600, "leased", "J1")]


def test_a_restart_between_poll_and_report_begins_with_empty_hands() -> None:
    """Nothing of the old job is reported; its lease runs on, and the worker takes the next job."""
    w = world(A, tasks=mails(2))
    at(w, 1000, "crash")
    at(w, 1200, "restart")
    w.advance_to(9999)
    assert told(w, "leased", "completed", "failed", "refused", "effect") == [
        (0, "leased", "J1"),
        (1200, "leased", "J2"),
        (4200, "effect", "J2"),
        (4200, "completed", "J2"),
    ]
    assert w.queue.view("J1").lease_until == 10_000


def test_a_restart_forgets_the_refusal() -> None:
    """What an earlier life was refused is not held against the new one."""
    w = world(Habits("A", work_millis=3000, lease_millis=1000), tasks=mails(1), policy=THREE_SLOW)
    at(w, 3000, "crash")
    assert "J1:1 is stale" in str(w.workers["A"].refusal)
    at(w, 3100, "restart")
    assert w.workers["A"].refusal is None


def test_a_frozen_worker_wakes_as_a_zombie_and_is_refused() -> None:
    """Its lease ran out meanwhile; it believes to hold the job until its report is refused."""
    w = world(Habits("A", work_millis=3000, lease_millis=2000), tasks=mails(1), policy=THREE_SLOW)
    at(w, 1000, "freeze")
    w.advance_to(5000)
    assert w.workers["A"].is_zombie
    at(w, 5000, "thaw")
    w.advance_to(7000)
    assert not w.workers["A"].is_zombie
    assert told(w, "thawed", "refused") == [(5000, "thawed", "J1"), (7000, "refused", "J1")]
    assert "J1:1 is stale" in str(w.workers["A"].refusal)


def test_renewing_keeps_a_long_job_and_a_refused_renewal_ends_it() -> None:
    """With renewals a job outlasts its lease; a worker that is refused one drops the job without a report."""
    renewing = Habits("A", work_millis=5000, lease_millis=1000, renew_millis=400)
    kept = world(renewing, tasks=mails(1))
    kept.advance_to(5000)
    assert told(kept, "completed", "lease_expired", "refused") == [(5000, "completed", "J1")]
    lost = world(renewing, tasks=mails(1), policy=THREE_SLOW)
    at(lost, 500, "freeze")
    at(lost, 3000, "thaw")
    lost.advance_to(9000)
    assert told(lost, "refused", "effect", "completed") == [(3300, "refused", "J1")]


def test_work_fails_while_what_it_needs_is_down() -> None:
    """An outage counts at the instant of the report: from its begin on, and no more at its end."""
    down = (Outage("mail", 3000, 7000, "no answer"),)
    w = world(A, tasks=mails(1), outages=down)
    w.advance_to(8000)
    assert told(w, "failed", "completed") == [(3000, "failed", "J1"), (7000, "completed", "J1")]


def test_a_mishap_befalls_the_job_that_it_was_meant_for() -> None:
    """Planned for the middle of the first job, it leaves the second alone when the first is already lost."""
    habits = Habits("A", work_millis=3000, lease_millis=10_000, mishap=Mishap(MishapKind.FREEZE, 1000, 500))
    w = world(habits, tasks=mails(2))
    at(w, 200, "crash")
    at(w, 300, "restart")
    w.advance_to(4000)
    assert told(w, *REST, "completed") == [
        (200, "crashed", "J1"),
        (300, "restarted", None),
        (3300, "completed", "J2"),
    ]


def test_nobody_can_poke_a_worker_that_is_not_there() -> None:
    """The refusal names the workers that there are, and shows a strange name harmlessly."""
    w = world(A)
    with pytest.raises(LookupError, match=r"no worker is called '\\u202eB'; there are A"):
        w.crash("\N{RIGHT-TO-LEFT OVERRIDE}B")
