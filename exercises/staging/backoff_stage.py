"""The stage for the exercise about backoff: the rests of an answer, in the words of the task."""

from exercises.grader import Case
from exercises.staging.plain_stage import PlainStage

JOBS = 40
MANY_JOBS = 100  # a right answer that misses one value of a small range has odds of one to ten million
MOST_ALIKE = 5
BASE, CAP = 1_000, 60_000
# The ways in which a check can fail here, beside those that every exercise knows.
NOT_INT, TWICE, TOO_LONG, TOO_SHORT = "not an int", "twice", "too long", "too short"
MORE, LESS = "more than the most", "less than the least"
NO_LEAST, NO_MOST, ENDS_EARLY, NEVER = "never the least", "never the most", "ends early", "never drawn"
ALIKE, ALL_THE_SAME = "alike", "all the same"


class Rests(PlainStage):
    """A `Backoff` of the answer. Each step names its base and its cap, so that it can be tried by hand."""

    def __init__(self, case: Case, base: int = BASE, cap: int = CAP) -> None:
        super().__init__(case, "Backoff", base, cap)
        self._name = f"Backoff({base:_}, {cap:_})"

    def rests(self, attempt: int, millis: int) -> None:
        """Ask for the rest without chance; it must be this one."""
        got = self.asks(f"{self._name}.rest({attempt})", "rest", attempt, what=f"rest {millis}")
        if isinstance(got, float):
            self._case.broken(f"rest {millis}, an int", f"rest {got}", NOT_INT)
        if isinstance(got, int) and got != millis:
            how = TWICE if got == 2 * millis else TOO_LONG if got > millis else TOO_SHORT
            self._case.broken(f"rest {millis}", f"rest {got}", how)
        self._case.same("rest", millis, got)

    def draws(self, kind: str, first: int | None, job: str = "J1", generation: int = 1, seed: int = 7) -> int:
        """Draw one rest; it must be a whole number."""
        words = f'{self._name}.{kind}({first}, {seed}, "{job}", {generation})'
        drawn = self.asks(words, kind, first, seed, job, generation, what="a whole number")
        if type(drawn) is not int:
            self._case.broken("a rest that is an int", repr(drawn), NOT_INT)
        return drawn

    def within(self, kind: str, first: int | None, least: int, most: int, jobs: int = JOBS) -> list[int]:
        """Draw for many jobs; each rest must lie in the range. Keeps only the last step in the trace."""
        before, found = self._case.trace, []
        for number in range(1, jobs + 1):
            self._case.retell(before)
            found.append(self.draws(kind, first, f"J{number}"))
            self.check_range(found[-1], least, most)
        ends = f"{min(found)} to {max(found)}, {len(set(found))} different ones"
        words = f"{self._name}.{kind}({first}, ...) for J1 to J{jobs}, seed 7, generation 1"
        self._case.retell((*before, f"{words} -> {ends}"))
        return found

    def check_range(self, drawn: int, least: int, most: int) -> None:
        """Require that a rest lies in its range."""
        if not least <= drawn <= most:
            how = MORE if drawn > most else LESS
            self._case.broken(f"a rest from {least} to {most}", f"a rest of {drawn}", how)

    def uses(self, kind: str, first: int | None, least: int, most: int) -> None:
        """Draw for many jobs from a small range; each value must come."""
        found = {*self.within(kind, first, least, most, MANY_JOBS)}
        if missing := [value for value in range(least, most + 1) if value not in found]:
            top = missing == [*range(missing[0], most + 1)]
            how = NO_LEAST if least in missing else NEVER if not top else ENDS_EARLY if missing[1:] else NO_MOST
            self._case.broken(f"each of {least} to {most}, sooner or later", f"never {missing[0]}", how)

    def spreads(self, kind: str, first: int | None, least: int, most: int) -> None:
        """Draw for many jobs from a large range; hardly any two may agree."""
        found = self.within(kind, first, least, most)
        if (largest := max(found.count(value) for value in found)) > MOST_ALIKE:
            how = ALL_THE_SAME if largest == JOBS else ALIKE
            self._case.broken("rests that differ between jobs", f"{largest} of {JOBS} jobs rest alike", how)


def same_again(case: Case, kind: str, first: int | None) -> None:
    """Draw once more, after other draws, and from another object: each time it must be the same."""
    rests = Rests(case)
    drawn = rests.draws(kind, first)
    rests.draws(kind, first, "J2")
    case.same("rest for J1", drawn, rests.draws(kind, first))
    case.same("rest for J1", drawn, Rests(case).draws(kind, first))


def seed_counts(case: Case, kind: str, first: int | None) -> None:
    """Draw with several seeds; not all rests may be alike."""
    _differs(case, [Rests(case).draws(kind, first, seed=seed) for seed in range(8)], "seed")


def generation_counts(case: Case, kind: str, first: int | None) -> None:
    """Draw for several hand-outs of one job; not all rests may be alike."""
    _differs(case, [Rests(case).draws(kind, first, generation=one) for one in range(1, 9)], "generation")


def _differs(case: Case, drawn: list[int], what: str) -> None:
    if len(set(drawn)) == 1:
        case.broken(f"rests that differ by the {what}", f"{drawn[0]} each time", f"no {what}")
