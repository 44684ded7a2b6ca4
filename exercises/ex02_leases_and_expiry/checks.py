"""What an answer to ex02 must promise in tasks 1 and 2.

Each check tells one short story; when it goes wrong, the story is the report.
"""

from exercises.grader import Case, check
from exercises.staging.lease_stage import LeaseStage, leased, stage_for


@check(task=1, points=1, promise="A job that is polled and completed in time has succeeded.")
def happy_path(case: Case) -> None:
    """One worker, in time."""
    stage = stage_for(case)
    stage.submits(gives="J1")
    stage.shows("J1", status="PENDING", attempts=0)
    stage.at(1_000)
    a = stage.polls("A", 10_000, gives="J1")
    stage.at(4_000)
    stage.completes(a)
    stage.shows("J1", status="SUCCEEDED", last_error=None, failed_at=None)
    stage.polls("B", 10_000, gives=None)


@check(task=1, points=1, promise="A poll leases the job to its worker, from now on.", needs=(happy_path,))
def handed_out(case: Case) -> None:
    """The second job is handed out two seconds later, so its lease ends two seconds later."""
    stage = stage_for(case)
    stage.submits("resize", "photo 1", gives="J1")
    a = stage.polls("A", 10_000, gives="J1")
    told = {"type": "resize", "payload": "photo 1", "worker_id": "A"}
    stage.lease_has(a, token="J1:1", attempt=1, lease_until=10_000, **told)  # noqa: S106  no secret
    stage.at(2_000)
    stage.submits(gives="J2")
    stage.shows("J2", status="PENDING", run_at=2_000, last_error=None, failed_at=None)
    b = stage.polls("B", 5_000, gives="J2")
    stage.lease_has(b, token="J2:1", attempt=1, lease_until=7_000)  # noqa: S106  no secret


@check(task=1, points=1, promise="An attempt counts from the moment of the hand-out on.", needs=(happy_path,))
def counted_at_once(case: Case) -> None:
    """Whoever crashes cannot count any more."""
    stage, a = leased(case)
    stage.shows("J1", status="RUNNING", attempts=1)
    stage.completes(a)
    stage.shows("J1", status="SUCCEEDED", attempts=1)


@check(task=1, points=1, promise="An id is given once, also when its job is done.", needs=(happy_path,))
def ids_go_on(case: Case) -> None:
    """J1 has succeeded and stays J1; the next job is another one."""
    stage, a = leased(case)
    stage.completes(a)
    stage.submits(gives="J2")
    stage.shows("J1", status="SUCCEEDED")


@check(
    task=1, points=1, promise="A leased job is handed to nobody else while its lease runs.", needs=(happy_path,)
)
def leased_once(case: Case) -> None:
    """While A works, B comes away with nothing, also in the last millisecond."""
    stage, _ = leased(case)
    stage.polls("B", 10_000, gives=None)
    stage.at(9_999)
    stage.polls("B", 10_000, gives=None)


@check(task=1, points=1, promise="Jobs are handed out in order: J2 before J10.", needs=(happy_path,))
def in_order(case: Case) -> None:
    """Twelve jobs, twelve polls."""
    stage = stage_for(case)
    names = [f"J{number}" for number in range(1, 13)]
    for name in names:
        stage.submits(gives=name)
    for name in names:
        stage.polls("A", 10_000, gives=name)


@check(
    task=2,
    points=1,
    promise="When its lease is over and it has rested, the next poll gets the job.",
    needs=(happy_path,),
)
def handed_out_again(case: Case) -> None:
    """A has vanished; nobody else must have to do anything about it."""
    stage, _ = leased(case)
    stage.at(10_000)
    stage.polls("B", 10_000, gives=None)
    stage.at(20_000)
    b = stage.polls("B", 10_000, gives="J1")
    stage.lease_has(b, attempt=2, lease_until=30_000, token="J1:2")  # noqa: S106  no secret
    stage.shows("J1", status="RUNNING", attempts=2)


@check(task=2, points=1, promise="At the very instant of its end a lease is over.", needs=(handed_out_again,))
def over_at_the_instant(case: Case) -> None:
    """RUNNING at 9.999 s, PENDING at 10.0 s."""
    stage, _ = leased(case)
    stage.at(9_999)
    stage.shows("J1", status="RUNNING")
    stage.at(10_000)
    stage.polls("B", 10_000, gives=None)
    stage.shows("J1", status="PENDING")


@check(
    task=2, points=1, promise="A job whose lease ended says so in its last error.", needs=(handed_out_again,)
)
def says_why(case: Case) -> None:
    """Whoever looks at J1 learns why it is to be tried a second time."""
    stage, _ = leased(case)
    stage.at(10_000)
    stage.polls("B", 10_000, gives=None)
    stage.shows("J1", last_error="lease expired")


@check(
    task=2,
    points=1,
    promise="After the end of its lease a job rests before it is handed out again.",
    needs=(handed_out_again,),
)
def rests_first(case: Case) -> None:
    """The end is noticed in time, and the rest counts from it: not ready at 12.999 s, ready at 13.0 s."""
    stage, _ = leased(case)
    stage.at(10_000)
    stage.polls("B", 10_000, gives=None)
    stage.at(12_999)
    stage.polls("B", 10_000, gives=None)
    stage.at(13_000)
    stage.polls("B", 10_000, gives="J1")


@check(
    task=2,
    points=2,
    promise="The rest counts from the end of the lease, not from the moment at which somebody notices.",
    needs=(handed_out_again, rests_first),
)
def dated_at_the_end(case: Case) -> None:
    """Nobody polls for a minute. The job was ready long before, and has nothing more to wait for."""
    stage, _ = leased(case)
    stage.at(60_000)
    b = stage.polls("B", 10_000, gives="J1")
    stage.lease_has(b, attempt=2, lease_until=70_000)
    stage.shows("J1", run_at=13_000)


@check(
    task=2,
    points=1,
    promise="What went wrong stays to be seen, during the next attempt and after its success.",
    needs=(says_why, dated_at_the_end),
)
def reason_stays(case: Case) -> None:
    """The first lease of J1 ended; the second attempt goes well."""
    stage, _ = leased(case)
    stage.at(10_000)
    stage.polls("B", 10_000, gives=None)
    stage.at(20_000)
    b = stage.polls("B", 10_000, gives="J1")
    stage.shows("J1", status="RUNNING", last_error="lease expired")
    stage.completes(b)
    stage.shows("J1", status="SUCCEEDED", last_error="lease expired")


@check(
    task=2,
    points=1,
    promise="Of two that ended unnoticed, the one that ended first is handed out first.",
    needs=(dated_at_the_end,),
)
def two_that_ended(case: Case) -> None:
    """J1 is leased until 9.0 s, J2 until 5.0 s, and nobody looks until 20.0 s."""
    stage = stage_for(case)
    stage.submits(gives="J1")
    stage.submits(gives="J2")
    stage.polls("A", 9_000, gives="J1")
    stage.polls("A", 5_000, gives="J2")
    stage.at(20_000)
    stage.polls("B", 10_000, gives="J2")
    stage.polls("B", 10_000, gives="J1")


@check(
    task=2,
    points=2,
    promise="Nobody ever sees a RUNNING job whose lease is over.",
    needs=(happy_path,),
)
def seen_after_the_end(case: Case) -> None:
    """A look at the job tells the truth without a poll before it, at the instant too."""
    stage, _ = leased(case)
    stage.at(10_000)
    stage.shows("J1", status="PENDING", attempts=1, run_at=13_000)


@check(
    task=2,
    points=1,
    promise="Whoever completes at the end of the lease, or after it, is too late.",
    needs=(over_at_the_instant,),
)
def too_late_to_complete(case: Case) -> None:
    """Nobody has polled or looked since."""
    stage, a = leased(case)
    stage.at(10_000)
    stage.refuses_complete("J1", a.token, by="A", stays="PENDING")
    stage.shows("J1", status="PENDING", attempts=1)


@check(
    task=2,
    points=1,
    promise="A job that waits for its next attempt is completed by nobody.",
    needs=(over_at_the_instant,),
)
def waiting_is_not_held(case: Case) -> None:
    """Everybody can see that the lease is over. A shows its token all the same."""
    stage, a = leased(case)
    stage.at(12_000)
    stage.polls("B", 10_000, gives=None)
    stage.refuses_complete("J1", a.token, by="A", stays="PENDING")


@check(
    task=2,
    points=1,
    promise="Only the current lease is heard: the token of an earlier attempt is refused.",
    needs=(over_at_the_instant, dated_at_the_end),
)
def current_lease_only(case: Case) -> None:
    """A has lost J1 to B, and reports success."""
    stage, a = leased(case)
    stage.at(20_000)
    b = stage.polls("B", 10_000, gives="J1")
    stage.refuses_complete("J1", a.token, by="A", stays="RUNNING")
    stage.completes(b)


@check(task=2, points=1, promise="A job is completed once: the second time is refused.", needs=(happy_path,))
def completed_once(case: Case) -> None:
    """The lease ended with the job."""
    stage, a = leased(case)
    stage.completes(a)
    stage.refuses_complete("J1", a.token, by="A", stays="SUCCEEDED")
    stage.shows("J1", status="SUCCEEDED", attempts=1)


@check(
    task=2,
    points=1,
    promise="A sweep ends what is due, at the instant, and tells how many leases that were.",
    needs=(over_at_the_instant,),
)
def sweeps(case: Case) -> None:
    """Two leases end, one goes on, one job waits and one is done."""
    stage = LeaseStage(case, 3, 3_000)
    for name in ("J1", "J2", "J3", "J4", "J5"):
        stage.submits(gives=name)
    stage.completes(stage.polls("A", 1_000, gives="J1"))
    for name, millis in (("J2", 6_000), ("J3", 5_000), ("J4", 6_001)):
        stage.polls("A", millis, gives=name)
    stage.sweeps(0)
    stage.at(6_000)
    stage.sweeps(2)
    stage.sweeps(0)
    stage.shows("J2", status="PENDING", run_at=9_000)
    stage.shows("J3", status="PENDING", run_at=8_000)
    stage.shows("J4", status="RUNNING")
