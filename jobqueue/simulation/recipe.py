"""A recipe: which story, what somebody did in it and when, and how far it was played. It is the whole state.

The world is always what replaying the recipe gives; nothing else needs to be kept, sent or compared.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache

from jobqueue.errors import JobQueueError
from jobqueue.simulation.free_lab import FREE, MOST_JOBS, FreeLab
from jobqueue.simulation.parameters import HOUR, SOME_SEED, Parameter, Unit
from jobqueue.simulation.rule_settings import RuleSettings
from jobqueue.simulation.scenario import Scenario
from jobqueue.simulation.scenarios import find_scenario
from jobqueue.simulation.world import World

MOST_INTERVENTIONS = 300
MOST_ENTRIES = 2000
"""A story is played until so much has happened, and no further."""
LONGEST_STORY_MILLIS = 2 * HOUR
MOST_PAYLOAD = 1000
_MOST_PRIORITY = 2**53 - 1

_JOB = (Parameter("job_id", "Job", "", Unit.TEXT, "", 1, 20),)
_WORKER = (Parameter("worker", "Worker", "", Unit.TEXT, "", 1, 20),)
_TYPE = (Parameter("type", "Type", "", Unit.TEXT, "", 1, 200),)

VERBS: Mapping[str, tuple[Parameter, ...]] = {
    "crash": _WORKER,
    "restart": _WORKER,
    "freeze": _WORKER,
    "thaw": _WORKER,
    "cancel": _JOB,
    "redrive": _JOB,
    "fail": _JOB,
    "pause_type": _TYPE,
    "resume_type": _TYPE,
    "take_down": _TYPE,
    "bring_up": _TYPE,
    "submit": (
        *_TYPE,
        Parameter("payload", "Payload", "", Unit.TEXT, "", 0, MOST_PAYLOAD),
        Parameter("priority", "Priority", "", Unit.NUMBER, 0, -_MOST_PRIORITY, _MOST_PRIORITY),
        Parameter("delay_millis", "Delay", "", Unit.SECONDS, 0),
        Parameter("tenant", "Tenant", "", Unit.TEXT, "default", 1, 200),
        Parameter("cost", "Cost", "", Unit.NUMBER, 1, 1, 1_000_000),
        Parameter("deadline_millis", "Deadline", "", Unit.SECONDS, None, 1),
    ),
}
"""What a person may do in a world, each with the arguments of the world's operation of that name."""


@dataclass(frozen=True, slots=True)
class Intervention:
    """Something that a person did at an instant, after all that happened at it by itself.

    `arguments` are those that are not as they would be by themselves, as (name, value) in the order of `VERBS`.
    """

    at: int
    verb: str
    arguments: tuple[tuple[str, str | int | None], ...] = ()

    @classmethod
    def of(cls, at: int, verb: str, arguments: Mapping[str, str | int | None]) -> "Intervention":
        """Return an intervention with these arguments of the world's operation, unchecked."""
        given = [(p.name, arguments.get(p.name, p.default), p.default) for p in VERBS[verb]]
        return cls(at, verb, tuple((name, value) for name, value, default in given if value != default))

    def apply(self, world: World) -> None:
        """Do it again. What was refused then is refused again, and is as much a part of what happened."""
        with suppress(JobQueueError, LookupError, ValueError):
            getattr(world, self.verb)(**dict(self.arguments))
        world.settle()


@dataclass(frozen=True, slots=True)
class Recipe:
    """A story, the interventions in it, and a position.

    Args:
        name: the scenario's, or that of the free lab.
        seed: where working times are drawn from; None for the scenario's own.
        rules: what the queue is asked to do; None for what the scenario says.
        free: what was set by hand in the free lab; None for any other story.
        interventions: what somebody did, oldest first.
        at: how far the story is played.
        applied: how many of the interventions have been made; those after it lie ahead.
    """

    name: str
    seed: int | None = None
    rules: RuleSettings | None = None
    free: FreeLab | None = None
    interventions: tuple[Intervention, ...] = ()
    at: int = 0
    applied: int = 0

    def __post_init__(self) -> None:
        """Refuse what no board could have come to."""
        if not 0 <= self.at <= LONGEST_STORY_MILLIS:
            raise ValueError(f"at: {self.at} is not between 0 and {LONGEST_STORY_MILLIS}")
        if self.seed is not None and not 0 <= self.seed <= SOME_SEED:
            raise ValueError(f"seed: {self.seed} is not between 0 and {SOME_SEED}")
        if (self.name == FREE) is not (self.free is not None):
            raise ValueError("free: is for the free lab, and the free lab needs it")
        if len(self.interventions) > MOST_INTERVENTIONS:
            raise ValueError(f"interventions: more than {MOST_INTERVENTIONS}")
        if sum(i.verb == "submit" for i in self.interventions) > MOST_JOBS:
            raise ValueError(f"interventions: more than {MOST_JOBS} jobs submitted")
        instants = [i.at for i in self.interventions]
        if instants != sorted(instants):
            raise ValueError("interventions: are not in the order of their instants")
        if not self.made_before(self.at) <= self.applied <= self.made_by(self.at):
            raise ValueError(f"applied: {self.applied} interventions cannot have been made at {self.at}")

    def made_before(self, instant: int) -> int:
        """Return how many interventions were made earlier than an instant."""
        return sum(i.at < instant for i in self.interventions)

    def made_by(self, instant: int) -> int:
        """Return how many interventions were made up to and including an instant."""
        return sum(i.at <= instant for i in self.interventions)

    def scenario(self) -> Scenario:
        """Return the story.

        Raises:
            LookupError: there is no scenario of that name.
        """
        return _story(self.name, self.rules, self.free)

    def at_instant(self, instant: int) -> "Recipe":
        """Return the recipe played up to an instant, with all that was done by then."""
        return replace(self, at=instant, applied=self.made_by(instant))

    def at_the_start(self) -> "Recipe":
        """Return the recipe at its first position."""
        return replace(self, at=0, applied=0)

    def without_ahead(self) -> "Recipe":
        """Return the recipe without the interventions that lie ahead."""
        return replace(self, interventions=self.interventions[: self.applied])

    def replay(self) -> World:
        """Return the world at the recipe's position. It is a pure function: the same recipe, the same world."""
        world = World(self.scenario(), self.seed)
        advance(world, 0)
        for intervention in self.interventions[: self.applied]:
            advance(world, intervention.at)
            if world.now() < intervention.at:
                return world  # so much has happened that there is no room for more
            intervention.apply(world)
        advance(world, self.at)
        return world


def advance(world: World, instant: int) -> None:
    """Let a world go on to an instant, stop by stop, as long as there is room for what happens."""
    while has_room(world):
        at = world.next_at()
        if at is None or at >= instant:
            world.advance_to(max(instant, world.now()))
            return
        world.advance_to(at)


def has_room(world: World) -> bool:
    """Return whether more may happen in a world, and in the right queue beside a flawed one."""
    worlds = [world, *([world.twin] if world.twin else [])]
    return all(len(one.chronicle) < MOST_ENTRIES for one in worlds)


@lru_cache(maxsize=256)
def _story(name: str, rules: RuleSettings | None, free: FreeLab | None) -> Scenario:
    if free is not None:
        return free.scenario(rules or RuleSettings())
    scenario = find_scenario(name)
    return scenario if rules is None else replace(scenario, policy=rules.policy(), rules=rules.rules())
