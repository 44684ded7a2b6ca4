"""What an answer to ex06 must promise when reports, submits and looks meet. Goes on from checks.py."""

from exercises.grader import Case, check
from exercises.staging.thread_stories import complete, complete_with, counts, fail, meet, poll, submit, view

ALONE = ("counted",)


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
