"""Travelling in time: a recipe being played, on by moving its world, back by replaying it.

Interventions after the present are kept, and happen again when the present comes to them.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from jobqueue.errors import JobQueueError
from jobqueue.simulation.chronicle import Entry
from jobqueue.simulation.recipe import LONGEST_STORY_MILLIS, Intervention, Recipe, advance, has_room

if TYPE_CHECKING:
    from jobqueue.simulation.world import World

Found = Callable[["World", Sequence[Entry]], bool]
"""What tells whether a world and its newest entries are what somebody looks for."""

Position = tuple[int, int]
"""An instant, and how many interventions have been made: several may be made at one instant."""


class Playback:
    """A recipe and its world at one position of it.

    Whatever is called here, the world equals `recipe.replay()` afterwards.
    """

    def __init__(self, recipe: Recipe) -> None:
        self._recipe = recipe.at_the_start()
        self._go_to(recipe)

    @property
    def recipe(self) -> Recipe:
        """The recipe at the present position."""
        return replace(self._recipe, at=self.world.now(), applied=self._applied)

    @property
    def position(self) -> Position:
        """Where it stands."""
        return self.world.now(), self._applied

    @property
    def ahead(self) -> tuple[Intervention, ...]:
        """The interventions that were made after the present, and will be made again."""
        return self._recipe.interventions[self._applied :]

    def next_at(self) -> int | None:
        """Return the next instant at which something happens by itself or by an intervention; None if never."""
        own = self.world.next_at()
        made = [self.ahead[0].at] if self.ahead else []
        instants = [at for at in (own, *made) if at is not None and at <= LONGEST_STORY_MILLIS]
        return min(instants, default=None)

    # -- moving ------------------------------------------------------------------------------------------

    def step(self) -> bool:
        """Go on to the next thing that happens; False, and no step, if nothing ever will."""
        at = self.next_at()
        if at is None or not has_room(self.world):
            return False
        is_by_itself = self.world.next_at() == at
        advance(self.world, at)
        if not is_by_itself:
            self._make_next()
        return True

    def advance_to(self, instant: int) -> None:
        """Let everything happen up to and including an instant, the interventions too."""
        instant = min(instant, LONGEST_STORY_MILLIS)
        while self.ahead and self.ahead[0].at <= instant:
            advance(self.world, self.ahead[0].at)
            if self.world.now() < self.ahead[0].at:
                return  # there is no room for more
            self._make_next()
        advance(self.world, instant)

    def seek(self, instant: int) -> None:
        """Go to any instant, earlier or later, with all that happens at it."""
        instant = min(max(0, instant), LONGEST_STORY_MILLIS)
        if instant >= self.world.now():
            self.advance_to(instant)
        else:
            self._go_to(self._recipe.at_instant(instant))

    def back(self) -> bool:
        """Take back what was done last at this instant, or else the last step; False at the beginning."""
        now, applied = here = self.position
        if applied and self._recipe.interventions[applied - 1].at == now:
            self._go_to(replace(self._recipe, at=now, applied=applied - 1))
            return True
        stops = _stops_of(self._recipe)
        number = bisect_left(stops, here)
        if number == 0:
            return False
        at, made = stops[number - 1]
        self._go_to(replace(self._recipe, at=at, applied=made))
        return True

    def find_next(self, found: Found) -> Recipe | None:
        """Return the recipe at the next stop that brings what is sought; None if none does.

        Args:
            found: is asked at every stop from the beginning on, in order, with the world and what is new in its
                chronicle, so it may keep count; what it says of stops up to the present does not matter.
        """
        walk, seen = Playback(self._recipe), 0
        while True:
            entries = walk.world.chronicle.since(seen)
            seen += len(entries)
            if found(walk.world, entries) and walk.position > self.position:
                return walk.recipe
            if not walk.step():
                return None

    def go_to(self, recipe: Recipe) -> None:
        """Go to another position of the same story, such as `find_next` returns."""
        if recipe.at_the_start() != self._recipe:
            raise ValueError("recipe: is of another story")
        self._go_to(recipe)

    def end(self) -> int:
        """Return when the last thing of the story happens, as far as it is played at all."""
        return _stops_of(self._recipe)[-1][0]

    def _go_to(self, recipe: Recipe) -> None:
        self.world: World = recipe.replay()
        # Fewer than the recipe says, where the story had no room left to come to them.
        self._applied = min(recipe.applied, recipe.made_by(self.world.now()))

    def _make_next(self) -> None:
        self.ahead[0].apply(self.world)
        self._applied += 1

    # -- interfering -------------------------------------------------------------------------------------

    def do(self, verb: str, **arguments: Any) -> Any:
        """Do something at the present instant, and return what the world's operation of that name returns.

        It is written into the recipe if anything came of it, and be it a refusal that the queue remembers; what
        lay ahead is then no more. So whoever wants to keep that makes a copy of the recipe first.

        Raises:
            JobQueueError, LookupError, ValueError: what the operation raises.
        """
        before = _entries_in(self.world)
        try:
            return getattr(self.world, verb)(**arguments)
        finally:
            if _entries_in(self.world) > before:
                made = Intervention.of(self.world.now(), verb, arguments)
                kept = self._recipe.interventions[: self._applied]
                self._recipe = replace(self._recipe, interventions=(*kept, made))
                self._applied += 1
                self.world.settle()


def _entries_in(world: "World") -> int:
    """Return how much has happened; what a flawed queue ignores may yet change the right one beside it."""
    return len(world.chronicle) + (len(world.twin.chronicle) if world.twin else 0)


@lru_cache(maxsize=1024)
def _stops_of(recipe: Recipe) -> tuple[Position, ...]:
    """Return the positions that steps come to, from the beginning of a story to its end."""
    walk = Playback(recipe)
    stops = [walk.position]
    while walk.step():
        stops.append(walk.position)
    return tuple(stops)


REFUSALS = (JobQueueError, LookupError, ValueError)
"""What `do` raises when the world does not do it."""
