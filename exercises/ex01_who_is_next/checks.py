"""What an answer to ex01 must promise in tasks 1 and 2.

Each check tells one short story; when it goes wrong, the story is the report.
"""

from exercises.grader import Case, check
from exercises.staging.room_stage import Room


@check(task=1, points=1, promise="Jobs are called J1, J2, ..., and a job that waits alone is the best.")
def happy_path(case: Case) -> None:
    """One job: the least that a waiting room can do."""
    room = Room(case)
    room.submits()
    room.best(1_000, "J1")
    room.submits()


@check(task=1, points=1, promise="Where nobody is ready there is no best: None.", needs=(happy_path,))
def nobody_there(case: Case) -> None:
    """An empty room."""
    Room(case).best(0, None)


@check(task=1, points=1, promise="A job whose time is to come is not ready.", needs=(nobody_there,))
def not_yet(case: Case) -> None:
    """A picture for later, and one millisecond before later."""
    room = Room(case)
    room.submits(run_at=5_000)
    room.best(4_999, None)
    room.submits(run_at=0)
    room.best(1_000, "J2")


@check(task=1, points=1, promise="At the very instant of its run_at a job is ready.", needs=(happy_path,))
def ready_at_the_instant(case: Case) -> None:
    """Due at 5.0 s means: at 5.0 s it may start."""
    room = Room(case)
    room.submits(run_at=5_000)
    room.best(5_000, "J1")


@check(task=1, points=1, promise="To look changes nothing: the best job is best again.", needs=(happy_path,))
def looking_changes_nothing(case: Case) -> None:
    """Somebody asks three times."""
    room = Room(case)
    room.submits()
    for _ in range(3):
        room.best(1_000, "J1")


@check(
    task=1,
    points=1,
    promise="Each answer is for the instant that is asked about, whatever was asked before.",
    needs=(looking_changes_nothing, not_yet, ready_at_the_instant),
)
def any_instant(case: Case) -> None:
    """Somebody looks ahead, at noon, and then asks who is ready now."""
    room = Room(case)
    room.submits(run_at=5_000)
    room.best(5_000, "J1")
    room.best(4_999, None)


@check(
    task=1,
    points=1,
    promise="A job submitted without anything else has priority 0, and is ready from the instant 0 on.",
    needs=(happy_path,),
)
def plain_job(case: Case) -> None:
    """The same as one for which both are said."""
    room = Room(case)
    room.submits_plainly()
    room.best(0, "J1")
    room = Room(case)
    room.submits(priority=0, run_at=0)
    room.submits_plainly()
    room.best(0, "J1")


@check(
    task=2, points=1, promise="Of two ready jobs the one with the higher priority is next.", needs=(happy_path,)
)
def priority_first(case: Case) -> None:
    """An urgent invoice comes in after a mail."""
    room = Room(case)
    room.submits(priority=0)
    room.submits(priority=5)
    room.best(1_000, "J2")


@check(task=2, points=1, promise="A job that is less urgent overtakes nobody.", needs=(happy_path,))
def urgent_stays_first(case: Case) -> None:
    """The urgent invoice was there first, then comes a mail."""
    room = Room(case)
    room.submits(priority=5)
    room.submits(priority=0)
    room.best(1_000, "J1")


@check(
    task=2,
    points=1,
    promise="Less than zero is a priority too: -1 comes before -5, and 0 before both.",
    needs=(priority_first,),
)
def below_zero(case: Case) -> None:
    """Work that may wait, and work that may wait longer."""
    room = Room(case)
    room.submits(priority=-5)
    room.submits(priority=-1)
    room.best(1_000, "J2")
    room.submits(priority=0)
    room.best(1_000, "J3")


@check(task=2, points=1, promise="With equal priority the earlier run_at is next.", needs=(happy_path,))
def earlier_first(case: Case) -> None:
    """J2 has been ready for longer than J1."""
    room = Room(case)
    room.submits(run_at=900)
    room.submits(run_at=500)
    room.best(1_000, "J2")


@check(task=2, points=1, promise="A job with a later run_at overtakes nobody.", needs=(happy_path,))
def later_stays_behind(case: Case) -> None:
    """J1 was submitted first and has been ready for longer."""
    room = Room(case)
    room.submits(run_at=500)
    room.submits(run_at=900)
    room.best(1_000, "J1")


@check(
    task=2,
    points=1,
    promise="Priority counts before run_at: an urgent job overtakes one that waits for longer.",
    needs=(priority_first, earlier_first),
)
def priority_before_age(case: Case) -> None:
    """J1 is ready for a second, J2 for a moment."""
    room = Room(case)
    room.submits(priority=0, run_at=0)
    room.submits(priority=1, run_at=1_000)
    room.best(1_000, "J2")


@check(
    task=2,
    points=1,
    promise="However urgent a job is, while its time is to come it holds up nobody.",
    needs=(urgent_stays_first, not_yet),
)
def holds_up_nobody(case: Case) -> None:
    """The urgent invoice is for later, and there is a mail to be sent meanwhile."""
    room = Room(case)
    room.submits(priority=5, run_at=5_000)
    room.submits(priority=0)
    room.best(1_000, "J2")


@check(task=2, points=1, promise="Of jobs that are alike the first submitted is next.", needs=(happy_path,))
def first_submitted(case: Case) -> None:
    """Three mails of one minute."""
    room = Room(case)
    for _ in range(3):
        room.submits(priority=1, run_at=700)
    room.best(1_000, "J1")


@check(
    task=2,
    points=1,
    promise="J2 was submitted before J10.",
    needs=(first_submitted, earlier_first),
)
def two_before_ten(case: Case) -> None:
    """Twelve jobs alike, but for J1, which is due last."""
    room = Room(case)
    room.submits(run_at=900)
    for _ in range(11):
        room.submits(run_at=500)
    room.best(1_000, "J2")
