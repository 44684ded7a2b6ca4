"""What an answer to ex03 must promise.

Each check tells one short story; when it goes wrong, the story is the report.
"""

from exercises.grader import Case, check
from exercises.queue_stage import Hold, QueueStage


def stage_for(case: Case) -> QueueStage:
    """Set up an empty TokenQueue at t=0."""
    return QueueStage(case, "TokenQueue", error="StaleTokenError")


def leased(case: Case) -> tuple[QueueStage, Hold]:
    """Begin as most stories do: J1 is submitted and A leases it until 10.0 s."""
    stage = stage_for(case)
    stage.submits(gives="J1")
    return stage, stage.polls("A", 10_000, gives="J1")


@check(
    task=1, points=1, promise="A poll hands the job out under a token, as RUNNING, with its attempt counted."
)
def handed_out(case: Case) -> None:
    """Submit, poll, view: the least that a queue can do."""
    stage = stage_for(case)
    stage.submits("mail", "to Ada", gives="J1")
    stage.submits("report", gives="J2")
    stage.shows("J1", status="PENDING", attempts=0)
    lease = stage.polls("A", 10_000, gives="J1")
    stage.lease_has(lease, type="mail", payload="to Ada", attempt=1, lease_until=10_000, worker_id="A")
    stage.shows("J1", status="RUNNING", attempts=1)
    stage.polls("B", 10_000, gives="J2")


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
    stage.shows("J1", status="RUNNING", attempts=2)


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
    stage.shows("J1", status="PENDING", attempts=1)


@check(
    task=2,
    points=2,
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


@check(
    task=3, points=1, promise="A job that is polled and completed in time has succeeded.", needs=(handed_out,)
)
def happy_path(case: Case) -> None:
    """One worker, in time: what every tutorial shows, and what proves nothing about tokens."""
    stage = stage_for(case)
    stage.submits(gives="J1")
    stage.submits(gives="J2")
    a = stage.polls("A", 10_000, gives="J1")
    b = stage.polls("B", 10_000, gives="J2")
    stage.at(4_000)
    stage.completes(a)
    stage.shows("J1", status="SUCCEEDED", attempts=1, last_error=None)
    stage.shows("J2", status="RUNNING")
    stage.completes(b)
    stage.polls("A", 10_000, gives=None)


@check(task=3, points=1, promise="Complete with a made-up token is refused.", needs=(happy_path,))
def made_up_token(case: Case) -> None:
    """Knowing the job's id is no proof of holding its lease."""
    stage, _ = leased(case)
    stage.refuses_complete("J1", "please", by="somebody", stays="RUNNING")


@check(
    task=3,
    points=2,
    promise="A worker that lost its lease cannot complete the job that another one now holds.",
    needs=(happy_path, handed_out_again),
)
def zombie_completes(case: Case) -> None:
    """A sleeps through its lease, B takes over, A wakes up."""
    stage, a = leased(case)
    stage.at(12_000)
    stage.polls("B", 10_000, gives="J1")
    stage.at(13_000)
    stage.refuses_complete("J1", a.token, by="A", stays="RUNNING")


@check(
    task=3,
    points=1,
    promise="A restarted worker is not its former self: the old token stays refused.",
    needs=(happy_path, handed_out_again),
)
def same_worker_again(case: Case) -> None:
    """A hangs, a new process takes A's name and the job, then the old process wakes up."""
    stage, old = leased(case)
    stage.at(12_000)
    new = stage.polls("A", 10_000, gives="J1")
    stage.tokens_differ(old, new)
    stage.at(13_000)
    stage.refuses_complete("J1", old.token, by="the old A", stays="RUNNING")


@check(task=3, points=1, promise="A token is good for its own job only.", needs=(happy_path,))
def token_of_another_job(case: Case) -> None:
    """Both tokens are valid, each for its job."""
    stage = stage_for(case)
    stage.submits(gives="J1")
    stage.submits(gives="J2")
    a = stage.polls("A", 10_000, gives="J1")
    b = stage.polls("B", 10_000, gives="J2")
    stage.tokens_differ(a, b)
    stage.refuses_complete("J1", b.token, by="B", stays="RUNNING")


@check(task=3, points=1, promise="A job is finished once: the second complete is refused.", needs=(happy_path,))
def completed_twice(case: Case) -> None:
    """The lease ends with the job."""
    stage, a = leased(case)
    stage.completes(a)
    stage.refuses_complete("J1", a.token, by="A", stays="SUCCEEDED")
    stage.shows("J1", status="SUCCEEDED")


@check(
    task=3,
    points=1,
    promise="A refused call changes nothing: the holder still holds the job.",
    needs=(happy_path, handed_out_again),
)
def refusal_changes_nothing(case: Case) -> None:
    """B's lease must not suffer from what A tries."""
    stage, a = leased(case)
    stage.at(12_000)
    b = stage.polls("B", 10_000, gives="J1")
    stage.at(14_000)
    stage.refuses_complete("J1", a.token, by="A", stays="RUNNING")
    stage.shows("J1", status="RUNNING", attempts=2)
    stage.polls("C", 10_000, gives=None)
    stage.completes(b)
    stage.shows("J1", status="SUCCEEDED")


@check(task=3, points=1, promise="One millisecond before its end a lease is still good.", needs=(happy_path,))
def last_millisecond(case: Case) -> None:
    """Leased until 10.0 s: at 9.999 s the worker is in time."""
    stage, a = leased(case)
    stage.at(9_999)
    stage.completes(a)


@check(
    task=3,
    points=2,
    promise="At the instant at which its lease ends, a worker is too late.",
    needs=(happy_path, handed_out_again),
)
def late_at_the_instant(case: Case) -> None:
    """Leased until 10.0 s: at 10.0 s the worker is late."""
    stage, a = leased(case)
    stage.at(10_000)
    stage.refuses_complete("J1", a.token, by="A", stays="PENDING")
    stage.shows("J1", status="PENDING")


@check(
    task=3,
    points=2,
    promise="A lease that is over is over, even if nobody has polled since.",
    needs=(happy_path, handed_out_again),
)
def late_and_alone(case: Case) -> None:
    """No other worker is about, yet A is late."""
    stage, a = leased(case)
    stage.at(15_000)
    stage.refuses_complete("J1", a.token, by="A", stays="PENDING")


@check(
    task=3,
    points=1,
    promise="At the third hand-out the tokens of both earlier ones are refused, and the third is good.",
    needs=(zombie_completes, completed_twice, refusal_changes_nothing, many_hand_outs),
)
def two_zombies(case: Case) -> None:
    """A and B have lost J1, C completes it."""
    stage, a = leased(case)
    stage.at(12_000)
    b = stage.polls("B", 10_000, gives="J1")
    stage.at(24_000)
    c = stage.polls("C", 10_000, gives="J1")
    stage.refuses_complete("J1", a.token, by="A", stays="RUNNING")
    stage.refuses_complete("J1", b.token, by="B", stays="RUNNING")
    stage.shows("J1", status="RUNNING", attempts=3)
    stage.completes(c)
    stage.shows("J1", status="SUCCEEDED", attempts=3)
    stage.polls("A", 10_000, gives=None)
