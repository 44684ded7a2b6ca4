"""What an answer to ex02 must promise in tasks 3 and 4, and at last in any story. Goes on from checks.py."""

import random
from collections.abc import Sequence

from exercises.grader import Case, check
from exercises.staging.drawn_stories import tell_drawn
from exercises.staging.lease_stage import LeaseStage, Rules, leased
from exercises.staging.queue_driver import Hold

STEPS = 60
PAUSES = (0, 0, 1, 999, 1_000, 1_000, 2_000, 4_000)
LEASES = (1_000, 2_000, 3_000)


@check(
    task=3,
    points=1,
    promise="A job whose last attempt ended is dead, and handed out no more.",
    needs=("dated_at_the_end",),
)
def last_attempt(case: Case) -> None:
    """Two attempts are allowed, and both workers vanish."""
    stage, _ = leased(case)
    stage.at(13_000)
    stage.polls("B", 10_000, gives="J1")
    stage.at(90_000)
    stage.polls("C", 10_000, gives=None)
    stage.shows("J1", status="DEAD", attempts=2, last_error="lease expired")


@check(
    task=3,
    points=1,
    promise="There comes a time at which nobody gets the job any more.",
    needs=("dated_at_the_end",),
)
def comes_to_an_end(case: Case) -> None:
    """Two attempts are allowed. However they are counted, ten are too many."""
    stage, _ = leased(case)
    for turn in range(1, 10):
        stage.at(turn * 13_000)
        stage.tries("B", 10_000)
    stage.at(130_000)
    stage.polls("C", 10_000, gives=None)


@check(
    task=3,
    points=1,
    promise="Before its last attempt a job has not failed, and has all its attempts.",
    needs=("dated_at_the_end",),
)
def not_dead_yet(case: Case) -> None:
    """Three attempts are allowed; after two it is tried a third time."""
    stage = LeaseStage(case, 3, 3_000)
    stage.submits(gives="J1")
    for attempt, now in ((1, 0), (2, 13_000), (3, 26_000)):
        stage.at(now)
        hold = stage.polls("A", 10_000, gives="J1")
        stage.lease_has(hold, attempt=attempt)
        stage.shows("J1", status="RUNNING", failed_at=None)


@check(
    task=3,
    points=2,
    promise="A dead job died when its last lease ended, not when somebody noticed.",
    needs=(last_attempt, "seen_after_the_end"),
)
def died_at_the_end(case: Case) -> None:
    """One attempt is allowed. The lease ended at 10.0 s; the first look is a minute later."""
    stage = LeaseStage(case, 1, 3_000)
    stage.submits(gives="J1")
    a = stage.polls("A", 10_000, gives="J1")
    stage.at(60_000)
    stage.shows("J1", status="DEAD", attempts=1, failed_at=10_000, last_error="lease expired", run_at=0)
    stage.refuses_complete("J1", a.token, by="A", stays="DEAD")
    stage.sweeps(0)


@check(
    task=4,
    points=1,
    promise="A lease that was renewed goes on, and ends at its new end.",
    needs=("over_at_the_instant",),
)
def renewed(case: Case) -> None:
    """A is slow but alive: at 8.0 s it asks for ten seconds more."""
    stage, a = leased(case)
    stage.at(8_000)
    stage.renews(a, 10_000, gives=18_000)
    stage.at(17_999)
    stage.polls("B", 10_000, gives=None)
    stage.shows("J1", status="RUNNING", attempts=1, last_error=None)
    stage.at(18_000)
    stage.polls("B", 10_000, gives=None)
    stage.shows("J1", status="PENDING", attempts=1, run_at=21_000)


@check(
    task=4,
    points=2,
    promise="A renewed lease ends at now + its length: ends are not added up.",
    needs=("over_at_the_instant",),
)
def not_added_up(case: Case) -> None:
    """Whoever renews early and often would hold the job for ever."""
    stage, a = leased(case)
    for now in (1_000, 2_000, 3_000):
        stage.at(now)
        stage.renews(a, 10_000, gives=now + 10_000)


@check(
    task=4,
    points=1,
    promise="To renew never makes a lease shorter.",
    needs=("over_at_the_instant",),
)
def never_shorter(case: Case) -> None:
    """A has the job until 10.0 s and asks, at 1.0 s, for two seconds."""
    stage, a = leased(case)
    stage.at(1_000)
    stage.asks_to_renew(a, 2_000)
    stage.at(9_999)
    stage.completes(a)


@check(
    task=4,
    points=1,
    promise="To renew tells the end that the lease has, whatever was asked for.",
    needs=("over_at_the_instant",),
)
def tells_the_end(case: Case) -> None:
    """A asks for more than it has, and then for less."""
    stage, a = leased(case)
    stage.at(1_000)
    stage.renews(a, 12_000, gives=13_000)
    stage.renews(a, 2_000, gives=13_000)


@check(
    task=4,
    points=1,
    promise="In the last millisecond of the lease it can still be renewed.",
    needs=("over_at_the_instant",),
)
def renewed_in_time(case: Case) -> None:
    """Leased until 10.0 s, renewed at 9.999 s, and used until the new end."""
    stage, a = leased(case)
    stage.at(9_999)
    stage.renews(a, 1_000, gives=10_999)
    stage.at(10_998)
    stage.completes(a)


@check(
    task=4,
    points=2,
    promise="A lease that is over cannot be renewed: what is over stays over.",
    needs=("over_at_the_instant",),
)
def too_late_to_renew(case: Case) -> None:
    """At 10.0 s A is too late by nothing, and nobody has looked since."""
    stage, a = leased(case)
    stage.at(10_000)
    stage.refuses_renew("J1", a.token, by="A", stays="PENDING")
    stage.shows("J1", status="PENDING", attempts=1)


@check(
    task=4,
    points=1,
    promise="Where nobody holds the job there is nothing to renew.",
    needs=("over_at_the_instant",),
)
def nothing_to_renew(case: Case) -> None:
    """Everybody can see that the lease is over. A shows its token all the same."""
    stage, a = leased(case)
    stage.at(12_000)
    stage.polls("B", 10_000, gives=None)
    stage.refuses_renew("J1", a.token, by="A", stays="PENDING")
    stage.shows("J1", status="PENDING", attempts=1)


@check(
    task=4,
    points=1,
    promise="Only the holder renews: old tokens, and those of other jobs, are refused.",
    needs=("over_at_the_instant", "dated_at_the_end"),
)
def renewed_by_nobody_else(case: Case) -> None:
    """A has lost J1 to B; C holds J2."""
    stage, a = leased(case)
    stage.at(13_000)
    b = stage.polls("B", 10_000, gives="J1")
    stage.submits(gives="J2")
    c = stage.polls("C", 10_000, gives="J2")
    stage.refuses_renew("J1", a.token, by="A", stays="RUNNING")
    stage.refuses_renew("J1", c.token, by="C", stays="RUNNING")
    stage.at(22_999)
    stage.completes(b)
    stage.refuses_renew("J1", b.token, by="B", stays="SUCCEEDED")


@check(
    task=4,
    points=2,
    promise="In any story whatever, each answer and each view is what the rules say.",
    needs=(
        "handed_out",
        "counted_at_once",
        "leased_once",
        "in_order",
        "ids_go_on",
        "two_that_ended",
        "reason_stays",
        "too_late_to_complete",
        "waiting_is_not_held",
        "current_lease_only",
        "completed_once",
        "sweeps",
        comes_to_an_end,
        not_dead_yet,
        died_at_the_end,
        renewed,
        not_added_up,
        never_shorter,
        tells_the_end,
        renewed_in_time,
        too_late_to_renew,
        nothing_to_renew,
        renewed_by_nobody_else,
    ),
)
def any_story(case: Case) -> None:
    """Calls drawn at random, at and around the ends of leases, compared with the rules of the task."""
    tell_drawn(case, (1, 2, 3), _draw, _tell)


def _draw(chance: random.Random) -> list[tuple[int, str, int, int]]:
    """Steps: the instant, what is done, to which job or by which hold, and for how long."""
    now, story = 0, []
    acts = chance.choices(("submit", "poll", "complete", "renew", "view", "sweep"), (2, 6, 1, 3, 4, 1), k=STEPS)
    for act in acts:
        now += chance.choice(PAUSES)
        story.append((now, act, chance.randrange(12), chance.choice(LEASES)))
    return story


def _tell(case: Case, story: Sequence[tuple[int, str, int, int]]) -> None:
    stage, rules = LeaseStage(case, 2, 2_000), Rules(2, 2_000)
    holds: list[Hold] = []
    for now, act, number, millis in story:
        if now > stage.now:
            stage.at(now)
        jobs = rules.jobs
        match act:
            case "submit":
                stage.submits(gives=rules.submit(now))
            case "sweep":
                stage.sweeps(rules.sweep(now))
            case "poll":
                job_id = rules.poll(now, millis)
                hold = stage.polls("ABC"[number % 3], millis, gives=job_id)
                if job_id:
                    stage.lease_has(hold, attempt=jobs[job_id].attempts, lease_until=now + millis)
                    holds.append(hold)
            case "view" if jobs:
                rules.sweep(now)
                job_id = f"J{number % len(jobs) + 1}"
                stage.shows(job_id, **rules.seen(job_id))
            case "complete" | "renew" if holds:
                _report(stage, rules, holds[-1 - number % min(len(holds), 4)], act, millis)


def _report(stage: LeaseStage, rules: Rules, hold: Hold, act: str, millis: int) -> None:
    """Let somebody who holds a job, or once held it, complete or renew."""
    job, now = rules.jobs[hold.job_id], stage.now
    rules.sweep(now)
    told = {"by": hold.worker_id, "stays": job.status}
    match act, rules.holds(hold.job_id, hold.token):
        case "complete", True:
            job.status = "SUCCEEDED"
            stage.completes(hold)
        case "complete", False:
            stage.refuses_complete(hold.job_id, hold.token, **told)
        case _, True:
            job.lease_until = max(job.lease_until, now + millis)
            stage.renews(hold, millis, gives=job.lease_until)
        case _, False:
            stage.refuses_renew(hold.job_id, hold.token, **told)
