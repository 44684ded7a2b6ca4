"""What befalls workers by the story, what a hand changes of it, and what a story may ask of its queue."""

from __future__ import annotations

import pytest

from jobqueue import Limits
from jobqueue.simulation import SCENARIOS, Habits, Mishap, MishapKind, Rules, Task, World
from jobqueue.simulation.scenario import Outage
from jobqueue.simulation.worker import WorkerState
from tests.simulation.worlds import REST, at, mails, state, told, world

A = Habits("A", work_millis=3000, lease_millis=10_000)
FREEZING = Habits("A", work_millis=3000, lease_millis=60_000, mishap=Mishap(MishapKind.FREEZE, 1000, 10_000))
CRASHING = Habits("A", work_millis=3000, lease_millis=60_000, mishap=Mishap(MishapKind.CRASH, 1000, 10_000))


def test_a_hand_that_thaws_calls_off_the_planned_waking() -> None:
    """Frozen at 1.0 s until 11.0 s by the story, thawed and frozen again by hand: 11.0 s wakes nobody."""
    w = world(FREEZING, tasks=mails(1))
    at(w, 2000, "thaw")
    at(w, 3000, "freeze")
    w.advance_to(60_000)
    assert state(w) == (WorkerState.FROZEN, "J1:1")
    assert told(w, *REST) == [(1000, "froze", "J1"), (2000, "thawed", "J1"), (3000, "froze", "J1")]


def test_a_hand_that_restarts_calls_off_the_planned_restart() -> None:
    """Crashed at 1.0 s until 11.0 s by the story, restarted and killed by hand: dead it stays."""
    w = world(CRASHING, tasks=mails(2))
    at(w, 2000, "restart")
    at(w, 3000, "crash")
    w.advance_to(55_000)
    assert state(w) == (WorkerState.CRASHED, None)
    assert told(w, *REST) == [(1000, "crashed", "J1"), (2000, "restarted", None), (3000, "crashed", "J2")]


def test_a_hand_that_kills_the_frozen_calls_off_its_waking() -> None:
    """Frozen by the story, killed and restarted by hand at 3.0 s, frozen at 4.0 s: 11.0 s is nothing to it."""
    w = world(FREEZING, tasks=mails(1))
    at(w, 2000, "crash")
    at(w, 3000, "restart")
    at(w, 4000, "freeze")
    w.advance_to(30_000)
    assert told(w, *REST)[-1] == (4000, "froze", None)
    assert state(w) == (WorkerState.FROZEN, None)


@pytest.mark.parametrize(("habits", "end"), [(FREEZING, "thawed"), (CRASHING, "restarted")])
def test_without_a_hand_the_story_ends_its_own_mishap(habits: Habits, end: str) -> None:
    """Ten seconds after 1.0 s."""
    w = world(habits, tasks=mails(1))
    w.advance_to(60_000)
    assert [(instant, kind) for instant, kind, _ in told(w, *REST)][1] == (11_000, end)


def test_a_payload_kills_whoever_takes_it_every_time() -> None:
    """Three attempts, three crashes, and after a redrive three more; a mail in between harms nobody."""
    w = World(SCENARIOS["crash_loop"])
    w.advance_to(12_000)
    assert len(told(w, "crashed")) == 3
    w.queue.cancel(w.submit("mail", "hello", delay_millis=60_000))
    w.submit("mail", "hello")
    w.advance_to(17_500)
    w.redrive("J1")
    w.advance_to(60_000)
    assert [kind for _, kind, job_id in told(w, "crashed", "completed") if job_id == "J3"] == ["completed"]
    assert len([job_id for _, _, job_id in told(w, "crashed") if job_id == "J1"]) == 6
    assert w.queue.view("J1").status == "DEAD"


def test_a_lost_report_costs_the_attempt_and_not_the_worker() -> None:
    """The work of J1 is done at 3.0 s, nobody hears of it, and A takes J2 at once."""
    w = world(Habits("A", work_millis=3000, mishap=Mishap(MishapKind.LOSE_REPORT)), tasks=mails(2))
    w.advance_to(10_000)
    assert told(w, "leased", "effect", "report_lost", "completed", "lease_expired") == [
        (0, "leased", "J1"),
        (3000, "effect", "J1"),
        (3000, "report_lost", "J1"),
        (3000, "leased", "J2"),
        (6000, "effect", "J2"),
        (6000, "completed", "J2"),
        (10_000, "lease_expired", "J1"),
    ]


def test_a_crash_before_the_report_comes_after_the_effect() -> None:
    """Effect and crash at 3.0 s, no report, and the restart when the story says so."""
    fate = Mishap(MishapKind.CRASH_BEFORE_REPORT, lasts_millis=4000)
    w = world(Habits("A", work_millis=3000, mishap=fate), tasks=mails(1))
    w.advance_to(9999)
    assert told(w, "effect", *REST, "completed", "failed") == [
        (3000, "effect", "J1"),
        (3000, "crashed", "J1"),
        (7000, "restarted", None),
    ]


@pytest.mark.parametrize("kind", [MishapKind.LOSE_REPORT, MishapKind.CRASH_BEFORE_REPORT])
def test_a_failure_is_reported_whatever_befalls_successes(kind: MishapKind) -> None:
    """There was no effect, so there is no moment between the effect and the report."""
    down = (Outage("mail", 0, 60_000, "no answer"),)
    w = world(Habits("A", work_millis=3000, mishap=Mishap(kind)), tasks=mails(1), outages=down)
    w.advance_to(3500)
    assert told(w, "effect", *REST, "report_lost", "failed") == [(3000, "failed", "J1")]


def test_effects_are_counted_by_job() -> None:
    """Each time the work is done the count goes up, and the note says which time it was."""
    w = world(Habits("A", work_millis=3000, mishap=Mishap(MishapKind.LOSE_REPORT, times=2)), tasks=mails(1))
    w.advance_to(60_000)
    assert w.effects == {"J1": 3}
    assert [entry.times for entry in w.chronicle.entries if entry.kind == "effect"] == [1, 2, 3]  # type: ignore[union-attr]


def test_the_type_of_a_job_can_say_how_long_it_takes() -> None:
    """A report takes 9 s whoever does it; a mail as long as the worker takes."""
    w = world(A, tasks=(Task(0, "report"), Task(0, "mail")), work_millis={"report": 9000})
    w.advance_to(12_000)
    assert told(w, "completed") == [(9000, "completed", "J1"), (12_000, "completed", "J2")]


def test_a_task_may_come_several_times() -> None:
    """Three mails, one each second from 500 on, each with its own deadline."""
    task = Task(500, "mail", times=3, every_millis=1000, tenant="bo", cost=7, deadline_millis=4000)
    w = world(tasks=(task,))
    w.advance_to(2500)
    assert told(w, "submitted") == [
        (500, "submitted", "J1"),
        (1500, "submitted", "J2"),
        (2500, "submitted", "J3"),
    ]
    assert [(job.tenant, job.cost, job.deadline) for job in w.jobs()] == [
        ("bo", 7, 4500),
        ("bo", 7, 5500),
        ("bo", 7, 6500),
    ]


def test_a_refused_submit_of_a_story_is_told_and_the_story_goes_on() -> None:
    """With room for two, the third mail is refused, and uses up no id."""
    w = world(A, tasks=(Task(0, "mail", times=3), Task(5000, "mail")), rules=Rules(limits=Limits(max_queued=2)))
    w.advance_to(5000)
    assert [kind for _, kind, _ in told(w, "refused")] == ["refused"]
    assert [job.id for job in w.jobs()] == ["J1", "J2", "J3"]


def test_polls_that_a_pause_leaves_empty_are_no_steps() -> None:
    """With all that is ready paused nothing more can be seen, however often an idle worker asks."""
    w = world(A, tasks=mails(1))
    w.pause_type("mail")
    assert w.step()
    assert not w.step()
    assert (w.now(), w.next_at()) == (0, None)
    w.resume_type("mail")
    assert w.next_at() == 1000


def test_polls_that_a_limit_leaves_empty_are_no_steps() -> None:
    """While one report runs, B asks each second and gets nothing: the next instant is the end of the report."""
    limits = Limits(max_running_per_tenant=1)
    w = world(A, Habits("B"), tasks=mails(2), rules=Rules(limits=limits))
    w.advance_to(500)
    assert w.next_at() == 3000


def test_a_paused_type_is_not_handed_out_and_a_resumed_one_is() -> None:
    """Paused from the start to 5.0 s: A gets the report first, and the mail at its first poll after that."""
    w = world(A, tasks=(Task(100, "mail"), Task(100, "report")))
    w.pause_type("mail")
    w.advance_to(4500)
    assert told(w, "leased") == [(1000, "leased", "J2")]
    w.advance_to(5000)
    w.resume_type("mail")
    w.advance_to(6000)
    assert told(w, "leased", "resumed")[1:] == [(5000, "resumed", None), (6000, "leased", "J1")]
