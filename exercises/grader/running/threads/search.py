"""Searches the schedules of one story, some at a time, and reports every outcome that is new."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from time import perf_counter  # bound now: an answer may patch modules

from exercises.grader.running.threads.play import Outcome, Play
from exercises.grader.running.threads.schedules import Bounds, Place, Schedule, Tried, before_another, plan

MOST_NEW = 20
MOST_UNDECIDED = 3  # of runs that go on and on; of others one is enough


@dataclass(frozen=True, slots=True)
class Progress:
    """What some more schedules gave: the new outcomes, all that was tried so far, and whether that is all.

    `nested`: some thread has taken a lock while it had another one.
    """

    outcomes: list[Outcome]
    tried: dict[str, int]
    done: bool
    nested: bool


class Exploration:
    """The search through one story's schedules, to be asked again until it is done.

    The first run is thrown away: CPython 3.12 sets up its tracing on the way, and what the answer makes only
    once is made then.
    """

    def __init__(self, play: Play, bounds: Bounds) -> None:
        self._play = play
        self._tried = Tried()
        self._plan = plan(play.names, bounds, self._tried)
        self._seen: set[str] = set()
        self._undecided = 0
        self._nested = False
        self._play.tell(Schedule(play.names), trails=True)
        self._next: Schedule | None = next(self._plan)

    def more(self, seconds: float) -> Progress:
        """Try schedules until the time is over, there is enough to judge, or none is left."""
        until, found = perf_counter() + seconds, list[Outcome]()
        while self._next is not None and len(found) < MOST_NEW and perf_counter() < until:
            outcome = self._play.tell(self._next, trails=not self._next.switches)
            self._nested = self._nested or any(map(before_another, outcome.sections.values()))
            told = [outcome]
            if outcome.timed and outcome.end is None and len(outcome.schedule.switches) <= 1:
                told.append(self._play.tell(outcome.schedule, impatient=True))
            for one in told:
                one.number = self._tried.all + 1
                key = repr((one.calls, one.end))
                if key not in self._seen:
                    self._seen.add(key)
                    found.append(one)
            self._next = None if self._hopeless(outcome) else self._after(outcome)
        return Progress(found, asdict(self._tried), self._next is None, self._nested)

    def _after(self, outcome: Outcome) -> Schedule | None:
        try:
            return self._plan.send(outcome)
        except StopIteration:
            return None

    def _hopeless(self, outcome: Outcome) -> bool:
        """Whether to go on is of no use: such a run costs time, and may leave threads behind that never end."""
        if outcome.end is not None and outcome.end["kind"] == "undecided":
            self._undecided += 1 if outcome.end["loop"] else MOST_UNDECIDED
        return self._undecided >= MOST_UNDECIDED


def found_again(play: Play, order: str, places: Sequence[Place]) -> Schedule | Place:
    """Turn places back into steps; a place that no thread comes to is returned instead.

    Each place depends on the switches before it, so they are found one after the other.
    """
    play.tell(Schedule(order), trails=True)  # thrown away, as before a search
    schedule = Schedule(order)
    for place in places:
        step = place.step(play.tell(schedule, trails=True).trails[place.thread])
        if step is None:
            return place
        schedule = Schedule(order, (*schedule.switches, step))
    return schedule


def id_of(outcome: Outcome) -> str:
    """Name the schedule that an outcome came from, by the lines at which threads were interrupted."""
    places = [Place.of(step, outcome.trails[step[0]]) for step in outcome.schedule.switches]
    return "-".join([outcome.schedule.order, *map(str, places)])
