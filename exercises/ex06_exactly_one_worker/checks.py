"""What an answer to ex06 must promise to a single thread, and to several that ask for work at the same time."""

from exercises.grader import Case, check
from exercises.grader.judging.together import none_waits, pairs_of
from exercises.grader.running.threads.story import Call
from exercises.staging.thread_stories import (
    KIND,
    NOBODY,
    SharedStage,
    complete,
    counts,
    fail,
    meet,
    poll,
    submit,
    tell,
    view,
)


@check(task=1, points=2, promise="A job is submitted, handed out, completed, and then done for good.")
def happy_path(case: Case) -> None:
    """One job, one worker, no hurry."""
    stage = SharedStage(case)
    stage.submits("mail", "to Ada", gives="J1")
    a = stage.takes("A", gives="J1")
    stage.lease_has(a, type="mail", payload="to Ada", attempt=1, worker_id="A")
    stage.completes(a)
    stage.shows("J1", status="SUCCEEDED", attempts=1)


@check(task=1, points=1, promise="A leased job is RUNNING, and handed to nobody else.", needs=(happy_path,))
def leased_once(case: Case) -> None:
    """B comes after A and gets nothing; the second job goes to C."""
    stage = SharedStage(case)
    stage.takes("A", gives=None)
    stage.submits(gives="J1")
    stage.shows("J1", status="PENDING", attempts=0, last_error=None)
    stage.takes("A", gives="J1")
    stage.shows("J1", status="RUNNING", attempts=1)
    stage.takes("B", gives=None)
    stage.submits("report", gives="J2")
    c = stage.takes("C", gives="J2")
    stage.lease_has(c, type="report", attempt=1, worker_id="C")


@check(
    task=1,
    points=1,
    promise="Jobs are handed out in the order of submission: J2 before J10.",
    needs=(leased_once,),
)
def in_order(case: Case) -> None:
    """Twelve jobs, twelve polls, and then none is left."""
    stage = SharedStage(case)
    names = [f"J{number}" for number in range(1, 13)]
    for name in names:
        stage.submits(gives=name)
    for name in names:
        stage.takes("A", gives=name)
    stage.takes("A", gives=None)


@check(
    task=1,
    points=1,
    promise="A failed job is ready at once, in its old place, with a new token.",
    needs=(leased_once,),
)
def failed_and_ready(case: Case) -> None:
    """J1 was tried before and comes before J4 all the same; the tokens of J1 to J3 are others."""
    stage = SharedStage(case)
    for name in ("J1", "J2", "J3", "J4"):
        stage.submits(gives=name)
    a = stage.takes("A", gives="J1")
    b = stage.takes("B", gives="J2")
    stage.tokens_differ(a, b)
    more = stage.takes("A", gives="J3")
    stage.tokens_differ(a, b, more)
    stage.fails(a, "disk full")
    stage.shows("J1", status="PENDING", attempts=1, last_error="disk full")
    again = stage.takes("C", gives="J1")
    stage.lease_has(again, attempt=2, worker_id="C")
    stage.tokens_differ(a, b, more, again)
    stage.takes("C", gives="J4")


@check(
    task=1,
    points=2,
    promise="Only the token of the current lease is heard; a refusal leaves all as it was.",
    needs=(failed_and_ready,),
)
def refused(case: Case) -> None:
    """A made-up token, an old one, that of another job, and one whose job is done. Then the queue works on."""
    stage = SharedStage(case)
    stage.submits(gives="J1")
    stage.submits(gives="J2")
    stage.refuses_complete("J1", "please", by=NOBODY, stays="PENDING")
    stage.refuses_fail("J1", "please", by=NOBODY, stays="PENDING")
    a = stage.takes("A", gives="J1")
    stage.refuses_fail("J1", "please", by=NOBODY, stays="RUNNING")
    stage.fails(a, "disk full")
    stage.refuses_complete("J1", a.token, by="A", stays="PENDING")
    b = stage.takes("B", gives="J1")
    c = stage.takes("C", gives="J2")
    stage.refuses_complete("J1", a.token, by="A", stays="RUNNING")
    stage.refuses_fail("J1", c.token, by="C", stays="RUNNING")
    stage.completes(b)
    stage.refuses_fail("J1", b.token, by="B", stays="SUCCEEDED")
    stage.shows("J1", status="SUCCEEDED", attempts=2, last_error="disk full")


@check(
    task=1,
    points=1,
    promise="The counts say how many jobs are PENDING, RUNNING and SUCCEEDED.",
    needs=(refused,),
)
def counted(case: Case) -> None:
    """Three jobs, one of each kind at the end."""
    stage = SharedStage(case)
    stage.counts(0, 0, 0)
    for name in ("J1", "J2", "J3"):
        stage.submits(gives=name)
    stage.counts(3, 0, 0)
    a = stage.takes("A", gives="J1")
    stage.takes("B", gives="J2")
    stage.counts(1, 2, 0)
    stage.completes(a)
    stage.counts(1, 1, 1)


@check(task=1, points=1, promise="Two queues have nothing to do with each other.", needs=(counted,))
def two_queues(case: Case) -> None:
    """Each begins with J1, and what happens in one is not seen in the other."""
    mail, print_ = SharedStage(case, "the mail queue"), SharedStage(case, "the print queue")
    mail.submits(gives="J1")
    print_.counts(0, 0, 0)
    print_.submits(gives="J1")
    mail.takes("A", gives="J1")
    print_.counts(1, 0, 0)


@check(
    task=4,
    points=2,
    promise="Whatever two threads do at the same time, neither waits for the other for ever.",
    needs=(counted,),
)
def no_deadlock(case: Case) -> None:
    """Every two of the methods meet, twice: nobody waits for a lock of somebody who waits, too.

    Once two jobs run and one waits, so everything finds what it looks for; and once all is over.
    """
    busy = (submit(), submit("report"), submit(), poll("W"), poll("V"))
    over = (submit(), poll("W"), complete("before", 1))
    stories = pairs_of(KIND, _each(3, "J1"), _each(4, "J2"), "busy", before=busy, tell=tell)
    stories |= pairs_of(KIND, _each(1, "J1"), _each(1, "J1"), "over", before=over, tell=tell)
    none_waits(case, stories)


def _each(lease: int, job_id: str) -> dict[str, Call]:
    """One call of each method; the reports are about what the call number `lease` got before."""
    reports = {"complete": complete("before", lease), "fail": fail("before", lease)}
    return {"submit": submit(), "poll": poll("B"), **reports, "view": view(job_id), "counts": counts()}


@check(
    task=2,
    points=4,
    promise="Of two workers that ask for one job at the same time, exactly one gets it.",
    needs=(counted,),
)
def one_job_two_workers(case: Case) -> None:
    """Both look, both see a PENDING job; only one may have it."""
    meet(case, before=(submit(),), A=(poll("A"),), B=(poll("B"),), after=(poll("C"), counts()))


@check(
    task=2,
    points=3,
    promise="Two workers and two jobs: each gets one, with a token of its own.",
    needs=(counted,),
)
def two_jobs_two_workers(case: Case) -> None:
    """Nobody goes away with nothing while a job is ready, and no two hand-outs have one token."""
    before = (submit(), submit("report"))
    meet(case, before=before, A=(poll("A"),), B=(poll("B"),), after=(poll("C"), counts()))


@check(
    task=2,
    points=2,
    promise="Three workers, two jobs: each job goes to one of them, and one gets nothing.",
    needs=(one_job_two_workers, two_jobs_two_workers),
)
def three_workers(case: Case) -> None:
    """What holds for two threads must hold for three."""
    before = (submit(), submit("report"))
    meet(case, before=before, A=(poll("A"),), B=(poll("B"),), C=(poll("C"),), after=(counts(),))
