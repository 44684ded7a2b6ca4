"""The backoff of ex04, in the words of the task. What an answer must promise is in checks.toml."""

import random
from collections.abc import Sequence
from pathlib import Path

from exercises.grader import Case
from exercises.grader.judging.case import Broken, source_line
from exercises.grader.judging.records import SourceLine
from exercises.grader.running.process import NoAnswer
from exercises.staging.drawn_stories import tell_drawn
from exercises.staging.driver import Driver
from exercises.staging.story_tables import checks

JOBS = 40
MANY_JOBS = 100  # a right answer that misses one value of a small range has odds of one to ten million
MOST_ALIKE = 5
BASE, CAP = 1_000, 60_000
# The ways in which a check can fail here, beside those that every exercise knows.
NOT_INT, TWICE, TOO_LONG, TOO_SHORT = "not an int", "twice", "too long", "too short"
MORE, LESS = "more than the most", "less than the least"
NO_LEAST, NO_MOST, ENDS_EARLY, NEVER = "never the least", "never the most", "ends early", "never drawn"
ALIKE, ALL_THE_SAME = "alike", "all the same"


class Rests(Driver):
    """A `Backoff` of the answer. Each step names its base and its cap, so that it can be tried by hand."""

    def __init__(self, case: Case, base: int = BASE, cap: int = CAP) -> None:
        super().__init__(case, "Backoff", base, cap)
        self._name = f"Backoff({base:_}, {cap:_})"

    def rest(self, attempt: int, *, gives: int) -> None:
        """Ask for the rest without chance; it must be this one."""
        got = self.asks(f"{self._name}.rest({attempt})", "rest", attempt, what=f"rest {gives}")
        if isinstance(got, float):
            self.case.broken(f"rest {gives}, an int", f"rest {got}", NOT_INT)
        if isinstance(got, int) and got != gives:
            how = TWICE if got == 2 * gives else TOO_LONG if got > gives else TOO_SHORT
            self.case.broken(f"rest {gives}", f"rest {got}", how)
        self.case.same("rest", gives, got)

    def draws(self, kind: str, first: int | None, job: str = "J1", generation: int = 1, seed: int = 7) -> int:
        """Draw one rest; it must be a whole number."""
        words = f'{self._name}.{kind}({first}, {seed}, "{job}", {generation})'
        drawn = self.asks(words, kind, first, seed, job, generation, what="a whole number")
        if type(drawn) is not int:
            self.case.broken("a rest that is an int", repr(drawn), NOT_INT)
        return drawn

    def within(self, kind: str, first: int | None, least: int, most: int, jobs: int = JOBS) -> list[int]:
        """Draw for many jobs; each rest must lie in the range. Keeps only the last step in the trace."""
        before, found = self.case.trace, []
        for number in range(1, jobs + 1):
            self.case.retell(before)
            found.append(self.draws(kind, first, f"J{number}"))
            self.check_range(found[-1], least, most)
        ends = f"{min(found)} to {max(found)}, {len(set(found))} different ones"
        words = f"{self._name}.{kind}({first}, ...) for J1 to J{jobs}, seed 7, generation 1"
        self.case.retell((*before, f"{words} -> {ends}"))
        return found

    def check_range(self, drawn: int, least: int, most: int) -> None:
        """Require that a rest lies in its range."""
        if not least <= drawn <= most:
            how = MORE if drawn > most else LESS
            self.case.broken(f"a rest from {least} to {most}", f"a rest of {drawn}", how)

    def uses(self, kind: str, first: int | None, least: int, most: int) -> None:
        """Draw for many jobs from a small range; each value must come."""
        found = {*self.within(kind, first, least, most, MANY_JOBS)}
        if missing := [value for value in range(least, most + 1) if value not in found]:
            top = missing == [*range(missing[0], most + 1)]
            how = NO_LEAST if least in missing else NEVER if not top else ENDS_EARLY if missing[1:] else NO_MOST
            self.case.broken(f"each of {least} to {most}, sooner or later", f"never {missing[0]}", how)

    def spreads(self, kind: str, first: int | None, least: int, most: int) -> None:
        """Draw for many jobs from a large range; hardly any two may agree."""
        found = self.within(kind, first, least, most)
        if (largest := max(found.count(value) for value in found)) > MOST_ALIKE:
            how = ALL_THE_SAME if largest == JOBS else ALIKE
            self.case.broken("rests that differ between jobs", f"{largest} of {JOBS} jobs rest alike", how)

    def same_again(self, kind: str, first: int | None) -> None:
        """Draw once more, after other draws, and from another object: each time it must be the same."""
        drawn = self.draws(kind, first)
        self.draws(kind, first, "J2")
        self.case.same("rest for J1", drawn, self.draws(kind, first))
        self.case.same("rest for J1", drawn, Rests(self.case).draws(kind, first))

    def seed_counts(self, kind: str, first: int | None) -> None:
        """Draw with several seeds; not all rests may be alike."""
        self._differs([Rests(self.case).draws(kind, first, seed=seed) for seed in range(8)], "seed")

    def generation_counts(self, kind: str, first: int | None) -> None:
        """Draw for several hand-outs of one job; not all rests may be alike."""
        drawn = [Rests(self.case).draws(kind, first, generation=one) for one in range(1, 9)]
        self._differs(drawn, "generation")

    def _differs(self, drawn: list[int], what: str) -> None:
        if len(set(drawn)) == 1:
            self.case.broken(f"rests that differ by the {what}", f"{drawn[0]} each time", f"no {what}")


def happy_path(case: Case) -> None:
    """One failure: what every tutorial shows."""
    rest = Rests(case).asks("Backoff(1_000, 60_000).rest(1)", "rest", 1, what="a rest")
    if not isinstance(rest, int | float) or not 0 < rest <= CAP:
        case.broken("a rest of more than 0 ms and at most 60000 ms", repr(rest), "no rest")


def very_many(case: Case) -> None:
    """A job that fails every minute has failed half a million times after a year."""
    rests = Rests(case)
    try:
        for attempt in (63, 64, 65, 1_000, 1_100, 100_000, 1_000_000_000):
            rests.rest(attempt, gives=60_000)
    except NoAnswer as late:
        case.line = _line_in_rest(case, late)
        case.broken("rest 60000, at once", "no answer within a second", "too slow")
    except Broken as broken:
        # Only a float overflows, and only calls within calls go too deep. There are other ways to break off.
        tells = {"OverflowError": "overflow", "RecursionError": "too deep"}
        broken.how = tells.get(broken.got.partition(":")[0], broken.how)
        raise
    Rests(case, 0, 60_000).rest(1_000_000_000, gives=0)


def _line_in_rest(case: Case, late: NoAnswer) -> SourceLine | None:
    """Where in the answer's rest it was still computing."""
    place = next(((frame.line, frame.function) for frame in late.frames if frame.function == "rest"), None)
    return source_line(place, case.source)


def decorrelated_at_first(case: Case) -> None:
    """There was no rest before: `previous` is None. Each job has an object of its own."""
    for number in range(1, 11):
        case.retell(())
        rests = Rests(case)
        rests.check_range(rests.draws("decorrelated", None, f"J{number}"), 1_000, 3_000)


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
        rests.rest(attempt, gives=whole)
        most = max(base, min(cap, 3 * attempt))
        ranges = {"full": (0, whole), "equal": (whole // 2, whole), "decorrelated": (base, most)}
        for kind, (least, most) in ranges.items():
            drawn = rests.draws(kind, attempt, f"J{number}", number, number)
            rests.check_range(drawn, least, most)


CODE = {
    one.__name__: one
    for one in (happy_path, very_many, decorrelated_at_first, decorrelated_spreads, any_numbers)
}
CHECKS = checks(Path(__file__).parent, Rests, **CODE)
