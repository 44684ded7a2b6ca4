"""What an answer to ex10 must promise: one connection, and what is in the file. The rest is in checks_*.py."""

from exercises.grader import Case, check
from exercises.grader.judging.case import Broken
from exercises.staging.database_driver import ClaimStage
from exercises.staging.database_words import LOCKED, LOST, Hold


def stage_for(case: Case) -> ClaimStage:
    """Set up an empty file at t=0."""
    return ClaimStage(case, "exercises.staging.sqlite_database", "DurableQueue", "StaleLeaseError")


def leased(case: Case) -> tuple[ClaimStage, Hold]:
    """Begin as most stories do: J1 is submitted and A has it until 10.0 s."""
    stage = stage_for(case)
    stage.submits(gives="J1")
    return stage, stage.claims("A", 10_000, gives="J1")


@check(task=1, points=1, promise="A claim hands the job out as RUNNING, with its attempt counted.")
def handed_out(case: Case) -> None:
    """Submit, claim, view: the least that a queue can do."""
    stage = stage_for(case)
    stage.at(5_000)
    stage.submits("mail", "to Ada", gives="J1")
    stage.submits("report", gives="J2")
    stage.shows("J1", status="PENDING", attempts=0, run_at=5_000, last_error=None)
    hold = stage.claims("A", 10_000, gives="J1")
    stage.lease_has(hold, type="mail", payload="to Ada", attempt=1, lease_until=15_000, worker_id="A")
    stage.shows("J1", status="RUNNING", attempts=1)


@check(
    task=1,
    points=1,
    promise="A claimed job is handed to nobody else while its lease runs.",
    needs=(handed_out,),
)
def claimed_once(case: Case) -> None:
    """The same connection claims again, and once more a moment later."""
    stage, _ = leased(case)
    stage.claims("A", 10_000, gives=None, again=True)
    stage.at(9_999)
    stage.claims("A", 10_000, gives=None, again=True)


@check(
    task=1,
    points=1,
    promise="Jobs of one instant are handed out by number: J2 before J10.",
    needs=(handed_out,),
)
def in_order(case: Case) -> None:
    """Twelve jobs, twelve claims."""
    stage = stage_for(case)
    names = [f"J{number}" for number in range(1, 13)]
    for name in names:
        stage.submits(gives=name)
    for name in names:
        stage.claims("A", 10_000, gives=name)


@check(
    task=2, points=2, promise="What submit has acknowledged is there after a power cut.", needs=(handed_out,)
)
def submitted_is_kept(case: Case) -> None:
    """The caller has its id, and goes away. Then the power fails."""
    stage = stage_for(case)
    stage.submits("mail", gives="J1")
    stage.power_fails()
    _is_there(stage, "PENDING", 0)


@check(
    task=2,
    points=2,
    promise="A job is in the file as claimed before its worker has it.",
    needs=(submitted_is_kept,),
)
def claimed_is_kept(case: Case) -> None:
    """A has the job and sends the mail. After the power cut the file must know that A has it."""
    stage, _ = leased(case)
    stage.power_fails()
    _is_there(stage, "RUNNING", 1)
    stage.claims("B", 10_000, gives=None)


def _is_there(stage: ClaimStage, status: str, attempts: int) -> None:
    try:
        view = stage.looks("J1")
    except Broken as broken:
        if broken.how == LOCKED:
            raise
        # The row is not there, so the look at it breaks off.
        stage.case.broken(f"J1 is {status}", "J1 is not in the file", LOST)
    if view["status"] != status:
        stage.case.broken(f"J1 is {status}", f"J1 is {view['status']}", LOST)
    stage.case.same("attempts", attempts, view["attempts"])


@check(
    task=2,
    points=3,
    promise="No transaction is open while a worker works: others go on at once.",
    needs=(handed_out,),
)
def others_go_on(case: Case) -> None:
    """A is at work on J1. Over another connection B submits, and claims the next job."""
    stage, _ = leased(case)
    stage.submits(gives="J2", by="B")
    stage.claims("B", 10_000, gives="J2")


@check(
    task=2,
    points=2,
    promise="A queue that is opened anew goes on where the file stands.",
    needs=(handed_out,),
)
def opened_anew(case: Case) -> None:
    """Everything that counts on is in the file: numbers, attempts, instants."""
    stage, _ = leased(case)
    stage.restarts()
    stage.shows("J1", status="RUNNING", attempts=1)
    stage.claims("B", 10_000, gives=None)
    stage.submits("report", gives="J2")
    stage.claims("B", 10_000, gives="J2")


@check(task=2, points=1, promise="Two queues on one file give no id twice.", needs=(handed_out,))
def two_submit(case: Case) -> None:
    """A and B take turns; each sees what the other has submitted."""
    stage = stage_for(case)
    stage.submits(gives="J1", by="A")
    stage.submits(gives="J2", by="B")
    stage.submits(gives="J3", by="A")
    stage.shows("J2", by="A", status="PENDING")
