"""What an answer to ex09 must promise in task 4, and at last in any story. Goes on from checks.py."""

import random
from collections.abc import Sequence

from exercises.grader import Case, check
from exercises.staging.drawn_stories import tell_drawn
from exercises.staging.tenant_stage import Rules, Tenants

STEPS = 60


@check(task=4, points=1, promise="With equal costs turns by cost are turns by number.", needs=("in_turn",))
def equal_costs(case: Case) -> None:
    """Every job costs as much as one turn is worth."""
    queue = Tenants(case, quantum=10)
    queue.fills(cost=10, A=4, B=2, C=3)
    queue.polls("ABCABCACA-")


@check(
    task=4,
    points=2,
    promise="A tenant with dear jobs gets as much work done as one with cheap ones, not as many jobs.",
    needs=(equal_costs,),
)
def by_cost(case: Case) -> None:
    """A's jobs cost 10, B's 30: three of A for one of B."""
    queue = Tenants(case, quantum=10)
    queue.fills(cost=10, A=9)
    queue.fills(cost=30, B=3)
    queue.polls("AAABAAABAAAB-")


@check(
    task=4,
    points=1,
    promise="A tenant begins with no credit at all, and one that lacks 1 cannot pay.",
    needs=(equal_costs,),
)
def begins_with_nothing(case: Case) -> None:
    """The quantum is 10. A's job costs 11, so B's of 10 comes first. Then A has two, of 5 and of 6."""
    queue = Tenants(case, quantum=10)
    queue.submits("A", 11)
    queue.submits("B", 10)
    queue.polls("BA-")
    queue = Tenants(case, quantum=10)
    queue.submits("A", 5)
    queue.submits("A", 6)
    queue.submits("B", 10)
    queue.polls("ABA-")


@check(
    task=4,
    points=1,
    promise="A turn goes on while its credit covers the next job.",
    needs=(equal_costs,),
)
def several_in_a_turn(case: Case) -> None:
    """The quantum is worth three jobs of A. In the second story nothing is said of the cost: it is 1."""
    queue = Tenants(case, quantum=30)
    queue.fills(cost=10, A=6, B=2)
    queue.polls("AAA")
    queue = Tenants(case, quantum=2)
    for tenant in "AAB":
        queue.submits_plainly(tenant)
    queue.polls("AA")


@check(
    task=4,
    points=1,
    promise="A turn that goes on gets no further quantum.",
    needs=(several_in_a_turn,),
)
def one_quantum_a_turn(case: Case) -> None:
    """20 are worth two jobs of 10; then it is B's turn, and two of B's."""
    queue = Tenants(case, quantum=20)
    queue.fills(cost=10, A=6, B=6)
    queue.polls("AABBAABBAABB-")


@check(
    task=4,
    points=1,
    promise="What is left of the credit is kept for the next turn.",
    needs=(by_cost, several_in_a_turn),
)
def change_is_kept(case: Case) -> None:
    """A's jobs cost 15 and its turn is worth 20: one, one, and then two in one turn."""
    queue = Tenants(case, quantum=20)
    queue.fills(cost=15, A=9)
    queue.fills(cost=20, B=9)
    queue.polls("ABABAABABABAAB")


@check(
    task=4,
    points=2,
    promise="Who has nothing to do saves nothing up.",
    needs=(change_is_kept,),
)
def idle_saves_nothing(case: Case) -> None:
    """A has 20 left when its only job is gone. When it comes back, it begins with one quantum."""
    queue = Tenants(case, quantum=30)
    queue.fills(cost=10, A=1)
    queue.fills(cost=10, B=9)
    queue.polls("ABBB")
    queue.fills(cost=10, A=6)
    queue.polls("AAABBBAAA")


@check(
    task=4,
    points=1,
    promise="A tenant at its limit gets no quantum, and keeps what it has.",
    needs=(change_is_kept, "passed_over", "room_again"),
)
def credit_at_the_limit(case: Case) -> None:
    """A has 5 left and is at its limit while B has three turns. Then 5 and one quantum are just one job."""
    queue = Tenants(case, quantum=20, max_running=2)
    for cost in (15, 25, 25):
        queue.submits("A", cost)
    queue.submits("A", 10, "H")
    queue.fills(cost=20, B=5)
    queue.polls("A", "H")
    queue.polls("ABB-")
    queue.completes("J5")
    queue.completes("J6")
    queue.polls("B")
    for job_id in ("J7", "J4", "J1"):
        queue.completes(job_id)
    queue.polls("AB")


@check(
    task=4,
    points=1,
    promise="Each band has its own credits.",
    needs=(change_is_kept, "own_turn"),
)
def own_credits(case: Case) -> None:
    """A has saved in H. In N that is worth nothing."""
    queue = Tenants(case, quantum=10)
    for band in ("H", "N"):
        queue.submits("A", 30, band)
        queue.submits("A", 30, band)
        for _ in range(6):
            queue.submits("B", 10, band)
    queue.polls("BB", "H")
    queue.polls("BBABBBAB", "N")


@check(
    task=4,
    points=1,
    promise="A job that costs forty turns comes after forty turns.",
    needs=(by_cost,),
)
def forty_turns(case: Case) -> None:
    """A has more than forty jobs of 10, B has one of 400."""
    queue = Tenants(case, quantum=10)
    queue.fills(cost=10, A=42)
    queue.fills(cost=400, B=1)
    queue.polls("A" * 40 + "BAA-")


@check(
    task=4,
    points=2,
    promise="However many rounds it takes until somebody can pay, the answer comes, and at once.",
    needs=(by_cost,),
)
def very_dear(case: Case) -> None:
    """The quantum is 1. A's jobs cost a million million, B's twice that."""
    million_million = 10**12
    queue = Tenants(case, quantum=1)
    queue.fills(cost=million_million, A=4)
    queue.fills(cost=2 * million_million, B=2)
    queue.polls("AABAAB-")


@check(
    task=4,
    points=2,
    promise="In any story whatever, each hand-out is what the rules say.",
    needs=(
        "remembered_by_name",
        "one_job_first",
        "limited_in_a_batch",
        "limited_over_all_bands",
        "own_turn",
        one_quantum_a_turn,
        idle_saves_nothing,
        credit_at_the_limit,
        own_credits,
        begins_with_nothing,
        forty_turns,
        very_dear,
    ),
)
def any_story(case: Case) -> None:
    """Jobs that come and go at random, compared with the rules of the task."""
    tell_drawn(case, (1, 2, 3), _draw, _tell)


Step = tuple[str, int, int]


def _draw(chance: random.Random) -> list[Step]:
    """The quantum and the limit, then steps: what is done, and two numbers that choose for whom and what."""
    story = [("settings", chance.choice((0, 3, 5, 20)), chance.choice((0, 0, 2, 3)))]
    acts = chance.choices(("submit", "poll", "many", "complete"), (8, 6, 1, 3), k=STEPS)
    return story + [(act, chance.randrange(1_000), chance.randint(1, 9)) for act in acts]


def _tell(case: Case, story: Sequence[Step]) -> None:
    settings = [step[1:] for step in story if step[0] == "settings"]
    quantum, limit = settings[0] if settings else (0, 0)
    queue, rules = Tenants(case, quantum, limit), Rules(quantum, limit)
    for act, number, cost in story:
        band = "NH"[number % 2]
        match act:
            case "submit":
                tenant = "ABCD"[number // 2 % 4]
                queue.submits(tenant, cost, band)
                rules.submit(tenant, cost, band)
            case "poll":
                queue.polls(rules.poll(band) or "-", band)
            case "many":
                served = [rules.poll(band) for _ in range(3)]
                queue.polls_many(3, "".join(tenant for tenant in served if tenant), band)
            case "complete" if queue.running:
                done = queue.running[number % len(queue.running)]
                rules.complete(queue.tenants[done])
                queue.completes(done)
