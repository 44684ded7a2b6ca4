"""The banded queue of ex08, in the words of the task. What an answer must promise is in checks.toml."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from exercises.grader import Case
from exercises.staging.drawn_stories import tell_drawn
from exercises.staging.driver import Driver
from exercises.staging.story_tables import checks

BANDS = "HNL"
PRIORITIES = {"H": 1, "N": 0, "L": -1}
STEPS = 80


def band_of(priority: int) -> str:
    """H above 0, N at 0, L below."""
    return "H" if priority > 0 else "N" if priority == 0 else "L"


class Bands(Driver):
    """A `BandedQueue` of the answer, and the jobs that wait in it."""

    def __init__(self, case: Case, cycle: str = "") -> None:
        super().__init__(case, "BandedQueue", *([cycle] if cycle else []))
        self.waiting: dict[str, list[tuple[int, int]]] = {band: [] for band in BANDS}
        self._submitted = 0

    def submit(self, *priorities: int) -> None:
        """Submit one job for each priority; or a single one, and say nothing about it."""
        for priority in priorities or (0,):
            self._submitted += 1
            band = band_of(priority)
            self.waiting[band].append((-priority, self._submitted))
            words = f"submit, priority {priority} (band {band})" if priorities else "submit"
            args = (priority,) if priorities else ()
            self.gives(words, "submit", *args, gives=f"J{self._submitted}", what="job id")

    def fill(self, **jobs: int) -> None:
        """Submit so many jobs for each band; the trace tells it in one line."""
        before = self.case.trace
        for band, number in jobs.items():
            self.submit(*[PRIORITIES[band]] * number)
        told = ", ".join(f"{number} for {band}" for band, number in jobs.items())
        self.case.retell((*before, f"submit {told}"))

    def poll(self, *, gives: str) -> None:
        """Poll once for each letter; the first job of that band must come. "-" stands for None."""
        for band in gives:
            wanted = "None" if band == "-" else f"a job of band {band}"
            got = self.call("poll", "poll", expected=wanted, tell=self._told)
            found = "-" if got is None else self._band(got)
            if not found:
                self.case.broken(wanted, f"{got!r}, which does not wait", "no job that waits")
            if found != band:
                how = "nothing" if found == "-" else "a job" if band == "-" else f"{found} for {band}"
                self.case.broken(wanted, f"{got!r} of band {found}" if got else "None", how)
            if band != "-":
                first = min(self.waiting[band])
                self.case.same("job of that band", f"J{first[1]}", got)
                self.waiting[band].remove(first)

    def count(self, polls: int) -> dict[str, int]:
        """Poll so many times, whatever comes, and count by band; the trace tells it in one line."""
        before = self.case.trace
        served = [self._band(self.asks("poll", "poll", what="a job")) or "-" for _ in range(polls)]
        self.case.retell((*before, f"{polls} polls -> {' '.join(served)}"))
        return {band: served.count(band) for band in BANDS}

    def weigh(self, *weights: int, gives: Any) -> None:
        """Ask for the cycle that has these weights."""
        words, method = f"cycle_from_weights{weights}", "cycle_from_weights"
        if isinstance(gives, str):
            self.gives(words, method, *weights, gives=gives, what="cycle")
        else:
            self.refuses(words, method, *weights, error=gives[1])

    def _band(self, got: Any) -> str:
        """The band in which this job waits; none if it does not."""
        return next((band for band in BANDS for _, number in self.waiting[band] if got == f"J{number}"), "")

    def _told(self, got: Any) -> str:
        return f"{got!r} of band {self._band(got)}" if self._band(got) else repr(got)


def nobody_starves(case: Case) -> None:
    """Look only whether L gets anything."""
    queue = Bands(case)
    queue.fill(N=20, L=20)
    if not queue.count(12)["L"]:
        case.broken("some jobs of band L", "none of band L", "L starves")


def any_story(case: Case) -> None:
    """Let jobs come and go at random."""
    tell_drawn(case, (1, 2, 3), _draw, _tell)


def _draw(chance: random.Random) -> list[str | int]:
    """The cycle, then steps: a priority to submit, or "poll"."""
    cycle = "".join(chance.choices(BANDS, k=chance.randint(1, 7)))
    return [f"cycle {cycle}", *(chance.choice(("poll", "poll", chance.randint(-2, 2))) for _ in range(STEPS))]


def _tell(case: Case, story: Sequence[str | int]) -> None:
    cycles = [step.removeprefix("cycle ") for step in story if isinstance(step, str) and step != "poll"]
    cycle = cycles[0] if cycles else "HHHNNL"
    queue, slot = Bands(case, cycle), 0
    for step in story:
        if isinstance(step, int):
            queue.submit(step)
        elif step == "poll":
            order = [(slot + one) % len(cycle) for one in range(len(cycle))]
            there = [place for place in order if queue.waiting[cycle[place]]]
            others = [band for band in BANDS if queue.waiting[band]]
            queue.poll(gives=cycle[there[0]] if there else others[0] if others else "-")
            slot = (there[0] + 1) % len(cycle) if there else slot


CHECKS = checks(Path(__file__).parent, Bands, any_story=any_story, nobody_starves=nobody_starves)
