"""What an answer to ex01 must promise.

Each check tells one short story; when it goes wrong, the story is the report.
"""

import random
from collections.abc import Sequence

from exercises.drawn import tell_drawn
from exercises.grader import Case, check
from exercises.plain_stage import PlainStage
from exercises.queue_stage import seconds

STEPS = 60


class Room(PlainStage):
    """A waiting room of the answer, in the words of the task."""

    def __init__(self, case: Case) -> None:
        super().__init__(case, "WaitingRoom")
        self._submitted = 0

    def submits(self, priority: int = 0, run_at: int = 0) -> None:
        """Submit one job; its id must be the next one."""
        self._submitted += 1
        words = f"submit, priority {priority}, run_at {seconds(run_at)} s"
        self.gives(words, "submit", priority, run_at, gives=f"J{self._submitted}", what="job id")

    def submits_plainly(self) -> None:
        """Submit one job, and say nothing about it."""
        self._submitted += 1
        self.gives("submit", "submit", gives=f"J{self._submitted}", what="job id")

    def best(self, now: int, job_id: str | None) -> None:
        """Ask who is best."""
        self.gives(f"best at {seconds(now)} s", "best", now, gives=job_id, what="best job")

    def takes(self, now: int, job_id: str | None) -> None:
        """Take the best job."""
        self.gives(f"take at {seconds(now)} s", "take", now, gives=job_id, what="job taken")

    def gets_back(self, job_id: str, run_at: int) -> None:
        """Give a job back."""
        self.asks(
            f"give back {job_id}, run_at {seconds(run_at)} s", "give_back", job_id, run_at, what="accepted"
        )


@check(task=1, points=1, promise="Jobs are called J1, J2, ..., and a job that waits alone is the best.")
def happy_path(case: Case) -> None:
    """One job: the least that a waiting room can do."""
    room = Room(case)
    room.best(0, None)
    room.submits()
    room.best(1_000, "J1")
    room.submits()


@check(task=1, points=1, promise="A job whose time is to come is not ready.", needs=(happy_path,))
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


@check(task=3, points=1, promise="A job that was taken is not handed out again.", needs=(happy_path,))
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
    promise="Jobs are taken in the order of rule 3, to the last one.",
    needs=(
        taken_is_gone,
        plain_job,
        urgent_stays_first,
        later_stays_behind,
        below_zero,
        priority_before_age,
        two_before_ten,
        not_yet,
        ready_at_the_instant,
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
    needs=(taken_is_gone,),
)
def waits_again(case: Case) -> None:
    """A mail could not be sent and is tried again later."""
    room = Room(case)
    room.submits(run_at=0)
    room.takes(0, "J1")
    room.gets_back("J1", 3_000)
    room.takes(2_999, None)
    room.takes(3_000, "J1")
    room.takes(3_000, None)


@check(
    task=3,
    points=1,
    promise="A job that was given back keeps its priority, and its place in the order of submission.",
    needs=(waits_again, first_submitted, priority_first),
)
def keeps_its_place(case: Case) -> None:
    """J1 is taken and comes back; J2 and J3 were submitted after it, whatever happened since."""
    room = Room(case)
    room.submits(priority=2)
    room.submits(priority=2)
    room.submits(priority=1)
    room.takes(0, "J1")
    room.gets_back("J1", 0)
    for job_id in ("J1", "J2", "J3"):
        room.takes(0, job_id)


@check(
    task=3,
    points=2,
    promise="In any story whatever, each answer is what the rules say.",
    needs=(taken_in_order, keeps_its_place, looking_changes_nothing),
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
