"""What an answer to ex08 must promise.

Each check tells one short story; when it goes wrong, the story is the report.
"""

import random
from collections.abc import Sequence
from typing import Any

from exercises.grader import Case, check
from exercises.staging.drawn_stories import tell_drawn
from exercises.staging.plain_stage import PlainStage

BANDS = "HNL"
PRIORITIES = {"H": 1, "N": 0, "L": -1}
STEPS = 80


def band_of(priority: int) -> str:
    """H above 0, N at 0, L below."""
    return "H" if priority > 0 else "N" if priority == 0 else "L"


class Bands(PlainStage):
    """A `BandedQueue` of the answer, and the jobs that wait in it."""

    def __init__(self, case: Case, cycle: str = "") -> None:
        super().__init__(case, "BandedQueue", *([cycle] if cycle else []))
        self.waiting: dict[str, list[tuple[int, int]]] = {band: [] for band in BANDS}
        self._submitted = 0

    def submits(self, *priorities: int) -> None:
        """Submit one job for each priority."""
        for priority in priorities:
            self._submitted += 1
            number = self._submitted
            self.waiting[band_of(priority)].append((-priority, number))
            words = f"submit, priority {priority} (band {band_of(priority)})"
            self.gives(words, "submit", priority, gives=f"J{number}", what="job id")

    def submits_plainly(self) -> None:
        """Submit one job, and say nothing about it."""
        self._submitted += 1
        self.waiting["N"].append((0, self._submitted))
        self.gives("submit", "submit", gives=f"J{self._submitted}", what="job id")

    def counts(self, polls: int) -> dict[str, int]:
        """Poll so many times, whatever comes, and count by band; the trace tells it in one line."""
        before, bands = self._case.trace, {f"J{n}": band for band in BANDS for _, n in self.waiting[band]}
        got = [self.asks("poll", "poll", what="a job") for _ in range(polls)]
        served = [bands.get(one, "-") if isinstance(one, str) else "-" for one in got]
        self._case.retell((*before, f"{polls} polls -> {' '.join(served)}"))
        return {band: served.count(band) for band in BANDS}

    def fills(self, **jobs: int) -> None:
        """Submit so many jobs for each band; the trace tells it in one line."""
        before = self._case.trace
        for band, number in jobs.items():
            self.submits(*[PRIORITIES[band]] * number)
        told = ", ".join(f"{number} for {band}" for band, number in jobs.items())
        self._case.retell((*before, f"submit {told}"))

    def hands_out(self, bands: str) -> None:
        """Poll once for each letter; the first job of that band must come. "-" stands for None."""
        for band in bands:
            got = self._case.call("poll", self._object, "poll", expected=_a_job(band), tell=self._told)
            known = {f"J{number}": one for one in BANDS for _, number in self.waiting[one]}
            found = "-" if got is None else known.get(got if isinstance(got, str) else "", "")
            if not found:
                self._case.broken(_a_job(band), f"{got!r}, which does not wait", "no job that waits")
            if found != band:
                how = "nothing" if found == "-" else "a job" if band == "-" else f"{found} for {band}"
                self._case.broken(_a_job(band), f"{got!r} of band {found}" if got else "None", how)
            if band != "-":
                first = min(self.waiting[band])
                self._case.same("job of that band", f"J{first[1]}", got)
                self.waiting[band].remove(first)

    def _told(self, got: Any) -> str:
        bands = {f"J{number}": band for band in BANDS for _, number in self.waiting[band]}
        return f"{got!r} of band {bands[got]}" if isinstance(got, str) and got in bands else repr(got)


def _a_job(band: str) -> str:
    return "None" if band == "-" else f"a job of band {band}"


@check(task=1, points=1, promise="Jobs of one band are handed out in the order of submission, once.")
def happy_path(case: Case) -> None:
    """Three mails, and a cycle that knows only them."""
    queue = Bands(case, "N")
    queue.hands_out("-")
    queue.submits(0, 0, 0)
    queue.hands_out("NNN-")


@check(task=1, points=1, promise="Above 0 is band H, 0 is N, below 0 is L.", needs=(happy_path,))
def bands(case: Case) -> None:
    """A cycle of one slot each shows which band a job is in."""
    queue = Bands(case, "HNL")
    queue.submits(-1, 0, 1)
    queue.hands_out("HNL")
    queue = Bands(case, "HNL")
    queue.submits(-7, 7)
    queue.submits_plainly()
    queue.hands_out("HNL")


@check(task=1, points=1, promise="Within a band the highest priority goes first.", needs=(happy_path,))
def priority_within(case: Case) -> None:
    """All five belong to H, or all to L; -1 is higher than -9."""
    queue = Bands(case, "H")
    queue.submits(1, 9, 5, 9, 1)
    queue.hands_out("HHHHH-")
    queue = Bands(case, "L")
    queue.submits(-9, -1, -5)
    queue.hands_out("LLL-")


@check(task=1, points=1, promise="J2 was submitted before J10.", needs=(happy_path,))
def two_before_ten(case: Case) -> None:
    """Twelve jobs alike."""
    queue = Bands(case, "N")
    queue.fills(N=12)
    queue.hands_out("N" * 12)


@check(task=2, points=2, promise="While all bands have jobs, the cycle says whose turn it is.", needs=(bands,))
def full_cycle(case: Case) -> None:
    """Twelve hand-outs: six for H, four for N, two for L."""
    queue = Bands(case)
    queue.fills(H=8, N=8, L=8)
    queue.hands_out("HHHNNLHHHNNL")


@check(task=2, points=1, promise="The cycle is the one that was given.", needs=(full_cycle,))
def given_cycle(case: Case) -> None:
    """One that begins with L, and in which H comes twice, apart."""
    queue = Bands(case, "LHNHN")
    queue.fills(H=8, N=8, L=8)
    queue.hands_out("LHNHNLHNHN")


@check(
    task=2,
    points=1,
    promise="What comes in later does not turn the cycle back.",
    needs=(full_cycle,),
)
def goes_on(case: Case) -> None:
    """Two hand-outs, then more urgent work comes in; the cycle goes on with its third slot."""
    queue = Bands(case)
    queue.fills(H=3, N=3, L=3)
    queue.hands_out("HH")
    queue.fills(H=5)
    queue.hands_out("HNNLHHHN")


@check(
    task=3,
    points=1,
    promise="A slot whose band has no job is passed over, and a worker does not go away with nothing.",
    needs=(happy_path,),
)
def only_one_band(case: Case) -> None:
    """Pictures only, and nobody else wants the worker."""
    queue = Bands(case)
    queue.fills(L=4)
    queue.hands_out("LLLL-")


@check(
    task=3,
    points=2,
    promise="If H is empty, its slots go to those who come next in the cycle.",
    needs=(full_cycle, only_one_band),
)
def h_is_empty(case: Case) -> None:
    """N N L, and again."""
    queue = Bands(case)
    queue.fills(N=8, L=8)
    queue.hands_out("NNLNNLNNLNNL")


@check(
    task=3,
    points=1,
    promise="While slots are lent, every band that has jobs still gets some.",
    needs=(full_cycle, only_one_band),
)
def nobody_starves(case: Case) -> None:
    """H is empty. Of twelve hand-outs some must be for L."""
    queue = Bands(case)
    queue.fills(N=20, L=20)
    if not queue.counts(12)["L"]:
        case.broken("some jobs of band L", "none of band L", "L starves")


@check(
    task=3,
    points=2,
    promise="If N is empty, its slots go to L, who comes next in the cycle, and not to the highest band.",
    needs=(full_cycle, only_one_band),
)
def n_is_empty(case: Case) -> None:
    """H H H L: after three for H comes L, whatever N leaves over."""
    queue = Bands(case)
    queue.fills(H=12, L=8)
    queue.hands_out("HHHLHHHLHHHL")


@check(
    task=3,
    points=1,
    promise="If L is empty, its slot goes to H, who comes next in the cycle.",
    needs=(full_cycle, only_one_band),
)
def l_is_empty(case: Case) -> None:
    """H H H N N, and again: the slot of L is passed over, and the three of H follow."""
    queue = Bands(case)
    queue.fills(H=12, N=8)
    queue.hands_out("HHHNNHHHNNHHHNN")


@check(
    task=3,
    points=2,
    promise="A band that runs out of jobs gets nothing for it later.",
    needs=(h_is_empty, n_is_empty),
)
def nothing_is_saved_up(case: Case) -> None:
    """H has two jobs, then none; when it has some again, it gets its slots as they come."""
    queue = Bands(case)
    queue.fills(H=2, N=20, L=20)
    queue.hands_out("HHNNLNNLN")
    queue.fills(H=9)
    queue.hands_out("NLHHHNNLHHH")


@check(task=3, points=2, promise="A poll of an empty queue moves nothing.", needs=(full_cycle,))
def idle_moves_nothing(case: Case) -> None:
    """One job for H takes the first slot. Three polls get nothing. Two slots of H are still to come."""
    queue = Bands(case)
    queue.fills(H=1)
    queue.hands_out("H---")
    queue.fills(H=5, N=5, L=5)
    queue.hands_out("HHNNLH")


@check(task=4, points=1, promise="Weights become blocks of slots, H first.", needs=(happy_path,))
def blocks(case: Case) -> None:
    """3, 2 and 1 are the usual cycle."""
    queue = Bands(case)
    for weights, cycle in (((3, 2, 1), "HHHNNL"), ((1, 1, 1), "HNL"), ((1, 0, 2), "HLL"), ((0, 0, 1), "L")):
        queue.gives(f"cycle_from_weights{weights}", "cycle_from_weights", *weights, gives=cycle, what="cycle")


@check(task=4, points=1, promise="Weights are divided by their greatest common divisor.", needs=(blocks,))
def smallest_numbers(case: Case) -> None:
    """70 to 30 is 7 to 3."""
    queue = Bands(case)
    for weights, cycle in (
        ((70, 30, 0), "HHHHHHHNNN"),
        ((6, 4, 2), "HHHNNL"),
        ((6, 3, 2), "HHHHHHNNNLL"),
        ((0, 500, 0), "N"),
    ):
        queue.gives(f"cycle_from_weights{weights}", "cycle_from_weights", *weights, gives=cycle, what="cycle")


@check(
    task=4, points=1, promise="Weights that serve nobody, or less than nobody, are refused.", needs=(blocks,)
)
def no_weights(case: Case) -> None:
    """Nothing but zeros, and each place below zero."""
    queue = Bands(case)
    for weights in ((0, 0, 0), (-1, 2, 3), (3, -2, 1), (3, 2, -1)):
        words = f"cycle_from_weights{weights}"
        queue.refuses(words, "cycle_from_weights", *weights, error="ValueError")


@check(
    task=4,
    points=1,
    promise="A band without a slot is served when nobody else has anything to do.",
    needs=(full_cycle, only_one_band),
)
def without_a_slot(case: Case) -> None:
    """The cycle is N only. Then H before L, although neither has a slot."""
    queue = Bands(case, "N")
    queue.fills(L=2, N=2, H=2)
    queue.hands_out("NNHHLL-")


@check(
    task=4,
    points=1,
    promise="Serving a band without a slot takes no slot.",
    needs=(without_a_slot,),
)
def takes_no_slot(case: Case) -> None:
    """H is served once, then L twice out of its turn; the second slot of H is still to come."""
    queue = Bands(case, "HHN")
    queue.fills(H=1, L=3)
    queue.hands_out("HLL")
    queue.fills(H=3, N=3)
    queue.hands_out("HNHHN")


@check(
    task=4,
    points=2,
    promise="In any story whatever, each hand-out is what the rules say.",
    needs=(
        priority_within,
        two_before_ten,
        given_cycle,
        goes_on,
        l_is_empty,
        nobody_starves,
        nothing_is_saved_up,
        idle_moves_nothing,
        takes_no_slot,
    ),
)
def any_story(case: Case) -> None:
    """Jobs that come and go at random, compared with the rules of the task."""
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
            queue.submits(step)
        elif step == "poll":
            order = [(slot + one) % len(cycle) for one in range(len(cycle))]
            there = [place for place in order if queue.waiting[cycle[place]]]
            others = [band for band in BANDS if queue.waiting[band]]
            queue.hands_out(cycle[there[0]] if there else others[0] if others else "-")
            slot = (there[0] + 1) % len(cycle) if there else slot
