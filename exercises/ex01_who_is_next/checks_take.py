"""What an answer to ex01 must promise in task 3, and at last in any story. Goes on from checks.py."""

import random
from collections.abc import Sequence

from exercises.grader import Case, check
from exercises.staging.drawn_stories import tell_drawn
from exercises.staging.room_stage import Room

STEPS = 60


@check(task=3, points=1, promise="A job that was taken is not handed out again.", needs=("happy_path",))
def taken_is_gone(case: Case) -> None:
    """One job, two who ask."""
    room = Room(case)
    room.submits()
    room.takes(1_000, "J1")
    room.takes(1_000, None)
    room.best(1_000, None)


@check(
    task=3,
    points=1,
    promise="To take asks for the time as well: who is not ready is not handed out.",
    needs=(taken_is_gone, "not_yet", "ready_at_the_instant"),
)
def taken_when_ready(case: Case) -> None:
    """One millisecond before its time, and at the instant."""
    room = Room(case)
    room.submits(run_at=5_000)
    room.takes(4_999, None)
    room.takes(5_000, "J1")


@check(task=3, points=1, promise="An id is given once, also when its job was taken.", needs=(taken_is_gone,))
def ids_go_on(case: Case) -> None:
    """One was submitted, and it is gone: the next is the second all the same."""
    room = Room(case)
    room.submits()
    room.takes(1_000, "J1")
    room.submits()


@check(
    task=3,
    points=1,
    promise="Jobs are taken in the order of rule 3, to the last one.",
    needs=(
        taken_is_gone,
        taken_when_ready,
        "plain_job",
        "urgent_stays_first",
        "later_stays_behind",
        "below_zero",
        "priority_before_age",
        "holds_up_nobody",
        "two_before_ten",
    ),
)
def taken_in_order(case: Case) -> None:
    """The example of the task, and some more."""
    room = Room(case)
    for priority, run_at in ((0, 0), (5, 2_000), (0, 0), (-3, 0), (5, 1_000)):
        room.submits(priority, run_at)
    room.takes(1_999, "J5")
    for job_id in ("J2", "J1", "J3", "J4", None):
        room.takes(2_000, job_id)


@check(
    task=3,
    points=1,
    promise="A job that was given back waits again, until its new run_at.",
    needs=(taken_when_ready,),
)
def waits_again(case: Case) -> None:
    """A mail could not be sent and is tried again later."""
    room = Room(case)
    room.submits(run_at=0)
    room.takes(0, "J1")
    room.gets_back("J1", 3_000)
    room.takes(2_999, None)
    room.takes(3_000, "J1")


@check(
    task=3,
    points=1,
    promise="A job that was given back keeps its priority.",
    needs=(waits_again, "priority_before_age"),
)
def keeps_its_priority(case: Case) -> None:
    """The invoice comes back, and is as urgent as before."""
    room = Room(case)
    room.submits(priority=5)
    room.submits(priority=0)
    room.takes(0, "J1")
    room.gets_back("J1", 500)
    room.takes(1_000, "J1")


@check(
    task=3,
    points=1,
    promise="A job that was given back keeps its place in the order of submission.",
    needs=(waits_again, "first_submitted"),
)
def keeps_its_place(case: Case) -> None:
    """J1 is taken and comes back; J2 was submitted after it, whatever happened since."""
    room = Room(case)
    room.submits()
    room.submits()
    room.takes(0, "J1")
    room.gets_back("J1", 0)
    for job_id in ("J1", "J2", None):
        room.takes(0, job_id)


@check(
    task=3,
    points=1,
    promise="A job that comes back overtakes nobody that was submitted before it.",
    needs=(waits_again, "first_submitted"),
)
def overtakes_nobody(case: Case) -> None:
    """Both are taken and come back, first J1 and then J2."""
    room = Room(case)
    room.submits()
    room.submits()
    for job_id in ("J1", "J2"):
        room.takes(0, job_id)
    for job_id in ("J1", "J2"):
        room.gets_back(job_id, 0)
    room.takes(0, "J1")


@check(
    task=3,
    points=1,
    promise="It is the new run_at that counts in the order.",
    needs=(waits_again, "earlier_first"),
)
def ordered_by_the_new(case: Case) -> None:
    """J1 was due first; since it came back it is due after J2."""
    room = Room(case)
    room.submits(run_at=100)
    room.submits(run_at=500)
    room.takes(200, "J1")
    room.gets_back("J1", 900)
    room.takes(1_000, "J2")


@check(
    task=3,
    points=2,
    promise="In any story whatever, each answer is what the rules say.",
    needs=(
        "any_instant",
        taken_in_order,
        ids_go_on,
        keeps_its_priority,
        keeps_its_place,
        overtakes_nobody,
        ordered_by_the_new,
    ),
)
def any_story(case: Case) -> None:
    """Calls drawn at random, compared with the rules of the task."""
    tell_drawn(case, (1, 2, 3), _draw, _tell)


def _draw(chance: random.Random) -> list[tuple[str, int, int]]:
    """Steps: what is done, and two numbers for it."""
    acts = chance.choices(("submit", "best", "take", "give back"), (5, 3, 4, 2), k=STEPS)
    return [(act, chance.randint(-2, 2), chance.choice((0, 500, 999, 1_000, 1_001))) for act in acts]


def _tell(case: Case, story: Sequence[tuple[str, int, int]]) -> None:
    room = Room(case)
    waiting: dict[int, tuple[int, int]] = {}
    taken: dict[int, int] = {}
    count = 0
    for act, number, instant in story:
        ready = [(-priority, run_at, one) for one, (priority, run_at) in waiting.items() if run_at <= instant]
        best = min(ready)[2] if ready else None
        match act:
            case "submit":
                count += 1
                waiting[count] = (number, instant)
                room.submits(number, instant)
            case "best":
                room.best(instant, best and f"J{best}")
            case "take":
                room.takes(instant, best and f"J{best}")
                if best:
                    taken[best] = waiting.pop(best)[0]
            case "give back" if taken:
                back = sorted(taken)[number % len(taken)]
                waiting[back] = (taken.pop(back), instant)
                room.gets_back(f"J{back}", instant)
