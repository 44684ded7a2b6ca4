"""The examples of ex07 that anybody may read; a hidden family finds what they leave open."""

from exercises.grader import Case, check
from exercises.staging.whole_stage import WholeStage, made_up


@check(task=1, points=1, promise="A job is submitted, leased and completed.")
def happy_path(case: Case) -> None:
    """One job, one worker, no mishap."""
    stage = WholeStage(case)
    stage.brings("mail", "to Ada")
    stage.passes(1_000)
    stage.looks(1)
    a = stage.asks("A")
    stage.lease_has(a, type="mail", payload="to Ada")
    stage.looks(1)
    stage.asks("B")
    stage.reports(a)
    stage.asks("B")


@check(
    task=1,
    points=1,
    promise="A job's run_at is the instant that submit was told, also 0, and also one that is over.",
    needs=(happy_path,),
)
def run_at_as_given(case: Case) -> None:
    """J1 is for later, J2 was due before, J3 at 0, and J4 is for now."""
    stage = WholeStage(case)
    stage.passes(5_000)
    for run_at in (9_000, 1_000, 0, None):
        stage.looks_when(stage.brings(run_at=run_at))


@check(
    task=1,
    points=1,
    promise="The best ready job goes first: priority, then run_at, then order.",
    needs=(happy_path,),
)
def best_first(case: Case) -> None:
    """J1 is for later, J2 and J7 are usual, J3 is urgent, J4 and J6 were due before, J5 is less than usual."""
    stage = WholeStage(case)
    stage.passes(5_000)
    stage.brings(run_at=9_000, priority=5)
    stage.brings()
    stage.brings(priority=1)
    stage.brings(run_at=1_000)
    stage.brings(run_at=500, priority=-1)
    stage.brings(run_at=0)
    stage.brings()
    for _ in range(7):
        stage.asks("A")
    stage.at(9_000)
    stage.asks("A")


@check(
    task=1,
    points=1,
    promise="A lease that ended long ago failed at its end, not when somebody noticed.",
    needs=(happy_path,),
)
def late_poll(case: Case) -> None:
    """Leased until 5.0 s, seen at 60.0 s: ready since 6.0 s."""
    stage = WholeStage(case)
    stage.brings()
    stage.asks("A", 5_000)
    stage.at(60_000)
    stage.looks_when(1)
    stage.asks("B", 5_000)


@check(
    task=1,
    points=1,
    promise="Each hand-out has a token never given before, also after a failure or the end of a lease.",
    needs=(late_poll,),
)
def fresh_token(case: Case) -> None:
    """J1 is handed out three times: A fails it, C loses it, A has it again. B has J2, and J3 comes last.

    No job rests, and only the last two polls are at one instant: each kind of repeated token repeats elsewhere.
    """
    stage = WholeStage(case, most=9, base=0, tokens=True)
    stage.brings()
    first = stage.asks("A", 60_000)
    stage.passes(1_000)
    stage.brings()
    stage.passes(1_000)
    stage.asks("B", 60_000)
    stage.reports(first, "disk full")
    stage.passes(1_000)
    stage.asks("C", 1_000)
    stage.passes(2_000)
    stage.looks_when(1)
    stage.asks("A", 60_000)
    stage.brings(priority=1, run_at=0)
    stage.asks("A", 60_000)


@check(
    task=1,
    points=1,
    promise="At the instant of its end a lease is over, for whoever calls.",
    needs=(happy_path,),
)
def at_the_instant(case: Case) -> None:
    """Leased until 1.0 s: renewed at 0.999 s; the next end is met by a complete, and nobody has polled."""
    stage = WholeStage(case)
    stage.brings()
    a = stage.asks("A", 1_000)
    stage.at(999)
    stage.looks(1)
    stage.renews(a, 1_000)
    stage.at(1_999)
    stage.reports(a)
    stage.looks(1)


@check(
    task=1,
    points=1,
    promise="Whichever call comes first after the end of a lease, it sees that end.",
    needs=(happy_path,),
)
def whoever_comes_first(case: Case) -> None:
    """One attempt is allowed. A lease of 1 s ends, 1 s passes, and each time another method is called."""
    stage = WholeStage(case, most=1)
    for _ in range(2):
        stage.brings()
        stage.asks("A", 1_000)
    stage.passes(2_000)
    stage.counts_the_dead()
    for meet in (
        stage.reports,
        lambda hold: stage.reports(hold, "late"),
        lambda hold: stage.renews(hold, 1_000),
    ):
        stage.brings()
        hold = stage.asks("A", 1_000)
        stage.passes(2_000)
        meet(hold)
    number = stage.brings()
    stage.asks("A", 1_000)
    stage.passes(2_000)
    stage.revives(number)


@check(task=1, points=1, promise="Each rest is twice the one before, up to the longest.", needs=(happy_path,))
def rests(case: Case) -> None:
    """The base is 1 s, the longest rest 6 s: after the third and the fourth failure it is 4 and 6 s."""
    stage = WholeStage(case, most=9, cap=6_000)
    stage.brings()
    for looked_at in (False, False, True, True):
        hold = stage.asks("A")
        stage.reports(hold, "again")
        if looked_at:
            stage.looks_when(1)
        stage.at(stage.model.jobs[1].run_at)
    stage.asks("B")


@check(task=1, points=1, promise="After its last attempt a job is a dead letter.", needs=(happy_path,))
def crash_loop(case: Case) -> None:
    """Three attempts, three workers that vanish; polls at 0, 5, 10 and 15 s."""
    stage = WholeStage(case)
    stage.brings()
    for instant in (0, 5_000, 10_000, 15_000):
        stage.passes(instant - stage.now)
        stage.asks("A", 1_000)
    stage.looks(1)
    stage.counts_the_dead()


@check(
    task=1,
    points=1,
    promise="Dead letters are in order; one that is brought back begins anew, its old token stays worthless.",
    needs=(happy_path,),
)
def dead_and_back(case: Case) -> None:
    """One attempt is allowed. J1 dies, J2 too; J1 comes back and dies again; J2 comes back and is done."""
    stage = WholeStage(case, most=1, tokens=True)
    stage.brings()
    stage.brings(priority=1)
    second, first = stage.asks("A"), stage.asks("A")
    stage.reports(first, "disk full")
    stage.reports(second, "no paper")
    stage.reports(first, "late")
    stage.counts_the_dead()
    stage.passes(4_000)
    stage.revives(1)
    stage.looks_when(1)
    again = stage.asks("B")
    stage.reports(first)
    stage.reports(again, "disk full")
    stage.counts_the_dead()
    stage.revives(2)
    stage.reports(stage.asks("C"))


@check(
    task=1,
    points=1,
    promise="Only what nobody works on can be cancelled, and that also while it rests.",
    needs=(happy_path,),
)
def cancelled(case: Case) -> None:
    """Two attempts are allowed. J1 is PENDING, J2 fails twice, J3 is leased, and the lease ends."""
    stage = WholeStage(case, most=2)
    stage.brings()
    stage.cancels(1)
    stage.cancels(1)
    stage.brings()
    stage.reports(stage.asks("A"), "again")
    stage.passes(1_000)
    stage.reports(stage.asks("A"), "again")
    stage.cancels(2)
    stage.brings()
    stage.asks("A", 1_000)
    stage.cancels(3)
    stage.passes(1_500)
    stage.cancels(3)


@check(
    task=1,
    points=1,
    promise="What is done or cancelled stays so: it is no dead letter, and no call brings it back.",
    needs=(cancelled,),
)
def over_is_over(case: Case) -> None:
    """J1 is cancelled, J2 is done, J3 is dead after its one attempt."""
    stage = WholeStage(case, most=1)
    stage.brings()
    stage.cancels(1)
    for error in (None, "disk full"):
        stage.brings()
        stage.reports(stage.asks("A"), error)
    stage.counts_the_dead()
    for number in (1, 2):
        stage.revives(number)
        stage.cancels(number)
    stage.looks(1, 2, 3)


@check(task=1, points=1, promise="What cannot be done is refused with the agreed error.", needs=(happy_path,))
def refused(case: Case) -> None:
    """An unknown id, a made-up token, a state in which it makes no sense."""
    stage = WholeStage(case)
    for method in ("view", "cancel", "retry_dead"):
        stage.does_not_know(method)
    stage.does_not_know("complete", "J404:1")
    stage.does_not_know("fail", "J404:1", "disk full")
    stage.does_not_know("renew", "J404:1", 1_000)
    stage.brings()
    stage.reports(made_up(1))
    stage.refuses_as_illegal(1)
    stage.revives(1)
