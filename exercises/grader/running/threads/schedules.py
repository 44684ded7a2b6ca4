"""Lists the schedules to try: no switch, then one at every place, then two, then random ones.

A schedule is an order of threads and the steps before which the turn goes to the next of them. Everything else
follows from it, so the same schedule gives the same run.
"""

import random
import re
from collections.abc import Container, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol, TypeVar

from exercises.grader.running.threads.scheduler import Step

PLACE = re.compile(r"([A-Z])(\d+)(?:x(\d+))?(?:\.(\d+))?")
ID = re.compile(r"([A-Z]+)((?:-[A-Z]\d+(?:x\d+)?(?:\.\d+)?)*)")
MOST_DRAWN_SWITCHES = 4
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Schedule:
    """Who begins and who is next, and before which steps the turn goes on."""

    order: str
    switches: tuple[Step, ...] = ()

    def without(self, place: int) -> "Schedule":
        """The same without one of its switches."""
        return Schedule(self.order, self.switches[:place] + self.switches[place + 1 :])


@dataclass(frozen=True, slots=True)
class Place:
    """A step as a reader finds it: the thread, the line, which visit of the line, how far inside it.

    >>> str(Place("A", 93)), str(Place("A", 93, visit=2, part=1))
    ('A93', 'A93x2.1')
    """

    thread: str
    line: int
    visit: int = 1
    part: int = 0

    def __str__(self) -> str:
        visit = f"x{self.visit}" if self.visit > 1 else ""
        part = f".{self.part}" if self.part else ""
        return f"{self.thread}{self.line}{visit}{part}"

    @classmethod
    def of(cls, step: Step, lines: Sequence[int]) -> "Place":
        """Name a step of a thread whose steps were on these lines."""
        thread, number = step
        line, visit, begin = lines[number - 1], 0, 0
        for place in range(number):
            if lines[place] == line and (place == 0 or lines[place - 1] != line):
                visit, begin = visit + 1, place
        return cls(thread, line, visit, number - 1 - begin)

    def step(self, lines: Sequence[int]) -> Step | None:
        """Find the step again; None if the thread does not come there."""
        numbers = (number for number in range(1, len(lines) + 1) if lines[number - 1] == self.line)
        found = (n for n in numbers if Place.of((self.thread, n), lines) == self)
        return next(((self.thread, n) for n in found), None)


def read_id(text: str) -> tuple[str, list[Place]] | None:
    """Read a schedule's name; None if it is none.

    >>> read_id("AB-A93.2")
    ('AB', [Place(thread='A', line=93, visit=1, part=2)])
    >>> read_id("AB/93")
    """
    match = ID.fullmatch(text)
    if match is None:
        return None
    found = [PLACE.fullmatch(part) for part in match[2].split("-")[1:]]
    places = [Place(one[1], int(one[2]), int(one[3] or 1), int(one[4] or 0)) for one in found if one]
    return match[1], places


@dataclass(frozen=True, slots=True)
class Bounds:
    """How far the search goes. One switch is tried everywhere but in long loops; two cannot be."""

    one: int = 300  # for each order of the threads
    two: int = 60
    drawn: int = 20
    seed: int = 1
    nested: int = 0  # 1: switch only where a lock is held and another one is wanted


@dataclass(slots=True)
class Tried:
    """How many schedules were tried, by kind.

    `alike` counts those with one switch that were left out: at another place of the same locked section it was
    seen that nobody can come in; `left` those beyond the bound. `two_in_all` says how many there are with two.
    """

    none: int = 0
    one: int = 0
    alike: int = 0
    left: int = 0
    two: int = 0
    two_in_all: int = 0
    drawn: int = 0

    @property
    def all(self) -> int:
        """All that were tried."""
        return self.none + self.one + self.two + self.drawn


class Made(Protocol):
    """What a run tells the plan: each thread's steps, by line and by locked section; was it barren."""

    trails: dict[str, list[int]]
    sections: dict[str, list[int]]
    barren: bool


Plan = Generator[Schedule, Made, None]
Section = tuple[str, str, int]  # of which order, whose, which


def plan(names: str, bounds: Bounds, tried: Tried) -> Plan:
    """Give schedule after schedule; after each, take in what the run made of it.

    Switches at the beginning of a line come first, so what is found first is also the easiest to read. Whether
    a thread comes to the planned step once another one has gone before, only the run shows.
    """
    base: dict[str, Made] = {}
    for order in _orders(names):
        base[order] = yield Schedule(order)
        tried.none += 1
    barren: set[Section] = set()
    for inside in (False, True):
        for order, made in base.items():
            steps = list(_steps(order[:-1], made, inside=inside))
            if bounds.nested:
                between = {name: before_another(made.sections[name]) for name in order}
                steps = [(name, n) for name, n in steps if made.sections[name][n - 1] in between[name]]
            chosen = _spread(steps, bounds.one)
            tried.left += len(steps) - len(chosen)
            for step in chosen:
                section = _section(order, step, made)
                if section in barren:
                    tried.alike += 1
                    continue
                if (yield Schedule(order, (step,))).barren and section[2]:
                    barren.add(section)
                tried.one += 1
    pairs = list(_pairs(base, barren))
    tried.two_in_all = len(pairs)
    for schedule in _spread(pairs, bounds.two):
        yield schedule
        tried.two += 1
    for schedule in _drawn(names, base[names], bounds):
        yield schedule
        tried.drawn += 1


def _section(order: str, step: Step, made: Made) -> Section:
    name, number = step
    return order, name, made.sections[name][number - 1]


def before_another(sections: Sequence[int]) -> set[int]:
    """The sections that go over into another one, with a lock held all the way. None is 0.

    >>> before_another([0, 1, 1, 2, 2, 3, 0, 5, 0])
    {1, 2}
    """
    return {one for one, then in pairwise(sections) if one and then and one != then}


def _orders(names: str) -> list[str]:
    """Every thread begins once; of more than two threads not every order is tried.

    >>> _orders("ABC")
    ['ABC', 'BCA', 'CAB']
    """
    return [names[place:] + names[:place] for place in range(len(names))]


def _steps(threads: Iterable[str], made: Made, *, inside: bool) -> Iterator[Step]:
    """The steps that are inside of a line, or else those that begin one."""
    for name in threads:
        lines = made.trails[name]
        for place, line in enumerate(lines):
            if inside == (place > 0 and lines[place - 1] == line):
                yield name, place + 1


def _pairs(base: Mapping[str, Made], barren: Container[Section]) -> Iterator[Schedule]:
    """Two switches at beginnings of lines: the first thread is interrupted, and so is one that comes in."""
    first = {order[0]: made for order, made in base.items()}  # each thread as it runs when it begins
    for order, made in base.items():
        for one in _steps(order[:1], made, inside=False):
            if _section(order, one, made) in barren:
                continue
            for name in order[1:]:
                for other in _steps(name, first[name], inside=False):
                    yield Schedule(order, (one, other))


def _spread(found: Sequence[T], most: int) -> list[T]:
    """Choose at most so many, evenly.

    >>> _spread("abcdef", 3)
    ['a', 'c', 'e']
    """
    if len(found) <= most:
        return list(found)
    return [found[number * len(found) // most] for number in range(most)]


def _drawn(names: str, made: Made, bounds: Bounds) -> Iterator[Schedule]:
    chance = random.Random(bounds.seed)  # noqa: S311  a search, no secret
    places = [(name, step) for name in names for step in range(1, len(made.trails[name]) + 1)]
    for _ in range(bounds.drawn if places else 0):
        order = "".join(chance.sample(names, len(names)))
        count = min(chance.randint(2, MOST_DRAWN_SWITCHES), len(places))
        yield Schedule(order, tuple(sorted(chance.sample(places, count))))
