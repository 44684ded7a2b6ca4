"""What an answer to ex10 must promise: how a lease ends, and who may end it."""

from exercises.grader import Case, check
from exercises.staging.database_driver import ClaimStage
from exercises.staging.database_words import Hold


def leased(case: Case) -> tuple[ClaimStage, Hold]:
    """J1 is submitted and A has it until 10.0 s."""
    stage = ClaimStage(case, "exercises.staging.sqlite_database", "DurableQueue", "StaleLeaseError")
    stage.submits(gives="J1")
    return stage, stage.claims("A", 10_000, gives="J1")


@check(
    task=3, points=1, promise="The holder completes its job, and it is done for good.", needs=("handed_out",)
)
def completed(case: Case) -> None:
    """Claimed, completed, and never handed out again."""
    stage, hold = leased(case)
    stage.at(5_000)
    stage.completes(hold)
    stage.shows("J1", status="SUCCEEDED", attempts=1)
    stage.at(60_000)
    stage.claims("A", 10_000, gives=None, again=True)


@check(task=3, points=2, promise="A failed job rests for a second, and is ready again.", needs=("handed_out",))
def failed(case: Case) -> None:
    """The error is kept; the next attempt is the second one."""
    stage, hold = leased(case)
    stage.at(4_000)
    stage.fails(hold)
    stage.shows("J1", status="PENDING", attempts=1, run_at=5_000, last_error="disk full")
    stage.at(4_999)
    stage.claims("B", 10_000, gives=None)
    stage.at(5_000)
    again = stage.claims("B", 10_000, gives="J1")
    stage.lease_has(again, attempt=2, lease_until=15_000)


@check(task=3, points=1, promise="Submitted, claimed, completed: all is as one would think.")
def happy_path(case: Case) -> None:
    """What everybody tries, and what always works."""
    stage, hold = leased(case)
    stage.at(3_000)
    stage.completes(hold)
    stage.shows("J1", status="SUCCEEDED")


@check(task=3, points=2, promise="The job that is ready for longest comes first.", needs=(failed,))
def earliest_first(case: Case) -> None:
    """J1 has failed and is due at 5.0 s, J2 since 4.5 s. At 6.0 s both are ready."""
    stage, hold = leased(case)
    stage.at(4_000)
    stage.fails(hold)
    stage.at(4_500)
    stage.submits(gives="J2")
    stage.at(6_000)
    stage.claims("B", 10_000, gives="J2")
    stage.claims("B", 10_000, gives="J1", again=True)


@check(task=3, points=2, promise="At the very instant of its end a lease is over.", needs=("claimed_once",))
def ends_at_the_instant(case: Case) -> None:
    """Leased until 10.0 s: at 10.0 s the attempt has failed, and the job rests until 11.0 s."""
    stage, _ = leased(case)
    stage.at(9_999)
    stage.shows("J1", status="RUNNING")
    stage.at(10_000)
    stage.shows("J1", status="PENDING", attempts=1, run_at=11_000, last_error="lease expired")


@check(
    task=3,
    points=2,
    promise="A lease that ended is dated at its end, however late somebody looks.",
    needs=("claimed_once",),
)
def dated_at_the_end(case: Case) -> None:
    """Leased until 10.0 s, seen at 60.0 s: due since 11.0 s, so it can be claimed at once."""
    stage, _ = leased(case)
    stage.at(60_000)
    again = stage.claims("B", 10_000, gives="J1")
    stage.lease_has(again, attempt=2, lease_until=70_000)
    stage.shows("J1", run_at=11_000, last_error="lease expired")


@check(task=3, points=1, promise="A sweep says how many leases it has ended.", needs=("claimed_once",))
def swept(case: Case) -> None:
    """Two of three have ended; a second sweep finds nothing more."""
    stage, _ = leased(case)
    stage.submits(gives="J2")
    stage.submits(gives="J3")
    stage.claims("B", 10_000, gives="J2")
    stage.claims("B", 20_000, gives="J3", again=True)
    stage.at(15_000)
    stage.sweeps(gives=2)
    stage.sweeps("B", gives=0)
    stage.shows("J3", status="RUNNING")


@check(
    task=3,
    points=3,
    promise="A zombie cannot complete what somebody else holds now.",
    needs=("dated_at_the_end",),
)
def zombie_completes(case: Case) -> None:
    """A has frozen, B has the job, and A comes back with its old generation."""
    stage, old, new = _taken_over(case)
    stage.refuses_complete("J1", old.generation, by="A")
    stage.shows("J1", status="RUNNING", attempts=2)
    stage.completes(new)


@check(
    task=3, points=2, promise="A zombie cannot fail what somebody else holds now.", needs=("dated_at_the_end",)
)
def zombie_fails(case: Case) -> None:
    """The same with fail."""
    stage, old, new = _taken_over(case)
    stage.refuses_fail("J1", old.generation, by="A")
    stage.shows("J1", status="RUNNING", attempts=2, last_error="lease expired")
    stage.completes(new)


def _taken_over(case: Case) -> tuple[ClaimStage, Hold, Hold]:
    stage, old = leased(case)
    stage.at(20_000)
    return stage, old, stage.claims("B", 10_000, gives="J1")


@check(
    task=3,
    points=2,
    promise="Whose lease is over comes too late, also if nobody has swept.",
    needs=(completed,),
)
def too_late(case: Case) -> None:
    """Leased until 10.0 s, reported at 10.0 s. Nobody has looked meanwhile."""
    stage, hold = leased(case)
    stage.at(10_000)
    stage.refuses_complete("J1", hold.generation, by="A")
    stage.refuses_fail("J1", hold.generation, by="A")
    stage.shows("J1", status="PENDING", last_error="lease expired")


@check(task=3, points=1, promise="An attempt ends once.", needs=(completed, failed))
def ended_once(case: Case) -> None:
    """The same report comes twice; the second one finds no lease."""
    stage, hold = leased(case)
    stage.at(1_000)
    stage.completes(hold)
    stage.refuses_complete("J1", hold.generation, by="A", stays="SUCCEEDED")
    stage.refuses_fail("J1", hold.generation, by="A")
    stage.shows("J1", status="SUCCEEDED", last_error=None)
    stage.submits(gives="J2")
    other = stage.claims("A", 10_000, gives="J2", again=True)
    stage.fails(other)
    stage.refuses_fail("J2", other.generation, by="A")
    stage.refuses_complete("J2", other.generation, by="A")
    stage.shows("J2", status="PENDING", run_at=2_000, last_error="disk full")


@check(
    task=3,
    points=1,
    promise="A report ends the attempt of its job, and touches no other job.",
    needs=(completed, failed),
)
def no_other_job(case: Case) -> None:
    """J1 and J2 are both at their first generation."""
    stage, hold = leased(case)
    stage.submits(gives="J2")
    other = stage.claims("B", 10_000, gives="J2")
    stage.completes(other)
    stage.shows("J1", status="RUNNING")
    stage.fails(hold)
    stage.shows("J2", status="SUCCEEDED")


@check(task=3, points=2, promise="A refused call leaves no transaction open.", needs=(completed,))
def refused_and_closed(case: Case) -> None:
    """A is refused; after that A and B both go on at once."""
    stage, hold = leased(case)
    stage.completes(hold)
    stage.refuses_complete("J1", hold.generation, by="A", stays="SUCCEEDED")
    stage.submits(gives="J2", by="B")
    stage.claims("A", 10_000, gives="J2", again=True)
