"""What an answer to ex03 must promise in tasks 1 and 2.

Each check tells one short story; when it goes wrong, the story is the report.
"""

from exercises.grader import Case, check
from exercises.staging.token_stage import leased, stage_for


@check(task=1, points=1, promise="A poll hands the job out under a token, as RUNNING.")
def handed_out(case: Case) -> None:
    """Submit, poll, view: the least that a queue can do."""
    stage = stage_for(case)
    stage.submits("mail", "to Ada", gives="J1")
    stage.submits("report", gives="J2")
    stage.shows("J1", status="PENDING", attempts=0)
    lease = stage.polls("A", 10_000, gives="J1")
    stage.lease_has(lease, type="mail", payload="to Ada", attempt=1, lease_until=10_000, worker_id="A")
    stage.shows("J1", status="RUNNING")
    stage.polls("B", 10_000, gives="J2")


@check(task=1, points=1, promise="An attempt counts from the moment of the hand-out on.", needs=(handed_out,))
def counted_at_once(case: Case) -> None:
    """Whoever crashes cannot count any more."""
    stage, _ = leased(case)
    stage.shows("J1", status="RUNNING", attempts=1)


@check(
    task=1, points=1, promise="A leased job is handed to nobody else while its lease runs.", needs=(handed_out,)
)
def leased_once(case: Case) -> None:
    """While A works, B comes away with nothing."""
    stage, _ = leased(case)
    stage.polls("B", 10_000, gives=None)
    stage.at(5_000)
    stage.polls("B", 10_000, gives=None)


@check(
    task=1,
    points=1,
    promise="Jobs are handed out in the order of submission: J2 before J10.",
    needs=(handed_out,),
)
def in_order(case: Case) -> None:
    """Twelve jobs, twelve polls; J10 is not between J1 and J2."""
    stage = stage_for(case)
    names = [f"J{number}" for number in range(1, 13)]
    for name in names:
        stage.submits(gives=name)
    for name in names:
        stage.polls("A", 10_000, gives=name)


@check(
    task=2,
    points=1,
    promise="Until the last millisecond of its lease a job is handed to nobody else.",
    needs=(leased_once,),
)
def leased_to_the_end(case: Case) -> None:
    """Leased until 10.0 s: at 9.999 s the job is still A's."""
    stage, _ = leased(case)
    stage.at(9_999)
    stage.polls("B", 10_000, gives=None)


@check(task=2, points=1, promise="When a lease is over, the next poll gets the job.", needs=(handed_out,))
def handed_out_again(case: Case) -> None:
    """A has vanished; nobody else must have to do anything about it."""
    stage = stage_for(case)
    stage.submits("mail", "to Ada", gives="J1")
    stage.polls("A", 10_000, gives="J1")
    stage.at(12_000)
    lease = stage.polls("B", 10_000, gives="J1")
    stage.lease_has(lease, attempt=2, lease_until=22_000, type="mail", payload="to Ada", worker_id="B")
    stage.shows("J1", status="RUNNING")


@check(
    task=2, points=1, promise="A job whose lease ended says so in its last error.", needs=(handed_out_again,)
)
def says_why(case: Case) -> None:
    """Whoever looks at J1 learns why it is at its second attempt."""
    stage, _ = leased(case)
    stage.at(12_000)
    stage.polls("B", 10_000, gives="J1")
    stage.shows("J1", last_error="lease expired")


@check(
    task=2,
    points=1,
    promise="At the very instant of its end a lease is over, not one millisecond later.",
    needs=(handed_out_again,),
)
def ends_at_the_instant(case: Case) -> None:
    """Leased until 10.0 s: at 10.0 s the job is anybody's."""
    stage, _ = leased(case)
    stage.at(10_000)
    stage.polls("B", 10_000, gives="J1")


@check(
    task=2, points=1, promise="Nobody ever sees a RUNNING job whose lease is over.", needs=(handed_out_again,)
)
def seen_after_the_end(case: Case) -> None:
    """A look at the job tells the truth without a poll before it."""
    stage, _ = leased(case)
    stage.at(15_000)
    stage.shows("J1", status="PENDING")


@check(
    task=2,
    points=1,
    promise="As soon as a lease is over the job says why, and how often it was tried.",
    needs=(seen_after_the_end, counted_at_once),
)
def reason_at_once(case: Case) -> None:
    """Nobody has polled since the lease of A was over."""
    stage, _ = leased(case)
    stage.at(15_000)
    stage.shows("J1", status="PENDING", attempts=1, last_error="lease expired")


@check(
    task=2,
    points=1,
    promise="Every hand-out makes a token that was never given before.",
    needs=(handed_out_again,),
)
def new_token_each_time(case: Case) -> None:
    """Neither the job nor the worker makes a token new: it is the same job each time, and twice A."""
    stage, first = leased(case)
    stage.at(12_000)
    second = stage.polls("B", 10_000, gives="J1")
    stage.tokens_differ(first, second)
    stage.at(24_000)
    third = stage.polls("A", 10_000, gives="J1")
    stage.tokens_differ(first, second, third)


@check(task=2, points=1, promise="No two jobs have one token.", needs=(handed_out,))
def token_for_each_job(case: Case) -> None:
    """At the same instant, for one worker and for another."""
    stage = stage_for(case)
    for name in ("J1", "J2", "J3"):
        stage.submits(gives=name)
    first = stage.polls("A", 10_000, gives="J1")
    second = stage.polls("A", 10_000, gives="J2")
    third = stage.polls("B", 10_000, gives="J3")
    stage.tokens_differ(first, second, third)


@check(
    task=2,
    points=1,
    promise="Whoever looks at the instant of the end sees the job PENDING.",
    needs=(seen_after_the_end, ends_at_the_instant, leased_to_the_end),
)
def seen_at_the_instant(case: Case) -> None:
    """RUNNING at 9.999 s, PENDING at 10.0 s, and nobody has polled in between."""
    stage, _ = leased(case)
    stage.at(9_999)
    stage.shows("J1", status="RUNNING", attempts=1, last_error=None)
    stage.at(10_000)
    stage.shows("J1", status="PENDING", attempts=1)


@check(
    task=2,
    points=1,
    promise="All leases that are over end at once, and each job keeps its place.",
    needs=(seen_after_the_end,),
)
def all_that_are_over(case: Case) -> None:
    """Three leases are over, J4 was never tried: the first poll afterwards still gets J1, then J2, then J3."""
    stage = stage_for(case)
    for name in ("J1", "J2", "J3", "J4"):
        stage.submits(gives=name)
    for name in ("J1", "J2", "J3"):
        stage.polls("A", 10_000, gives=name)
    stage.at(12_000)
    stage.shows("J3", status="PENDING", attempts=1)
    for name in ("J1", "J2", "J3", "J4"):
        stage.polls("B", 10_000, gives=name)


@check(
    task=2,
    points=1,
    promise="However often a job is handed out, no token comes back.",
    needs=(new_token_each_time,),
)
def many_hand_outs(case: Case) -> None:
    """Twelve leases of J1, each left to run out."""
    stage = stage_for(case)
    stage.submits(gives="J1")
    holds = []
    for turn in range(12):
        stage.at(turn * 11_000)
        holds.append(stage.polls("A" if turn % 2 else "B", 10_000, gives="J1"))
        stage.tokens_differ(*holds)
