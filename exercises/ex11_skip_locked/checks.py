"""What an answer to ex11 must promise: claims and reports, one after the other."""

from exercises.grader import Case, check
from exercises.staging.database_words import Hold
from exercises.staging.server_driver import ServerStage


def leased(case: Case) -> tuple[ServerStage, Hold]:
    """Begin as most stories do: there is J1, and A has it for 10 s."""
    stage = ServerStage(case)
    stage.has("mail", "to Ada", called="J1")
    return stage, stage.claims("A", 10_000, gives="J1")


@check(task=1, points=1, promise="A claim hands the job out as RUNNING, with its attempt counted.")
def handed_out(case: Case) -> None:
    """What is in the table counts, for it is all that others see."""
    stage, hold = leased(case)
    stage.lease_has(hold, type="mail", payload="to Ada", attempt=1, worker_id="A")
    stage.shows_row("J1", status="RUNNING", attempts=1, worker_id="A")


@check(task=1, points=1, promise="Claimed and completed, all is as one would think.")
def happy_path(case: Case) -> None:
    """What everybody tries, and what always works."""
    stage, hold = leased(case)
    stage.completes(hold)
    stage.shows_row("J1", status="SUCCEEDED")


@check(
    task=1,
    points=1,
    promise="Nothing is handed out before it is ready, or while its lease runs.",
    needs=(handed_out,),
)
def nothing_ready(case: Case) -> None:
    """J1 is A's, J2 is for later."""
    stage, _ = leased(case)
    stage.has(due=60_000, called="J2")
    stage.claims("B", 10_000, gives=None)
    stage.at(9_000)
    stage.claims("B", 10_000, gives=None, again=True)


@check(task=1, points=1, promise="The job that is ready for longest comes first.", needs=(handed_out,))
def earliest_first(case: Case) -> None:
    """J2 is ready for longer than J1."""
    stage = ServerStage(case)
    stage.has(due=-1_000, called="J1")
    stage.has(due=-5_000, called="J2")
    stage.claims("A", 10_000, gives="J2")
    stage.claims("A", 10_000, gives="J1", again=True)


@check(
    task=1,
    points=1,
    promise="Of many jobs, too, the one that is ready for longest comes first.",
    needs=(earliest_first,),
)
def earliest_of_many(case: Case) -> None:
    """Twelve jobs, each ready for longer than the one before."""
    stage = ServerStage(case)
    for number in range(1, 13):
        stage.has(due=-1_000 * number, called=f"J{number}")
    for number in range(12, 9, -1):
        stage.claims("A", 10_000, gives=f"J{number}")


@check(task=1, points=2, promise="When a lease is over, the next claim gets the job.", needs=(nothing_ready,))
def handed_out_again(case: Case) -> None:
    """A has vanished; B gets the job as a second attempt."""
    stage, old = leased(case)
    stage.at(11_000)
    new = stage.claims("B", 10_000, gives="J1")
    stage.lease_has(new, attempt=2, worker_id="B")
    stage.shows_row("J1", status="RUNNING", attempts=2, worker_id="B")
    if new.generation == old.generation:
        case.broken("a generation that J1 never had", f"generation {new.generation} again", "token again")


@check(task=2, points=2, promise="A claim is committed when it returns.", needs=())
def claimed_is_kept(case: Case) -> None:
    """A has the job and sends the mail; then its connection is cut. The table must know that A has it."""
    stage, _ = leased(case)
    stage.loses("A", "J1", "RUNNING")


@check(task=2, points=1, promise="No transaction is open while a worker works.")
def nothing_open(case: Case) -> None:
    """Also where there is nothing to do, and after a report."""
    stage, hold = leased(case)
    stage.is_closed("A")
    stage.claims("A", 10_000, gives=None, again=True)
    stage.is_closed("A")
    stage.completes(hold)
    stage.is_closed("A")


@check(task=3, points=2, promise="A failed job rests for a second, and is ready again.", needs=(handed_out,))
def failed(case: Case) -> None:
    """The error is kept."""
    stage, hold = leased(case)
    stage.fails(hold)
    stage.shows_row("J1", status="PENDING", attempts=1, last_error="disk full")
    stage.claims("B", 10_000, gives=None)
    stage.at(1_000)
    stage.claims("B", 10_000, gives="J1", again=True)


@check(
    task=3,
    points=3,
    promise="A zombie cannot complete what somebody else holds now.",
    needs=(handed_out_again,),
)
def zombie_completes(case: Case) -> None:
    """A has frozen, B has the job, and A comes back with its old generation."""
    stage, old, new = _taken_over(case)
    stage.refuses_complete("J1", old.generation, by="A")
    stage.shows_row("J1", status="RUNNING", worker_id="B")
    stage.completes(new)


@check(
    task=3, points=2, promise="A zombie cannot fail what somebody else holds now.", needs=(handed_out_again,)
)
def zombie_fails(case: Case) -> None:
    """The same with fail."""
    stage, old, new = _taken_over(case)
    stage.refuses_fail("J1", old.generation, by="A")
    stage.shows_row("J1", status="RUNNING", worker_id="B")
    stage.completes(new)


def _taken_over(case: Case) -> tuple[ServerStage, Hold, Hold]:
    stage, old = leased(case)
    stage.at(11_000)
    return stage, old, stage.claims("B", 10_000, gives="J1")


@check(
    task=3,
    points=2,
    promise="Whose lease is over comes too late, also if nobody has claimed since.",
    needs=(handed_out,),
)
def too_late(case: Case) -> None:
    """The row says RUNNING, and lease_until is past."""
    stage, hold = leased(case)
    stage.at(11_000)
    stage.refuses_complete("J1", hold.generation, by="A")
    stage.refuses_fail("J1", hold.generation, by="A")


@check(task=3, points=2, promise="An attempt ends once, and nothing stays open.", needs=(failed,))
def ended_once(case: Case) -> None:
    """The same report comes twice."""
    stage, hold = leased(case)
    stage.has("report", called="J2")
    other = stage.claims("B", 10_000, gives="J2")
    stage.completes(hold)
    stage.shows_row("J2", status="RUNNING")
    stage.refuses_complete("J1", hold.generation, by="A", stays="SUCCEEDED")
    stage.is_closed("A")
    stage.fails(other)
    stage.refuses_fail("J2", other.generation, by="B")
    stage.refuses_complete("J2", other.generation, by="B", stays="PENDING")
    stage.refuses_fail("J1", hold.generation, by="A")
    stage.shows_row("J1", status="SUCCEEDED")
