"""What an answer to ex04 must promise in tasks 3 and 4, and at last for any numbers. Goes on from checks.py."""

import random
from collections.abc import Sequence

from exercises.grader import Case, check
from exercises.grader.judging.case import Broken
from exercises.staging.backoff_stage import ALL_THE_SAME, Rests, generation_counts, same_again, seed_counts
from exercises.staging.drawn_stories import tell_drawn


@check(
    task=3,
    points=2,
    promise="Equal jitter rests for at least half of the capped rest, and at most for all of it.",
    needs=("capped",),
)
def equal_jitter_in_its_range(case: Case) -> None:
    """After the third failure 2 s to 4 s, after the twentieth 30 s to 60 s."""
    rests = Rests(case)
    rests.within("equal", 3, 2_000, 4_000)
    rests.within("equal", 20, 30_000, 60_000)


@check(
    task=3,
    points=1,
    promise="Equal jitter uses its whole range, also where the rest is an odd number.",
    needs=(equal_jitter_in_its_range,),
)
def equal_jitter_uses_its_range(case: Case) -> None:
    """Half of 7, rounded down, is 3: so 3 to 7."""
    Rests(case, 7, 7).uses("equal", 1, 3, 7)
    Rests(case, 1, 8).uses("equal", 4, 4, 8)
    Rests(case, 1, 1).uses("equal", 4, 0, 1)


@check(
    task=3,
    points=1,
    promise="With equal jitter, too, jobs come back one by one.",
    needs=(equal_jitter_in_its_range,),
)
def equal_jitter_spreads(case: Case) -> None:
    """Forty jobs, after the third failure and at the cap."""
    rests = Rests(case)
    rests.spreads("equal", 3, 2_000, 4_000)
    rests.spreads("equal", 20, 30_000, 60_000)


@check(
    task=3,
    points=1,
    promise="Equal jitter, too, depends on seed, job and generation, and on nothing else.",
    needs=(equal_jitter_in_its_range,),
)
def what_equal_jitter_depends_on(case: Case) -> None:
    """The same for the same three, whatever was drawn before; another one for others."""
    same_again(case, "equal", 3)
    seed_counts(case, "equal", 3)
    generation_counts(case, "equal", 3)


@check(
    task=4,
    points=1,
    promise="The first decorrelated rest is from the base to three times the base.",
    needs=("first_rest",),
)
def decorrelated_at_first(case: Case) -> None:
    """There was no rest before: `previous` is None. Each job has an object of its own."""
    for number in range(1, 11):
        case.retell(())
        rests = Rests(case)
        rests.check_range(rests.draws("decorrelated", None, f"J{number}"), 1_000, 3_000)


@check(
    task=4,
    points=1,
    promise="A decorrelated rest depends on the rest before, seed, job and generation, and on nothing else.",
    needs=(decorrelated_at_first,),
)
def what_decorrelated_depends_on(case: Case) -> None:
    """The same for the same, whatever was drawn before; another one for others."""
    same_again(case, "decorrelated", 2_000)
    seed_counts(case, "decorrelated", 2_000)
    generation_counts(case, "decorrelated", 2_000)


@check(
    task=4,
    points=1,
    promise="Each decorrelated rest is equally likely: jobs do not pile up, not at the base either.",
    needs=(decorrelated_at_first,),
)
def decorrelated_spreads(case: Case) -> None:
    """Forty jobs that had no rest before, and forty that had one of 10 s."""
    rests = Rests(case)
    try:
        rests.spreads("decorrelated", 10_000, 1_000, 30_000)
        rests.spreads("decorrelated", None, 1_000, 3_000)
    except Broken as broken:
        if broken.how == ALL_THE_SAME and "(None, " in case.trace[-1]:
            broken.how = "no chance at first"
        raise


@check(
    task=4,
    points=1,
    promise="A decorrelated rest is from the base to three times the rest before.",
    needs=(decorrelated_spreads, what_decorrelated_depends_on),
)
def decorrelated_grows(case: Case) -> None:
    """The range in small, so that each value comes; the base is 1."""
    Rests(case, 1, 60).uses("decorrelated", None, 1, 3)
    Rests(case, 1, 60).uses("decorrelated", 2, 1, 6)


@check(
    task=4,
    points=2,
    promise="A decorrelated rest, too, is never longer than the cap, and never piles up there.",
    needs=(decorrelated_grows,),
)
def decorrelated_capped(case: Case) -> None:
    """The rest before was 40 s; three times that is beyond the cap of 60 s."""
    Rests(case).spreads("decorrelated", 40_000, 1_000, 60_000)
    Rests(case, 2, 5).uses("decorrelated", 4, 2, 5)


@check(
    task=4,
    points=1,
    promise="Where three times the rest before is less than the base, a decorrelated rest is the base.",
    needs=(decorrelated_grows,),
)
def base_at_least(case: Case) -> None:
    """A job may have rested for 0 ms before, which is a rest, and not none."""
    Rests(case).within("decorrelated", 0, 1_000, 1_000)
    Rests(case, 5, 5).within("decorrelated", 1, 5, 5)


@check(
    task=4,
    points=2,
    promise="For any base, cap and attempt whatever, each rest is what the rules say.",
    needs=(
        "very_many",
        "far_apart",
        "at_the_edges",
        "full_jitter_uses_its_range",
        "full_jitter_spreads_at_the_cap",
        "same_again",
        "seed_counts",
        "generation_counts",
        equal_jitter_uses_its_range,
        equal_jitter_spreads,
        what_equal_jitter_depends_on,
        decorrelated_capped,
        base_at_least,
    ),
)
def any_numbers(case: Case) -> None:
    """Numbers drawn at random, compared with the formulas of the task."""
    tell_drawn(case, (1, 2), _draw, _tell)


Numbers = tuple[int, int, int, int]


def _draw(chance: random.Random) -> list[Numbers]:
    """Steps: base, cap, attempt or rest before, number of the job."""
    drawn = []
    for number in range(1, 25):
        base = chance.choice((0, 1, 7, 1_000, 2**52 + 1))
        cap = base + chance.choice((0, 1, 5, 2**30, 2**53 - 1 - base))
        drawn.append((base, min(cap, 2**53 - 1), chance.randint(1, 70), number))
    return drawn


def _tell(case: Case, numbers: Sequence[Numbers]) -> None:
    for base, cap, attempt, number in numbers:
        rests = Rests(case, base, cap)
        whole = min(cap, base * 2 ** (attempt - 1))
        rests.rests(attempt, whole)
        most = max(base, min(cap, 3 * attempt))
        ranges = {"full": (0, whole), "equal": (whole // 2, whole), "decorrelated": (base, most)}
        for kind, (least, most) in ranges.items():
            drawn = rests.draws(kind, attempt, f"J{number}", number, number)
            rests.check_range(drawn, least, most)
