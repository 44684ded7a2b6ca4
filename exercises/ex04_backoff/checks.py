"""What an answer to ex04 must promise.

A jitter is judged by what it may do (its range), by what it must do (use the range, and differ between jobs),
and by what it depends on. Which number it draws is its own affair.
"""

import random
from collections.abc import Sequence

from exercises.drawn import tell_drawn
from exercises.grader import Case, check
from exercises.grader.case import Broken
from exercises.plain_stage import PlainStage

JOBS = 40
MANY_JOBS = 100  # a right answer that misses one value of a small range has odds of one to ten million
MOST_ALIKE = 5
BASE, CAP = 1_000, 60_000


class Rests(PlainStage):
    """A `Backoff` of the answer, in the words of the task."""

    def __init__(self, case: Case, base: int = BASE, cap: int = CAP) -> None:
        super().__init__(case, "Backoff", base, cap)

    def rests(self, attempt: int, millis: int) -> None:
        """Ask for the rest without chance."""
        self.gives(f"rest({attempt})", "rest", attempt, gives=millis, what="rest")

    def draws(self, kind: str, first: int | None, job: str = "J1", generation: int = 1, seed: int = 7) -> int:
        """Draw one rest; it must be a whole number."""
        words = f"{kind}({first}, seed {seed}, {job}, generation {generation})"
        drawn = self.asks(words, kind, first, seed, job, generation, what="a whole number")
        if type(drawn) is not int:
            self._case.broken("a rest that is an int", repr(drawn), "wrong type")
        return drawn

    def within(self, kind: str, first: int | None, least: int, most: int, jobs: int = JOBS) -> list[int]:
        """Draw for many jobs; each rest must lie in the range. Keeps only the last step in the trace."""
        before, found = self._case.trace, []
        for number in range(1, jobs + 1):
            self._case.retell(before)
            found.append(self.draws(kind, first, f"J{number}"))
            if not least <= found[-1] <= most:
                how = "more than the most" if found[-1] > most else "less than the least"
                self._case.broken(f"a rest from {least} to {most}", f"a rest of {found[-1]}", how)
        ends = f"{min(found)} to {max(found)}, {len(set(found))} different ones"
        self._case.retell((*before, f"{kind}({first}) for J1 to J{jobs} -> {ends}"))
        return found

    def uses(self, kind: str, first: int | None, least: int, most: int) -> None:
        """Draw for many jobs from a small range; each value must come."""
        found = {*self.within(kind, first, least, most, MANY_JOBS)}
        if missing := [value for value in range(least, most + 1) if value not in found]:
            self._case.broken(
                f"each of {least} to {most}, sooner or later", f"never {missing[0]}", "never drawn"
            )

    def spreads(self, kind: str, first: int | None, least: int, most: int) -> None:
        """Draw for many jobs from a large range; hardly any two may agree."""
        found = self.within(kind, first, least, most)
        if (largest := max(found.count(value) for value in found)) > MOST_ALIKE:
            self._case.broken("rests that differ between jobs", f"{largest} of {JOBS} jobs rest alike", "alike")


@check(task=1, points=1, promise="After the first failure a job rests for the base.")
def happy_path(case: Case) -> None:
    """One failure: what every tutorial shows."""
    Rests(case).rests(1, 1_000)


@check(task=1, points=1, promise="The second rest is twice the first.", needs=(happy_path,))
def second_rest(case: Case) -> None:
    """One doubling for each further attempt."""
    Rests(case).rests(2, 2_000)


@check(task=1, points=1, promise="Each rest is twice the one before.", needs=(second_rest,))
def doubled_each_time(case: Case) -> None:
    """1, 2, 4, 8, 16 and 32 seconds."""
    rests = Rests(case)
    for attempt, millis in enumerate((1_000, 2_000, 4_000, 8_000, 16_000, 32_000), start=1):
        rests.rests(attempt, millis)


@check(task=1, points=2, promise="No rest is longer than the cap.", needs=(doubled_each_time,))
def capped(case: Case) -> None:
    """The seventh doubling would be 64 s; the cap is 60 s."""
    rests = Rests(case)
    for attempt in (7, 8, 30):
        rests.rests(attempt, 60_000)


@check(
    task=1,
    points=1,
    promise="A base of 0 is never any rest, and a base at the cap is always the cap.",
    needs=(happy_path,),
)
def at_the_edges(case: Case) -> None:
    """Whoever wants no rest, and whoever wants always the same."""
    for base, cap in ((0, 0), (0, 500), (500, 500), (1, 1)):
        rests = Rests(case, base, cap)
        for attempt in (1, 2, 9):
            rests.rests(attempt, base)


@check(
    task=1,
    points=2,
    promise="After very many failures the answer is the cap, as ever, and it comes at once.",
    needs=(capped,),
)
def very_many(case: Case) -> None:
    """A job that fails every minute has failed half a million times after a year."""
    rests = Rests(case)
    try:
        for attempt in (63, 64, 65, 1_000, 1_100, 100_000, 1_000_000_000):
            rests.rests(attempt, 60_000)
    except Broken as broken:
        if broken.got.startswith("OverflowError"):
            broken.how = "overflow"  # only a float does that; there are other ways to break off here
        raise
    Rests(case, 0, 60_000).rests(1_000_000_000, 0)


@check(
    task=2,
    points=1,
    promise="Full jitter rests for at most the capped rest, and for nothing at the least.",
    needs=(capped,),
)
def full_within(case: Case) -> None:
    """Forty jobs after their third failure, and after their twentieth."""
    rests = Rests(case)
    rests.within("full", 3, 0, 4_000)
    rests.within("full", 20, 0, 60_000)


@check(task=2, points=1, promise="Full jitter uses the whole range, both ends included.", needs=(full_within,))
def full_uses(case: Case) -> None:
    """A range of five values, and a hundred jobs."""
    Rests(case, 1, 4).uses("full", 3, 0, 4)
    Rests(case, 0, 4).within("full", 3, 0, 0)


@check(
    task=2,
    points=2,
    promise="Jobs that failed together do not come back together.",
    needs=(full_within,),
)
def full_spreads(case: Case) -> None:
    """Forty jobs, each after its third failure, in its first hand-out."""
    Rests(case).spreads("full", 3, 0, 4_000)


@check(
    task=2,
    points=2,
    promise="At the cap, too, jobs that failed together do not come back together.",
    needs=(full_spreads,),
)
def full_spreads_at_the_cap(case: Case) -> None:
    """Forty jobs after their twentieth failure: the outage is long, and all of them are at the cap."""
    Rests(case).spreads("full", 20, 0, 60_000)


@check(
    task=2,
    points=2,
    promise="The same seed, job and generation give the same rest, whatever was drawn before.",
    needs=(full_within,),
)
def same_again(case: Case) -> None:
    """Once more, after other draws, and from another object: a replay must find the same rests."""
    rests = Rests(case)
    first = rests.draws("full", 3)
    rests.draws("full", 3, "J2")
    case.same("rest for J1", first, rests.draws("full", 3))
    case.same("rest for J1", first, Rests(case).draws("full", 3))


@check(
    task=2,
    points=1,
    promise="Another seed gives other rests.",
    needs=(full_within,),
)
def seed_counts(case: Case) -> None:
    """Two systems with two seeds do not move in step."""
    _differs(case, [Rests(case).draws("full", 3, seed=seed) for seed in range(8)], "seed")


@check(
    task=2,
    points=1,
    promise="Another hand-out of the same job gives another rest.",
    needs=(full_within,),
)
def generation_counts(case: Case) -> None:
    """Whoever had bad luck once must not have it each time."""
    _differs(case, [Rests(case).draws("full", 3, generation=one) for one in range(1, 9)], "generation")


def _differs(case: Case, drawn: list[int], what: str) -> None:
    if len(set(drawn)) == 1:
        case.broken(f"rests that differ by the {what}", f"{drawn[0]} each time", f"no {what}")


@check(
    task=3,
    points=2,
    promise="Equal jitter rests for at least half of the capped rest, and at most for all of it.",
    needs=(capped,),
)
def equal_within(case: Case) -> None:
    """After the third failure 2 s to 4 s, after the twentieth 30 s to 60 s."""
    rests = Rests(case)
    rests.within("equal", 3, 2_000, 4_000)
    rests.within("equal", 20, 30_000, 60_000)


@check(
    task=3,
    points=1,
    promise="Equal jitter uses its whole range, also where the rest is an odd number.",
    needs=(equal_within,),
)
def equal_uses(case: Case) -> None:
    """Half of 7, rounded down, is 3: so 3 to 7."""
    Rests(case, 7, 7).uses("equal", 1, 3, 7)
    Rests(case, 1, 8).uses("equal", 4, 4, 8)
    Rests(case, 1, 1).uses("equal", 4, 0, 1)


@check(task=3, points=1, promise="With equal jitter, too, jobs come back one by one.", needs=(equal_within,))
def equal_spreads(case: Case) -> None:
    """Forty jobs, after the third failure and at the cap."""
    rests = Rests(case)
    rests.spreads("equal", 3, 2_000, 4_000)
    rests.spreads("equal", 20, 30_000, 60_000)


@check(
    task=4,
    points=1,
    promise="The first decorrelated rest is from the base to three times the base.",
    needs=(happy_path,),
)
def decorrelated_at_first(case: Case) -> None:
    """There was no rest before: `previous` is None."""
    Rests(case).within("decorrelated", None, 1_000, 3_000)


@check(
    task=4,
    points=1,
    promise="A decorrelated rest is from the base to three times the rest before.",
    needs=(decorrelated_at_first,),
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
        very_many,
        at_the_edges,
        full_uses,
        full_spreads_at_the_cap,
        same_again,
        seed_counts,
        generation_counts,
        equal_uses,
        equal_spreads,
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
            if not least <= drawn <= most:
                case.broken(f"a rest from {least} to {most}", f"a rest of {drawn}", "out of range")
