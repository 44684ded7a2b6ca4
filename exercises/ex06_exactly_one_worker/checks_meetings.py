"""What an answer to ex06 must promise when several threads call at the same time."""

from exercises.grader import Case, check
from exercises.grader.judging.together import none_waits, pairs_of
from exercises.grader.running.threads.story import Call
from exercises.staging.thread_stories import (
    KIND,
    complete,
    complete_with,
    counts,
    fail,
    meet,
    poll,
    submit,
    tell,
    view,
)

ALONE = ("counted",)


@check(
    task=4,
    points=2,
    promise="Whatever two threads do at the same time, neither waits for the other for ever.",
    needs=ALONE,
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
    needs=ALONE,
)
def one_job_two_workers(case: Case) -> None:
    """Both look, both see a PENDING job; only one may have it."""
    meet(case, before=(submit(),), A=(poll("A"),), B=(poll("B"),), after=(poll("C"), counts()))


@check(
    task=2,
    points=3,
    promise="Two workers and two jobs: each gets one, with a token of its own.",
    needs=ALONE,
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


@check(task=3, points=3, promise="Of two reports with one token, only the first is accepted.", needs=ALONE)
def completed_by_one(case: Case) -> None:
    """Two threads of one worker complete the same job at the same time."""
    lease = (submit(), poll("W"))
    report = (complete("before", 1),)
    meet(case, before=lease, A=report, B=report, after=(counts(),))


@check(
    task=3,
    points=3,
    promise="A job that is completed and failed at the same time ends in one of the two ways.",
    needs=ALONE,
)
def complete_or_fail(case: Case) -> None:
    """It is SUCCEEDED, or it is PENDING and handed out again; never both."""
    lease = (submit(), poll("W"))
    end = (poll("C"), counts())
    meet(case, before=lease, A=(complete("before", 1),), B=(fail("before", 1),), after=end)


@check(
    task=3,
    points=2,
    promise="A job that is failed while somebody polls is handed out whole, or not yet.",
    needs=ALONE,
)
def fail_meets_poll(case: Case) -> None:
    """The poll comes before the fail and gives nothing, or after it: then it is the second attempt."""
    lease = (submit(), poll("W"))
    meet(case, before=lease, A=(fail("before", 1),), B=(poll("B"), view("J1")), after=(view("J1"), counts()))


@check(
    task=3,
    points=3,
    promise="Two jobs that are submitted at the same time have two ids, and none is lost.",
    needs=ALONE,
)
def two_submits(case: Case) -> None:
    """J1 and J2, whichever comes first, and both can be had."""
    meet(case, A=(submit("mail"),), B=(submit("report"),), after=(poll("C"), poll("C"), poll("C"), counts()))


@check(
    task=3,
    points=2,
    promise="A job that is submitted while somebody polls is handed out, at once or next time.",
    needs=ALONE,
)
def submit_meets_poll(case: Case) -> None:
    """Nothing breaks, nothing is lost."""
    before = (submit(), poll("W"))
    meet(case, before=before, A=(submit("report"),), B=(poll("B"),), after=(poll("C"), counts()))


@check(
    task=4,
    points=1,
    promise="The counts add up, whatever happens meanwhile.",
    needs=ALONE,
)
def counts_add_up(case: Case) -> None:
    """One job is handed out and completed while somebody counts."""
    A = (poll("A"), complete("A", 0))  # noqa: N806  the worker's name
    meet(case, before=(submit(), submit()), A=A, B=(counts(), counts()), after=(counts(),))


@check(
    task=4,
    points=2,
    promise="Whoever counts while jobs come in and move gets three numbers of one instant.",
    needs=ALONE,
)
def counts_of_one_instant(case: Case) -> None:
    """J1 is done, then J2 handed out, then J3 submitted: there are four instants, and no fifth."""
    before = (submit(), submit("report"), poll("W"))
    A = (complete("before", 2), poll("A"), submit())  # noqa: N806  the worker's name
    meet(case, before=before, A=A, B=(counts(),), after=(counts(),))


@check(
    task=4,
    points=2,
    promise="A view shows a job before a change or after it, never in the middle.",
    needs=ALONE,
)
def view_is_whole(case: Case) -> None:
    """PENDING with no attempt, or RUNNING with one."""
    meet(case, before=(submit(),), A=(poll("A"),), B=(view("J1"),), after=(view("J1"),))


@check(task=4, points=2, promise="Whoever was refused, or got nothing, keeps nobody else waiting.", needs=ALONE)
def nobody_waits(case: Case) -> None:
    """A shows a wrong token and polls in vain; B and all who come later must not wait for A."""
    A = (complete_with("J1", "please"), poll("A"), poll("A"))  # noqa: N806  the worker's name
    meet(case, before=(submit(),), A=A, B=(poll("B"),), after=(submit(), poll("C"), counts()))
