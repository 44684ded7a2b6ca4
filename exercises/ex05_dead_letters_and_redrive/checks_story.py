"""What an answer to ex05 must promise at last, in any story. Goes on from checks_many.py."""

import random
from collections.abc import Sequence

from exercises.grader import Case, check
from exercises.staging.dead_rules import Rules
from exercises.staging.dead_stage import DeadStage
from exercises.staging.drawn_stories import tell_drawn
from exercises.staging.queue_driver import Hold

STEPS = 50
ACTS = {"submit": 3, "poll": 8, "complete": 1, "fail": 4, "fail for good": 3, "retry": 2, "many": 2, "look": 4}
RECENT = 3


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
        "deadline_of_zero",
        "no_sign_of_death",
        "place_stays",
        "all_attempts_again",
        "last_error_stays",
        "history_goes_on",
        "tokens_go_on",
        "only_the_dead",
        "nobody_else",
        "each_once",
        "refused_without_a_trace",
        "in_the_order_of_submission",
        "redriven_two_before_ten",
        "unknown_as_given",
        "no_gap",
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
                ids = [f"J{(number * factor) % (len(rules.jobs) + 3) + 1}" for factor in (1, 3, 5, 7)]
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
