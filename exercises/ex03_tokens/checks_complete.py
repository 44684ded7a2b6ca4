"""What an answer to ex03 must promise in task 3. Goes on from checks.py."""

from exercises.grader import Case, check
from exercises.staging.token_stage import leased, stage_for


@check(
    task=3, points=1, promise="A job that is polled and completed in time has succeeded.", needs=("handed_out",)
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
    stage.shows("J1", status="SUCCEEDED", last_error=None)
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
    points=1,
    promise="A worker that lost its lease cannot complete the job that another one now holds.",
    needs=(happy_path, "handed_out_again"),
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
    needs=(happy_path, "handed_out_again"),
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
    needs=(happy_path, "handed_out_again"),
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
    points=1,
    promise="At the instant at which its lease ends, a worker is too late.",
    needs=(happy_path, "handed_out_again"),
)
def late_at_the_instant(case: Case) -> None:
    """Leased until 10.0 s: at 10.0 s the worker is late."""
    stage, a = leased(case)
    stage.at(10_000)
    stage.refuses_complete("J1", a.token, by="A", stays="PENDING")
    stage.shows("J1", status="PENDING")


@check(
    task=3,
    points=1,
    promise="A lease that is over is over, even if nobody has polled since.",
    needs=(happy_path, "handed_out_again"),
)
def late_and_alone(case: Case) -> None:
    """No other worker is about, yet A is late."""
    stage, a = leased(case)
    stage.at(15_000)
    stage.refuses_complete("J1", a.token, by="A", stays="PENDING")


@check(
    task=3,
    points=1,
    promise="A job that is PENDING is completed by nobody, whatever token is shown.",
    needs=(happy_path, "handed_out_again", "seen_after_the_end"),
)
def waiting_is_not_held(case: Case) -> None:
    """Everybody can see that the lease is over. A shows its token all the same."""
    stage, a = leased(case)
    stage.at(15_000)
    stage.shows("J1", status="PENDING")
    stage.refuses_complete("J1", a.token, by="A", stays="PENDING")


@check(
    task=3,
    points=1,
    promise="A success leaves attempts and last error as they were.",
    needs=(happy_path, "says_why", "counted_at_once"),
)
def success_leaves_traces(case: Case) -> None:
    """The first attempt ended with its lease, the second goes well. Both can be seen afterwards."""
    stage, _ = leased(case)
    stage.at(12_000)
    b = stage.polls("B", 10_000, gives="J1")
    stage.completes(b)
    stage.shows("J1", status="SUCCEEDED", attempts=2, last_error="lease expired")


@check(task=3, points=1, promise="An id is given once, also when its job is done.", needs=(happy_path,))
def ids_go_on(case: Case) -> None:
    """J1 has succeeded and stays J1; the next job is another one."""
    stage, a = leased(case)
    stage.completes(a)
    stage.submits(gives="J2")
    stage.shows("J1", status="SUCCEEDED")


@check(
    task=3,
    points=1,
    promise="At the third hand-out the tokens of both earlier ones are refused, and the third is good.",
    needs=(zombie_completes, completed_twice, refusal_changes_nothing, "many_hand_outs", "counted_at_once"),
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
