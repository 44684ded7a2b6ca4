"""What an answer to ex03 must promise in task 4, and at last in any story. Goes on from checks.py."""

from exercises.grader import Case, check
from exercises.staging.queue_walk import walk
from exercises.staging.token_stage import stage_for

WIDTHS = {1: 1, 2: 2, 3: 3, 4: 4, 5: 12}  # by seed, and fixed: the same answer gets the same verdict tomorrow


@check(
    task=4,
    points=1,
    promise="A failed job is ready again at once, and says why it failed.",
    needs=("happy_path",),
)
def failed_and_ready(case: Case) -> None:
    """No waiting before the retry: the next poll may have the job."""
    stage = stage_for(case)
    stage.submits(gives="J1")
    a = stage.polls("A", 10_000, gives="J1")
    stage.at(2_000)
    stage.fails(a, "disk full")
    stage.shows("J1", status="PENDING", last_error="disk full")
    b = stage.polls("B", 10_000, gives="J1")
    stage.lease_has(b, lease_until=12_000)


@check(
    task=4,
    points=1,
    promise="A failure counts no attempt and takes none back: the hand-out has counted it.",
    needs=(failed_and_ready, "counted_at_once"),
)
def failure_counts_nothing(case: Case) -> None:
    """Two attempts, and both fail."""
    stage = stage_for(case)
    stage.submits(gives="J1")
    for attempt in (1, 2):
        hold = stage.polls("A", 10_000, gives="J1")
        stage.lease_has(hold, attempt=attempt)
        stage.fails(hold, "disk full")
        stage.shows("J1", status="PENDING", attempts=attempt)


@check(
    task=4,
    points=1,
    promise="A worker that lost its lease cannot fail the job that another one now holds.",
    needs=("happy_path", "handed_out_again"),
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
    task=4, points=1, promise="After a failure the attempt's token is good for nothing.", needs=("happy_path",)
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


@check(
    task=4,
    points=1,
    promise="Fail is heard until the last millisecond of the lease.",
    needs=(failed_and_ready, "last_millisecond"),
)
def fails_in_time(case: Case) -> None:
    """Leased until 10.0 s: a failure reported at 9.999 s counts."""
    stage = stage_for(case)
    stage.submits(gives="J1")
    a = stage.polls("A", 10_000, gives="J1")
    stage.at(9_999)
    stage.fails(a, "disk full")
    stage.shows("J1", status="PENDING", attempts=1, last_error="disk full")


@check(
    task=4,
    points=1,
    promise="At the instant of the end, and at any time after it, it is too late to fail.",
    needs=(zombie_fails, failed_and_ready, "late_at_the_instant", "late_and_alone"),
)
def fails_too_late(case: Case) -> None:
    """Nobody has polled or looked since. A is late by nothing, B by three seconds."""
    stage = stage_for(case)
    stage.submits(gives="J1")
    stage.submits(gives="J2")
    a = stage.polls("A", 10_000, gives="J1")
    b = stage.polls("B", 12_000, gives="J2")
    stage.at(10_000)
    stage.refuses_fail("J1", a.token, by="A", stays="PENDING")
    stage.shows("J1", status="PENDING", attempts=1)
    stage.at(15_000)
    stage.refuses_fail("J2", b.token, by="B", stays="PENDING")
    stage.shows("J2", status="PENDING", attempts=1)


@check(
    task=4,
    points=1,
    promise="Fail refuses made-up tokens, those of other jobs, and every old one.",
    needs=(
        zombie_fails,
        failed_and_ready,
        "made_up_token",
        "token_of_another_job",
        "two_zombies",
        token_after_failure,
    ),
)
def fails_for_nobody_else(case: Case) -> None:
    """A lost J1, B gave it back, C has it, D has J2: only C may fail J1, and only C's words are kept."""
    stage = stage_for(case)
    stage.submits(gives="J1")
    a = stage.polls("A", 10_000, gives="J1")
    stage.at(12_000)
    b = stage.polls("B", 10_000, gives="J1")
    stage.fails(b, "disk full")
    stage.at(13_000)
    c = stage.polls("C", 10_000, gives="J1")
    stage.submits(gives="J2")
    d = stage.polls("D", 10_000, gives="J2")
    for by, token in (("somebody", "please"), ("D", d.token), ("A", a.token), ("B", b.token)):
        stage.refuses_fail("J1", token, by=by, stays="RUNNING")
        stage.shows("J1", status="RUNNING", attempts=3, last_error="disk full")
    stage.fails(c, "no network")
    stage.shows("J1", status="PENDING", attempts=3, last_error="no network")


@check(
    task=4,
    points=1,
    promise="An attempt ends once: fail is refused after fail, and after complete.",
    needs=(zombie_fails, token_after_failure, failed_and_ready, "completed_twice"),
)
def ended_once(case: Case) -> None:
    """The second call changes nothing."""
    stage = stage_for(case)
    stage.submits(gives="J1")
    a = stage.polls("A", 10_000, gives="J1")
    stage.fails(a, "disk full")
    stage.refuses_fail("J1", a.token, by="A", stays="PENDING")
    stage.shows("J1", status="PENDING", attempts=1, last_error="disk full")
    b = stage.polls("B", 10_000, gives="J1")
    stage.completes(b)
    stage.refuses_fail("J1", b.token, by="B", stays="SUCCEEDED")
    stage.shows("J1", status="SUCCEEDED", attempts=2)


@check(
    task=4,
    points=1,
    promise="In any story whatever, each answer and each view is what the rules say.",
    needs=(
        "leased_once",
        "in_order",
        "says_why",
        "seen_at_the_instant",
        "all_that_are_over",
        "same_worker_again",
        "reason_at_once",
        "token_for_each_job",
        "waiting_is_not_held",
        "success_leaves_traces",
        "ids_go_on",
        "two_zombies",
        failure_counts_nothing,
        no_time_between,
        fails_in_time,
        fails_too_late,
        fails_for_nobody_else,
        ended_once,
    ),
)
def any_story(case: Case) -> None:
    """Calls drawn at random, at and around the ends of leases, compared with the rules of the task."""
    walk(case, stage_for, WIDTHS, turns=40)
