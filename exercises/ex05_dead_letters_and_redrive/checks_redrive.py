"""What an answer to ex05 must promise in tasks 3 and 4, and at last in any story. Goes on from checks.py."""

import random
from collections.abc import Sequence

from exercises.dead_stage import DeadStage, Rules
from exercises.drawn import tell_drawn
from exercises.grader import Case, check
from exercises.queue_stage import Hold

STEPS = 50
ACTS = {"submit": 3, "poll": 8, "complete": 1, "fail": 4, "fail for good": 3, "retry": 2, "many": 2, "look": 4}
RECENT = 3


def exhausted(case: Case) -> tuple[DeadStage, Hold]:
    """Begin as most stories do: two attempts are allowed, and J1 is dead since 5.0 s. Returns its last hold."""
    stage = DeadStage(case, 2)
    stage.submits(gives="J1")
    stage.fails(stage.polls("A", 10_000, gives="J1"), "disk full")
    stage.at(5_000)
    last = stage.polls("B", 10_000, gives="J1")
    stage.fails(last, "no network")
    return stage, last


@check(
    task=3,
    points=1,
    promise="A dead job that was brought back is ready at once, and dead no more.",
    needs=("buried",),
)
def brought_back(case: Case) -> None:
    """Dead since 5.0 s, brought back at 20.0 s."""
    stage, _ = exhausted(case)
    stage.at(20_000)
    stage.retries("J1")
    stage.shows("J1", status="PENDING", run_at=20_000)
    stage.polls("C", 10_000, gives="J1")


@check(task=3, points=1, promise="A job that was brought back shows no death.", needs=(brought_back,))
def no_sign_of_death(case: Case) -> None:
    """failed_at and dead_reason are there only while it is dead."""
    stage, _ = exhausted(case)
    stage.retries("J1")
    stage.shows("J1", failed_at=None, dead_reason=None)
    stage.dead_are()


@check(
    task=3,
    points=2,
    promise="A job that was brought back has all its attempts again.",
    needs=(brought_back,),
)
def all_attempts_again(case: Case) -> None:
    """Two attempts are allowed: the first failure after the return is not the last."""
    stage, _ = exhausted(case)
    stage.at(20_000)
    stage.retries("J1")
    stage.shows("J1", attempts=0)
    c = stage.polls("C", 10_000, gives="J1")
    stage.lease_has(c, attempt=1)
    stage.fails(c, "disk full")
    stage.shows("J1", status="PENDING", attempts=1, run_at=23_000)


@check(task=3, points=1, promise="What went wrong stays to be seen after the return.", needs=(brought_back,))
def last_error_stays(case: Case) -> None:
    """Only the next failure changes the last error."""
    stage, _ = exhausted(case)
    stage.retries("J1")
    stage.shows("J1", last_error="no network")


@check(
    task=3,
    points=1,
    promise="The history of a job goes on after its return.",
    needs=(brought_back, "history_is_kept"),
)
def history_goes_on(case: Case) -> None:
    """Two attempts before, one after: three."""
    stage, _ = exhausted(case)
    old = ((1, 1, "failed", "disk full"), (2, 2, "failed", "no network"))
    stage.retries("J1")
    stage.tells("J1", *old)
    stage.polls("C", 10_000, gives="J1")
    stage.tells("J1", *old, (1, 3, None, None))


@check(
    task=3,
    points=2,
    promise="After a return no token comes back: the generation goes on.",
    needs=(brought_back,),
)
def tokens_go_on(case: Case) -> None:
    """One attempt is allowed. A failed J1, it is brought back, and B has it. A's token must open nothing."""
    stage = DeadStage(case, 1)
    stage.submits(gives="J1")
    a = stage.polls("A", 10_000, gives="J1")
    stage.fails(a, "disk full")
    stage.retries("J1")
    b = stage.polls("B", 10_000, gives="J1")
    stage.tokens_differ(a, b)
    stage.refuses_complete("J1", a.token, by="A", stays="RUNNING")


@check(task=3, points=2, promise="Only a dead job can be brought back.", needs=(brought_back,))
def only_the_dead(case: Case) -> None:
    """J1 waits for its retry, J2 runs, J3 is done."""
    stage = DeadStage(case, 2)
    for name in ("J1", "J2", "J3"):
        stage.submits(gives=name)
    a, _, c = (stage.polls("A", 10_000, gives=name) for name in ("J1", "J2", "J3"))
    stage.fails(a, "disk full")
    stage.completes(c)
    stage.refuses_return("retry_dead", "J1", stays="PENDING", attempts=1)
    stage.shows("J1", status="PENDING", attempts=1, run_at=3_000)
    stage.refuses_return("retry_dead", "J2", stays="RUNNING", attempts=1)
    stage.refuses_return("retry_dead", "J3", stays="SUCCEEDED", attempts=1)


@check(task=4, points=1, promise="A redrive brings a job back and keeps its note.", needs=(brought_back,))
def note_is_kept(case: Case) -> None:
    """It dies twice and is redriven twice; a note that was refused is not kept."""
    stage = DeadStage(case, 1)
    stage.submits(gives="J1")
    stage.notes_are("J1")
    for note in ("the bank is back", "once more"):
        stage.fails(stage.polls("A", 10_000, gives="J1"), "disk full")
        stage.redrives("J1", note)
        stage.shows("J1", status="PENDING", attempts=0, run_at=0)
    stage.refuses_return("redrive", "J1", "why not", stays="PENDING", attempts=0)
    stage.notes_are("J1", "the bank is back", "once more")


def graveyard(case: Case, number: int) -> DeadStage:
    """So many jobs, all dead at t=0."""
    stage = DeadStage(case, 1)
    for one in range(1, number + 1):
        stage.submits(gives=f"J{one}")
    for one in range(1, number + 1):
        stage.buries(f"J{one}")
    return stage


@check(task=4, points=1, promise="All that were given are redriven, each with the note.", needs=(note_is_kept,))
def many(case: Case) -> None:
    """Two dead jobs."""
    stage = graveyard(case, 2)
    stage.redrives_many(["J1", "J2"], 0, [("J1", "done"), ("J2", "done")])
    stage.dead_are()
    for name in ("J1", "J2"):
        stage.shows(name, status="PENDING", attempts=0, run_at=0)
        stage.notes_are(name, "mended")


@check(task=4, points=1, promise="Only the jobs that were given are redriven.", needs=(many,))
def nobody_else(case: Case) -> None:
    """Three are dead; the list was of two when a person looked at it."""
    stage = graveyard(case, 3)
    stage.redrives_many(["J1", "J2"], 0, [("J1", "done"), ("J2", "done")])
    stage.shows("J3", status="DEAD")


@check(task=4, points=1, promise="A job is redriven once, however often it is in the list.", needs=(many,))
def each_once(case: Case) -> None:
    """Somebody clicked twice. One row for each job, one note."""
    stage = graveyard(case, 2)
    stage.redrives_many(["J1", "J1", "J2", "J1"], 0, [("J1", "done"), ("J2", "done")])
    stage.notes_are("J1", "mended")


@check(
    task=4,
    points=1,
    promise="One job that cannot be redriven does not stop the others.",
    needs=(many,),
)
def none_stops_the_others(case: Case) -> None:
    """J2 runs, and J404 does not exist; J3 comes after both."""
    stage = DeadStage(case, 2)
    for name in ("J1", "J2", "J3"):
        stage.submits(gives=name)
    stage.buries("J1")
    stage.polls("B", 10_000, gives="J2")
    stage.buries("J3")
    rows = [("J1", "done"), ("J2", "wrong_state"), ("J3", "done"), ("J404", "unknown")]
    stage.redrives_many(["J1", "J404", "J2", "J3"], 0, rows)
    stage.shows("J3", status="PENDING")
    stage.shows("J2", status="RUNNING")
    stage.notes_are("J2")


@check(
    task=4,
    points=1,
    promise="Jobs are redriven in the order of submission, not in that of the list.",
    needs=(many,),
)
def in_the_order_of_submission(case: Case) -> None:
    """Ten are dead, and the list is a mess."""
    stage = graveyard(case, 10)
    stage.redrives_many(["J10", "J2", "J1"], 0, [("J1", "done"), ("J2", "done"), ("J10", "done")])


@check(
    task=4,
    points=1,
    promise="Redriven jobs are spread: each one that is done comes later than the one before.",
    needs=(many,),
)
def spread_out(case: Case) -> None:
    """Three dead jobs at 7.0 s, two seconds apart."""
    stage = graveyard(case, 3)
    stage.at(7_000)
    names = ["J1", "J2", "J3"]
    stage.redrives_many(names, 2_000, [(name, "done") for name in names])
    for name, run_at in zip(names, (7_000, 9_000, 11_000), strict=True):
        stage.shows(name, run_at=run_at)


@check(
    task=4,
    points=1,
    promise="A job that is not redriven takes no time of the spread.",
    needs=(spread_out, none_stops_the_others),
)
def no_gap(case: Case) -> None:
    """J2 is alive already, so J3 comes right after J1."""
    stage = graveyard(case, 3)
    stage.retries("J2")
    rows = [("J1", "done"), ("J2", "wrong_state"), ("J3", "done")]
    stage.redrives_many(["J1", "J2", "J3"], 2_000, rows)
    stage.shows("J3", run_at=2_000)
    stage.shows("J2", run_at=0)


@check(
    task=4,
    points=2,
    promise="In any story whatever, each answer and each view is what the rules say.",
    needs=(
        "handed_out",
        "deadline_at_the_instant",
        "permanent_comes_first",
        "attempts_come_before_the_deadline",
        "two_before_ten",
        "not_by_death",
        "fails_for_the_holder",
        no_sign_of_death,
        all_attempts_again,
        last_error_stays,
        history_goes_on,
        tokens_go_on,
        only_the_dead,
        nobody_else,
        each_once,
        in_the_order_of_submission,
        no_gap,
    ),
)
def any_story(case: Case) -> None:
    """Calls drawn at random, compared with the rules of the task."""
    tell_drawn(case, (1, 2), _draw, _tell)


Step = tuple[int, str, int]


def _draw(chance: random.Random) -> list[Step]:
    """Steps: the instant, what is done, and a number that chooses for what."""
    now, story = 0, []
    for act in chance.choices([*ACTS], [*ACTS.values()], k=STEPS):
        now += chance.choice((0, 0, 1, 1_000, 2_000))
        story.append((now, act, chance.randrange(1_000)))
    return story


def _tell(case: Case, story: Sequence[Step]) -> None:
    stage, rules = DeadStage(case, 2, 2_000), Rules(2, 2_000)
    holds: list[Hold] = []
    for now, act, number in story:
        if now > stage.now:
            stage.at(now)
        chosen = f"J{number % max(len(rules.jobs), 1) + 1}"
        match act:
            case "submit":
                deadline = now + 2_000 + number % 3 if number % 2 else None
                stage.submits_until(deadline, gives=rules.submit(now, deadline))
            case "poll":
                job_id = rules.poll(now)
                hold = stage.polls("ABC"[number % 3], 10_000, gives=job_id)
                holds += [hold] if job_id else []
            case "complete" | "fail" | "fail for good" if holds:
                _report(stage, rules, holds[-1 - number % min(len(holds), RECENT)], act)
            case "retry" if rules.jobs:
                _retry(stage, rules, chosen)
            case "many" if rules.jobs:
                ids = [f"J{(number * factor) % (len(rules.jobs) + 1) + 1}" for factor in (1, 3, 5)]
                stage.redrives_many(ids, number % 3 * 1_000, rules.revive_many(now, ids, number % 3 * 1_000))
            case "look" if rules.jobs:
                stage.shows(chosen, **rules.seen(chosen))
                stage.tells(chosen, *rules.jobs[chosen].history)
                stage.dead_are(*(name for name, job in rules.jobs.items() if job.status == "DEAD"))


def _report(stage: DeadStage, rules: Rules, hold: Hold, act: str) -> None:
    """Let somebody who holds a job, or once held it, complete or fail it."""
    told = {"by": hold.worker_id, "stays": rules.jobs[hold.job_id].status}
    match act, rules.holds(hold.job_id, hold.token):
        case "complete", True:
            rules.complete(hold.job_id)
            stage.completes(hold)
        case "complete", False:
            stage.refuses_complete(hold.job_id, hold.token, **told)
        case _, False:
            stage.refuses_fail(hold.job_id, hold.token, **told)
        case _:
            error = f"error of {hold.token}"
            rules.fail(stage.now, hold.job_id, error, permanent=act == "fail for good")
            (stage.fails if act == "fail" else stage.fails_for_good)(hold, error)


def _retry(stage: DeadStage, rules: Rules, job_id: str) -> None:
    job = rules.jobs[job_id]
    status, attempts = job.status, job.attempts
    if rules.revive(job_id, stage.now):
        stage.retries(job_id)
    else:
        stage.refuses_return("retry_dead", job_id, stays=status, attempts=attempts)
