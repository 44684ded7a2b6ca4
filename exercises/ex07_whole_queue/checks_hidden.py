"""The hidden families of ex07. Their numbers are drawn anew for each run; a report names the family only."""

import random
from collections.abc import Callable

from exercises.grader import Case, check
from exercises.staging.whole_stage import WholeStage, made_up, walk

TIMES = 3
ABOUT_TOKENS = {"tokens", "anything"}  # only there a repeated token breaks the promise


def told_hidden(
    case: Case, family: str, story: Callable[[WholeStage, random.Random], None], **limits: int
) -> None:
    """Tell a story of this family some times, each time with other numbers."""
    chance = case.hide(family)
    for _ in range(TIMES):
        story(WholeStage(case, **limits, tokens=family in ABOUT_TOKENS), chance)


@check(
    task=2,
    points=3,
    promise="Hidden family 'order': whoever polls gets the best of the ready jobs.",
    hidden="order",
    needs=("happy_path",),
)
def order(case: Case) -> None:
    """Priorities of both signs, equal and unequal run_ats, more than ten jobs, some for later."""

    def story(stage: WholeStage, chance: random.Random) -> None:
        early, late = chance.choice((0, chance.randint(10, 900))), chance.randint(1_100, 5_000)
        stage.at(1_000)
        for run_at in (None, early, early, late, None, early, None, None, early, late, None, None):
            stage.brings(priority=chance.choice((-1, 0, 0, 1)), run_at=run_at)
        for priority in (0, 0, 3, -2):
            stage.brings(priority=priority, run_at=early)
        for _ in range(15):
            stage.asks("A", 60_000)
        stage.at(late)
        for _ in range(3):
            stage.asks("B", 60_000)

    told_hidden(case, "order", story)


@check(
    task=2,
    points=3,
    promise="Hidden family 'ends': a lease is good before its end and over at it, in every call.",
    hidden="ends",
    needs=("happy_path",),
)
def ends(case: Case) -> None:
    """Each call in turn is the first to meet the end of a lease."""

    def story(stage: WholeStage, chance: random.Random) -> None:
        lease = chance.randint(100, 900)
        first: tuple[Callable[..., None], ...] = (
            stage.reports,
            lambda hold: stage.reports(hold, "late"),
            lambda hold: stage.renews(hold, lease),
            lambda hold: stage.looks(int(hold.job_id[1:])),
            lambda hold: stage.cancels(int(hold.job_id[1:])),
            lambda hold: stage.revives(int(hold.job_id[1:])),
            lambda _: stage.counts_the_dead(),
        )
        for meet in first:
            number = stage.brings()
            hold = stage.asks("A", lease)
            stage.passes(lease - 1)
            stage.looks(number)
            stage.passes(1)
            meet(hold)
            stage.looks(number)
            stage.passes(10_000)
            if (rest := stage.asks("B", 60_000)).job_id:
                stage.reports(rest)

    told_hidden(case, "ends", story)


@check(
    task=2,
    points=3,
    promise="Hidden family 'backoff': each retry waits as long as the rule says, no more, no less.",
    hidden="backoff",
    needs=("happy_path",),
)
def backoff(case: Case) -> None:
    """Many attempts, failed or over; looked at one millisecond before the retry, and at it."""

    def story(stage: WholeStage, chance: random.Random) -> None:
        stage.brings()
        for _ in range(9):
            hold = stage.asks("A", 200)
            if chance.choice((True, False)):
                stage.passes(chance.randint(0, 199))
                stage.reports(hold, "again")
            else:
                stage.passes(chance.randint(201, 299))
            stage.looks_when(1)
            stage.passes(stage.model.jobs[1].run_at - stage.now - 1)
            stage.asks("B")
            stage.passes(1)
        stage.looks(1)

    case_limits = {"most": 50, "base": 300, "cap": 20_000}
    told_hidden(case, "backoff", story, **case_limits)


@check(
    task=2,
    points=2,
    promise="Hidden family 'tokens': only the latest hand-out of a job is heard.",
    hidden="tokens",
    needs=("happy_path",),
)
def tokens(case: Case) -> None:
    """Zombies, tokens of other jobs, old and made-up ones; in one millisecond, and after a job came back."""

    def story(stage: WholeStage, chance: random.Random) -> None:
        stage.brings()
        stage.brings()
        one, two = stage.asks("A", 1_000), stage.asks("A", 90_000)
        stage.reports(two, chance.choice((None, "no")), number=1)
        stage.reports(made_up(1), "no")
        stage.passes(chance.randint(2_000, 3_000))
        again = stage.asks("A", 90_000)
        stage.reports(one, chance.choice((None, "late")))
        stage.renews(one, 5_000)
        stage.reports(again, "disk full")
        stage.revives(1)
        third = stage.asks("A", 90_000)
        for old in (one, again, two):
            stage.reports(old, chance.choice((None, "late")), number=1)
        stage.reports(third)
        stage.reports(third)

    told_hidden(case, "tokens", story, most=2, base=0)


@check(
    task=2,
    points=2,
    promise="Hidden family 'renewals': a lease counts from now, never shrinks, never comes back.",
    hidden="renewals",
    needs=("happy_path",),
)
def renewals(case: Case) -> None:
    """Short and long ones, many in a row, the last one too late."""

    def story(stage: WholeStage, chance: random.Random) -> None:
        stage.brings()
        hold = stage.asks("A", 5_000)
        for _ in range(4):
            stage.passes(chance.randint(100, 400))
            stage.renews(hold, chance.choice((1, 900, 5_000)))
        stage.passes(stage.model.jobs[1].lease_until - stage.now - 1)
        stage.renews(hold, 1_000)
        stage.passes(1_000)
        stage.renews(hold, 1_000)
        stage.looks(1)

    told_hidden(case, "renewals", story)


@check(
    task=2,
    points=2,
    promise="Hidden family 'dead letters': who is dead, in which order, and how one comes back.",
    hidden="dead letters",
    needs=("happy_path",),
)
def dead_letters(case: Case) -> None:
    """More than ten jobs die, by failure and by time; some come back, with their places and errors."""

    def story(stage: WholeStage, chance: random.Random) -> None:
        for _ in range(11):
            stage.brings(priority=chance.randint(-1, 1))
        for _ in range(11):
            hold = stage.asks("A", 500)
            if chance.choice((True, False)):
                stage.reports(hold, "broken")
        stage.passes(1_000)
        stage.counts_the_dead()
        back = chance.sample(range(1, 12), 4)
        for number in back:
            stage.revives(number)
        stage.counts_the_dead()
        for number in back:
            stage.looks_when(number)
        for hold in [stage.asks("B", 90_000) for _ in back]:
            stage.reports(hold, "broken again")
        stage.counts_the_dead()
        stage.revives(back[0])
        stage.revives(back[0])

    told_hidden(case, "dead letters", story, most=1)


@check(
    task=2,
    points=1,
    promise="Hidden family 'cancelling': only what nobody works on, and then for good.",
    hidden="cancelling",
    needs=("happy_path",),
)
def cancelling(case: Case) -> None:
    """PENDING jobs, also while they wait for a retry; RUNNING, done and dead ones are left alone."""

    def story(stage: WholeStage, chance: random.Random) -> None:
        for _ in range(3):
            stage.brings()
        hold = stage.asks("A")
        stage.cancels(1)
        stage.cancels(2)
        stage.reports(hold, "again")
        stage.passes(chance.randint(0, 900))
        stage.cancels(1)
        stage.passes(5_000)
        last = stage.asks("A")
        stage.reports(last)
        stage.cancels(3)
        stage.asks("A")
        dead = stage.brings()
        for _ in range(2):
            stage.reports(stage.asks("A"), "again")
            stage.passes(chance.randint(1_000, 5_000))
        stage.cancels(dead)

    told_hidden(case, "cancelling", story, most=2)


@check(
    task=2,
    points=2,
    promise="Hidden family 'anything': in any story whatever, each answer is what the rules say.",
    hidden="anything",
    needs=(
        "run_at_as_given",
        "best_first",
        "late_poll",
        "fresh_token",
        "at_the_instant",
        "whoever_comes_first",
        "rests",
        "crash_loop",
        "dead_and_back",
        "cancelled",
        "refused",
        order,
        ends,
        backoff,
        tokens,
        renewals,
        dead_letters,
        cancelling,
    ),
)
def anything(case: Case) -> None:
    """Calls drawn at random, at and around the instants that matter."""
    told_hidden(case, "anything", lambda stage, chance: walk(stage, chance, turns=60))
