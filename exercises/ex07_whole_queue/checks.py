"""The examples of ex07 that anybody may read: each is in the task text, with its times."""

from exercises.grader import Case, check
from exercises.whole_stage import WholeStage, made_up


@check(task=1, points=2, promise="A job is submitted, leased and completed.")
def happy_path(case: Case) -> None:
    """One job, one worker, no mishap."""
    stage = WholeStage(case)
    stage.brings("mail", "to Ada")
    stage.looks(1)
    a = stage.asks("A")
    stage.lease_has(a, type="mail", payload="to Ada")
    stage.looks(1)
    stage.asks("B")
    stage.reports(a)
    stage.asks("B")


@check(
    task=1,
    points=2,
    promise="The best ready job goes first: priority, then run_at, then order.",
    needs=(happy_path,),
)
def best_first(case: Case) -> None:
    """J1 is for later, J2 is usual, J3 is urgent, J4 is usual and was due before."""
    stage = WholeStage(case)
    stage.passes(5_000)
    stage.brings(run_at=9_000, priority=5)
    stage.brings()
    stage.brings(priority=1)
    stage.brings(run_at=1_000)
    for _ in range(4):
        stage.asks("A")
    stage.at(9_000)
    stage.asks("A")


@check(
    task=1,
    points=2,
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
    points=2,
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


@check(task=1, points=2, promise="After its last attempt a job is a dead letter.", needs=(happy_path,))
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
    points=2,
    promise="A dead job can be brought back, and its old token stays worthless.",
    needs=(happy_path,),
)
def dead_and_back(case: Case) -> None:
    """One attempt is allowed; it fails, the job is brought back, and the first worker reports once more."""
    stage = WholeStage(case, most=1)
    stage.brings()
    first = stage.asks("A")
    stage.reports(first, "disk full")
    stage.counts_the_dead()
    stage.revives(1)
    stage.asks("B")
    stage.reports(first)


@check(task=1, points=1, promise="What cannot be done is refused with the agreed error.", needs=(happy_path,))
def refused(case: Case) -> None:
    """An unknown id, a made-up token, a state in which it makes no sense."""
    stage = WholeStage(case)
    stage.does_not_know("view")
    stage.does_not_know("complete", "J404:1")
    stage.brings()
    stage.reports(made_up(1))
    stage.revives(1)
    stage.cancels(1)
    stage.cancels(1)
