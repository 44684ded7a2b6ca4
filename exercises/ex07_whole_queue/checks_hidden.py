"""The hidden families of ex07. Their numbers are drawn anew for each run; a report names the family only."""

import random
from collections.abc import Callable

from exercises.grader import Case, check
from exercises.staging.whole_queue import WholeQueue, made_up, walk

TIMES = 3
ABOUT_TOKENS = {"tokens", "anything"}  # only there a repeated token breaks the promise


def told_hidden(
    case: Case, family: str, story: Callable[[WholeQueue, random.Random], None], **limits: int
) -> None:
    """Tell a story of this family some times, each time with other numbers."""
    chance = case.hide(family)
    for _ in range(TIMES):
        story(WholeQueue(case, **limits, tokens=family in ABOUT_TOKENS), chance)


@check(
    task=2,
    points=3,
    promise="Hidden family 'order': whoever polls gets the best of the ready jobs.",
    hidden="order",
    needs=("happy_path",),
)
def order(case: Case) -> None:
    """Priorities of both signs, equal and unequal run_ats, more than ten jobs, some for later."""

    def story(queue: WholeQueue, chance: random.Random) -> None:
        early, late = chance.choice((0, chance.randint(10, 900))), chance.randint(1_100, 5_000)
        queue.at(1_000)
        for run_at in (None, early, early, late, None, early, None, None, early, late, None, None):
            queue.submit(priority=chance.choice((-1, 0, 0, 1)), run_at=run_at)
        for priority in (0, 0, 3, -2):
            queue.submit(priority=priority, run_at=early)
        for _ in range(15):
            queue.poll("A", 60_000)
        queue.at(late)
        for _ in range(3):
            queue.poll("B", 60_000)

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

    def story(queue: WholeQueue, chance: random.Random) -> None:
        lease = chance.randint(100, 900)
        first: tuple[Callable[..., None], ...] = (
            queue.report,
            lambda hold: queue.report(hold, "late"),
            lambda hold: queue.renew(hold, lease),
            lambda hold: queue.view(int(hold.job_id[1:])),
            lambda hold: queue.cancel(int(hold.job_id[1:])),
            lambda hold: queue.retry_dead(int(hold.job_id[1:])),
            lambda _: queue.dead(),
        )
        for meet in first:
            number = queue.submit()
            hold = queue.poll("A", lease)
            queue.passes(lease - 1)
            queue.view(number)
            queue.passes(1)
            meet(hold)
            queue.view(number)
            queue.passes(10_000)
            if (rest := queue.poll("B", 60_000)).job_id:
                queue.report(rest)

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

    def story(queue: WholeQueue, chance: random.Random) -> None:
        queue.submit()
        for _ in range(9):
            hold = queue.poll("A", 200)
            if chance.choice((True, False)):
                queue.passes(chance.randint(0, 199))
                queue.report(hold, "again")
            else:
                queue.passes(chance.randint(201, 299))
            queue.view_run_at(1)
            queue.passes(queue.oracle.jobs[1].run_at - queue.now - 1)
            queue.poll("B")
            queue.passes(1)
        queue.view(1)

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

    def story(queue: WholeQueue, chance: random.Random) -> None:
        queue.submit()
        queue.submit()
        one, two = queue.poll("A", 1_000), queue.poll("A", 90_000)
        queue.report(two, chance.choice((None, "no")), number=1)
        queue.report(made_up(1), "no")
        queue.passes(chance.randint(2_000, 3_000))
        again = queue.poll("A", 90_000)
        queue.report(one, chance.choice((None, "late")))
        queue.renew(one, 5_000)
        queue.report(again, "disk full")
        queue.retry_dead(1)
        third = queue.poll("A", 90_000)
        for old in (one, again, two):
            queue.report(old, chance.choice((None, "late")), number=1)
        queue.report(third)
        queue.report(third)

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

    def story(queue: WholeQueue, chance: random.Random) -> None:
        queue.submit()
        hold = queue.poll("A", 5_000)
        for _ in range(4):
            queue.passes(chance.randint(100, 400))
            queue.renew(hold, chance.choice((1, 900, 5_000)))
        queue.passes(queue.oracle.jobs[1].lease_until - queue.now - 1)
        queue.renew(hold, 1_000)
        queue.passes(1_000)
        queue.renew(hold, 1_000)
        queue.view(1)

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

    def story(queue: WholeQueue, chance: random.Random) -> None:
        for _ in range(11):
            queue.submit(priority=chance.randint(-1, 1))
        for _ in range(11):
            hold = queue.poll("A", 500)
            if chance.choice((True, False)):
                queue.report(hold, "broken")
        queue.passes(1_000)
        queue.dead()
        back = chance.sample(range(1, 12), 4)
        for number in back:
            queue.retry_dead(number)
        queue.dead()
        for number in back:
            queue.view_run_at(number)
        for hold in [queue.poll("B", 90_000) for _ in back]:
            queue.report(hold, "broken again")
        queue.dead()
        queue.retry_dead(back[0])
        queue.retry_dead(back[0])

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

    def story(queue: WholeQueue, chance: random.Random) -> None:
        for _ in range(3):
            queue.submit()
        hold = queue.poll("A")
        queue.cancel(1)
        queue.cancel(2)
        queue.report(hold, "again")
        queue.passes(chance.randint(0, 900))
        queue.cancel(1)
        queue.passes(5_000)
        last = queue.poll("A")
        queue.report(last)
        queue.cancel(3)
        queue.poll("A")
        dead = queue.submit()
        for _ in range(2):
            queue.report(queue.poll("A"), "again")
            queue.passes(chance.randint(1_000, 5_000))
        queue.cancel(dead)

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
    told_hidden(case, "anything", lambda queue, chance: walk(queue, chance, turns=60))
