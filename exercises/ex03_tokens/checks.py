"""What an answer to ex03 must promise.

Each check tells one short story; when it goes wrong, the story is the report.
"""

from exercises.grader import Case, check
from exercises.queue_stage import QueueStage


def stage_for(case: Case) -> QueueStage:
    """Set up an empty TokenQueue at t=0."""
    return QueueStage(case, "TokenQueue", error="StaleTokenError")


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
    stage = stage_for(case)
    stage.submits(gives="J1")
    stage.polls("A", 10_000, gives="J1")
    stage.polls("B", 10_000, gives=None)
    stage.at(5_000)
    stage.polls("B", 10_000, gives=None)


@check(
    task=2,
    points=1,
    promise="Until the last millisecond of its lease a job is handed to nobody else.",
    needs=(leased_once,),
)
def leased_to_the_end(case: Case) -> None:
    """Leased until 10.0 s: at 9.999 s the job is still A's."""
    stage = stage_for(case)
    stage.submits(gives="J1")
    stage.polls("A", 10_000, gives="J1")
    stage.at(9_999)
    stage.polls("B", 10_000, gives=None)


@check(task=2, points=1, promise="When a lease is over, the next poll gets the job.", needs=(handed_out,))
def handed_out_again(case: Case) -> None:
    """A has vanished; nobody else must have to do anything about it."""
    stage = stage_for(case)
    stage.submits(gives="J1")
    stage.polls("A", 10_000, gives="J1")
    stage.at(12_000)
    lease = stage.polls("B", 10_000, gives="J1")
    stage.lease_has(lease, attempt=2, lease_until=22_000)
    stage.shows("J1", status="RUNNING", attempts=2)


@check(
    task=2,
    points=1,
    promise="A job whose lease ended says so in its last error.",
    needs=(handed_out_again,),
)
def says_why(case: Case) -> None:
    """Whoever looks at J1 learns why it is at its second attempt."""
    stage = stage_for(case)
    stage.submits(gives="J1")
    stage.polls("A", 10_000, gives="J1")
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
    stage = stage_for(case)
    stage.submits(gives="J1")
    stage.polls("A", 10_000, gives="J1")
    stage.at(10_000)
    stage.polls("B", 10_000, gives="J1")


@check(
    task=2, points=1, promise="Nobody ever sees a RUNNING job whose lease is over.", needs=(handed_out_again,)
)
def seen_after_the_end(case: Case) -> None:
    """A look at the job tells the truth without a poll before it."""
    stage = stage_for(case)
    stage.submits(gives="J1")
    stage.polls("A", 10_000, gives="J1")
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
    stage = stage_for(case)
    stage.submits(gives="J1")
    first = stage.polls("A", 10_000, gives="J1")
    stage.at(12_000)
    second = stage.polls("B", 10_000, gives="J1")
    stage.tokens_differ(first, second)
    stage.at(24_000)
    third = stage.polls("A", 10_000, gives="J1")
    stage.tokens_differ(first, second, third)


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
    stage = stage_for(case)
    stage.submits(gives="J1")
    stage.polls("A", 10_000, gives="J1")
    stage.refuses_complete("J1", "please", by="somebody", stays="RUNNING")


@check(
    task=3,
    points=2,
    promise="A worker that lost its lease cannot complete the job that another one now holds.",
    needs=(happy_path, handed_out_again),
)
def zombie_completes(case: Case) -> None:
    """A sleeps through its lease, B takes over, A wakes up."""
    stage = stage_for(case)
    stage.submits(gives="J1")
    a = stage.polls("A", 10_000, gives="J1")
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
    stage = stage_for(case)
    stage.submits(gives="J1")
    old = stage.polls("A", 10_000, gives="J1")
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
    stage = stage_for(case)
    stage.submits(gives="J1")
    a = stage.polls("A", 10_000, gives="J1")
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
    stage = stage_for(case)
    stage.submits(gives="J1")
    a = stage.polls("A", 10_000, gives="J1")
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
    stage = stage_for(case)
    stage.submits(gives="J1")
    a = stage.polls("A", 10_000, gives="J1")
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
    stage = stage_for(case)
    stage.submits(gives="J1")
    a = stage.polls("A", 10_000, gives="J1")
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
    stage = stage_for(case)
    stage.submits(gives="J1")
    a = stage.polls("A", 10_000, gives="J1")
    stage.at(15_000)
    stage.refuses_complete("J1", a.token, by="A", stays="PENDING")


@check(
    task=4,
    points=1,
    promise="A failed job is ready again at once, and says why it failed.",
    needs=(happy_path,),
)
def failed_and_ready(case: Case) -> None:
    """No waiting before the retry: the next poll may have the job."""
    stage = stage_for(case)
    stage.submits(gives="J1")
    a = stage.polls("A", 10_000, gives="J1")
    stage.at(2_000)
    stage.fails(a, "disk full")
    stage.shows("J1", status="PENDING", attempts=1, last_error="disk full")
    b = stage.polls("B", 10_000, gives="J1")
    stage.lease_has(b, attempt=2, lease_until=12_000)


@check(
    task=4,
    points=2,
    promise="A worker that lost its lease cannot fail the job that another one now holds.",
    needs=(happy_path, handed_out_again),
)
def zombie_fails(case: Case) -> None:
    """A late failure is as wrong as a late success: it would take the job out of B's hands."""
    stage = stage_for(case)
    stage.submits(gives="J1")
    a = stage.polls("A", 10_000, gives="J1")
    stage.at(12_000)
    stage.polls("B", 10_000, gives="J1")
    stage.refuses_fail("J1", a.token, by="A", stays="RUNNING")


@check(
    task=4, points=1, promise="After a failure the attempt's token is good for nothing.", needs=(happy_path,)
)
def token_after_failure(case: Case) -> None:
    """A fails the job and then thinks better of it."""
    stage = stage_for(case)
    stage.submits(gives="J1")
    a = stage.polls("A", 10_000, gives="J1")
    stage.at(2_000)
    stage.fails(a, "disk full")
    stage.refuses_complete("J1", a.token, by="A", stays="PENDING")
    b = stage.polls("B", 10_000, gives="J1")
    stage.tokens_differ(a, b)
    stage.refuses_complete("J1", a.token, by="A", stays="RUNNING")


@check(
    task=4,
    points=1,
    promise="Two hand-outs within one millisecond have two tokens.",
    needs=(failed_and_ready,),
)
def no_time_between(case: Case) -> None:
    """Workers that fail at once: the clock stands still meanwhile, and each token is new all the same."""
    stage = stage_for(case)
    stage.submits(gives="J1")
    first = stage.polls("A", 10_000, gives="J1")
    stage.fails(first, "disk full")
    second = stage.polls("B", 10_000, gives="J1")
    stage.tokens_differ(first, second)
    stage.fails(second, "disk full")
    third = stage.polls("A", 10_000, gives="J1")
    stage.tokens_differ(first, second, third)
