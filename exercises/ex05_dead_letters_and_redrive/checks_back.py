"""What an answer to ex05 must promise in task 3. Goes on from checks.py."""

from exercises.grader import Case, check
from exercises.grader.judging.case import Broken
from exercises.staging.dead_stage import DeadStage, exhausted, graveyard


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
    try:
        stage.shows("J1", status="PENDING", run_at=20_000)
    except Broken as broken:
        tells = {"run_at 3000": "the old run_at", "run_at 23000": "rests"}
        broken.how = tells.get(broken.got, broken.how)
        raise
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


@check(
    task=3,
    points=1,
    promise="A job that was brought back keeps its place in the order of submission.",
    needs=(brought_back, "not_by_death"),
)
def place_stays(case: Case) -> None:
    """J1 comes back, dies once more, and comes back again: it was submitted first, whatever happened since."""
    stage = graveyard(case, 2)
    stage.retries("J1")
    stage.buries("J1")
    stage.dead_are("J1", "J2")
    stage.submits(gives="J3")
    stage.retries("J1")
    stage.polls("A", 10_000, gives="J1")


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
