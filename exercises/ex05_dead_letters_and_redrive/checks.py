"""What an answer to ex05 must promise in tasks 1 and 2.

Each check tells one short story; when it goes wrong, the story is the report.
"""

from exercises.grader import Case, check
from exercises.staging.dead_stage import DeadStage


@check(task=1, points=1, promise="A job that is polled and completed has succeeded.")
def happy_path(case: Case) -> None:
    """One worker, and nothing goes wrong."""
    stage = DeadStage(case, 2)
    stage.submits(gives="J1")
    stage.shows("J1", status="PENDING", attempts=0)
    a = stage.polls("A", 10_000, gives="J1")
    stage.shows("J1", status="RUNNING", attempts=1)
    stage.at(4_000)
    stage.completes(a)
    stage.shows("J1", status="SUCCEEDED", attempts=1, last_error=None, failed_at=None, dead_reason=None)
    stage.polls("B", 10_000, gives=None)


@check(task=1, points=1, promise="A lease tells all that the worker has to know.", needs=(happy_path,))
def handed_out(case: Case) -> None:
    """Type, payload, attempt, generation and token; and each job is handed out once, in order."""
    stage = DeadStage(case, 2)
    stage.submits("invoice", "no. 17", gives="J1")
    stage.at(500)
    stage.submits(gives="J2")
    stage.shows("J2", run_at=500)
    a = stage.polls("A", 10_000, gives="J1")
    told = {"type": "invoice", "payload": "no. 17", "worker_id": "A"}
    stage.lease_has(a, token="J1:1", attempt=1, generation=1, lease_until=10_500, **told)  # noqa: S106  no secret
    stage.polls("B", 10_000, gives="J2")
    stage.polls("B", 10_000, gives=None)


@check(task=1, points=1, promise="Only the holder is heard.", needs=(happy_path,))
def holder_only(case: Case) -> None:
    """A token of another job, and one that was good until the job was done."""
    stage = DeadStage(case, 2)
    stage.submits(gives="J1")
    stage.submits(gives="J2")
    a = stage.polls("A", 10_000, gives="J1")
    b = stage.polls("B", 10_000, gives="J2")
    stage.refuses_complete("J1", b.token, by="B", stays="RUNNING")
    stage.completes(a)
    stage.refuses_complete("J1", a.token, by="A", stays="SUCCEEDED")


@check(task=2, points=1, promise="A job that failed is tried again after its rest.", needs=(happy_path,))
def retried(case: Case) -> None:
    """Two attempts are allowed, and the first failed at 1.0 s."""
    stage = DeadStage(case, 2)
    stage.submits(gives="J1")
    a = stage.polls("A", 10_000, gives="J1")
    stage.at(1_000)
    stage.fails(a, "disk full")
    stage.shows("J1", status="PENDING", attempts=1, last_error="disk full", failed_at=None, dead_reason=None)
    stage.at(3_999)
    stage.polls("B", 10_000, gives=None)
    stage.at(4_000)
    b = stage.polls("B", 10_000, gives="J1")
    stage.lease_has(b, attempt=2, generation=2, token="J1:2")  # noqa: S106  no secret


@check(
    task=2,
    points=1,
    promise="A job whose last attempt failed is dead: kept, and handed out no more.",
    needs=(retried,),
)
def buried(case: Case) -> None:
    """Two attempts are allowed, and both fail."""
    stage = DeadStage(case, 2)
    stage.submits(gives="J1")
    stage.fails(stage.polls("A", 10_000, gives="J1"), "disk full")
    stage.at(5_000)
    stage.fails(stage.polls("A", 10_000, gives="J1"), "no network")
    stage.shows("J1", status="DEAD", attempts=2, last_error="no network", failed_at=5_000)
    stage.shows("J1", dead_reason="attempts_exhausted")
    stage.at(90_000)
    stage.polls("B", 10_000, gives=None)


@check(
    task=2,
    points=1,
    promise="A failure that no retry can mend buries the job at once.",
    needs=(retried,),
)
def buried_for_good(case: Case) -> None:
    """Three attempts are allowed; the first shows that the address does not exist."""
    stage = DeadStage(case, 3)
    stage.submits(gives="J1")
    stage.at(1_000)
    stage.buries("J1", "no such address")
    stage.shows("J1", status="DEAD", attempts=1, last_error="no such address", failed_at=1_000)
    stage.shows("J1", dead_reason="permanent")


@check(
    task=2,
    points=1,
    promise="A job is buried if its retry could only start at its deadline or after it.",
    needs=(retried,),
)
def buried_by_deadline(case: Case) -> None:
    """It fails at 1.0 s and would rest until 4.0 s, but is good for nothing from 3.5 s on."""
    stage = DeadStage(case, 3)
    stage.submits_until(3_500, gives="J1")
    a = stage.polls("A", 10_000, gives="J1")
    stage.at(1_000)
    stage.fails(a, "disk full")
    stage.shows("J1", status="DEAD", attempts=1, failed_at=1_000, dead_reason="deadline")


@check(
    task=2,
    points=2,
    promise="A retry at the very instant of the deadline is too late, one millisecond before is not.",
    needs=(buried_by_deadline,),
)
def deadline_at_the_instant(case: Case) -> None:
    """Both fail at 1.0 s, and both would rest until 4.0 s."""
    stage = DeadStage(case, 3)
    stage.submits_until(4_000, gives="J1")
    stage.submits_until(4_001, gives="J2")
    a, b = (stage.polls("A", 10_000, gives=name) for name in ("J1", "J2"))
    stage.at(1_000)
    stage.fails(b, "disk full")
    stage.shows("J2", status="PENDING", run_at=4_000)
    stage.fails(a, "disk full")
    stage.shows("J1", status="DEAD", dead_reason="deadline")


@check(
    task=2,
    points=1,
    promise="A deadline of 0 is a deadline, and none is none.",
    needs=(buried_by_deadline,),
)
def deadline_of_zero(case: Case) -> None:
    """The story begins five seconds before the clock shows 0."""
    stage = DeadStage(case, 3, begins=-5_000)
    stage.submits_until(0, gives="J1")
    stage.submits(gives="J2")
    a, b = (stage.polls("A", 10_000, gives=name) for name in ("J1", "J2"))
    stage.at(-1_000)
    stage.fails(b, "disk full")
    stage.shows("J2", status="PENDING", run_at=2_000)
    stage.fails(a, "disk full")
    stage.shows("J1", status="DEAD", dead_reason="deadline")


@check(
    task=2,
    points=1,
    promise="If a permanent failure is the last attempt too, the reason is: permanent.",
    needs=(buried, buried_for_good),
)
def permanent_comes_first(case: Case) -> None:
    """Two reasons are true. The first of the list says more: more attempts would not have helped."""
    stage = DeadStage(case, 1)
    stage.submits(gives="J1")
    stage.buries("J1")
    stage.shows("J1", status="DEAD", dead_reason="permanent")


@check(
    task=2,
    points=1,
    promise="If the last attempt fails near the deadline, the reason is: attempts_exhausted.",
    needs=(buried, buried_by_deadline),
)
def attempts_come_before_the_deadline(case: Case) -> None:
    """Two reasons are true, and the deadline is the last of the list."""
    stage = DeadStage(case, 1)
    stage.submits_until(2_000, gives="J1")
    stage.fails(stage.polls("A", 10_000, gives="J1"), "disk full")
    stage.shows("J1", status="DEAD", dead_reason="attempts_exhausted")


@check(task=2, points=1, promise="Dead letters are told in order: J2 before J10.", needs=(buried_for_good,))
def two_before_ten(case: Case) -> None:
    """Eleven jobs; J2 dies, then J10, and the others are alive."""
    stage = DeadStage(case, 2)
    names = [f"J{number}" for number in range(1, 12)]
    for name in names:
        stage.submits(gives=name)
    holds = {name: stage.polls("A", 10_000, gives=name) for name in names}
    for name in ("J2", "J10"):
        stage.fails_for_good(holds[name], "disk full")
    stage.dead_are("J2", "J10")


@check(
    task=2,
    points=1,
    promise="Dead letters are told in the order of submission, whichever died first.",
    needs=(buried_for_good,),
)
def not_by_death(case: Case) -> None:
    """J2 dies first."""
    stage = DeadStage(case, 2)
    stage.submits(gives="J1")
    stage.submits(gives="J2")
    a = stage.polls("A", 10_000, gives="J1")
    stage.buries("J2")
    stage.fails_for_good(a, "disk full")
    stage.dead_are("J1", "J2")


@check(task=2, points=1, promise="Only the holder may fail a job.", needs=(retried, holder_only))
def fails_for_the_holder(case: Case) -> None:
    """A has failed it already, B has it now, and C has J2."""
    stage = DeadStage(case, 3)
    stage.submits(gives="J1")
    a = stage.polls("A", 10_000, gives="J1")
    stage.fails(a, "disk full")
    stage.refuses_fail("J1", a.token, by="A", stays="PENDING")
    stage.at(3_000)
    b = stage.polls("B", 10_000, gives="J1")
    stage.submits(gives="J2")
    c = stage.polls("C", 10_000, gives="J2")
    stage.refuses_fail("J1", a.token, by="A", stays="RUNNING")
    stage.refuses_fail("J1", c.token, by="C", stays="RUNNING")
    stage.shows("J1", status="RUNNING", attempts=2, last_error="disk full")
    stage.completes(b)
    stage.shows("J1", status="SUCCEEDED", last_error="disk full")


@check(task=2, points=1, promise="History tells every attempt, and how it ended.", needs=(retried,))
def history_is_kept(case: Case) -> None:
    """One failed, one succeeded; and J2 was never tried."""
    stage = DeadStage(case, 3)
    stage.submits(gives="J1")
    stage.tells("J1")
    a = stage.polls("A", 10_000, gives="J1")
    stage.tells("J1", (1, 1, None, None))
    stage.fails(a, "disk full")
    stage.at(3_000)
    stage.completes(stage.polls("B", 10_000, gives="J1"))
    stage.tells("J1", (1, 1, "failed", "disk full"), (2, 2, "succeeded", None))
    stage.submits(gives="J2")
    stage.tells("J2")
